"""Scan narrow rows: the similarity of each, and which of the question's words it shares.

The rows leave the database as columns of numbers, because as Python objects they would cost more
than the search. Row-level security chooses the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.candidates.word_codes import encode_query
from memories.retrieval.search_types import Floats, Ids, SearchRequest
from orgs.database.binary_values import encode_halfvec
from orgs.database.prepared_statements import fetch_all

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
    named: whether the question names the speaker; codes: see `word_codes`, one column for each
    eight words."""

    ids: Ids
    product: Floats
    length: Floats
    asks: NDArray[np.bool_]
    timed: NDArray[np.bool_]
    named: NDArray[np.bool_]
    codes: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.ids)


def scan_rows(
    question: SearchRequest,
    table: str,
    conditions: Sequence[str],
    values: Mapping[str, Any],
    words: Sequence[int],
) -> ScannedRows:
    """All rows of a table that meet the conditions. words: places of the question's lexemes.

    values: the parameters of the conditions. Call inside the asker's scope.
    """
    statement, bound = scan_statement(question, table, conditions, values, words)
    [(ids, product, packed, *codes)] = fetch_all(statement, bound)
    marks = _decode_column(packed, ">i4").astype(np.int64)
    return ScannedRows(
        ids=_decode_column(ids, "S16"),
        product=_decode_column(product, ">f8").astype(np.float64),
        length=(marks >> 3).astype(np.float64),
        named=marks & 4 > 0,
        asks=marks & 2 > 0,
        timed=marks & 1 > 0,
        codes=tuple(_decode_column(code, ">f8").astype(np.float64) for code in codes),
    )


def scan_statement(
    question: SearchRequest,
    table: str,
    conditions: Sequence[str],
    values: Mapping[str, Any],
    words: Sequence[int],
) -> tuple[str, dict[str, Any]]:
    """The statement of a scan and its parameters."""
    codes = encode_query(words)
    bound = dict(values) | {f"code{i}": code for i, code in enumerate(codes)}
    bound["organisation"] = question.organisation_id
    if question.vector is not None:
        bound |= {"model": question.model, "vector": encode_halfvec(question.vector)}
    if question.speakers:
        bound["named"] = list(question.speakers)
    how = (question.vector is not None, bool(question.speakers))
    return _statement(table, tuple(conditions), len(codes), *how), bound


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
