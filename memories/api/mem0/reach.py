"""Whose memories a call of the door reaches: what the robot of the key kept for one user of mem0.

A user is the member `mem0:<user_id>`. What is kept for them is what they told this robot, as in a
direct conversation (docs/adr/0037-direct-conversations.md): the member and the robot read it, the
robot only while it acts for them and until they end that. Without a user the door reaches the
robot's own notes, and what it wrote for the group that an app_id names.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db.models import Q, QuerySet
from rest_framework.exceptions import ValidationError

from memories.api.mem0.filters import SOURCE, Filters
from memories.browsing.memory_queries import get_memory
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.database.rls import organisation_scope
from orgs.errors import (
    InvalidNameError,
    LookalikeNameError,
    NotFoundError,
    ReferenceNotFoundError,
)
from orgs.models.audiences import AudienceType
from orgs.organisations.audience_rows import direct_audience_key
from orgs.organisations.references import identity_fault
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.writer_identity import check_acting_for, check_own_robot
from robots.errors import ImpersonationError, MissingScopeError
from robots.people.directory import find_known_groups
from robots.people.members_without_account import ensure_member

PLATFORM = "mem0"
MAX_MEMBER_NAME = 200
ONE_USER = "A call is about one user_id. Ask for each user by itself."
NO_ENTITY = "Say whose memories: a user_id, agent_id, app_id or run_id."


def user_reference(user_id: str) -> str:
    """The member that a user_id names, as platform:identifier. Raises ValidationError."""
    reference = f"{PLATFORM}:{user_id}"
    if fault := identity_fault(reference):
        raise ValidationError({"user_id": [fault]})
    return reference


def act_for_user(actor: Actor, user_id: str) -> Actor:
    """The actor for a user of mem0, reading what they told the robot.

    Raises MissingScopeError, ImpersonationError for a personal robot of somebody else, and
    NotFoundError for a user who is not there.
    """
    return resolve_actor(actor, member=user_reference(user_id), told=True)


def ensure_user(actor: Actor, user_id: str, now: datetime) -> None:
    """Make the member of a user_id, if they are not there. Raises what `act_for_user` raises, and
    AlreadyExistsError where somebody with a log-in has the name and has not proven it."""
    reference = user_reference(user_id)
    try:
        act_for_user(actor, user_id)
    except NotFoundError:
        check_acting_for(actor, None)
        try:
            ensure_member(actor, {"identity": reference, "name": user_id[:MAX_MEMBER_NAME]}, now)
        except (InvalidNameError, LookalikeNameError):
            # An id need not be fit for a name; people see it beside the identity.
            digest = sha256(user_id.encode()).hexdigest()[:12]
            ensure_member(actor, {"identity": reference, "name": f"User {digest}"}, now)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a call reaches. principal: reads only what the door may show. condition: which of its
    rows came through the door."""

    principal: Principal
    condition: Q

    def rows(self, now: datetime, *, expired: bool = False) -> MemoryQuerySet:
        """The memories in reach; evaluate in the principal's scope."""
        rows = Memory.objects.filter(
            self.condition, organisation_id=self.principal.organisation_id
        ).with_names()
        return rows.filter(status=Status.ACTIVE) if expired else rows.active(now)


def mem0_rows_q(robot_id: UUID | None) -> Q:
    """Which memories came through the door by this robot."""
    return Q(robot_id=robot_id, source__has_key=SOURCE)


def resolve_reach(actor: Actor, wanted: Filters) -> Reach | None:
    """What the filters of a call reach; None where nothing can match.

    Raises ValidationError without any id and for several users, ImpersonationError for another
    agent, and MissingScopeError for a user without the scope act_for.
    """
    if not wanted.names_entity:
        raise ValidationError({"filters": [NO_ENTITY]})
    if "*" in wanted.users or len(wanted.users) > 1:
        raise ValidationError({"filters": [ONE_USER]})
    for agent_id in wanted.agents:
        if agent_id != "*":
            check_own_robot(actor, agent_id)
    acting = actor
    if wanted.users:
        try:
            acting = act_for_user(actor, wanted.users[0])
        except NotFoundError:
            return None
    principal = resolve_principal(acting)
    open_ids = {principal.own_audience}
    if acting.member_id is not None:
        key = direct_audience_key(acting.robot_id, acting.member_id)  # type: ignore[arg-type]
        open_ids |= _named(principal, AudienceType.EXPLICIT, key) if acting.told else set()
    else:
        with organisation_scope(actor.organisation_id):
            groups = find_known_groups(actor, [a for a in wanted.apps if a != "*"])
        for group in groups.values():
            open_ids |= _named(principal, AudienceType.GROUP, str(group.id))
    return Reach(principal.narrowed(frozenset(open_ids)), mem0_rows_q(actor.robot_id))


def _named(principal: Principal, kind: str, key: str) -> set[UUID]:
    found = principal.named.get((kind, key))
    return {found} if found else set()


def get_in_reach(actor: Actor, memory_id: UUID) -> tuple[Actor, Memory]:
    """(who reads it, a memory that came through the door by this robot).

    Raises ReferenceNotFoundError for every other, as for an absent one: for a memory of a user for
    whom the key may not act, or who has ended what the robot reads.
    """
    absent = ReferenceNotFoundError("memory", memory_id)
    memory = get_memory(actor, memory_id).memory
    if (
        memory.robot_id != actor.robot_id
        or SOURCE not in memory.source
        or memory.status != Status.ACTIVE
    ):
        raise absent
    if memory.member_id is None:
        return actor, memory
    try:
        acting = resolve_actor(actor, member=memory.member_id, told=True)
    except (NotFoundError, ImpersonationError, MissingScopeError) as error:
        raise absent from error
    return acting, get_memory(acting, memory_id).memory


def rows_by_id(actor: Actor) -> tuple[Principal, "QuerySet[Memory]"]:
    """The principal of calls that name rows by ids, and all that came through the door by its
    robot; for counts and events, never for texts of several users at once."""
    principal = resolve_principal(replace(actor, names_row=True))
    rows = Memory.objects.filter(
        mem0_rows_q(actor.robot_id), organisation_id=actor.organisation_id, status=Status.ACTIVE
    )
    return principal, rows
