"""Values in the server's binary form, for values whose text would cost more than their use.

Statements must cast them (`%(name)s::uuid[]`), so that the server knows their type.
"""

import struct
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

_UUID = 2950
_ELEMENT = np.dtype([("size", ">i4"), ("id", "V16")])


class Binary(bytes):
    """Bytes that are sent as they are, for a parameter whose type the statement gives."""


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Binary) -> bytes:
        return bytes(obj)


def register_binary() -> None:
    """Let new connections send Binary; call it before Django has made any."""
    psycopg.adapters.register_dumper(Binary, _BinaryDumper)


def halfvec(vector: NDArray[Any]) -> Binary:
    """A vector as pgvector's halfvec: length, two zero bytes, the numbers in half precision."""
    return Binary(struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes())


def halfvec_sent(sent: bytes) -> NDArray[np.float16]:
    """The numbers of a halfvec that the server sent; the opposite of `halfvec`."""
    return np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float16)


def uuids(ids: NDArray[np.bytes_]) -> Binary:
    """uuid[] of ids of 16 bytes each, of which numpy may have dropped zero bytes at the end."""
    elements = np.empty(len(ids), dtype=_ELEMENT)
    elements["size"], elements["id"] = 16, ids.astype("S16").view("V16")
    head = (
        struct.pack(">iiiii", 1, 0, _UUID, len(ids), 1)
        if len(ids)
        else struct.pack(">iii", 0, 0, _UUID)
    )
    return Binary(head + elements.tobytes())
