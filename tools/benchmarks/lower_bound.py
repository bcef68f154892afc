"""What no recall can avoid, each by its best statement: an honest floor.

The exact ten nearest vectors in the scope by bare pgvector, the ten rows that share most of the
words by one OR query over a bare tsvector, and the bare encoder. A superuser asks, past row-level
security, with the audiences as a condition; everything is prepared.
"""

import time
from collections.abc import Sequence
from typing import Any

import psycopg
from pgvector import HalfVector
from psycopg.pq import Format

from memories.embedding.encoder_loading import get_encoder
from memories.retrieval.candidates.search import to_tsquery
from orgs.principals import Principal

TOP = 10

_NEAREST = """
SELECT memory_id FROM memories_search
WHERE organisation_id = %(organisation)s AND audience_id = ANY(%(audiences)s::uuid[])
ORDER BY embedding <#> %(vector)s::halfvec LIMIT %(top)s::int
"""
_BY_WORDS = """
SELECT memory_id FROM memories_text
WHERE organisation_id = %(organisation)s AND audience_id = ANY(%(audiences)s::uuid[])
  AND lexemes @@ %(any)s::tsquery
ORDER BY ts_rank(lexemes, %(any)s::tsquery) DESC LIMIT %(top)s::int
"""
_LEXEMES = "SELECT tsvector_to_array(to_tsvector('english', %s))"


class LowerBound:
    """Asks the bare statements over one connection."""

    def __init__(self, bare: psycopg.Connection[Any], principal: Principal) -> None:
        self.bare = bare
        self.values: dict[str, Any] = {
            "organisation": principal.organisation_id,
            "audiences": sorted(principal.audiences),
            "top": TOP,
        }

    def milliseconds(self, text: str) -> tuple[float, float]:
        """(SQL, encoder) for one question."""
        started = time.perf_counter()
        vector = get_encoder().encode([text], is_query=True)[0]
        encoded = time.perf_counter()
        values = self.values | {
            "vector": HalfVector(vector).to_text(),
            "any": " | ".join(to_tsquery(word) for word in self._lexemes(text)) or None,
        }
        asked = time.perf_counter()
        for statement in (_NEAREST, _BY_WORDS):
            self._ask(statement, values)
        return (time.perf_counter() - asked) * 1000, (encoded - started) * 1000

    def _lexemes(self, text: str) -> Sequence[str]:
        [(words,)] = self.bare.execute(_LEXEMES, [text]).fetchall()
        return list(words or ())

    def _ask(self, statement: str, values: dict[str, Any]) -> None:
        cursor = psycopg.Cursor(self.bare)
        cursor.format = Format.BINARY
        cursor.execute(statement, values, prepare=True)
        cursor.fetchall()
