"""The candidates of a question: rows near in meaning, and rows that share its words.

Everything runs under row-level security, so the permitted rows are chosen before the limit: k
readable rows are returned whenever k exist. Up to EXACT readable rows (see `readable_rows`) each is
scored by both arms. Above that the organisation's own indexes give the likely best ones, which both
arms score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from memories.retrieval.candidates import word_codes
from memories.retrieval.candidates.filters import narrow
from memories.retrieval.candidates.question_words import QUERY_CHARACTERS
from memories.retrieval.candidates.readable_rows import is_large, readable
from memories.retrieval.candidates.scan import EVERYTHING, Scanned, Source, scan
from memories.retrieval.types import Floats, Found, Ids, Question
from memories.store.tag_names import spelt
from orgs.database.prepared_statements import fetched

# Candidates for each arm; with these the top ten equal those of scoring every row
# (docs/adr/0006-recall.md).
POOL = 100
# For the weighted reciprocal ranks, as published.
NARROW_POOL = 50

_TAGGED = """
SELECT n.memory_id,
    (SELECT count(*) FROM unnest(m.tags) AS tag WHERE tag = ANY(%(names)s)) AS shared
FROM {table} n
JOIN memories_memory m ON m.organisation_id = n.organisation_id AND m.id = n.memory_id
WHERE n.organisation_id = %(organisation)s AND m.tags && %(names)s::varchar[] {conditions}
ORDER BY shared DESC, n.memory_id DESC LIMIT %(pool)s
"""

# Uses the organisation's partial HNSW index, which returns rows nearly in order; the policy filters
# them until enough are found.
_HNSW = """
SELECT n.memory_id FROM memories_search n
WHERE n.organisation_id = %(organisation)s AND n.model = %(model)s
ORDER BY n.embedding <#> %(vector)s::halfvec LIMIT %(pool)s
"""
_HNSW_SETTINGS = (
    "SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), "
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), "
    "set_config('hnsw.ef_search', '400', true)"
)
_BACK = "SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true)"
_WORDS = """
SELECT memory_id, frequencies FROM search.word_candidates(
    %(words)s::text[], %(pool)s::int, %(rows)s::float8)
"""
_THESE = "n.memory_id = ANY(%(ids)s::uuid[])"


@dataclass(frozen=True, slots=True)
class _Scores:
    """Scores of scanned rows, the places that each arm chose, and the highest possible score of
    words."""

    rows: Scanned
    words: Floats
    near: NDArray[np.intp]
    worded: NDArray[np.intp]
    most: float


def candidates(question: Question, source: Source = EVERYTHING) -> Found:
    """Up to POOL memories of each arm, with their scores in both arms."""
    conditions, values = _asked(question, source)
    tags = _tagged(question, source.table, conditions, values)
    # A filtered question is scored exactly, however large the scope.
    if source is EVERYTHING and not conditions and is_large(question):
        scores = _by_indexes(question, list(tags))
    else:
        scores = _by_scoring_all(question, source, conditions, values)
    return _chosen(scores, tags)


def given(question: Question, ids: Sequence[UUID]) -> Found:
    """These memories as candidates, if they pass the question's filters; no arm has chosen them."""
    conditions, values = _asked(question, EVERYTHING)
    rows = scan(question, EVERYTHING.table, [*conditions, _THESE], values | {"ids": list(ids)}, ())
    nothing = np.full(len(rows), np.nan)
    none = np.empty(0, dtype=np.intp)
    return _chosen(_Scores(rows, nothing, none, none, 0.0), dict.fromkeys(ids, 0.0))


def pool_size(question: Question) -> int:
    """How many candidates each arm chooses."""
    return max(NARROW_POOL if question.fusion == "weighted_rrf" else POOL, question.limit)


def _asked(question: Question, source: Source) -> tuple[list[str], dict[str, Any]]:
    """The conditions of the question and the source, with their parameters."""
    conditions, values = narrow(question)
    return [*conditions, *source.conditions], values | dict(source.values)


def _by_scoring_all(
    question: Question, source: Source, conditions: list[str], values: dict[str, Any]
) -> _Scores:
    places = question.places if question.strategy != "vector" else ()
    rows = scan(question, source.table, conditions, values, places)
    scope = len(rows) if question.vector is None else np.count_nonzero(~np.isnan(rows.product))
    labels = word_codes.labels(rows.codes, len(places), len(rows))
    worth = word_codes.weights(labels, int(scope))
    words = word_codes.word_scores(labels, rows.length, worth)
    most = pool_size(question)
    by_meaning = question.strategy != "keyword"
    near = best(rows.product, rows.ids, most) if by_meaning else np.empty(0, dtype=np.intp)
    return _Scores(rows, words, near, best(words, rows.ids, most), float(worth.sum()))


def best(scores: Floats, ids: Ids, most: int) -> NDArray[np.intp]:
    """The places of the highest scores, never of NaN; of equal scores the younger ids."""
    known = np.flatnonzero(~np.isnan(scores))
    if len(known) > most:
        least = np.partition(scores[known], len(known) - most)[len(known) - most]
        known = known[scores[known] >= least]
    order = np.lexsort((ids[known], scores[known]))[::-1]
    return known[order[:most]]


def _by_indexes(question: Question, more: Sequence[UUID]) -> _Scores:
    """The scores of the rows that the organisation's indexes give; both arms score all of them.

    more: ids that are scored as well.
    """
    near, worded, frequencies = _ask_indexes(question)
    ids = list(dict.fromkeys([*near, *worded, *more]))
    places = question.places if frequencies else ()
    rows = scan(question, EVERYTHING.table, [_THESE], {"ids": ids}, places)
    labels = word_codes.labels(rows.codes, len(places), len(rows))
    worth = word_codes.worth_of(np.array(frequencies), readable(question))
    words = word_codes.word_scores(labels, rows.length, worth)
    most = pool_size(question)
    by_meaning = best(rows.product, rows.ids, most) if near else np.empty(0, dtype=np.intp)
    return _Scores(rows, words, by_meaning, best(words, rows.ids, most), float(worth.sum()))


def _places(ids: Ids, values: Mapping[UUID, float]) -> dict[int, float]:
    """{place of an id among these: its value}; unknown ids are left out."""
    at = {bytes(id_): place for place, id_ in enumerate(ids)}
    # numpy drops trailing zero bytes of ids.
    short = {id_.bytes.rstrip(b"\0"): value for id_, value in values.items()}
    return {at[id_]: value for id_, value in short.items() if id_ in at}


def _ask_indexes(question: Question) -> tuple[list[UUID], list[UUID], list[float]]:
    """(the nearest ids; the ids that may share words best; the number of rows with each word).

    One message by Django's own cursor, not a prepared statement, because the plan depends on the
    organisation.
    """
    values: dict[str, Any] = {"organisation": question.organisation_id}
    values["pool"] = pool_size(question)
    statements = []
    if question.vector is not None and question.strategy != "keyword":
        vector = HalfVector(question.vector).to_text()
        values |= {"model": question.model, "vector": vector}
        statements = [_HNSW_SETTINGS, _HNSW, _BACK]
    if question.strategy != "vector" and question.lexemes:
        values |= {"words": list(question.lexemes), "rows": readable(question)}
        statements.append(_WORDS)
    found = dict(zip(statements, _results(";".join(statements), values), strict=True))
    worded = found.get(_WORDS, [])
    return (
        [id_ for (id_,) in found.get(_HNSW, [])],
        [id_ for id_, _ in worded],
        worded[0][1] if worded else [],
    )


def _results(message: str, values: Mapping[str, Any]) -> list[Any]:
    """The rows of each statement of a message."""
    if not message:
        return []
    with connection.cursor() as cursor:
        cursor.execute(message, values)
        rows = [cursor.fetchall()]
        while cursor.nextset():
            rows.append(cursor.fetchall())
        return rows


def _tagged(
    question: Question, table: str, conditions: Sequence[str], values: dict[str, Any]
) -> dict[UUID, float]:
    """{memory: how many of its tags the question has}, for rankings that use tags: the reciprocal
    ranks and the profile hive."""
    ranks = question.fusion == "rrf" or question.profile == "hive"
    if not (question.strategy == "hybrid" and ranks):
        return {}
    names = spelt(question.text[:QUERY_CHARACTERS])
    if not names:
        return {}
    statement = _TAGGED.format(table=table, conditions="".join(f" AND {c}" for c in conditions))
    bound = values | {
        "organisation": question.organisation_id,
        "names": names,
        "pool": pool_size(question),
    }
    return {id_: float(shared) for id_, shared in fetched(statement, bound)}


def _chosen(scores: _Scores, more: Mapping[UUID, float]) -> Found:
    """The candidates that an arm chose. more: {id of a further candidate: its number of tags in the
    question}."""
    rows = scores.rows
    tags = _places(rows.ids, more) if more else {}
    near, worded = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    near[scores.near] = worded[scores.worded] = True
    either = near | worded
    either[list(tags)] = True
    at = np.flatnonzero(either)
    return Found(
        ids=rows.ids[at],
        product=rows.product[at],
        words=scores.words[at],
        by_meaning=near[at],
        by_words=worded[at],
        by_tags=np.array([tags.get(int(place), 0.0) for place in at], dtype=np.float64),
        length=rows.length[at],
        asks=rows.asks[at],
        timed=rows.timed[at],
        by_named=rows.named[at],
        most=scores.most,
    )


def as_query(lexeme: str) -> str:
    """One lexeme as the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
