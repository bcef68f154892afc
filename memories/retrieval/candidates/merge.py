"""Merge the candidates of several searches, each memory once. Pure."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.types import Found

_COLUMNS = [one.name for one in fields(Found) if one.name != "most"]


def merged(pools: Sequence[Found]) -> tuple[Found, NDArray[np.intp]]:
    """(all candidates, for each place the number of the pool that it comes from).

    If several pools have a memory, the first one counts.
    """
    origins = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
    if len(pools) == 1:
        return pools[0], origins
    columns = {name: np.concatenate([getattr(p, name) for p in pools]) for name in _COLUMNS}
    first = np.sort(np.unique(columns["ids"], return_index=True)[1])
    kept = {name: column[first] for name, column in columns.items()}
    return Found(**kept, most=max(pool.most for pool in pools)), origins[first]


def part_of(found: Found, places: NDArray[np.intp]) -> Found:
    """The candidates at these places."""
    columns = {name: getattr(found, name)[places] for name in _COLUMNS}
    return Found(**columns, most=found.most)
