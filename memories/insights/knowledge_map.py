"""The knowledge map: what memories are about, who showed what, and when it came.

All of it counts memories that the asker reads, under row-level security. Robots' own notes are left
out, because people do not read them. A memory that names two topics counts for both.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.knowledge_graph.models import (
    PERSON_NOT_REMOVED_SQL,
    QUESTION_NOT_EXPIRED_SQL,
    Edge,
    Entity,
    Relation,
)
from memories.knowledge_graph.node_ids import strip_platform
from memories.language.terms import is_quantity
from memories.retrieval.experts.rank_experts import is_topic
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import marked_name
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_q, not_expired_sql
from orgs.iso_times import to_zone
from orgs.models.audiences import COHORT_AUDIENCE_TYPES
from orgs.principals import Actor, Principal, resolve_principal

MAX_TOPICS, MAX_PEOPLE, MAX_LISTED = 24, 12, 12
# Topics and people are counted in so many of the newest memories until the day.
MAX_COUNTED = 10_000
# Topics are looked for in so many of the newest memories, and so many are looked at.
MAX_SOURCES, MAX_CANDIDATES = 4_000, 200
# The whole time is divided into at most so many periods of whole days.
MAX_PERIODS = 24
# What came in so many days before the chosen one is new.
NEW_DAYS = 30

_READABLE_SQL = f"""organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
    AND {not_expired_sql("memories_memory")}"""
_DAYS_SQL = f"""
SELECT date_bin('1 day', created_at, %(midnight)s::timestamptz), count(*)
FROM memories_memory WHERE {_READABLE_SQL} GROUP BY 1 ORDER BY 1
"""
# Whoever is named is no topic.
_CANDIDATES_SQL = f"""
WITH newest AS MATERIALIZED (
    SELECT id FROM memories_memory WHERE {_READABLE_SQL} AND created_at < %(until)s
    ORDER BY id DESC LIMIT %(sources)s
), named AS MATERIALIZED (
    SELECT n.node, n.type, n.name, n.memory_id FROM newest
    JOIN memories_entity n ON n.organisation_id = %(organisation)s AND n.memory_id = newest.id
        AND n.type IN ('concept', 'person')
)
SELECT node, (array_agg(name ORDER BY memory_id DESC))[1] FROM named
WHERE type = 'concept' AND NOT lower(name) = ANY (
    ARRAY(SELECT lower(name) FROM named WHERE type = 'person'
        UNION SELECT lower(name) FROM orgs_member WHERE organisation_id = %(organisation)s))
GROUP BY node ORDER BY count(*) DESC, node LIMIT %(candidates)s
"""
# The id of the oldest memory that counts is found first, by ids alone; the indexes of nodes begin
# there. What a profession reads shows nobody's knowledge: that would tell who taught it.
_TOPICS_SQL = f"""
WITH border AS MATERIALIZED (
    SELECT coalesce((SELECT id FROM memories_memory WHERE {_READABLE_SQL} AND created_at < %(until)s
        ORDER BY id DESC OFFSET %(most)s LIMIT 1), %(nil)s::uuid) AS id
), newest AS MATERIALIZED (
    SELECT id, audience_id, created_at FROM memories_memory
    WHERE {_READABLE_SQL} AND created_at < %(until)s AND id > (SELECT id FROM border)
), top AS MATERIALIZED (
    SELECT id FROM newest ORDER BY id DESC LIMIT 1
), named AS MATERIALIZED (
    SELECT node, memory_id FROM memories_entity WHERE organisation_id = %(organisation)s
        AND node = ANY(%(nodes)s::uuid[]) AND memory_id > (SELECT id FROM border)
        AND memory_id <= (SELECT id FROM top)
), shown AS MATERIALIZED (
    SELECT e.target, e.source, e.memory_id FROM memories_edge e
    WHERE e.organisation_id = %(organisation)s AND e.relation = 'knows_about'
        AND e.target = ANY(%(nodes)s::uuid[]) AND e.memory_id > (SELECT id FROM border)
        AND e.memory_id <= (SELECT id FROM top)
        AND {PERSON_NOT_REMOVED_SQL} AND {QUESTION_NOT_EXPIRED_SQL}
), cohorts AS MATERIALIZED (
    SELECT id FROM orgs_audience WHERE organisation_id = %(organisation)s
        AND kind = ANY(%(cohorts)s::text[])
)
SELECT 'counted', NULL::uuid, NULL::uuid, count(*), 0,
    (SELECT id <> %(nil)s::uuid FROM border), ''
FROM newest
UNION ALL
SELECT 'topic', node, NULL, count(*), count(*) FILTER (WHERE created_at >= %(recent)s), false,
    ''
FROM named JOIN newest ON newest.id = named.memory_id GROUP BY node
UNION ALL
SELECT 'person', target, source, count(DISTINCT memory_id), 0, false,
    max(memory_id::text)
FROM shown JOIN newest ON newest.id = shown.memory_id
WHERE audience_id NOT IN (SELECT id FROM cohorts)
GROUP BY GROUPING SETS ((source), (source, target))
ORDER BY 1, 4 DESC, 2, 3
"""
# Members by their name; others by the name that a readable memory gives them.
_NAMES_SQL = """
SELECT id, name, true FROM orgs_member
WHERE organisation_id = %(organisation)s AND id = ANY(%(people)s::uuid[]) AND removed_at IS NULL
UNION ALL
SELECT node, name, false FROM memories_entity WHERE organisation_id = %(organisation)s
    AND memory_id = ANY(%(evidence)s::uuid[]) AND node = ANY(%(people)s::uuid[])
ORDER BY 3, 1, 2
"""
_NIL_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class MapPeriod:
    """Whole days, both included, in the asker's time zone; memories: how many came in them."""

    first: date
    last: date
    memories: int


@dataclass(frozen=True, slots=True)
class MapPerson:
    """Somebody who showed something about topics of the map.

    member: whether the node is a member's id; otherwise the name is marked as a mere one.
    memories: how many show something. by_topic: how many show each topic, by its node.
    """

    node: UUID
    name: str
    member: bool
    memories: int
    by_topic: dict[UUID, int]


@dataclass(frozen=True, slots=True)
class MapTopic:
    """memories: how many name it; recent: of these, what came in the last NEW_DAYS days."""

    node: UUID
    name: str
    memories: int
    recent: int


@dataclass(frozen=True, slots=True)
class KnowledgeMap:
    """topics and people: the most memories first. counted: the memories that were looked at, the
    newest until the day; capped: whether there are older ones. until: the last day that counts.

    listed: memories of the chosen topic or person, the newest first.
    """

    periods: list[MapPeriod] = field(default_factory=list)
    until: date | None = None
    topics: list[MapTopic] = field(default_factory=list)
    people: list[MapPerson] = field(default_factory=list)
    counted: int = 0
    capped: bool = False
    listed: list[ListedMemory] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MapRequest:
    """What the asker wants to see: until which day, and the memories of which topic or person.

    period: in place of the day, the number of a period, from 1."""

    until: date | None = None
    period: int | None = None
    topic: UUID | None = None
    person: UUID | None = None


def load_knowledge_map(
    actor: Actor, wanted: MapRequest, *, organisation: str, now: datetime
) -> KnowledgeMap:
    """The map as far as the asker reads it. organisation: its name, for the readers of the list.
    A topic or a person that is not on the map lists nothing."""
    principal = resolve_principal(actor)
    values = {"organisation": principal.organisation_id, "now": now, "nil": _NIL_ID}
    with principal.scope():
        days = _load_days(values, now)
        if not days:
            return KnowledgeMap()
        periods = divide_days(days, to_zone(now, timezone.get_current_timezone()).date())
        until = choose_day(periods, wanted)
        end = datetime.combine(until, time.min, timezone.get_current_timezone()) + timedelta(days=1)
        values |= {"until": end, "recent": end - timedelta(days=NEW_DAYS)}
        names = _load_candidates(values)
        topics, people, counted, capped = _load_topics(values, names)
        listed = _list_chosen(principal, wanted, topics, people, end, now)
        shown = to_listed_memories(principal, listed, organisation) if listed else []
    return KnowledgeMap(periods, until, topics, people, counted, capped, shown)


def _load_days(values: dict[str, Any], now: datetime) -> list[tuple[date, int]]:
    """The days on which something came, in the asker's time zone, with how much."""
    zone = timezone.get_current_timezone()
    midnight = datetime.combine(to_zone(now, zone).date(), time.min, zone)
    rows = fetch_all(_DAYS_SQL, values | {"midnight": midnight})
    # Noon is in the same day on both sides of a change of the clocks.
    days = [(to_zone(at + timedelta(hours=12), zone).date(), count) for at, count in rows]
    return [(day, sum(n for _, n in same)) for day, same in groupby(days, key=lambda one: one[0])]


def divide_days(days: Sequence[tuple[date, int]], today: date) -> list[MapPeriod]:
    """At most MAX_PERIODS periods of the same number of days; the last one ends today, or on the
    last day if that is later. days: in order, at least one."""
    first, end = days[0][0], max(today, days[-1][0])
    width = -(-((end - first).days + 1) // MAX_PERIODS)
    number = -(-((end - first).days + 1) // width)
    counts = [0] * number
    for day, count in days:
        counts[number - 1 - (end - day).days // width] += count
    return [
        MapPeriod(
            max(first, end - timedelta(days=width * (number - at) - 1)),
            end - timedelta(days=width * (number - 1 - at)),
            count,
        )
        for at, count in enumerate(counts)
    ]


def choose_day(periods: Sequence[MapPeriod], wanted: MapRequest) -> date:
    """The last day that counts: within the time of the periods, by default its end."""
    if wanted.period:
        return periods[min(wanted.period, len(periods)) - 1].last
    return min(max(wanted.until or periods[-1].last, periods[0].first), periods[-1].last)


def _load_candidates(values: dict[str, Any]) -> dict[UUID, str]:
    """The names of the topics that the newest memories name most."""
    asked = values | {"sources": MAX_SOURCES, "candidates": MAX_CANDIDATES}
    found = fetch_all(_CANDIDATES_SQL, asked)
    named = [(node, name) for node, name in found if not is_quantity(name) and is_topic(name)]
    return dict(named[:MAX_TOPICS])


def _load_topics(
    values: dict[str, Any], names: dict[UUID, str]
) -> tuple[list[MapTopic], list[MapPerson], int, bool]:
    asked = values | {
        "nodes": list(names),
        "most": MAX_COUNTED,
        "cohorts": list(map(str, COHORT_AUDIENCE_TYPES)),
    }
    topics, totals = list[MapTopic](), dict[UUID, tuple[int, str]]()
    by_person: dict[UUID, dict[UUID, int]] = defaultdict(dict)
    counted, capped = 0, False
    for part, node, person, count, recent, more, evidence in fetch_all(_TOPICS_SQL, asked):
        if part == "counted":
            counted, capped = count, more
        elif part == "topic":
            topics.append(MapTopic(node, names[node], count, recent))
        elif node is None:
            totals[person] = count, evidence
        else:
            by_person[person][node] = count
    people = list(totals)[:MAX_PEOPLE]
    known = _load_names(values, people, [totals[one][1] for one in people]) if people else {}
    found = [
        MapPerson(one, *known[one], totals[one][0], by_person[one])
        for one in people
        if one in known
    ]
    return topics, found, counted, capped


def _load_names(
    values: dict[str, Any], people: Sequence[UUID], evidence: Sequence[str]
) -> dict[UUID, tuple[str, bool]]:
    """Of each person the name and whether it is a member's; without those that have none."""
    found: dict[UUID, tuple[str, bool]] = {}
    asked = values | {"people": list(people), "evidence": list(evidence)}
    for node, name, member in fetch_all(_NAMES_SQL, asked):
        found[node] = (name if member else marked_name(strip_platform(name)), member)
    return found


def _list_chosen(
    principal: Principal,
    wanted: MapRequest,
    topics: Sequence[MapTopic],
    people: Sequence[MapPerson],
    end: datetime,
    now: datetime,
) -> list[Memory]:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).for_people().active(now)
    rows = rows.filter(created_at__lt=end)
    topic = next((one for one in topics if one.node == wanted.topic), None)
    person = next((one for one in people if one.node == wanted.person), None)
    if topic:
        entities = Entity.objects.filter(organisation_id=principal.organisation_id)
        rows = rows.filter(id__in=entities.filter(node=topic.node).values("memory_id"))
    elif person:
        nodes = [one.node for one in topics]
        rows = rows.filter(id__in=_shown_by(principal, person.node, nodes, now))
    # The newest so many are among those that were counted.
    most = topic.memories if topic else person.memories if person else 0
    return rows.with_names().newest(min(most, MAX_LISTED))[0] if most else []


def _shown_by(
    principal: Principal, person: UUID, topics: Sequence[UUID], now: datetime
) -> "QuerySet[Edge, Any]":
    """The ids of the memories in which somebody showed something about a topic, as the map counts
    them."""
    rows = Edge.objects.filter(
        organisation_id=principal.organisation_id,
        relation=Relation.KNOWS_ABOUT,
        source=person,
        target__in=topics,
    ).exclude(audience__kind__in=COHORT_AUDIENCE_TYPES)
    questions = Memory.objects.filter(not_expired_q(now), organisation_id=principal.organisation_id)
    return rows.filter(Q(other=None) | Q(other__in=questions)).values("memory_id")
