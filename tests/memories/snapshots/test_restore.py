"""A snapshot is put back by each mode, with the asker's rights and nobody else's name."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from memories.curation.edit_memory import edit_memory
from memories.ingestion.drafts import RememberResult
from memories.lifecycle.forget import archive_memory, forget_memory
from memories.snapshots.read_snapshot import load_page
from memories.snapshots.restore_snapshot import (
    LineOutcome,
    LineResult,
    RestoreMode,
    restore_snapshot,
)
from memories.snapshots.snapshot_format import to_bytes
from memories.store.models.memory import Memory
from memories.store.models.use import Transition
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Group
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant

LATER = NOW + timedelta(days=1)
SHOWN = ("id", "content", "category", "importance", "tags", "metadata", "expires_at", "tier", "use")


def snapshot(who: Actor, **filters: Any) -> list[dict[str, Any]]:
    """The lines that somebody reads, as JSON brings them."""
    found, _ = load_page(who, filters, None, limit=1000, now=LATER)
    lines: list[dict[str, Any]] = orjson.loads(to_bytes(found))["memories"]
    return lines


def put_back(who: Actor, lines: list[Any], mode: str = "replace") -> list[LineResult]:
    return restore_snapshot(who, who.organisation_id, lines, RestoreMode(mode), now=LATER)


def results(found: list[LineResult]) -> list[str]:
    return [one.result.value for one in found]


def now_is(who: Actor, made: RememberResult) -> Memory:
    with resolve_principal(who).scope():
        return Memory.objects.with_names().get(id=made.id)


def note(here: Tenant, content: str = "The code is 7.", **fields: Any) -> RememberResult:
    return here.remember(here.person("mina"), content, **{"visibility": "private", **fields})


def test_a_robots_note_is_no_persons_wherever_it_lies(here: Tenant) -> None:
    """The database keeps it to the robot; this holds where somebody put it elsewhere."""
    mina, said = here.person("mina"), note(here, visibility="group", group="launch")
    (line,) = snapshot(mina)
    with resolve_principal(mina).scope():
        Memory.objects.filter(id=said.id).update(kind="internal")
    assert snapshot(mina) == []
    (found,) = put_back(mina, [{**line, "content": "The code is 9."}], "keep")
    assert (found.result.value, found.memory == said.id) == ("written", False)


@pytest.mark.conformance("G33")
def test_replace_sets_a_memory_as_it_was(here: Tenant) -> None:
    mina = here.person("mina")
    made = note(here, importance=0.6, tags=("door",), metadata={"floor": 2})
    before = snapshot(mina)
    changed = {"content": "The code is 8.", "importance": 0.1, "tags": [], "metadata": {}}
    edit_memory(mina, made.id, {**changed, "tier": "glacial"}, now=NOW)
    assert results(put_back(mina, before)) == ["replaced"]
    row = now_is(mina, made)
    assert (row.content, row.importance, row.tags) == ("The code is 7.", 0.6, ["door"])
    assert (row.metadata, row.tier) == ({"floor": 2}, "slow")
    after = snapshot(mina)
    assert [{name: line[name] for name in SHOWN} for line in after] == [
        {name: line[name] for name in SHOWN} for line in before
    ]
    with resolve_principal(mina).scope():
        moved = Transition.objects.filter(memory_id=made.id).latest("moved_at")
        assert (moved.from_tier, moved.to_tier, moved.reason) == ("glacial", "slow", "restored")
        entry = AuditEntry.objects.filter(action="snapshot.restored").get()
        assert entry.detail == {"mode": "replace", "replaced": 1}
        count = AuditEntry.objects.filter(action="memory.edited", target=made.id).count()
    assert count == 2, "the restore is an edit like any other"
    assert results(put_back(mina, before)) == ["replaced"]
    assert now_is(mina, made).version == row.version, "what is right already stays"


@pytest.mark.conformance("G33")
def test_what_a_line_calls_sensitive_is_written_anew_as_that(here: Tenant) -> None:
    """No snapshot holds it: what is left out is encrypted, and a snapshot is a file in plain."""
    mina = here.person("mina")
    note(here, sensitive=True)
    note(here, "The code is 8.")
    [given] = snapshot(mina)
    lines = [
        given | {"id": str(uuid4()), "content": f"Code {n}.", "sensitive": bool(n)} for n in (0, 1)
    ]
    assert results(put_back(mina, lines)) == ["written", "written"]
    assert {line["content"] for line in snapshot(mina)} == {"The code is 8.", "Code 0."}
    with resolve_principal(mina).scope():
        told = {row.content: row.sealed is not None for row in Memory.objects.all()}
    assert told == {
        "The code is 7.": True, "The code is 8.": False, "Code 0.": False, "Code 1.": True,
    }  # fmt: skip


@pytest.mark.conformance("G33")
def test_keep_leaves_what_is_there(here: Tenant) -> None:
    mina = here.person("mina")
    made, gone = note(here), note(here, "In the archive.")
    before = snapshot(mina)
    edit_memory(mina, made.id, {"content": "The code is 8."}, now=NOW)
    archive_memory(mina, gone.id, now=NOW)
    assert results(put_back(mina, before, "keep")) == ["kept", "kept"]
    assert now_is(mina, made).content == "The code is 8."
    assert now_is(mina, gone).status == "archived"


@pytest.mark.conformance("G33")
@pytest.mark.parametrize(
    ("importance", "result", "content"),
    [(0.4, "replaced", "old"), (0.5, "kept", "new"), (0.6, "kept", "new")],
)
@pytest.mark.parametrize("archived", [False, True])
def test_merge_lets_the_higher_importance_win(
    here: Tenant, importance: float, result: str, content: str, archived: bool
) -> None:
    mina = here.person("mina")
    made = note(here, "old", importance=0.5)
    before = snapshot(mina)
    edit_memory(mina, made.id, {"content": "new", "importance": importance}, now=NOW)
    if archived:
        archive_memory(mina, made.id, now=NOW)
    assert results(put_back(mina, before, "merge")) == [result]
    row = now_is(mina, made)
    assert row.content == content
    assert row.status == ("archived" if archived and result == "kept" else "active")


@pytest.mark.parametrize("mode", ["replace", "keep", "merge"])
def test_what_is_forgotten_stays_forgotten(here: Tenant, mode: str) -> None:
    mina, bob = here.person("mina"), here.person("bob")
    made = here.remember(mina, "We meet at ten.", visibility="group", group="launch")
    line = snapshot(bob)
    line[0]["speaker"] = ""
    forget_memory(mina, made.id, now=NOW)
    line[0]["importance"] = 1.0
    assert results(put_back(mina, line, mode)) == ["forgotten"], "she may bring it back otherwise"
    for id_ in (line[0]["id"], str(uuid4())):
        (found,) = put_back(bob, [line[0] | {"id": id_}], mode)
        assert (found.result, type(found.error).__name__) == (
            LineOutcome.REFUSED,
            "NotFoundError",
        ), id_
    assert made.id not in here.readable(mina) or now_is(mina, made).status == "forgotten"
    assert [row["content"] for row in snapshot(mina)] == []


@pytest.mark.parametrize("mode", ["replace", "keep", "merge"])
def test_what_its_subject_forgot_is_only_not_there_for_others(here: Tenant, mode: str) -> None:
    made = here.remember(
        here.robot("aria"), "Mina likes tea.", visibility="group", group="launch",
        member=str(here.members["mina"].id),
    )  # fmt: skip
    line = snapshot(here.person("bob"))
    forget_memory(here.person("mina"), made.id, now=NOW)
    for who in (here.person("bob"), here.robot("aria")):
        (found,) = put_back(who, line, mode)
        assert (found.result, type(found.error).__name__) == (LineOutcome.REFUSED, "NotFoundError")
    assert snapshot(here.person("bob")) == []
    assert results(put_back(here.person("mina"), line, mode)) == ["forgotten"]


@pytest.mark.parametrize("readable", [True, False])
def test_what_cannot_be_read_is_answered_like_what_never_was(here: Tenant, readable: bool) -> None:
    """Bob gets the same for Mina's own memory and for an id of his invention."""
    mine = note(here, "Hers alone.")
    line = snapshot(here.person("mina"))[0]
    line |= {"content": "What Bob says.", "id": str(mine.id if readable else uuid4())}
    (found,) = put_back(here.person("bob"), [line])
    assert found.result is LineOutcome.WRITTEN
    row = now_is(
        here.person("bob"),
        RememberResult(
            id=found.memory or mine.id, status="", audience_kind="", audience_id=mine.audience_id
        ),
    )
    assert row.id != mine.id
    assert (row.author_id, row.audience.key) == (
        here.members["bob"].id,
        str(here.members["bob"].id),
    )
    assert now_is(here.person("mina"), mine).content == "Hers alone."


def test_nobody_gets_words_put_into_their_mouth(here: Tenant) -> None:
    note(here)
    bob, line = here.person("bob"), snapshot(here.person("mina"))[0] | {"id": str(uuid4())}
    for forged in (
        {"speaker": "Mina"},
        {"speaker": str(here.members["mina"].id)},
        {"author": str(here.members["mina"].id)},
        {"speaker_member": str(here.members["mina"].id)},
        {"member": str(here.members["mina"].id)},
        {"robot": str(here.robots["aria"].id)},
    ):
        assert results(put_back(bob, [line | forged])) == ["refused"], forged
    assert snapshot(bob) == []
    theirs = line | {"audience": "group", "group": "design"}
    for name in ("Mina", str(here.members["mina"].id)):
        (found,) = put_back(here.robot("clio", "read", "write"), [theirs | {"speaker": name}])
        assert (found.result, type(found.error).__name__) == (
            LineOutcome.REFUSED,
            "ImpersonationError",
        ), name


def test_only_what_the_asker_may_change_is_replaced(here: Tenant) -> None:
    with resolve_principal(here.person("mina")).scope():
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
    made = here.remember(here.person("mina"), "Ten.", visibility="group", group="launch")
    lines = snapshot(here.person("bob"))
    edit_memory(here.person("mina"), made.id, {"content": "Eleven."}, now=NOW)
    (found,) = put_back(here.person("bob"), lines)
    assert (found.result, type(found.error).__name__) == (
        LineOutcome.REFUSED,
        "ChangeForbiddenError",
    )
    assert now_is(here.person("mina"), made).content == "Eleven."
    with pytest.raises(PermissionError):
        put_back(here.person("vera"), lines)
    assert results(put_back(here.person("chidi"), lines)) == ["replaced"]


def test_a_red_line_holds(here: Tenant) -> None:
    mina = here.person("mina")
    made = note(here)
    before = snapshot(mina)
    with resolve_principal(mina).scope():
        Memory.objects.filter(id=made.id).update(red_line=True, red_line_reason="Kept.")
    for change in ({"content": "Other."}, {"tier": "fast"}, {"valid_until": NOW.isoformat()}):
        (found,) = put_back(mina, [before[0] | {"tags": ["new"]} | change])
        assert (found.result, type(found.error).__name__) == (
            LineOutcome.REFUSED,
            "RedLineError",
        ), change
        assert now_is(mina, made).tags == [], "nothing half"


def test_use_and_validity_come_back_and_no_time_lies_ahead(here: Tenant) -> None:
    mina = here.person("mina")
    made = note(here)
    line = snapshot(mina)[0]
    line["use"] |= {
        "access_count": 4, "updates": 3, "successes": 2, "failures": 1, "surprise": 0.5,
        "tier_since": "2999-01-01T00:00:00Z", "last_accessed_at": "2026-03-01T00:00:00Z",
    }  # fmt: skip
    line |= {"tier": "medium", "valid_until": "2026-03-01T00:00:00Z"}
    assert results(put_back(mina, [line])) == ["replaced"]
    row = now_is(mina, made)
    assert (row.tier, row.used.tier_since, row.access_count) == ("medium", LATER, 4)
    assert (row.used.updates, row.used.successes, row.used.failures) == (3, 2, 1)
    assert row.valid_until == datetime(2026, 3, 1, tzinfo=UTC)
    assert snapshot(mina)[0]["use"] == line["use"] | {"tier_since": "2026-03-03T12:00:00Z"}
    line |= {"id": str(uuid4()), "content": "Anew."}
    (found,) = put_back(mina, [line])
    again = snapshot(mina)[-1]
    assert (again["id"], again["valid_until"]) == (str(found.memory), line["valid_until"])
    assert (again["tier"], again["use"]["access_count"]) == ("medium", 0)


def test_places_that_a_line_cannot_name_are_refused(here: Tenant) -> None:
    mina, line = here.person("mina"), {
        "id": str(uuid4()), "content": "x", "importance": 0.5, "tier": "slow",
    }  # fmt: skip
    bad: list[dict[str, Any]] = [
        {"audience": "explicit"},
        {"audience": "robot"},
        {"audience": "group"},
        {"audience": "group", "group": "nowhere"},
        {"audience": "group", "group": str(here.groups["design"].id)},
    ]
    for one in bad:
        assert results(put_back(here.person("bob"), [line | one])) == ["refused"], one
    robot = here.robot("bolt")
    assert results(put_back(robot, [line | {"audience": "member"}])) == ["refused"]
    assert results(put_back(mina, [line | {"audience": "organisation"}])) == ["waiting"]


BAD: list[Any] = [
    None, 7, "text", [], {}, {"importance": 7}, {"tier": "warm"}, {"content": "a\x00b"},
    {"content": " "}, {"id": "x"}, {"metadata": {"a": "\x00"}}, {"tags": ["\x00"]},
    {"use": {"surprise": 2}}, {"importance": float("nan")}, {"use": 3}, {"version": 0},
    {"content": "x" * 1_000_001}, {"key": "a" * 301}, {"expires_at": "soon"},
]  # fmt: skip


def test_a_bad_line_takes_no_other_with_it(here: Tenant) -> None:
    mina = here.person("mina")
    made = note(here)
    line = snapshot(mina)[0]
    bad = [line | one if isinstance(one, dict) and one else one for one in BAD]
    good = line | {"content": "Good."}
    assert results(put_back(mina, [*bad, good, good])) == [
        *["refused"] * len(bad), "replaced", "refused",
    ]  # fmt: skip
    assert now_is(mina, made).content == "Good."


def test_words_that_are_there_already_count_once(here: Tenant) -> None:
    mina = here.person("mina")
    made = note(here)
    (found,) = put_back(mina, [snapshot(mina)[0] | {"id": str(uuid4())}])
    assert (found.result, found.memory) == (LineOutcome.REPEATED, made.id)
    assert now_is(mina, made).remember_count == 2
    assert isinstance(made.id, UUID)
