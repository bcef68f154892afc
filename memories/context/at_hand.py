"""What a working memory looks like to whoever asks; the values that its services give."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.context.token_budget import Item
from robots.models.robots import Robot
from robots.models.teams import Team


class OverBudget(Exception):
    """The memory alone has more tokens than the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A memory at hand, as the asker reads it."""

    item: Item
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evicted:
    """A memory that left, as the asker reads it. reason: one of `Reason`."""

    id: UUID
    content: str
    evicted_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """Of a robot or a team. budget, tokens: of all of it as the robot, or each robot of the team,
    sees it; count: how many memories that are.

    entries: those that the asker reads. evicted: the latest MOST_EVICTED that left, the last first.
    """

    owner: Robot | Team
    budget: int
    tokens: int
    count: int
    entries: list[Entry]
    evicted: list[Evicted]
