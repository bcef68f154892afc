"""The candidates: what lies near the question in meaning, and what shares its words.

Everything runs under row-level security, so the permitted rows are chosen before the limit: k
readable rows come back whenever k exist. Up to EXACT readable rows (see `scale`) each of them
is scored by both arms, in one statement; above, the organisation's own indexes choose, and each
arm judges what it chose. Either way the candidates travel as columns of numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from memories.language.cues import possible_names
from memories.lifecycle.decay import CATEGORIES
from memories.retrieval.candidates.columns import COLUMNS, pool_from
from memories.retrieval.candidates.filters import Condition, narrow
from memories.retrieval.candidates.question_words import QUERY_CHARACTERS, QUERY_LEXEMES
from memories.retrieval.candidates.readable_rows import is_large, readable
from memories.retrieval.profiles import TIERS
from memories.retrieval.types import Pool, Question
from orgs.database.prepared_statements import fetched

# Per arm; the top ten are those of scoring every row (docs/adr/0006-recall.md).
POOL = 100
# A statement is prepared for so many lexemes; the places that are left over find nothing.
_PLACES = (0, 4, 8, 12, 16, 24, 32, QUERY_LEXEMES)
# Of the weighted reciprocal ranks, as they were published.
NARROW_POOL = 50

# Every readable row by meaning. Without a vector there is none. The covering index holds all that
# is read here.
_NEAR = """
WITH near AS MATERIALIZED (
    SELECT n.memory_id, -(n.embedding <#> %(vector)s::halfvec) AS product
    FROM {embedding} n
    WHERE %(vector)s IS NOT NULL AND n.organisation_id = %(organisation)s
      AND n.model = %(model)s {conditions}
), total AS MATERIALIZED (
    SELECT CASE WHEN %(vector)s IS NOT NULL THEN (SELECT count(*) FROM near) ELSE (
        SELECT count(*) FROM {text} n
        WHERE n.organisation_id = %(organisation)s {conditions}) END AS rows
), """

# Every readable row that shares a word. Words are OR-ed; a lexeme's label is its worth: own 1, a
# neighbour's .7, .5 or .3 (ts_rank of one position gives it exactly); an own one counts less in a
# long text. idf is taken over the rows that the asker may read and no others. Long texts lie
# compressed, and each look at one would unpack it anew: joined to nothing it is unpacked once.
# Short ones are never packed.
_TEXTS = """
texts AS MATERIALIZED (
    SELECT memory_id,
        .5::float8 + .5::float8 * greatest(1, length / 40::float8) AS guard {worths}
    FROM (
        SELECT n.memory_id, n.length, CASE WHEN pg_column_size(n.lexemes) > 1000
            THEN n.lexemes || ''::tsvector ELSE n.lexemes END AS lexemes
        FROM {text} n
        WHERE %(any)s::tsquery IS NOT NULL AND n.organisation_id = %(organisation)s
          AND n.lexemes @@ %(any)s::tsquery {conditions}
        OFFSET 0
    ) AS unpacked
), weights AS MATERIALIZED (
    SELECT total.rows {weights} FROM total, (SELECT count(*) AS hits {counts} FROM texts) AS c
), words AS MATERIALIZED (
    SELECT texts.memory_id, {score} AS score FROM texts, weights
), """
_WORTH = (
    ", CASE WHEN lexemes @@ %(q{i})s::tsquery THEN ts_rank('{{.3,.5,.7,1}}', lexemes, "
    "%(q{i})s::tsquery) * 1.64493406685::float8 ELSE 0 END AS w{i}"
)
_COUNT = ", count(*) FILTER (WHERE w{i} > 0) AS c{i}"
_WEIGHT = ", ln(1 + (greatest(total.rows - c{i}, 0) + .5::float8) / (c{i} + .5::float8)) AS i{i}"
_SCORE = "i{i} * CASE WHEN w{i} > .99 THEN w{i} / guard ELSE w{i} END"

_TAGGED = """
tagged AS MATERIALIZED (
    SELECT n.memory_id, (SELECT count(*) FROM unnest(m.tags) AS tag
                         WHERE tag = ANY(%(names)s)) AS shared
    FROM {text} n
    JOIN memories_memory m ON m.organisation_id = n.organisation_id AND m.id = n.memory_id
    WHERE %(with_tags)s AND n.organisation_id = %(organisation)s
      AND m.tags && %(names)s::varchar[] {conditions}
    ORDER BY shared DESC, n.memory_id DESC LIMIT %(pool)s
), """

# Full joins, for these the planner always hashes: it takes what the CTEs hold for a row or two,
# and looping over every row for each candidate took most of the time.
_BEST = """
judged AS MATERIALIZED (
    SELECT memory_id, near.product, words.score, tagged.shared
    FROM near FULL JOIN words USING (memory_id) FULL JOIN tagged USING (memory_id)
), found AS MATERIALIZED (
    SELECT memory_id, max(near) AS near, max(worded) AS worded, max(coalesce(shared, 0)) AS tagged,
        max(product) AS product, max(score) AS score
    FROM (
        (SELECT judged.*, 1 AS near, 0 AS worded FROM judged
         WHERE %(by_meaning)s AND product IS NOT NULL
         ORDER BY product DESC, memory_id DESC LIMIT %(pool)s)
        UNION ALL
        (SELECT judged.*, 0, 1 FROM judged WHERE score IS NOT NULL
         ORDER BY score DESC, memory_id DESC LIMIT %(pool)s)
        UNION ALL
        (SELECT judged.*, 0, 0 FROM judged WHERE shared > 0)
    ) AS arms GROUP BY memory_id
), candidates AS MATERIALIZED (
    SELECT found.*, t.length, t.asks, t.timed, t.speaker_key
    FROM found LEFT JOIN memories_text t
        ON t.organisation_id = %(organisation)s AND t.memory_id = found.memory_id
)
"""

# What the indexes of a large organisation choose, with what the rows themselves say. What lies near
# is handed in: its index needs settings of its own. `found` is made first, or its memory_id is an
# expression that row-level security takes for leaky, and every readable row is read for each.
_CHOSEN = """
WITH {tagged} near AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::uuid[], %(products)s::float8[]) AS given (memory_id, product)
), words AS MATERIALIZED (
    SELECT memory_id, score, most FROM search.words(
        %(language)s::regconfig, %(text)s::text, %(lexemes)s::int, %(pool)s::int, %(rows)s::float8)
    WHERE %(by_words)s
), found AS MATERIALIZED (
    SELECT memory_id, (near.memory_id IS NOT NULL)::int AS near, near.product,
        (words.memory_id IS NOT NULL)::int AS worded, words.score,
        coalesce(tagged.shared, 0) AS tagged
    FROM near FULL JOIN words USING (memory_id) FULL JOIN tagged USING (memory_id)
), candidates AS MATERIALIZED (
    SELECT f.memory_id, f.near, f.worded, f.tagged, f.score, t.length, t.asks, t.timed,
        t.speaker_key, coalesce(f.product, (
            SELECT -(e.embedding <#> %(vector)s::halfvec) FROM memories_embedding e
            WHERE e.organisation_id = %(organisation)s AND e.memory_id = f.memory_id
              AND e.model = %(model)s)) AS product
    FROM found f
    LEFT JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.memory_id = f.memory_id
)
"""
_MOST = "(SELECT max(most) FROM words)"

# Memories that something else has chosen, as far as they pass what narrows the question.
_GIVEN = """
WITH candidates AS MATERIALIZED (
    SELECT n.memory_id, 0 AS near, 0 AS worded, 0 AS tagged, NULL::float8 AS score, n.length,
        n.asks, n.timed, n.speaker_key, (
            SELECT -(e.embedding <#> %(vector)s::halfvec) FROM memories_embedding e
            WHERE e.organisation_id = n.organisation_id AND e.memory_id = n.memory_id
              AND e.model = %(model)s) AS product
    FROM memories_text n
    WHERE n.organisation_id = %(organisation)s AND n.memory_id = ANY(%(ids)s::uuid[]) {conditions}
)
"""

_SIMILARITY = (
    "(SELECT -(e.own <#> %(vector)s::halfvec) FROM memories_embedding e WHERE "
    "e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s)"
)

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


@dataclass(frozen=True, slots=True)
class Source:
    """Where a question is searched: tables, and fixed conditions on them (alias n).

    text, embedding: tables with the columns of the narrow ones that are searched.
    """

    text: str = "memories_text"
    embedding: str = "memories_embedding"
    conditions: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


EVERYTHING = Source()


def candidates(question: Question, source: Source = EVERYTHING) -> Pool:
    """Up to POOL memories of each arm, with all that scoring needs to know of them."""
    conditions, values = _asked(question, source)
    # A narrowed question is scored exactly, however large the scope.
    if source is EVERYTHING and not conditions and is_large(question):
        return _by_indexes(question, values)
    return _by_scoring_all(question, source, conditions, values)


def _asked(question: Question, source: Source) -> Condition:
    """What narrows the question there, and every parameter but the words."""
    conditions, values = narrow(question)
    conditions += source.conditions
    values |= source.values
    values |= {
        "vector": None if question.vector is None else HalfVector(question.vector).to_text(),
        "model": question.model,
        "pool": max(NARROW_POOL if question.fusion == "weighted_rrf" else POOL, question.limit),
        "now": question.now,
        "asker": question.asker,
        "named": list(question.named),
        "every_category": list(CATEGORIES),
        "every_tier": list(TIERS),
        "with_tags": question.strategy == "hybrid" and question.fusion == "rrf",
        "names": [],
    }
    if values["with_tags"]:
        values["names"] = possible_names(question.text[:QUERY_CHARACTERS])
    return conditions, values


def exact(question: Question, source: Source = EVERYTHING) -> tuple[str, dict[str, Any]]:
    """The statement that judges every readable row of a source, and its parameters."""
    return _exact(question, source, *_asked(question, source))


def _by_scoring_all(
    question: Question, source: Source, conditions: list[str], values: dict[str, Any]
) -> Pool:
    [(ids, packed, weights)] = fetched(*_exact(question, source, conditions, values))
    return pool_from(ids, packed, sum(weights[: len(_words(question))]))


def _words(question: Question) -> tuple[str, ...]:
    return question.lexemes if question.strategy != "vector" else ()


def _exact(
    question: Question, source: Source, conditions: list[str], values: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    narrowed = "".join(f" AND {c}" for c in conditions)
    lexemes = _words(question)
    numbers = range(next(n for n in _PLACES if n >= len(lexemes)))
    statement = "".join(
        (
            _NEAR.format(conditions=narrowed, text=source.text, embedding=source.embedding),
            _TEXTS.format(
                text=source.text,
                conditions=narrowed,
                worths="".join(_WORTH.format(i=i) for i in numbers),
                counts="".join(_COUNT.format(i=i) for i in numbers),
                weights="".join(_WEIGHT.format(i=i) for i in numbers),
                score=" + ".join(_SCORE.format(i=i) for i in numbers) or "0::float8",
            ),
            _TAGGED.format(conditions=narrowed, text=source.text),
            _BEST,
            _columns(question, ", ".join(f"i{i}" for i in numbers), " FROM weights"),
        )
    )
    values |= {f"q{i}": None for i in numbers}
    values |= {f"q{i}": as_query(lexeme) for i, lexeme in enumerate(lexemes)}
    values["any"] = " | ".join(as_query(lexeme) for lexeme in lexemes) or None
    values["by_meaning"] = question.strategy != "keyword"
    return statement, values


def _by_indexes(question: Question, values: dict[str, Any]) -> Pool:
    near: dict[UUID, float] = {}
    if question.vector is not None and question.strategy != "keyword":
        with connection.cursor() as cursor:
            cursor.execute(_HNSW_SETTINGS)
            cursor.execute(_HNSW, values)
            near = dict(cursor.fetchall())
            cursor.execute(_BACK)
    values |= {
        "ids": list(near),
        "products": list(near.values()),
        "by_words": question.strategy != "vector",
        "language": question.language,
        "text": question.text[:QUERY_CHARACTERS],
        "lexemes": QUERY_LEXEMES,
        "rows": readable(question),
    }
    statement = _CHOSEN.format(tagged=_TAGGED.format(conditions="", text="memories_text"))
    [(ids, packed, [best])] = fetched(statement + _columns(question, _MOST, ""), values)
    return pool_from(ids, packed, best or 0.0)


def given(question: Question, ids: Sequence[UUID]) -> Pool:
    """These memories as candidates, with all that scoring needs; neither arm has chosen them."""
    conditions, values = _asked(question, EVERYTHING)
    statement = _GIVEN.format(conditions="".join(f" AND {c}" for c in conditions))
    [(found, packed, _)] = fetched(
        statement + _columns(question, "", ""), values | {"ids": list(ids)}
    )
    return pool_from(found, packed, 0.0)


def _columns(question: Question, weights: str, source: str) -> str:
    wanted = question.with_similarity or question.min_similarity is not None
    return COLUMNS.format(
        similarity=_SIMILARITY if wanted else "NULL", weights=weights, source=source
    )


def as_query(lexeme: str) -> str:
    """One lexeme as the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
