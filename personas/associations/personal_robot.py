"""A member's personal robots, made when they are first needed: the one for which the member makes
keys, and one for each OAuth client that the member lets in (docs/adr/0047-oauth.md).

Their names say nothing of the member, because others read what they teach.
"""

import logging
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import day_id, day_of
from orgs.models.memberships import Member, Role
from orgs.organisations.audience_rows import ensure_audience
from orgs.principals import Actor
from personas.block_writes.attachments import attach_blocks
from personas.models.blocks import Block, Layer
from robots.access.keys import create_key, end_key, record_key_event
from robots.models.keys import Key, KeyScope
from robots.models.robots import Robot

log = logging.getLogger("commonmind.personas")

NAME_PREFIX, MAX_NAMED_AFTER = "Personal robot", 150
# The scopes of its keys: read, write, and act for its member.
KEY_SCOPES = (KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR)
OWNER_ONLY = "Only its member makes a key of a personal robot."


def find_personal_robot(organisation_id: UUID, member_id: UUID, client: str = "") -> Robot | None:
    """The member's, if they have one; call inside the organisation's scope. client: the id of an
    OAuth client, for the robot that this client is."""
    rows = Robot.objects.filter(organisation_id=organisation_id, retired_at=None)
    return rows.filter(owner_id=member_id, client=client).first()


def ensure_personal_robot(
    organisation_id: UUID,
    member_id: UUID,
    now: datetime,
    *,
    client: str = "",
    named_after: str = NAME_PREFIX,
) -> Robot:
    """The member's personal robot with their two blocks, attached to the blocks of their personas.

    client: the id of an OAuth client, for the robot that this client is; one that was retired comes
    back. named_after: what its name begins with. Two calls at once make one robot: a constraint of
    the database sees to it. Raises NotFoundError if there is no such member. Call inside the
    organisation's scope.
    """
    tenant = {"organisation_id": organisation_id}
    if robot := find_personal_robot(organisation_id, member_id, client):
        return robot
    if not Member.objects.filter(**tenant, id=member_id, removed_at=None).exists():
        raise NotFoundError("no such member")
    if client and (robot := _restore_client_robot(organisation_id, member_id, client)):
        attach_blocks(organisation_id, now=now, member_id=member_id)
        return robot
    # Others know when a member got a persona, and that is when many a robot is made: so it tells
    # only the day.
    id_ = day_id(now)
    name = f"{named_after[:MAX_NAMED_AFTER]} {id_.hex[-6:]}"
    fresh = Robot(**tenant, id=id_, name=name, owner_id=member_id, client=client)
    fresh.created_at = day_of(now)
    Robot.objects.bulk_create([fresh], ignore_conflicts=True)
    robot = Robot.objects.get(**tenant, owner_id=member_id, client=client, retired_at=None)
    ensure_audience(organisation_id, AudienceType.ROBOT, str(robot.id))
    Block.objects.bulk_create(
        [
            Block(**tenant, layer=layer, member_id=member_id, created_at=now)
            for layer in (Layer.HUMAN, Layer.PROFILE)
        ],
        ignore_conflicts=True,
    )
    if robot.id == fresh.id:
        log.info("blocks made", extra={"organisation": str(organisation_id), "count": 2})
        maker = Actor(organisation_id=organisation_id, member_id=member_id, robot_id=robot.id)
        audit.record_entry(
            "robot.personal", actor=maker, now=now, target=robot.id, target_type="robot"
        )
        attach_blocks(organisation_id, now=now, member_id=member_id)
    return robot


def _restore_client_robot(organisation_id: UUID, member_id: UUID, client: str) -> Robot | None:
    """The client's robot that was retired last, in service again; None if there is none."""
    rows = Robot.objects.select_for_update().filter(
        organisation_id=organisation_id, owner_id=member_id, client=client
    )
    robot = rows.order_by("-id").first()
    if robot is not None and robot.retired_at is not None:
        robot.retired_at = None
        robot.save(update_fields=["retired_at"])
    return robot


def _check_may_own(actor: Actor) -> None:
    if not actor.is_person or actor.role == Role.VIEWER:
        raise PermissionError("A member who writes has a personal robot.")


def find_own_robot(actor: Actor) -> Robot | None:
    """The asker's personal robot, if they have one. Raises PermissionError for viewers and
    robots."""
    _check_may_own(actor)
    with organisation_scope(actor.organisation_id):
        return find_personal_robot(actor.organisation_id, actor.member_id)  # type: ignore[arg-type]  # a person has one


def ensure_own_robot(actor: Actor, *, now: datetime) -> Robot:
    """The asker's personal robot, made if need be. Raises PermissionError for viewers and
    robots."""
    _check_may_own(actor)
    with organisation_scope(actor.organisation_id):
        return ensure_personal_robot(actor.organisation_id, actor.member_id, now)  # type: ignore[arg-type]  # a person has one


def create_own_key(
    actor: Actor,
    *,
    label: str,
    now: datetime,
    key_id: UUID | None = None,
    lifetime: timedelta | None = None,
) -> tuple[Key, str]:
    """Make a key of the asker's own robot. Returns it with its whole text, which is shown only now.

    key_id: the id of the new key, so that a form sent twice makes one key. lifetime: None for no
    end. Raises AlreadyExistsError if the key was made before, and PermissionError for viewers and
    robots.
    """
    robot = ensure_own_robot(actor, now=now)
    with organisation_scope(actor.organisation_id):
        try:
            with transaction.atomic():
                key, secret = create_key(
                    organisation_id=actor.organisation_id,
                    robot_id=robot.id,
                    key_id=key_id,
                    now=now,
                    scopes=KEY_SCOPES,
                    label=label,
                    expires_at=now + lifetime if lifetime else None,
                    created_by_id=actor.member_id,
                )
        except IntegrityError as error:
            raise AlreadyExistsError("This key was made already.") from error
        record_key_event("key.created", actor, key, now)
    key.robot = robot
    return key, secret


def list_own_keys(actor: Actor) -> list[Key]:
    """The keys of the asker's own robot, newest first, also revoked and expired ones."""
    with organisation_scope(actor.organisation_id):
        return list(_own_key_rows(actor).select_related("robot").order_by("-id"))


def revoke_own_key(actor: Actor, key_id: UUID, *, now: datetime) -> None:
    """Close a key of the asker's own robot; once more changes nothing. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        key = _own_key_rows(actor).filter(id=key_id).first()
        if key is None:
            raise NotFoundError("no such key")
        end_key(actor, key, now)


def _own_key_rows(actor: Actor) -> "QuerySet[Key]":
    if not actor.is_person:
        raise PermissionError(OWNER_ONLY)
    return Key.objects.filter(
        organisation_id=actor.organisation_id,
        robot__owner_id=actor.member_id,
        robot__client="",
        robot__retired_at=None,
    )
