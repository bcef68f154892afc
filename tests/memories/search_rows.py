"""The narrow rows that recall looks at, as the scope in force shows them."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector


def read_search_vectors() -> dict[UUID, NDArray[np.float32]]:
    """Memory -> the vector that is searched, for those that have one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT memory_id, embedding::text FROM memories_search WHERE embedding IS NOT NULL"
        )
        return {
            id_: HalfVector.from_text(text).to_numpy().astype(np.float32)
            for id_, text in cursor.fetchall()
        }


def set_search_vector(memory_id: UUID, vector: Sequence[float]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memories_search SET embedding = %s::halfvec WHERE memory_id = %s",
            [HalfVector(vector).to_text(), memory_id],
        )
        assert cursor.rowcount == 1
