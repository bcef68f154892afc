"""Pools of candidates for worked examples."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.search_types import CandidateFeatures, Candidates, SearchRequest

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
FLAGS = (
    "by_meaning", "by_words", "asks", "timed", "by_named", "by_asker", "expired", "superseded",
    "shared", "upcoming", "turn",
)  # fmt: skip
# Facts are made where a test asks for them.
NAN_COLUMNS = ("readers", "wording")
INDEX_COLUMNS = ("category", "tier", "successor", "part")


def question(**fields: Any) -> SearchRequest:
    fields = {"text": "?", "language": "english", "model": 0, "limit": 10} | fields
    fields = {"meaning_floor": -0.1} | fields
    return SearchRequest(organisation_id=UUID(int=1), now=NOW, **fields)


def id_of(number: int) -> UUID:
    return UUID(int=number)


def make_feature_table(
    *, most: float = 0.0, ids: Sequence[int] = (), **columns: Sequence[float]
) -> CandidateFeatures:
    """Candidates with these columns; whatever is not given is nought."""
    size = len(ids) or len(next(iter(columns.values())))
    whole = {}
    for name in CandidateFeatures.__dataclass_fields__:
        if name in ("ids", "most", "own"):
            continue
        if name == "texts":
            whole[name] = np.array(columns.get(name, [None] * size), dtype=np.object_)
            continue
        kind = bool if name in FLAGS else np.intp if name in INDEX_COLUMNS else np.float64
        nothing = np.nan if name in NAN_COLUMNS else 0
        whole[name] = np.array(columns.get(name, [nothing] * size)).astype(kind)
    numbers = ids or range(1, size + 1)
    packed = np.array([id_of(n).bytes for n in numbers], dtype="S16")
    return CandidateFeatures(ids=packed, most=most, **whole)


def without_features(
    asked: SearchRequest, found: Candidates, *, front: Any = None
) -> tuple[CandidateFeatures, NDArray[np.intp]]:
    """What the narrow rows say as a pool of which nothing else is known."""
    same = {one.name: getattr(found, one.name) for one in fields(Candidates) if one.name != "most"}
    size = len(found)
    rest = {
        name: np.zeros(
            size, bool if name in FLAGS else np.intp if name in INDEX_COLUMNS else np.float64
        )
        for name in CandidateFeatures.__dataclass_fields__
        if name not in same and name not in ("most", "own")
    }
    rest |= {name: np.full(size, np.nan) for name in NAN_COLUMNS}
    rest["texts"] = np.full(size, None)
    return CandidateFeatures(**same, **rest, most=found.most), np.arange(size)
