"""Scopes that are searched by the indexes of a large organisation, with few rows in them."""

from uuid import UUID

import pytest

from memories.indexing import exact_scan, organisation_indexes
from memories.retrieval.candidates import readable_row_count


def force_index_search(
    monkeypatch: pytest.MonkeyPatch, *organisations: UUID, above: int = 0
) -> None:
    """Build the indexes of these and let every scope of more than `above` rows count as large.

    Needs committed rows. The figures that were counted before are forgotten.
    """
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", above)
    monkeypatch.setattr(readable_row_count, "_cache", {})
    for organisation_id in organisations:
        for index in organisation_indexes.list_indexes(organisation_id):
            organisation_indexes._ensure_index(index)
