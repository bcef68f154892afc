"""How people come into an organisation: by a command, or by a link that they accept themselves.

A link opens only the organisation that made it. Two organisations may invite the same address.
Whoever uses one link gets nothing of the other organisation: a membership opens nothing until its
own link was used by the account of that address.
"""

import hashlib
import secrets
import time
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.driver.servers import HOME, current_server, switched_to_server
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExistsError, InvalidNameError, LookalikeNameError, NotFoundError
from orgs.limits import token_buckets
from orgs.limits.token_buckets import Bucket
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Organisation
from orgs.models.users import User
from orgs.names.name_check import RESERVED_MEMBER_NAMES, check_name
from orgs.organisations.audience_rows import ensure_audience
from orgs.outbound.mail import name_in_mail, send_mail
from orgs.placement.account_copies import ensure_copy
from orgs.placement.all_organisations import list_invited_members
from orgs.principals import Actor
from orgs.secret_box import digest_secret

INVITE_LIFETIME = timedelta(days=14)
INVITATION_INVALID = "this invitation is not valid any more"
# Mails in a day: of one organisation, and of these to one address. A count over all organisations
# would tell each whether another one invited that address.
MAILS_OF_ORGANISATION = 200
MAILS_TO_ADDRESS = 5
DAY_SECONDS = 86_400.0


def create_member(
    *,
    organisation_id: UUID,
    now: datetime,
    name: str = "",
    email: str = "",
    role: str = Role.MEMBER,
    password: str | None = None,
    beside: "QuerySet[Member] | None" = None,
) -> tuple[Member, str]:
    """Create a member without asking who may; with an e-mail address also the account.

    Returns the member and the secret of the invitation. The secret is empty without an e-mail
    address, and for an account that can sign in already: such a member has joined at once. beside:
    members whose names the new name must not look like; None, as for imports, checks nothing.
    Raises AlreadyExistsError if the account is a member already, and what `check_name` raises.
    """
    user, secret = None, ""
    with scope(Scope(organisation=organisation_id)):
        if email:
            user = _ensure_account(email, password, name)
            if _find_member(organisation_id, user) is not None:
                raise AlreadyExistsError(f"{email} is a member of this organisation")
            secret = "" if can_sign_in(user) else secrets.token_urlsafe(32)
        if beside is not None:
            name = _require_name(organisation_id, name, email, beside)
        member = _build_member(organisation_id, user, name, email, role, now)
        _set_invitation(member, secret, now)
        member.joined_at = now if user and not secret else None
        member.save(force_insert=True)
        ensure_audience(organisation_id, AudienceType.MEMBER, str(member.id))
    return member, secret


def invite_member(
    actor: Actor, *, email: str, now: datetime, name: str = "", role: str = Role.MEMBER
) -> tuple[Member, str]:
    """Invite an address; the answer is the same whether or not it has an account here.

    Inviting it again makes a new link and ends the old one; a removed member may be invited again.
    Returns the member and the secret. Raises PermissionError, AlreadyExistsError for a member who
    has joined, and what `check_name` raises.
    """
    if not actor.administers:
        raise PermissionError("Only an admin invites people.")
    secret = secrets.token_urlsafe(32)
    with organisation_scope(actor.organisation_id):
        _require_still_admin(actor)
        user = _ensure_account(email, None, "")
        member = _find_member(actor.organisation_id, user, lock=True)
        new = member is None
        if member is None:
            everybody = Member.objects.filter(organisation_id=actor.organisation_id)
            name = _require_name(actor.organisation_id, name, email, everybody)
            member = _build_member(actor.organisation_id, user, name, email, role, now)
        elif member.joined_at and not member.removed_at:
            raise AlreadyExistsError("This address belongs to a member already.")
        member.role, member.joined_at, member.removed_at = role, None, None
        member.invited_by_id = actor.member_id
        member.deactivated_at = None
        _set_invitation(member, secret, now)
        member.save(force_insert=new)
        ensure_audience(actor.organisation_id, AudienceType.MEMBER, str(member.id))
        audit.record_entry(
            "member.invited",
            actor=actor,
            now=now,
            target=member.id,
            target_type="member",
            role=role,
        )
    return member, secret


def invitation_url(member: Member, secret: str) -> str:
    """The whole address of a link that was just made."""
    path = reverse("invitation", args=[member.organisation_id, secret])
    return f"{settings.PUBLIC_URL}{path}"


def mail_invitation(actor: Actor, member: Member, secret: str, *, email: str) -> bool:
    """Mail a link that was just made to the address that it is for; call outside of transactions.

    The mail names the organisation and its address, and nobody in it. Returns whether it went:
    without a server for mail, and past MAILS_OF_ORGANISATION and MAILS_TO_ADDRESS a day, none does.
    """
    with organisation_scope(actor.organisation_id):
        organisation = name_in_mail(Organisation.objects.get(id=actor.organisation_id).name)
    address = hashlib.sha256(User.objects.normalise(email).encode()).hexdigest()[:32]
    buckets = (
        Bucket(
            f"invitation-mails:{actor.organisation_id.hex}",
            "invitation-mails",
            MAILS_OF_ORGANISATION,
            DAY_SECONDS,
        ),
        Bucket(
            f"invitation-mails-to:{actor.organisation_id.hex}:{address}",
            "invitation-mails-to",
            MAILS_TO_ADDRESS,
            DAY_SECONDS,
        ),
    )
    if token_buckets.limiter.take(buckets, now=time.time()).refused:
        return False
    text = gettext(
        "You are invited to %(organisation)s on Commonmind, at %(server)s.\n\n"
        "Join by this link. It works once, for two weeks:\n%(url)s\n\n"
        "If you do not expect this, do nothing: without the link nothing happens.\n"
    ) % {
        "organisation": organisation,
        "server": settings.PUBLIC_URL,
        "url": invitation_url(member, secret),
    }
    subject = gettext("Your invitation to %(organisation)s") % {"organisation": organisation}
    return send_mail(email, subject, text)


def withdraw_invitation(actor: Actor, *, member_id: UUID, now: datetime) -> Member:
    """End an open invitation: its link stops working. Raises NotFoundError and PermissionError."""
    if not actor.administers:
        raise PermissionError("Only an admin withdraws an invitation.")
    with organisation_scope(actor.organisation_id):
        member = _lock_invited(actor.organisation_id).filter(id=member_id).first()
        if member is None:
            raise NotFoundError("no such invitation")
        _withdraw(actor, member, now)
    return member


def withdraw_invitations_of(actor: Actor, inviter: Member, now: datetime) -> None:
    """End the open invitations of somebody who is an admin no more; in the organisation's scope.

    Otherwise an admin could come back by an invitation that they sent to themselves.
    """
    for member in _lock_invited(inviter.organisation_id).filter(invited_by=inviter):
        _withdraw(actor, member, now)


def _lock_invited(organisation_id: UUID) -> "QuerySet[Member]":
    """Who is invited and has not joined; locks them."""
    rows = Member.objects.select_for_update(of=("self",)).order_by("id")
    return rows.filter(
        organisation_id=organisation_id, user__isnull=False, joined_at=None, removed_at=None
    )


def _withdraw(actor: Actor, member: Member, now: datetime) -> None:
    member.removed_at, member.invite_digest, member.invite_expires_at = now, "", None
    member.save(update_fields=["removed_at", "invite_digest", "invite_expires_at"])
    audit.record_entry(
        "member.uninvited", actor=actor, now=now, target=member.id, target_type="member"
    )


def _require_still_admin(actor: Actor) -> None:
    """Lock the row of a person who invites, so that their role does not end meanwhile."""
    if actor.member_id is None:
        return
    rows = Member.objects.select_for_update(of=("self",), no_key=True)
    here = {"organisation_id": actor.organisation_id, "id": actor.member_id}
    if not rows.filter(**here, role=Role.ADMIN, removed_at=None).exists():
        raise PermissionError("Only an admin invites people.")


def get_invitation(*, organisation_id: UUID, secret: str, now: datetime) -> Member:
    """The invited member, with the organisation. Raises NotFoundError if the secret is wrong, used
    or expired."""
    with organisation_scope(organisation_id):
        member = (
            _invited_members(organisation_id, secret, now).select_related("organisation").first()
        )
        elsewhere = bool(current_server())
    if member is None:
        raise NotFoundError(INVITATION_INVALID)
    if elsewhere:
        # What was read is a copy, of which nobody can say how it is opened.
        member.user = User.objects.filter(pk=member.user_id).first()
        if member.user is None:
            raise NotFoundError(INVITATION_INVALID)
    return member


def accept_invitation(
    *,
    organisation_id: UUID,
    secret: str,
    now: datetime,
    password: str | None = None,
    user: User | None = None,
) -> User:
    """Join, once: as the signed-in `user`, or with a first `password`.

    Returns the account. Raises NotFoundError if the secret is wrong, used or expired. Raises
    PermissionError for another account than the invited one, and for a password if the invited
    account can sign in already.
    """
    with organisation_scope(organisation_id):
        member = (
            _invited_members(organisation_id, secret, now).select_for_update(of=("self",)).first()
        )
        if member is None:
            raise NotFoundError(INVITATION_INVALID)
        account = _open_account(member, password, user)
        _complete_join(member, now)
    return account


def _open_account(member: Member, password: str | None, user: User | None) -> User:
    """The account that joins, after its first password was set where nobody is signed in. If the
    organisation lies on another server, that is committed before the membership is."""
    with switched_to_server(HOME), transaction.atomic():
        # Locked, so that only one of two organisations' links sets the password.
        rows = User.objects.select_for_update().filter(pk=member.user_id, is_active=True)
        account = rows.first()
        if account is None:
            raise NotFoundError(INVITATION_INVALID)
        if user is None:
            if password is None or can_sign_in(account):
                raise PermissionError("Sign in first, to show that the account is yours.")
            account.set_password(password)
            account.save(update_fields=["password"])
        elif user.pk != account.pk:
            raise PermissionError("This invitation is for another address.")
    return account


def list_open_invitations(user: User, now: datetime) -> list[tuple[Member, Organisation]]:
    """Invitations, not expired, of an account whose address is verified; it can join without a
    link."""
    if not user.emailaddress_set.filter(email=user.email, verified=True).exists():
        return []
    return [(m, m.organisation) for m in list_invited_members(user.pk, now)]


def accept_open_invitation(user: User, *, organisation_id: UUID, now: datetime) -> None:
    """Accept one of `list_open_invitations`. Raises NotFoundError."""
    if not any(o.id == organisation_id for _, o in list_open_invitations(user, now)):
        raise NotFoundError("no such invitation")
    with organisation_scope(organisation_id):
        _complete_join(_find_member(organisation_id, user, lock=True), now)


def can_sign_in(user: User) -> bool:
    """Whether the account has a password, a passkey or a single sign-on that opens it. user: from
    the home server, no copy."""
    with switched_to_server(HOME):
        return (
            user.has_usable_password()
            or user.socialaccount_set.exists()
            or user.authenticator_set.filter(type="webauthn").exists()
        )


def _ensure_account(email: str, password: str | None, name: str) -> User:
    """The account of an address, on the home server, made if there is none. If the organisation
    lies on another server, it is committed at once, with a note to delete it if nothing follows."""
    with switched_to_server(HOME):
        found = User.objects.filter(email=User.objects.normalise(email)).first()
        user = found or User.objects.create_user(email, password, name=name)
    ensure_copy(user.pk, ends_account=found is None)
    return user


def _find_member(organisation_id: UUID, user: User, *, lock: bool = False) -> Member | None:
    rows = Member.objects.select_for_update(of=("self",)) if lock else Member.objects.all()
    return rows.filter(organisation_id=organisation_id, user=user).first()


def _build_member(
    organisation_id: UUID, user: User | None, name: str, email: str, role: str, now: datetime
) -> Member:
    called = name or (email.split("@", maxsplit=1)[0] if email else "unnamed")
    return Member(
        organisation_id=organisation_id, user=user, name=called, role=role, created_at=now
    )


def _require_name(organisation_id: UUID, name: str, email: str, beside: "QuerySet[Member]") -> str:
    """The name, checked. Without one: the part before the @, or the address if that does not fit.

    Raises what `check_name` raises.
    """
    acquire_advisory_lock(organisation_id, "member")
    others = list(beside.filter(removed_at=None).values_list("name", flat=True))
    if name or not email:
        check_name(name, kept=RESERVED_MEMBER_NAMES, others=others)
        return name
    for short in (email.split("@", maxsplit=1)[0], email):
        with suppress(LookalikeNameError, InvalidNameError):
            check_name(short, kept=RESERVED_MEMBER_NAMES, others=others)
            return short
    return email


def _set_invitation(member: Member, secret: str, now: datetime) -> None:
    member.invite_digest = digest_secret(secret) if secret else ""
    member.invite_expires_at = now + INVITE_LIFETIME if secret else None


def _invited_members(organisation_id: UUID, secret: str, now: datetime) -> "QuerySet[Member]":
    return Member.objects.filter(
        organisation_id=organisation_id,
        invite_digest=digest_secret(secret),
        invite_expires_at__gt=now,
        user__is_active=True,
        removed_at=None,
    ).select_related("user")


def _complete_join(member: Member | None, now: datetime) -> None:
    if member is None:
        raise NotFoundError(INVITATION_INVALID)
    member.joined_at, member.invite_digest, member.invite_expires_at = now, "", None
    member.save(update_fields=["joined_at", "invite_digest", "invite_expires_at"])
    audit.record_entry(
        "member.joined",
        actor=Actor(organisation_id=member.organisation_id, member_id=member.id),
        now=now,
        target=member.id,
        target_type="member",
    )
