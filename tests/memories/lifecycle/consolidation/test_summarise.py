"""What a summary is made of, who reads it, and when it goes again."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memories.access.permissions import ChangeForbiddenError
from memories.access.visibility import MemoryRequestError
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.embedding.encoder_loading import get_encoder
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.consolidation.capacity_limit import enforce_capacity
from memories.lifecycle.consolidation.summarise import undo_summary
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.lifecycle.retention import run_retention
from memories.privacy.forget_all import forget_all, undo_forget_all
from memories.privacy.opt_out import set_sharing
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.models import ProposalCause
from memories.state.transitions import delete_memories
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Member
from orgs.principals import Actor, resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.memories.lifecycle.consolidation.test_over_capacity import (
    LATER,
    evict,
    filled,
    limit,
    made,
    noted,
    of,
    rows,
    status,
)
from tests.sampling import mark_rest_slow
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

AFTER = LATER + timedelta(hours=1)
RARE = "The zanzibarite lies in the third drawer of the workshop."
PEOPLE = ("ada", "chidi", "mina", "bob", "vera")


def drafted(lot: random.Random, here: Tenant, number: int) -> tuple[str, Draft]:
    """A robot, and something at random that it may remember."""
    where: dict[str, Any] = lot.choice(
        [
            {},
            {"visibility": "internal"},
            {"group": "launch"},
            {"group": "design"},
            {"group": "launch", "member": str(here.members["mina"].id)},
            {"group": "launch", "member": str(here.members["bob"].id)},
        ]
    )
    robot = "aria" if "group" in where else "bolt"
    if "group" in where and lot.random() < 0.4:
        where["speaker"] = lot.choice([str(here.members["mina"].id), "Tom", "Eve"])
    return robot, Draft(
        content=f"Fact {number} of {lot.random()} about the {lot.choice(['boat', 'harbour'])}.",
        importance=lot.choice([0.1, 0.5, 0.5, 0.9]),
        confidence=lot.choice([0.2, 0.7, 1.0]),
        sensitive=lot.random() < 0.3,
        shareable=lot.random() < 0.5,
        tags=tuple(lot.sample(["a", "b", "c"], lot.randrange(3))),
        expires_at=lot.choice([None, None, NOW + timedelta(days=lot.randrange(2, 9))]),
        **where,
    )


@pytest.mark.conformance("T10")
def test_a_summary_has_the_readers_of_each_source_and_the_least_trust(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    evict(here)
    seen: set[str] = set()

    @given(seed=st.integers(0, 10_000), most=st.integers(0, 6))
    @settings(
        max_examples=4, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )  # fmt: skip
    def attempt(seed: int, most: int) -> None:
        lot = random.Random(seed)  # noqa: S311 - a seeded lot
        for number in range(30):
            robot, draft = drafted(lot, here, number)
            remember_many(here.robot(robot), [draft], now=NOW)
        here.read()
        if lot.random() < 0.5:
            here.embed()
        with organisation_scope(here.id, using="worker"):
            chosen = lot.sample(sorted(rows(here)), 3)
            Memory.objects.using("worker").filter(id__in=chosen).update(red_line=True)
        before = rows(here)
        limit(monkeypatch, most)
        enforce_capacity(here.id, now=LATER)
        after = rows(here)
        reading = {name: here.readable(here.person(name)) for name in PEOPLE}
        reading |= {name: here.readable(here.robot(name)) for name in ("aria", "bolt", "clio")}
        cited: set[UUID] = set()
        for summary in made(here):
            sources = of(here, summary)
            cited |= sources
            held = [after[id_] for id_ in sources]
            assert len(held) == summary.source["summary_of"] > 1
            for name in ("audience_id", "kind", "group_id", "member_id", "speaker_member_id"):
                assert {getattr(row, name) for row in held} == {getattr(summary, name)}, name
            assert {row.speaker for row in held} == {summary.speaker}
            for who, ids in reading.items():
                assert {id_ in ids for id_ in sources} == {summary.id in ids}, who
            assert summary.confidence == min(row.confidence for row in held)
            assert summary.importance == max(row.importance for row in held)
            assert not any(row.sensitive for row in held), "of these nothing is made"
            assert summary.shareable == all(row.shareable for row in held)
            ends = [row.expires_at for row in held if row.expires_at]
            assert summary.expires_at == min(ends, default=None)
            assert set(summary.tags) == {tag for row in held for tag in row.tags}
            assert summary.content in {row.content for row in held}
            seen.add(summary.kind)
        for id_, row in before.items():
            assert after[id_].content == row.content, "nothing is lost"
            assert after[id_].status in (Status.ACTIVE, Status.ARCHIVED)
            if row.red_line and row.status == Status.ACTIVE:
                assert after[id_].status == Status.ACTIVE
        counts: dict[tuple[Any, ...], list[bool]] = {}
        for row in after.values():
            if row.status == Status.ACTIVE:
                counts.setdefault((row.audience_id, row.tier), []).append(
                    row.red_line or row.sensitive
                )
        assert all(len(held) <= most or all(held) for held in counts.values())

    attempt()
    assert seen == {"organisation", "internal", "group", "user", "interaction"} & seen
    assert {"organisation", "internal", "group"} <= seen
    assert len(seen) >= 4


def test_the_words_are_those_nearest_the_centre_and_without_vectors_the_newest(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 1)
    texts = ["The boat is red.", "The boat is red and fast.", "The boat is fast.", "Tea at noon."]
    bolt = here.robot("bolt")
    ids = [here.remember(bolt, text, importance=0.2).id for text in texts]
    evict(here)
    middle = get_encoder().encode(texts)
    nearest = max(range(4), key=lambda n: float(middle[n] @ middle.mean(axis=0)))
    assert nearest != 3
    here.embed()
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    assert (summary.content, of(here, summary)) == (texts[nearest], set(ids))
    unread = filled(here, 3, visibility="internal", importance=0.2)
    enforce_capacity(here.id, now=LATER)
    newest = next(row for row in made(here) if row.kind == "internal")
    assert newest.content == rows(here)[max(unread)].content


def test_words_that_another_gave_are_not_the_speakers(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 1)
    mina = str(here.members["mina"].id)
    fields = {"group": "launch", "member": mina, "speaker": mina, "importance": 0.3}
    aria = here.robot("aria")
    ids = [here.remember(aria, f"Shelf {n} is blue.", **fields).id for n in range(3)]
    edit_memory(aria, ids[2], {"content": "Shelf 2 is green."}, now=NOW)
    evict(here)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    assert summary.content == "Shelf 2 is green."
    assert str(summary.speaker_member_id) == mina
    assert (summary.reworded_by_id, summary.reworded_by_robot_id) == (None, aria.robot_id)


def test_who_brought_the_sources_brought_the_summary(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 1)
    filled(here, 3)
    evict(here)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    with organisation_scope(here.id, using="worker"):
        brought = Contribution.objects.using("worker").filter(memory_id=summary.id)
        assert set(brought.values_list("robot_id", flat=True)) == {here.robots["bolt"].id}


def test_of_whom_nothing_is_learned_nothing_new_is_made(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 1)
    about = {"group": "launch", "member": str(here.members["mina"].id)}
    ids = filled(here, 4, robot="aria", **about)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(learning_paused_at=NOW)
    evict(here)
    enforce_capacity(here.id, now=LATER)
    assert made(here) == []
    assert [status(here)[id_] for id_ in ids].count(Status.ACTIVE) == 1


# -- When it goes -------------------------------------------------------------------------------


@pytest.fixture
def summarised(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> tuple[UUID, list[UUID]]:
    """A summary with the rare word, and the three that it is made of; said by Mina in launch."""
    limit(monkeypatch, 1)
    mina = here.members["mina"]
    fields = {"group": "launch", "member": str(mina.id), "speaker": str(mina.id)}
    ids = [
        here.remember(here.robot("aria"), text, importance=0.3, **fields).id
        for text in ("Drawers are in the workshop.", "The workshop has a lock.", RARE)
    ]
    evict(here)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    assert summary.content == RARE
    assert found(here) == {summary.id}
    return summary.id, ids


def found(here: Tenant) -> set[UUID]:
    """What anybody finds by the rare word."""
    hits: set[UUID] = set()
    askers: list[Actor] = [here.person(name) for name in PEOPLE]
    askers += [here.robot("aria"), here.robot("clio")]
    for who in askers:
        answer = recall(who, Query(text="zanzibarite", strategy="keyword"), now=AFTER)
        hits |= {row.id for _, row in answer.hits if "zanzibarite" in row.content}
    return hits


def forgets(here: Tenant, id_: UUID) -> None:
    forget_memory(here.robot("aria"), id_, now=AFTER)


def subject_forgets(here: Tenant, id_: UUID) -> None:
    forget_memory(here.person("mina"), id_, now=AFTER)


def edits(here: Tenant, id_: UUID) -> None:
    edit_memory(here.person("mina"), id_, {"content": "Nothing is there."}, now=AFTER)


def shares(here: Tenant, id_: UUID) -> None:
    restore_memory(here.person("mina"), id_, now=AFTER)
    share_memory(here.person("mina"), id_, visibility="private", readers={}, group=None, now=AFTER)


def discards(here: Tenant, id_: UUID) -> None:
    principal = resolve_principal(here.person("mina"))
    with principal.scope():
        delete_memories([Memory.objects.get(id=id_)], AFTER)


def opts_out(here: Tenant, id_: UUID) -> None:
    set_sharing(here.person("mina"), out=True, now=AFTER)


def takes_back(here: Tenant, id_: UUID) -> None:
    set_sharing(here.person("mina"), out=True, withdraw=True, now=AFTER)


def forgets_everything(here: Tenant, id_: UUID) -> None:
    forget_all(here.person("mina"), now=AFTER)


WAYS = [forgets, edits, shares, opts_out, takes_back, subject_forgets, discards, forgets_everything]


@pytest.mark.conformance("T10")
@pytest.mark.parametrize("way", mark_rest_slow(WAYS, 4), ids=lambda way: way.__name__)
def test_a_summary_goes_with_what_it_says(
    here: Tenant, summarised: tuple[UUID, list[UUID]], way: Callable[[Tenant, UUID], None]
) -> None:
    summary, (*_, rare) = summarised
    way(here, rare)
    assert status(here)[summary] == Status.FORGOTTEN
    hits = found(here)
    assert summary not in hits
    # Private or brought back, the original is found by whom it concerns alone.
    assert hits <= {rare}
    if way not in (shares, takes_back):
        assert hits == set()
    # Who opted out may take that back for one of their own; nothing else was changed.
    others = [here.person("ada"), here.person("bob"), here.robot("aria")]
    for who in others if way is opts_out else [*others, here.person("mina")]:
        with pytest.raises((AlreadyExistsError, NotFoundError, ChangeForbiddenError)):
            restore_memory(who, summary, now=AFTER)
    assert status(here)[summary] == Status.FORGOTTEN


def test_restoring_a_source_leaves_its_summary_where_it_is(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, (*_, rare) = summarised
    forgets(here, rare)
    restore_memory(here.person("mina"), rare, now=AFTER)
    assert (status(here)[rare], status(here)[summary]) == (Status.ACTIVE, Status.FORGOTTEN)
    forgets_everything(here, rare)
    undo_forget_all(here.person("mina"), forgotten_at=AFTER, now=AFTER)
    assert (status(here)[rare], status(here)[summary]) == (Status.ACTIVE, Status.FORGOTTEN)


def test_archiving_a_source_again_takes_nothing_away(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, (*_, rare) = summarised
    restore_memory(here.person("mina"), rare, now=AFTER)
    archive_memory(here.person("mina"), rare, now=AFTER)
    assert found(here) == {summary}
    forget_memory(here.robot("aria"), summary, now=AFTER)
    restore_memory(here.robot("aria"), summary, now=AFTER)
    assert found(here) == {summary}, "what may be said comes back"


def test_a_summary_of_summaries_goes_as_well(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, (*_, rare) = summarised
    mina = here.members["mina"]
    fields = {"group": "launch", "member": str(mina.id), "speaker": str(mina.id)}
    with organisation_scope(here.id, using="worker"):
        # So that the words of the first are the ones that stay.
        Memory.objects.using("worker").filter(id=summary).update(created_at=AFTER)
    for text in ("The workshop is in the yard.", "The yard has a gate."):
        here.remember(here.robot("aria"), text, importance=0.9, **fields)
    enforce_capacity(here.id, now=AFTER)
    [second] = [row.id for row in made(here) if row.id != summary]
    assert (status(here)[summary], found(here)) == (Status.ARCHIVED, {second})
    subject_forgets(here, rare)
    assert found(here) == set()
    assert {status(here)[id_] for id_ in (summary, second)} == {Status.FORGOTTEN}


def test_a_summary_goes_no_further_and_lasts_no_longer(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, (*_, rare) = summarised
    with pytest.raises(MemoryRequestError):
        share_memory(
            here.person("mina"), summary, visibility="private", readers={}, group=None, now=AFTER
        )
    with organisation_scope(here.id, using="worker"):
        Memory.objects.using("worker").filter(id=summary).update(shareable=True)
        Memory.objects.using("worker").filter(id=rare).update(shareable=True)
    end = AFTER + timedelta(days=1)
    edit_memory(here.person("mina"), rare, {"shareable": False, "expires_at": end}, now=AFTER)
    row = rows(here)[summary]
    assert (row.shareable, row.expires_at, row.status) == (False, end, Status.ACTIVE)


# -- Undoing ------------------------------------------------------------------------------------


def test_the_originals_come_back_and_stay(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, ids = summarised
    mina = here.person("mina")
    assert undo_summary(mina, summary, now=AFTER) == 3
    assert {status(here)[id_] for id_ in ids} == {Status.ACTIVE}
    assert status(here)[summary] == Status.ARCHIVED
    assert found(here) == {ids[2]}
    [entry] = noted(here, "memory.summary_undone")
    assert (entry.member, entry.target, entry.detail["restored"]) == (mina.member_id, summary, 3)
    with pytest.raises(AlreadyExistsError):
        undo_summary(mina, summary, now=AFTER)
    assert enforce_capacity(here.id, now=AFTER).archived == 0, "what somebody brought back stays"
    assert {status(here)[id_] for id_ in ids} == {Status.ACTIVE}


def test_only_what_is_archived_since_then_comes_back(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    summary, (other, _, rare) = summarised
    restore_memory(here.person("mina"), rare, now=AFTER)
    archive_memory(here.person("mina"), rare, now=AFTER)
    assert undo_summary(here.person("mina"), summary, now=AFTER) == 2
    assert (status(here)[other], status(here)[rare]) == (Status.ACTIVE, Status.ARCHIVED)


def test_who_may_undo(here: Tenant, summarised: tuple[UUID, list[UUID]]) -> None:
    summary, ids = summarised
    for who in (here.person("vera"), here.robot("clio")):
        with pytest.raises(NotFoundError):
            undo_summary(who, summary, now=AFTER)
    with pytest.raises(ChangeForbiddenError):
        undo_summary(here.person("bob"), summary, now=AFTER)
    with pytest.raises(AlreadyExistsError):
        undo_summary(here.person("mina"), ids[0], now=AFTER)
    assert status(here)[summary] == Status.ACTIVE


def test_a_policy_that_archives_one_original_again_takes_no_summary_along(
    here: Tenant, summarised: tuple[UUID, list[UUID]]
) -> None:
    id_, ids = summarised
    with organisation_scope(here.id, using="worker"):
        Memory.objects.using("worker").filter(id=id_).update(red_line=True)
    restore_memory(here.person("mina"), ids[0], now=AFTER)
    update_policy(here.person("ada"), {"max_age_days": {"fact": 1}}, now=AFTER)
    run_retention(here.id, now=AFTER + timedelta(days=2))
    assert status(here)[ids[0]] == Status.ARCHIVED
    # It stands for the others still.
    assert status(here)[id_] == Status.ACTIVE
    assert found(here) == {id_}


def test_what_somebody_wants_protected_waits_for_that_decision(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 1)
    [wanted] = filled(here, 1, red_line=True)
    others = [here.remember(here.robot("bolt"), f"Can {n} is full.").id for n in range(3)]
    evict(here)
    update_policy(here.person("ada"), {"keep_most": 1, "max_age_days": {"fact": 1}}, now=NOW)
    enforce_capacity(here.id, now=LATER)
    run_retention(here.id, now=LATER + timedelta(days=9))
    now = status(here)
    assert now[wanted] == Status.ACTIVE
    assert {now[id_] for id_ in others} == {Status.ARCHIVED}
    [item] = waiting(here.person("chidi"), cause=ProposalCause.RED_LINE)
    assert item.memory_id == wanted
