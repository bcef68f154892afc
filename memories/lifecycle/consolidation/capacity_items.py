"""Queue items about capacity: a full tier of an audience, or a block of a persona."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memories.lifecycle.consolidation.archive_selection import ArchiveSelection
from memories.lifecycle.consolidation.capacity_limit import (
    archive_excess,
    item_tier,
    lock_tier,
    preview_archive,
)
from memories.lifecycle.consolidation.summarise import SummaryResult
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.principals import Actor
from orgs.wired_functions import wired

# Whether the decider may archive a memory; without it they may archive all.
MayArchive = Callable[[Memory], bool]


@dataclass(frozen=True, slots=True)
class CapacityHandler:
    """The functions for items about a block; all are called in a scope that reads the audience.

    hold: take the locks that come before memories. foresee: what would be archived now. bring_down:
    do it; raises ChangeForbiddenError if the actor may not archive some of it.
    """

    hold: Callable[[Proposal, datetime], None]
    foresee: Callable[[Proposal, datetime], ArchiveSelection]
    bring_down: Callable[[Proposal, Actor, datetime, MayArchive], SummaryResult]


@wired
def find_block_handler(item: Proposal) -> CapacityHandler | None:
    """The functions for an item about a block; None for an item about a tier."""
    raise NotImplementedError


def lock_item(item: Proposal, now: datetime) -> None:
    """Take the locks of an item that come before memories; for a transaction that locks a memory
    before `archive_item_excess`. See `lock_tier`."""
    if relief := find_block_handler(item):
        relief.hold(item, now)
    else:
        lock_tier(item_tier(item), now=now)


def preview_item(item: Proposal, now: datetime) -> ArchiveSelection:
    """What approving the item would archive now."""
    if relief := find_block_handler(item):
        return relief.foresee(item, now)
    return preview_archive(item_tier(item), now)


def archive_item_excess(
    item: Proposal, actor: Actor, now: datetime, may: MayArchive
) -> SummaryResult:
    """Summarise and archive what is too much. Raises ChangeForbiddenError if `may` is False for any
    of it."""
    if relief := find_block_handler(item):
        return relief.bring_down(item, actor, now, may)
    return archive_excess(item_tier(item), actor, now=now, may=may)
