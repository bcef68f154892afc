"""The candidates of a question: rows near in meaning, and rows that share its words.

Everything runs under row-level security, so the permitted rows are chosen before the limit: k
readable rows are returned whenever k exist. Up to EXACT_SCAN_LIMIT readable rows each is
scored by both arms. Above that the organisation's own indexes give the likely best ones, which both
arms score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from memories.retrieval.candidates.query_words import MAX_QUERY_CHARACTERS
from memories.retrieval.candidates.readable_row_count import count_readable_rows, is_large_scope
from memories.retrieval.candidates.scan_rows import (
    MAIN_TABLE,
    ScannedRows,
    SearchTable,
    compute_idf,
    compute_idf_of_labels,
    decode_labels,
    join_forms,
    scan_rows,
    score_words,
)
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import Candidates, Floats, Ids, SearchRequest
from memories.store.tag_names import possible_query_tags
from orgs.database.driver.standby_reads import search_cursor
from orgs.database.prepared_statements import fetch_all

# Candidates for each arm; with these the top ten equal those of scoring every row
# (docs/adr/0006-recall.md).
CANDIDATES_PER_ARM = 100
# For the weighted reciprocal ranks, as published.
RRF_CANDIDATES_PER_ARM = 50

_BY_TAGS_SQL = """
SELECT n.memory_id,
    (SELECT count(*) FROM unnest(m.tags) AS tag WHERE tag = ANY(%(names)s)) AS shared
FROM {table} n
JOIN memories_memory m ON m.organisation_id = n.organisation_id AND m.id = n.memory_id
WHERE n.organisation_id = %(organisation)s AND m.tags && %(names)s::varchar[] {conditions}
ORDER BY shared DESC, n.memory_id DESC LIMIT %(pool)s
"""

# Uses the organisation's partial HNSW index, which returns rows nearly in order; the policy filters
# them until enough are found.
_HNSW_SQL = """
SELECT n.memory_id FROM memories_search n
WHERE n.organisation_id = %(organisation)s AND n.model = %(model)s
ORDER BY n.embedding <#> %(vector)s::halfvec LIMIT %(pool)s
"""
# The same of the vectors that stand beside the rows.
_HNSW_FURTHER_SQL = """
SELECT v.memory_id FROM memories_vector v
WHERE v.organisation_id = %(organisation)s AND v.model = %(model)s
ORDER BY v.embedding <#> %(vector)s::halfvec LIMIT %(pool)s
"""
_HNSW_SETTINGS_SQL = (
    "SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), "
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), "
    "set_config('hnsw.ef_search', '400', true)"
)
_RESET_SETTINGS_SQL = (
    "SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true)"
)
_WORD_CANDIDATES_SQL = """
SELECT memory_id, frequencies FROM search.word_candidates(
    %(words)s::text[], %(pool)s::int, %(rows)s::float8)
"""
_BY_IDS_SQL = "n.memory_id = ANY(%(ids)s::uuid[])"


@dataclass(frozen=True, slots=True)
class _ScoredRows:
    """Scores of scanned rows, the places that each arm chose, and the highest possible score of
    words."""

    rows: ScannedRows
    words: Floats
    near: NDArray[np.intp]
    worded: NDArray[np.intp]
    most: float


def find_candidates(
    question: SearchRequest, sources: Sequence[SearchTable] = (MAIN_TABLE,)
) -> list[Candidates]:
    """For each source up to POOL memories of each arm, with their scores in both arms."""
    narrowed = [_narrowed(question, source) for source in sources]
    tags = [_fetch_tag_counts(question, source) for source in narrowed]
    # A filtered question is scored exactly, however large the scope.
    is_open = sources[0] is MAIN_TABLE and not narrowed[0].conditions
    if is_open and is_large_scope(question):
        return [_select_candidates(_score_from_indexes(question, list(tags[0])), tags[0])]
    places = question.places if question.strategy != "vector" else ()
    scanned = scan_rows(question, narrowed, places)
    scores = [_score_all(question, rows, places) for rows in scanned]
    return [_select_candidates(one, shared) for one, shared in zip(scores, tags, strict=True)]


def load_candidates(question: SearchRequest, ids: Sequence[UUID]) -> Candidates:
    """These memories as candidates, if they pass the question's filters; no arm has chosen them."""
    source = SearchTable(conditions=(_BY_IDS_SQL,), values={"ids": list(ids)})
    [rows] = scan_rows(question, [_narrowed(question, source)], ())
    nothing = np.full(len(rows), np.nan)
    none = np.empty(0, dtype=np.intp)
    return _select_candidates(_ScoredRows(rows, nothing, none, none, 0.0), dict.fromkeys(ids, 0.0))


def arm_size(question: SearchRequest) -> int:
    """How many candidates each arm chooses."""
    return max(
        RRF_CANDIDATES_PER_ARM if question.fusion == "weighted_rrf" else CANDIDATES_PER_ARM,
        question.limit,
    )


def _narrowed(question: SearchRequest, source: SearchTable) -> SearchTable:
    """The source with the conditions of the question, which come first."""
    conditions, values = build_conditions(question)
    return replace(
        source,
        conditions=(*conditions, *source.conditions),
        values=values | dict(source.values),
    )


def _score_all(question: SearchRequest, rows: ScannedRows, places: Sequence[int]) -> _ScoredRows:
    """The scores of scanned rows. places: those of the question's lexemes that were looked for."""
    scope = len(rows) if question.vector is None else np.count_nonzero(~np.isnan(rows.product))
    labels = decode_labels(rows.codes, len(places), len(rows))
    labels = join_forms(labels, question.word_numbers)
    worth = compute_idf_of_labels(labels, int(scope))
    worded = score_words(labels, rows.length, worth)
    most = arm_size(question)
    by_meaning = question.strategy != "keyword"
    near = top_indexes(rows.product, rows.ids, most) if by_meaning else np.empty(0, dtype=np.intp)
    return _ScoredRows(rows, worded, near, top_indexes(worded, rows.ids, most), float(worth.sum()))


def top_indexes(scores: Floats, ids: Ids, most: int) -> NDArray[np.intp]:
    """The places of the highest scores, never of NaN; of equal scores the younger ids."""
    known = np.flatnonzero(~np.isnan(scores))
    if len(known) > most:
        least = np.partition(scores[known], len(known) - most)[len(known) - most]
        known = known[scores[known] >= least]
    order = np.lexsort((ids[known], scores[known]))[::-1]
    return known[order[:most]]


def _score_from_indexes(question: SearchRequest, more: Sequence[UUID]) -> _ScoredRows:
    """The scores of the rows that the organisation's indexes give; both arms score all of them.

    more: ids that are scored as well.
    """
    near, worded, frequencies = _query_indexes(question)
    ids = list(dict.fromkeys([*near, *worded, *more]))
    places = question.places if frequencies else ()
    by_ids = SearchTable(conditions=(_BY_IDS_SQL,), values={"ids": ids})
    [rows] = scan_rows(question, [by_ids], places)
    labels = decode_labels(rows.codes, len(places), len(rows))
    labels = join_forms(labels, question.word_numbers)
    # The rows of one form of a word have most of the others, too.
    counts = join_forms(np.array(frequencies), question.word_numbers)
    worth = compute_idf(counts, count_readable_rows(question))
    words = score_words(labels, rows.length, worth)
    most = arm_size(question)
    by_meaning = top_indexes(rows.product, rows.ids, most) if near else np.empty(0, dtype=np.intp)
    return _ScoredRows(
        rows, words, by_meaning, top_indexes(words, rows.ids, most), float(worth.sum())
    )


def _values_by_index(ids: Ids, values: Mapping[UUID, float]) -> dict[int, float]:
    """{place of an id among these: its value}; unknown ids are left out."""
    at = {bytes(id_): place for place, id_ in enumerate(ids)}
    # numpy drops trailing zero bytes of ids.
    short = {id_.bytes.rstrip(b"\0"): value for id_, value in values.items()}
    return {at[id_]: value for id_, value in short.items() if id_ in at}


def _query_indexes(question: SearchRequest) -> tuple[list[UUID], list[UUID], list[float]]:
    """(the nearest ids; the ids that may share words best; the number of rows with each word).

    One message by Django's own cursor, not a prepared statement, because the plan depends on the
    organisation.
    """
    values: dict[str, Any] = {"organisation": question.organisation_id}
    values["pool"] = arm_size(question)
    statements = []
    if question.vector is not None and question.strategy != "keyword":
        vector = HalfVector(question.vector).to_text()
        values |= {"model": question.model, "vector": vector}
        # First beside the rows, as in `scan_rows`.
        nearest = [_HNSW_FURTHER_SQL] if question.searches_further else []
        nearest += [_HNSW_SQL] if question.searches_rows else []
        statements = [_HNSW_SETTINGS_SQL, *nearest, _RESET_SETTINGS_SQL]
    if question.strategy != "vector" and question.lexemes:
        values |= {"words": list(question.lexemes), "rows": count_readable_rows(question)}
        statements.append(_WORD_CANDIDATES_SQL)
    found = dict(zip(statements, _fetch_results(";".join(statements), values), strict=True))
    worded = found.get(_WORD_CANDIDATES_SQL, [])
    return (
        [id_ for sql in (_HNSW_SQL, _HNSW_FURTHER_SQL) for (id_,) in found.get(sql, [])],
        [id_ for id_, _ in worded],
        worded[0][1] if worded else [],
    )


def _fetch_results(message: str, values: Mapping[str, Any]) -> list[Any]:
    """The rows of each statement of a message."""
    if not message:
        return []
    with search_cursor() as cursor:
        cursor.execute(message, values)
        rows = [cursor.fetchall()]
        while cursor.nextset():
            rows.append(cursor.fetchall())
        return rows


def _fetch_tag_counts(question: SearchRequest, source: SearchTable) -> dict[UUID, float]:
    """{memory: how many of its tags the question has}, for rankings that use tags: the reciprocal
    ranks and the profile hive."""
    ranks = question.fusion == "rrf" or question.profile == "hive"
    if not (question.strategy == "hybrid" and ranks):
        return {}
    names = possible_query_tags(question.text[:MAX_QUERY_CHARACTERS])
    if not names:
        return {}
    statement = _BY_TAGS_SQL.format(
        table=source.table, conditions="".join(f" AND {c}" for c in source.conditions)
    )
    bound = {
        **source.values,
        "organisation": question.organisation_id,
        "names": names,
        "pool": arm_size(question),
    }
    return {id_: float(shared) for id_, shared in fetch_all(statement, bound)}


def _select_candidates(scores: _ScoredRows, more: Mapping[UUID, float]) -> Candidates:
    """The candidates that an arm chose. more: {id of a further candidate: its number of tags in the
    question}."""
    rows = scores.rows
    tags = _values_by_index(rows.ids, more) if more else {}
    near, worded = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    near[scores.near] = worded[scores.worded] = True
    either = near | worded
    either[list(tags)] = True
    at = np.flatnonzero(either)
    return Candidates(
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
        part=rows.part[at],
        most=scores.most,
    )


def to_tsquery(lexeme: str) -> str:
    """One lexeme as the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
