"""Remember: dedup, keys, deposits, batches."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction

from memories.access.references import ReaderReferences
from memories.curation.edit_memory import edit_memory
from memories.ingestion.drafts import (
    ContentTooLongError,
    Draft,
    DraftRefusal,
    RememberResult,
)
from memories.ingestion.remember import KeyConflictError, remember_many
from memories.lifecycle.forget import forget_memory
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import Scope, scope
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, World

OFFICE = "The office closes at six."


def stored(who: Actor, memory_id: UUID) -> Memory:
    with resolve_principal(who).scope():
        return Memory.objects.get(id=memory_id)


def contents(who: Actor) -> list[str]:
    with resolve_principal(who).scope():
        return sorted(Memory.objects.values_list("content", flat=True))


@pytest.mark.conformance("H10")
def test_the_same_text_is_one_memory_with_two_contributors(world: World) -> None:
    here = world.here
    first = here.remember(here.robot("aria"), OFFICE)
    again = here.remember(here.robot("bolt"), OFFICE)
    third = here.remember(here.robot("aria"), OFFICE)

    assert (again.id, again.deduplicated) == (first.id, True)
    assert third.remember_count == 3
    with resolve_principal(here.robot("aria")).scope():
        memory = Memory.objects.get(id=first.id)
        links = dict(
            Contribution.objects.filter(memory_id=first.id).values_list("robot__name", "count")
        )
    assert memory.remember_count == 3
    assert links == {"aria": 2, "bolt": 1}


@pytest.mark.conformance("H10")
@pytest.mark.parametrize(
    "other",
    [
        {"key": "office-hours"},
        {"conversation": "standup"},
        {"occurred_at": datetime(2026, 3, 1, tzinfo=UTC)},
        {"speaker": "Mina"},
        {"member": "mina"},
    ],
)
def test_another_key_time_conversation_speaker_or_subject_is_another_memory(
    world: World, other: dict[str, Any]
) -> None:
    here = world.here
    first = here.remember(here.robot("aria"), OFFICE, visibility="organisation")
    if "member" in other:
        other = {"member": str(here.members["mina"].id)}
    second = here.remember(here.robot("aria"), OFFICE, visibility="organisation", **other)
    assert second.id != first.id
    assert not second.deduplicated


@pytest.mark.conformance("H12")
def test_two_audiences_or_two_organisations_hold_two_memories(world: World) -> None:
    here, there = world.here, world.there
    everyone = here.remember(here.robot("aria"), OFFICE)
    launch = here.remember(here.robot("aria"), OFFICE, group="launch")
    design = here.remember(here.robot("aria"), OFFICE, group="design")
    elsewhere = there.remember(there.robot("aria"), OFFICE)

    assert len({everyone.id, launch.id, design.id, elsewhere.id}) == 4
    assert not any(o.deduplicated for o in (everyone, launch, design, elsewhere))
    assert here.readable(here.robot("aria")) == {everyone.id, launch.id, design.id}
    assert there.readable(there.robot("aria")) == {elsewhere.id}


@pytest.mark.conformance("H12")
def test_a_deposit_learns_nothing_of_what_was_there(world: World) -> None:
    """A robot writes to Mina alone what she, and then it itself, wrote before: one answer."""
    here, mina = world.here, world.here.members["mina"]
    robot, to_mina = here.robot("aria"), {"member": str(mina.id)}
    fresh = here.remember(robot, "Likes oolong.", key="tea", **to_mina)
    here.remember(here.person("mina"), "Likes jazz.", key="music")

    repeated = here.remember(robot, "Likes oolong.", key="tea", **to_mina)
    known = here.remember(robot, "Likes jazz.", **to_mina)
    taken = here.remember(robot, "Likes blues.", key="music", **to_mina)

    for answer in (fresh, repeated, known, taken):
        assert (answer.status, answer.deduplicated, answer.remember_count) == ("active", False, 1)
        assert answer.audience_kind == "member"
    assert here.readable(robot) == set()
    assert contents(here.person("mina")) == [
        "Likes blues.", "Likes jazz.", "Likes jazz.", "Likes oolong."
    ]  # fmt: skip


def test_a_deposit_whose_key_is_its_own_goes_in_once_without_it(world: World) -> None:
    here = world.here
    robot, to_mina = here.robot("aria"), {"member": str(here.members["mina"].id), "key": "tea"}
    for text in ("Likes oolong.", "Likes sencha.", "Likes sencha.", "Likes oolong."):
        here.remember(robot, text, **to_mina)
    with resolve_principal(here.person("mina")).scope():
        rows = dict(Memory.objects.values_list("content", "key"))
    assert rows == {"Likes oolong.": "tea", "Likes sencha.": None}


@pytest.mark.conformance("H09")
def test_a_key_names_one_text_in_one_audience(world: World) -> None:
    here, robot = world.here, world.here.robot("aria")
    first = here.remember(robot, "Rent is due on the 1st.", key="rent")
    same = here.remember(here.robot("bolt"), "Rent is due on the 1st.", key="rent")
    assert (same.id, same.deduplicated) == (first.id, True)

    with pytest.raises(KeyConflictError):
        here.remember(robot, "Rent is due on the 3rd.", key="rent")
    other_audience = here.remember(robot, "Rent is due on the 5th.", key="rent", group="launch")
    assert other_audience.id != first.id
    assert contents(robot) == ["Rent is due on the 1st.", "Rent is due on the 5th."]
    assert stored(robot, first.id).remember_count == 2


@pytest.mark.conformance("H09")
def test_a_taken_key_answers_409_over_http_and_both_values_stay(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    body = {"content": "Rent is due on the 1st.", "key": "rent"}
    first = client.post("/api/v1/memories", body, format="json")
    again = client.post("/api/v1/memories", body, format="json")
    taken = client.post("/api/v1/memories", {**body, "content": "On the 3rd."}, format="json")

    assert (first.status_code, again.status_code, taken.status_code) == (201, 201, 409)
    assert again.json()["id"] == first.json()["id"]
    assert taken["Content-Type"] == "application/problem+json"
    assert taken.json()["type"].endswith("key-taken")
    assert contents(here.robot("aria")) == ["Rent is due on the 1st."]


@pytest.mark.conformance("H11")
def test_what_was_forgotten_comes_back_by_being_remembered(world: World) -> None:
    here, robot = world.here, world.here.robot("aria")
    first = here.remember(robot, OFFICE)
    forget_memory(robot, first.id, now=NOW)
    assert stored(robot, first.id).status == "forgotten"

    again = here.remember(here.robot("bolt"), OFFICE)
    row = stored(robot, first.id)
    assert (again.id, row.status, row.forgotten_at) == (first.id, "active", None)
    found = here.api("bolt").post("/api/v1/recall", {"query": "office"}, format="json").json()
    assert [hit["id"] for hit in found["results"]] == [str(first.id)]


@pytest.mark.conformance("H11")
@pytest.mark.parametrize("times", [1, 3])
def test_what_its_subject_forgot_waits_for_them_alone(world: World, times: int) -> None:
    here, robot, mina = world.here, world.here.robot("aria"), world.here.person("mina")
    said = {"group": "launch", "member": str(mina.member_id)}
    first = here.remember(robot, "Mina is afraid of spiders.", **said)
    forget_memory(mina, first.id, now=NOW)

    answers = [here.remember(robot, "Mina is afraid of spiders.", **said) for _ in range(times)]
    assert {a.status for a in answers} == {"pending_review"}
    assert stored(mina, first.id).status == "forgotten"
    waiting = here.readable(mina) - {first.id}
    assert waiting == {a.id for a in answers}
    assert len(waiting) == 1
    for other in (here.person("bob"), here.person("chidi"), here.person("ada"), robot):
        assert not waiting & here.readable(other)


@pytest.mark.conformance("H11")
def test_a_batch_asks_the_subject_once(world: World) -> None:
    here, robot, mina = world.here, world.here.robot("aria"), world.here.person("mina")
    draft = Draft(content="Mina snores.", group="launch", member=str(mina.member_id))
    first = here.remember(robot, draft.content, group="launch", member=draft.member)
    forget_memory(mina, first.id, now=NOW)
    outcomes = remember_many(robot, [draft, draft], now=NOW)
    assert outcomes[0].id == outcomes[1].id
    assert here.readable(mina) == {first.id, outcomes[0].id}


@pytest.mark.conformance("H11")
def test_naming_the_speaker_otherwise_does_not_bring_it_back(world: World) -> None:
    here, robot, bob = world.here, world.here.robot("aria"), world.here.members["bob"]
    first = here.remember(robot, "I hate Mondays.", group="launch", speaker=str(bob.id))
    forget_memory(here.person("bob"), first.id, now=NOW)
    again = here.remember(robot, "I hate Mondays.", group="launch", speaker="Bob")
    assert again.status == "pending_review"
    assert again.id in here.readable(here.person("bob"))
    assert again.id not in here.readable(here.person("mina"))


@pytest.mark.conformance("H02")
def test_the_database_refuses_a_memory_without_a_robot(world: World) -> None:
    here = world.here
    outcome = here.remember(here.robot("aria"), OFFICE)
    statements = (
        "UPDATE memories_memory SET robot_id = NULL WHERE id = %s",
        "UPDATE memories_contribution SET robot_id = NULL WHERE memory_id = %s",
    )
    for statement in statements:
        with (
            resolve_principal(here.robot("aria")).scope(),
            pytest.raises(IntegrityError, match=r"null value|never changes"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, [outcome.id])


@pytest.mark.conformance("H02")
@pytest.mark.parametrize("table", ["memories_memory", "memories_contribution"])
def test_the_database_takes_no_row_without_a_robot(world: World, table: str) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), OFFICE).id
    column = "id" if table == "memories_memory" else "memory_id"
    # A copy of the row that is there: the same with a robot is taken.
    fresh = {"memories_memory": "'key', 'other'", "memories_contribution": "'member_id', %(mina)s"}
    insert = (
        f"INSERT INTO {table} SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(x) || "
        f"jsonb_build_object('id', gen_random_uuid(), 'robot_id', %(robot)s, {fresh[table]}))).* "
        f"FROM {table} x WHERE {column} = %(id)s"
    )
    robot, mina = str(here.robots["aria"].id), str(here.members["mina"].id)
    with resolve_principal(here.robot("aria")).scope(), connection.cursor() as cursor:
        missing = pytest.raises(IntegrityError, match='null value in column "robot_id"')
        with missing, transaction.atomic():
            cursor.execute(insert, {"robot": None, "id": id_, "mina": mina})
        cursor.execute(insert, {"robot": robot, "id": id_, "mina": mina})
        assert cursor.rowcount == 1


@pytest.mark.conformance("H02")
def test_people_write_through_the_web_robot(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    outcome = here.remember(mina, "Parking is behind the house.")
    with resolve_principal(mina).scope():
        memory = Memory.objects.select_related("robot").get(id=outcome.id)
        links = list(
            Contribution.objects.filter(memory_id=outcome.id).values_list("robot__builtin")
        )
    assert (memory.robot.builtin, memory.author_id) == ("web", mina.member_id)
    assert links == [("web",)]


@pytest.mark.conformance("A19")
@pytest.mark.parametrize(
    ("content", "fields", "expected"),
    [
        ("We move to Lisbon.", {"type": "announcement"}, 0.9),
        ("Bob knows Rust.", {"type": "expertise"}, 0.8),
        ("@aria, please keep this.", {"type": "conversation"}, 0.7),
        ("Nothing special.", {"type": "conversation"}, 0.5),
        ("Weighed by hand.", {"type": "announcement", "importance": 0.05}, 0.05),
    ],
)
def test_default_importance(
    world: World, content: str, fields: dict[str, Any], expected: float
) -> None:
    here, robot = world.here, world.here.robot("aria")
    assert stored(robot, here.remember(robot, content, **fields).id).importance == expected


@pytest.mark.conformance("G02")
def test_what_is_not_said_has_its_default_and_what_is_said_is_kept(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    plain = api.post("/api/v1/memories", {"content": "Nothing special."}, format="json").json()
    row = api.get(f"/api/v1/memories/{plain['id']}").json()
    told = {name: row[name] for name in ("tier", "importance", "topic", "source", "metadata")}
    assert told == {"tier": "slow", "importance": 0.5, "topic": "", "source": {}, "metadata": {}}
    given = {
        "tier": "fast",
        "importance": 0.75,
        "topic": "rent",
        "source": {"url": "https://example.org/1"},
        "metadata": {"by": "hand"},
    }
    body = {"content": "Something special.", **given}
    made = api.post("/api/v1/memories", body, format="json").json()
    row = api.get(f"/api/v1/memories/{made['id']}").json()
    assert {name: row[name] for name in given} == given
    assert here.readable(here.robot("aria"))


def test_one_bad_draft_takes_no_other_with_it(world: World) -> None:
    here = world.here
    drafts = [
        Draft(content="one"),
        Draft(content="two", group="nowhere"),
        Draft(content="three", visibility="group"),
        Draft(content="four", readers=ReaderReferences(teams=("x",)), visibility="shared"),
        Draft(content="five"),
    ]
    outcomes = remember_many(here.robot("aria"), drafts, now=NOW)
    refused = [index for index, o in enumerate(outcomes) if isinstance(o, DraftRefusal)]
    assert refused == [1, 2, 3]
    assert contents(here.robot("aria")) == ["five", "one"]


def test_what_expired_is_not_a_grave_for_the_same_text(world: World) -> None:
    """Remembering it again must make it findable again."""
    here, robot = world.here, world.here.robot("aria")
    past = datetime(2026, 3, 1, tzinfo=UTC)
    first = here.remember(robot, OFFICE, expires_at=past)
    here.remember(robot, OFFICE)
    assert stored(robot, first.id).expires_at is None


def test_nothing_is_written_outside_a_scope(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), OFFICE)
    with scope(Scope()):
        assert not Memory.objects.exists()


@pytest.mark.conformance("H34")
def test_a_text_that_is_too_long_is_refused_by_whoever_writes_it(world: World) -> None:
    """Not only by the serializers and forms: jobs and other services write memories as well."""
    here, ada = world.here, world.here.person("ada")
    longest = "é" * 16_384
    drafts = [Draft(content=text) for text in (longest + "a", OFFICE, longest)]
    refused, *taken = remember_many(ada, drafts, now=NOW)
    assert isinstance(refused, DraftRefusal)
    assert isinstance(refused.error, ContentTooLongError)
    assert "at most 32,768 bytes, and this text has 32,769" in str(refused.error)
    assert [one.deduplicated for one in taken if isinstance(one, RememberResult)] == [False] * 2
    id_ = here.remember(ada, OFFICE).id
    with pytest.raises(ContentTooLongError):
        edit_memory(ada, id_, {"content": longest + "a"}, now=NOW)
    assert stored(ada, id_).content == OFFICE
