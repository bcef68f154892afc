"""Whoever archives, forgets or restores a memory, and by whatever act: the same follows."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.curation import review_decisions
from memories.curation.edit_memory import edit_memory
from memories.curation.review_decisions import ReviewDecision
from memories.curation.split_memory import split_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.consolidation.capacity_limit import enforce_capacity
from memories.lifecycle.consolidation.promote_patterns import promote_patterns
from memories.lifecycle.consolidation.summarise import undo_summary
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.forget_all import forget_all, undo_forget_all
from memories.privacy.opt_out import make_shared_private, set_sharing
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.propose import create_proposal, report_memory
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve_principal
from personas.block_writes.block_updates import WriteOptions, update_block_text
from tests.memories.curation.test_decide import propose, waiting
from tests.memories.lifecycle.consolidation.test_over_capacity import evict, limit, made
from tests.memories.lifecycle.consolidation.test_promote_patterns import (
    DESIGN,
    EXPERT,
    LAUNCH,
    cross_group,
    seen,
)
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

LATER, AFTER = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
TEXT = "The launch of Spinnaker moves to June. Mina Ortega told the press of the new date."
SAME = "The launch of Spinnaker moves to June! Mina Ortega told the press of the new date."
READ = ReviewDecision(version=1, into_version=1)


def divided(here: Tenant, text: str = TEXT) -> tuple[UUID, list[UUID]]:
    """A memory that everybody reads, and its two propositions."""
    id_ = here.remember(here.robot("aria"), text).id
    rows = split_memory(here.robot("aria"), id_, now=NOW).rows
    assert len(rows) == 2
    return id_, [row.id for row in rows]


def states(who: Actor, *ids: UUID) -> list[str]:
    with resolve_principal(who).scope():
        found = dict(Memory.objects.filter(id__in=ids).values_list("id", "status"))
    return [found[id_] for id_ in ids]


def items(who: Actor, *ids: UUID) -> list[str]:
    """The states of the items about these memories, the oldest first."""
    with resolve_principal(who).scope():
        rows = Proposal.objects.filter(memory_id__in=ids).order_by("id")
        return list(rows.values_list("state", flat=True))


def pair(who: Actor, newer: UUID, older: UUID) -> Proposal:
    principal = resolve_principal(who)
    with principal.scope():
        row = Memory.objects.get(id=newer)
        return create_proposal(principal, row, ProposalCause.DUPLICATE, "", NOW, other_id=older)


# --- propositions come back with their memory, whatever brings it back ---


def test_with_a_merge_that_is_undone(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    older = here.remember(here.robot("aria"), SAME).id
    newer, facts = divided(here)
    item = pair(here.robot("aria"), newer, older)
    review_decisions.merge_item(chidi, item.id, READ, now=LATER)
    assert states(chidi, newer, *facts) == ["archived", "forgotten", "forgotten"]
    undo_review_decision(chidi, item.id, now=AFTER)
    assert states(chidi, newer, *facts) == ["active"] * 3
    hits = here.api("aria").post("/api/v1/recall", {"query": "press"}, format="json").json()
    assert str(facts[1]) in {hit["id"] for hit in hits["results"]}


def test_with_a_report_that_is_undone(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_, facts = divided(here)
    item = report_memory(here.person("bob"), id_, reason="It is wrong.", now=NOW)
    review_decisions.approve_item(chidi, item.id, READ, now=LATER)
    assert states(chidi, id_, *facts) == ["forgotten"] * 3
    undo_review_decision(chidi, item.id, now=AFTER)
    assert states(chidi, id_, *facts) == ["active"] * 3


@pytest.mark.parametrize("leave", [forget_memory, archive_memory])
def test_with_a_memory_that_is_said_again(world: World, leave: Callable[..., object]) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_, facts = divided(here)
    leave(aria, id_, now=LATER)
    assert here.remember(aria, TEXT).id == id_
    assert states(aria, id_, *facts) == ["active"] * 3


def test_with_one_that_was_archived_and_then_forgotten(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_, facts = divided(here)
    archive_memory(aria, id_, now=NOW)
    forget_memory(aria, id_, now=LATER)
    restore_memory(aria, id_, now=AFTER)
    assert states(aria, id_, *facts) == ["active"] * 3


def test_but_not_with_other_words(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_, facts = divided(here)
    archive_memory(aria, id_, now=NOW)
    edit_memory(aria, id_, {"content": "Nothing is decided."}, now=LATER)
    restore_memory(aria, id_, now=AFTER)
    assert states(aria, id_, *facts) == ["active", "forgotten", "forgotten"]
    edit_memory(aria, id_, {"importance": 0.9}, now=AFTER)


def test_a_change_of_other_fields_keeps_no_proposition_away(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_, facts = divided(here)
    archive_memory(aria, id_, now=NOW)
    edit_memory(aria, id_, {"importance": 0.9}, now=LATER)
    restore_memory(aria, id_, now=AFTER)
    assert states(aria, id_, *facts) == ["active"] * 3


def test_a_proposition_that_somebody_forgot_before_stays_forgotten(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_, facts = divided(here)
    forget_memory(aria, facts[0], now=NOW)
    archive_memory(aria, id_, now=LATER)
    restore_memory(aria, id_, now=AFTER)
    assert states(aria, id_, *facts) == ["active", "forgotten", "active"]


# --- open items about what is gone are withdrawn ---


def test_of_a_line_that_leaves_a_block(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    who, label = make_owner_actor(here, "mina"), f"{QSR}_service_experience"
    shown = get_block_by_label(who, label)
    options = WriteOptions()
    update_block_text(who, shown.block.id, "Check the oil twice.", version=shown.version,
                      wanted=options, now=NOW)  # fmt: skip
    shown = get_block_by_label(who, label)
    [line] = shown.entries
    report_memory(here.person("chidi"), line.id, reason="It is wrong.", now=NOW)
    update_block_text(who, shown.block.id, "", version=shown.version, wanted=options, now=LATER)
    assert states(here.person("chidi"), line.id) == ["archived"]
    assert items(here.person("chidi"), line.id) == ["withdrawn"]


def test_of_a_summary_that_is_undone(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = lasting_world.here
    mina = here.members["mina"].id
    about = {"group": "launch", "member": str(mina), "speaker": str(mina)}
    for number in range(4):
        here.remember(here.robot("aria"), f"Shelf {number} holds paint.", **about)
    evict(here)
    limit(monkeypatch, 2)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    report_memory(here.person("bob"), summary.id, reason="It is wrong.", now=LATER)
    undo_summary(here.person("mina"), summary.id, now=AFTER)
    assert items(here.person("mina"), summary.id) == ["withdrawn"]


def test_of_a_second_report(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(here.robot("aria"), TEXT).id
    first = report_memory(here.person("bob"), id_, reason="It is wrong.", now=NOW)
    report_memory(here.person("mina"), id_, reason="It is old.", now=NOW)
    review_decisions.approve_item(chidi, first.id, READ, now=LATER)
    assert items(chidi, id_) == [ProposalState.APPROVED, ProposalState.WITHDRAWN]


def test_of_another_pair_with_what_was_merged_away(world: World) -> None:
    here, chidi, aria = world.here, world.here.person("chidi"), world.here.robot("aria")
    first, second, third = (
        here.remember(aria, f"Bags go to hall {number}.").id for number in range(3)
    )
    item = pair(aria, second, first)
    other = pair(aria, third, second)
    review_decisions.merge_item(chidi, item.id, READ, now=LATER)
    assert states(chidi, second) == ["archived"]
    assert items(chidi, second) == [ProposalState.MERGED]
    assert items(chidi, third) == [ProposalState.WITHDRAWN]
    assert other.id not in {one.id for one in waiting(chidi)}


def test_of_a_proposition_that_goes_with_its_memory(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    for leave, month in ((archive_memory, "May"), (forget_memory, "July")):
        id_, facts = divided(
            here, TEXT.replace("June", month).replace("the press", f"the press of {month}")
        )
        report_memory(here.person("bob"), facts[0], reason="It is wrong.", now=NOW)
        leave(here.robot("aria"), id_, now=LATER)
        assert items(chidi, *facts) == ["withdrawn"]


def test_of_a_summary_that_goes_when_its_subject_takes_back_what_is_shared(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, mina = lasting_world.here, lasting_world.here.person("mina")
    for number in range(4):
        here.remember(
            here.robot("aria"), f"Mina has key {number}.", group="launch",
            member=str(mina.member_id), visibility="group",
        )  # fmt: skip
    evict(here)
    limit(monkeypatch, 2)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    report_memory(here.person("bob"), summary.id, reason="It is wrong.", now=LATER)
    make_shared_private(mina, now=AFTER)
    [row] = made(here)
    assert row.status == "forgotten"
    assert items(mina, summary.id) == ["withdrawn"]


# --- what waited waits again ---


def test_forgetting_everything_undone_brings_the_proposal_back(world: World) -> None:
    here, bob, chidi = world.here, world.here.person("bob"), world.here.person("chidi")
    said = here.remember(bob, TEXT, visibility="organisation", speaker=str(bob.member_id)).id
    [item] = waiting(chidi)
    assert item.memory_id == said
    forget_all(bob, now=LATER)
    assert waiting(chidi) == []
    undo_forget_all(bob, forgotten_at=LATER, now=AFTER)
    assert states(bob, item.memory_id) == ["pending_review"]
    assert [one.memory_id for one in waiting(chidi)] == [item.memory_id]


def test_a_rejection_undone_leaves_one_item(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    item = propose(here)
    review_decisions.reject_item(chidi, item.id, ReviewDecision(reason="No."), now=LATER)
    undo_review_decision(chidi, item.id, now=AFTER)
    assert items(chidi, item.memory_id) == ["open"]


# --- what was made of a pattern goes with it ---


@pytest.mark.parametrize("opts_out", [True, False], ids=["opt-out", "evidence gone"])
def test_what_was_made_of_a_pattern_goes_with_it(lasting_world: World, *, opts_out: bool) -> None:
    here = lasting_world.here
    said = seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    promote_patterns(here.id, now=NOW)
    [pattern] = cross_group(here)
    given = ["Mina knows a lot about Postgres."]
    [fact] = split_memory(here.person("chidi"), pattern.id, given=given, now=NOW).rows
    if opts_out:
        set_sharing(here.person("mina"), out=True, now=LATER)
    else:
        forget_memory(here.robot("aria"), said, now=LATER)
        promote_patterns(here.id, now=LATER)
    assert pattern.id not in {row.id for row in cross_group(here)}
    assert states(here.person("chidi"), fact.id) == ["forgotten"]


# --- statements do not grow with the number of memories ---


def test_forgetting_and_restoring_everything_takes_as_many_statements_for_five_as_for_two(
    world: World,
) -> None:
    here, bob = world.here, world.here.person("bob")
    counts = []
    for many, at in ((2, NOW), (5, AFTER)):
        for number in range(many):
            here.remember(bob, f"Locker {number} of {many} is mine.", visibility="private")
        with CaptureQueriesContext(connection) as forgets:
            assert forget_all(bob, now=at) == many
        with CaptureQueriesContext(connection) as restores:
            assert undo_forget_all(bob, forgotten_at=at, now=at + timedelta(hours=1)) == many
        forget_all(bob, now=at + timedelta(minutes=90))
        counts.append((len(forgets), len(restores)))
    assert counts[0] == counts[1]
