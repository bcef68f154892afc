"""The two arms: what lies near the question in meaning, and what shares its words.

Both read narrow tables under row-level security, so the permitted rows are chosen before the
limit: k readable rows come back whenever k exist.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from memories.policies.cues import possible_names
from memories.retrieval.conditions import narrow
from memories.retrieval.scale import is_large
from memories.retrieval.types import Candidates, Question

# Per arm; with 200 the top ten are those of scoring every row (docs/benchmarks.md).
POOL = 200
# Of the weighted reciprocal ranks, as they were published.
NARROW_POOL = 50
# A question's first words decide; more would only cost time.
QUERY_CHARACTERS = 2_000
QUERY_LEXEMES = 48

# OFFSET 0 keeps the distance from being computed twice; the covering index holds all columns.
_MEANING = """
SELECT memory_id, -d FROM (
    SELECT n.memory_id, n.embedding <#> %(vector)s::halfvec AS d
    FROM memories_embedding n
    WHERE n.organisation_id = %(organisation)s AND n.model = %(model)s {conditions}
    OFFSET 0
) AS scored ORDER BY d LIMIT %(pool)s
"""

# Words are OR-ed. A lexeme's label is its worth: own 1, a neighbour's .7, .5 or .35; an own one
# counts less in a long text. idf is taken over the rows that the asker may read and no others.
_WORDS = r"""
WITH terms AS MATERIALIZED (
    SELECT lexeme,
        ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS q
    FROM unnest(to_tsvector(%(language)s::regconfig, %(text)s)) LIMIT %(lexemes)s
), hits AS MATERIALIZED (
    SELECT n.memory_id, n.length, terms.lexeme,
        ts_rank('{{.35,.5,.7,1}}', n.lexemes, terms.q) * 1.64493406685 AS worth
    FROM memories_text n CROSS JOIN terms
    WHERE n.organisation_id = %(organisation)s AND n.lexemes @@ terms.q {conditions}
), weights AS (
    SELECT lexeme, ln(1 + (total.n - count(*) + .5) / (count(*) + .5)) AS idf
    FROM hits, (SELECT count(*) AS n FROM memories_text n
                WHERE n.organisation_id = %(organisation)s {conditions}) AS total
    GROUP BY lexeme, total.n
), scored AS (
    SELECT memory_id, sum(idf * CASE WHEN worth > .99
        THEN worth / (.5 + .5 * greatest(1, length / 40.0)) ELSE worth END) AS score
    FROM hits JOIN weights USING (lexeme) GROUP BY memory_id
)
SELECT memory_id, score FROM (
    SELECT memory_id, score, row_number() OVER (ORDER BY score DESC, memory_id DESC) AS place
    FROM scored
) AS ranked WHERE place <= %(pool)s OR memory_id = ANY(%(also)s)
"""

# The organisation's partial HNSW answers; it returns its rows nearly in order, and the policy
# lets through what may be read until enough are found.
_HNSW = """
SELECT n.memory_id, -(n.embedding <#> %(vector)s::halfvec)
FROM memories_embedding n
WHERE n.organisation_id = %(organisation)s AND n.model = %(model)s
ORDER BY n.embedding <#> %(vector)s::halfvec LIMIT %(pool)s
"""
_HNSW_SETTINGS = (
    "SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), "
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), "
    "set_config('hnsw.ef_search', '400', true)"
)
_BACK = "SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true)"
_LARGE_WORDS = (
    "SELECT memory_id, score "
    "FROM search.words(%(language)s::regconfig, %(text)s, %(lexemes)s, %(pool)s)"
)

_TAGS = """
SELECT n.memory_id,
    (SELECT count(*) FROM unnest(m.tags) AS tag WHERE tag = ANY(%(names)s)) AS shared
FROM memories_text n
JOIN memories_memory m ON m.organisation_id = n.organisation_id AND m.id = n.memory_id
WHERE n.organisation_id = %(organisation)s AND m.tags && %(names)s::varchar[] {conditions}
ORDER BY shared DESC, n.memory_id DESC LIMIT %(pool)s
"""

_NAMED = """
WITH named AS (
    SELECT n.speaker_key, count(*) AS rows FROM memories_text n
    WHERE n.organisation_id = %(organisation)s AND n.speaker_key = ANY(%(names)s) {conditions}
    GROUP BY n.speaker_key
)
SELECT speaker_key, rows::float8 / (
    SELECT count(*) FROM memories_text n
    WHERE n.organisation_id = %(organisation)s {conditions}
) FROM named
"""


def _run(template: str, question: Question, **parameters: Any) -> list[tuple[Any, ...]]:
    conditions, values = narrow(question)
    statement = template.format(conditions="".join(f" AND {c}" for c in conditions))
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, **parameters})
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def named_speakers(question: Question) -> dict[str, float]:
    """The speakers in the scope that the question names, with their share of its rows."""
    names = possible_names(question.text[:QUERY_CHARACTERS])
    return dict(_run(_NAMED, question, names=names))


def by_meaning(question: Question, pool: int = POOL) -> Candidates:
    """The nearest memories by inner product with the searched vectors (about -.2 to 1.6)."""
    if question.vector is None:
        return Candidates()
    values: dict[str, Any] = {
        "vector": HalfVector(question.vector).to_text(),
        "model": question.model,
        "pool": max(pool, question.limit),
    }
    if _is_open_and_large(question):
        values["organisation"] = question.organisation_id
        with connection.cursor() as cursor:
            cursor.execute(_HNSW_SETTINGS)
            cursor.execute(_HNSW, values)
            found = dict(cursor.fetchall())
            cursor.execute(_BACK)
        return Candidates(found)
    return Candidates(dict(_run(_MEANING, question, **values)))


def by_words(question: Question, also: Iterable[UUID] = (), pool: int = POOL) -> Candidates:
    """The memories that share most with the question's words, and the score of `also`.

    In a large scope the rarest words choose the candidates, and `also` is not scored.
    """
    values: dict[str, Any] = {
        "text": question.text[:QUERY_CHARACTERS],
        "language": question.language,
        "lexemes": QUERY_LEXEMES,
        "pool": max(pool, question.limit),
    }
    if _is_open_and_large(question):
        with connection.cursor() as cursor:
            cursor.execute(_LARGE_WORDS, values)
            return Candidates({id_: float(score) for id_, score in cursor.fetchall()})
    rows = _run(_WORDS, question, also=list(also), **values)
    return Candidates({id_: float(score) for id_, score in rows})


def by_tags(question: Question, pool: int = POOL) -> Candidates:
    """The memories that carry most tags which the question spells out."""
    names = possible_names(question.text[:QUERY_CHARACTERS])
    rows = _run(_TAGS, question, names=names, pool=max(pool, question.limit))
    return Candidates({id_: float(shared) for id_, shared in rows})


def _is_open_and_large(question: Question) -> bool:
    """Nothing narrows the question and the scope is too large to score every row of it.

    A narrowed question is scored exactly, however large the scope.
    """
    conditions, _values = narrow(question)
    return not conditions and is_large(question)
