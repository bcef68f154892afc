"""API keys: made, shown once, rotated, revoked, and turned into a caller."""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope, unless_unwritable
from orgs.errors import SuspendedError
from orgs.expiry import not_expired_q, not_expired_sql
from orgs.limits.addresses import UNKNOWN, client_address
from orgs.models.base import new_id
from orgs.models.memberships import Role, can_sign_in_sql
from orgs.principals import Actor
from orgs.secret_box import digest_secret
from robots.errors import KeyAddressError
from robots.models.enrolments import EnrolmentKey
from robots.models.keys import Key, KeyScope, valid_key_sql

KEY_TAG = "cmk"
SECRET_BYTES = 32
# The one spelling of a key. Calls are counted by its text, so a second spelling would be a second
# count.
_BEGINNING = re.compile(rf"{KEY_TAG}_([0-9a-f]{{32}})_([0-9a-f]{{12}})(?![0-9a-f])")
_FORM = re.compile(rf"{KEY_TAG}_([0-9a-f]{{32}})_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")
# Where the ASGI scope of a request has the `resource` of its `PresentedKey`.
RESOURCE_SCOPE_KEY = "commonmind.resource"
LAST_USED_INTERVAL = timedelta(seconds=60)
DEFAULT_SCOPES = (KeyScope.READ, KeyScope.WRITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLimits:
    """To which groups (ids) and from which networks (CIDR) a key opens anything; None: no limit."""

    groups: list[UUID] | None = None
    networks: list[str] | None = None

    def counts(self) -> dict[str, int]:
        """How many groups and networks it names, for the audit trail; nothing without a limit."""
        named = {"groups": self.groups, "networks": self.networks}
        return {name: len(found) for name, found in named.items() if found is not None}


UNLIMITED = KeyLimits()


def make_key_text(organisation_id: UUID) -> tuple[str, str, str]:
    """(the text of a new key, its prefix, the digest of its secret)."""
    secret, prefix = secrets.token_urlsafe(SECRET_BYTES), secrets.token_hex(6)
    return f"{KEY_TAG}_{organisation_id.hex}_{prefix}_{secret}", prefix, digest_secret(secret)


def create_key(
    *,
    organisation_id: UUID,
    robot_id: UUID,
    now: datetime,
    scopes: Iterable[str] = DEFAULT_SCOPES,
    label: str = "",
    expires_at: datetime | None = None,
    created_by_id: UUID | None = None,
    key_id: UUID | None = None,
    text_expires_at: datetime | None = None,
    resource: str = "",
    limits: KeyLimits = UNLIMITED,
) -> tuple[Key, str]:
    """Make a key. Returns it with its whole text, which is stored nowhere.

    key_id: the id of the new key; a request that is sent twice then makes one key. text_expires_at,
    resource: of the access token of an OAuth client. Raises ValueError for an unknown scope.

    The text names the organisation, so that a scope can be opened before the caller is known.
    """
    text, prefix, digest = make_key_text(organisation_id)
    chosen = sorted({str(scope) for scope in scopes})
    unknown = set(chosen) - set(KeyScope.values)
    if unknown:
        raise ValueError(f"unknown scope: {', '.join(sorted(unknown))}")
    key = Key(
        id=key_id or new_id(),
        organisation_id=organisation_id,
        robot_id=robot_id,
        prefix=prefix,
        digest=digest,
        scopes=chosen,
        label=label,
        expires_at=expires_at,
        text_expires_at=text_expires_at,
        resource=resource,
        created_by_id=created_by_id,
        created_at=now,
        groups=limits.groups,
        networks=limits.networks,
    )
    with organisation_scope(organisation_id):
        key.save(force_insert=True)
    return key, text


def rotate_key(
    *,
    organisation_id: UUID,
    key: Key,
    now: datetime,
    created_by_id: UUID | None,
    overlap: timedelta = timedelta(hours=24),
) -> tuple[Key, str]:
    """Make a second key with the same scopes and limits; the first one expires after `overlap` at
    the latest.

    created_by_id: who makes the second one. Returns it with its whole text.
    """
    expires_at = now + overlap
    with organisation_scope(organisation_id):
        Key.objects.filter(
            not_expired_q(expires_at), organisation_id=organisation_id, id=key.id
        ).update(expires_at=expires_at)
        return create_key(
            organisation_id=organisation_id,
            robot_id=key.robot_id,
            now=now,
            scopes=key.scopes,
            label=key.label,
            created_by_id=created_by_id,
            limits=KeyLimits(groups=key.groups, networks=key.networks),
        )


def revoke_key(*, organisation_id: UUID, key_id: UUID, now: datetime) -> bool:
    """Close a key at once. Returns False if it was closed before, which changes nothing."""
    with organisation_scope(organisation_id):
        open_key = Key.objects.filter(
            organisation_id=organisation_id, id=key_id, revoked_at__isnull=True
        )
        return bool(open_key.update(revoked_at=now))


def end_key(actor: Actor, key: Key, now: datetime, **detail: object) -> None:
    """Close a key at once and record it; once more changes nothing."""
    with organisation_scope(key.organisation_id):
        if revoke_key(organisation_id=key.organisation_id, key_id=key.id, now=now):
            record_key_event("key.revoked", actor, key, now, **detail)


def find_leaked_key(text: str) -> Key | None:
    """The key of which somebody found the text, or its beginning without the secret; None if there
    is none."""
    parts = _BEGINNING.match(text.strip())
    if parts is None:
        return None
    organisation_id = UUID(hex=parts[1])
    with organisation_scope(organisation_id):
        keys = Key.objects.filter(organisation_id=organisation_id, prefix=parts[2])
        return keys.select_related("robot").first()


def record_key_event(action: str, actor: Actor, key: Key, now: datetime, **detail: object) -> None:
    """Record what became of a key, with its robot."""
    audit.record_entry(
        action,
        actor=actor,
        now=now,
        target=key.id,
        target_type="key",
        robot=str(key.robot_id),
        **detail,
    )


def revoke_organisation_keys(organisation_id: UUID, now: datetime) -> None:
    """Revoke every key of an organisation that is removed, also those by which robots enrol."""
    for kind in (Key, EnrolmentKey):
        keys = kind.objects.filter(organisation_id=organisation_id, revoked_at__isnull=True)
        keys.update(revoked_at=now)


@dataclass(frozen=True, slots=True)
class AuthenticatedRobot:
    """A robot whose key is valid. is_client: by the access token of an OAuth client. key_groups:
    see `Actor`."""

    organisation_id: UUID
    robot_id: UUID
    key_id: UUID
    name: str
    scopes: frozenset[str]
    owner_id: UUID | None = None
    owner_role: str | None = None
    is_client: bool = False
    key_groups: frozenset[UUID] | None = None

    @property
    def may_manage(self) -> bool:
        """A personal robot is its member and no more, so it manages where they are an admin."""
        return self.owner_id is None or self.owner_role == Role.ADMIN

    def actor(self) -> Actor:
        """Who acts. A client answers its member alone, who allowed it to act as them: so with
        `act_for` it reads unasked what the member reads as a member, and writes for them."""
        acts = self.is_client and KeyScope.ACT_FOR in self.scopes
        return Actor(
            organisation_id=self.organisation_id,
            member_id=self.owner_id if acts else None,
            delegated=acts,
            include_direct=acts,
            told=acts,
            robot_id=self.robot_id,
            scopes=self.scopes if self.may_manage else self.scopes - {KeyScope.MANAGE},
            name=self.name,
            key_id=self.key_id,
            owner_id=self.owner_id,
            owner_role=self.owner_role,
            key_groups=self.key_groups,
        )


# That the key `k` of the robot `r` opens anything now: a personal robot's only while its member's
# account `u` is not closed.
_OPEN_KEY_SQL = f"""{valid_key_sql(now="%(now)s")} AND r.retired_at IS NULL
    AND u.is_active IS NOT FALSE"""
# Which key it is, and that it opens anything here and now: an access token only at what it was made
# for. The parameters are `key_parameters`.
VALID_KEY_SQL = f"""k.organisation_id = %(organisation)s AND k.prefix = %(prefix)s
    AND k.digest = %(digest)s AND {_OPEN_KEY_SQL}
    AND {not_expired_sql("k", now="%(now)s", column="text_expires_at")}
    AND k.resource IN ('', %(resource)s)"""
# The scope `manage` of a key counts while the member who made the key is an admin who can sign in;
# of a key that a command on the server made, always.
_SCOPES_SQL = f"""CASE WHEN k.created_by_id IS NULL OR NOT k.scopes @> '["manage"]'
    OR EXISTS (
        SELECT FROM orgs_member a JOIN orgs_user u ON u.id = a.user_id
        WHERE a.organisation_id = k.organisation_id AND a.id = k.created_by_id
        AND a.role = 'admin' AND {can_sign_in_sql("a", "u")})
    THEN k.scopes ELSE k.scopes - 'manage' END"""
_CALLER_SQL = f"""SELECT r.organisation_id, r.id, k.id AS key_id, r.name, {_SCOPES_SQL} AS scopes,
    r.owner_id, m.role, k.resource <> '' AS is_client, k.groups AS key_groups, k.last_used_at,
    o.suspended_at IS NULL AND (k.networks IS NULL
        OR coalesce(%(address)s::inet <<= ANY (k.networks::cidr[]), false)) AS admitted,
    CASE WHEN o.suspended_at IS NOT NULL THEN o.suspended_for END AS suspended_for
FROM robots_key k
JOIN orgs_organisation o ON o.id = k.organisation_id
JOIN robots_robot r ON r.organisation_id = k.organisation_id AND r.id = k.robot_id
LEFT JOIN orgs_member m ON m.organisation_id = r.organisation_id AND m.id = r.owner_id
LEFT JOIN orgs_user u ON u.id = m.user_id
WHERE """
CALLER_SQL = _CALLER_SQL + VALID_KEY_SQL
_CALLER_BY_ID_SQL = f"""{_CALLER_SQL}k.organisation_id = %(organisation)s AND k.id = %(key)s
    AND {_OPEN_KEY_SQL}"""
# It waits for nobody who holds the row.
_LAST_USED_SQL = """
UPDATE robots_key SET last_used_at = %(now)s
WHERE (organisation_id, id) = (SELECT organisation_id, id FROM robots_key
    WHERE organisation_id = %(organisation)s AND id = %(key)s FOR NO KEY UPDATE SKIP LOCKED)
"""


@dataclass(frozen=True, slots=True)
class PresentedKey:
    """What the text of a key says, not yet checked. digest: SHA-256 of its secret, in
    hexadecimal. resource: the address at which it is presented, where that is one for which access
    tokens are made. address: the IP address of whoever presents it; None if it is unknown, and then
    a key that is limited to networks opens nothing."""

    organisation_id: UUID
    prefix: str
    digest: str
    resource: str = ""
    address: str | None = None


def parse_key(
    presented: str, resource: str = "", address: str | None = None
) -> PresentedKey | None:
    """The parts of a key's text, or None if the text does not have the form of a key. resource,
    address: see `PresentedKey`; an unknown address may also be `UNKNOWN`."""
    parts = _FORM.fullmatch(presented)
    if parts is None:
        return None
    organisation, prefix, secret = parts.groups()
    known = None if address == UNKNOWN else address
    return PresentedKey(UUID(hex=organisation), prefix, digest_secret(secret), resource, known)


def parse_request_key(presented: str, request: HttpRequest) -> PresentedKey | None:
    """`parse_key` for a key that this request presents."""
    resource = getattr(request, "scope", {}).get(RESOURCE_SCOPE_KEY, "")
    return parse_key(presented, resource, client_address(request))


def key_parameters(key: PresentedKey, now: datetime) -> dict[str, Any]:
    """The values of `CALLER_SQL`."""
    return {
        "organisation": key.organisation_id,
        "prefix": key.prefix,
        "digest": key.digest,
        "resource": key.resource,
        "address": key.address,
        "now": now,
    }


def parse_caller(row: Sequence[Any]) -> AuthenticatedRobot:
    """The robot in the first columns of a row of `CALLER_SQL`."""
    organisation_id, robot_id, key_id, name, scopes, *owner_and_client, groups = row[:USED_COLUMN]
    within = None if groups is None else frozenset(groups)
    return AuthenticatedRobot(
        organisation_id, robot_id, key_id, name, frozenset(scopes), *owner_and_client, within
    )


# The columns of `CALLER_SQL` behind those of the robot: when the key was used last, whether it may
# be presented now and from there, and why its organisation is suspended.
USED_COLUMN, _ADMITTED_COLUMN, _SUSPENDED_COLUMN = 9, 10, 11
CALLER_COLUMNS = 12


def last_used_statement(
    caller: AuthenticatedRobot, used_at: datetime | None, now: datetime
) -> tuple[str, dict[str, Any]] | None:
    """The statement that notes the use of a key, with its values; None while the last note is
    younger than LAST_USED_INTERVAL."""
    if used_at is not None and now - used_at < LAST_USED_INTERVAL:
        return None
    values = {"organisation": caller.organisation_id, "key": caller.key_id, "now": now}
    return _LAST_USED_SQL, values


def authenticate_key(presented: str | PresentedKey, now: datetime) -> AuthenticatedRobot | None:
    """Whose key this is, or None for anything that is not a valid key right now. presented: its
    text, or what `parse_key` made of it. Raises KeyAddressError for a key that does not open
    anything from where it is presented, and SuspendedError for one of a suspended organisation."""
    key = parse_key(presented) if isinstance(presented, str) else presented
    if key is None:
        return None
    scope = Scope(organisation=key.organisation_id)
    rows = fetch_in_scope(scope, CALLER_SQL, key_parameters(key, now))
    if not rows:
        return None
    caller = parse_caller(rows[0])
    if (suspended_for := rows[0][_SUSPENDED_COLUMN]) is not None:
        raise SuspendedError(suspended_for)
    if not rows[0][_ADMITTED_COLUMN]:
        raise KeyAddressError(caller.actor())
    if stamp := last_used_statement(caller, rows[0][USED_COLUMN], now):
        with unless_unwritable(), organisation_scope(key.organisation_id):
            fetch_all(*stamp)
    return caller


def find_key_caller(
    organisation_id: UUID, key_id: UUID, now: datetime
) -> AuthenticatedRobot | None:
    """Whose key this is and what it may do now, for work that it asked for earlier; None if it is
    not valid any more. The text of an OAuth client's token may be over: the client renews it."""
    # Nobody presents it now: it was admitted when the work was asked for.
    values = {"organisation": organisation_id, "key": key_id, "now": now, "address": None}
    rows = fetch_in_scope(Scope(organisation=organisation_id), _CALLER_BY_ID_SQL, values)
    return parse_caller(rows[0]) if rows else None
