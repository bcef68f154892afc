"""What memories name: filter by it, count it, and say what a question and a memory both name.

The names of a memory stand in its restatement (keywords, persons, entities, topic), for the readers
of the memory; entities that were given by hand stand in the graph. Letter case does not count.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models.expressions import RawSQL

from memories.language.excerpts import query_stems, stem
from memories.restatement.models import Restatement
from memories.restatement.name_conditions import CONDITIONS, GIVEN_SQL, NAMING_SQL
from memories.store.models.levels import LEVEL_SQL
from memories.store.models.memory import MemoryQuerySet

# The most memories that are counted: the newest that match.
MAX_COUNTED = 10_000
# The filters of a list, which take one value, and the fields that they look in.
NAME_FILTERS = {
    "keyword": "keywords",
    "person": "persons",
    "entity": "entities",
    "topic": "topics",
}


def fold_name(text: str) -> str:
    """A name as it is compared."""
    return " ".join(text.split()).lower()


def fold_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names as they are compared."""
    return tuple(map(fold_name, texts))


def naming_memories(organisation_id: UUID, named: Mapping[str, str]) -> RawSQL:
    """The ids of memories that name all of these, for a query in the asker's scope. named: by the
    names of NAME_FILTERS; at least one."""
    parts, values = [], list[object]()
    for name, text in named.items():
        field, wanted = NAME_FILTERS[name], [fold_name(text)]
        condition = CONDITIONS[field].format(values="%s")
        part = NAMING_SQL.format(organisation="%s", condition=condition)
        values += [organisation_id, wanted]
        if field == "entities":
            part += f" UNION {GIVEN_SQL.format(organisation='%s', values='%s')}"
            values += [organisation_id, wanted]
        parts.append(f"({part})")
    return RawSQL(" INTERSECT ".join(parts), values)  # noqa: S611 - fixed fragments


_COUNTS_SQL = f"""
WITH chosen AS MATERIALIZED ({{rows}}), named AS MATERIALIZED (
    SELECT r.* FROM chosen c
    JOIN memories_restatement r ON r.organisation_id = %s AND r.memory_id = c.id
), found (facet, key, name, type, memory) AS (
    SELECT 'keywords', lower(w), w, '', n.memory_id FROM named n, unnest(n.keywords) AS w
    UNION ALL
    SELECT 'persons', lower(w), w, '', n.memory_id FROM named n, unnest(n.persons) AS w
    UNION ALL
    SELECT 'entities', lower(e ->> 'name'), e ->> 'name', e ->> 'type', n.memory_id
    FROM named n, jsonb_array_elements(n.entities) AS e
    UNION ALL
    SELECT 'topics', lower(n.topic), n.topic, '', n.memory_id FROM named n WHERE n.topic <> ''
    UNION ALL
    SELECT kept.facet, kept.value, kept.value, '', m.id FROM chosen c
    JOIN memories_memory m ON m.organisation_id = %s AND m.id = c.id,
    LATERAL (VALUES ('levels', {LEVEL_SQL}), ('types', m.type), ('categories', m.category))
        AS kept (facet, value) WHERE kept.value <> ''
), counted AS (
    SELECT facet, min(name) AS name, type, count(DISTINCT memory) AS memories,
        row_number() OVER (PARTITION BY facet ORDER BY count(DISTINCT memory) DESC, key, type)
            AS place
    FROM found GROUP BY facet, key, type
)
SELECT '', '', '', count(*) FROM chosen
UNION ALL
(SELECT facet, name, type, memories FROM counted WHERE place <= %s ORDER BY facet, place)
"""
FACETS = ("keywords", "persons", "entities", "topics", "levels", "types", "categories")


@dataclass(frozen=True, slots=True)
class NameCount:
    """How many of the counted memories have a name. type: of an entity, else empty."""

    name: str
    type: str
    memories: int


@dataclass(frozen=True, slots=True)
class NameCounts:
    """memories: how many were counted, at most MAX_COUNTED; by_facet: see FACETS, the most frequent
    first."""

    memories: int
    by_facet: Mapping[str, Sequence[NameCount]]


def count_names(organisation_id: UUID, rows: MemoryQuerySet, *, limit: int) -> NameCounts:
    """What the newest of these memories name most; one query, in the asker's scope, so a hidden
    memory counts nowhere. limit: the most values of one facet."""
    try:
        chosen, values = rows.order_by("-id").values("id")[:MAX_COUNTED].query.sql_with_params()
    except EmptyResultSet:
        # A filter that nothing can meet, such as a group that nobody of the asker's knows.
        return NameCounts(0, {facet: [] for facet in FACETS})
    with connection.cursor() as cursor:
        cursor.execute(
            _COUNTS_SQL.format(rows=chosen), (*values, organisation_id, organisation_id, limit)
        )
        (_, _, _, memories), *found = cursor.fetchall()
    by_facet: dict[str, list[NameCount]] = defaultdict(list)
    for facet, name, type_, count in found:
        by_facet[facet].append(NameCount(name, type_, count))
    return NameCounts(memories, {facet: by_facet[facet] for facet in FACETS})


def shared_names(text: str, named: Restatement) -> dict[str, list[str]]:
    """What a question names of a memory's names, by facet; without facets that have none."""
    wanted = query_stems(text)
    given = {
        "persons": named.persons,
        "entities": [one["name"] for one in named.entities],
        "keywords": named.keywords,
        "topics": [named.topic] if named.topic else [],
    }
    found = {
        facet: [name for name in names if any(stem(w.lower()) in wanted for w in name.split())]
        for facet, names in given.items()
    }
    return {facet: list(dict.fromkeys(names)) for facet, names in found.items() if names}
