"""Read what was not told of the audit trail, send it, and write down how far.

A message has what support reads of an entry: who did what, to which thing, when, as ids and fixed
words, and no detail. Whoever acted through a robot is named only for acts that never teach. The
place is kept when the server has taken the messages, so each entry is told at least once.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import orjson
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from prometheus_client import Counter, Gauge

from memories.audit_stream.trail_position import TrailPosition
from memories.browsing.change_feed.change_feed import HORIZON_SQL
from memories.jobs.leases import WORKER
from memories.jobs.run_jobs import list_organisation_ids
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditCursor, AuditEntry
from orgs.outbound.syslog import SyslogAwayError, SyslogServer, render_message, send_messages
from robots.registry.untold_entries import with_robot_untold

log = logging.getLogger("commonmind.audit_stream")

# Entries of one organisation that are read at once, messages of one connection, seconds of a turn.
PAGE_SIZE, MOST_MESSAGES, TURN_SECONDS = 500, 2_000, 20.0

SENT = Counter("commonmind_audit_stream_sent", "Entries of the audit trail told to syslog.")
FAILED = Counter("commonmind_audit_stream_failures", "Times that syslog did not take entries.")
BEHIND = Gauge(
    "commonmind_audit_stream_behind_seconds",
    "How long ago the whole audit trail was last told to syslog.",
    multiprocess_mode="mostrecent",
)
# The number of a row's transaction without its upper half, and so the number near `top`.
_POSITION = """
(SELECT CASE WHEN near > %s THEN near - 4294967296 ELSE near END
FROM (SELECT %s::bigint / 4294967296 * 4294967296
    + orgs_auditentry.xmin::text::bigint AS near) AS found)
"""


@dataclass(frozen=True, slots=True)
class Page:
    """Messages of one organisation, the cursor they were read by, and the place behind them."""

    organisation_id: UUID
    messages: list[bytes]
    kept: dict[str, Any]
    behind: TrailPosition
    last: bool


def begin_trail(organisation_id: UUID, *, now: datetime) -> None:
    """Tell all of a new organisation's trail, where a server is set. Call it in the transaction
    that makes the organisation; one that was there before the server is told of from then on."""
    if settings.AUDIT_SYSLOG_SERVER:
        horizon, epoch, _ = _fetch_horizon(DEFAULT_DB_ALIAS)
        place = TrailPosition.begin(epoch, horizon, now).to_json()
        AuditCursor.objects.create(organisation_id=organisation_id, place=place, told_at=now)


def stream_entries(server: SyslogServer, *, now: datetime) -> int:
    """Tell what has not been told of all organisations, for at most TURN_SECONDS. Returns how many
    entries. If the server is away, the next turn begins where this one did."""
    end, sent = time.monotonic() + TURN_SECONDS, 0
    waiting = list_organisation_ids()
    try:
        while waiting and time.monotonic() < end:
            pages = list(_read_pages(waiting, now))
            if messages := [message for page in pages for message in page.messages]:
                send_messages(server, messages)
            for page in pages:
                _save_place(page, now)
            sent += len(messages)
            SENT.inc(len(messages))
            done = {page.organisation_id for page in pages if page.last}
            waiting = [one for one in waiting if one not in done]
    except SyslogAwayError as away:
        FAILED.inc()
        log.warning("the audit trail was not told: %s", away)
    BEHIND.set(0.0 if not waiting else _seconds_behind(waiting, now))
    return sent


def _read_pages(organisations: Sequence[UUID], now: datetime) -> Iterator[Page]:
    read = 0
    for organisation_id in organisations:
        page = read_page(organisation_id, now=now)
        yield page
        read += len(page.messages)
        if read >= MOST_MESSAGES:
            return


def read_page(organisation_id: UUID, *, now: datetime) -> Page:
    """The next entries. An organisation that has no cursor gets one: what is older is not told."""
    with organisation_scope(organisation_id, using=WORKER):
        horizon, epoch, top = _fetch_horizon(WORKER)
        row, _ = AuditCursor.objects.using(WORKER).get_or_create(
            organisation_id=organisation_id,
            defaults={"place": TrailPosition.begin(epoch, horizon, now).to_json(), "told_at": now},
        )
        place = TrailPosition.from_json(row.place)
        if not place.is_open or place.epoch != epoch:
            place = place.opened(epoch, horizon, top, now)
        entries = list(_entries(organisation_id, place, top))
    last = len(entries) < PAGE_SIZE
    behind = place.closed() if last else place.told(entries[-1].id)
    messages = [render_entry(entry) for entry in entries]
    return Page(organisation_id, messages, row.place, behind, last)


def _entries(organisation_id: UUID, place: TrailPosition, top: int) -> Sequence[Any]:
    """Entries of the window behind the last one, with `untold`, in the order of their ids."""
    rows = AuditEntry.objects.using(WORKER).filter(
        organisation_id=organisation_id, id__gt=place.after
    )
    window = f"{_POSITION} >= %s AND {_POSITION} < %s"
    values = [top, top, place.position, top, top, place.until]
    found = with_robot_untold(rows).extra(where=[window], params=values)  # noqa: S610 - no input
    return found.order_by("id")[:PAGE_SIZE]


def render_entry(entry: Any) -> bytes:
    """The message of an entry that has `untold`."""
    told = {
        "id": entry.id,
        "organisation": entry.organisation_id,
        "action": entry.action,
        "member": None if entry.untold else entry.member,
        "robot": None if entry.untold else entry.robot,
        "staff": entry.staff,
        "target_type": entry.target_type or None,
        "target": entry.target,
    }
    body = orjson.dumps({name: value for name, value in told.items() if value is not None})
    host = urlsplit(settings.PUBLIC_URL).hostname or "-"
    return render_message(at=entry.at, host=host, kind=entry.action, body=body)


def _save_place(page: Page, now: datetime) -> None:
    """Move the cursor, unless another worker has."""
    with organisation_scope(page.organisation_id, using=WORKER):
        rows = AuditCursor.objects.using(WORKER).filter(
            organisation_id=page.organisation_id, place=page.kept
        )
        told = {"told_at": now} if page.last else {}
        rows.update(place=page.behind.to_json(), **told)


def _fetch_horizon(using: str) -> tuple[int, str, int]:
    """(below it every transaction has ended, which database, the first that has not begun)."""
    with connections[using].cursor() as cursor:
        cursor.execute(HORIZON_SQL)
        horizon, epoch = cursor.fetchone()
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        (top,) = cursor.fetchone()
    return int(horizon), str(epoch), int(top)


def _seconds_behind(organisations: Sequence[UUID], now: datetime) -> float:
    """Since the organisation that waits longest was told whole."""
    oldest = now
    for organisation_id in organisations:
        with organisation_scope(organisation_id, using=WORKER):
            rows = AuditCursor.objects.using(WORKER).filter(organisation_id=organisation_id)
            told = rows.values_list("told_at", flat=True).first()
        oldest = min(oldest, told or now)
    return (now - oldest).total_seconds()
