"""What a member of staff may look at for half an hour: one organisation, and one account.

It is stored in their session, on the server. After that time they must give a reason again.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor

ALIAS = "support"
LASTS = timedelta(minutes=30)
ORGANISATION, ACCOUNT = "support_organisation", "support_account"


@dataclass(frozen=True, slots=True)
class _Look:
    name: str
    reason: str
    until: datetime

    @property
    def minutes_left(self) -> int:
        """Whole minutes, the one that has begun as well; at least 1 as long as the look lasts."""
        return max(1, math.ceil((self.until - timezone.now()).total_seconds() / 60))


@dataclass(frozen=True, slots=True)
class OrganisationLook(_Look):
    """One organisation, opened with a reason."""

    organisation_id: UUID


@dataclass(frozen=True, slots=True)
class AccountLook(_Look):
    """One account, found by its address with a reason."""

    email: str


AnyLook = TypeVar("AnyLook", OrganisationLook, AccountLook)


def organisation_look(request: HttpRequest) -> OrganisationLook | None:
    """The organisation that this session looks at, if it still does."""
    found = _kept(request, ORGANISATION)
    if found is None:
        return None
    return OrganisationLook(
        found["name"], found["reason"], found["until"], UUID(found["organisation_id"])
    )


def account_look(request: HttpRequest) -> AccountLook | None:
    """The account that this session looks at, if it still does."""
    found = _kept(request, ACCOUNT)
    if found is None:
        return None
    return AccountLook(found["name"], found["reason"], found["until"], found["email"])


def _kept(request: HttpRequest, key: str) -> dict[str, Any] | None:
    kept = request.session.get(key)
    if not isinstance(kept, dict):
        return None
    until = datetime.fromisoformat(kept["until"])
    return kept | {"until": until} if until > timezone.now() else None


def begin_organisation(request: HttpRequest, found: Organisation, reason: str) -> None:
    """Look at this organisation from now on; recorded in its audit trail."""
    end_organisation(request)
    note(request.user.pk, "support.chose", found.id, reason=reason)
    _keep(request, ORGANISATION, found.name, reason, organisation_id=str(found.id))


def begin_account(request: HttpRequest, *, email: str, name: str, reason: str) -> None:
    """Look at this account from now on; `accounts.look_up` has recorded it."""
    _keep(request, ACCOUNT, name, reason, email=email)


def _keep(request: HttpRequest, key: str, name: str, reason: str, **more: str) -> None:
    until = timezone.now() + LASTS
    request.session[key] = {"name": name, "reason": reason, "until": until.isoformat()} | more


def end_organisation(request: HttpRequest) -> None:
    """Stop looking at the organisation; recorded in its audit trail."""
    look = organisation_look(request)
    request.session.pop(ORGANISATION, None)
    if look is not None:
        note(request.user.pk, "support.ended", look.organisation_id)


def end_account(request: HttpRequest) -> None:
    """Stop looking at the account."""
    request.session.pop(ACCOUNT, None)


def note(
    staff_id: UUID,
    action: str,
    organisation_id: UUID,
    *,
    target: UUID | None = None,
    target_type: str = "",
    **detail: Any,
) -> None:
    """Append to the organisation's own audit trail, through the application's role."""
    with organisation_scope(organisation_id):
        audit.record(
            action,
            actor=Actor(organisation_id=organisation_id),
            now=timezone.now(),
            staff=staff_id,
            target=target,
            target_type=target_type,
            **detail,
        )
