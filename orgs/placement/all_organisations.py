"""The exceptions from the contract of a scope: what is asked before an organisation is known.

Each transaction on a table of the organisations names one organisation first (`orgs.database.rls`),
so that it can lie on a server of its own, and `tests/scope_contract.py` holds every statement to
that. What cannot name one stands here, each with its reason, and answers with ids and rows, never
with a queryset that would run elsewhere:

- which organisations there are: sweepers, figures and commands go through them one by one;
- which organisation somebody means by a name: support and commands choose one;
- in which organisations an account is a member: a person signs in before they choose one, and an
  account is deleted when there is none.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import OperationalError
from django.db.models import Q, QuerySet

from orgs.database.compiled_queries import CompiledQuery
from orgs.database.driver.servers import (
    HOME,
    has_role,
    is_switched_on,
    list_servers,
    on_server,
    switched_to_server,
)
from orgs.database.rls import Scope, scope
from orgs.errors import PlacementPendingError
from orgs.models.memberships import Member, joined_q
from orgs.models.organisations import Organisation
from orgs.models.users import User
from orgs.placement.account_copies import list_account_servers
from orgs.placement.placements import find_server, forget_placement

log = logging.getLogger("commonmind.placement")
Row = TypeVar("Row")

WORKER, OWNER, SUPPORT = "worker", "owner", "support"


def list_organisation_ids(condition: Q | None = None) -> list[UUID]:
    """Ids of all organisations that fulfil a condition on their own columns, in the order of the
    ids; for sweepers, whose role reads no other row without a scope."""

    def read() -> list[UUID]:
        rows = Organisation.objects.using(WORKER).filter(condition or Q())
        return list(rows.order_by("id").values_list("id", flat=True))

    return _of_each_server(WORKER, read, id_of=lambda id_: id_)


def list_removed_ids(*, using: str) -> list[UUID]:
    """Ids of organisations that are closed but not yet deleted, the longest closed first; for a
    role that may list them."""

    def read() -> list[UUID]:
        rows = Organisation.with_removed.using(using).filter(removed_at__isnull=False)
        return list(rows.order_by("removed_at").values_list("id", flat=True))

    return _of_each_server(using, read, id_of=lambda id_: id_)


def list_organisations(
    condition: Q | None = None, *, limit: int | None = None
) -> list[Organisation]:
    """The organisations that fulfil a condition, by slug; for commands, in the role of the
    owner."""
    found = _of_each_server(
        OWNER, lambda: list(_named_rows(OWNER, condition)[:limit]), id_of=lambda one: one.id
    )
    return sorted(found, key=lambda one: one.slug)[:limit]


def list_organisations_for_support(condition: Q, *, limit: int) -> list[Organisation]:
    """The same for support's console, of which the role may read few columns. It reaches the home
    server alone."""
    rows = _named_rows(SUPPORT, condition).only("id", "name", "slug", "created_at")
    return list(rows[:limit])


def _named_rows(using: str, condition: Q | None) -> "QuerySet[Organisation]":
    return Organisation.objects.using(using).filter(condition or Q()).order_by("slug")


def _of_each_server(
    role: str, read: Callable[[], list[Row]], *, id_of: Callable[[Row], UUID]
) -> list[Row]:
    """What `read` finds of the organisations of each server, the home server's first.

    A row of an organisation that lies elsewhere, such as a copy that was left, is nobody's. Another
    server that does not answer is left out: the work of all others goes on.
    """
    servers = list_servers()
    if len(servers) == 1:
        return read()
    found: list[Row] = []
    for server in servers:
        if not has_role(role, server):
            continue
        try:
            with on_server(server):
                rows = read()
        except OperationalError:
            if server == HOME:
                raise
            log.warning("a database server does not answer", extra={"server": server})
            continue
        found += [row for row in rows if _lies_on(id_of(row), server)]
    return found


def _lies_on(organisation_id: UUID, server: str) -> bool:
    try:
        return find_server(organisation_id) == server
    except PlacementPendingError:
        return False


def _joined_members(user_id: UUID) -> "QuerySet[Member]":
    here = Member.objects.filter(joined_q(), user_id=user_id)
    return here.select_related("organisation")


# Every page runs this query.
_JOINED_QUERY = CompiledQuery(_joined_members)


def list_joined_members(user_id: UUID, *, chosen: UUID | None = None) -> list[Member]:
    """The memberships that an account has taken up, with their organisations. Those of a server
    that does not answer are left out; not if `chosen` is among them, where OperationalError is
    raised."""
    return _members_of(
        user_id, lambda: list(_JOINED_QUERY.rows(user_id=user_id)), partly=True, needed=chosen
    )


def list_joined_elsewhere(user_id: UUID) -> list[Member]:
    """The memberships that an account has taken up in organisations of other servers than the home
    server."""
    if not is_switched_on():
        return []
    rows = Member.objects.filter(joined_q(), user_id=user_id)
    found = _members_of(user_id, lambda: list(rows.all()))
    return [one for one in found if not _lies_on(one.organisation_id, HOME)]


def list_invited_members(user_id: UUID, now: datetime) -> list[Member]:
    """The memberships, with their organisations, that an account was offered and that it can still
    take up; without those of a server that does not answer."""

    def read() -> list[Member]:
        rows = Member.objects.filter(
            user_id=user_id, joined_at=None, removed_at=None, invite_expires_at__gt=now
        )
        return list(rows.select_related("organisation"))

    return _members_of(user_id, read, partly=True)


def list_present_organisation_ids(user_id: UUID) -> list[UUID]:
    """The organisations in which an account is a member, joined or invited, and not removed."""
    rows = Member.objects.filter(user_id=user_id, removed_at=None)
    return [one.organisation_id for one in _members_of(user_id, lambda: list(rows.all()))]


def list_memberships_ever(user_id: UUID) -> list[tuple[UUID, UUID, datetime | None]]:
    """(organisation, member, when they were removed) of each membership of an account."""
    rows = Member.objects.filter(user_id=user_id)
    return [
        (one.organisation_id, one.id, one.removed_at)
        for one in _members_of(user_id, lambda: list(rows.all()))
    ]


def list_members_on_server(user_id: UUID) -> list[tuple[UUID, UUID]]:
    """(organisation, member) of each row of the current server that refers to an account, also of
    organisations that lie elsewhere and have left it."""
    with scope(Scope(user=user_id)):
        rows = Member.objects.filter(user_id=user_id)
        return list(rows.values_list("organisation_id", "id"))


def delete_memberless_account(user: User) -> None:
    """Delete the row of an account that is a member nowhere. Django deletes memberships with it,
    and without a scope finds none; one that there is after all refuses it."""
    user.delete()


def _members_of(
    user_id: UUID,
    read: Callable[[], list[Member]],
    *,
    partly: bool = False,
    needed: UUID | None = None,
) -> list[Member]:
    """What `read` finds of an account on the servers where it may be a member.

    partly: a server that does not answer is left out, unless an organisation lies there that is
    needed; the home server never is. A transaction that is open on one of the servers is used.
    """
    if not is_switched_on():
        with scope(Scope(user=user_id)):
            return read()
    found: dict[UUID, list[tuple[str, Member]]] = {}
    for server in list_account_servers(user_id):
        try:
            with switched_to_server(server), scope(Scope(user=user_id)):
                rows = read()
        except OperationalError:
            if server == HOME or not partly or (needed and _lies_on(needed, server)):
                raise
            log.warning("a database server does not answer", extra={"server": server})
            continue
        for row in rows:
            found.setdefault(row.organisation_id, []).append((server, row))
    placed = (_find_placed(id_, rows) for id_, rows in found.items())
    return [row for row in placed if row is not None]


def _find_placed(organisation_id: UUID, rows: list[tuple[str, Member]]) -> Member | None:
    """Of rows of one membership the one of the server where the organisation lies; what this
    process remembers of that may be older than the rows."""
    if len(rows) > 1 or not _lies_on(organisation_id, rows[0][0]):
        forget_placement(organisation_id)
    return next((row for server, row in rows if _lies_on(organisation_id, server)), None)
