"""Pages of teams: who sees them, what can be pressed, what changes while somebody looks."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from robots.models.teams import Team, TeamRobot
from robots.teams.teams import get_team
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

EVERYONE = {"visibility": "organisation"}


@pytest.fixture
def team(here: Tenant) -> Team:
    return here.add_team("coding", "aria", "bolt")


def page_of(team: Team) -> str:
    return f"/robots/teams/{team.id}/"


def press(client: Client, team: Team, act: str, **data: Any) -> Any:
    return client.post(f"{page_of(team)}{act}/", data, follow=True)


def ids(here: Tenant, name: str) -> dict[str, UUID]:
    return {"robot": here.robots[name].id}


def status_of(here: Tenant, name: str) -> str:
    with organisation_scope(here.id):
        return TeamRobot.objects.get(robot_id=here.robots[name].id).status


def test_a_team_is_made_on_pages(here: Tenant) -> None:
    ada = make_signed_in_client(here, "ada")
    assert "No teams yet" in response_text(ada.get("/robots/teams/"))
    made = ada.post("/robots/teams/add/", {"name": "Coding"}, follow=True)
    assert "Coding is here" in response_text(made)
    assert "No robot is in this team yet." in response_text(made)
    with organisation_scope(here.id):
        team = Team.objects.get(name="Coding")
    assert "aria reads the notes of the team" in response_text(
        press(ada, team, "robots/add", **ids(here, "aria"))
    )
    press(ada, team, "robots/add", **ids(here, "bolt"))
    assert (status_of(here, "aria"), status_of(here, "bolt")) == ("active", "passive")
    assert "1 active · 1 waits" in response_text(ada.get("/robots/teams/"))
    assert 'href="/robots/teams/"' in response_text(ada.get("/robots/"))
    refused = ada.post("/robots/teams/add/", {"name": "C0ding"})
    assert (refused.status_code, "could be taken for" in response_text(refused)) == (422, True)


def test_what_can_be_pressed(here: Tenant, team: Team) -> None:
    ada = make_signed_in_client(here, "ada")
    shown = response_text(ada.get(page_of(team)))
    # The last active one can be taken out and not made to wait.
    assert shown.count("Make active") == 1
    assert "Let it wait" not in shown
    press(ada, team, "promote", **ids(here, "bolt"))
    assert status_of(here, "bolt") == "active"
    assert response_text(ada.get(page_of(team))).count("Let it wait") == 2
    press(ada, team, "demote", **ids(here, "aria"))
    assert status_of(here, "aria") == "passive"
    assert "last active robot" in response_text(press(ada, team, "demote", **ids(here, "bolt")))
    changed = press(ada, team, "change", name="Coders", working_memory_tokens="50")
    assert "Coders" in response_text(changed)
    assert "0 of 50 tokens" in response_text(changed)
    assert "Nothing was changed" in response_text(press(ada, team, "change", name=""))
    press(ada, team, "robots/remove", **ids(here, "aria"))
    assert status_of(here, "bolt") == "active"
    here.remember(here.robot("bolt"), "A note.", visibility="team:coding")
    assert "for this team alone" in response_text(press(ada, team, "remove"))
    with organisation_scope(here.id):
        assert get_team(here.id, "coding").id == team.id


def test_a_team_is_removed(here: Tenant, team: Team) -> None:
    ada = make_signed_in_client(here, "ada")
    assert "The team is gone" in response_text(press(ada, team, "remove"))
    assert ada.get(page_of(team)).status_code == 404


@pytest.mark.parametrize("name", ["mina", "vera"])
def test_the_pages_are_for_those_who_curate(here: Tenant, team: Team, name: str) -> None:
    client = make_signed_in_client(here, name)
    assert client.get("/robots/teams/").status_code == 404
    assert client.get(page_of(team)).status_code == 404
    for act in ("promote", "demote", "robots/add", "robots/remove", "change", "remove"):
        answer = press(client, team, act, name="x", **ids(here, "bolt"))
        assert answer.status_code == 404, act
    assert client.post("/robots/teams/add/", {"name": "x"}).status_code == 404
    assert status_of(here, "bolt") == "passive"


def test_a_curator_sees_no_form_that_adds_a_robot(here: Tenant, team: Team) -> None:
    chidi, ada = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "ada")
    assert "Put into the team" in response_text(ada.get(page_of(team)))
    shown = response_text(chidi.get(page_of(team)))
    assert "Make active" in shown
    assert "Put into the team" not in shown
    assert press(chidi, team, "robots/add", **ids(here, "clio")).status_code == 404
    with organisation_scope(here.id):
        assert TeamRobot.objects.filter(team_id=team.id).count() == 2
    made = chidi.post("/robots/teams/add/", {"name": "Research"}, follow=True)
    assert "An admin fills it." in response_text(made)


def test_another_organisation_has_no_such_page(world: World, team: Team) -> None:
    there = make_signed_in_client(world.there, "ada")
    assert there.get(page_of(team)).status_code == 404
    for act in ("promote", "demote", "robots/add", "robots/remove", "remove"):
        assert press(there, team, act, **ids(world.here, "bolt")).status_code == 404
    assert status_of(world.here, "bolt") == "passive"


def live(client: Client, team: Team, seen: str = "") -> str:
    answer = client.get(
        f"{page_of(team)}?seen={seen}", headers={"HX-Request": "true", "HX-Target": "team-live"}
    )
    assert answer.status_code == 200
    return response_text(answer)


@pytest.mark.conformance("H38", "H40")
def test_it_is_shown_live(here: Tenant, team: Team) -> None:
    ada = make_signed_in_client(here, "chidi")
    here.remember(here.robot("aria"), "The parser is slow.", **EVERYONE)
    here.remember(here.robot("aria"), "A note among robots.", visibility="team:coding")
    whole = response_text(ada.get(page_of(team)))
    assert 'hx-trigger="every 2s"' in whole
    assert "The parser is slow." in whole
    assert "A note among robots." not in whole
    assert "You do not read 1 of them." in whole
    assert "Not in sync" in whole
    (seen,) = re.findall(r"\?seen=([^\"]+)\"", whole)
    part = live(ada, team, seen)
    assert "<html" not in part
    # Nothing that can be pressed moves under the pointer; the heartbeats alone are drawn anew.
    assert "Make active" not in part
    assert part.count("hx-swap-oob") == 2
    for name in ("aria", "bolt"):
        here.api(name).post("/api/v1/teams/coding/heartbeat")
    here.remember(here.robot("bolt"), "The office closes at six.", **EVERYONE)
    part = live(ada, team, seen)
    assert "The office closes at six." in part
    # Bolt took over meanwhile, so the rows are drawn anew with what can be pressed now.
    assert "bolt is active; aria waits." in part or "aria is active; bolt waits." in part
    assert "In sync" in part
    with organisation_scope(here.id):
        ago = timezone.now() - timedelta(seconds=20)
        TeamRobot.objects.update(last_seen_at=ago, status_at=ago)
    assert "Nothing was heard of" in live(ada, team)
    assert "Make active" in live(ada, team)


def test_many_robots_cost_no_more_queries(here: Tenant, team: Team) -> None:
    ada = make_signed_in_client(here, "ada")
    before = count_queries(ada, page_of(team)), count_queries(ada, "/robots/teams/")
    for number in range(10):
        here.add_robot(f"robot {number}", scopes=("read",))
        press(ada, team, "robots/add", **ids(here, f"robot {number}"))
    assert (count_queries(ada, page_of(team)), count_queries(ada, "/robots/teams/")) == before
    assert "aria is active; bolt and 10 others wait." in response_text(ada.get(page_of(team)))
