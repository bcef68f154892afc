"""The selection of memories for a page: filters, order, counts, and filter options."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, Exists, F, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce, Left, Lower
from django.utils import timezone
from psycopg.pq import Format

from memories.browsing.conversation_pages.folded_list import (
    LINES_SQL,
    LineCount,
    count_lines,
    folded_conversation,
    list_newest_line_ids,
)
from memories.browsing.job_pages import visible_jobs
from memories.browsing.memory_queries import filter_memories
from memories.restatement.names import fold_name
from memories.retrieval.search_types import SearchFilters
from memories.retrieval.timeframes.parse_timeframe import end_of_day
from memories.review import waiting_count
from memories.state.supersede_memory import holds_q
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.version import imported_memory_ids
from memories.store.tag_names import coerce_query_tags
from orgs.database.prepared_statements import fetch_all
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, Audience, AudienceType
from orgs.principals import READABLE_GROUP_SQL, Principal

MAX_EXACT_COUNT = 10_000
MAX_OPTIONS = 300
# An order without an index is applied to this many of the newest memories.
MAX_SORTED_ROWS = 10_000
# The characters of a text that sort it.
SORT_TEXT_CHARACTERS = 60
WIDEST_FIRST = (
    AudienceType.ORGANISATION,
    *COHORT_AUDIENCE_TYPES,
    AudienceType.GROUP,
    AudienceType.EXPLICIT,
    AudienceType.MEMBER,
)
# The sort keys of a list, besides the creation time, for which the indexed id serves. Age is when
# it was said, else noted, as in the list.
SORT_KEYS = {
    "text": Lower(Left("content", SORT_TEXT_CHARACTERS)),
    # By uncorrelated subqueries: with a join the audience of each row would be looked up before the
    # newest rows are known. Most rows belong to groups, so that is tested first.
    "readers": Case(
        *(
            When(audience_id__in=Audience.objects.filter(kind=kind).values("id"), then=Value(at))
            for at, kind in sorted(
                enumerate(WIDEST_FIRST), key=lambda one: one[1] != AudienceType.GROUP
            )
        ),
        default=Value(len(WIDEST_FIRST)),
    ),
    # Rows without a value come last.
    "category": Case(When(category="", then=Value("~")), default=F("category")),
    "age": Coalesce("occurred_at", "created_at"),
    "use": Coalesce("known_use__access_count", 0),
}
NEWEST_FIRST = ""
# The filter by readers: names and their audience kinds.
READER_FILTERS: dict[str, tuple[AudienceType, ...]] = {
    "organisation": (AudienceType.ORGANISATION,),
    "group": (AudienceType.GROUP,),
    "explicit": (AudienceType.EXPLICIT,),
    "profession": COHORT_AUDIENCE_TYPES,
    "member": (AudienceType.MEMBER,),
    "review": (AudienceType.REVIEW,),
}
# The filters that the page has in common with the API.
LIST_FILTERS = (
    *("kind", "type", "category", "tier", "level", "tag"),
    *("person", "keyword", "topic"),
)
# An id that no memory has.
NO_MEMORY_ID = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The filters of a page; empty means all. Dates are whole days in UTC.

    readers: one of READERS. as_of: the day at whose end, in the asker's zone, a memory was said and
    true. came: the day on which the memory was stored, in the asker's zone.
    brought: the id of an import of the asker; of another's import nothing is shown.
    """

    group: UUID | None = None
    member: UUID | None = None
    robot: UUID | None = None
    kind: str = ""
    type: str = ""
    category: str = ""
    tier: str = ""
    level: str = ""
    tag: str = ""
    person: str = ""
    keyword: str = ""
    topic: str = ""
    status: str = ""
    since: date | None = None
    until: date | None = None
    brought: UUID | None = None
    readers: str = ""
    came: date | None = None
    as_of: date | None = None

    def __bool__(self) -> bool:
        return bool(self.named())

    def named(self) -> dict[str, str]:
        """The filters that are set, as query parameters."""
        return {name: str(v) for name in self.__dataclass_fields__ if (v := getattr(self, name))}

    @property
    def from_at(self) -> datetime | None:
        return datetime.combine(self.since, time.min, UTC) if self.since else None

    @property
    def to_at(self) -> datetime | None:
        return datetime.combine(self.until, time.max, UTC) if self.until else None

    @property
    def came_between(self) -> tuple[datetime, datetime] | None:
        """The span of `came`: start included, end not."""
        if not self.came:
            return None
        begin = datetime.combine(self.came, time.min, timezone.get_current_timezone())
        return begin, begin + timedelta(days=1)

    @property
    def held_at(self) -> datetime | None:
        """The time of `as_of`."""
        return end_of_day(self.as_of, timezone.get_current_timezone())

    def as_filters(self) -> SearchFilters:
        """The selection as filters of a recall, which finds only active memories."""
        ranges = ((self.from_at, self.to_at),) if self.since or self.until else ()
        return SearchFilters(
            groups=(self.group,) if self.group else (),
            members=(self.member,) if self.member else (),
            robots=(self.robot,) if self.robot else (),
            visibilities=tuple(map(str, READER_FILTERS[self.readers])) if self.readers else (),
            kinds=(self.kind,) if self.kind else (),
            types=(self.type,) if self.type else (),
            categories=(self.category,) if self.category else (),
            tiers=(self.tier,) if self.tier else (),
            levels=(self.level,) if self.level else (),
            tags=coerce_query_tags([self.tag]) if self.tag else (),
            persons=(fold_name(self.person),) if self.person else (),
            keywords=(fold_name(self.keyword),) if self.keyword else (),
            topics=(fold_name(self.topic),) if self.topic else (),
            ranges=ranges,
            as_of=self.held_at,
        )


def select_memories(
    principal: Principal, selection: Selection, now: datetime, *, text: str = ""
) -> MemoryQuerySet:
    """The memories that match, for people; evaluate inside the principal's scope."""
    filters = {
        **{name: getattr(selection, name) for name in LIST_FILTERS},
        "status": selection.status,
        "since": selection.from_at,
        "until": selection.to_at,
        "q": text,
    }
    rows = filter_memories(principal, filters, now).for_people()
    if selection.group:
        rows = rows.filter(group_id=selection.group)
    if selection.robot:
        rows = rows.by_robot(robot_id=selection.robot)
    if selection.member:
        rows = rows.about(selection.member)
    if selection.readers:
        kinds = READER_FILTERS[selection.readers]
        audiences = Audience.objects.filter(organisation_id=principal.organisation_id)
        rows = rows.filter(audience__in=audiences.filter(kind__in=kinds))
    if selection.came_between:
        begin, end = selection.came_between
        rows = rows.filter(created_at__gte=begin, created_at__lt=end)
    if at := selection.held_at:
        said = Coalesce("occurred_at", "created_at")
        rows = rows.alias(said_at=said).filter(holds_q(at), said_at__lte=at)
    if selection.brought:
        own = visible_jobs(principal.actor).filter(id=selection.brought)
        of_it = imported_memory_ids(principal.organisation_id, selection.brought)
        rows = rows.filter(Exists(own), id__in=of_it)
    return rows


# Each row, or in a folded list each line (see `threads.folded`).
_ROWS_SQL = "SELECT key, id FROM found"
# The id of the last of the newest SORTED is found by ids alone: whole rows of all matches would be
# sorted on disk.
_SORTED_SQL = """
WITH border AS MATERIALIZED (SELECT coalesce(({border}), %s::uuid) AS id),
found (key, id, talk, group_id) AS MATERIALIZED ({found}),
last (key, id) AS MATERIALIZED ({last}),
line (key, id) AS ({lines})
SELECT line.id FROM line LEFT JOIN last ON true
WHERE last.id IS NULL OR line.key {after} last.key OR (line.key = last.key AND line.id < last.id)
ORDER BY line.key {direction}, line.id DESC LIMIT %s
"""


def list_sorted_ids(
    principal: Principal,
    rows: MemoryQuerySet,
    order: str,
    counted: int,
    *,
    after: UUID | None,
    most: int,
    now: datetime,
    fold: bool = False,
) -> list[UUID]:
    """The ids of the next `most` rows in this order, after the memory `after`; one query, rarely
    three.

    order: AS_THEY_CAME, the newest first; or one of KEYS, with a minus for descending, equal ones
    the newest first. With KEYS only the newest SORTED rows are sorted. counted: how many rows there
    are, see `count_up_to_limit`. fold: a conversation is listed once, at the first of its turns in
    this order. If `after` is no longer readable, a sorted list starts again. Call inside the
    principal's scope.
    """
    if not counted:
        return []
    if order == NEWEST_FIRST:
        if fold:
            return list_newest_line_ids(rows, after, most, now)
        further = rows.filter(id__lt=after) if after else rows
        return list(further.order_by("-id").values_list("id", flat=True)[:most])
    key, up = SORT_KEYS[order.removeprefix("-")], not order.startswith("-")
    known = rows.annotate(sorted_by=key, talk=folded_conversation(now))
    keyed = known.order_by().values_list("sorted_by", "id", "talk", "group_id")
    everything = Memory.objects.filter(organisation_id=principal.organisation_id).for_people()
    last = (
        everything.filter(id=after or NO_MEMORY_ID)
        .annotate(sorted_by=key)
        .values_list("sorted_by", "id")
    )
    begins, there = "NULL", tuple[Any, ...]()
    if counted > MAX_SORTED_ROWS and order.removeprefix("-") == "text":
        # Texts have no index: rows are read in the order of ids.
        keyed = keyed.order_by("-id")[:MAX_SORTED_ROWS]
    elif counted > MAX_SORTED_ROWS:
        border = rows.order_by("-id").values_list("id", flat=True)[
            MAX_SORTED_ROWS - 1 : MAX_SORTED_ROWS
        ]
        begins, there = border.query.sql_with_params()
        keyed = keyed.filter(id__gte=RawSQL("(SELECT id FROM border)", ()))
    found, values = keyed.query.sql_with_params()
    behind, which = last.query.sql_with_params()
    direction = "ASC" if up else "DESC"
    lines = (
        LINES_SQL.format(rows="found", columns="key, id", direction=direction)
        if fold
        else _ROWS_SQL
    )
    statement = _SORTED_SQL.format(
        border=begins,
        found=found,
        last=behind,
        lines=lines,
        after=">" if up else "<",
        direction=direction,
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, (*there, NO_MEMORY_ID, *values, *which, most))
        return [id_ for (id_,) in cursor.fetchall()]


def is_inactive(selection: Selection) -> bool:
    """Whether the selection is of memories that no recall finds."""
    return selection.status not in ("", Status.ACTIVE)


def is_list_only(selection: Selection) -> bool:
    """Whether the selection is of memories that no recall finds, or has a filter that no recall
    has."""
    return is_inactive(selection) or bool(selection.brought or selection.came)


# Sampled pages of the table, under row-level security: only readable rows are counted.
_SAMPLE_SQL = """
SELECT count(*) * 100.0 / %(percent)s FROM memories_memory TABLESAMPLE SYSTEM (%(percent)s)
WHERE organisation_id = %(organisation)s AND status = 'active'
"""
_TABLE_ROWS_SQL = "SELECT reltuples FROM pg_class WHERE oid = 'memories_memory'::regclass"
SAMPLE_ROWS = 10_000


def count_up_to_limit(rows: MemoryQuerySet, now: datetime, *, fold: bool) -> LineCount:
    """Count rows up to EXACT_COUNT + 1. fold: also count lines."""
    if fold:
        return count_lines(rows, MAX_EXACT_COUNT, now)
    number = rows.order_by()[: MAX_EXACT_COUNT + 1].count()
    return LineCount(number, number, 0)


def estimate_count(principal: Principal, counted: int, *, everything: bool) -> tuple[int, bool]:
    """(count, whether it is exact) from a count up to EXACT_COUNT + 1.

    everything: the rows are unfiltered, so a sample estimates their number. A larger filtered count
    is given as EXACT_COUNT. Call inside the principal's scope.
    """
    if counted <= MAX_EXACT_COUNT:
        return counted, True
    if not everything:
        return MAX_EXACT_COUNT, False
    with connection.cursor() as cursor:
        cursor.execute(_TABLE_ROWS_SQL)
        percent = min(100.0, max(0.01, 100.0 * SAMPLE_ROWS / max(1.0, cursor.fetchone()[0])))
        cursor.execute(_SAMPLE_SQL, {"percent": percent, "organisation": principal.organisation_id})
        return max(MAX_EXACT_COUNT, int(round(float(cursor.fetchone()[0]), -3))), False


@dataclass(slots=True)
class FilterOptions:
    """The filter options of the page, as (id, name); views as (id, name, query).

    held: by the id of a view, how many memories it holds (see `count_each`).

    waiting: how many items wait for the asker (see `waiting_count`), for the page's frame.
    """

    groups: list[tuple[UUID, str]] = field(default_factory=list)
    members: list[tuple[UUID, str]] = field(default_factory=list)
    robots: list[tuple[UUID, str]] = field(default_factory=list)
    views: list[tuple[UUID, str, str]] = field(default_factory=list)
    held: dict[UUID, int] = field(default_factory=dict)
    waiting: int = 0


_OPTIONS_SQL = f"""
(SELECT 'groups', g.id, g.name, '' FROM orgs_group g
 WHERE g.organisation_id = %(organisation)s
   AND {READABLE_GROUP_SQL}
 ORDER BY g.name LIMIT %(groups)s)
UNION ALL
(SELECT 'members', m.id, m.name, '' FROM orgs_member m
 WHERE m.organisation_id = %(organisation)s AND m.removed_at IS NULL
 ORDER BY lower(m.name) LIMIT %(most)s)
UNION ALL
(SELECT 'robots', r.id, r.name, '' FROM robots_robot r
 WHERE r.organisation_id = %(organisation)s AND r.retired_at IS NULL
 ORDER BY r.builtin IS NOT NULL, r.name LIMIT %(most)s)
UNION ALL
(SELECT 'views', v.id, v.name, v.query FROM memories_savedview v
 WHERE v.organisation_id = %(organisation)s AND v.member_id = %(me)s
 ORDER BY lower(v.name) LIMIT %(most)s)
UNION ALL
SELECT 'waiting', NULL, '', count(*)::text FROM ({{waiting}}) w
"""


def load_filter_options(principal: Principal) -> FilterOptions:
    """The filter options; one query, inside the scope of a person."""
    found = FilterOptions()
    rows, values = waiting_count.waiting_subquery(principal.actor)
    told = fetch_all(
        _OPTIONS_SQL.format(waiting=rows),
        {
            **values,
            "organisation": principal.organisation_id,
            "me": principal.actor.member_id,
            "moderates": principal.actor.moderates,
            "groups": 1_000,
            "most": MAX_OPTIONS,
        },
        how=Format.TEXT,
    )
    for what, id_, name, query in told:
        if what == "waiting":
            found.waiting = int(query)
            continue
        getattr(found, what).append((id_, name, query) if what == "views" else (id_, name))
    return found


def list_ids(rows: MemoryQuerySet) -> list[UUID]:
    """The ids of the matches, newest first; at most EXACT_COUNT."""
    return list(rows.order_by("-id").values_list("id", flat=True)[:MAX_EXACT_COUNT])


def load_in_order(principal: Principal, ids: list[UUID]) -> list[Memory]:
    """The readable memories with these ids, in the same order; for people without robots' notes."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id)
    if not principal.actor.robot_id:
        rows = rows.for_people()
    known = rows.with_names().in_bulk(ids)
    return [known[id_] for id_ in ids if id_ in known]
