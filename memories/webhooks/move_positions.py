"""Positions in the feed of changes on another server, to which an organisation moves.

A position is the number of a transaction (docs/adr/0049-changes.md), which belongs to one server.
What webhooks were told, and what they were not, is the same after the move. Cursors that callers
keep are of the other server: their copies begin anew, as after a restore.
"""

from dataclasses import replace
from hashlib import blake2b
from typing import Any
from uuid import UUID

import psycopg

from memories.browsing.change_feed.change_feed import HORIZON_SQL
from memories.browsing.change_feed.feed_position import FeedPosition

Connection = psycopg.Connection[tuple[Any, ...]]
_NEXT_SQL = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
_SHIFT_CHANGES_SQL = """
UPDATE public.memories_change SET since = since + %(shift)s, at = at + %(shift)s
WHERE organisation_id = %(organisation)s
"""
_SHIFT_DEPARTURES_SQL = """
UPDATE public.memories_departure
SET since = since + %(shift)s, at = at + %(shift)s, last_change = last_change + %(shift)s
WHERE organisation_id = %(organisation)s
"""


def move_positions(source: Connection, target: Connection, organisation_id: UUID) -> None:
    """Keep the order of what was told and what is written from now on. Nothing is written on the
    source; both connections read every row."""
    before, here = _fetch_next(source), _fetch_next(target)
    # A target that has run fewer transactions would write below what was told.
    shift = min(0, here - before)
    if shift:
        for statement in (_SHIFT_CHANGES_SQL, _SHIFT_DEPARTURES_SQL):
            target.execute(statement, {"shift": shift, "organisation": organisation_id})
    epochs = _fetch_epoch(source), _fetch_epoch(target)
    rows = target.execute(
        "SELECT id, position FROM public.memories_webhookendpoint WHERE organisation_id = %s",
        [organisation_id],
    ).fetchall()
    for endpoint_id, kept in rows:
        if moved := _move_position(bytes(kept), shift, *epochs):
            target.execute(
                "UPDATE public.memories_webhookendpoint SET position = %s "
                "WHERE organisation_id = %s AND id = %s",
                [moved, organisation_id, endpoint_id],
            )


def _move_position(kept: bytes, shift: int, before: bytes, now: bytes) -> bytes | None:
    """The same position on the other server; None for one that was too old already."""
    try:
        position = FeedPosition.from_bytes(kept)
    except ValueError:
        return None
    if position.epoch != before:
        return None
    until = position.until + shift if position.is_open else position.until
    moved = replace(position, epoch=now, position=position.position + shift, until=until)
    return moved.to_bytes()


def _fetch_next(connection: Connection) -> int:
    """The first transaction that has not begun."""
    [(number,)] = connection.execute(_NEXT_SQL).fetchall()
    return int(number)


def _fetch_epoch(connection: Connection) -> bytes:
    [(_, database)] = connection.execute(HORIZON_SQL.encode()).fetchall()
    return blake2b(database.encode(), digest_size=8).digest()
