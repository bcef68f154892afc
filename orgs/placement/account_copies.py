"""Copies of accounts on other servers: who a member is, and nothing by which anybody signs in.

Accounts, sessions and whatever opens them stay on the home server. Where an organisation lies on
another one, the rows of its members refer to a copy of their account there: its id, address, name
and whether it is open. `AccountCopy` names each copy; it is committed before the first membership
refers to the account, so that no copy and no membership is ever unknown. What may have been left
by something that broke off is `due`, and is settled later (`orgs.members.settle_accounts`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.database.driver.servers import (
    HOME,
    current_server,
    list_servers,
    switched_to_server,
)
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.errors import UnknownServerError
from orgs.models.base import new_id
from orgs.models.users import User

# The columns of an account that its copies have.
COPIED_FIELDS = frozenset({"email", "name", "is_active"})
_UPSERT_SQL = """
WITH one AS MATERIALIZED (
    SELECT u.id, u.email, u.name, u.is_active FROM orgs_user u
    WHERE u.id = %(account)s::text::uuid FOR KEY SHARE
), held AS (
    INSERT INTO orgs_accountcopy (id, account, server, due_at, ends_account)
    SELECT %(id)s::text::uuid, one.id, %(server)s, now(), %(ends_account)s FROM one
    ON CONFLICT (account, server) DO UPDATE SET due_at = excluded.due_at,
        ends_account = orgs_accountcopy.ends_account OR excluded.ends_account
)
SELECT one.id::text, one.email, one.name, one.is_active FROM one
"""
_ACCOUNT_SQL = """SELECT u.id::text, u.email, u.name, u.is_active FROM orgs_user u
WHERE u.id = %(account)s::text::uuid"""
# An address that another account had before, whose own copy is brought up to date for itself.
FREE_ADDRESS_SQL = """UPDATE orgs_user SET email = id::text
WHERE email = %(email)s AND id <> %(id)s::text::uuid"""
# No password opens the copy, and it has no rights; the row is locked in any case.
WRITE_COPY_SQL = """
INSERT INTO orgs_user
    (id, email, name, is_active, password, is_staff, is_superuser, last_login, created_at)
VALUES (%(id)s::text::uuid, %(email)s, %(name)s, %(is_active)s, '!', false, false, NULL, now())
ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name,
    is_active = excluded.is_active, password = '!', is_staff = false, is_superuser = false,
    last_login = NULL
WHERE (orgs_user.email, orgs_user.name, orgs_user.is_active, orgs_user.password,
        orgs_user.is_staff, orgs_user.is_superuser, orgs_user.last_login)
    IS DISTINCT FROM (excluded.email, excluded.name, excluded.is_active, '!', false, false, NULL)
"""
_SERVERS_SQL = """SELECT server FROM orgs_accountcopy WHERE account = %(account)s::text::uuid
ORDER BY server"""
_COPIES_SQL = """SELECT account, server, due_at, ends_account FROM orgs_accountcopy
WHERE account = %(account)s::text::uuid ORDER BY server"""
_DUE_SQL = """SELECT account, server, due_at, ends_account FROM orgs_accountcopy
WHERE due_at < now() - %(seconds)s * interval '1 second' ORDER BY due_at, id LIMIT %(limit)s"""
_MARK_DUE_SQL = """UPDATE orgs_accountcopy SET due_at = now()
WHERE account = %(account)s::text::uuid AND server <> %(but)s"""
_SETTLED_SQL = """UPDATE orgs_accountcopy SET due_at = NULL, ends_account = false
WHERE account = %(account)s::text::uuid AND server = %(server)s AND due_at = %(due_at)s"""
_RELEASE_SQL = """DELETE FROM orgs_accountcopy
WHERE account = %(account)s::text::uuid AND server = %(server)s AND due_at = %(due_at)s
RETURNING id"""


# Of a server: its copies behind an id, and whether each opens nothing.
_PAGE_SQL = """SELECT u.id, u.email, u.name, u.is_active,
    u.password = '!' AND NOT u.is_staff AND NOT u.is_superuser
FROM orgs_user u WHERE u.id > %(after)s::text::uuid ORDER BY u.id LIMIT %(limit)s"""
_NAMED_SQL = """SELECT u.id, u.email, u.name, u.is_active, true FROM orgs_user u
JOIN orgs_accountcopy c ON c.account = u.id
WHERE c.server = %(server)s AND u.id = ANY (%(accounts)s::text[]::uuid[])"""
# hours: for how long it counts as due.
NAME_COPY_SQL = """INSERT INTO orgs_accountcopy (id, account, server, due_at, ends_account)
VALUES (%(id)s::text::uuid, %(account)s::text::uuid, %(server)s,
    now() - make_interval(hours => %(hours)s::int), false)
ON CONFLICT (account, server) DO UPDATE SET due_at = excluded.due_at"""
PAGE = 5_000


@dataclass(frozen=True, slots=True)
class DueCopy:
    """A copy to look at; the fields are those of AccountCopy."""

    account: UUID
    server: str
    due_at: datetime | None
    ends_account: bool


def ensure_copy(account: UUID, *, ends_account: bool = False) -> None:
    """Before a membership of the current server refers to an account: name its copy, and write it
    in the open transaction. Nothing on the home server. ends_account: the account was made for this
    membership. Raises User.DoesNotExist."""
    if server := current_server():
        row = _upsert_copy(account, server, ends_account)
        if row is None:
            raise User.DoesNotExist
        write_copy(row)


def mark_copy_due(account: UUID, *, ends_account: bool = False) -> None:
    """Before a membership of the current server lets go of an account; nothing on the home
    server. ends_account: the account is deleted if it is no member anywhere."""
    if server := current_server():
        _upsert_copy(account, server, ends_account)


def _upsert_copy(account: UUID, server: str, ends_account: bool) -> tuple[Any, ...] | None:
    values = {
        "id": str(new_id()),
        "account": str(account),
        "server": server,
        "ends_account": ends_account,
    }
    with switched_to_server(HOME):
        rows = fetch_all(_UPSERT_SQL, values)
    return rows[0] if rows else None


def write_copy(row: Sequence[Any]) -> None:
    """Write a copy on the current server, which is not the home server. row: id as text, address,
    name, whether it is open."""
    values = dict(zip(("id", "email", "name", "is_active"), row, strict=True))
    fetch_last([(FREE_ADDRESS_SQL, values), (WRITE_COPY_SQL, values)])


def read_account(account: UUID) -> tuple[Any, ...] | None:
    """What a copy says of an account, from the home server; None for one that is gone."""
    with switched_to_server(HOME):
        rows = fetch_all(_ACCOUNT_SQL, {"account": str(account)})
    return rows[0] if rows else None


def list_account_servers(account: UUID) -> list[str]:
    """The servers on which an account may be a member, the home server first. Raises
    UnknownServerError for one that is not set any more."""
    with switched_to_server(HOME):
        others = [server for (server,) in fetch_all(_SERVERS_SQL, {"account": str(account)})]
    for server in others:
        if server not in list_servers():
            raise UnknownServerError(server)
    return [HOME, *others]


def list_copies(account: UUID) -> list[DueCopy]:
    """All copies of an account, due or not."""
    with switched_to_server(HOME):
        return [DueCopy(*row) for row in fetch_all(_COPIES_SQL, {"account": str(account)})]


def list_due_copies(*, seconds: float, limit: int) -> list[DueCopy]:
    """Copies that are due for so many seconds, the longest due first."""
    with switched_to_server(HOME):
        rows = fetch_all(_DUE_SQL, {"seconds": seconds, "limit": limit})
    return [DueCopy(*row) for row in rows]


def mark_copies_due(account: UUID, *, but: str = HOME) -> None:
    """The copies of an account have to be looked at, but for that of one server; part of the
    transaction that is open on the home server."""
    with switched_to_server(HOME):
        fetch_all(_MARK_DUE_SQL, {"account": str(account), "but": but})


def mark_differing_copies(server: str) -> int:
    """Compare all copies of a server with their accounts; one that differs, or that is not named,
    as after a restore of that server, is due. Returns how many."""
    after, found = UUID(int=0), 0
    while True:
        with switched_to_server(server):
            rows = fetch_all(_PAGE_SQL, {"after": str(after), "limit": PAGE})
        if not rows:
            return found
        after = rows[-1][0]
        asked = {"server": server, "accounts": [str(row[0]) for row in rows]}
        with switched_to_server(HOME):
            right = set(map(tuple, fetch_all(_NAMED_SQL, asked)))
            for row in rows:
                if tuple(row) not in right:
                    fetch_all(NAME_COPY_SQL, values_of_copy(row[0], server))
                    found += 1


def values_of_copy(account: UUID, server: str, *, hours: int = 0) -> dict[str, Any]:
    """What NAME_COPY_SQL takes."""
    return {"id": str(new_id()), "account": str(account), "server": server, "hours": hours}


def note_settled(copy: DueCopy) -> None:
    """The copy is as it should be, unless it was marked again meanwhile."""
    with switched_to_server(HOME):
        fetch_all(_SETTLED_SQL, _values(copy))


def release_copy(copy: DueCopy) -> bool:
    """The copy is gone. False if it was marked again meanwhile."""
    with switched_to_server(HOME):
        return bool(fetch_all(_RELEASE_SQL, _values(copy)))


def _values(copy: DueCopy) -> dict[str, Any]:
    return {"account": str(copy.account), "server": copy.server, "due_at": copy.due_at}
