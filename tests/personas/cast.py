"""Members with personas, and the personal robots that serve them."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from rest_framework.test import APIClient

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve
from personas.associations.associate import Associated, associate
from personas.associations.personal_robot import ensure_personal_robot, make_key
from personas.block_writes.write import Wanted, add_entry
from personas.blocks.blocks import BlockView, blocks_shown
from personas.models.personas import Persona
from personas.models.suggestions import Suggestion
from robots.access.own_member import act_for_owner, actor_of_robot
from tests.world import NOW, Tenant

QSR, RETAIL = "qsr_real_estate", "retail_asset_management"


def robot_of(tenant: Tenant, name: str, *, now: datetime = NOW) -> Actor:
    """The member's personal robot as it acts for nobody; made where there is none."""
    with organisation_scope(tenant.id):
        robot = ensure_personal_robot(tenant.id, tenant.members[name].id, now)
        return actor_of_robot(robot, ("read", "write", "act_for"))


def api_of(tenant: Tenant, name: str) -> APIClient:
    """A client with a key of the member's personal robot."""
    _, secret = make_key(tenant.person(name), label="", now=timezone.now())
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def members_publish(tenant: Tenant) -> None:
    """Members, and so their own robots, publish for everybody without asking."""
    with organisation_scope(tenant.id):
        Organisation.objects.filter(id=tenant.id).update(members_publish=True)


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


def learn(
    tenant: Tenant, name: str, *texts: str, handle: str = QSR, now: datetime = NOW
) -> list[UUID]:
    """The member's robot says these for the persona; the ids of the entries."""
    robot = serving(tenant, name, now=now)
    place = block(robot, f"{handle}_service_experience").block.id
    made = [add_entry(robot, place, text, wanted=Wanted(), now=now).entry for text in texts]
    assert all(one is not None and one.status == "active" for one in made)
    return [one.id for one in made if one is not None]


def memories(tenant: Tenant) -> dict[UUID, Memory]:
    """Every memory of the organisation, as the worker reads them."""
    with organisation_scope(tenant.id, using="worker"):
        return Memory.objects.using("worker").filter(organisation_id=tenant.id).in_bulk()


def fill_blocks(tenant: Tenant) -> None:
    """A row of every table of the personas."""
    give(tenant, "mina")
    robot = serving(tenant, "mina")
    for label in (f"{QSR}_service_experience", "human"):
        line = "These people check visits before they look at rents."
        made = add_entry(robot, block(robot, label).block.id, line, wanted=Wanted(), now=NOW)
        assert made.entry
        if label == "human":
            continue
        chidi = resolve(tenant.person("chidi"))
        with chidi.scope():
            of = Memory.objects.get(id=made.entry.id)
            other = Persona.objects.get(organisation_id=tenant.id, handle=RETAIL)
            Suggestion.objects.create(
                organisation_id=tenant.id,
                memory=of,
                audience_id=of.audience_id,
                kind=of.kind,
                persona=other,
                suggested_at=NOW,
            )
