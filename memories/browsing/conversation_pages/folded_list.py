"""Lists in which the turns of a chat are one line, at the place of the first of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, CharField, F, JSONField, Q, Value, When
from django.db.models.expressions import RawSQL

from memories.browsing.conversation_pages.conversation_page import (
    MAX_TURNS,
    ConversationStats,
    parse_stats,
    stats_annotation,
)
from memories.store.models.chatter import chatter_q
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.database.answer_size import has_id_of
from orgs.database.compiled_queries import CompiledQuery, QueryValue
from orgs.expiry import not_expired_q

# How many of the newest rows are read for a page of lines; if a few long conversations fill them,
# the next number; None: all.
ROW_WINDOWS = (2_000, 20_000, None)
# From rows (key, id, talk, group_id) to their lines.
LINES_SQL = """
SELECT {columns} FROM {rows} WHERE talk IS NULL
UNION ALL
(SELECT DISTINCT ON (talk, group_id) {columns} FROM {rows} WHERE talk IS NOT NULL
 ORDER BY talk, group_id, key {direction}, id DESC)
"""
_SEEN_LINES_SQL = LINES_SQL.format(rows="seen", columns="id, talk, group_id", direction="DESC")
# A conversation with a turn on an earlier page is listed there. The LIMIT makes this a lookup of
# one conversation.
_PAGE_SQL = f"""
WITH seen (key, id, talk, group_id) AS MATERIALIZED ({{seen}})
SELECT (SELECT count(*) FROM seen), ARRAY(
    SELECT line.id FROM ({_SEEN_LINES_SQL}) AS line
    LEFT JOIN LATERAL (
        SELECT true AS stands FROM ({{before}}) AS earlier (conversation, group_id)
        WHERE earlier.conversation = line.talk
          AND earlier.group_id IS NOT DISTINCT FROM line.group_id
        LIMIT 1
    ) AS earlier ON line.talk IS NOT NULL
    WHERE earlier.stands IS NULL
    ORDER BY line.id DESC LIMIT %s
)
"""
_NO_TURNS_SQL = "SELECT NULL::varchar, NULL::uuid WHERE false"
# The turns of the list stand before the statement, which is the same for every list.
_TURNS_SQL = "WITH turns (conversation, group_id, audience_id) AS NOT MATERIALIZED ({rows}) "
_TURN_COUNTS_SQL = """
(SELECT jsonb_build_array(count(*), count(DISTINCT turn.audience_id)) FROM (
    SELECT m.audience_id FROM turns AS m
    WHERE m.conversation = memories_memory.conversation
      AND m.group_id IS NOT DISTINCT FROM memories_memory.group_id LIMIT %s
) AS turn)
"""
_LINE_COUNT_SQL = """
SELECT coalesce(sum(number), 0), coalesce(sum(number) FILTER (WHERE talk IS NULL), 0),
       count(*) FILTER (WHERE talk IS NOT NULL)
FROM (SELECT talk, CASE WHEN talk IS NOT NULL THEN group_id END, count(*) AS number
      FROM ({rows}) AS found (talk, group_id) GROUP BY 1, 2) AS line
"""


def folded_q(now: datetime) -> Q:
    """The condition that a memory is folded into its conversation: chatter that the conversation
    shows now."""
    return chatter_q() & Q(status=Status.ACTIVE) & not_expired_q(now)


def folded_conversation(now: datetime) -> Case:
    """The conversation of a folded row, NULL for others."""
    return Case(When(folded_q(now), then=F("conversation")), output_field=CharField())


@dataclass(frozen=True, slots=True)
class FoldedConversation:
    """One line: a conversation that stands for some turns of the list.

    turn: the first of these in the order of the list, with names. held: how many turns of the list
    the line stands for, at most MOST; more: whether there are others. same_readers: whether all of
    these have the same audience. figures: of the whole conversation.
    """

    turn: Memory
    figures: ConversationStats
    held: int
    more: bool
    same_readers: bool


Line = Memory | FoldedConversation
ExtraAnnotations = Callable[[MemoryQuerySet], MemoryQuerySet]


@dataclass(frozen=True, slots=True)
class FoldedPage:
    """rows: in the order of the list, memories that say something by themselves, and conversations.
    older_than: where the next page begins, None at the end."""

    rows: list[Line]
    older_than: UUID | None = None


@dataclass(frozen=True, slots=True)
class LineCount:
    """The number of memories and their lines: `alone` memories by themselves, the others in
    `conversations`."""

    memories: int
    alone: int
    conversations: int

    @property
    def lines(self) -> int:
        return self.alone + self.conversations


def no_annotations(rows: MemoryQuerySet) -> MemoryQuerySet:
    """With nothing beside them."""
    return rows


def list_folded(
    rows: MemoryQuerySet,
    *,
    page: int,
    before: UUID | None = None,
    now: datetime,
    beside: ExtraAnnotations = no_annotations,
) -> FoldedPage:
    """A folded page of `rows`, the newest first; two queries, rarely four, in the scope.

    A conversation stands once, at its newest turn among `rows`. beside: as in `load_lines`.
    """
    ids = list_newest_line_ids(rows, before, page + 1, now)
    kept = ids[:page]
    return FoldedPage(load_lines(rows, kept, now, beside), kept[-1] if len(ids) > page else None)


def list_newest_line_ids(
    rows: MemoryQuerySet, before: UUID | None, most: int, now: datetime
) -> list[UUID]:
    """The ids of the memories at which the next lines stand, after the memory `before`; at most
    `most`.

    One query, rarely three, in the scope.
    """
    further = (rows.filter(id__lt=before) if before else rows).order_by("-id")
    keyed = further.annotate(sorted_by=Value(0), talk=folded_conversation(now)).values_list(
        "sorted_by", "id", "talk", "group_id"
    )
    earlier, which = _NO_TURNS_SQL, ()
    if before:
        gone = rows.filter(folded_q(now), id__gte=before).order_by()
        earlier, which = gone.values_list("conversation", "group_id").query.sql_with_params()
    found: list[UUID] = []
    for window in ROW_WINDOWS:
        seen, values = keyed[:window].query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(_PAGE_SQL.format(seen=seen, before=earlier), (*values, *which, most))
            looked_at, found = cursor.fetchone()
        if len(found) >= most or window is None or looked_at < window:
            break
    return found


def _lines_query(
    most: int, beside: ExtraAnnotations, ids: list[UUID], now: datetime
) -> MemoryQuerySet:
    """The rows of these ids with what a line says; `turns` stands before it."""
    its = RawSQL(_TURN_COUNTS_SQL, (most + 1,), output_field=JSONField())  # noqa: S611 - a constant
    return (
        beside(Memory.objects.filter(has_id_of(ids)))
        .with_names()
        .annotate(
            figures=Case(When(folded_q(now), then=stats_annotation(now)), default=None),
            held=Case(When(folded_q(now), then=its), default=None),
        )
    )


_LINES_STATEMENT = CompiledQuery(_lines_query)


def load_lines(
    rows: MemoryQuerySet,
    ids: Sequence[UUID],
    now: datetime,
    beside: ExtraAnnotations = no_annotations,
) -> list[Line]:
    """The lines that stand at these memories of `rows`, in their order; one query, in the scope.

    beside: adds to each row what the caller shows, without any value of its own.
    """
    if not ids:
        return []
    turns = rows.filter(folded_q(now)).order_by()
    held, values = turns.values_list(
        "conversation", "group_id", "audience_id"
    ).query.sql_with_params()
    wanted: dict[str, QueryValue] = {"ids": list(ids), "now": now}
    statement = _LINES_STATEMENT.statement((MAX_TURNS, beside), wanted)
    text, its = statement.filled(wanted)
    with connection.cursor() as cursor:
        cursor.execute(_TURNS_SQL.format(rows=held) + text, (*values, *its))
        known = {row.id: row for row in statement.read(cursor.fetchall())}
    return [_to_line(known[id_]) for id_ in ids if id_ in known]


def _to_line(row: Any) -> Line:
    figures = parse_stats(row.figures)
    if figures is None:
        return row  # type: ignore[no-any-return]  # with the annotations of `load_lines`
    held, audiences = row.held
    return FoldedConversation(row, figures, min(held, MAX_TURNS), held > MAX_TURNS, audiences == 1)


def count_lines(rows: MemoryQuerySet, most: int, now: datetime) -> LineCount:
    """Count memories and lines, up to `most` + 1 memories; one query, in the scope."""
    some = (
        rows.order_by()
        .annotate(talk=folded_conversation(now))
        .values_list("talk", "group_id")[: most + 1]
    )
    found, values = some.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_LINE_COUNT_SQL.format(rows=found), values)
        return LineCount(*cursor.fetchone())
