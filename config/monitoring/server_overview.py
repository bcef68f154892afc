"""The page of whoever runs the server: organisations and their sizes, work that waits, the
last backup and erasure, sign-ins that failed.

The figures come through the role `support` from functions that count
(`memories/sql/server_overview_v1.sql`): they answer a superuser alone, and no text of a tenant but
the names of organisations is in them.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.database.rls import Scope, fetch_in_scope
from orgs.errors import NotFoundError
from orgs.models.users import User
from orgs.support.support_sessions import SUPPORT_ALIAS

PAGE_SIZE = 50
_ORGANISATIONS_SQL = (
    "SELECT search.server_organisations(%(words)s, %(after)s::int, %(most)s::int)::text"
)
_TOTALS_SQL = """
SELECT (search.server_totals()
    || jsonb_build_object('database_bytes', pg_database_size(current_database())))::text
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationSize:
    """An organisation and how much there is of it. bytes: of texts, in UTF-8. most_memories,
    most_bytes: what it may keep; None for any number. robots_active_at: when one of its robots
    called last. waiting: memories without a vector yet; given_up: vectors and jobs."""

    id: UUID
    name: str
    slug: str
    created_at: datetime
    suspended_at: datetime | None
    suspended_for: str
    memories: int
    bytes: int
    most_memories: int | None
    most_bytes: int | None
    members: int
    groups: int
    robots: int
    robots_active_at: datetime | None
    waiting: int
    given_up: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTotals:
    """All organisations together. being_removed: closed, their rows not deleted yet. vectors, jobs:
    by state. oldest_at: since when the work waits that waits longest and that nobody does."""

    organisations: int
    suspended: int
    being_removed: int
    accounts: int
    memories: int
    bytes: int
    database_bytes: int
    vectors: dict[str, int]
    jobs: dict[str, int]
    oldest_at: datetime | None


def list_organisation_sizes(
    staff: User, *, words: str = "", after: int = 0
) -> tuple[list[OrganisationSize], bool]:
    """(a page of organisations, those that keep most first; whether there are more).

    words: what their names or short names have, or the id of one. after: how many come before the
    page. Raises PermissionError for who is no superuser.
    """
    values = {"words": words.replace("\x00", ""), "after": after, "most": PAGE_SIZE + 1}
    found = [_parse(OrganisationSize, one) for one in _ask(staff, _ORGANISATIONS_SQL, values)]
    return found[:PAGE_SIZE], len(found) > PAGE_SIZE


def get_organisation_size(staff: User, organisation_id: UUID) -> OrganisationSize:
    """One of them. Raises NotFoundError, and PermissionError for who is no superuser."""
    found, _ = list_organisation_sizes(staff, words=str(organisation_id))
    if not found:
        raise NotFoundError("no such organisation")
    return found[0]


def get_server_totals(staff: User) -> ServerTotals:
    """All together. Raises PermissionError for who is no superuser."""
    found: ServerTotals = _parse(ServerTotals, _ask(staff, _TOTALS_SQL, {}))
    return found


def _ask(staff: User, statement: str, values: dict[str, Any]) -> Any:
    ((told,),) = fetch_in_scope(Scope(user=staff.pk), statement, values, using=SUPPORT_ALIAS)
    if told is None:
        raise PermissionError("Only a superuser sees the organisations of this server.")
    return json.loads(told)


def _parse(kind: Any, told: dict[str, Any]) -> Any:
    """The dataclass from JSON; what ends in `_at` is a time."""
    times = {n: v and datetime.fromisoformat(v) for n, v in told.items() if n.endswith("_at")}
    ids = {"id": UUID(told["id"])} if "id" in told else {}
    return kind(**told | times | ids)
