"""The two arms: what lies near the question in meaning, and what shares its words.

Both read narrow tables under row-level security, so the permitted rows are chosen before the
limit: k readable rows come back whenever k exist.
"""

from typing import Any

from django.db import connection
from pgvector import HalfVector

from memories.retrieval.conditions import narrow
from memories.retrieval.types import Candidates, Question

# Per arm; the fused ranking is settled among these.
POOL = 200
# A query's first words decide; more would only cost time.
QUERY_CHARACTERS = 2_000

# OFFSET 0 keeps the distance from being computed twice; the index holds all columns.
_VECTOR = """
WITH scored AS MATERIALIZED (
    SELECT n.memory_id, n.embedding <#> %(vector)s::halfvec AS d
    FROM memories_embedding n
    WHERE n.organisation_id = %(organisation)s AND n.model = %(model)s {conditions}
)
SELECT memory_id, -d, (SELECT -max(d) FROM scored) FROM scored ORDER BY d LIMIT %(pool)s
"""

# Words are OR-ed: plainto_tsquery would demand all of them. Neighbouring turns count less.
_KEYWORD = """
WITH asked AS MATERIALIZED (
    SELECT nullif(replace(plainto_tsquery(%(language)s::regconfig, %(text)s)::text, '&', '|'), '')
        ::tsquery AS q
)
SELECT n.memory_id, ts_rank('{{0, 0, .5, 1}}', n.lexemes, asked.q) AS rank
FROM memories_text n, asked
WHERE n.organisation_id = %(organisation)s AND n.lexemes @@ asked.q {conditions}
ORDER BY rank DESC, n.memory_id DESC LIMIT %(pool)s
"""


def _run(template: str, question: Question, **parameters: Any) -> list[tuple[Any, ...]]:
    conditions, values = narrow(question)
    statement = template.format(conditions="".join(f" AND {c}" for c in conditions))
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, **parameters})
        return cursor.fetchall()


def by_meaning(question: Question, pool: int = POOL) -> Candidates:
    """The nearest memories by inner product; floor is the farthest in the whole scope."""
    if question.vector is None:
        return Candidates()
    rows = _run(
        _VECTOR,
        question,
        vector=HalfVector(question.vector).to_text(),
        model=question.model,
        pool=max(pool, question.limit),
    )
    if not rows:
        return Candidates()
    return Candidates({row[0]: row[1] for row in rows}, floor=rows[0][2])


def by_words(question: Question, pool: int = POOL) -> Candidates:
    """The memories that share most with the question's words; floor is 0, sharing none."""
    rows = _run(
        _KEYWORD,
        question,
        text=question.text[:QUERY_CHARACTERS],
        language=question.language,
        pool=max(pool, question.limit),
    )
    return Candidates({row[0]: row[1] for row in rows})
