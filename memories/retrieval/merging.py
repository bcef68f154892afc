"""Several searches as one: their candidates side by side, each memory once. Pure."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from memories.retrieval.types import Pool

_COLUMNS = [one.name for one in fields(Pool) if one.name != "most"]


def merged(pools: Sequence[Pool]) -> Pool:
    """One pool to be judged as one; of a memory that several hold, the first counts."""
    if len(pools) == 1:
        return pools[0]
    columns = {name: np.concatenate([getattr(p, name) for p in pools]) for name in _COLUMNS}
    first = np.sort(np.unique(columns["ids"], return_index=True)[1])
    kept = {name: column[first] for name, column in columns.items()}
    return Pool(**kept, most=max(pool.most for pool in pools))
