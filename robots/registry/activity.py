"""A hook by which an upper app counts what robots wrote."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orgs.principals import Actor


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of the memories that the asker reads a robot wrote or took part in, and how many of
    them lately."""

    memories: int
    lately: int


Count = Callable[[Actor, Sequence[UUID], datetime], Mapping[UUID, Counted]]
_counters: list[Count] = []


def counts_written(function: Count) -> Count:
    """Register the function that counts; its answer leaves out robots that wrote nothing."""
    _counters.append(function)
    return function


def written(actor: Actor, robots: Sequence[UUID], now: datetime) -> dict[UUID, Counted]:
    """By robot, what they wrote, as far as the asker reads it. Call it outside any scope."""
    found: dict[UUID, Counted] = {}
    for function in _counters:
        found |= function(actor, robots, now)
    return found
