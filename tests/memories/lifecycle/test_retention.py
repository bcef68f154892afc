"""Retention and pruning by policy: what goes, what stays, how often, and back again."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections

from memories.curation.split_memory import split_memory
from memories.indexing.models import Embedding, Pending, Text
from memories.lifecycle import retention
from memories.lifecycle.ageing_policy import InvalidPolicyError, update_policy
from memories.lifecycle.forget import archive_memory, restore_memory
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.retention import RetentionResult, run_retention
from memories.review.models import Proposal, ProposalState
from memories.review.propose import report_memory
from memories.review.protect import protect_memory
from memories.store.dependents import propositions_of
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.lifecycle.test_age import used
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def policy(tenant: Tenant, **changes: Any) -> AgeingPolicy:
    return update_policy(tenant.person("ada"), changes, now=NOW)


def made(tenant: Tenant, content: str, **fields: Any) -> UUID:
    return tenant.remember(tenant.robot("aria"), content, **fields).id


def row(tenant: Tenant, id_: UUID) -> Memory:
    with organisation_scope(tenant.id, using="worker"):
        return Memory.objects.using("worker").get(id=id_)


def columns(tenant: Tenant, id_: UUID, **values: Any) -> None:
    with organisation_scope(tenant.id, using="worker"):
        Memory.objects.using("worker").filter(id=id_).update(**values)


def states(tenant: Tenant, *ids: UUID) -> list[tuple[str, str]]:
    return [(row(tenant, id_).status, row(tenant, id_).archived_for) for id_ in ids]


def entries(tenant: Tenant) -> list[AuditEntry]:
    with organisation_scope(tenant.id, using="worker"):
        found = AuditEntry.objects.using("worker").filter(action="policy.archived")
        return list(found.order_by("id"))


ACTIVE = ("active", "")


@pytest.mark.conformance("H43", "H45")
def test_without_a_policy_nothing_is_ever_archived(here: Tenant) -> None:
    one = made(here, "The zebra is called Zoe.", importance=0.0)
    done = run_retention(here.id, now=NOW + 36_500 * DAY)
    assert (done.archived, states(here, one), entries(here)) == (0, [ACTIVE], [])


@pytest.mark.conformance("H43")
def test_a_type_is_archived_after_its_days_and_no_second_before(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    fact, talk = made(here, "A fact."), made(here, "A talk.", type="conversation")
    note = made(here, "A note of robots.", visibility="internal")
    red = made(here, "A protected fact.")
    protect_memory(here.person("ada"), red, reason="Law", now=NOW)
    other = made(there, "A fact of others.")
    policy(here, max_age_days={"fact": 30})
    assert run_retention(here.id, now=NOW + 30 * DAY).archived == 0
    done = run_retention(here.id, now=NOW + 30 * DAY + SECOND)
    assert done.counts == {("age", "fact"): 2}
    assert set(done.sample) == {fact, note}
    gone = ("archived", "age")
    assert states(here, fact, note, talk, red) == [gone, gone, ACTIVE, ACTIVE]
    assert states(there, other) == [ACTIVE]
    assert row(here, fact).archived_at == NOW + 30 * DAY + SECOND


@pytest.mark.conformance("G18")
@pytest.mark.parametrize(
    ("tier", "hours"), [("fast", 2), ("medium", 48), ("slow", 336), ("glacial", 1440)]
)
def test_what_is_older_than_two_half_lives_of_its_tier(here: Tenant, tier: str, hours: int) -> None:
    """Since it came to its tier; where it never moved, since it was made."""
    moved, slow = made(here, "A thing that moved."), made(here, "A thing that never moved.")
    red = made(here, "A protected thing.")
    protect_memory(here.person("ada"), red, reason="Law", now=NOW)
    columns(here, moved, created_at=NOW - 900 * DAY)
    columns(here, slow, created_at=NOW + hours * HOUR - 336 * HOUR)
    used(here, moved, tier=tier, tier_since=NOW)
    policy(here, past_half_life=True)
    assert run_retention(here.id, now=NOW + hours * HOUR).archived == 0
    done = run_retention(here.id, now=NOW + hours * HOUR + SECOND)
    assert done.counts == {("half_life", "fact"): 2}
    assert states(here, moved, slow, red) == [("archived", "half_life")] * 2 + [ACTIVE]


@pytest.mark.conformance("H45")
@pytest.mark.conformance("G20")
def test_the_least_important_go_first_then_the_oldest_and_the_protected_stay(
    here: Tenant,
) -> None:
    low = made(here, "Of little import.", importance=0.1)
    old, young, high = (
        made(here, f"Thing {n}.", importance=weight) for n, weight in enumerate((0.5, 0.5, 0.9))
    )
    columns(here, old, created_at=NOW - DAY)
    red = made(here, "Protected.", importance=0.0)
    protect_memory(here.person("ada"), red, reason="Law", now=NOW)
    over = made(here, "Over and unimportant.", importance=0.0)
    columns(here, over, expires_at=NOW)
    gone = ("archived", "number")

    def left(most: int) -> list[bool]:
        policy(here, keep_most=most)
        run_retention(here.id, now=NOW + HOUR)
        return [state == gone for state in states(here, low, old, young, high)]

    assert left(5) == [False] * 4
    assert left(4) == [True, False, False, False]
    assert left(3) == [True, True, False, False]
    assert left(1) == [True] * 4
    # The protected one fills the number; what is over anyway is neither counted nor taken.
    assert states(here, red, over) == [ACTIVE, ACTIVE]


def many(tenant: Tenant) -> list[UUID]:
    """Thirty of three types, importances and ages, some of them protected or said by members."""
    kinds, found = ("fact", "conversation", "preference"), []
    for n in range(30):
        weight = (n * 7 % 10) / 10
        id_ = made(tenant, f"Thing number {n}.", type=kinds[n % 3], importance=weight)
        columns(tenant, id_, created_at=NOW - n * DAY)
        found.append(id_)
    own = tenant.remember(tenant.person("mina"), "Mina alone knows.", visibility="private")
    columns(tenant, own.id, created_at=NOW - 90 * DAY)
    protect_memory(tenant.person("ada"), found[27], reason="Law", now=NOW)
    return [*found, own.id]


@pytest.mark.conformance("H43", "H45")
def test_a_dry_run_counts_what_a_run_does_and_changes_nothing(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH_SIZE", 4)
    monkeypatch.setattr(retention, "SELECT_LIMIT", 7)
    ids = many(here)
    policy(here, max_age_days={"fact": 10}, past_half_life=True, keep_most=5)
    before = states(here, *ids)
    dry = run_retention(here.id, now=NOW, dry_run=True)
    assert (states(here, *ids), entries(here)) == (before, [])
    asked: list[tuple[int, int]] = []

    def keep_on(done: int, total: int) -> bool:
        asked.append((done, total))
        return True

    done = run_retention(here.id, now=NOW, keep_on=keep_on)
    assert (done.counts, done.sample) == (dry.counts, dry.sample)
    assert len(done.sample) == 20 < done.archived == 26
    assert {rule for rule, _ in done.counts} == {"age", "half_life", "number"}
    assert asked[:3] == [(4, 26), (7, 26), (11, 26)]
    assert asked[-1] == (26, 26)
    gone = [why for status, why in states(here, *ids) if status == "archived"]
    assert {why: gone.count(why) for why in set(gone)} == done.by_rule
    again = run_retention(here.id, now=NOW)
    assert (again.archived, run_retention(here.id, now=NOW, dry_run=True)) == (0, RetentionResult())
    first, second = entries(here)
    assert first.detail["memories"] == 26
    assert first.detail["rules"] == done.by_rule
    assert sum(first.detail["types"].values()) == 26
    assert (first.member, first.robot, second.detail["memories"]) == (None, None, 0)


@pytest.mark.conformance("H43")
@pytest.mark.parametrize("ends", ["asked", "broken"])
def test_a_run_that_is_stopped_keeps_what_it_did_and_the_next_one_goes_on(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    monkeypatch.setattr(retention, "BATCH_SIZE", 3)
    monkeypatch.setattr(retention, "SELECT_LIMIT", 5)
    ids = many(here)
    policy(here, max_age_days={"fact": 10}, keep_most=5)
    total = run_retention(here.id, now=NOW, dry_run=True).archived

    def stop(done: int, total: int) -> bool:
        if done >= 6 and ends == "broken":
            raise RuntimeError
        return done < 6

    if ends == "asked":
        assert run_retention(here.id, now=NOW, keep_on=stop).finished is False
    else:
        with pytest.raises(RuntimeError):
            run_retention(here.id, now=NOW, keep_on=stop)
    assert sum(status == "archived" for status, _ in states(here, *ids)) == 6
    assert run_retention(here.id, now=NOW).archived == total - 6
    assert [entry.detail["memories"] for entry in entries(here)] == [6, total - 6]


@pytest.mark.conformance("H43")
def test_two_runs_at_once_archive_each_memory_once(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH_SIZE", 3)
    monkeypatch.setattr(retention, "SELECT_LIMIT", 5)
    ids = many(here)
    policy(here, max_age_days={"fact": 10}, past_half_life=True)
    total = run_retention(here.id, now=NOW, dry_run=True).archived

    def run(_: int) -> int:
        try:
            return run_retention(here.id, now=NOW).archived
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(run, range(2))) == total
    assert sum(status == "archived" for status, _ in states(here, *ids)) == total


@pytest.mark.conformance("H45")
def test_what_is_protected_or_forgotten_after_it_was_chosen_stays_so(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (made(here, f"Fact {n}.") for n in range(3))
    policy(here, max_age_days={"fact": 1})
    archive = retention.archive_due

    def late(organisation_id: UUID, due: Any, *, now: datetime) -> Any:
        columns(here, first, red_line=True)
        columns(here, second, status="forgotten")
        return archive(organisation_id, due, now=now)

    monkeypatch.setattr(retention, "archive_due", late)
    done = run_retention(here.id, now=NOW + 2 * DAY)
    assert (done.archived, done.sample) == (1, [third])
    assert states(here, first, second) == [ACTIVE, ("forgotten", "")]


def found_by(tenant: Tenant, name: str, words: str) -> tuple[list[str], list[str], list[str]]:
    """(recalled, searched, listed) over HTTP."""
    api = tenant.api(name)
    recalled = api.post("/api/v1/recall", {"query": words}, format="json").json()["results"]
    searched = api.get("/api/v1/memories", {"q": words}).json()["results"]
    listed = api.get("/api/v1/memories").json()["results"]
    a, b, c = ([one["id"] for one in rows] for rows in (recalled, searched, listed))
    return a, b, c


@pytest.mark.conformance("H44")
def test_archived_is_out_of_recall_and_comes_back_whole(here: Tenant) -> None:
    said = made(here, "The zebra is called Zoe.", type="preference")
    report_memory(here.person("bob"), said, reason="No", now=NOW)
    assert found_by(here, "bolt", "zebra") == ([str(said)],) * 3
    policy(here, max_age_days={"preference": 1})
    later = NOW + 2 * DAY
    assert run_retention(here.id, now=later).archived == 1
    assert found_by(here, "bolt", "zebra") == ([],) * 3
    with organisation_scope(here.id, using="worker"):
        for model in (Text, Embedding, Pending):
            assert not model.objects.using("worker").filter(memory_id=said).exists()
        [item] = Proposal.objects.using("worker").filter(memory_id=said)
    assert (item.state, item.decided_at) == (ProposalState.WITHDRAWN, later)
    listed = here.api("aria").get("/api/v1/memories", {"status": "archived"}).json()["results"]
    assert [one["id"] for one in listed] == [str(said)]
    answer = here.api("aria").post(f"/api/v1/memories/{said}/restore")
    assert answer.status_code == 200, answer.content
    here.read()
    assert found_by(here, "bolt", "zebra") == ([str(said)],) * 3
    assert row(here, said).content == "The zebra is called Zoe."
    assert states(here, said) == [ACTIVE]


@pytest.mark.conformance("H44")
def test_what_was_brought_back_is_new_for_age_and_never_pruned_again(here: Tenant) -> None:
    aria, back = here.robot("aria"), made(here, "The zebra is called Zoe.", importance=0.1)
    policy(here, max_age_days={"fact": 1})
    run_retention(here.id, now=NOW + 2 * DAY)
    restore_memory(aria, back, now=NOW + 2 * DAY)
    assert run_retention(here.id, now=NOW + 3 * DAY).archived == 0
    assert run_retention(here.id, now=NOW + 3 * DAY + SECOND).archived == 1
    restore_memory(aria, back, now=NOW + 4 * DAY)
    other = made(here, "Of more import.", importance=0.9)
    policy(here, max_age_days={}, keep_most=1)
    assert run_retention(here.id, now=NOW + 5 * DAY).counts == {("number", "fact"): 1}
    assert states(here, back, other) == [ACTIVE, ("archived", "number")]
    archive_memory(aria, back, now=NOW + 5 * DAY)
    assert states(here, back) == [("archived", "")]


@pytest.mark.conformance("H44")
def test_remembering_an_archived_text_again_brings_it_back(here: Tenant) -> None:
    one = made(here, "The zebra is called Zoe.")
    policy(here, max_age_days={"fact": 1})
    run_retention(here.id, now=NOW + 2 * DAY)
    assert made(here, "The zebra is called Zoe.") == one
    assert states(here, one) == [ACTIVE]
    assert row(here, one).restored_at == NOW


LONG = "Mira opened the shop in Kiel. Jonas sews the bags from sails. Ada pays the rent in May."


def divided(tenant: Tenant) -> tuple[UUID, list[UUID]]:
    whole = made(tenant, LONG)
    split_memory(tenant.person("ada"), whole, now=NOW)
    with organisation_scope(tenant.id, using="worker"):
        memory = Memory.objects.using("worker").get(id=whole)
    with resolve_principal(tenant.person("ada")).scope():
        return whole, [part.id for part in propositions_of([memory]).order_by("id")]


@pytest.mark.conformance("H45")
def test_propositions_go_and_come_back_with_their_memory(here: Tenant) -> None:
    whole, parts = divided(here)
    assert parts
    policy(here, max_age_days={"fact": 30}, keep_most=1)
    # Together they are one memory.
    assert run_retention(here.id, now=NOW + DAY).archived == 0
    dry = run_retention(here.id, now=NOW + 31 * DAY, dry_run=True)
    done = run_retention(here.id, now=NOW + 31 * DAY)
    assert dry.counts == done.counts == {("age", "fact"): 1}
    assert {row(here, part).status for part in parts} == {"forgotten"}
    restore_memory(here.person("ada"), whole, now=NOW + 32 * DAY)
    assert {row(here, part).status for part in parts} == {"active"}


@pytest.mark.conformance("H45")
def test_a_protected_proposition_holds_its_memory(here: Tenant) -> None:
    whole, parts = divided(here)
    columns(here, parts[0], red_line=True)
    policy(here, max_age_days={"fact": 30}, past_half_life=True)
    assert run_retention(here.id, now=NOW + 900 * DAY).archived == 0
    assert {row(here, id_).status for id_ in (whole, *parts)} == {"active"}


@pytest.mark.conformance("H43")
def test_the_command_says_what_it_did(here: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    one = made(here, "A fact.")
    columns(here, one, created_at=NOW - 900 * DAY)
    policy(here, max_age_days={"fact": 1})
    slug = here.organisation.slug

    def say(*more: str) -> dict[str, Any]:
        call_command("retain", "--organisation", slug, "--json", *more)
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    dry = say("--dry-run")
    assert dry["dry_run"] is True
    assert dry["counts"] == [{"rule": "age", "type": "fact", "memories": 1}]
    assert states(here, one) == [ACTIVE]
    assert say() == dry | {"dry_run": False}
    assert (states(here, one), say()["archived"]) == ([("archived", "age")], 0)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"keep_most": 0}, "keep_most"),
        ({"keep_most": -1}, "keep_most"),
        ({"keep_most": 10**12}, "keep_most"),
        ({"keep_most": True}, "keep_most"),
        ({"keep_most": "7"}, "keep_most"),
        ({"max_age_days": {"fact": 0}}, "days_fact"),
        ({"max_age_days": {"fact": float("nan")}}, "days_fact"),
        ({"max_age_days": {"fact": 36_501}}, "days_fact"),
        ({"max_age_days": {"rumour": 1}}, "max_age_days"),
        ({"max_age_days": [1]}, "max_age_days"),
        ({"capacities": "huge"}, "capacities"),
        ({"evict": "yes"}, "evict"),
        ({"delete": True}, "delete"),
    ],
)
def test_what_is_no_policy_is_refused_and_names_its_field(
    here: Tenant, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidPolicyError) as refused:
        policy(here, **changes)
    assert refused.value.field == field
