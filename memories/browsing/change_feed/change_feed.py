"""What was made, changed, forgotten and erased within what somebody reads, since they last asked.

A window goes from the position of the cursor to the oldest transaction that still runs, so nothing
is missed that commits late. In it each memory is told once, as it is now, in the order of ids,
which says nothing of times. A memory that left is told if its readers had it, and the asker was one
of them, when the window began: of what somebody never could read they learn nothing. Audiences that
the asker has lost are named; those that they gained are told whole, as they are.
docs/adr/0049-changes.md
"""

from base64 import b32encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef

from memories.browsing.change_feed.feed_position import (
    FeedPosition,
    audience_mark,
    ids_of_marks,
)
from memories.browsing.memory_queries import filter_memories
from memories.store.models.change import Change
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.database.answer_size import bytes_of, first_ids, fitting, rows_of, text_columns
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal


class CursorTooOldError(Exception):
    """The feed no longer knows what happened since this cursor, so the copy has to begin anew."""


class ChangeType(StrEnum):
    """made: the asker has it now. changed: it is different. forgotten, erased: it is so for all who
    read it. gone: the asker has it no longer."""

    MADE = "made"
    CHANGED = "changed"
    FORGOTTEN = "forgotten"
    ERASED = "erased"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """A line of the feed. id: of a memory; None if all memories of `audience` are gone. audience:
    names the readers of `memory`, or those of whom all is gone. memory: as it is now. readers: the
    audience among whose memories the line is told, which the asker reads; None if all are gone."""

    change: ChangeType
    id: UUID | None = None
    audience: str | None = None
    memory: Memory | None = None
    readers: UUID | None = None


@dataclass(frozen=True, slots=True)
class ChangePage:
    """lines: of one page. position: behind it. more: whether more is there already."""

    lines: list[ChangeLine]
    position: FeedPosition
    more: bool


# Below this position every transaction has ended: the oldest that runs, but for those of other
# databases of the server, which write nothing here. And which database this is: another one after a
# restore, which makes the tables anew.
HORIZON_SQL = """
SELECT coalesce(
        (SELECT min(x::text::bigint) FROM pg_snapshot_xip(s.now) AS x
        WHERE pg_is_in_recovery() OR NOT EXISTS (
            SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
                AND l.transactionid = x::xid AND a.datname <> current_database())),
        pg_snapshot_xmax(s.now)::text::bigint),
    (SELECT c.system_identifier::text FROM pg_control_system() c)
        || ' ' || 'public.memories_change'::regclass::oid::text
FROM (SELECT pg_current_snapshot() AS now) AS s
"""
# For each memory: the position since when it is among the told audiences, if it has changed there,
# and why it left them, if they had it before: its end had not passed, or was changed since. What
# ended in the window is gone, also when its row left since (a later window sees that it had ended
# before). What is erased is forgotten first: the lowest reason.
_TOUCHED_SQL = f"""
SELECT memory, max(since), min(reason), (array_agg(audience ORDER BY audience))[1] FROM (
    SELECT c.memory_id AS memory, c.since, NULL AS reason, c.audience_id AS audience
    FROM memories_change c
    WHERE c.organisation_id = %(organisation)s::uuid AND c.audience_id = ANY (%(audiences)s::uuid[])
        AND c.at >= %(position)s::bigint AND c.at < %(until)s::bigint
        AND c.memory_id > %(after)s::uuid
    UNION ALL
    SELECT d.memory, NULL, d.reason, d.audience_id FROM memories_departure d
    WHERE d.organisation_id = %(organisation)s::uuid AND d.audience_id = ANY (%(audiences)s::uuid[])
        AND d.at >= %(position)s::bigint AND d.at < %(until)s::bigint
        AND d.since < %(position)s::bigint
        AND ({not_expired_sql("d", now="%(time)s::timestamptz")}
            OR d.last_change >= %(position)s::bigint)
        AND d.memory > %(after)s::uuid
    UNION ALL
    SELECT e.memory_id, NULL, 'gone', e.audience_id FROM memories_change e
    WHERE e.organisation_id = %(organisation)s::uuid AND e.audience_id = ANY (%(audiences)s::uuid[])
        AND e.since < %(position)s::bigint
        AND NOT {not_expired_sql("e", now="%(until_time)s::timestamptz")}
        AND {not_expired_sql("e", now="%(time)s::timestamptz")}
        AND e.memory_id > %(after)s::uuid
    UNION ALL
    SELECT f.memory, NULL, 'gone', f.audience_id FROM memories_departure f
    WHERE f.organisation_id = %(organisation)s::uuid AND f.audience_id = ANY (%(audiences)s::uuid[])
        AND f.at >= %(until)s::bigint AND f.since < %(position)s::bigint
        AND NOT {not_expired_sql("f", now="%(until_time)s::timestamptz")}
        AND {not_expired_sql("f", now="%(time)s::timestamptz")}
        AND f.memory > %(after)s::uuid
) AS touched
GROUP BY memory ORDER BY memory LIMIT %(most)s::int
"""


def read_changes(
    actor: Actor,
    position: FeedPosition | None,
    *,
    limit: int,
    now: datetime,
    whole: bool = True,
) -> ChangePage:
    """A page of changes. position: of the page before; None begins a copy. whole: audiences that
    the asker gained are told whole; if not, what came to them since the position.

    Raises CursorTooOldError.
    """
    principal = resolve_principal(actor)
    known = {audience_mark(id_): id_ for id_ in principal.audiences}
    with principal.scope():
        horizon, epoch = _fetch_horizon()
        if position is None:
            position = FeedPosition(epoch, 0, now)
        _check_age(position, epoch, now)
        lost = (position.audiences | position.gained) - known.keys()
        lines = [
            ChangeLine(change=ChangeType.GONE, audience=audience_name(mark))
            for mark in sorted(lost)
        ]
        position = position.without(lost)
        resumed = position.is_open
        if not resumed:
            position = position.opened(horizon, now, known)
        page = _Window(principal, known, position, whole=whole).read(lines, limit)
    # Behind a window that was opened earlier there may be more.
    return replace(page, more=page.more or resumed)


def current_position(principal: Principal, *, now: datetime) -> FeedPosition:
    """The position of somebody who wants to be told what changes from now on; inside their
    scope."""
    horizon, epoch = _fetch_horizon()
    return FeedPosition(epoch, horizon, now, frozenset(map(audience_mark, principal.audiences)))


def _fetch_horizon() -> tuple[int, bytes]:
    """(the position below which every transaction has ended, the name of the database)."""
    [(horizon, database)] = fetch_all(HORIZON_SQL, {})
    return horizon, blake2b(database.encode(), digest_size=8).digest()


def audience_name(mark: bytes) -> str:
    """A mark as text."""
    return b32encode(mark).decode().lower()


def _check_age(position: FeedPosition, epoch: bytes, now: datetime) -> None:
    if position.epoch != epoch:
        raise CursorTooOldError(
            "The database was restored since then. Begin your copy anew: ask without a cursor."
        )
    if position.time < now - timedelta(days=settings.CHANGES_DAYS):
        raise CursorTooOldError(
            f"The cursor is older than {settings.CHANGES_DAYS} days. Begin your copy anew: ask "
            "without a cursor."
        )


class _Window:
    """The window that a position has opened, in the scope of who asks."""

    def __init__(
        self, principal: Principal, known: dict[bytes, UUID], at: FeedPosition, *, whole: bool
    ) -> None:
        self.organisation_id, self.position, self.whole = principal.organisation_id, at, whole
        self.told = ids_of_marks(at.audiences, known)
        self.gained = ids_of_marks(at.gained, known)
        # What is listed at the end of the window: the same as a list shows.
        self.listed: Callable[[], MemoryQuerySet] = lambda: filter_memories(
            principal, {}, at.until_time
        ).filter(audience_id__in=[*self.told, *self.gained])

    def read(self, lines: list[ChangeLine], limit: int) -> ChangePage:
        """These lines and those that follow, about `limit` together."""
        room = max(limit - len(lines), 1)
        if self.position.phase == "changes":
            found, more = self._changes(room)
            lines, room = lines + found, room - len(found)
            if more:
                return ChangePage(lines, self.position, True)
            self._move("made", UUID(int=0))
        if self.gained:
            if room <= 0:
                return ChangePage(lines, self.position, True)
            found, more = self._made(room)
            lines = lines + found
            if more:
                return ChangePage(lines, self.position, True)
        return ChangePage(lines, self.position.closed(), False)

    def _move(self, phase: Any, after: UUID) -> None:
        self.position = replace(self.position, phase=phase, after=after)

    def _changes(self, most: int) -> tuple[list[ChangeLine], bool]:
        """What changed among the audiences that were told before, and whether more did."""
        at = self.position
        if not self.told:
            return [], False
        touched = fetch_all(
            _TOUCHED_SQL,
            {
                "organisation": self.organisation_id,
                "audiences": self.told,
                "position": at.position,
                "until": at.until,
                "time": at.time,
                "until_time": at.until_time,
                "after": at.after,
                "most": most + 1,
            },
        )
        here = self.listed().filter(id__in=[id_ for id_, since, *_ in touched if since is not None])
        sizes = dict(here.values_list("id", bytes_of(text_columns(Memory)))) if touched else {}
        count = fitting([sizes.get(id_, 0) for id_, *_ in touched[:most]])
        page = touched[:count]
        rows = {row.id: row for row in rows_of(here, [id_ for id_, *_ in page if id_ in sizes])}
        if page:
            self._move("changes", page[-1][0])
        return self._lines(page, rows), count < len(touched)

    def _lines(
        self, page: Sequence[tuple[UUID, int | None, str | None, UUID]], rows: dict[UUID, Memory]
    ) -> list[ChangeLine]:
        found = []
        for id_, since, reason, readers in page:
            before = since is not None and since < self.position.position
            if row := rows.get(id_):
                known = before or reason is not None
                found.append(_line(row, ChangeType.CHANGED if known else ChangeType.MADE))
            elif reason or before:
                change = ChangeType(reason or ChangeType.GONE)
                found.append(ChangeLine(change=change, id=id_, readers=readers))
        return found

    def _made(self, most: int) -> tuple[list[ChangeLine], bool]:
        """What is in the audiences that the asker has gained, and whether there is more."""
        later = Change.objects.filter(
            organisation_id=self.organisation_id,
            memory_id=OuterRef("id"),
            since__gte=self.position.until,
        )
        rows = (
            self.listed()
            .filter(~Exists(later), audience_id__in=self.gained, id__gt=self.position.after)
            .order_by("id")
        )
        if not self.whole:
            since = Change.objects.filter(
                organisation_id=self.organisation_id,
                memory_id=OuterRef("id"),
                since__gte=self.position.position,
            )
            rows = rows.filter(Exists(since))
        ids, more = first_ids(rows, most, text_columns(Memory))
        found = [_line(row, ChangeType.MADE) for row in rows_of(rows, ids)]
        if ids:
            self._move("made", ids[-1])
        return found, more


def _line(row: Memory, change: ChangeType) -> ChangeLine:
    return ChangeLine(
        change=change,
        id=row.id,
        audience=audience_name(audience_mark(row.audience_id)),
        memory=row,
        readers=row.audience_id,
    )
