"""Why a readable memory was no candidate: each filter is tried by itself."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from memories.indexing.models import SEARCHED_VECTORS_SQL
from memories.retrieval.candidates.search import to_tsquery
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import SearchFilters, SearchRequest

_MATCHES_SQL = (
    "SELECT EXISTS (SELECT 1 FROM memories_text n WHERE n.organisation_id = %(organisation)s "
    "AND n.memory_id = %(memory)s {conditions})"
)


_SIMILARITY_SQL = f"""
SELECT e.product, o.similarity, EXISTS (
    SELECT 1 FROM memories_text t WHERE t.organisation_id = %(organisation)s
    AND t.memory_id = %(memory)s AND t.lexemes @@ ANY (%(lexemes)s::tsquery[]))
FROM (SELECT 1) AS one LEFT JOIN (
    SELECT -(embedding <#> %(vector)s::halfvec) AS product
    FROM {SEARCHED_VECTORS_SQL} AS s WHERE organisation_id = %(organisation)s
    AND memory_id = %(memory)s AND model = %(model)s) AS e ON true LEFT JOIN (
    SELECT -(own <#> %(vector)s::halfvec) AS similarity
    FROM memories_embedding WHERE organisation_id = %(organisation)s
    AND memory_id = %(memory)s AND model = %(model)s) AS o ON true
"""


@dataclass(frozen=True, slots=True)
class QuerySimilarity:
    """The similarity of a memory that was no candidate with the question.

    product, similarity: see `Candidates`; None without a vector on either side.
    """

    product: float | None
    similarity: float | None
    shares_words: bool


def load_similarity(question: SearchRequest, memory_id: UUID) -> QuerySimilarity:
    """The similarity of one memory; one query, inside the asker's scope."""
    vector = None if question.vector is None else HalfVector(question.vector).to_text()
    with connection.cursor() as cursor:
        cursor.execute(
            _SIMILARITY_SQL,
            {
                "organisation": question.organisation_id,
                "memory": memory_id,
                "model": question.model,
                "vector": vector,
                "lexemes": [to_tsquery(lexeme) for lexeme in question.lexemes],
            },
        )
        return QuerySimilarity(*cursor.fetchone())


def excluding_filters(question: SearchRequest, memory_id: UUID) -> list[str]:
    """The names of the filters that exclude an indexed memory; call inside the asker's scope.

    A name is that of a field of the recall: group, include_shared, timeframe or filters.<name>.
    """
    return [
        name
        for name, alone in _iter_single_filters(question)
        if not passes_filters(alone, memory_id)
    ]


def passes_filters(question: SearchRequest, memory_id: UUID) -> bool:
    """Whether the memory is searchable and passes all filters of the question."""
    conditions, values = build_conditions(question)
    statement = _MATCHES_SQL.format(conditions="".join(f" AND {c}" for c in conditions))
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, "memory": memory_id})
        return bool(cursor.fetchone()[0])


# How a request names what is no field of its `filters`.
_LABELS = {"ranges": "timeframe", "as_of": "as_of"}


def _iter_single_filters(question: SearchRequest) -> Iterator[tuple[str, SearchRequest]]:
    """(name, the question with only this filter) for each filter."""
    bare = replace(question, context_group=None, include_shared=True, filters=SearchFilters())
    if question.context_group and not question.include_direct:
        yield "group", replace(bare, context_group=question.context_group)
    if not question.include_shared:
        yield "include_shared", replace(bare, include_shared=False)
    given, nothing = question.filters, SearchFilters()
    for name in SearchFilters.__dataclass_fields__:
        value = getattr(given, name)
        if value != getattr(nothing, name):
            label = _LABELS.get(name, f"filters.{name}")
            yield label, replace(bare, filters=replace(nothing, **{name: value}))
