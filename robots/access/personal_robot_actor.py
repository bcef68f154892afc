"""A personal robot and its own member: for whom it acts unasked, and as whom it writes."""

from collections.abc import Iterable
from dataclasses import replace

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.access.acting_for_members import Reference, resolve_actor
from robots.models.keys import KeyScope
from robots.models.robots import Robot


def resolve_owner_actor(actor: Actor, member: Reference | None = None) -> Actor:
    """The actor for the named member; it reads what this member told it in direct conversations.
    Without a name a personal robot acts for its own member.

    Without a name and without the scope act_for the key acts for nobody. Raises what `act` raises.
    """
    if member is not None or actor.is_person:
        return resolve_actor(actor, member=member, told=True)
    if actor.member_id is not None:
        return actor
    if KeyScope.ACT_FOR not in actor.scopes:
        return actor
    return replace(actor, member_id=actor.owner_id, delegated=True) if actor.owner_id else actor


def actor_of_robot(robot: Robot, scopes: Iterable[str] = ()) -> Actor:
    """The actor of a robot that came with no key; of a personal robot with its owner and their
    role."""
    role = None
    if robot.owner_id is not None:
        with organisation_scope(robot.organisation_id):
            owner = Member.objects.filter(organisation_id=robot.organisation_id, id=robot.owner_id)
            role = owner.values_list("role", flat=True).get()
    return Actor(
        organisation_id=robot.organisation_id,
        robot_id=robot.id,
        scopes=frozenset(scopes),
        name=robot.name,
        owner_id=robot.owner_id,
        owner_role=role,
    )
