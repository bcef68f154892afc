"""A hook by which an upper app counts what robots wrote."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orgs.principals import Actor


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """How many of the memories that the asker reads a robot wrote or took part in, and how many of
    them lately."""

    memories: int
    lately: int


MemoryCounter = Callable[[Actor, Sequence[UUID], datetime], Mapping[UUID, MemoryCount]]
_counters: list[MemoryCounter] = []


def register_memory_counter(function: MemoryCounter) -> MemoryCounter:
    """Register the function that counts; its answer leaves out robots that wrote nothing."""
    _counters.append(function)
    return function


def count_memories(actor: Actor, robots: Sequence[UUID], now: datetime) -> dict[UUID, MemoryCount]:
    """By robot, what they wrote, as far as the asker reads it. Call it outside any scope."""
    found: dict[UUID, MemoryCount] = {}
    for function in _counters:
        found |= function(actor, robots, now)
    return found
