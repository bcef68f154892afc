"""Superseding many memories: as many statements as for two, and nobody else waits for it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from memories.curation.edit_memory import edit_memory
from memories.curation.split_memory import SplitResult, split_memory
from memories.ingestion import remember as ingestion
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.message_memories import find_validity_errors
from memories.ingestion.remember import remember, remember_many
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from robots.conversations.message_types import NewMessage
from tests.world import NOW, Tenant, World

LATER = NOW + timedelta(hours=1)


def store(here: Tenant, who: Actor, what: str, count: int, **fields: Any) -> list[UUID]:
    """The ids of `count` memories of a writer; the later ones were said later."""
    given = [
        Draft(content=f"The {what} {number} is green.", visibility="organisation",
              occurred_at=NOW + timedelta(minutes=number), **fields)
        for number in range(count)
    ]  # fmt: skip
    made = remember_many(who, given, now=NOW)
    return [one.id for one in made if isinstance(one, RememberResult)]


def statements(act: Callable[[], object]) -> int:
    connection.queries_log.clear()
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        act()
        transaction.set_rollback(True)
    return len(captured)


@pytest.mark.conformance("T27", "T30")
@pytest.mark.parametrize("whose", ["own", "of_others", "for_other_readers"])
@pytest.mark.parametrize("by", ["remember", "edit"])
def test_fifty_cost_no_more_statements_than_two(world: World, whose: str, by: str) -> None:
    here = world.here
    writer = here.robot("aria")
    older = store(here, writer if whose == "own" else here.robot("clio"), "door", 50)
    readers: dict[str, Any] = (
        {"group": "launch"} if whose == "for_other_readers" else {"visibility": "organisation"}
    )
    newer = here.remember(writer, "Every door is red now.", **readers).id

    def supersede(count: int) -> None:
        if by == "edit":
            edit_memory(writer, newer, {"supersedes": older[:count]}, now=LATER)
            return
        draft = Draft(content=f"All {count} are red.", supersedes=tuple(older[:count]), **readers)
        made = remember(writer, draft, now=LATER)
        assert len(made.superseded if whose == "own" else made.waiting) == count

    supersede(1)  # what is compiled once is compiled
    few, many = (statements(partial(supersede, count)) for count in (2, 50))
    assert many <= few + 3, (few, many)


@pytest.mark.conformance("T27")
def test_each_of_many_has_its_own_end_history_and_trail(world: World) -> None:
    """In one statement, what one alone gets."""
    here, aria = world.here, world.here.robot("aria")
    older = store(here, aria, "door", 3)
    facts = []
    for number, id_ in enumerate(older[1:]):
        given = [f"A door is painted within {number + 3} days."]
        done = split_memory(aria, id_, given=given, now=NOW)
        assert isinstance(done, SplitResult)
        facts += [row.id for row in done.rows]
    at = NOW + timedelta(minutes=1)
    made = remember(
        aria,
        Draft(content="Every door is red now.", visibility="organisation", occurred_at=at,
              supersedes=tuple(older)),
        now=LATER,
    )  # fmt: skip
    assert set(made.superseded) == set(older)
    with resolve_principal(here.person("ada")).scope():
        rows, facts_of = Memory.objects.in_bulk(older), Memory.objects.in_bulk(facts)
        past = Version.objects.filter(memory_id__in=older)
        assert {one.memory_id: one.number for one in past} == dict.fromkeys(older, 1)
        trail = AuditEntry.objects.filter(target__in=older, action="memory.superseded")
        told = {one.target: one.detail for one in trail}
    assert told == {id_: {"by": str(made.id)} for id_ in older}
    ends = [rows[id_].valid_until for id_ in older]
    assert ends == [at, at, NOW + timedelta(minutes=2)], "never before it began"
    assert [facts_of[id_].valid_until for id_ in facts] == ends[1:], "what was made of it as well"
    for row in rows.values():
        assert (row.version, row.superseded_by_id, row.updated_at) == (2, made.id, LATER)
        assert (row.editor_id, row.editor_robot_id) == (None, aria.robot_id)


@pytest.mark.conformance("T27")
def test_a_batch_says_what_each_of_its_items_replaced(world: World) -> None:
    here = world.here
    [own] = store(here, here.robot("aria"), "door", 1)
    [others] = store(here, here.robot("clio"), "window", 1)
    items = [
        {"content": text, "visibility": "organisation", "supersedes": ids}
        for text, ids in (("Red.", [str(own)]), ("Blue.", [str(others)]), ("Grey.", []))
    ]
    answer = here.api("aria").post("/api/v1/memories/batch", {"items": items}, format="json")
    first, second, third = answer.json()["results"]
    with resolve_principal(here.person("ada")).scope():
        [item] = Proposal.objects.filter(other_id=others)
    assert first["superseded"] == [str(own)]
    assert second["proposals"] == [str(item.id)]
    assert not {"superseded", "proposals"} & {*third}
    assert "superseded" not in second


@pytest.mark.conformance("T30")
def test_one_call_supersedes_a_bounded_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "MAX_SUPERSEDED", 3)
    here = world.here
    older = [str(id_) for id_ in store(here, here.robot("aria"), "door", 4)]
    items = [
        {"content": text, "visibility": "organisation", "supersedes": ids}
        for text, ids in (("Red.", older[:2]), ("Blue.", older[2:]), ("Grey.", []))
    ]
    answer = here.api("aria").post("/api/v1/memories/batch", {"items": items}, format="json")
    results = answer.json()["results"]
    assert [one["status"] for one in results] == ["active", "refused", "active"]
    problem = results[1]["problem"]
    assert (problem["status"], problem["errors"][0]["field"]) == (400, "supersedes")


def locked(rows: list[UUID], who: Actor) -> set[UUID]:
    """Which of these another transaction cannot change now."""

    def look() -> set[UUID]:
        found = set()
        try:
            for id_ in rows:
                with resolve_principal(who).scope():
                    mine = Memory.objects.select_for_update(nowait=True, no_key=True)
                    try:
                        mine.get(organisation_id=who.organisation_id, id=id_)
                    except OperationalError:
                        found.add(id_)
                        transaction.set_rollback(True)
        finally:
            connections.close_all()
        return found

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(look).result(timeout=60)


@pytest.mark.conformance("T27", "T30")
@pytest.mark.usefixtures("lasting_world")
@pytest.mark.parametrize("by", ["remember", "edit_own", "edit_theirs", "until", "message"])
def test_a_reader_locks_nobody_else_s_memory(here: Tenant, by: str) -> None:
    """Ada changes hers while a robot that only reads it says what it likes of it."""
    clio, ada = here.robot("clio"), here.person("ada")
    [policy, other] = store(here, ada, f"rule for {by}", 2)
    own = store(here, clio, f"door for {by}", 2)
    principal = resolve_principal(clio)
    wanted = (own[0], policy)
    with transaction.atomic():
        match by:
            case "remember":
                draft = Draft(content=f"It is so by {by}.", visibility="organisation")
                remember(clio, Draft(content=draft.content, visibility="organisation",
                                     supersedes=wanted), now=LATER)  # fmt: skip
            case "edit_own":
                edit_memory(clio, own[1], {"supersedes": list(wanted)}, now=LATER)
            case "edit_theirs":
                edit_memory(clio, other, {"supersedes": list(wanted)}, now=LATER)
            case "until":
                edit_memory(clio, policy, {"valid_until": LATER}, now=LATER)
            case "message":
                with principal.scope():
                    said = NewMessage(content="So.", supersedes=wanted)
                    assert find_validity_errors(principal, {0: said}) == {}
        held = locked([policy, other, own[0]], ada)
    assert not held & {policy, other}
    changes_own = by in ("remember", "edit_own", "edit_theirs")
    assert held == ({own[0]} if changes_own else set()), "what it changes is its own"
