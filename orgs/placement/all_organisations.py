"""The exceptions from the contract of a scope: what is asked before an organisation is known.

Each transaction on a table of the organisations names one organisation first (`orgs.database.rls`),
so that it can lie on a server of its own, and `tests/scope_contract.py` holds every statement to
that. What cannot name one stands here, each with its reason, and answers with ids and rows, never
with a queryset that would run elsewhere:

- which organisations there are: sweepers, figures and commands go through them one by one;
- which organisation somebody means by a name: support and commands choose one;
- in which organisations an account is a member: a person signs in before they choose one.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.database.compiled_queries import CompiledQuery
from orgs.database.rls import Scope, scope
from orgs.models.memberships import Member, joined_q
from orgs.models.organisations import Organisation

WORKER, OWNER, SUPPORT = "worker", "owner", "support"


def list_organisation_ids(condition: Q | None = None) -> list[UUID]:
    """Ids of all organisations that fulfil a condition on their own columns, in the order of the
    ids; for sweepers, whose role reads no other row without a scope."""
    rows = Organisation.objects.using(WORKER).filter(condition or Q())
    return list(rows.order_by("id").values_list("id", flat=True))


def list_removed_ids(*, using: str) -> list[UUID]:
    """Ids of organisations that are closed but not yet deleted, the longest closed first; for a
    role that may list them."""
    rows = Organisation.with_removed.using(using).filter(removed_at__isnull=False)
    return list(rows.order_by("removed_at").values_list("id", flat=True))


def list_organisations(
    condition: Q | None = None, *, limit: int | None = None
) -> list[Organisation]:
    """The organisations that fulfil a condition, by slug; for commands, in the role of the
    owner."""
    return list(_named_rows(OWNER, condition)[:limit])


def list_organisations_for_support(condition: Q, *, limit: int) -> list[Organisation]:
    """The same for support's console, of which the role may read few columns."""
    rows = _named_rows(SUPPORT, condition).only("id", "name", "slug", "created_at")
    return list(rows[:limit])


def _named_rows(using: str, condition: Q | None) -> "QuerySet[Organisation]":
    return Organisation.objects.using(using).filter(condition or Q()).order_by("slug")


def _joined_members(user_id: UUID) -> "QuerySet[Member]":
    here = Member.objects.filter(joined_q(), user_id=user_id)
    return here.select_related("organisation")


# Every page runs this query.
_JOINED_QUERY = CompiledQuery(_joined_members)


def list_joined_members(user_id: UUID) -> list[Member]:
    """The memberships that an account has taken up, with their organisations."""
    with scope(Scope(user=user_id)):
        return list(_JOINED_QUERY.rows(user_id=user_id))


def list_invited_members(user_id: UUID, now: datetime) -> list[Member]:
    """The memberships, with their organisations, that an account was offered and that it can still
    take up."""
    with scope(Scope(user=user_id)):
        rows = Member.objects.filter(
            user_id=user_id, joined_at=None, removed_at=None, invite_expires_at__gt=now
        )
        return list(rows.select_related("organisation"))


def list_present_organisation_ids(user_id: UUID) -> list[UUID]:
    """The organisations in which an account is a member, joined or invited, and not removed."""
    with scope(Scope(user=user_id)):
        rows = Member.objects.filter(user_id=user_id, removed_at=None)
        return list(rows.values_list("organisation_id", flat=True))


def list_memberships_ever(user_id: UUID) -> list[tuple[UUID, UUID, datetime | None]]:
    """(organisation, member, when they were removed) of each membership of an account."""
    with scope(Scope(user=user_id)):
        rows = Member.objects.filter(user_id=user_id)
        return list(rows.values_list("organisation_id", "id", "removed_at"))
