"""What higher apps do when an organisation moves."""

from uuid import UUID

from orgs.placement.moving.admin_connections import Connection
from orgs.wired_functions import wired


@wired
def build_indexes_on(organisation_id: UUID, server: str) -> list[str]:
    """Build the organisation's own indexes on the server to which it moves; returns their names."""
    raise NotImplementedError


@wired
def move_positions(source: Connection, target: Connection, organisation_id: UUID) -> None:
    """Say on the target how far everything was told that counts by transactions of the source.
    Called in the transaction of the target that opens the organisation there."""
    raise NotImplementedError
