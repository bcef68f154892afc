"""Members with personas, and the personal robots that serve them."""

from datetime import datetime

from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from personas.associations.associate import Associated, associate
from personas.associations.personal_robot import ensure_personal_robot
from personas.blocks.blocks import BlockView, blocks_shown
from robots.access.own_member import act_for_owner
from tests.world import NOW, Tenant

QSR, RETAIL = "qsr_real_estate", "retail_asset_management"


def robot_of(tenant: Tenant, name: str, *, now: datetime = NOW) -> Actor:
    """The member's personal robot as it acts for nobody; made where there is none."""
    with organisation_scope(tenant.id):
        robot = ensure_personal_robot(tenant.id, tenant.members[name].id, now)
    return Actor(
        organisation_id=tenant.id,
        robot_id=robot.id,
        scopes=frozenset({"read", "write", "act_for"}),
        name=robot.name,
    )


def serving(tenant: Tenant, name: str, *, now: datetime = NOW) -> Actor:
    """The same as it speaks for its member."""
    return act_for_owner(robot_of(tenant, name, now=now))


def give(
    tenant: Tenant,
    name: str,
    handle: str = QSR,
    *,
    confidence: float | None = None,
    now: datetime = NOW,
) -> Associated:
    """The member's own robot says that they have the persona."""
    robot = robot_of(tenant, name, now=now)
    return associate(robot, member=None, handle=handle, confidence=confidence, now=now)


def block(
    actor: Actor, label: str = f"{QSR}_service_experience", *, now: datetime = NOW
) -> BlockView:
    """The block of this label as the actor reads it."""
    return next(one for one in blocks_shown(actor, now=now) if one.label == label)


def labels(actor: Actor, *, now: datetime = NOW) -> set[str]:
    return {one.label for one in blocks_shown(actor, now=now)}
