"""The text of a block out of its entries, within its limit. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from personas.blocks.entries import Entry
from personas.blocks.fade import weight


def text_of(entries: Sequence[Entry]) -> str:
    """A line each."""
    return "\n".join(one.text for one in entries)


def within(
    entries: Sequence[Entry], limit: int, *, now: datetime, fresh_for: timedelta
) -> list[Entry]:
    """The entries that stand in the text, in their order.

    Where they are too long together, those that count least are left out: what nobody has confirmed
    for long, and of equals the older. That happens only where something came back that had been
    taken away.
    """
    length = sum(len(one.text) + 1 for one in entries) - 1
    if length <= limit:
        return list(entries)
    ranked = sorted(
        entries,
        key=lambda one: (weight(one.age(now), fresh_for=fresh_for), one.confirmed_at, one.id),
        reverse=True,
    )
    kept, room = set(), limit + 1
    for one in ranked:
        if len(one.text) + 1 <= room:
            kept.add(one.id)
            room -= len(one.text) + 1
    return [one for one in entries if one.id in kept]
