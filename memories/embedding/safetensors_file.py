"""Reads a .safetensors file: eight bytes of length, a header in JSON, then the plain numbers."""

import json
from pathlib import Path

import numpy as np

from memories.embedding.encoder import Vectors

_MAX_HEADER_BYTES = 10_000_000


def read_tensors(path: Path) -> dict[str, Vectors]:
    """The float32 tensors of the file by name, in their shapes; those of other types are left out.

    Raises ValueError for a truncated file or another format.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 2 <= size <= _MAX_HEADER_BYTES:
            raise ValueError(f"{path} is no safetensors file")
        header = json.loads(file.read(size))
        numbers = file.read()
    found: dict[str, Vectors] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(numbers):
            raise ValueError(f"{path} is cut short at {name}")
        found[name] = np.frombuffer(numbers[begin:end], dtype="<f4").reshape(entry["shape"])
    return found
