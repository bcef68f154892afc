"""Robots that register themselves, by an enrolment key of the organisation.

The key opens one call. What a newcomer gets is what the key says: groups, and scopes without
`manage`. It holds while whoever made it is an admin who can sign in, as `manage` does, and its
groups are those that this admin reads: so nobody comes to read, by robots that enrol, what they do
not read themselves.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.base import new_id
from orgs.models.memberships import Member, Role, can_sign_in_q
from orgs.models.organisations import Group
from orgs.organisations.suspension import check_not_suspended
from orgs.principals import Actor
from orgs.secret_box import digest_secret
from robots.access.keys import SECRET_BYTES, create_key
from robots.access.robot_administration import (
    ADMINS_ONLY,
    check_admin,
    find_maker_id,
)
from robots.errors import EnrolmentUsedUpError, MissingScopeError
from robots.models.enrolments import EnrolmentKey
from robots.models.keys import Key, KeyScope
from robots.models.robots import Robot
from robots.people.directory import find_known_groups, manageable_groups
from robots.registry.robots import add_robot_to_groups, ensure_robot

ENROLMENT_TAG = "cme"
ENROL_SCOPE, TARGET_TYPE = "enrol", "enrolment_key"
MAX_ROBOTS, MAX_LIFETIME_DAYS = 1_000, 365
# What a newcomer may get: it never administers, and it enrols nobody.
NEWCOMER_SCOPES = (KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR)
REGISTERED_ALREADY = (
    "A robot with this id is registered already. An enrolment key registers new robots only; an "
    "admin makes another key for this one."
)
_FORM = re.compile(rf"{ENROLMENT_TAG}_([0-9a-f]{{32}})_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


@dataclass(frozen=True, slots=True)
class EnrolmentCaller:
    """Who calls with a valid enrolment key: nobody yet, in this organisation."""

    organisation_id: UUID
    key_id: UUID
    scopes: frozenset[str] = frozenset({ENROL_SCOPE})


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A robot that registered itself. secret: the whole text of its key, which is stored
    nowhere."""

    actor: Actor
    robot: Robot
    groups: list[Group]
    key: Key
    secret: str


def create_enrolment_key(
    actor: Actor,
    *,
    label: str,
    scopes: Iterable[str],
    groups: Iterable[str | UUID],
    most: int,
    lifetime: timedelta,
    now: datetime,
    key_id: UUID | None = None,
) -> tuple[EnrolmentKey, str]:
    """Make an enrolment key; for admins and keys that manage. Returns it with its whole text.

    groups: references. most: how many robots it registers. Raises PermissionError, NotFoundError
    for a group that the actor, or the member who answers for the key, does not read, and
    AlreadyExistsError if there is a key of this id.
    """
    check_admin(actor)
    secret, prefix = secrets.token_urlsafe(SECRET_BYTES), secrets.token_hex(6)
    with organisation_scope(actor.organisation_id):
        maker = find_maker_id(actor)
        chosen = [_get_group(actor, maker, reference).id for reference in dict.fromkeys(groups)]
        key = EnrolmentKey(
            id=key_id or new_id(),
            organisation_id=actor.organisation_id,
            prefix=prefix,
            digest=digest_secret(secret),
            label=label,
            scopes=sorted({str(scope) for scope in scopes} & set(map(str, NEWCOMER_SCOPES))),
            groups=sorted({str(group) for group in chosen}),
            most=most,
            created_at=now,
            created_by_id=maker,
            expires_at=now + lifetime,
        )
        if EnrolmentKey.objects.filter(organisation_id=key.organisation_id, id=key.id).exists():
            raise AlreadyExistsError("This key was made already.")
        key.save(force_insert=True)
        audit.record_entry(
            "enrolment.created",
            actor=actor,
            now=now,
            target=key.id,
            target_type=TARGET_TYPE,
            scopes=key.scopes,
            groups=key.groups,
            most=most,
        )
    return key, f"{ENROLMENT_TAG}_{actor.organisation_id.hex}_{prefix}_{secret}"


def _get_group(actor: Actor, maker: UUID | None, reference: str | UUID) -> Group:
    found = find_known_groups(actor, [reference], manageable_groups).get(str(reference))
    if found is None or not _open_groups(actor.organisation_id, maker, [found.id]):
        raise ReferenceNotFoundError("group", reference)
    return found


def _open_groups(
    organisation_id: UUID, maker: UUID | None, ids: Sequence[UUID | str]
) -> list[Group]:
    """Of these groups those that the maker reads as an admin; without one, those that every admin
    reads."""
    stands_for = Actor(organisation_id=organisation_id, member_id=maker, role=Role.ADMIN)
    rows = (
        manageable_groups(stands_for)
        if maker
        else Group.objects.filter(organisation_id=organisation_id, confidential=False)
    )
    return list(rows.filter(id__in=ids).order_by("name", "id"))


def list_enrolment_keys(actor: Actor) -> "QuerySet[EnrolmentKey]":
    """All enrolment keys, for admins and keys that manage; evaluate inside the organisation's
    scope. Raises PermissionError."""
    check_admin(actor)
    return EnrolmentKey.objects.filter(organisation_id=actor.organisation_id)


def groups_by_key(actor: Actor, keys: Iterable[EnrolmentKey]) -> dict[UUID, list[Group]]:
    """By key, its groups as far as the actor may know them."""
    with organisation_scope(actor.organisation_id):
        rows = list(keys)
        wanted = {id_ for key in rows for id_ in key.groups}
        found = list(manageable_groups(actor).filter(id__in=wanted).order_by("name", "id"))
    return {key.id: [group for group in found if str(group.id) in key.groups] for key in rows}


def revoke_enrolment_key(actor: Actor, key_id: UUID, *, now: datetime) -> None:
    """End an enrolment key; the robots that it registered stay. A second time changes nothing.

    Raises PermissionError and NotFoundError.
    """
    with organisation_scope(actor.organisation_id):
        rows = list_enrolment_keys(actor).filter(id=key_id)
        if rows.filter(revoked_at__isnull=True).update(revoked_at=now):
            audit.record_entry(
                "enrolment.revoked", actor=actor, now=now, target=key_id, target_type=TARGET_TYPE
            )
        elif not rows.exists():
            raise NotFoundError("no such key")


def authenticate_enrolment_key(presented: str, now: datetime) -> EnrolmentCaller | None:
    """Who calls with this text; None for anything but a key that is neither revoked nor ended.

    One that is used up is valid: its use is refused with the reason. Raises SuspendedError.
    """
    parts = _FORM.fullmatch(presented)
    if parts is None:
        return None
    organisation_id = UUID(hex=parts[1])
    with organisation_scope(organisation_id):
        key = EnrolmentKey.objects.filter(
            organisation_id=organisation_id, prefix=parts[2], digest=digest_secret(parts[3])
        ).first()
        if key is None or not _is_valid(key, now):
            return None
        check_not_suspended(organisation_id)
    return EnrolmentCaller(organisation_id, key.id)


def _is_valid(key: EnrolmentKey, now: datetime) -> bool:
    if key.state(now) in ("revoked", "ended"):
        return False
    if key.created_by_id is None:
        return True
    makers = Member.objects.filter(
        can_sign_in_q(), organisation_id=key.organisation_id, id=key.created_by_id, role=Role.ADMIN
    )
    return makers.exists()


def enrol_robot(caller: EnrolmentCaller, data: Mapping[str, Any], *, now: datetime) -> Newcomer:
    """Register a robot, seat it in the groups of the key, and make a key for it. Recorded.

    data: id, name, purpose, personality, metadata and scopes, all optional; scopes: those of the
    key, or fewer. Nothing is counted unless the robot is made. Raises PermissionError for a key
    that ended meanwhile, EnrolmentUsedUpError, MissingScopeError for a scope that the key does not
    give, AlreadyExistsError for an id that is registered, and what `check_name` raises.
    """
    with organisation_scope(caller.organisation_id):
        organisation_id = caller.organisation_id
        # Its uses take turns, so that two at once count as two.
        rows = EnrolmentKey.objects.filter(organisation_id=organisation_id, id=caller.key_id)
        key = rows.select_for_update().first()
        if key is None or not _is_valid(key, now):
            raise PermissionError(ADMINS_ONLY)
        if key.used >= key.most:
            raise EnrolmentUsedUpError(key.most)
        scopes = data.get("scopes") or key.scopes
        if missing := sorted(set(scopes) - set(key.scopes)):
            raise MissingScopeError(missing[0])
        robot, created = ensure_robot(
            organisation_id=organisation_id,
            now=now,
            reference=data.get("id"),
            name=data.get("name", ""),
            purpose=data.get("purpose", ""),
            personality=data.get("personality", ""),
            metadata=data.get("metadata"),
        )
        if not created:
            raise AlreadyExistsError(REGISTERED_ALREADY)
        groups = _open_groups(organisation_id, key.created_by_id, key.groups)
        add_robot_to_groups(
            organisation_id=organisation_id,
            robot_id=robot.id,
            group_ids=[group.id for group in groups],
        )
        own, secret = create_key(
            organisation_id=organisation_id,
            robot_id=robot.id,
            now=now,
            scopes=scopes,
            label=key.label,
            created_by_id=key.created_by_id,
        )
        rows.update(used=F("used") + 1, last_used_at=now)
        newcomer = Actor(
            organisation_id=organisation_id,
            robot_id=robot.id,
            name=robot.name,
            scopes=frozenset(own.scopes),
        )
        audit.record_entry(
            "enrolment.used",
            actor=newcomer,
            now=now,
            target=key.id,
            target_type=TARGET_TYPE,
            scopes=own.scopes,
        )
        audit.record_entry(
            "robot.registered", actor=newcomer, now=now, target=robot.id, target_type="robot"
        )
    return Newcomer(newcomer, robot, groups, own, secret)
