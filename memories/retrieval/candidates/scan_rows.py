"""Scan narrow rows: the similarity of each, and which of the question's words it shares.

The rows leave the database as columns of numbers, because as Python objects they would cost more
than the search. Row-level security chooses the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.language.comparison.text_comparison import jaccard_index
from memories.retrieval.candidates.query_words import MAX_QUERY_CHARACTERS
from memories.retrieval.search_types import PART_BITS, Candidates, Floats, Ids, SearchRequest
from memories.store.tag_names import possible_query_tags, with_ancestors
from orgs.database.driver.binary_values import encode_halfvec, encode_uuid_bytes
from orgs.database.prepared_statements import fetch_all, fetch_pipelined

# Merge the candidates of several searches, each memory once. Pure.

_CANDIDATE_COLUMNS = [one.name for one in fields(Candidates) if one.name != "most"]


def merge_candidates(pools: Sequence[Candidates]) -> tuple[Candidates, NDArray[np.intp]]:
    """(all candidates, for each place the number of the pool that it comes from).

    If several pools have a memory, the first one counts.
    """
    origins = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
    if len(pools) == 1:
        return pools[0], origins
    columns = {
        name: np.concatenate([getattr(p, name) for p in pools]) for name in _CANDIDATE_COLUMNS
    }
    first = np.sort(np.unique(columns["ids"], return_index=True)[1])
    kept = {name: column[first] for name, column in columns.items()}
    return Candidates(**kept, most=max(pool.most for pool in pools)), origins[first]


def select_candidates(found: Candidates, places: NDArray[np.intp]) -> Candidates:
    """The candidates at these places."""
    columns = {name: getattr(found, name)[places] for name in _CANDIDATE_COLUMNS}
    return Candidates(**columns, most=found.most)


# The similarity of the tags of a question and its candidates, for the profile hive.

_TAGS_SQL = """
SELECT m.id, m.tags FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND cardinality(m.tags) > 0
"""


def compute_tag_similarity(question: SearchRequest, ids: Ids) -> Floats:
    """The Jaccard index of the question's and each candidate's tags, NaN if neither has any.

    The question's tags are those of its filter, with their parents, and those of the candidates
    that its words spell out.
    """
    likeness = np.full(len(ids), np.nan)
    values = {"organisation": question.organisation_id, "ids": encode_uuid_bytes(ids)}
    # numpy drops trailing zero bytes of ids.
    of = {id_.bytes.rstrip(b"\0"): frozenset(tags) for id_, tags in fetch_all(_TAGS_SQL, values)}
    asked = {above for tag in question.filters.tags for above in with_ancestors(tag)}
    asked |= frozenset().union(*of.values()) & set(
        possible_query_tags(question.text[:MAX_QUERY_CHARACTERS])
    )
    # numpy writes None as NaN.
    likeness[:] = [jaccard_index(asked, of.get(bytes(id_), frozenset())) for id_ in ids]
    return likeness


# The words that rows share with a question, encoded in one inner product. Pure.
# The sparse vector of a row has 4, 3, 2 or 1 at the place of each word, for the labels A (its
# own), B, C, D (a neighbour's). The vector of the question has 8^i at the place of its word i.
# The inner product is the sum of label x 8^i, from which every label can be decoded. Eight words
# fill the 24 bits that a float32 adds exactly; more words need more products.

DIMENSIONS = 536_870_912
WORDS_PER_CODE, BITS_PER_WORD = 8, 3
# The weight of each label, by its number; 0 means none.
LABEL_WEIGHTS = np.array([0.0, 0.3, 0.5, 0.7, 1.0])
OWN_LABEL = 4
# Own words count less in texts with more lexemes than this.
LONG_TEXT_LEXEMES = 40

Labels = NDArray[np.int64]


def encode_query(places: Sequence[int]) -> list[str]:
    """The question as sparse vectors in text form, one for each eight words. places: counted from
    1."""
    found = []
    for start in range(0, len(places), WORDS_PER_CODE):
        values: dict[int, int] = {}
        for i, place in enumerate(places[start : start + WORDS_PER_CODE]):
            values[place] = values.get(place, 0) + (1 << BITS_PER_WORD * i)
        body = ",".join(f"{place}:{values[place]}" for place in sorted(values))
        found.append(f"{{{body}}}/{DIMENSIONS}")
    return found


def decode_labels(codes: Sequence[Floats], words: int, rows: int) -> Labels:
    """An array of shape (words, rows): the number of the label of each word in each row, 0 for
    none."""
    whole = [code.astype(np.int64) for code in codes]
    found = np.empty((words, rows), dtype=np.int64)
    for i in range(words):
        code, at = divmod(i, WORDS_PER_CODE)
        found[i] = (whole[code] >> BITS_PER_WORD * at) & (1 << BITS_PER_WORD) - 1
    return found


def join_forms(found: NDArray[Any], numbers: Sequence[int]) -> NDArray[Any]:
    """The highest value among the forms of each word. found: lexemes along the first axis; numbers:
    equal for the forms of one word (see `SearchRequest`)."""
    if not len(found) or len(set(numbers)) == len(numbers):
        return found
    _, first = np.unique(np.sort(numbers), return_index=True)
    joined: NDArray[Any] = np.maximum.reduceat(found[np.argsort(numbers, kind="stable")], first)
    return joined


def compute_idf_of_labels(found: Labels, rows: int) -> Floats:
    """The weight of each word, by how many of the rows have it (see `compute_idf`)."""
    return compute_idf(np.count_nonzero(found, axis=1).astype(np.float64), rows)


def compute_idf(counts: Floats, rows: int) -> Floats:
    """The weight of a word that n of the rows have, as in BM25: ln(1 + (rows - n + .5) / (n +
    .5))."""
    worth: Floats = np.log1p((np.maximum(rows - counts, 0) + 0.5) / (counts + 0.5))
    return worth


def score_words(found: Labels, length: Floats, worth: Floats) -> Floats:
    """For each row the sum over its words of weight of the label x weight of the word; NaN without
    a shared word.

    An own word of a long text is divided by (.5 + .5 max(1, length / 40)).
    """
    damping = 0.5 + 0.5 * np.maximum(1.0, length / LONG_TEXT_LEXEMES)
    if not len(found):
        return np.full(len(length), np.nan)
    each = np.where(found == OWN_LABEL, 1.0 / damping, LABEL_WEIGHTS[np.minimum(found, OWN_LABEL)])
    scores: Floats = worth @ each
    scores[~found.any(axis=0)] = np.nan
    return scores


# dimensions, flags, type, length and lower bound of the one dimension.
_ARRAY_HEADER_BYTES = 20
_PRODUCT_SQL = """coalesce(CASE WHEN n.model = %(model)s
    THEN -(n.embedding <#> %(vector)s::halfvec) END, 'NaN')"""
_NO_PRODUCT_SQL = "'NaN'::float8"
_IS_NAMED_SQL = "(n.speaker = ANY(%(named)s))::int"
_CODE_SQL = ", array_send(array_agg(-(n.words <#> %(code{i})s::sparsevec)))"
_SCAN_SQL = """
SELECT array_send(array_agg(n.memory_id)), array_send(array_agg({product})),
    array_send(array_agg(n.length * 8 + {named} * 4 + n.asks::int * 2 + n.timed::int)){codes}
FROM {table} n WHERE n.organisation_id = %(organisation)s{conditions}
"""
# Vectors of the serving model that stand beside the rows (`OrganisationModels.rows`).
_FURTHER_SQL = """
SELECT array_send(array_agg(v.memory_id)),
    array_send(array_agg(-(v.embedding <#> %(vector)s::halfvec))),
    array_send(array_agg((v.part::int8 << {two_fields}) + (v.first_character::int8 << {one_field})
        + v.end_character))
FROM memories_vector v{joined}
WHERE v.organisation_id = %(organisation)s AND v.model = %(model)s{conditions}
"""
_JOINED_SQL = (
    " JOIN {table} n ON n.organisation_id = v.organisation_id AND n.memory_id = v.memory_id"
)


@dataclass(frozen=True, slots=True)
class SearchTable:
    """Where a question is searched: a table of narrow rows (alias n), with fixed conditions."""

    table: str = "memories_search"
    conditions: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


MAIN_TABLE = SearchTable()


@dataclass(frozen=True, slots=True)
class ScannedRows:
    """Rows as columns. product: inner product with the searched vector, or NaN; length: in lexemes;
    named: whether the question names the speaker; codes: see `decode_labels`, one column for each
    eight words; part: see `Candidates`."""

    ids: Ids
    product: Floats
    length: Floats
    asks: NDArray[np.bool_]
    timed: NDArray[np.bool_]
    named: NDArray[np.bool_]
    codes: tuple[Floats, ...]
    part: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


def scan_rows(
    question: SearchRequest, sources: Sequence[SearchTable], words: Sequence[int]
) -> list[ScannedRows]:
    """For each source all rows that meet its conditions; all are read in one message.

    words: places of the question's lexemes. Call inside the asker's scope.
    """
    statements = [scan_statement(question, source, words) for source in sources]
    if question.vector is None or not question.searches_further:
        return [_decode_rows(*rows) for [rows] in fetch_pipelined(statements)]
    # Read first: vectors move into the rows, never out of them, so none is missed on its way.
    vector = encode_halfvec(question.vector)
    more = [_further_statement(question, source, vector) for source in sources]
    found = fetch_pipelined([*more, *statements])
    further, scanned = found[: len(sources)], found[len(sources) :]
    return [
        _add_vectors(_decode_rows(*rows), *vectors)
        for [rows], [vectors] in zip(scanned, further, strict=True)
    ]


def _add_vectors(
    rows: ScannedRows, ids: bytes | None, product: bytes | None, part: bytes | None
) -> ScannedRows:
    """The rows with the products of vectors that stand beside them; of several the greatest, and
    of which part that one is."""
    memories = _decode_column(ids, "S16")
    if not len(rows) or not len(memories):
        return rows
    order = np.argsort(rows.ids)
    places = order[np.minimum(np.searchsorted(rows.ids, memories, sorter=order), len(rows) - 1)]
    # A filter, or what was forgotten between the two statements, may have left a row out.
    known = rows.ids[places] == memories
    best = rows.product.copy()
    products = _decode_column(product, ">f8").astype(np.float64)
    np.fmax.at(best, places[known], products[known])
    parts = rows.part.copy()
    codes = _decode_column(part, ">i8").astype(np.int64)
    # What is as near as the whole, or as another part, is of the one that comes last here.
    wins = known & (products == best[places])
    wins &= np.isnan(rows.product[places]) | (products > rows.product[places])
    parts[places[wins]] = codes[wins]
    return replace(rows, product=best, part=parts)


def _further_statement(
    question: SearchRequest, source: SearchTable, vector: bytes
) -> tuple[str, dict[str, Any]]:
    """The statement that reads the vectors beside the rows of a source, and its parameters."""
    joined = bool(source.conditions) or source.table != MAIN_TABLE.table
    statement = _FURTHER_SQL.format(
        one_field=PART_BITS,
        two_fields=2 * PART_BITS,
        joined=_JOINED_SQL.format(table=source.table) if joined else "",
        conditions="".join(f" AND {condition}" for condition in source.conditions),
    )
    bound = dict(source.values) | {"organisation": question.organisation_id}
    return statement, bound | {"model": question.model, "vector": vector}


def _decode_rows(
    ids: bytes | None, product: bytes | None, packed: bytes | None, *codes: bytes | None
) -> ScannedRows:
    marks = _decode_column(packed, ">i4").astype(np.int64)
    return ScannedRows(
        ids=_decode_column(ids, "S16"),
        product=_decode_column(product, ">f8").astype(np.float64),
        length=(marks >> 3).astype(np.float64),
        named=marks & 4 > 0,
        asks=marks & 2 > 0,
        timed=marks & 1 > 0,
        codes=tuple(_decode_column(code, ">f8").astype(np.float64) for code in codes),
        part=np.zeros(len(marks), dtype=np.int64),
    )


def scan_statement(
    question: SearchRequest, source: SearchTable, words: Sequence[int]
) -> tuple[str, dict[str, Any]]:
    """The statement of a scan and its parameters."""
    codes = encode_query(words)
    bound = dict(source.values) | {f"code{i}": code for i, code in enumerate(codes)}
    bound["organisation"] = question.organisation_id
    if question.vector is not None:
        bound |= {"model": question.model, "vector": encode_halfvec(question.vector)}
    if question.speakers:
        bound["named"] = list(question.speakers)
    how = (question.vector is not None, bool(question.speakers))
    return _statement(source.table, source.conditions, len(codes), *how), bound


@lru_cache(maxsize=512)
def _statement(
    table: str, conditions: tuple[str, ...], codes: int, by_meaning: bool, named: bool
) -> str:
    return _SCAN_SQL.format(
        table=table,
        product=_PRODUCT_SQL if by_meaning else _NO_PRODUCT_SQL,
        named=_IS_NAMED_SQL if named else "0",
        conditions="".join(f" AND {condition}" for condition in conditions),
        codes="".join(_CODE_SQL.format(i=i) for i in range(codes)),
    )


def _decode_column(sent: bytes | None, kind: str) -> NDArray[Any]:
    """The numbers of an array in the binary form of array_send; it must have no NULL."""
    if sent is None:
        return np.empty(0, dtype=kind)
    pairs = np.frombuffer(
        sent, dtype=[("size", ">i4"), ("value", kind)], offset=_ARRAY_HEADER_BYTES
    )
    return pairs["value"]
