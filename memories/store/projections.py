"""What is kept beside the memories in a form of its own, and can be made anew from them.

A projection is written when the worker reads what became findable, and taken away in the
transaction that takes memories out of search: it may be behind and is never ahead. Each
organisation switches it on by name (`Organisation.projections`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memories.store.models.memory import Memory
from orgs.models.organisations import Organisation


class IndexProjection(Protocol):
    """One form of its own."""

    def write(self, rows: Sequence[Memory], now: datetime, *, fresh: bool) -> None:
        """Note findable memories. fresh: they are new, so there is nothing of them yet."""

    def renew(self, rows: Sequence[Memory], now: datetime) -> None:
        """Note anew what is noted already."""

    def remove(self, organisation_id: UUID, ids: Sequence[UUID]) -> None:
        """Take away what is noted of them, and what others noted because of them."""


_projections: dict[str, IndexProjection] = {}


def projects(name: str, projection: IndexProjection) -> None:
    """Register a projection under the name by which organisations switch it on."""
    _projections[name] = projection


def project(
    organisation: Organisation, rows: Sequence[Memory], now: datetime, *, fresh: bool
) -> None:
    """Write what the organisation has switched on; of what is sensitive nothing."""
    rows = [row for row in rows if not row.sensitive]
    for name, projection in _projections.items():
        if name in organisation.projections:
            projection.write(rows, now, fresh=fresh)


def renew(organisation: Organisation, rows: Sequence[Memory], now: datetime) -> None:
    """Note anew in what the organisation has switched on; of what is sensitive nothing."""
    rows = [row for row in rows if not row.sensitive]
    for name, projection in _projections.items():
        if name in organisation.projections:
            projection.renew(rows, now)


def withdraw(organisation_id: UUID, ids: Sequence[UUID]) -> None:
    """Take away, whether it is switched on or not: it may have been on before."""
    for projection in _projections.values():
        projection.remove(organisation_id, ids)
