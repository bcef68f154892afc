"""Queue items about capacity: a full tier of an audience, or something that an upper app counts.

An upper app names what it counts in the item's `details`, and registers a `Relief` for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memories.lifecycle.consolidation.capacity_choice import Choice
from memories.lifecycle.consolidation.over_capacity import (
    bring_down,
    foresee,
    hold_place,
    place_of,
)
from memories.lifecycle.consolidation.summarise import Summarised
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.principals import Actor

# Whether the decider may archive a memory; without it they may archive all.
May = Callable[[Memory], bool]


@dataclass(frozen=True, slots=True)
class Relief:
    """The functions for items of one name; all are called in a scope that reads the audience.

    hold: take the locks that come before memories. foresee: what would be archived now. bring_down:
    do it; raises NotYours if the actor may not archive some of it.
    """

    hold: Callable[[Proposal, datetime], None]
    foresee: Callable[[Proposal, datetime], Choice]
    bring_down: Callable[[Proposal, Actor, datetime, May], Summarised]


_reliefs: dict[str, Relief] = {}


def relieves(name: str, relief: Relief) -> None:
    """Register the functions for items with `name` in their details."""
    _reliefs[name] = relief


def _relief(item: Proposal) -> Relief | None:
    return next((found for name, found in _reliefs.items() if name in item.details), None)


def hold_item(item: Proposal, now: datetime) -> None:
    """Take the locks of an item that come before memories; for a transaction that locks a memory
    before `bring_down_item`. See `hold_place`."""
    if relief := _relief(item):
        relief.hold(item, now)
    else:
        hold_place(place_of(item), now=now)


def foresee_item(item: Proposal, now: datetime) -> Choice:
    """What approving the item would archive now."""
    if relief := _relief(item):
        return relief.foresee(item, now)
    return foresee(place_of(item), now)


def bring_down_item(item: Proposal, actor: Actor, now: datetime, may: May) -> Summarised:
    """Summarise and archive what is too much. Raises NotYours if `may` is False for any of it."""
    if relief := _relief(item):
        return relief.bring_down(item, actor, now, may)
    return bring_down(place_of(item), actor, now=now, may=may)
