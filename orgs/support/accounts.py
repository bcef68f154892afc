"""One account, found by its exact address: its memberships, its sign-ins, its second step.

The database decides which account a member of staff may look at (`orgs/sql/support_v1.sql`), and
each act asks it anew. Each act is recorded with the account, where its person reads it, and in the
audit trail of each organisation that the person is in. The trails have no reason, because it may
mention another organisation.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction

from orgs.accounts import sessions
from orgs.database.rls import Scope, fetch_in_scope, scope
from orgs.errors import NotFoundError
from orgs.limits.rate_limits import consume
from orgs.limits.token_buckets import Bucket
from orgs.models.support import SupportAct, SupportActType
from orgs.models.users import User
from orgs.placement.all_organisations import list_joined_elsewhere
from orgs.support.support_sessions import SUPPORT_ALIAS, record_support_act

HOUR_SECONDS = 3_600.0
_ACCOUNT_SQL = "SELECT search.support_account(%(address)s)::text"


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """A second step, or a passkey that opens the account alone."""

    type: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A browser in which the person is signed in now."""

    id: UUID
    browser: str
    created_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class AccountMembership:
    """An organisation to which the account was invited, or of which it is or was a member."""

    organisation_id: UUID
    organisation: str
    slug: str
    member_id: UUID
    role: str
    joined_at: datetime | None
    removed_at: datetime | None
    invited_until: datetime | None

    @property
    def stands(self) -> bool:
        return self.joined_at is not None and self.removed_at is None


@dataclass(frozen=True, slots=True)
class SupportActRecord:
    """What support did with the account before."""

    at: datetime
    staff_name: str
    kind: str
    reason: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SupportAccount:
    """What support learns of an account; no secret is in it. is_staff: superusers as well."""

    id: UUID
    email: str
    name: str
    is_active: bool
    is_staff: bool
    created_at: datetime
    last_login: datetime | None
    single_sign_on: bool
    factors: tuple[SecondFactor, ...]
    sign_ins: tuple[OpenSession, ...]
    memberships: tuple[AccountMembership, ...]
    acts: tuple[SupportActRecord, ...]


@dataclass(frozen=True, slots=True)
class SecondFactorReset:
    """factors: how many were taken away. has_password: whether they can still sign in by one."""

    factors: int
    has_password: bool


def find_account(staff: User, email: str) -> SupportAccount | None:
    """The account of this very address, as the database shows it to this member of staff.

    None means no such account, one of support that only superusers may look at, or their own.
    """
    address = User.objects.normalise(email.replace("\x00", ""))
    ((found,),) = fetch_in_scope(
        Scope(user=staff.pk), _ACCOUNT_SQL, {"address": address}, using=SUPPORT_ALIAS
    )
    return _parse_account(json.loads(found)) if found else None


def look_up_account(
    staff: User, email: str, *, reason: str, now: datetime
) -> SupportAccount | None:
    """The same, counted and recorded even if nothing is found; the reason only with an account.

    Raises RateLimitError.
    """
    consume(
        Bucket(
            f"support-look-ups:{staff.pk}",
            "support-look-ups",
            settings.LIMITS["support-look-ups"],
            HOUR_SECONDS,
        )
    )
    found = find_account(staff, email)
    action = "support.account_found"
    # Without an account the reason is not kept: a name in it could not be found to be erased.
    kept = reason if found else ""
    with _recorded_act(staff, SupportActType.LOOKED_UP, action, found, reason=kept, now=now):
        return found


def end_account_sign_ins(
    staff: User, email: str, *, reason: str, now: datetime, only: UUID | None = None
) -> int:
    """End one sign-in of the account (`only`), or all. Returns how many. Raises NotFoundError."""
    found = _get_account(staff, email)
    ended = [one for one in found.sign_ins if only in (None, one.id)]
    if not ended:
        raise NotFoundError("no such sign-in")
    told: dict[str, Any] = {"ended": len(ended)}
    if only is not None:
        told["browser"] = ended[0].browser
    kind, action = SupportActType.SIGNED_OUT, "support.signed_out"
    with _recorded_act(staff, kind, action, found, reason=reason, now=now, **told):
        sessions.end_sign_ins(User(pk=found.id), only=only)
    return len(ended)


def reset_second_factor(
    staff: User, email: str, *, reason: str, proof: str, now: datetime
) -> SecondFactorReset:
    """Delete the authenticator app, passkeys and recovery codes, and end every sign-in.

    Raises NotFoundError if there is no such account or no second step.

    proof: how staff made sure that the person asked for it.
    """
    found = _get_account(staff, email)
    if not found.factors:
        raise NotFoundError("no second step")
    count = len(found.factors)
    with _recorded_act(
        staff,
        SupportActType.SECOND_STEP_RESET,
        "support.second_step_reset",
        found,
        reason=reason,
        now=now,
        proof=proof,
        factors=count,
    ):
        user = User.objects.select_for_update().only("id", "password").get(pk=found.id)
        Authenticator.objects.filter(user=user).delete()
        sessions.end_sign_ins(user)
        return SecondFactorReset(count, user.has_usable_password())


def record_account_change(staff: User, email: str, *, now: datetime) -> None:
    """Record that a superuser changed the account, in Django's admin; nothing for one's own.

    Called in the transaction of the change. The trails of the organisations follow its end, because
    each is a transaction of its own.
    """
    found = find_account(staff, email)
    if found is not None:
        _store_act(staff, SupportActType.CHANGED, found, reason="", now=now, detail={})
        action = "support.account_changed"
        transaction.on_commit(partial(_record_in_trails, staff, action, found))


def list_support_acts(user: User, *, since: datetime | None = None) -> list[SupportAct]:
    """The latest 20 acts of support with the person's own account, newest first."""
    with scope(Scope(user=user.pk)):
        rows = SupportAct.objects.filter(account_id=user.pk)
        if since is not None:
            rows = rows.filter(at__gte=since)
        return list(rows.order_by("-at", "-id")[:20])


def _get_account(staff: User, email: str) -> SupportAccount:
    found = find_account(staff, email)
    if found is None:
        raise NotFoundError("no such account")
    return found


@contextmanager
def _recorded_act(
    staff: User,
    kind: SupportActType,
    action: str,
    found: SupportAccount | None,
    *,
    reason: str,
    now: datetime,
    **detail: Any,
) -> Iterator[None]:
    """The transaction of an act with the account, which is recorded with it; and before it as
    `action` in the trail of each of the account's organisations.

    Each trail is a transaction of its own, since organisations may lie on several servers. They
    come first, so that no act is done of which an organisation does not know.
    """
    told = {name: detail[name] for name in ("ended", "browser") if name in detail}
    _record_in_trails(staff, action, found, **told)
    with transaction.atomic():
        _store_act(staff, kind, found, reason=reason, now=now, detail=detail)
        yield


def _store_act(
    staff: User,
    kind: SupportActType,
    found: SupportAccount | None,
    *,
    reason: str,
    now: datetime,
    detail: dict[str, Any],
) -> None:
    act = SupportAct(
        at=now,
        staff=staff.pk,
        staff_name=str(staff),
        account_id=found.id if found else None,
        kind=kind,
        reason=reason,
        detail=detail,
    )
    with scope(Scope(user=staff.pk)):
        SupportAct.objects.bulk_create([act])


def _record_in_trails(
    staff: User, action: str, found: SupportAccount | None, **detail: Any
) -> None:
    if found is None:
        return
    # The database shows those of the home server; these are of all.
    stands = {one.organisation_id: one.member_id for one in found.memberships if one.stands}
    stands |= {one.organisation_id: one.id for one in list_joined_elsewhere(found.id)}
    for organisation_id, member_id in stands.items():
        record_support_act(
            staff.pk,
            action,
            organisation_id,
            target=member_id,
            target_type="member",
            **detail,
        )


def _parse_account(told: dict[str, Any]) -> SupportAccount:
    return SupportAccount(
        id=UUID(told["id"]),
        email=told["email"],
        name=told["name"],
        is_active=told["is_active"],
        is_staff=told["is_staff"],
        created_at=_parse_time(told["created_at"]),
        last_login=_parse_time(told["last_login"]),
        single_sign_on=told["single_sign_on"],
        factors=tuple(
            SecondFactor(
                one["type"], _parse_time(one["created_at"]), _parse_time(one["last_used_at"])
            )
            for one in told["factors"]
        ),
        sign_ins=tuple(
            OpenSession(
                UUID(one["id"]),
                one["browser"],
                _parse_time(one["created_at"]),
                _parse_time(one["last_seen_at"]),
            )
            for one in told["sign_ins"]
        ),
        memberships=tuple(map(_parse_membership, told["memberships"])),
        acts=tuple(
            SupportActRecord(**one | {"at": _parse_time(one["at"])}) for one in told["acts"]
        ),
    )


def _parse_membership(told: dict[str, Any]) -> AccountMembership:
    moments = {
        name: _parse_time(told[name]) for name in ("joined_at", "removed_at", "invited_until")
    }
    ids = {name: UUID(told[name]) for name in ("organisation_id", "member_id")}
    return AccountMembership(**told | moments | ids)


def _parse_time(text: str | None) -> Any:
    return datetime.fromisoformat(text) if text else None
