"""The gates look at a change as at a first writing: at all of it, whoever makes it (T27)."""

from typing import Any
from uuid import UUID

import pytest

from memories.safety.gate_refusals import GateRefusedError
from memories.safety.memory_submissions import pass_gates
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceEntry
from orgs.principals import resolve_principal
from tests.memories.safety.gate.test_poison import ORDER
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("T27")
MEMORIES = "/api/v1/memories"
WEIGHTS: list[dict[str, Any]] = [
    {"category": "preference"},
    {"importance": 1.0},
    {"expires_at": "2030-01-01T00:00:00Z"},
    {"tags": ["zoo"]},
]


def from_before(here: Tenant, **columns: Any) -> UUID:
    """A robot's memory that everyone reads, with what no rule knew when it was written."""
    made = here.remember(here.robot("bolt"), "The zebra eats at noon.").id
    with resolve_principal(here.person("ada")).scope():
        Memory.objects.filter(id=made).update(**columns)
    return made


@pytest.mark.parametrize("change", WEIGHTS, ids=str)
@pytest.mark.parametrize(
    "columns",
    [
        {"content": ORDER},
        {"topic": ORDER},
        {"metadata": {"note": ORDER}},
        {"source": {"of": ORDER}},
    ],
    ids=lambda one: next(iter(one)),
)
@pytest.mark.parametrize("who", ["bolt", "chidi"])
def test_what_stays_is_looked_at_before_it_weighs_more(
    world: World, who: str, columns: dict[str, Any], change: dict[str, Any]
) -> None:
    here = world.here
    id_ = from_before(here, **columns)
    client = here.api(who) if who == "bolt" else here.browser(who)
    answer = client.patch(f"{MEMORIES}/{id_}", change, format="json")
    assert (answer.status_code, answer.json()["type"].split(":")[-1]) == (409, "held-back")
    # What takes nothing to other places is no question.
    hides = client.patch(f"{MEMORIES}/{id_}", {"tier": "glacial"}, format="json")
    assert hides.status_code == 200
    # Other words are.
    if "content" in columns:
        better = {"content": "The zebra is fed at one.", **change}
        assert client.patch(f"{MEMORIES}/{id_}", better, format="json").status_code == 200


def test_what_somebody_let_through_may_weigh_more(world: World) -> None:
    here = world.here
    chidi = here.browser("chidi")
    held = here.api("bolt").post(MEMORIES, {"content": ORDER}, format="json").json()
    assert held["status"] == "quarantined"
    [item] = chidi.get("/api/v1/proposals", {"cause": "poison"}).json()["results"]
    body = {"action": "approve", "version": item["version"]}
    done = chidi.post(f"/api/v1/proposals/{item['id']}/decision", body, format="json")
    assert done.status_code == 200, done.content
    with organisation_scope(here.id):
        everyone = Audience.objects.get(kind="organisation").id
    with resolve_principal(here.person("chidi")).scope():
        made = Memory.objects.get(content=ORDER, audience_id=everyone).id
    for change in WEIGHTS:
        answer = chidi.patch(f"{MEMORIES}/{made}", change, format="json")
        assert answer.status_code == 200, change


def _read_by(row: Memory, robot: UUID) -> Memory:
    """The memory with one more reader."""
    with organisation_scope(row.organisation_id):
        AudienceEntry.objects.create(
            organisation_id=row.organisation_id,
            audience_id=row.audience_id,
            kind="robot",
            reader=robot,
        )
    return row


def test_what_one_person_alone_reads_stays_theirs(world: World) -> None:
    """A robot may keep what is personal for its member alone, and so may weigh it anew."""
    here = world.here
    body = {
        "content": "My number is 020 7946 0018, says Mina.",
        "member": str(here.members["mina"].id),
        "visibility": "protected",
    }
    made = here.api("aria").post(MEMORIES, body, format="json").json()
    assert made["status"] == "active"
    words = (None, here.robots["aria"].id)
    with resolve_principal(here.person("mina")).scope():
        row = Memory.objects.with_names().get(id=made["id"])
        pass_gates(row, {"importance": 1.0}, words)
        row.robot_id = here.robots["bolt"].id
        with pytest.raises(GateRefusedError):
            # As if Aria read beside her what it did not write.
            pass_gates(_read_by(row, here.robots["aria"].id), {"importance": 1.0}, words)
    # For a group the same words are refused, as they are at a first writing.
    group = body | {"visibility": "group", "group": "launch"}
    assert here.api("aria").post(MEMORIES, group, format="json").json()["status"] != "active"
    calm = here.api("aria").post(MEMORIES, group | {"content": "She likes tea."}, format="json")
    url = f"{MEMORIES}/{calm.json()['id']}"
    for field in ({"content": body["content"]}, {"metadata": {"note": body["content"]}}):
        assert here.api("aria").patch(url, field, format="json").status_code == 409, field


def test_a_persons_change_for_a_profession_is_looked_at_too(world: World) -> None:
    here = world.here
    ada = here.person("ada")
    made = here.remember(ada, "Guests like a quiet room.", visibility="persona:qsr_real_estate")
    url = f"{MEMORIES}/{made.id}"
    answer = here.browser("ada").patch(url, {"content": "Mina likes a quiet room."}, format="json")
    assert answer.status_code == 409
