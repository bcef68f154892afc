"""Merge the candidates of several searches, each memory once. Pure."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.search_types import Candidates

_CANDIDATE_COLUMNS = [one.name for one in fields(Candidates) if one.name != "most"]


def merge_candidates(pools: Sequence[Candidates]) -> tuple[Candidates, NDArray[np.intp]]:
    """(all candidates, for each place the number of the pool that it comes from).

    If several pools have a memory, the first one counts.
    """
    origins = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
    if len(pools) == 1:
        return pools[0], origins
    columns = {
        name: np.concatenate([getattr(p, name) for p in pools]) for name in _CANDIDATE_COLUMNS
    }
    first = np.sort(np.unique(columns["ids"], return_index=True)[1])
    kept = {name: column[first] for name, column in columns.items()}
    return Candidates(**kept, most=max(pool.most for pool in pools)), origins[first]


def select_candidates(found: Candidates, places: NDArray[np.intp]) -> Candidates:
    """The candidates at these places."""
    columns = {name: getattr(found, name)[places] for name in _CANDIDATE_COLUMNS}
    return Candidates(**columns, most=found.most)
