"""Moves that are not finished, as the home server keeps them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orgs.models.placements import MoveStep, PlacementState
from orgs.placement.moving.admin_connections import Connection

_COLUMNS = "id, slug, source, target, step, started_at"
_FLIP_SQL = """INSERT INTO orgs_placement (id, server, slug, state)
VALUES (%(id)s, %(target)s, %(slug)s, %(state)s)
ON CONFLICT (id) DO UPDATE SET server = excluded.server"""


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """A move. id: the organisation's. source, target: names of servers, empty for home."""

    id: UUID
    slug: str
    source: str
    target: str
    step: str
    started_at: datetime

    @property
    def name(self) -> str:
        """Of its publication, slot, subscription and role."""
        return f"commonmind_move_{self.id.hex}"


def list_moves(home: Connection) -> list[MoveRecord]:
    """The oldest first."""
    rows = home.execute(f"SELECT {_COLUMNS} FROM orgs_organisationmove ORDER BY started_at, id")
    return [MoveRecord(*row) for row in rows.fetchall()]


def find_move(home: Connection, organisation_id: UUID) -> MoveRecord | None:
    """The move of an organisation."""
    return next((one for one in list_moves(home) if one.id == organisation_id), None)


def insert_move(home: Connection, move: MoveRecord) -> None:
    """Note a move that begins."""
    home.execute(
        f"INSERT INTO orgs_organisationmove ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)",
        [move.id, move.slug, move.source, move.target, move.step, move.started_at],
    )


def set_step(home: Connection, move: MoveRecord, step: MoveStep) -> None:
    """Note how far it is."""
    home.execute("UPDATE orgs_organisationmove SET step = %s WHERE id = %s", [str(step), move.id])


def flip_placement(home: Connection, move: MoveRecord) -> None:
    """From now on the organisation lies on the other server."""
    values = {"id": move.id, "target": move.target, "slug": move.slug}
    with home.transaction():
        home.execute(_FLIP_SQL, {**values, "state": str(PlacementState.READY)})
        set_step(home, move, MoveStep.FLIPPED)


def delete_move(home: Connection, move: MoveRecord) -> None:
    """It is finished, or was cancelled."""
    home.execute("DELETE FROM orgs_organisationmove WHERE id = %s", [move.id])
