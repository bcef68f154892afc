"""Pools of candidates for worked examples."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.types import Found, Pool, Question

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
FLAGS = (
    "by_meaning", "by_words", "asks", "timed", "by_named", "by_asker", "expired", "superseded",
    "shared",
)  # fmt: skip
# Facts are made where a test asks for them.
UNKNOWN = ("readers", "wording")
PLACES = ("category", "tier", "successor")


def question(**fields: Any) -> Question:
    fields = {"text": "?", "language": "english", "model": 0, "limit": 10} | fields
    fields = {"meaning_floor": -0.1, "near_duplicate": 0.85} | fields
    return Question(organisation_id=UUID(int=1), now=NOW, **fields)


def id_of(number: int) -> UUID:
    return UUID(int=number)


def pool(*, most: float = 0.0, ids: Sequence[int] = (), **columns: Sequence[float]) -> Pool:
    """Candidates with these columns; whatever is not given is nought."""
    size = len(ids) or len(next(iter(columns.values())))
    whole = {}
    for name in Pool.__dataclass_fields__:
        if name in ("ids", "most", "own"):
            continue
        kind = bool if name in FLAGS else np.intp if name in PLACES else np.float64
        nothing = np.nan if name in UNKNOWN else 0
        whole[name] = np.array(columns.get(name, [nothing] * size)).astype(kind)
    numbers = ids or range(1, size + 1)
    packed = np.array([id_of(n).bytes for n in numbers], dtype="S16")
    return Pool(ids=packed, most=most, **whole)


def unweighed(asked: Question, found: Found, *, front: Any = None) -> tuple[Pool, NDArray[np.intp]]:
    """What the narrow rows say as a pool of which nothing else is known."""
    same = {one.name: getattr(found, one.name) for one in fields(Found) if one.name != "most"}
    size = len(found)
    rest = {
        name: np.zeros(size, bool if name in FLAGS else np.intp if name in PLACES else np.float64)
        for name in Pool.__dataclass_fields__
        if name not in same and name not in ("most", "own")
    }
    rest |= {name: np.full(size, np.nan) for name in UNKNOWN}
    return Pool(**same, **rest, most=found.most), np.arange(size)
