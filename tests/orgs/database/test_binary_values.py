"""Values in the server's binary form are to the server what their text is, to the bit."""

from uuid import UUID, uuid4

import numpy as np
import pytest
from pgvector import HalfVector

from orgs.database.driver.binary_values import (
    VECTOR_SQL,
    decode_halfvec,
    encode_uuids,
    vector_parameters,
)
from orgs.database.prepared_statements import fetch_all

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("dimensions", [1, 3, 384])
def test_vectors_arrive_as_their_text_does(dimensions: int) -> None:
    drawn = np.random.default_rng(5).normal(scale=0.05, size=(7, dimensions))
    # Halfway between two numbers of half precision, the smallest of them, and more than exact.
    drawn.flat[:3] = 1 + 2**-11, 6e-8, 0.1
    rows = list(drawn.astype(np.float32))
    statement = f"SELECT at, halfvec_send({VECTOR_SQL}) FROM generate_series(1, 7) AS at"
    found = dict(fetch_all(statement, vector_parameters(rows)))
    for at, row in enumerate(rows, 1):
        [(text,)] = fetch_all("SELECT halfvec_send(%s::halfvec)", [HalfVector(row).to_text()])
        assert found[at] == text
        assert decode_halfvec(found[at]).tolist() == row.astype(np.float16).tolist()


def test_each_vector_has_its_own_place() -> None:
    rows = [np.full(384, n, dtype=np.float32) for n in range(5)]
    statement = (
        f"SELECT word, ({VECTOR_SQL})::text FROM unnest(%(words)s::text[]) "
        "WITH ORDINALITY AS given (word, at)"
    )
    found = fetch_all(statement, {"words": list("abcde"), **vector_parameters(rows)})
    assert [word for word, _ in found] == list("abcde")
    assert [text[1] for _, text in found] == list("01234")


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_ids_are_a_list_of_ids_without_a_cast(count: int) -> None:
    ids = [UUID(int=0), UUID(int=256), uuid4(), None][:count]
    assert fetch_all("SELECT pg_typeof(%(ids)s)::text, %(ids)s", {"ids": encode_uuids(ids)}) == [
        ("uuid[]", ids)
    ]


def test_a_list_of_ids_has_its_type_by_itself_if_it_has_an_id() -> None:
    ids = [uuid4(), None]
    assert fetch_all("SELECT pg_typeof(%s)::text, %s", [ids, ids]) == [("uuid[]", ids)]
    assert fetch_all("SELECT %s::text[]", [[None, None]]) == [([None, None],)]
