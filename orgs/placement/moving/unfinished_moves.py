"""What moves have left on the servers; a slot that nobody reads fills the disk of its server."""

from dataclasses import dataclass

from django.db import connections

from orgs.database.driver.servers import list_servers, on_server

# Every role may read these views.
_LEFT_SQL = """
SELECT count(*) FILTER (WHERE NOT s.active), count(*),
    coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)), 0)::bigint,
    (SELECT count(*) FROM pg_publication p WHERE p.pubname LIKE 'commonmind\\_move\\_%%'
        AND NOT EXISTS (SELECT 1 FROM pg_replication_slots o WHERE o.slot_name = p.pubname))
FROM pg_replication_slots s
WHERE s.database = current_database() AND s.slot_name LIKE 'commonmind\\_move\\_%%'
"""


@dataclass(frozen=True, slots=True)
class UnfinishedMoves:
    """Of one server. waiting: moves that nobody goes on with. moves: all. kept_bytes: of the log,
    that the server keeps for them."""

    server: str
    waiting: int
    moves: int
    kept_bytes: int


def list_unfinished_moves() -> list[UnfinishedMoves]:
    """By server, for those from which something is on its way."""
    found = []
    for server in list_servers():
        with on_server(server), connections["default"].cursor() as cursor:
            cursor.execute(_LEFT_SQL, ())
            waiting, slots, kept, without_slot = cursor.fetchone()
        if slots or without_slot:
            found.append(
                UnfinishedMoves(server, waiting + without_slot, slots + without_slot, kept)
            )
    return found
