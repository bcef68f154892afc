"""The people and things that the recalled memories name."""

from typing import Any

from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.pieces import ContextPiece
from memories.knowledge_graph.models import EntityType
from memories.language.rendering.model_text import render_name
from orgs.database.prepared_statements import fetch_all

ENTITY = "entity"
MAX_ENTITIES = 50
# Action items have a section of their own.
_LISTED_TYPES = tuple(type_ for type_ in EntityType.values if type_ != EntityType.ACTION_ITEM)
# The weight of a thing is the sum over the memories that name it: 1 for the first hit, 1/2 for the
# second, ...
_ENTITIES_SQL = """
SELECT (array_agg(e.id ORDER BY e.extracted_at DESC, e.id))[1], e.type,
    (array_agg(e.name ORDER BY e.extracted_at DESC, e.id))[1], count(*)
FROM unnest(%(memories)s::uuid[]) WITH ORDINALITY AS given (memory, place)
JOIN memories_entity e ON e.organisation_id = %(organisation)s AND e.memory_id = given.memory
WHERE e.type = ANY(%(types)s)
GROUP BY e.node, e.type
ORDER BY e.type = 'concept', sum(1 / given.place::float8) DESC, e.node LIMIT %(most)s
"""


def load_entities(asked: ContextBuildState) -> list[ContextPiece]:
    """At most `max_entities` of the wanted types, best first: things that the best memories or many
    memories name. Concepts come last, since any notable word is one."""
    hits = asked.served.hits if asked.served else []
    values: dict[str, Any] = {
        "organisation": asked.principal.organisation_id,
        "memories": [hit.id for hit in hits],
        "types": [
            one for one in _LISTED_TYPES if one in (asked.query.entity_types or _LISTED_TYPES)
        ],
        "most": asked.query.max_entities,
    }
    rows = fetch_all(_ENTITIES_SQL, values) if hits and asked.query.max_entities else []
    return [
        ContextPiece(
            head=(type_, f"in {_format_memory_count(count)}"),
            text=render_name(name),
            type=ENTITY,
            id=id_,
            more={"entity_type": type_, "name": name},
        )
        for id_, type_, name, count in rows
    ]


def _format_memory_count(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"
