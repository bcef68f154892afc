"""Keys of superusers, and what they open: organisations are made and removed, and none is read."""

import logging
import re
import secrets
from datetime import datetime
from hmac import compare_digest
from uuid import UUID

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import ConfirmationError, NotFoundError
from orgs.expiry import has_expired
from orgs.members.invitations import invite_member
from orgs.models.base import new_id
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Organisation
from orgs.models.superuser_keys import SuperuserKey
from orgs.models.users import User
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation
from orgs.principals import MANAGE_SCOPE, Actor
from orgs.secret_box import digest_secret

log = logging.getLogger("commonmind.support")
SUPERUSER_KEY_TAG = "cms"
_FORM = re.compile(rf"{SUPERUSER_KEY_TAG}_([0-9a-f]{{32}})_([A-Za-z0-9_-]{{43}})")
# Commands on the server alone may write keys.
OWNER_ALIAS = "owner"
# The most seconds that a call deletes rows; a worker deletes the rest.
MAX_REQUEST_SECONDS = 5.0


def create_superuser_key(
    user: User, *, now: datetime, expires_at: datetime | None = None
) -> tuple[SuperuserKey, str]:
    """Make a key. Returns it with its whole text, which is stored nowhere. Raises PermissionError
    for an account that is no active superuser."""
    if not (user.is_active and user.is_superuser):
        raise PermissionError("Only a superuser's account has such a key.")
    secret = secrets.token_urlsafe(32)
    key = SuperuserKey(
        id=new_id(), user=user, digest=digest_secret(secret), created_at=now, expires_at=expires_at
    )
    key.save(using=OWNER_ALIAS, force_insert=True)
    return key, f"{SUPERUSER_KEY_TAG}_{key.id.hex}_{secret}"


def revoke_superuser_keys(user: User, *, now: datetime) -> int:
    """Revoke every key of an account; returns how many were valid until now."""
    keys = SuperuserKey.objects.using(OWNER_ALIAS).filter(user_id=user.pk, revoked_at=None)
    return keys.update(revoked_at=now)


def authenticate_superuser_key(presented: str, now: datetime) -> User | None:
    """The account of a valid key; None for anything else, and for an account that is no active
    superuser any more."""
    parts = _FORM.fullmatch(presented)
    if parts is None:
        return None
    rows = SuperuserKey.objects.filter(id=UUID(hex=parts[1]), revoked_at=None)
    key = rows.select_related("user").first()
    if key is None or has_expired(key.expires_at, now):
        return None
    if not compare_digest(key.digest, digest_secret(parts[2])):
        return None
    return key.user if key.user.is_active and key.user.is_superuser else None


def create_organisation_for(
    user: User, *, name: str, slug: str, language: str, admin: str, now: datetime
) -> tuple[Organisation, Member, str]:
    """Make an organisation and invite its first admin. admin: an e-mail address.

    Returns it with the invited member and the secret of the invitation. Raises what
    `create_organisation` and `invite_member` raise; then nothing is made.
    """
    organisation_id = new_id()
    with organisation_scope(organisation_id):
        organisation = create_organisation(
            id_=organisation_id, name=name, slug=slug, language=language, now=now
        )
        operator = Actor(organisation_id=organisation.id, scopes=frozenset({MANAGE_SCOPE}))
        audit.record_entry(
            "organisation.created",
            actor=operator,
            now=now,
            target=organisation.id,
            target_type="organisation",
            staff=user.pk,
        )
        member, secret = invite_member(operator, email=admin, role=Role.ADMIN, now=now)
    log.info("an organisation was made", extra={"organisation": str(organisation.id)})
    return organisation, member, secret


def remove_organisation_for(
    user: User, organisation_id: UUID, *, confirm: str, now: datetime
) -> bool:
    """Close an organisation for good and delete its rows. confirm: its slug.

    Returns whether all rows are deleted; else a worker deletes the rest. Raises NotFoundError, also
    for one that is closed already, and ConfirmationError for another slug.
    """
    with organisation_scope(organisation_id):
        found = Organisation.objects.filter(id=organisation_id).first()
    if found is None:
        raise NotFoundError("no such organisation")
    if confirm != found.slug:
        raise ConfirmationError(
            "Repeat the slug of the organisation as `confirm`. Nothing was removed."
        )
    details = {"organisation": str(organisation_id), "superuser": str(user.pk)}
    log.warning("an organisation is removed", extra=details)
    return remove_organisation(organisation_id, now=now, seconds=MAX_REQUEST_SECONDS)
