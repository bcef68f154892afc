"""A sheet of readers names exactly those to whom the database shows the memory.

The other way of asking opens the scope of every member and of every robot, alone and for each
member in each group, and looks whether the row is there.
"""

from dataclasses import dataclass, field
from uuid import UUID

import pytest
from django.utils import timezone

from memories.access.reader_list import reader_list
from memories.access.reader_list.reader_list import (
    ReaderList,
    TargetAudience,
    list_memory_readers,
    list_new_readers,
)
from memories.access.references import ReaderReferences
from memories.curation.share_memory import share_memory
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceEntry
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.groups import set_confidential
from orgs.principals import resolve_principal
from robots.models.keys import Key
from robots.models.robots import Robot
from tests.memories.access.test_readers import acting, crowd, places
from tests.memories.curation.test_decide import propose
from tests.sampling import sample_slice
from tests.world import NOW, Tenant, World

ASKERS = ("mina", "bob", "vera", "ada", "chidi")
# Who is shown by name only to their own member.
PERSONAL = "mine"


@dataclass
class Truth:
    """Who reads a memory, by name, and in which part of the sheet they belong."""

    people: set[str] = field(default_factory=set)
    away: set[str] = field(default_factory=set)
    robots: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    keyless: set[str] = field(default_factory=set)


def scopes_of(robot: Robot) -> set[str]:
    now = timezone.now()
    keys = Key.objects.filter(robot_id=robot.id, revoked_at=None)
    live = [key for key in keys if key.expires_at is None or key.expires_at > now]
    return {scope for key in live for scope in key.scopes}


def truth(here: Tenant, memory_id: UUID) -> Truth:
    """By the scope of each."""
    found = Truth()
    with organisation_scope(here.id):
        members = list(Member.objects.filter(organisation_id=here.id).select_related("user"))
        robots = {name: Robot.objects.get(id=one.id) for name, one in here.robots.items()}
        scopes = {name: scopes_of(one) for name, one in robots.items()}
    for member in members:
        if member.removed_at is None and memory_id in here.readable(actor_of(member)):
            user = member.user
            enters = member.joined_at is not None and user is not None and user.is_active
            (found.people if enters else found.away).add(member.name)
    for name, robot in robots.items():
        if robot.retired_at is not None:
            continue
        alone = memory_id in here.readable(here.robot(name, "read"))
        if alone:
            (found.robots if "read" in scopes[name] else found.keyless).add(name)
        elif "read" in scopes[name] and any(
            memory_id in seen for seen in acting(here, here.robot(name, *scopes[name]), members)
        ):
            found.helpers.add(name)
    return found


def told(here: Tenant, name: str, memory_id: UUID, **asked: object) -> ReaderList:
    asked = {"organisation": "Here", "most": 50, **asked}
    return list_memory_readers(here.person(name), memory_id, **asked)


def names(here: Tenant, asker: str, sheet: ReaderList, part: str) -> set[str]:
    lines = [line for one in sheet.parts if one.name == part for line in one.lines]
    mine = here.members[asker].name
    found = [mine if line.name == "You" else line.name for line in lines]
    assert len(found) == len(set(found)), "each once"
    return set(found)


def why(sheet: ReaderList, name: str) -> str:
    return next(li.because for one in sheet.parts for li in one.lines if li.name == name)


def check(here: Tenant, asker: str, memory_id: UUID) -> ReaderList:
    """Names and numbers are those of the database, the asker's own robot alone is told to them."""
    real, sheet = truth(here, memory_id), told(here, asker, memory_id)
    for part in reader_list.SECTIONS:
        expected = getattr(real, part)
        count = sum(one.count for one in sheet.parts if one.name == part)
        assert count == len(expected), (part, sheet, real)
        hidden = {PERSONAL} if part == "helpers" and asker != "mina" else set()
        assert names(here, asker, sheet, part) == expected - hidden, (part, sheet, real)
        assert sum(one.unnamed for one in sheet.parts if one.name == part) == len(expected & hidden)
    # The sentence counts the same.
    said = sheet.audience
    assert (said.people, said.robots, said.helpers, said.away) == (
        len(real.people), len(real.robots), len(real.helpers), len(real.away)
    ), (said, real)  # fmt: skip
    return sheet


def readers_among(here: Tenant, memory_id: UUID) -> list[str]:
    return [name for name in ASKERS if memory_id in here.readable(here.person(name))]


@pytest.mark.conformance("W16")
def test_it_names_whom_the_database_lets_read(world: World, request: pytest.FixtureRequest) -> None:
    """Of half of the places, which the seed of the run draws."""
    here = world.here
    crowd(here)
    kept = places(here)
    kept["open"] = here.remember(here.robot("aria"), "For design.", group="design").id
    set_confidential(
        actor=here.person("ada"), group=here.groups["design"], confidential=False, now=NOW
    )
    kept["proposed"] = propose(here).memory_id
    assert len(kept) >= 10
    hides_a_group = {("group", "vera"), ("both", "vera")}
    looked = 0
    for name, memory_id in [*kept.items()][sample_slice(request, 2)]:
        for asker in readers_among(here, memory_id):
            if (name, asker) not in hides_a_group:
                check(here, asker, memory_id)
                looked += 1
    assert looked >= 8


def test_a_hidden_groups_people_are_named_to_nobody_outside(world: World) -> None:
    here = world.here
    crowd(here)
    kept = places(here)
    sheet = told(here, "vera", kept["group"])
    assert sheet.hidden == 1
    assert names(here, "vera", sheet, "people") == {"Mina", "Vera"}
    assert names(here, "vera", sheet, "robots") == set()
    assert names(here, "vera", sheet, "away") == set()
    assert check(here, "bob", kept["group"]).hidden == 0


def test_a_robot_of_a_hidden_group_is_counted_and_not_named(world: World) -> None:
    here = world.here
    vera = str(here.members["vera"].id)
    kept = here.remember(
        here.person("mina"), "In confidence.", visibility="protected", group="launch",
        readers=ReaderReferences(members=(vera,)),
    ).id  # fmt: skip
    for asker, expected, unnamed in (("mina", {"aria"}, 0), ("vera", set(), 1)):
        sheet = told(here, asker, kept)
        (helpers,) = [one for one in sheet.parts if one.name == "helpers"]
        assert (names(here, asker, sheet, "helpers"), helpers.unnamed) == (expected, unnamed)
    assert truth(here, kept).helpers == {"aria"}


def test_each_line_says_why(world: World) -> None:
    here = world.here
    crowd(here)
    kept = places(here)
    launch = told(here, "bob", kept["launch"])
    assert (why(launch, "Mina"), why(launch, "You"), why(launch, "aria")) == ("in #launch",) * 3
    assert why(launch, "trusted") == "when it works for you, with your leave"
    assert why(launch, "Ivy") == "in #launch"
    own = told(here, "mina", kept["own"])
    assert why(own, "You") == "it is yours"
    assert why(own, "mine") == "when it works for you, as your own robot"
    people = told(here, "bob", kept["people"])
    assert (why(people, "Mina"), why(people, "You")) == ("wrote it", "named as a reader")
    assert why(told(here, "mina", kept["group"]), "Bob") == "in #launch"
    assert why(told(here, "mina", kept["team"]), "clio") == "in the team pair"
    assert why(told(here, "mina", kept["robots"]), "bolt") == "named as a reader"
    assert why(told(here, "mina", kept["everyone"]), "Vera") == "in Here"
    confided = told(here, "mina", kept["confided"])
    assert why(confided, "aria") == "when it works for you in the group where this was said"
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    opened = told(here, "ada", kept["launch"])
    assert (why(opened, "You"), why(opened, "Chidi")) == ("curate", "curates")
    waits = told(here, "chidi", propose(here).memory_id)
    assert (why(waits, "Bob"), why(waits, "Ada")) == ("wrote it", "curates")


def test_who_said_it_and_who_heard_it(world: World) -> None:
    here = world.here
    mina, bob, vera = (str(here.members[name].id) for name in ("mina", "bob", "vera"))
    kept = here.remember(
        here.robot("aria"), "In confidence.", visibility="protected", group="launch", member=mina,
        speaker=bob, listeners=(vera,),
    ).id  # fmt: skip
    sheet = check(here, "bob", kept)
    assert why(sheet, "You") == "said it"
    assert why(sheet, "Mina") == "it is about them"
    assert why(sheet, "Vera") == "heard it"


@pytest.mark.conformance("W16")
@pytest.mark.parametrize("wish", ["organisation", "group", "private", "shared"])
def test_newly_is_who_could_not_before(world: World, wish: str) -> None:
    here = world.here
    crowd(here)
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(members_publish=True)
    mina = here.person("mina")
    kept = here.remember(mina, "For design.", group="design").id
    before = truth(here, kept)
    value = f"group:{here.groups['launch'].id}" if wish == "group" else wish
    some = tuple(here.members[name].id for name in ("noor", "vera")) if wish == "shared" else ()
    sheet = told(here, "mina", kept, wish=TargetAudience(value, some))
    share_memory(
        mina,
        kept,
        visibility=wish,
        readers={"members": tuple(map(str, some))},
        group="launch" if wish == "group" else None,
        now=NOW,
    )
    after = truth(here, kept)
    assert sheet.newly
    for part in ("people", "robots", "away"):
        assert names(here, "mina", sheet, part) == getattr(after, part) - getattr(before, part)
    assert sheet.audience.people == len(after.people - before.people)


@pytest.mark.conformance("W16")
def test_of_several_memories_they_are_new_who_lack_one(world: World) -> None:
    here = world.here
    mina = here.person("mina")
    rows = [here.remember(mina, f"For {group}.", group=group).id for group in ("launch", "design")]
    assert [truth(here, row).people for row in rows] == [{"Mina", "Bob"}, {"Mina"}]
    with resolve_principal(mina).scope():
        lie = dict(Memory.objects.filter(id__in=rows).values_list("id", "audience_id"))
    launch = TargetAudience(f"group:{here.groups['launch'].id}")

    def new(*ids: UUID) -> set[str]:
        sheet = list_new_readers(
            mina, [lie[id_] for id_ in ids], launch, organisation="Here", most=50
        )
        return names(here, "mina", sheet, "people")

    assert new(*rows) == {"Bob"}
    assert new(rows[0]) == set()
    everyone = list_new_readers(
        mina, list(lie.values()), TargetAudience("organisation"), organisation="Here", most=50
    )
    # Bob reads one of the two alone, so of the other he is new.
    assert names(here, "mina", everyone, "people") == {"Bob", "Ada", "Chidi", "Vera"}


def test_who_does_not_read_it_or_the_place_learns_nothing(world: World) -> None:
    here = world.here
    kept = here.remember(here.person("mina"), "For design.", group="design").id
    noted = here.remember(here.robot("aria"), "A note.", visibility="internal").id
    for name in ("bob", "vera", "ada"):
        with pytest.raises(NotFoundError):
            told(here, name, kept)
    for name in here.members:
        with pytest.raises(NotFoundError):
            told(here, name, noted)
    own = here.remember(here.person("bob"), "Mine.", visibility="private").id
    for value in (f"group:{here.groups['design'].id}", "group:", "group", "robot", ""):
        with pytest.raises(NotFoundError):
            told(here, "bob", own, wish=TargetAudience(value))


def test_a_long_list_comes_in_parts(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "For everyone.").id
    first = told(here, "mina", kept, most=2).parts[0]
    assert (len(first.lines), first.count, first.more) == (2, 5, 3)
    rest = told(here, "mina", kept, start=2, most=2).parts[0]
    last = told(here, "mina", kept, start=4, most=2).parts[0]
    assert (rest.more, last.more) == (1, 0)
    every = [line.name for one in (first, rest, last) for line in one.lines]
    assert every == ["You", "Ada", "Bob", "Chidi", "Vera"]


def test_entries_of_other_lists_add_nobody(world: World) -> None:
    here = world.here
    bob = str(here.members["bob"].id)
    mine = here.remember(
        here.person("mina"),
        "A list.",
        visibility="shared",
        readers=ReaderReferences(members=(bob,)),
    ).id
    here.remember(
        here.person("mina"), "Another.", visibility="shared",
        readers=ReaderReferences(members=(str(here.members["vera"].id),)),
    )  # fmt: skip
    with organisation_scope(here.id):
        assert AudienceEntry.objects.count() >= 4
    assert names(here, "mina", check(here, "mina", mine), "people") == {"Mina", "Bob"}
