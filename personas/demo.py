"""Two personas in the demo, with what robots have learned about serving their people."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from memories.demo.create_demo import EMAIL_DOMAIN
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.models.memberships import Member, Role
from orgs.principals import Actor
from personas.associations.association_changes import ensure_association
from personas.associations.personal_robot import ensure_personal_robot
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.blocks.block_views import list_blocks
from personas.models.blocks import Layer
from robots.access.personal_robot_actor import actor_of_robot, resolve_owner_actor
from robots.models.keys import KeyScope

SCOPES = frozenset({KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR})
# (name, persona, confidence). Mina has the first one too, so that somebody else reads what Rosa's
# robot teaches.
PEOPLE = (
    ("Rosa", "qsr_real_estate", 1.0),
    ("Theo", "tobacco_consumer_insights", 0.9),
    ("Mina", "qsr_real_estate", 0.6),
)
# (who, which block, how many days ago, the words).
LESSONS = (
    ("Rosa", Layer.SHARED, 118, "They call a site by its nearest crossing, not by its number."),
    (
        "Rosa",
        Layer.SHARED,
        40,
        (
            "First find places that fit, then ask for visits, then check cannibalisation before a "
            "site is proposed."
        ),
    ),
    ("Mina", Layer.SHARED, 21, "Visits of the last twelve weeks count more than those of a year."),
    ("Rosa", Layer.SHARED, 6, "A committee asks for drive-through times before it asks for rent."),
    (
        "Rosa",
        Layer.SHARED,
        3,
        "Rosa Lindqvist proposes the corner of 12 Harbour Street for June.",
    ),
    ("Rosa", Layer.PROFILE, 30, "Goal: two sites a quarter. Reads maps before tables."),
    ("Rosa", Layer.HUMAN, 30, "Rosa is in Malmo on Fridays; her daughter is called Ines."),
    (
        "Theo",
        Layer.SHARED,
        14,
        "Before a chart they ask which shops were left out, and why.",
    ),
    ("Theo", Layer.PROFILE, 14, "Goal: explain a switch before sales sees it."),
)


def add_personas(
    organisation_id: UUID, now: datetime, account: Callable[[str, str], dict[str, str]]
) -> list[dict[str, str]]:
    """Add Rosa and Theo with their robots. Returns their accounts, each with its persona."""
    accounts: list[dict[str, str]] = []
    begun = now - timedelta(days=119)
    with organisation_scope(organisation_id):
        known = {one.name: one for one in Member.objects.filter(organisation_id=organisation_id)}
        for name, handle, _ in PEOPLE:
            if name in known:
                continue
            made = account(f"{name.lower()}@{EMAIL_DOMAIN}", str(Role.MEMBER))
            known[name], _ = create_member(
                organisation_id=organisation_id,
                name=name,
                email=made["email"],
                role=Role.MEMBER,
                password=made["password"],
                now=begun,
            )
            accounts.append(made | {"persona": handle})
    robots = {
        name: _ensure_robot_actor(organisation_id, known[name].id, begun) for name, _, _ in PEOPLE
    }
    for name, handle, sure in PEOPLE:
        ensure_association(robots[name], member=None, handle=handle, confidence=sure, now=begun)
    for name, layer, days, words in sorted(LESSONS, key=lambda one: -one[2]):
        actor, at = resolve_owner_actor(robots[name]), now - timedelta(days=days)
        block = next(one for one in list_blocks(actor, now=at) if one.block.layer == layer)
        add_entry(actor, block.block.id, words, wanted=WriteOptions(), now=at)
    return accounts


def _ensure_robot_actor(organisation_id: UUID, member_id: UUID, now: datetime) -> Actor:
    with organisation_scope(organisation_id):
        return actor_of_robot(ensure_personal_robot(organisation_id, member_id, now), SCOPES)
