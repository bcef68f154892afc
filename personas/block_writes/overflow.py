"""Make room in a full block: replace the entries with the least weight by one, and archive them.

The summary is the text of the entry that is nearest to all of them. Everything stays in the history
and can be restored.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memories.access.permissions import ChangeForbiddenError
from memories.lifecycle.consolidation.archive_selection import AudienceTier
from memories.lifecycle.consolidation.summarise import SummaryResult, summarise_and_archive
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.rls import current_scope, scope
from orgs.principals import Actor, Principal
from personas.blocks.block_views import BlockView, fresh_period
from personas.blocks.entries import BlockEntry, is_shared_block
from personas.blocks.entry_weight import entry_weight
from personas.models.blocks import Block, BlockLine

REFUSE, CONSOLIDATE = WAYS = ("refuse", "consolidate")


def select_to_summarise(
    entries: Sequence[BlockEntry], over: int, now: datetime
) -> list[BlockEntry]:
    """The entries to replace by one, so that the text is at least `over` characters shorter.

    Those with the least weight first, of equals those confirmed first. Empty if even all together
    would not be enough.
    """
    ranked = sorted(
        entries,
        key=lambda one: (
            entry_weight(one.age(now), fresh_for=fresh_period()),
            one.confirmed_at,
            one.id,
        ),
    )
    for count in range(2, len(ranked) + 1):
        lengths = [len(one.text) + 1 for one in ranked[:count]]
        if sum(lengths) - max(lengths) >= over:
            return ranked[:count]
    return []


def consolidate(
    principal: Principal, before: BlockView, kept: Sequence[BlockEntry], over: int, now: datetime
) -> list[BlockEntry] | None:
    """Consolidate as many of the entries as necessary. Returns the archived ones.

    None if that is not possible. Protected entries stay.
    """
    if before.audience_id is None:
        return None
    free = unprotected_ids(before.block, before.audience_id, [one.id for one in kept])
    gone = select_to_summarise([one for one in kept if one.id in free], over, now)
    if not gone:
        return None
    done = summarise_entries(before.block, before.audience_id, gone, principal.actor, now)
    if not is_shared_block(before.block):
        _insert_summary_line(before, gone, done.made)
    return gone


def unprotected_ids(block: Block, audience_id: UUID, ids: Sequence[UUID]) -> set[UUID]:
    """The ids that may become part of a summary: not protected, and no protection is proposed."""
    rows = _summarisable_rows(block, audience_id, ids)
    wanted = Proposal.objects.filter(
        organisation_id=block.organisation_id,
        memory_id=OuterRef("id"),
        cause=ProposalCause.RED_LINE,
        state=ProposalState.OPEN,
    )
    return set(rows.exclude(Exists(wanted)).values_list("id", flat=True))


def summarise_entries(
    block: Block,
    audience_id: UUID,
    gone: Sequence[BlockEntry],
    actor: Actor,
    now: datetime,
    *,
    may: Callable[[Memory], bool] = lambda row: True,
) -> SummaryResult:
    """Replace entries of a locked block by one summary, and archive them.

    Raises ChangeForbiddenError if `may` is false for any of them.
    """
    rows = _summarisable_rows(block, audience_id, [one.id for one in gone])
    locked = list(rows.select_for_update(of=("self",), no_key=True).order_by("id"))
    if not all(map(may, locked)):
        raise ChangeForbiddenError("Some of these are not yours to archive. A curator decides.")
    if not locked:
        return SummaryResult()
    place = AudienceTier(block.organisation_id, audience_id, locked[0].first_tier, 0)
    # The summary is made in a scope that reads only this audience.
    with scope(replace(current_scope(), audiences=(audience_id,), deposit=())):
        done = summarise_and_archive(place, locked, unwilling=set(), now=now)
    audit.record_entry(
        "block.consolidated",
        actor=actor,
        now=now,
        target=block.id,
        target_type="block",
        archived=len(done.archived),
        made=[str(row.id) for row in done.made],
    )
    return done


def _summarisable_rows(block: Block, audience_id: UUID, ids: Sequence[UUID]) -> "QuerySet[Memory]":
    return Memory.objects.filter(
        organisation_id=block.organisation_id,
        id__in=ids,
        status=Status.ACTIVE,
        red_line=False,
        audience_id=audience_id,
    )


def _insert_summary_line(
    before: BlockView, gone: Sequence[BlockEntry], made: Sequence[Memory]
) -> None:
    """Put the summary at the position of the first archived entry."""
    lines = BlockLine.objects.filter(
        organisation_id=before.block.organisation_id, block_id=before.block.id
    )
    theirs = lines.filter(memory_id__in=[one.id for one in gone])
    first = min(theirs.values_list("position", flat=True), default=0)
    theirs.delete()
    BlockLine.objects.bulk_create(
        [
            BlockLine(
                organisation_id=row.organisation_id,
                block_id=before.block.id,
                memory_id=row.id,
                audience_id=row.audience_id,
                kind=row.kind,
                position=first,
            )
            for row in made
        ],
        ignore_conflicts=True,
    )
