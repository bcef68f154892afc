"""Values in the server's binary form, for values whose text would cost more than their use.

Statements must cast them (`%(name)s::halfvec`), so that the server knows their type; it knows that
of `UuidArray`.
"""

import struct
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

_UUID, _UUIDS, _REAL = 2950, 2951, 700
_SIZE, _NULL = struct.pack(">i", 16), struct.pack(">i", -1)
_ELEMENT = np.dtype([("size", ">i4"), ("id", "V16")])
_REAL_ELEMENT = np.dtype([("size", ">i4"), ("value", ">f4")])


class BinaryParameter(bytes):
    """Bytes that are sent as they are, for a parameter whose type the statement gives."""


class UuidArray(BinaryParameter):
    """A uuid[], whose type the server is told."""


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: BinaryParameter) -> bytes:
        return bytes(obj)


class _UuidArrayDumper(_BinaryDumper):
    oid = _UUIDS


def register_binary_dumpers() -> None:
    """Let new connections send Binary; call it before Django has made any."""
    psycopg.adapters.register_dumper(BinaryParameter, _BinaryDumper)
    psycopg.adapters.register_dumper(UuidArray, _UuidArrayDumper)


def encode_halfvec(vector: NDArray[Any]) -> BinaryParameter:
    """A vector as pgvector's halfvec: length, two zero bytes, the numbers in half precision."""
    return BinaryParameter(struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes())


def decode_halfvec(sent: bytes) -> NDArray[np.float16]:
    """The numbers of a halfvec that the server sent; the opposite of `halfvec`."""
    return np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float16)


# The vector at place `at` (from 1) of a parameter that `vector_parameters` made, as a halfvec.
VECTOR_SQL = (
    "(%(vectors)s::real[])[(at - 1) * %(dimensions)s::int + 1 : at * %(dimensions)s::int]::halfvec"
)


def vector_parameters(rows: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """The values of VECTOR_AT: the numbers of all vectors, one after the other, in half precision,
    as a real[]; and how many each has. As text a vector of 384 costs .15 ms."""
    numbers = np.asarray(rows).astype(np.float16)
    elements = np.empty(numbers.size, dtype=_REAL_ELEMENT)
    elements["size"], elements["value"] = 4, numbers.ravel()
    head = _array_header(numbers.size, _REAL)
    return {"vectors": BinaryParameter(head + elements.tobytes()), "dimensions": numbers.shape[1]}


def encode_uuid_bytes(ids: NDArray[np.bytes_]) -> BinaryParameter:
    """uuid[] of ids of 16 bytes each, of which numpy may have dropped zero bytes at the end."""
    elements = np.empty(len(ids), dtype=_ELEMENT)
    elements["size"], elements["id"] = 16, ids.astype("S16").view("V16")
    return BinaryParameter(_array_header(len(ids)) + elements.tobytes())


def encode_uuids(ids: Sequence[UUID | None]) -> UuidArray:
    """uuid[] of these ids, with NULL for None, at a tenth of what psycopg takes for a list."""
    elements = [_SIZE + id_.bytes if id_ is not None else _NULL for id_ in ids]
    return UuidArray(_array_header(len(ids), nulls=_NULL in elements) + b"".join(elements))


def _array_header(length: int, kind: int = _UUID, *, nulls: bool = False) -> bytes:
    """Dimensions, flags and type of an array, and length and lower bound of its one dimension."""
    if not length:
        return struct.pack(">iii", 0, 0, kind)
    return struct.pack(">iiiii", 1, nulls, kind, length, 1)
