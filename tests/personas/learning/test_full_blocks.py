"""A block that is nearly full: what counts least becomes one entry, or somebody is asked."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.urls import reverse

from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.consolidation.capacity_limit import enforce_capacity
from memories.lifecycle.forget import archive_memory, restore_memory
from memories.review.models import Proposal, ProposalCause
from memories.review.protect import protect_memory
from memories.store.dependents import is_summary
from memories.store.models.version import Derivation
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from personas.block_writes.block_updates import confirm_entry
from personas.learning import block_capacity
from personas.learning.block_capacity import enforce_block_capacity
from tests.memories.curation.test_decide import waiting
from tests.personas.persona_helpers import (
    all_memories,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)
LATER = NOW + 2 * DAY
# Ten lines of 39 characters are 399 in all.
LINES = [f"They ask about map {n} before anything el" for n in range(10)]


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """A block of ten entries that may have 400 characters."""
    monkeypatch.setattr(block_capacity, "BLOCK_LIMIT", 400)
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    for line in LINES:
        assert len(line) == 39
    return here


def relieved(here: Tenant, at: datetime = LATER) -> tuple[int, int]:
    """How many blocks were summarised and proposed."""
    told = [(0, 0)]

    def keep_on(condensed: int, proposed: int) -> bool:
        told.append((condensed, proposed))
        return True

    enforce_block_capacity(here.id, now=at, keep_on=keep_on)
    return told[-1]


def items(here: Tenant) -> list[Proposal]:
    return [one for one in waiting(here.person("chidi")) if one.cause == ProposalCause.CAPACITY]


def sources(here: Tenant, summary: UUID) -> set[UUID]:
    with organisation_scope(here.id, using="worker"):
        links = Derivation.objects.using("worker").filter(memory_id=summary)
        return set(links.values_list("source_id", flat=True))


@pytest.mark.conformance("P25")
def test_old_entries_become_one_where_workers_may(here: Tenant) -> None:
    ids = make_entries(here, "mina", *LINES[:7])
    assert relieved(here) == (0, 0), "279 characters are below three quarters"
    ids += make_entries(here, "mina", *LINES[7:])
    bob = make_owner_actor(here, "bob")
    # The first is the oldest, and the last one to be confirmed.
    confirm_entry(bob, get_block_by_label(bob).block.id, ids[0], now=NOW + DAY)
    here.embed()
    update_policy(here.person("ada"), {"evict": True}, now=NOW)
    assert relieved(here) == (1, 0)

    rows = all_memories(here)
    [summary] = [row for row in rows.values() if is_summary(row)]
    # 399 less 300 is 99: the fewest of 40 that give as much room are four for one.
    assert sources(here, summary.id) == set(ids[1:5])
    assert {id_ for id_, row in rows.items() if row.status == "archived"} == set(ids[1:5])
    assert summary.content in LINES[1:5]
    after = get_block_by_label(bob)
    assert len(after.text) == 279
    shown = {one.id: one.confirmed_at for one in after.entries}
    assert shown[summary.id] == day_of(NOW), "what was made of others is as old as these"
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(action="block.consolidated")
    assert (entry.detail["archived"], entry.detail["made"]) == (4, [str(summary.id)])
    assert entry.target == after.block.id
    assert relieved(here) == (0, 0), "a second run does nothing"

    # What somebody brought back is not taken again.
    for id_ in ids[1:5]:
        restore_memory(here.person("chidi"), id_, now=LATER)
    # Of 439 characters 139 are too many: five for one. The four would be among the oldest.
    for id_ in ids[5:]:
        confirm_entry(bob, get_block_by_label(bob).block.id, id_, now=LATER + DAY)
    assert relieved(here, LATER + DAY) == (1, 0)
    late = {
        id_ for id_, row in all_memories(here).items() if row.archived_at == day_of(LATER + DAY)
    }
    assert late == {summary.id, ids[0], *ids[5:8]}
    assert all(all_memories(here)[id_].status == "active" for id_ in ids[1:5])


def test_without_leave_somebody_is_asked_who_curates(here: Tenant) -> None:
    ids = make_entries(here, "mina", *LINES)
    here.embed()
    assert relieved(here) == (0, 1)
    assert relieved(here) == (0, 0), "it is asked once"
    [item] = items(here)
    shown = get_block_by_label(make_owner_actor(here, "bob"))
    assert item.details == {
        "block": str(shown.block.id),
        "label": shown.label,
        "capacity": 400,
        "count": 399,
        "chosen": 4,
        "summaries": 1,
    }
    assert enforce_capacity(here.id, now=LATER).looked == 0
    assert [one.id for one in items(here)] == [item.id], "full tiers are another matter"
    assert {row.status for row in all_memories(here).values()} == {"active"}
    page = here.browser("chidi").get(reverse("review-item", args=[item.id])).content.decode()
    assert f"{shown.label} holds 399 of at most 400 characters" in page
    assert "The 4 least confirmed would become one summary" in page
    with pytest.raises(NotFoundError):
        review_decisions.approve_item(
            here.person("bob"), item.id, ReviewDecision(version=1), now=LATER
        )

    done = review_decisions.approve_item(
        here.person("chidi"), item.id, ReviewDecision(version=1), now=LATER
    )
    assert done.outcome == {"archived": 4, "summaries": 1}
    assert len(get_block_by_label(make_owner_actor(here, "bob")).text) == 279
    undo_review_decision(here.person("chidi"), item.id, now=LATER)
    back = get_block_by_label(make_owner_actor(here, "bob"))
    assert {one.id for one in back.entries} == set(ids)


def test_what_was_rejected_is_asked_when_it_has_grown(here: Tenant) -> None:
    ids = make_entries(here, "mina", *LINES[:8])
    assert relieved(here) == (0, 1)
    [item] = items(here)
    review_decisions.reject_item(here.person("chidi"), item.id, ReviewDecision(), now=LATER)
    assert relieved(here) == (0, 0)
    make_entries(here, "mina", LINES[8])
    # 319 characters then, 359 now: a tenth of 400 more.
    assert relieved(here) == (0, 1)
    for id_ in ids[:3]:
        archive_memory(here.person("chidi"), id_, now=LATER)
    assert relieved(here) == (0, 0)
    assert items(here) == [], "it is short enough by now"


def test_what_is_protected_stays(here: Tenant) -> None:
    ids = make_entries(here, "mina", *LINES)
    for id_ in ids[:9]:
        protect_memory(here.person("ada"), id_, reason="always", now=NOW)
    update_policy(here.person("ada"), {"evict": True}, now=NOW)
    assert relieved(here) == (0, 0)
    assert {row.status for row in all_memories(here).values()} == {"active"}
