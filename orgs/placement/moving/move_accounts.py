"""The accounts of the members of an organisation that moves.

On another server a membership refers to a copy of its account; the home server has the account
itself and names each copy (`orgs.placement.account_copies`).
"""

from collections.abc import Sequence
from uuid import UUID

from orgs.database.driver.servers import HOME
from orgs.placement.account_copies import (
    FREE_ADDRESS_SQL,
    NAME_COPY_SQL,
    WRITE_COPY_SQL,
    values_of_copy,
)
from orgs.placement.moving.admin_connections import Connection, MoveError
from orgs.placement.moving.move_records import MoveRecord
from orgs.placement.moving.organisation_rows import list_accounts

_READ_SQL = """SELECT u.id::text AS id, u.email, u.name, u.is_active FROM orgs_user u
WHERE u.id = ANY (%s) FOR KEY SHARE"""
_UNUSED_SQL = """SELECT u.id FROM orgs_user u
WHERE NOT EXISTS (SELECT 1 FROM orgs_member m WHERE m.user_id = u.id) ORDER BY u.id"""


def copy_accounts(
    home: Connection, source: Connection, target: Connection, move: MoveRecord
) -> None:
    """Let the target have what the members refer to. Raises MoveError for a member whose account is
    gone."""
    accounts = list_accounts(source, move.id)
    with home.transaction():
        rows = home.execute(_READ_SQL, [accounts]).fetchall()
        if len(rows) != len(accounts):
            raise MoveError("A member has an account that the home server does not know.")
        if move.target == HOME:
            return
        _name_copies(home, accounts, move.target)
    values = [dict(zip(("id", "email", "name", "is_active"), row, strict=True)) for row in rows]
    with target.transaction(), target.cursor() as cursor:
        cursor.executemany(FREE_ADDRESS_SQL, values)
        cursor.executemany(WRITE_COPY_SQL, values)


def mark_unused_copies(home: Connection, there: Connection, server: str) -> None:
    """Copies on a server to which no membership refers any more are due, so that the sweep deletes
    them."""
    if server != HOME:
        unused = [account for (account,) in there.execute(_UNUSED_SQL).fetchall()]
        # Due for long enough for the sweep to look at them at once.
        _name_copies(home, unused, server, hours=1)


def _name_copies(
    home: Connection, accounts: Sequence[UUID], server: str, *, hours: int = 0
) -> None:
    values = [values_of_copy(account, server, hours=hours) for account in accounts]
    with home.cursor() as cursor:
        cursor.executemany(NAME_COPY_SQL, values)
