"""Add what was used on earlier days to what all readers of a memory know of its use.

Only uses that were marked when they happened: by somebody who alone reads the memory, or where
enough people can read it (`access.reader_counts`). A day counts when it is over, in UTC, so no
reader can tell when on that day somebody was served. A use for an audience that the memory has left
counts no more.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError

from memories.jobs.job_queue import WORKER
from memories.lifecycle.surprise import LEARNING_RATE, NEXT_SURPRISE_SQL
from memories.store.known_use import BROUGHT_ALONE_BY
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope

# Rows of one transaction.
BATCH = 5_000
# How often a batch is tried whose memories got other readers meanwhile.
ATTEMPTS = 3

_ACCESSES = """
WITH due AS MATERIALIZED (
    SELECT o.memory_id, o.reader, m.audience_id, m.kind, m.first_tier, m.audience_id = o.counted_for
        AS counts, o.shared_count - o.published
        + CASE WHEN o.day < %(today)s THEN o.day_count ELSE 0 END AS uses,
        CASE WHEN o.top_day < %(today)s THEN o.top_day ELSE o.earlier_top_day END AS top_day
    FROM memories_readeruse o
    JOIN memories_memory m ON m.organisation_id = o.organisation_id AND m.id = o.memory_id
    WHERE o.organisation_id = %(organisation)s AND o.due_day < %(today)s
    ORDER BY o.memory_id, o.reader LIMIT %(most)s FOR UPDATE OF o
), marked AS (
    UPDATE memories_readeruse o
    SET published = o.published + CASE WHEN d.counts THEN d.uses ELSE 0 END,
        due_day = CASE WHEN o.day >= %(today)s THEN o.day END
    FROM due d WHERE o.organisation_id = %(organisation)s AND o.memory_id = d.memory_id
        AND o.reader = d.reader
), added AS (
    INSERT INTO memories_use AS u (organisation_id, memory_id, audience_id, kind, tier, given_tier,
        access_count, since_accesses, last_accessed_at)
    SELECT %(organisation)s, memory_id, audience_id, kind, first_tier, first_tier, sum(uses),
        sum(uses), max(top_day)::timestamp AT TIME ZONE 'UTC'
    FROM due WHERE counts GROUP BY memory_id, audience_id, kind, first_tier ORDER BY memory_id
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET access_count = u.access_count + excluded.access_count,
        since_accesses = u.since_accesses + excluded.since_accesses,
        last_accessed_at = greatest(u.last_accessed_at, excluded.last_accessed_at)
)
SELECT count(*) FROM due
"""
_REPORTED = """
SELECT f.id, f.memory_id, f.surprise, f.outcome, f.learned FROM memories_feedback f
WHERE f.organisation_id = %(organisation)s AND f.counted_for IS NOT NULL AND NOT f.published
    AND f.told_at < %(midnight)s
ORDER BY f.told_at, f.id LIMIT %(most)s FOR UPDATE
"""
_LEARN = f"""
WITH marked AS (
    UPDATE memories_feedback SET learned = true, published = true
    WHERE organisation_id = %(organisation)s AND id = %(feedback)s
)
INSERT INTO memories_use AS u
    (organisation_id, memory_id, audience_id, kind, tier, given_tier, surprise, updates, successes,
     failures, since_feedback, since_successes)
SELECT %(organisation)s, m.id, m.audience_id, m.kind, m.first_tier, m.first_tier,
    %(alpha)s * f.surprise, %(new)s, %(success)s, %(failure)s, %(new)s * w.counts,
    %(success)s * w.counts
FROM memories_feedback f
JOIN memories_memory m ON m.organisation_id = f.organisation_id AND m.id = f.memory_id
    AND m.audience_id = f.counted_for,
LATERAL (
    SELECT CASE WHEN {BROUGHT_ALONE_BY.format(robot="f.robot_id")} THEN 0 ELSE 1 END AS counts) AS w
WHERE f.organisation_id = %(organisation)s AND f.id = %(feedback)s
ON CONFLICT (organisation_id, memory_id) DO UPDATE
SET surprise = {NEXT_SURPRISE_SQL},
    updates = u.updates + excluded.updates, successes = u.successes + excluded.successes,
    failures = u.failures + excluded.failures,
    since_feedback = u.since_feedback + excluded.since_feedback,
    since_successes = u.since_successes + excluded.since_successes
"""


def publish_uses(organisation_id: UUID, *, now: datetime) -> int:
    """Add the uses and the feedback of earlier days; in the role of the worker. Returns how many
    rows of readers were added.

    A batch is a transaction, so a run that breaks off keeps what it did and none counts twice.
    """
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "today": midnight.date(),
        "midnight": midnight,
        "most": BATCH,
    }
    total = 0
    for one in (_add_accesses, _learn):
        while rows := _tried(one, values):
            total += rows
            if rows < BATCH:
                break
    return total


def _tried(step: Callable[[dict[str, Any]], int], values: dict[str, Any]) -> int:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with organisation_scope(values["organisation"], using=WORKER):
                return step(values)
        except IntegrityError:
            # One of them was shared since it was read; the next try finds its new audience.
            if attempt == ATTEMPTS:
                raise
    return 0


def _add_accesses(values: dict[str, Any]) -> int:
    [(rows,)] = fetch_all(_ACCESSES, values, WORKER)
    return int(rows)


def _learn(values: dict[str, Any]) -> int:
    rows = fetch_all(_REPORTED, values, WORKER)
    for feedback, _, _, outcome, learned in rows:
        given = {
            "organisation": values["organisation"],
            "feedback": feedback,
            "alpha": 0.0 if learned else LEARNING_RATE,
            "new": int(not learned),
            "success": int(outcome == "success"),
            "failure": int(outcome == "failure"),
        }
        fetch_all(_LEARN, given, WORKER)
    return len(rows)
