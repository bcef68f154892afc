"""Projections: data derived from memories in another form, which can be rebuilt from them.

A projection is written when the worker indexes memories, and deleted in the transaction that takes
memories out of search: it may be behind and is never ahead. Each organisation switches it on by
name (`Organisation.projections`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memories.store.models.memory import Memory
from orgs.models.organisations import Organisation


class IndexProjection(Protocol):
    """One projection."""

    def write(self, rows: Sequence[Memory], now: datetime, *, fresh: bool) -> None:
        """Write findable memories. fresh: they are new, so nothing of them is written yet."""

    def renew(self, rows: Sequence[Memory], now: datetime) -> None:
        """Rewrite memories that are written already."""

    def remove(self, organisation_id: UUID, ids: Sequence[UUID]) -> None:
        """Delete what is written of them, and what was written of others because of them."""


_projections: dict[str, IndexProjection] = {}


def register_projection(name: str, projection: IndexProjection) -> None:
    """Register a projection under the name by which organisations switch it on."""
    _projections[name] = projection


def write_projections(
    organisation: Organisation, rows: Sequence[Memory], now: datetime, *, fresh: bool
) -> None:
    """Write the projections that the organisation switched on, without sensitive memories."""
    rows = [row for row in rows if not row.sensitive]
    for name, projection in _projections.items():
        if name in organisation.projections:
            projection.write(rows, now, fresh=fresh)


def rewrite_projections(organisation: Organisation, rows: Sequence[Memory], now: datetime) -> None:
    """Rewrite the projections that the organisation switched on, without sensitive memories."""
    rows = [row for row in rows if not row.sensitive]
    for name, projection in _projections.items():
        if name in organisation.projections:
            projection.renew(rows, now)


def delete_projections(organisation_id: UUID, ids: Sequence[UUID]) -> None:
    """Delete from all projections, also those switched off: they may have been on before."""
    for projection in _projections.values():
        projection.remove(organisation_id, ids)
