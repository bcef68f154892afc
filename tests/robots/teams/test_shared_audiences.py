"""What all of a team read, compared with what each of its robots reads when it is asked alone."""

from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from orgs.cohort_types import EVERY_INDUSTRY
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.teams.shared_audiences import fetch_shared_audiences
from robots.teams.team_robots import add_team_robot
from tests.world import NOW, Tenant, World

TEAMS = {
    "alone": ("bolt",), "seated": ("aria", "clio"), "apart": ("bolt", "clio"),
    "all": ("aria", "bolt", "clio"), "empty": (),
}  # fmt: skip


def fill(here: Tenant) -> dict[str, Team]:
    """Teams, and a memory in an audience of every kind and with every kind of reader."""
    teams = {name: here.add_team(name, *robots) for name, robots in TEAMS.items()}
    ids = {name: str(robot.id) for name, robot in here.robots.items()}
    readers = [
        {"robots": (ids["bolt"], ids["clio"])},
        {"robots": tuple(ids.values())},
        {"groups": ("design",)},
        {"groups": ("design",), "robots": (ids["bolt"],)},
        {"teams": ("apart",), "robots": (ids["bolt"],)},
        {"teams": ("seated", "alone")},
        {"members": (str(here.members["bob"].id),)},
    ]
    for number, named in enumerate(readers):
        here.remember(
            here.robot("aria"), f"List {number}.", visibility="shared",
            readers=ReaderReferences(**named),
        )  # fmt: skip
    for group in ("launch", "design"):
        here.remember(here.robot("aria"), "In a group.", group=group)
    for name in ("seated", "all"):
        here.remember(here.robot("aria"), "A note.", visibility=f"team:{name}")
    return teams


def alone(here: Tenant, robots: tuple[str, ...]) -> frozenset[UUID]:
    """The same, asked robot by robot."""
    each = [resolve_principal(here.robot(name)).audiences for name in robots]
    return frozenset.intersection(*each) if each else frozenset()


@pytest.mark.conformance("H38")
def test_a_team_shares_what_each_of_its_robots_reads_alone(world: World) -> None:
    here = world.here
    teams = fill(here)
    with organisation_scope(here.id):
        every = set(Audience.objects.values_list("id", flat=True))
        found = fetch_shared_audiences(here.id, [team.id for team in teams.values()], every)
    for name, robots in TEAMS.items():
        assert found.get(teams[name].id, frozenset()) == alone(here, robots), name
    sizes = {name: len(alone(here, robots)) for name, robots in TEAMS.items()}
    assert len(set(sizes.values())) >= 4, "the teams read differently"
    with organisation_scope(here.id):
        some = set(list(every)[:3])
        narrowed = fetch_shared_audiences(here.id, [teams["all"].id], some)
    assert narrowed.get(teams["all"].id, frozenset()) == found[teams["all"].id] & some


def test_a_retired_robot_is_not_asked(world: World) -> None:
    here = world.here
    team = here.add_team("coding", "aria", "bolt")
    principal = resolve_principal(here.robot("aria"))
    with organisation_scope(here.id):
        before = fetch_shared_audiences(here.id, [team.id], principal.audiences)[team.id]
        Robot.objects.filter(id=here.robots["bolt"].id).update(retired_at=NOW)
        after = fetch_shared_audiences(here.id, [team.id], principal.audiences)[team.id]
    assert before < after == principal.audiences


def test_the_robot_of_who_opted_out_shares_no_lessons_for_everybody(world: World) -> None:
    here = world.here
    team = here.add_team("coding", "aria", "bolt")
    with organisation_scope(here.id):
        [for_all] = Audience.objects.filter(kind="industry", key=EVERY_INDUSTRY)
        assert fetch_shared_audiences(here.id, [team.id], [for_all.id]) == {
            team.id: frozenset({for_all.id})
        }
        Robot.objects.filter(id=here.robots["bolt"].id).update(owner=here.members["bob"])
        Member.objects.filter(id=here.members["bob"].id).update(sharing_off_at=NOW)
        assert fetch_shared_audiences(here.id, [team.id], [for_all.id]) == {}


@pytest.mark.parametrize("robots", [2, 40])
def test_many_robots_cost_no_more_statements(
    world: World, django_assert_num_queries: object, robots: int
) -> None:
    here = world.here
    team = here.add_team("coding", "aria")
    for number in range(robots):
        here.add_robot(f"robot {number}", scopes=("read",))
        add_team_robot(
            here.person("ada"), str(team.id), str(here.robots[f"robot {number}"].id), now=NOW
        )
    principal = resolve_principal(here.robot("aria"))
    with organisation_scope(here.id), django_assert_num_queries(1):  # type: ignore[operator]
        found = fetch_shared_audiences(here.id, [team.id], principal.audiences)
    assert found[team.id] == {
        principal.organisation_audience,
        principal.named[("team", str(team.id))],
        principal.named[("industry", EVERY_INDUSTRY)],
    }
