"""Vectors into the database as COPY's binary format wants them, by the superuser."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.embedding.encoder_loading import model_number
from memories.store.models.memory import Memory
from orgs.models.base import new_id
from tools.benchmarks.database import superuser

DIMENSIONS = 384

COLUMNS = ("id", "organisation_id", "memory_id", "audience_id", "kind", "group_id", "model",
           "own")  # fmt: skip
UUID_BYTES, KIND, HALF = "V16", b"group", f"({DIMENSIONS},)>f2"


def _field(name: str, kind: str) -> list[tuple[str, str]]:
    return [(f"{name}_length", ">i4"), (name, kind)]


_HALFVEC = [("size", ">i2"), ("unused", ">i2"), ("numbers", HALF)]
_ROW = np.dtype(
    [
        ("fields", ">i2"),
        *(f for name in COLUMNS[:4] for f in _field(name, UUID_BYTES)),
        *_field("kind", f"S{len(KIND)}"),
        *_field("group_id", UUID_BYTES),
        *_field("model", ">i2"),
        ("own_length", ">i4"),
        ("own", _HALFVEC),
    ]
)


def copy_vectors(organisation: UUID, rows: Sequence[Memory], vectors: NDArray[Any]) -> None:
    """The vectors of one chunk; what is searched is twice the own one, as without neighbours."""
    table = np.zeros(len(rows), _ROW)
    table["fields"] = len(COLUMNS)
    ids = {
        "id": [new_id() for _ in rows],
        "organisation_id": [organisation] * len(rows),
        "memory_id": [row.id for row in rows],
        "audience_id": [row.audience_id for row in rows],
        "group_id": [row.group_id for row in rows],
    }
    for name, column in ids.items():
        table[name] = np.frombuffer(b"".join(i.bytes for i in column), UUID_BYTES)
    table["kind"], table["model"] = KIND, model_number()
    for name in COLUMNS:
        table[f"{name}_length"] = _ROW[name].itemsize
    table["own"]["size"], table["own"]["numbers"] = DIMENSIONS, vectors
    statement = f"COPY memories_embedding ({', '.join(COLUMNS)}) FROM STDIN (FORMAT binary)"
    with superuser() as connection:
        with connection.cursor().copy(statement) as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + table.tobytes() + b"\xff\xff")
        connection.execute(
            "UPDATE memories_search s SET model = e.model, embedding = e.own + e.own "
            "FROM memories_embedding e WHERE s.organisation_id = %s AND s.memory_id = ANY(%s) "
            "AND e.organisation_id = s.organisation_id AND e.memory_id = s.memory_id",
            [organisation, ids["memory_id"]],
        )
        connection.execute(
            "DELETE FROM memories_pending WHERE organisation_id = %s AND memory_id = ANY(%s)",
            [organisation, ids["memory_id"]],
        )
