"""Members with personas, and the personal robots that serve them."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from rest_framework.test import APIClient

from memories.retrieval.feedback import ToolReport
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve_principal
from personas.associations.association_changes import AssociationResult, ensure_association
from personas.associations.personal_robot import create_own_key, ensure_personal_robot
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.blocks.block_views import BlockView, list_blocks
from personas.learning.tool_outcomes import record_tool_outcome
from personas.models.personas import Persona
from personas.models.suggestions import Suggestion
from robots.access.personal_robot_actor import actor_of_robot, resolve_owner_actor
from tests.world import NOW, Tenant

QSR, RETAIL = "qsr_real_estate", "retail_asset_management"


def make_personal_robot(tenant: Tenant, name: str, *, now: datetime = NOW) -> Actor:
    """The member's personal robot as it acts for nobody; made where there is none."""
    with organisation_scope(tenant.id):
        robot = ensure_personal_robot(tenant.id, tenant.members[name].id, now)
        return actor_of_robot(robot, ("read", "write", "act_for"))


def make_robot_client(tenant: Tenant, name: str) -> APIClient:
    """A client with a key of the member's personal robot."""
    _, secret = create_own_key(tenant.person(name), label="", now=timezone.now())
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def members_publish(tenant: Tenant, *, freely: bool = True) -> None:
    """Members, and so their own robots, publish for everybody without asking; or no more."""
    with organisation_scope(tenant.id):
        Organisation.objects.filter(id=tenant.id).update(members_publish=freely)


def make_owner_actor(tenant: Tenant, name: str, *, now: datetime = NOW) -> Actor:
    """The same as it speaks for its member."""
    return resolve_owner_actor(make_personal_robot(tenant, name, now=now))


def make_association(
    tenant: Tenant,
    name: str,
    handle: str = QSR,
    *,
    confidence: float | None = None,
    now: datetime = NOW,
) -> AssociationResult:
    """The member's own robot says that they have the persona."""
    robot = make_personal_robot(tenant, name, now=now)
    return ensure_association(robot, member=None, handle=handle, confidence=confidence, now=now)


def get_block_by_label(
    actor: Actor, label: str = f"{QSR}_service_experience", *, now: datetime = NOW
) -> BlockView:
    """The block of this label as the actor reads it."""
    return next(one for one in list_blocks(actor, now=now) if one.label == label)


def block_labels(actor: Actor, *, now: datetime = NOW) -> set[str]:
    return {one.label for one in list_blocks(actor, now=now)}


def make_entries(
    tenant: Tenant, name: str, *texts: str, handle: str = QSR, now: datetime = NOW
) -> list[UUID]:
    """The member's robot says these for the persona; the ids of the entries."""
    robot = make_owner_actor(tenant, name, now=now)
    place = get_block_by_label(robot, f"{handle}_service_experience").block.id
    made = [add_entry(robot, place, text, wanted=WriteOptions(), now=now).entry for text in texts]
    assert all(one is not None and one.status == "active" for one in made)
    return [one.id for one in made if one is not None]


def all_memories(tenant: Tenant) -> dict[UUID, Memory]:
    """Every memory of the organisation, as the worker reads them."""
    with organisation_scope(tenant.id, using="worker"):
        return Memory.objects.using("worker").filter(organisation_id=tenant.id).in_bulk()


def fill_blocks(tenant: Tenant) -> None:
    """A row of every table of the personas."""
    make_association(tenant, "mina")
    robot = make_owner_actor(tenant, "mina")
    record_tool_outcome(robot, ToolReport(tool="search_places", outcome="success"), now=NOW)
    for label in (f"{QSR}_service_experience", "human"):
        line = "These people check visits before they look at rents."
        made = add_entry(
            robot, get_block_by_label(robot, label).block.id, line, wanted=WriteOptions(), now=NOW
        )
        assert made.entry
        if label == "human":
            continue
        chidi = resolve_principal(tenant.person("chidi"))
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
