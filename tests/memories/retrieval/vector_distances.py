"""Rows that lie as near a question as a test needs them."""

from collections.abc import Mapping
from math import sqrt
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from pgvector import HalfVector

from memories.retrieval import query_vector
from orgs.principals import Actor, resolve_principal
from tests.memories.search_rows import set_search_vector

SIZE = 384


def half_precision(number: float, *, steps: int = 0) -> float:
    """The nearest number that a stored vector can hold, or one so many steps above it."""
    found = np.float16(number)
    for _ in range(abs(steps)):
        found = np.nextafter(found, np.float16(np.inf if steps > 0 else -np.inf))
    return float(found)


def neighbours_of_threshold(threshold: float) -> tuple[float, float]:
    """The last number under a threshold and the first that is not, as stored vectors have them."""
    near = [half_precision(threshold, steps=steps) for steps in range(-2, 3)]
    under = max(one for one in near if one < threshold)
    return under, min(one for one in near if one >= threshold)


def fix_query_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question has the vector (1, 0, ...): the first number of a row is its similarity."""
    first = np.zeros(SIZE, dtype=np.float32)
    first[0] = 1.0
    monkeypatch.setattr(query_vector, "encode_query", lambda text, *_, **__: first)


def set_similarities(who: Actor, similarities: Mapping[UUID, float]) -> None:
    """Give embedded memories vectors of these similarities to every such question."""
    with resolve_principal(who).scope():
        for id_, similarity in similarities.items():
            vector = [similarity, sqrt(1 - similarity**2), *[0.0] * (SIZE - 2)]
            set_search_vector(id_, vector)
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE memories_embedding SET own = %s::halfvec WHERE memory_id = %s",
                    [HalfVector(vector).to_text(), id_],
                )
                assert cursor.rowcount == 1
