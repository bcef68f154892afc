"""The text of a block, made from its entries within its limit. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from personas.blocks.entries import BlockEntry
from personas.blocks.entry_weight import entry_weight


def render_text(entries: Sequence[BlockEntry]) -> str:
    """The entries as text, a line each."""
    return "\n".join(one.text for one in entries)


def select_fitting(
    entries: Sequence[BlockEntry], limit: int, *, now: datetime, fresh_for: timedelta
) -> list[BlockEntry]:
    """The entries that fit into the text, in their order. limit: in characters.

    If they are too long together, those with the least weight are left out, of equals the older
    ones. That happens only after something was restored.
    """
    length = sum(len(one.text) + 1 for one in entries) - 1
    if length <= limit:
        return list(entries)
    ranked = sorted(
        entries,
        key=lambda one: (entry_weight(one.age(now), fresh_for=fresh_for), one.confirmed_at, one.id),
        reverse=True,
    )
    kept, room = set(), limit + 1
    for one in ranked:
        if len(one.text) + 1 <= room:
            kept.add(one.id)
            room -= len(one.text) + 1
    return [one for one in entries if one.id in kept]
