"""Moves between tiers in the database: the same as the rule, one step, once, and logged."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle import tier_moves as ageing
from memories.lifecycle.forget import forget_memory
from memories.lifecycle.models import AgeingRun
from memories.lifecycle.tier_moves import TierMoveResult, move_tiers
from memories.lifecycle.tier_schedule import RETRY_AFTER, is_due, move_due_tiers
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from memories.store.models.use import Transition, Use
from orgs.database.rls import organisation_scope
from orgs.principals import Actor, resolve_principal
from tests.memories.lifecycle.oracles import TierFacts, find_due_move
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def made(here: Tenant, **fields: Any) -> UUID:
    return here.remember(here.robot("aria"), f"A thing of {sorted(fields.items())}.", **fields).id


def used(here: Tenant, id_: UUID, **columns: Any) -> None:
    """Give a memory a past."""
    with organisation_scope(here.id, using="worker"):
        memory = Memory.objects.using("worker").select_related("known_use").get(id=id_)
        Use.objects.using("worker").update_or_create(
            memory=memory,
            defaults={
                "organisation_id": here.id,
                "audience_id": memory.audience_id,
                "kind": memory.kind,
                "tier": memory.tier,
                **columns,
            },
        )


def tier(here: Tenant, id_: UUID) -> str:
    with organisation_scope(here.id, using="worker"):
        return Memory.objects.using("worker").select_related("known_use").get(id=id_).tier


def log(here: Tenant) -> list[tuple[Any, ...]]:
    with organisation_scope(here.id, using="worker"):
        rows = Transition.objects.using("worker").order_by("from_tier", "id")
        return list(rows.values_list("memory_id", "from_tier", "to_tier", "reason", "moved_at"))


def logged_surprises(here: Tenant) -> dict[UUID, float]:
    with organisation_scope(here.id, using="worker"):
        rows = Transition.objects.using("worker").values_list("memory_id", "surprise")
        return dict(rows)


def random_past(lot: random.Random, now: datetime) -> dict[str, Any]:
    """A past around the limits of the rule."""
    seconds = lot.choice([30, 60, 61, 3_600, 3_601, 86_400, 86_401, 604_801])
    return {
        "tier": lot.choice(["fast", "medium", "slow", "glacial"]),
        "tier_since": lot.choice([None, *(now - hours * HOUR for hours in (1, 23, 24, 48, 400))]),
        # The day of the last use counts to its end.
        "last_accessed_at": now - timedelta(seconds=seconds) - DAY,
        "since_accesses": lot.choice([0, 0, 0, 4, 5]),
        "access_count": lot.choice([0, 0, 4, 5, 1_464]),
        "since_successes": lot.choice([0, 0, 0, 2, 3]),
        "since_feedback": lot.choice([0, 1]),
        "updates": lot.choice([0, 9, 10, 11]),
        "surprise": lot.choice([0.0, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9]),
    }


@pytest.mark.conformance("G08", "G09", "G14")
def test_the_statement_moves_what_the_rule_moves(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hundred pasts: each moves as `judge` says, and no further."""
    monkeypatch.setattr(ageing, "BATCH_SIZE", 70)
    lot, now = random.Random(14), NOW + 20 * DAY  # noqa: S311 - a repeatable lot
    drafts = [
        Draft(content=f"Thing number {n}.", importance=lot.choice([0.1, 0.3, 0.5, 0.8, 1.0]))
        for n in range(300)
    ]
    ids = [one.id for one in remember_many(here.robot("aria"), drafts, now=NOW)]
    for id_ in ids:
        used(here, id_, **random_past(lot, now))
    with organisation_scope(here.id, using="worker"):
        rows = {
            row.id: row for row in Memory.objects.using("worker").select_related("use", "known_use")
        }
    expected = {
        id_: find_due_move(
            TierFacts(
                tier=row.tier,
                importance=row.importance,
                tier_since=row.use.tier_since or row.created_at,
                moved_at=row.use.tier_since,
                last_used_at=row.use.last_accessed_at + DAY,
                since_accesses=row.use.since_accesses,
                since_successes=row.use.since_successes,
                since_feedback=row.use.since_feedback,
                updates=row.use.updates,
                surprise=row.use.surprise,
                red_line=False,
                accesses=row.use.access_count,
            ),
            now,
        )
        for id_, row in rows.items()
    }
    assert len({move.reason for move in expected.values() if move}) == 6, "every reason is met"

    done = move_tiers(here.id, now=now)

    moved = {
        id_: (move.from_tier, move.to_tier, move.reason) for id_, move in expected.items() if move
    }
    assert {id_: tuple(rest) for id_, *rest, _ in log(here)} == moved
    surprises = {id_: rows[id_].use.surprise for id_ in moved}
    assert len(set(surprises.values())) > 5
    assert logged_surprises(here) == surprises, "what it was when it moved"
    assert {id_: tier(here, id_) for id_ in ids} == {
        id_: moved[id_][1] if id_ in moved else rows[id_].tier for id_ in ids
    }
    assert (done.looked, done.promoted + done.demoted) == (300, len(moved))
    assert sum(done.moves.values()) == len(moved)


@pytest.mark.conformance("G10", "G16")
def test_a_second_run_moves_nothing_until_a_day_has_passed(here: Tenant) -> None:
    ids = {made(here, tier="fast", importance=0.9), made(here, importance=0.9)}
    now = NOW + 2 * DAY
    first = move_tiers(here.id, now=now)
    assert first.moves == {("fast", "medium", "idle"): 1, ("slow", "glacial", "idle"): 1}
    assert move_tiers(here.id, now=now).moves == {}
    assert move_tiers(here.id, now=now + DAY - timedelta(seconds=1)).moves == {}
    assert {one[0] for one in log(here)} == ids
    assert {one[4] for one in log(here)} == {now}
    assert move_tiers(here.id, now=now + DAY).moves == {("medium", "slow", "idle"): 1}
    assert len(log(here)) == 3


@pytest.mark.conformance("G10")
def test_what_rises_begins_to_count_anew(here: Tenant) -> None:
    id_ = made(here)
    now = NOW + HOUR
    used(here, id_, since_accesses=5, since_successes=2, since_feedback=1, last_accessed_at=now)
    assert move_tiers(here.id, now=now).moves == {("slow", "medium", "accesses"): 1}
    with organisation_scope(here.id, using="worker"):
        use = Use.objects.using("worker").get(memory_id=id_)
    assert (use.since_accesses, use.since_successes, use.since_feedback) == (0, 0, 0)
    assert use.tier_since == now


def test_only_what_is_active_and_without_a_red_line_moves(here: Tenant) -> None:
    gone, kept = made(here, importance=0.2), made(here, importance=0.1)
    forget_memory(here.person("ada"), gone, now=NOW)
    protect_memory(here.person("ada"), kept, reason="the contract", now=NOW)
    used(here, kept, since_accesses=9)
    assert move_tiers(here.id, now=NOW + 9 * DAY).moves == {}
    assert tier(here, kept) == "glacial"


@pytest.mark.conformance("G20")
def test_what_is_protected_keeps_its_importance(here: Tenant) -> None:
    id_ = made(here, importance=0.2)
    protect_memory(here.person("ada"), id_, reason="the contract", now=NOW)
    answer = here.browser("chidi").patch(
        f"/api/v1/memories/{id_}", {"importance": 0.1}, format="json"
    )
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "red-line")
    shown = here.browser("ada").get(f"/api/v1/memories/{id_}").json()
    assert (shown["importance"], shown["tier"]) == (1.0, "glacial")
    [(_, before, after, reason, _)] = log(here)
    assert (before, after, reason) == ("slow", "glacial", "red_line")


def test_a_deposit_may_begin_in_any_tier(here: Tenant) -> None:
    """Its writer reads neither the memory nor how it is used."""
    aria = here.robot("aria")
    id_ = here.remember(aria, "For Bob.", member=str(here.members["bob"].id), tier="fast").id
    assert tier(here, id_) == "fast"
    with resolve_principal(aria).scope():
        assert not Use.objects.exists()
    assert move_tiers(here.id, now=NOW + HOUR, tiers=["fast"]).moves == {
        ("fast", "medium", "idle"): 1
    }


def test_another_organisation_keeps_still(lasting_world: World) -> None:
    theirs = lasting_world.there
    id_ = theirs.remember(theirs.robot("bolt"), "Another house.").id
    assert move_tiers(lasting_world.here.id, now=NOW + 9 * DAY).looked == 0
    assert tier(theirs, id_) == "slow"


@pytest.mark.conformance("G34")
def test_eight_that_promote_one_memory_move_it_once(here: Tenant) -> None:
    """With a row of use and without one."""
    risen, sunken = made(here, importance=0.9), made(here, importance=0.2)
    now = NOW + 2 * DAY
    used(here, risen, since_accesses=5, last_accessed_at=now)

    def run(_: int) -> TierMoveResult:
        try:
            return move_tiers(here.id, now=now)
        finally:
            connections["worker"].close()

    with ThreadPoolExecutor(8) as threads:
        moves = sum((done.moves for done in threads.map(run, range(8))), TierMoveResult().moves)
    assert moves == {("slow", "medium", "accesses"): 1, ("slow", "glacial", "idle"): 1}
    assert sorted(one[1:4] for one in log(here)) == [
        ("slow", "glacial", "idle"),
        ("slow", "medium", "accesses"),
    ]
    assert (tier(here, risen), tier(here, sunken)) == ("medium", "glacial")


@pytest.mark.conformance("O07")
def test_two_beats_make_one_run(here: Tenant) -> None:
    made(here, tier="fast")
    now = NOW + 2 * DAY
    assert is_due(here.id, now=now)

    def beat(_: int) -> int:
        try:
            return move_due_tiers(here.id, now=now).demoted
        finally:
            connections["worker"].close()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(beat, range(2))) == [0, 1]
    assert not is_due(here.id, now=now)
    assert not is_due(here.id, now=now - DAY), "a clock that goes back makes no run twice"
    with organisation_scope(here.id, using="worker"):
        runs = dict(AgeingRun.objects.using("worker").values_list("tier", "period"))
    assert runs == {
        "fast": "2026-03-04T12:00",
        "medium": "2026-03-04T12",
        "slow": "2026-03-04",
        "glacial": "2026-03",
    }


@pytest.mark.parametrize(
    ("later", "tiers"),
    [
        (timedelta(seconds=59), []),
        (MINUTE, ["fast"]),
        (HOUR, ["fast", "medium"]),
        (12 * HOUR, ["fast", "medium", "slow"]),
        (30 * DAY, ["fast", "glacial", "medium", "slow"]),
    ],
)
def test_each_tier_has_its_period(here: Tenant, later: timedelta, tiers: list[str]) -> None:
    now = NOW
    move_due_tiers(here.id, now=now)
    move_due_tiers(here.id, now=now + later)
    with organisation_scope(here.id, using="worker"):
        runs = AgeingRun.objects.using("worker").filter(started_at=now + later)
        assert sorted(runs.values_list("tier", flat=True)) == tiers


def test_a_run_that_broke_off_is_made_again(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    made(here)
    now = NOW + 2 * DAY

    def broken(*_: Any, **__: Any) -> TierMoveResult:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr("memories.lifecycle.tier_schedule.move_tiers", broken)
        with pytest.raises(RuntimeError):
            move_due_tiers(here.id, now=now)
    assert move_due_tiers(here.id, now=now + RETRY_AFTER - MINUTE).demoted == 1, (
        "the other tiers go on"
    )
    with organisation_scope(here.id, using="worker"):
        fast = AgeingRun.objects.using("worker").get(tier="fast")
    assert fast.finished_at is not None


@pytest.mark.conformance("G21")
def test_a_memory_is_archived_in_the_slowest_tier_on_request(here: Tenant) -> None:
    id_ = made(here, tier="medium")
    api = here.browser("ada")
    answer = api.patch(f"/api/v1/memories/{id_}", {"tier": "glacial"}, format="json")
    assert (answer.status_code, answer.json()["tier"]) == (200, "glacial")
    [(moved, before, after, reason, _)] = log(here)
    assert (moved, before, after, reason) == (id_, "medium", "glacial", "asked")
    assert api.patch(f"/api/v1/memories/{id_}", {"tier": "glacial"}, format="json").json()
    assert len(log(here)) == 1, "it is there already"
    assert api.patch(f"/api/v1/memories/{id_}", {"tier": "fast"}, format="json").status_code == 400
    assert found(here.robot("aria"), id_), "it is still found"


@pytest.mark.conformance("G10", "G14")
def test_the_command_tells_what_it_moved(here: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    """Both are of March 2026, so they are idle by now."""
    made(here, tier="fast")
    made(here)
    told = []
    for _ in range(2):
        call_command("consolidate", organisation=here.organisation.slug, json=True)
        told.append(json.loads(capsys.readouterr().out))
    assert told == [
        {
            "looked": 2,
            "promoted": 0,
            "demoted": 2,
            "duplicates": 0,
            "contradictions": 0,
            "moves": [
                {"from": "fast", "to": "medium", "reason": "idle", "memories": 1},
                {"from": "slow", "to": "glacial", "reason": "idle", "memories": 1},
            ],
        },
        {
            "looked": 2,
            "promoted": 0,
            "demoted": 0,
            "duplicates": 0,
            "contradictions": 0,
            "moves": [],
        },
    ]


def found(actor: Actor, id_: UUID) -> bool:
    with resolve_principal(actor).scope():
        return Memory.objects.filter(id=id_, status="active").exists()
