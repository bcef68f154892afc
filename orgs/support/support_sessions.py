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

SUPPORT_ALIAS = "support"
SESSION_LIFETIME = timedelta(minutes=30)
ORGANISATION, ACCOUNT = "support_organisation", "support_account"


@dataclass(frozen=True, slots=True)
class _SupportSession:
    name: str
    reason: str
    until: datetime

    @property
    def minutes_left(self) -> int:
        """Whole minutes, the one that has begun as well; at least 1 as long as the look lasts."""
        return max(1, math.ceil((self.until - timezone.now()).total_seconds() / 60))


@dataclass(frozen=True, slots=True)
class OrganisationSupportSession(_SupportSession):
    """One organisation, opened with a reason."""

    organisation_id: UUID


@dataclass(frozen=True, slots=True)
class AccountSupportSession(_SupportSession):
    """One account, found by its address with a reason."""

    email: str


AnyLook = TypeVar("AnyLook", OrganisationSupportSession, AccountSupportSession)


def find_organisation_session(request: HttpRequest) -> OrganisationSupportSession | None:
    """The organisation that this session looks at, if it still does."""
    found = _load_session(request, ORGANISATION)
    if found is None:
        return None
    return OrganisationSupportSession(
        found["name"], found["reason"], found["until"], UUID(found["organisation_id"])
    )


def find_account_session(request: HttpRequest) -> AccountSupportSession | None:
    """The account that this session looks at, if it still does."""
    found = _load_session(request, ACCOUNT)
    if found is None:
        return None
    return AccountSupportSession(found["name"], found["reason"], found["until"], found["email"])


def _load_session(request: HttpRequest, key: str) -> dict[str, Any] | None:
    kept = request.session.get(key)
    if not isinstance(kept, dict):
        return None
    until = datetime.fromisoformat(kept["until"])
    return kept | {"until": until} if until > timezone.now() else None


def start_organisation_session(request: HttpRequest, found: Organisation, reason: str) -> None:
    """Look at this organisation from now on; recorded in its audit trail."""
    end_organisation_session(request)
    record_support_act(request.user.pk, "support.chose", found.id, reason=reason)
    _store_session(request, ORGANISATION, found.name, reason, organisation_id=str(found.id))


def start_account_session(request: HttpRequest, *, email: str, name: str, reason: str) -> None:
    """Look at this account from now on; `accounts.look_up` has recorded it."""
    _store_session(request, ACCOUNT, name, reason, email=email)


def _store_session(request: HttpRequest, key: str, name: str, reason: str, **more: str) -> None:
    until = timezone.now() + SESSION_LIFETIME
    request.session[key] = {"name": name, "reason": reason, "until": until.isoformat()} | more


def end_organisation_session(request: HttpRequest) -> None:
    """Stop looking at the organisation; recorded in its audit trail."""
    look = find_organisation_session(request)
    request.session.pop(ORGANISATION, None)
    if look is not None:
        record_support_act(request.user.pk, "support.ended", look.organisation_id)


def end_account_session(request: HttpRequest) -> None:
    """Stop looking at the account."""
    request.session.pop(ACCOUNT, None)


def record_support_act(
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
        audit.record_entry(
            action,
            actor=Actor(organisation_id=organisation_id),
            now=timezone.now(),
            staff=staff_id,
            target=target,
            target_type=target_type,
            **detail,
        )
