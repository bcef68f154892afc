"""Every number of readers on a page is what another way of asking says.

That other way opens the memory as each person, in their browser, and as each robot, alone and for
each member in each group, and looks what the database shows to them.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import (
    load_memory_audience_summaries,
    load_new_readers_summary,
)
from memories.access.references import ReaderReferences
from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.invitations import create_member, invite_member
from orgs.members.members import remove_member
from orgs.models.audiences import Audience
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.organisations.groups import add_to_group, set_confidential
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation, resolve_actor
from robots.errors import ImpersonationError, MissingScopeError
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.registry.robots import ensure_robot
from robots.teams import team_robots
from tests.memories.curation.test_decide import propose
from tests.page_client import make_signed_in_client, response_text
from tests.sampling import sample_slice
from tests.world import NOW, Tenant, World

ORG = "organisation"


@dataclass
class Truth:
    """Who opens a memory, by name."""

    people: set[str] = field(default_factory=set)
    robots: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)


def opens(here: Tenant, member: Member, memory_id: UUID) -> bool:
    """Whether this member gets the page, by signing in."""
    if member.user is None or member.removed_at:
        return False
    known = {**here.members, "x": member}
    tenant = Tenant(here.organisation, known)
    return make_signed_in_client(tenant, "x").get(f"/memories/{memory_id}/").status_code == 200


def truth(here: Tenant, memory_id: UUID) -> Truth:
    found = Truth()
    with organisation_scope(here.id):
        members = list(Member.objects.filter(organisation_id=here.id).select_related("user"))
    found.people = {m.name for m in members if opens(here, m, memory_id)}
    for name, robot in here.robots.items():
        with organisation_scope(here.id):
            keys = Key.objects.filter(robot_id=robot.id, revoked_at=None)
            now = timezone.now()
            live = [k for k in keys if k.expires_at is None or k.expires_at > now]
            scopes = {scope for key in live for scope in key.scopes}
            gone = Robot.objects.get(id=robot.id).retired_at is not None
        if gone or "read" not in scopes:
            continue
        actor = here.robot(name, *scopes)
        if memory_id in here.readable(actor):
            found.robots.add(name)
        elif any(memory_id in seen for seen in acting(here, actor, members)):
            found.helpers.add(name)
    return found


def acting(here: Tenant, actor: object, members: list[Member]) -> list[set[UUID]]:
    """What a robot reads for each member who is not removed, everywhere it may act."""
    found = []
    for member in members:
        for group in (None, *(g.external_id for g in here.groups.values())):
            if member.removed_at:
                continue
            try:
                who = resolve_actor(actor, member=str(member.id), group=group, include_direct=True)
            except (NotFoundError, MissingScopeError, ImpersonationError):
                continue
            found.append(here.readable(who))
    return found


def crowd(here: Tenant) -> None:
    """Besides the cast: one invited, one without an account, one switched off, one who left; and
    robots without a key, with one that is over, retired, personal and trusted."""
    ada = here.person("ada")
    invited, _ = invite_member(ada, email=f"ivy@{here.id.hex}.example", name="Ivy", now=NOW)
    noor, _ = create_member(organisation_id=here.id, name="Noor", now=NOW)
    for name in ("Olga", "Rex"):
        here.members[name.lower()], _ = create_member(
            organisation_id=here.id, name=name, email=f"{name}@{here.id.hex}.example",
            password="correct horse battery", now=NOW,
        )  # fmt: skip
    here.members |= {"ivy": invited, "noor": noor}
    with organisation_scope(here.id):
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members[n].id for n in ("ivy", "noor", "olga", "rex")],
        )
    User.objects.filter(id=here.members["olga"].user_id).update(is_active=False)
    remove_member(ada, member_id=here.members["rex"].id, now=NOW)
    dumb, _ = ensure_robot(organisation_id=here.id, name="dumb", now=NOW)
    here.robots["dumb"] = dumb
    for name in ("late", "gone", "personal", "writer"):
        here.add_robot(name, groups=("launch",), scopes=("read", "write", "act_for"))
    here.add_robot("mine", scopes=("read", "act_for"))
    with organisation_scope(here.id):
        Key.objects.filter(robot=here.robots["late"]).update(
            expires_at=timezone.now() - timedelta(days=1)
        )
        Key.objects.filter(robot=here.robots["writer"]).update(scopes=["write"])
        Robot.objects.filter(id=here.robots["gone"].id).update(retired_at=NOW)
        here.give_owner("mine", "mina")
    here.add_robot("trusted", scopes=("read", "act_for"))
    create_delegation(
        organisation_id=here.id,
        member_id=here.members["bob"].id,
        robot_id=here.robots["trusted"].id,
        actor=here.person("bob"),
        now=NOW,
    )


def told(here: Tenant, name: str, memory_id: UUID) -> AudienceSummary:
    """What the pages say to this person."""
    principal = resolve_principal(here.person(name))
    with principal.scope():
        row = Memory.objects.select_related("audience").get(id=memory_id)
        return load_memory_audience_summaries(principal, [row], here.organisation.name)[
            row.audience_id
        ]


def check(here: Tenant, name: str, memory_id: UUID) -> AudienceSummary:
    """The numbers are true, and the names are of those who read."""
    said, real = told(here, name, memory_id), truth(here, memory_id)
    assert (said.people, said.robots, said.helpers) == (
        len(real.people), len(real.robots), len(real.helpers)
    ), (said, real)  # fmt: skip
    names = {n if n != "You" else here.members[name].name for n in said.names}
    if said.kind != "member":
        assert names <= real.people
        assert len(names) + said.more == len(real.people)
    for one in said.shown:
        if one.enters:
            assert one.name in real.people | real.robots | real.helpers
    return said


def places(here: Tenant) -> dict[str, UUID]:
    """A memory of each kind of audience that Mina reads."""
    mina, aria = here.person("mina"), here.robot("aria")
    ids = {name: str(member.id) for name, member in here.members.items()}
    bolt = str(here.robots["bolt"].id)
    kept = {
        "everyone": here.remember(aria, "For everyone.").id,
        "launch": here.remember(aria, "For launch.", group="launch").id,
        "own": here.remember(mina, "Mine.", visibility="private").id,
    }
    lists = {
        "people": ReaderReferences(members=(ids["bob"], ids["noor"], ids["ivy"])),
        "robots": ReaderReferences(robots=(bolt,)),
        "group": ReaderReferences(groups=("launch",), members=(ids["vera"],)),
        "team": ReaderReferences(teams=("pair",), members=(ids["bob"],)),
        "both": ReaderReferences(teams=("pair",), robots=(bolt,), groups=("launch",)),
    }
    here.add_team("pair", "bolt", "dumb", "clio")
    for name, readers in lists.items():
        kept[name] = here.remember(
            mina, f"A list: {name}.", visibility="shared", readers=readers
        ).id
    kept["confided"] = here.remember(
        mina, "In confidence.", visibility="protected", group="launch",
        readers=ReaderReferences(members=(ids["bob"],)),
    ).id  # fmt: skip
    return kept


def test_every_count_is_what_browsers_and_keys_get(
    world: World, request: pytest.FixtureRequest
) -> None:
    """In half of the places, which the seed of the run draws."""
    here = world.here
    crowd(here)
    for name, memory_id in [*places(here).items()][sample_slice(request, 2)]:
        said = check(here, "mina", memory_id)
        page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{memory_id}/"))
        assert said.sentence in page, name
        assert ("cannot sign in yet" in page) is bool(said.away), name


def test_a_team_is_named_and_its_robots_are_counted(world: World) -> None:
    here = world.here
    here.add_team("pair", "bolt", "clio")
    kept = here.remember(
        here.person("mina"), "Mine and theirs.", visibility="shared",
        readers=ReaderReferences(teams=("pair",)),
    ).id  # fmt: skip
    said = check(here, "mina", kept)
    assert (said.label, said.robots) == ("robots of pair and You", 2)
    assert said.sentence.startswith("The robots of pair and you can read this")
    team_robots.remove_team_robot(here.person("ada"), "pair", str(here.robots["clio"].id), now=NOW)
    assert check(here, "mina", kept).robots == 1


def test_of_a_teams_own_notes_only_its_robots_are_told(world: World) -> None:
    here = world.here
    here.add_team("pair", "bolt", "clio")
    kept = here.remember(here.robot("bolt"), "A note.", visibility="team:pair").id
    assert truth(here, kept) == Truth(robots={"bolt", "clio"})
    principal = resolve_principal(here.robot("bolt"))
    with principal.scope():
        row = Memory.objects.select_related("audience").get(id=kept)
        said = load_memory_audience_summaries(principal, [row], here.organisation.name)[
            row.audience_id
        ]
    assert said.label == "Robots of pair"
    assert said.sentence == "bolt and clio in pair can read this, and no person."
    assert (said.people, said.robots, said.helpers, said.names) == (0, 2, 0, ())


def test_an_open_group_and_a_review_item_count_those_who_curate(world: World) -> None:
    here = world.here
    crowd(here)
    kept = here.remember(here.robot("aria"), "For launch.", group="launch").id
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    for name in ("ada", "bob"):
        assert check(here, name, kept).people == 4
    item = propose(here)
    for name in ("ada", "bob"):
        assert check(here, name, item.memory_id).people == 3


@pytest.mark.parametrize("who", ["delegation", "owner"])
def test_only_you_is_said_where_no_robot_has_leave(world: World, who: str) -> None:
    here = world.here
    kept = here.remember(here.person("mina"), "Mine.", visibility="private").id
    assert told(here, "mina", kept).sentence == "Only you can read this."
    mina = here.members["mina"].id
    if who == "owner":
        with organisation_scope(here.id):
            here.give_owner("aria", "mina")
    else:
        create_delegation(
            organisation_id=here.id, member_id=mina, robot_id=here.robots["aria"].id,
            actor=here.person("mina"), now=NOW,
        )  # fmt: skip
    said = check(here, "mina", kept)
    assert (said.label, said.sentence) == (
        "You and aria",
        "You can read this, and aria when it works for you.",
    )
    client = make_signed_in_client(here, "mina")
    for url in (f"/memories/{kept}/", "/memories/", f"/memories/{kept}/access/", "/me/"):
        assert "Only you" not in re.sub(
            r"<small>.*?</small>", "", response_text(client.get(url))
        ), url


def newly(here: Tenant, name: str, item: Proposal) -> AudienceSummary:
    principal = resolve_principal(here.person(name))
    with principal.scope():
        rows = Audience.objects.in_bulk([item.target_audience_id, item.memory.audience_id])
        target, before = rows[item.target_audience_id], rows[item.memory.audience_id]
        return load_new_readers_summary(principal, target, before, here.organisation.name)


@pytest.mark.conformance("W05")
def test_newly_is_who_could_not_before_and_can_after(world: World) -> None:
    here = world.here
    crowd(here)
    item = propose(here)
    before = truth(here, item.memory_id)
    assert before.helpers == {"trusted"}
    said = newly(here, "chidi", item)
    page = response_text(make_signed_in_client(here, "chidi").get(f"/review/{item.id}/"))
    make_signed_in_client(here, "chidi").post(f"/review/{item.id}/skip/")
    done = review_decisions.approve_item(
        here.person("chidi"), item.id, ReviewDecision(version=1), now=NOW
    )
    after = truth(here, UUID(done.outcome["made"]))
    people = after.people - before.people
    # What reads it for its author alone could not tell anybody else; now it can.
    robots = after.robots - before.robots
    assert (said.people, said.robots) == (len(people), len(robots))
    assert set(said.names) == people == {"Mina", "Vera"}
    assert said.sentence.startswith(f"2 people and {len(robots)} robots would newly be able")
    assert said.sentence in page
    assert item.cause == ProposalCause.PUBLISH
