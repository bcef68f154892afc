"""Which memories stay within a token budget, and in which order they are given. Pure.

order       first comes
recent      what was used last
important   the highest importance; by="access_count": what was recalled most often
balanced    the highest importance x 1 / (1 + hours since it was last used)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

RECENT, IMPORTANT, BALANCED = ORDERS = ("recent", "important", "balanced")
IMPORTANCE, ACCESS_COUNT = MEASURES = ("importance", "access_count")
# Between two texts; it counts as no token.
BLANK_LINE = "\n\n"
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemoryItem:
    """An entry of a working memory. importance: 0-1. last_used_at: when it was added or
    recalled."""

    id: UUID
    tokens: int
    importance: float
    access_count: int
    added_at: datetime
    last_used_at: datetime


def select_evicted(
    items: Sequence[WorkingMemoryItem], budget: int, keep: UUID | None = None
) -> list[WorkingMemoryItem]:
    """The items to evict so that the rest has at most `budget` tokens.

    First items that alone are larger than the budget; then the least important, and of these the
    one that was added first, until the rest fits. keep: the item that is being added, which stays.
    """
    over = sum(item.tokens for item in items) - budget
    gone: list[WorkingMemoryItem] = []
    for item in sorted(
        items, key=lambda one: (one.tokens <= budget, one.importance, one.added_at, one.id)
    ):
        if over <= 0:
            break
        if item.id != keep:
            gone.append(item)
            over -= item.tokens
    return gone


def hyperbolic_recency(last_used_at: datetime, now: datetime) -> float:
    """1 / (1 + hours since it was used): 1 now, 1/2 after one hour, 1/4 after three."""
    return 1 / (1 + max(now - last_used_at, timedelta(0)) / _HOUR)


def sort_items(
    items: Sequence[WorkingMemoryItem], order: str, *, now: datetime, by: str = IMPORTANCE
) -> list[WorkingMemoryItem]:
    """The items in one of ORDERS; equal ones: the last used first, then by id.

    by: one of MEASURES, for the order important. Raises ValueError for an unknown order or measure.
    """
    if order not in ORDERS or by not in MEASURES:
        raise ValueError(f"There is no order {order!r} by {by!r}.")

    def rank(item: WorkingMemoryItem) -> tuple[float, datetime, UUID]:
        first = {
            RECENT: 0.0,
            IMPORTANT: float(item.access_count) if by == ACCESS_COUNT else item.importance,
            BALANCED: item.importance * hyperbolic_recency(item.last_used_at, now),
        }[order]
        return first, item.last_used_at, item.id

    return sorted(items, key=rank, reverse=True)


def select_fitting(items: Sequence[WorkingMemoryItem], max_tokens: int) -> list[WorkingMemoryItem]:
    """The items that have together at most `max_tokens`, in their order. What does not fit into
    what is left is skipped, and the next that fits is taken."""
    left = max_tokens
    found: list[WorkingMemoryItem] = []
    for item in items:
        if item.tokens <= left:
            found.append(item)
            left -= item.tokens
    return found
