"""A working memory as the asker sees it: the values that its services return."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.context.token_budget import WorkingMemoryItem
from robots.models.robots import Robot
from robots.models.teams import Team


class OverBudgetError(Exception):
    """The memory by itself has more tokens than the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemoryEntry:
    """A memory in a working memory, as the asker reads it."""

    item: WorkingMemoryItem
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictedMemory:
    """A memory that left a working memory, as the asker reads it. reason: one of `Reason`."""

    id: UUID
    content: str
    evicted_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """The working memory of a robot or a team.

    budget, tokens, count (of memories): of all that the robot, or each robot of the team, sees in
    it. entries: those that the asker reads. evicted: the MOST_EVICTED that left last, the latest
    first.
    """

    owner: Robot | Team
    budget: int
    tokens: int
    count: int
    entries: list[WorkingMemoryEntry]
    evicted: list[EvictedMemory]
