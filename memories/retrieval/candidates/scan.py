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

from memories.retrieval.candidates.word_codes import sparse_questions
from memories.retrieval.types import Floats, Ids, Question
from orgs.database.binary_values import halfvec
from orgs.database.prepared_statements import fetched

# dimensions, flags, type, length and lower bound of the one dimension.
_HEADER = 20
_PRODUCT = """coalesce(CASE WHEN n.model = %(model)s
    THEN -(n.embedding <#> %(vector)s::halfvec) END, 'NaN')"""
_NO_PRODUCT = "'NaN'::float8"
_NAMED = "(n.speaker = ANY(%(named)s))::int"
_CODE = ", array_send(array_agg(-(n.words <#> %(code{i})s::sparsevec)))"
_SCAN = """
SELECT array_send(array_agg(n.memory_id)), array_send(array_agg({product})),
    array_send(array_agg(n.length * 8 + {named} * 4 + n.asks::int * 2 + n.timed::int)){codes}
FROM {table} n WHERE n.organisation_id = %(organisation)s{conditions}
"""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a question is searched: a table of narrow rows (alias n), with fixed conditions."""

    table: str = "memories_search"
    conditions: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


EVERYTHING = Source()


@dataclass(frozen=True, slots=True)
class Scanned:
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


def scan(
    question: Question,
    table: str,
    conditions: Sequence[str],
    values: Mapping[str, Any],
    words: Sequence[int],
) -> Scanned:
    """All rows of a table that meet the conditions. words: places of the question's lexemes.

    values: the parameters of the conditions. Call inside the asker's scope.
    """
    statement, bound = scanning(question, table, conditions, values, words)
    [(ids, product, packed, *codes)] = fetched(statement, bound)
    marks = _column(packed, ">i4").astype(np.int64)
    return Scanned(
        ids=_column(ids, "S16"),
        product=_column(product, ">f8").astype(np.float64),
        length=(marks >> 3).astype(np.float64),
        named=marks & 4 > 0,
        asks=marks & 2 > 0,
        timed=marks & 1 > 0,
        codes=tuple(_column(code, ">f8").astype(np.float64) for code in codes),
    )


def scanning(
    question: Question,
    table: str,
    conditions: Sequence[str],
    values: Mapping[str, Any],
    words: Sequence[int],
) -> tuple[str, dict[str, Any]]:
    """The statement of a scan and its parameters."""
    codes = sparse_questions(words)
    bound = dict(values) | {f"code{i}": code for i, code in enumerate(codes)}
    bound["organisation"] = question.organisation_id
    if question.vector is not None:
        bound |= {"model": question.model, "vector": halfvec(question.vector)}
    if question.speakers:
        bound["named"] = list(question.speakers)
    how = (question.vector is not None, bool(question.speakers))
    return _statement(table, tuple(conditions), len(codes), *how), bound


@lru_cache(maxsize=512)
def _statement(
    table: str, conditions: tuple[str, ...], codes: int, by_meaning: bool, named: bool
) -> str:
    return _SCAN.format(
        table=table,
        product=_PRODUCT if by_meaning else _NO_PRODUCT,
        named=_NAMED if named else "0",
        conditions="".join(f" AND {condition}" for condition in conditions),
        codes="".join(_CODE.format(i=i) for i in range(codes)),
    )


def _column(sent: bytes | None, kind: str) -> NDArray[Any]:
    """The numbers of an array in the binary form of array_send; it must have no NULL."""
    if sent is None:
        return np.empty(0, dtype=kind)
    pairs = np.frombuffer(sent, dtype=[("size", ">i4"), ("value", kind)], offset=_HEADER)
    return pairs["value"]
