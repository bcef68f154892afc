"""Record what was served: ids and scores for feedback, accesses for strength. Never the
question.

What was served is counted for its reader alone. Others learn of it by the day, and only where
enough people can read the memory or a robot asked for nobody, whose lines they are shown anyway
(docs/adr/0027-uses-of-each-reader.md).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction

from memories.access.reader_counts import counts_for_others
from memories.jobs.old_rows import delete_old_rows, old_rows_sql
from memories.questions.consent import AGREED_SQL
from memories.questions.record_question import AskedQuestion, record_question_later
from memories.retrieval.answering.confidence import (
    ANSWERED_VALUES,
    classify_confidence,
    is_irrelevant,
)
from memories.retrieval.search_types import Hit, SearchResult
from memories.store.known_use import ALONE
from memories.store.operation_log import SHOWN_TO
from orgs.database.driver.pipeline import Rows
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import (
    is_disk_full,
    is_row_gone,
    unless_unwritable,
)
from orgs.models.base import new_id
from orgs.principals import Principal

LAST_ACCESSED_TOP = 5
# So often a recall is searched whose hits go meanwhile; then it is answered without a record.
MAX_SEARCHES = 2

# Entries of the robot's working memory count as used, and evicted ones come back. Entries whose
# memory was away meanwhile count as added now. Tokens are counted by the next look
# (`memories.context.working_memory`).
_REUSE_SQL = """
    last_used_at = %(now)s, evicted_at = NULL, reason = '',
    added_at = CASE WHEN e.evicted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM memories_memory r WHERE r.organisation_id = e.organisation_id
        AND r.id = e.memory_id AND r.restored_at > e.added_at) THEN e.added_at ELSE %(now)s END
"""
# Only existing entries. An UPDATE with a join took five times as long.
_TOUCH_SQL = f"""
INSERT INTO memories_workingentry AS e
    (id, organisation_id, audience_id, reader, memory_id, added_at, last_used_at, reason)
SELECT w.id, w.organisation_id, w.audience_id, w.reader, w.memory_id, %(now)s, %(now)s, ''
FROM memories_workingentry w
WHERE w.organisation_id = %(organisation)s AND w.audience_id = %(audience)s
    AND w.reader = %(reader)s AND w.memory_id = ANY(%(at_hand)s::uuid[]) AND w.reason <> 'removed'
ORDER BY w.memory_id
ON CONFLICT (organisation_id, audience_id, reader, memory_id) DO UPDATE SET {_REUSE_SQL}
"""
# Every hit, if a robot asks.
_ENTER_SQL = f"""
INSERT INTO memories_workingentry AS e
    (id, organisation_id, audience_id, reader, memory_id, added_at, last_used_at, reason)
SELECT w.id, %(organisation)s, %(audience)s, %(reader)s, w.memory, %(now)s, %(now)s, ''
FROM unnest(%(entries)s::uuid[], %(at_hand)s::uuid[]) AS w (id, memory)
WHERE %(robot)s::uuid IS NOT NULL ORDER BY w.memory
ON CONFLICT (organisation_id, audience_id, reader, memory_id) DO UPDATE SET {_REUSE_SQL}
"""

_MOVED = "u.counted_for IS DISTINCT FROM excluded.counted_for"
_SAME_DAY = "u.counted_for = excluded.counted_for AND u.day >= excluded.day"
# One statement. Rows are written in the order of ids, so that two recalls with common hits never
# deadlock. The robot's row is updated at most once a second, so that its recalls do not wait for
# each other. `u` is a row of before: a use for other readers begins to count anew, and what was
# counted on an earlier day goes to the earlier days. See `ReaderUse` for the columns.
# Of which memories a use counts once a day: of what the robot alone brought; of all.
_ALONE, _ALWAYS = "(c.alone)", "true"
_USES_CTE = f"""
counted AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.kind, m.first_tier, coalesce({ALONE}, false) AS alone,
        CASE WHEN m.id = ANY(%(top)s) THEN %(now)s::timestamptz END AS at,
        CASE WHEN m.id = ANY(%(top)s) THEN %(today)s::date END AS top_day
    FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    ORDER BY m.id
), many AS MATERIALIZED (
    SELECT a.id FROM orgs_audience a
    WHERE a.organisation_id = %(organisation)s AND a.id IN (SELECT audience_id FROM counted)
        AND {{counts}}
), known AS (
    INSERT INTO memories_use (organisation_id, memory_id, audience_id, kind, tier, given_tier)
    SELECT %(organisation)s, id, audience_id, kind, first_tier, first_tier FROM counted
    ON CONFLICT (organisation_id, memory_id) DO NOTHING
), used AS (
    INSERT INTO memories_readeruse AS u (organisation_id, memory_id, reader, member_id,
        access_count, last_accessed_at, counted_for, once_a_day, day, day_count, due_day, top_day)
    SELECT %(organisation)s, c.id, %(reader)s, %(member)s, 1, c.at, c.audience_id, {{once_a_day}},
        %(today)s, w.counts::int, CASE WHEN w.counts THEN %(today)s::date END,
        CASE WHEN w.counts THEN c.top_day END
    FROM counted c, LATERAL (SELECT c.audience_id IN (SELECT id FROM many) AS counts) AS w
    ON CONFLICT (organisation_id, memory_id, reader) DO UPDATE
    SET access_count = u.access_count + 1,
        last_accessed_at = coalesce(excluded.last_accessed_at, u.last_accessed_at),
        counted_for = excluded.counted_for,
        once_a_day = excluded.once_a_day,
        day = CASE WHEN {_MOVED} THEN excluded.day ELSE greatest(u.day, excluded.day) END,
        day_count = CASE WHEN {_SAME_DAY} THEN CASE WHEN excluded.once_a_day
            THEN greatest(u.day_count, excluded.day_count)
            ELSE u.day_count + excluded.day_count END ELSE excluded.day_count END,
        shared_count = CASE WHEN {_MOVED} THEN 0 WHEN {_SAME_DAY} THEN u.shared_count
            ELSE u.shared_count + u.day_count END,
        published = CASE WHEN {_MOVED} THEN 0 ELSE u.published END,
        top_day = CASE WHEN {_MOVED} THEN excluded.top_day
            ELSE coalesce(excluded.top_day, u.top_day) END,
        earlier_top_day = CASE WHEN {_MOVED} THEN NULL
            WHEN excluded.top_day > u.top_day THEN u.top_day ELSE u.earlier_top_day END,
        due_day = CASE WHEN {_MOVED} THEN excluded.due_day
            ELSE coalesce(u.due_day, excluded.due_day) END
    {{only}}
)"""
_RECORD_SQL = f"""
WITH at_hand AS ({{at_hand}}), {{uses}}, logged AS (
    INSERT INTO memories_operation (id, organisation_id, memory_id, audience_id, kind, robot_id,
                                    verb, at, reader, folded)
    SELECT given.id, %(organisation)s, m.id, m.audience_id, m.kind, %(robot)s, 'recall', %(now)s,
        {SHOWN_TO}, NOT m.id = ANY(%(ids)s::uuid[])
    FROM unnest(%(logs)s::uuid[], %(served)s::uuid[]) AS given (id, memory)
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = given.memory
), stamped AS (
    UPDATE robots_robot SET last_active_at = %(now)s
    WHERE (organisation_id, id) = (SELECT organisation_id, id FROM robots_robot
        WHERE organisation_id = %(organisation)s AND id = %(robot)s
        AND (last_active_at IS NULL OR last_active_at < %(now)s::timestamptz - interval '1 second')
        FOR NO KEY UPDATE SKIP LOCKED)
), recorded AS (
    INSERT INTO memories_recall (id, organisation_id, audience_id, robot_id, member_id, group_id,
                                 strategy, hits, answered, confidence, folded, took_ms, created_at)
    VALUES (%(id)s, %(organisation)s, %(audience)s, %(robot)s, %(member)s, %(group)s, %(strategy)s,
            %(hits)s::jsonb, %(answered)s, %(confidence)s, %(folded)s::jsonb, %(took_ms)s, %(now)s)
)
SELECT {AGREED_SQL}
"""


@cache
def _statement(*, working: bool) -> str:
    """The statement that records an answer. Upper apps have registered their readers by then."""
    at_hand = _ENTER_SQL if working else _TOUCH_SQL
    uses = _USES_CTE.format(counts=counts_for_others(), once_a_day=_ALONE, only="")
    return _RECORD_SQL.format(at_hand=at_hand, uses=uses)


def is_agreed(recorded: Rows) -> bool:
    """Whether curators may see the question, by what the statement that recorded its answer says;
    so nobody is asked about a consent who gave none."""
    return bool(recorded[0][0])


# What a context always has is read with each context: a day counts once, and then nothing is
# written again on that day.
_NEW_DAY = f"WHERE {_MOVED} OR u.day IS NULL OR u.day < excluded.day"


@cache
def _read_statement() -> str:
    uses = _USES_CTE.format(counts=counts_for_others(), once_a_day=_ALWAYS, only=_NEW_DAY)
    return f"WITH {uses} SELECT 1"


def record_reads(principal: Principal, memory_ids: Sequence[UUID], *, now: datetime) -> None:
    """Count that memories stood in a text which is read whatever is asked, once a day for their
    reader; inside the asker's scope. No line of the log of operations, and no last access."""
    if memory_ids:
        values = {
            "organisation": principal.organisation_id,
            "reader": principal.reader,
            "robot": principal.actor.robot_id,
            "member": principal.actor.member_id,
            "ids": sorted(memory_ids),
            "top": [],
            "now": now,
            "today": now.astimezone(UTC).date(),
        }
        fetch_all(_read_statement(), values)


def record_recall(
    principal: Principal,
    served: SearchResult,
    *,
    took_ms: float,
    counts: bool,
    now: datetime,
    working: bool = False,
    reads: Sequence[UUID] = (),
    asked: AskedQuestion | None = None,
) -> UUID:
    """Record one answer inside the asker's scope; returns the recall's id.

    counts: whether it counts as access of the reader: the access counts of the hits that answer
    rise, and last_accessed_at of the first ones; a folded hit is no use of its memory. working:
    whether each hit, folded or not, enters the working memory of the asking robot; otherwise only
    existing and evicted entries count as used. reads: what is recorded with it, see `record_reads`.
    asked: the question, for curators, if the asker agreed.

    Call it last: where nothing can be written, nothing is recorded, and the transaction is undone.
    """
    recall_id = new_id()
    record = recall_log_statement(
        recall_id, principal, served, took_ms=took_ms, counts=counts, now=now, working=working
    )
    with unless_unwritable():
        try:
            with transaction.atomic():
                recorded = fetch_all(*record)
                record_reads(principal, reads, now=now)
        except IntegrityError as error:
            # One was erased, or got other readers, since it was read: by now it is not found.
            if not is_row_gone(error):
                raise
            recorded = fetch_all(*record)
            record_reads(principal, reads, now=now)
        if asked is not None and is_agreed(recorded):
            transaction.on_commit(partial(record_question_later, principal, recall_id, asked, now))
    return recall_id


@contextmanager
def unless_unrecordable() -> Iterator[None]:
    """Go on behind an answer that could not be recorded, and was undone: a hit was erased, or got
    other readers, since it was found, or the disk is full."""
    try:
        yield
    except (IntegrityError, OperationalError) as error:
        if not (is_row_gone(error) or is_disk_full(error)):
            raise


def recall_log_statement(
    recall_id: UUID,
    principal: Principal,
    served: SearchResult,
    *,
    took_ms: float,
    counts: bool,
    now: datetime,
    working: bool = False,
) -> tuple[str, dict[str, Any]]:
    """The statement that records it, and its parameters."""
    actor = principal.actor
    told = served.confidence is not None
    folded = [hit.id for hit in served.hits if told and is_irrelevant(hit)]
    every = [hit.id for hit in served.hits] if counts else []
    ids = [id_ for id_ in every if id_ not in folded]
    at_hand = every if working else ids
    return _statement(working=working), {
        "id": recall_id,
        "organisation": actor.organisation_id,
        "audience": principal.own_audience,
        "reader": principal.reader,
        "robot": actor.robot_id,
        "member": actor.member_id,
        "group": actor.group_id,
        "strategy": served.strategy,
        "hits": orjson.dumps(_to_recorded_hits(served.hits, judged=told)).decode(),
        "answered": "" if served.confidence is None else classify_confidence(served.confidence),
        "confidence": served.confidence,
        "folded": orjson.dumps(folded).decode(),
        "took_ms": took_ms,
        "ids": ids,
        "served": every,
        "logs": [new_id() for _ in every],
        "at_hand": at_hand,
        **({"entries": [new_id() for _ in at_hand]} if working else {}),
        "top": ids[:LAST_ACCESSED_TOP],
        "now": now,
        "today": now.astimezone(UTC).date(),
    }


def _to_recorded_hits(hits: Sequence[Hit], *, judged: bool) -> list[list[Any]]:
    """The recorded form of each hit, which `answering.recorded` reads."""
    if not judged:
        return [[hit.id, round(hit.score, 6)] for hit in hits]
    return [
        [
            *(hit.id, round(hit.score, 6)),
            *(round(hit.answers, 4), ANSWERED_VALUES.index(classify_confidence(hit.answers))),
        ]
        for hit in hits
    ]


# Records are kept for OPERATIONS_DAYS: whoever only asks would else add rows for ever. Feedback on
# a recall goes with its record; what was learned from it stays on the memory.
# Ids begin with the time at which they were made, so the rows of before are those of lower ids.
_OLD = old_rows_sql("memories_recall", "id < %(before)s ORDER BY id")


def first_id_of(at: datetime) -> UUID:
    """The lowest id (UUID of version 7) that can be made at a time."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def remove_old_recalls(organisation_id: UUID, *, now: datetime) -> int:
    """Delete records older than the setting OPERATIONS_DAYS; returns how many."""
    before = first_id_of(now - timedelta(days=settings.OPERATIONS_DAYS))
    return delete_old_rows(organisation_id, _OLD, before)
