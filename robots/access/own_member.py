"""A personal robot that names nobody speaks for its own member."""

from dataclasses import replace

from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.access.act_for import Reference, act
from robots.models.keys import KeyScope
from robots.registry.robots import owner_of


def act_for_owner(actor: Actor, member: Reference | None = None) -> Actor:
    """The actor for the named member; without a name a personal robot acts for its own member.

    Without a name and without the scope act_for the key acts for nobody. Raises what `act` raises.
    """
    if member is not None or actor.is_person:
        return act(actor, member=member)
    if actor.member_id is not None:
        return actor
    if KeyScope.ACT_FOR not in actor.scopes:
        return actor
    with organisation_scope(actor.organisation_id):
        owner_id = owner_of(actor.organisation_id, actor.robot_id)
    return replace(actor, member_id=owner_id, delegated=True) if owner_id else actor
