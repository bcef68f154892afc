"""The demo's personas: what robots have learned about serving their people, what rises in it, a
suggestion for another industry, and the instructions for every robot."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from memories.demo.create_demo import EMAIL_DOMAIN
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.models.base import new_id
from orgs.models.memberships import Member, Role
from orgs.principals import Actor, resolve_principal
from personas.associations.association_changes import ensure_association
from personas.associations.personal_robot import ensure_personal_robot
from personas.block_writes.block_updates import WriteOptions, add_entry, update_block_text
from personas.blocks.block_views import get_agent_block_view, list_blocks
from personas.models.blocks import Layer
from personas.models.suggestions import Suggestion
from personas.registry.personas import get_persona
from robots.access.personal_robot_actor import actor_of_robot, resolve_owner_actor
from robots.models.keys import KeyScope

SCOPES = frozenset({KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR})
SITES, OTHER_SITES = "qsr_real_estate", "retail_real_estate"
# (name, persona, confidence). Three people teach the first one: of fewer no trends are shown, as
# they would tell who said it.
PEOPLE = (
    ("Rosa", SITES, 1.0),
    ("Theo", "tobacco_consumer_insights", 0.9),
    ("Mina", SITES, 0.6),
    ("Karim", SITES, 0.8),
    ("Karim", OTHER_SITES, 0.7),
)
INSTRUCTIONS = """\
You work for Halyard, which sews bags from used sailcloth.
Answer in short sentences. Say which memory you have it from, and ask when two of them disagree.
Never promise a date or a discount that is not written down."""
COMMITTEE = "A committee asks for drive-through times before it asks for rent."
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
    ("Karim", Layer.SHARED, 33, "Parking decides more than rent where there is no drive-through."),
    ("Rosa", Layer.SHARED, 19, "Drive-through figures are wanted by hour, not by day."),
    ("Karim", Layer.SHARED, 12, "Compare a drive-through with its neighbours before a visit."),
    ("Mina", Layer.SHARED, 9, "Photos of the drive-through belong on the first page."),
    ("Rosa", Layer.SHARED, 6, COMMITTEE),
    # The same words again: it is confirmed, and may hold for the same role elsewhere.
    ("Karim", Layer.SHARED, 4, COMMITTEE),
    ("Mina", Layer.SHARED, 2, "A map of drive-through lanes answers most questions at once."),
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
    # What somebody teaches is about the first persona of theirs.
    of_persona = {name: handle for name, handle, _ in reversed(PEOPLE)}
    for name, layer, days, words in sorted(LESSONS, key=lambda one: -one[2]):
        actor, at = resolve_owner_actor(robots[name]), now - timedelta(days=days)
        block = next(
            one
            for one in list_blocks(actor, now=at)
            if one.block.layer == layer
            and (layer != Layer.SHARED or one.label.startswith(of_persona[name]))
        )
        add_entry(actor, block.block.id, words, wanted=WriteOptions(), now=at)
    _write_instructions(known["Ada"], now - timedelta(days=90))
    _suggest_lesson(known["Chidi"], now - timedelta(days=1))
    return accounts


def _write_instructions(admin: Member, now: datetime) -> None:
    actor = actor_of(admin)
    block = get_agent_block_view(actor, now=now)
    update_block_text(
        actor, block.block.id, INSTRUCTIONS, version=block.version, wanted=WriteOptions(), now=now
    )


def _suggest_lesson(curator: Member, now: datetime) -> None:
    """What the daily run would suggest as soon as the worker has read everything."""
    with resolve_principal(actor_of(curator)).scope():
        other = get_persona(curator.organisation_id, OTHER_SITES)
        lesson = Memory.objects.get(
            organisation_id=curator.organisation_id, content=COMMITTEE, status=Status.ACTIVE
        )
        Suggestion.objects.create(
            id=new_id(),
            organisation_id=curator.organisation_id,
            memory_id=lesson.id,
            audience_id=lesson.audience_id,
            kind=lesson.kind,
            persona=other,
            suggested_at=now,
        )


def _ensure_robot_actor(organisation_id: UUID, member_id: UUID, now: datetime) -> Actor:
    with organisation_scope(organisation_id):
        return actor_of_robot(ensure_personal_robot(organisation_id, member_id, now), SCOPES)
