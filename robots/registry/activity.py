"""Where an upper app counts what robots remembered; this one keeps the registry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orgs.principals import Actor


@dataclass(frozen=True, slots=True)
class Counted:
    """In how many memories that the asker reads a robot has a part; in how many of them lately."""

    memories: int
    lately: int


Count = Callable[[Actor, Sequence[UUID], datetime], Mapping[UUID, Counted]]
_counters: list[Count] = []


def counts_activity(function: Count) -> Count:
    """Register what counts for the asker; it leaves out robots that did nothing."""
    _counters.append(function)
    return function


def counted(actor: Actor, robots: Sequence[UUID], now: datetime) -> dict[UUID, Counted]:
    """The activity of these robots as far as the asker reads it; outside any scope."""
    found: dict[UUID, Counted] = {}
    for function in _counters:
        found |= function(actor, robots, now)
    return found
