"""The leave that a member gives a client, from the code to its end.

The client gets a code, and for it a key of a personal robot of its own, which is its access token.
Renewing gives the same key another text. So whatever ends a key or a robot ends the leave, and what
a token may is decided where it is decided for keys.

Codes and refresh tokens name their organisation, as keys do, so that a scope can be opened before
it is known whose they are. A refresh token has two secrets: that of its family stays, the other
changes with each use. One with the right family and an old secret was used before, by somebody
else: then the leave ends.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any
from uuid import UUID

from django.db.models import Q

from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.expiry import has_expired
from orgs.models.memberships import Member, Role, can_sign_in_q
from orgs.principals import Actor
from orgs.secret_box import digest_secret
from orgs.wired_functions import wired
from robots.access.keys import (
    create_key,
    end_key,
    make_key_text,
    parse_key,
    record_key_event,
)
from robots.models.keys import Key, KeyScope
from robots.models.oauth import OAuthGrant, valid_grant_q
from robots.models.robots import Robot
from robots.oauth.clients import ClientLook
from robots.oauth.errors import NoLeaveError
from robots.oauth.server_metadata import KEY_SCOPES

CODE_TAG, REFRESH_TAG = "cmo", "cmr"
CODE_LIFETIME = timedelta(seconds=60)
ACCESS_LIFETIME = timedelta(hours=1)
# After its last renewal.
GRANT_LIFETIME = timedelta(days=90)
# A client that asks twice at once is refused without an end of the leave.
RETRY_INTERVAL = timedelta(seconds=30)
MAX_GRANTS = 50
SECRET_BYTES = 32
_RANDOM = "([A-Za-z0-9_-]{43})"
_CODE_FORM = re.compile(rf"{CODE_TAG}_([0-9a-f]{{32}})_([0-9a-f]{{32}})_{_RANDOM}")
_REFRESH_FORM = re.compile(rf"{REFRESH_TAG}_([0-9a-f]{{32}})_([0-9a-f]{{32}})_{_RANDOM}\.{_RANDOM}")
TOO_MANY = "You have let as many assistants in as one person may. End some under My memories."
VIEWER_WRITES_NOT = "Your role reads, so an assistant cannot write for you."


@wired
def ensure_client_robot(
    organisation_id: UUID, member_id: UUID, now: datetime, *, client: str, named_after: str
) -> Robot:
    """The personal robot of a member for this client, made at its first use. named_after: what its
    name begins with. Called inside the organisation's scope."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What a client asks for, as it was checked. scopes: of OAuth."""

    client_id: str
    look: ClientLook
    redirect_uri: str
    scopes: tuple[str, ...]
    resource: str
    code_challenge: str


@dataclass(frozen=True, slots=True)
class PresentedSecret:
    """What the text of a code or a refresh token says, not yet checked. secrets: those in it."""

    organisation_id: UUID
    grant_id: UUID
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """A pair of tokens, whose texts are stored nowhere."""

    access: str
    refresh: str


def parse_code(text: str) -> PresentedSecret | None:
    """The parts of a code; None if it does not have the form of one."""
    return _parse(_CODE_FORM, text)


def parse_refresh_token(text: str) -> PresentedSecret | None:
    """The parts of a refresh token; None if it does not have the form of one."""
    return _parse(_REFRESH_FORM, text)


def _parse(form: re.Pattern[str], text: str) -> PresentedSecret | None:
    parts = form.fullmatch(text)
    if parts is None:
        return None
    organisation, grant, *found = parts.groups()
    return PresentedSecret(UUID(hex=organisation), UUID(hex=grant), tuple(found))


def allowed_scopes(role: str | None, scopes: Sequence[str]) -> tuple[str, ...]:
    """Those of these scopes that a member of this role can give; reading is always one."""
    return tuple(
        one
        for one in KEY_SCOPES
        if one == "read" or (one in scopes and not (one == "write" and role == Role.VIEWER))
    )


def create_grant(actor: Actor, asked: AuthorizationRequest, *, now: datetime) -> str:
    """Let a client act for the member who asks. Returns the code, which is stored nowhere.

    Raises NoLeaveError for a member who has too many, and PermissionError for a robot.
    """
    if not actor.is_person:
        raise PermissionError("Only a person lets an assistant in.")
    tenant = {"organisation_id": actor.organisation_id}
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with organisation_scope(actor.organisation_id):
        mine = OAuthGrant.objects.filter(**tenant, member_id=actor.member_id)  # type: ignore[misc]  # a person
        mine.filter(_is_over(now)).delete()
        if mine.count() >= MAX_GRANTS:
            raise NoLeaveError(TOO_MANY)
        grant = OAuthGrant(
            **tenant,
            member_id=actor.member_id,  # type: ignore[misc]  # a person
            client=asked.client_id,
            client_name=asked.look.name,
            client_host=asked.look.host,
            scopes=list(allowed_scopes(actor.role, asked.scopes)),
            resource=asked.resource,
            redirect_uri=asked.redirect_uri,
            code_challenge=asked.code_challenge,
            code_digest=digest_secret(secret),
            code_expires_at=now + CODE_LIFETIME,
            created_at=now,
        )
        grant.save(force_insert=True)
    return f"{CODE_TAG}_{actor.organisation_id.hex}_{grant.id.hex}_{secret}"


def _is_over(now: datetime) -> Q:
    """Grants that open nothing any more."""
    unused = Q(key=None, code_expires_at__lte=now)
    return unused | Q(key__isnull=False) & ~valid_grant_q(now)


def claim_code(code: PresentedSecret, client_id: str, now: datetime) -> OAuthGrant | None:
    """The grant of a code that this client may exchange now, locked; else None.

    A code that was exchanged before ends what it gave. Call inside the organisation's scope, in the
    transaction of the exchange.
    """
    grant = _lock_grant(code)
    if grant is None or not compare_digest(grant.code_digest, digest_secret(code.secrets[0])):
        return None
    if grant.code_used_at is not None:
        _end_grant(grant, now, reason="code used again")
        return None
    if grant.client != client_id or has_expired(grant.code_expires_at, now):
        return None
    return grant if _can_act(grant) else None


def claim_refresh_token(token: PresentedSecret, client_id: str, now: datetime) -> OAuthGrant | None:
    """The grant of a refresh token that this client may use now, locked; else None.

    One that was used before ends the leave, but for a client that asks twice at once. Call as
    `claim_code`.
    """
    grant = _lock_grant(token)
    if grant is None or not grant.family_digest:
        return None
    family, secret = map(digest_secret, token.secrets)
    if not compare_digest(grant.family_digest, family) or grant.client != client_id:
        return None
    if not compare_digest(grant.refresh_digest, secret):
        was_last = compare_digest(grant.previous_digest, secret)
        if not (was_last and grant.refreshed_at and now - grant.refreshed_at < RETRY_INTERVAL):
            _end_grant(grant, now, reason="refresh token used again")
        return None
    same = OAuthGrant.objects.filter(valid_grant_q(now), id=grant.id)
    return grant if same.exists() and _can_act(grant) else None


def _lock_grant(shown: PresentedSecret) -> OAuthGrant | None:
    rows = OAuthGrant.objects.filter(organisation_id=shown.organisation_id, id=shown.grant_id)
    return rows.select_for_update().first()


def _can_act(grant: OAuthGrant) -> bool:
    """Whether its member still belongs here and can sign in."""
    members = Member.objects.filter(
        can_sign_in_q(),
        organisation_id=grant.organisation_id,
        id=grant.member_id,
        organisation__removed_at=None,
    )
    return members.exists()


def issue_tokens(
    grant: OAuthGrant, scopes: Sequence[str], now: datetime, *, family: str = ""
) -> Tokens:
    """New tokens of a grant that `claim_code` or `claim_refresh_token` found; older ones end.

    scopes: of OAuth, those of the grant or fewer. family: the secret of the family in the refresh
    token that was shown. For a code it makes the key, and the client's personal robot if need be.
    """
    wanted = sorted(KEY_SCOPES[one] for one in scopes)
    if grant.key_id is None:
        family = secrets.token_urlsafe(SECRET_BYTES)
        access = _create_client_key(grant, wanted, now)
        # What the code needed is needed no more.
        grant.code_used_at, grant.redirect_uri, grant.code_challenge = now, "", ""
    else:
        access, prefix, digest = make_key_text(grant.organisation_id)
        Key.objects.filter(organisation_id=grant.organisation_id, id=grant.key_id).update(
            prefix=prefix,
            digest=digest,
            scopes=wanted,
            text_expires_at=now + ACCESS_LIFETIME,
            expires_at=now + GRANT_LIFETIME,
        )
    return Tokens(access, _renew_refresh_token(grant, family, now))


def _create_client_key(grant: OAuthGrant, scopes: list[str], now: datetime) -> str:
    robot = ensure_client_robot(
        grant.organisation_id,
        grant.member_id,
        now,
        client=grant.client,
        named_after=grant.client_host,
    )
    key, access = create_key(
        organisation_id=grant.organisation_id,
        robot_id=robot.id,
        now=now,
        scopes=scopes,
        label=grant.client_host[:100],
        expires_at=now + GRANT_LIFETIME,
        text_expires_at=now + ACCESS_LIFETIME,
        resource=grant.resource,
        created_by_id=grant.member_id,
    )
    grant.robot_id, grant.key_id = robot.id, key.id
    record_key_event("key.created", _grant_actor(grant), key, now)
    return access


def _renew_refresh_token(grant: OAuthGrant, family: str, now: datetime) -> str:
    secret = secrets.token_urlsafe(SECRET_BYTES)
    grant.family_digest = digest_secret(family)
    grant.previous_digest = grant.refresh_digest
    grant.refresh_digest, grant.refreshed_at = digest_secret(secret), now
    grant.save()
    return f"{REFRESH_TAG}_{grant.organisation_id.hex}_{grant.id.hex}_{family}.{secret}"


def revoke_token(text: str, client_id: str, now: datetime) -> None:
    """End the leave of an access or refresh token that this client shows; nothing for another
    text."""
    if refresh := parse_refresh_token(text):
        with organisation_scope(refresh.organisation_id):
            grant = _lock_grant(refresh)
            if (
                grant is not None
                and grant.client == client_id
                and grant.family_digest
                and compare_digest(grant.family_digest, digest_secret(refresh.secrets[0]))
            ):
                _end_grant(grant, now)
    elif access := parse_key(text):
        with organisation_scope(access.organisation_id):
            found = OAuthGrant.objects.filter(
                organisation_id=access.organisation_id,
                client=client_id,
                key__prefix=access.prefix,
                key__digest=access.digest,
            )
            if (grant := found.first()) is not None:
                _end_grant(grant, now)


def _end_grant(grant: OAuthGrant, now: datetime, **detail: str) -> None:
    """Revoke its key, once; recorded."""
    if grant.key is not None:
        end_key(_grant_actor(grant), grant.key, now, **detail)


def _grant_actor(grant: OAuthGrant) -> Actor:
    return Actor(
        organisation_id=grant.organisation_id, member_id=grant.member_id, robot_id=grant.robot_id
    )


@dataclass(frozen=True, slots=True)
class Assistant:
    """A client that may act for a member. robot: as which it does. name, host: see `ClientLook`.
    since: the first leave that holds. scopes: of keys, those of all its leaves together."""

    robot: Robot
    name: str
    host: str
    since: datetime
    last_used_at: datetime | None
    scopes: frozenset[str]

    @property
    def acts(self) -> bool:
        """Whether it reads what is private to the member."""
        return KeyScope.ACT_FOR in self.scopes

    @property
    def writes(self) -> bool:
        return KeyScope.WRITE in self.scopes


def list_assistants(robots: Iterable[Robot]) -> list[Assistant]:
    """The clients that may act for a member now, by host. robots: of
    `robots.access.delegations.load_member_robots`."""
    found = [_assistant(robot, robot.grants) for robot in robots if robot.grants]  # type: ignore[attr-defined]  # of the query
    return sorted(found, key=lambda one: (one.host, one.name, one.robot.id))


def _assistant(robot: Robot, leaves: Sequence[Mapping[str, Any]]) -> Assistant:
    used = [datetime.fromisoformat(leave["used"]) for leave in leaves if leave["used"]]
    return Assistant(
        robot=robot,
        name=leaves[-1]["name"],
        host=leaves[-1]["host"],
        since=min(datetime.fromisoformat(leave["since"]) for leave in leaves),
        last_used_at=max(used, default=None),
        scopes=frozenset(scope for leave in leaves for scope in leave["scopes"]),
    )


def end_assistant(actor: Actor, robot_id: UUID, *, now: datetime) -> None:
    """End all that the asking member allowed the client of this robot: its keys are revoked and the
    robot is retired. Raises NotFoundError for any other robot."""
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        robots = Robot.objects.filter(**tenant, id=robot_id, owner_id=actor.member_id)
        if not actor.is_person or not robots.exclude(client="").exists():
            raise NotFoundError("no such assistant")
        for grant in OAuthGrant.objects.filter(**tenant, robot_id=robot_id).order_by("id"):
            _end_grant(grant, now)
        Key.objects.filter(**tenant, robot_id=robot_id, revoked_at=None).update(revoked_at=now)
        OAuthGrant.objects.filter(**tenant, robot_id=robot_id).delete()
        robots.filter(retired_at=None).update(retired_at=now)
