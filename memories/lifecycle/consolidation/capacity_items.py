"""Items of the queue about what is too much: a tier of an audience, or what an app above counts.

An app above names what it counts in the item's `details` and registers what is done about it.
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

# Whether a memory is the decider's to take away; without it everything is.
May = Callable[[Memory], bool]


@dataclass(frozen=True, slots=True)
class Relief:
    """What is done about items of one name; all in a scope that reads the audience.

    hold: lock what is locked before memories. foresee: what would go now. bring_down: do it; raises
    NotYours where some of it is not the actor's to take away.
    """

    hold: Callable[[Proposal, datetime], None]
    foresee: Callable[[Proposal, datetime], Choice]
    bring_down: Callable[[Proposal, Actor, datetime, May], Summarised]


_reliefs: dict[str, Relief] = {}


def relieves(name: str, relief: Relief) -> None:
    """Register what is done about items that have `name` in their details."""
    _reliefs[name] = relief


def _relief(item: Proposal) -> Relief | None:
    return next((found for name, found in _reliefs.items() if name in item.details), None)


def hold_item(item: Proposal, now: datetime) -> None:
    """For a transaction that locks a memory before `bring_down_item`; see `hold_place`."""
    if relief := _relief(item):
        relief.hold(item, now)
    else:
        hold_place(place_of(item), now=now)


def foresee_item(item: Proposal, now: datetime) -> Choice:
    """What would go as things stand now."""
    if relief := _relief(item):
        return relief.foresee(item, now)
    return foresee(place_of(item), now)


def bring_down_item(item: Proposal, actor: Actor, now: datetime, may: May) -> Summarised:
    """Summarise and archive what is too much. Raises NotYours where `may` says no of any."""
    if relief := _relief(item):
        return relief.bring_down(item, actor, now, may)
    return bring_down(place_of(item), actor, now=now, may=may)
