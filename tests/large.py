"""Scopes that are searched by the indexes of a large organisation, with few rows in them."""

from uuid import UUID

import pytest

from memories.maintenance import indexes
from memories.retrieval import scale


def serve_by_indexes(monkeypatch: pytest.MonkeyPatch, *organisations: UUID, above: int = 0) -> None:
    """Build the indexes of these and let every scope of more than `above` rows count as large.

    Needs committed rows. The figures that were counted before are forgotten.
    """
    monkeypatch.setattr(scale, "EXACT", above)
    monkeypatch.setattr(scale, "_known", {})
    for organisation_id in organisations:
        for index in indexes.indexes_of(organisation_id):
            indexes._ensure(index)
