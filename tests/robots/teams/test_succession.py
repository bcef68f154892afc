"""Heartbeats, promotion and demotion: who leads when one falls silent."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from robots.errors import LastActiveRobotError, NoPassiveRobotError, NoSilentRobotError
from robots.teams import failover, team_robots
from robots.teams.teams import get_team
from tests.world import NOW, Tenant, World

SILENT = NOW + timedelta(seconds=30)


def standing(tenant: Tenant, now: datetime = SILENT) -> dict[str, Any]:
    with organisation_scope(tenant.id):
        found = failover.load_team_roster(get_team(tenant.id, "coding"), now=now)
        return {
            "active": [one.robot.name for one in found.active],
            "passive": [one.robot.name for one in found.passive],
            "in_sync": found.in_sync,
        }


def beat(tenant: Tenant, name: str, now: datetime = SILENT) -> list[str]:
    _, done = failover.record_heartbeat(tenant.robot(name), "coding", now=now)
    return [one.promoted.robot.name for one in done]


@pytest.mark.conformance("H39")
def test_the_first_passive_robot_takes_the_place_of_a_silent_one(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt", "clio")
    assert standing(here, NOW + timedelta(seconds=5)) == {
        "active": ["aria"],
        "passive": ["bolt", "clio"],
        "in_sync": True,
    }
    assert standing(here)["in_sync"] is False
    for name in ("aria", "clio", "bolt"):
        assert beat(here, name, NOW + timedelta(seconds=9)) == []
    assert beat(here, "clio", NOW + timedelta(seconds=18)) == []
    assert beat(here, "bolt", NOW + timedelta(seconds=18)) == []
    # Clio speaks first, but Bolt joined before it.
    assert beat(here, "clio", NOW + timedelta(seconds=19)) == ["bolt"]
    after = NOW + timedelta(seconds=20)
    assert standing(here, after) == {
        "active": ["bolt"],
        "passive": ["aria", "clio"],
        "in_sync": True,
    }
    # Who comes back waits, and learns so from its first heartbeat.
    row, done = failover.record_heartbeat(here.robot("aria"), "coding", now=after)
    assert (row.status, done) == ("passive", [])
    with organisation_scope(here.id):
        (entry,) = AuditEntry.objects.filter(action="team.promoted")
    assert entry.detail == {
        "robot": str(here.robots["bolt"].id),
        "fallen": str(here.robots["aria"].id),
    }


@pytest.mark.conformance("H39")
def test_without_a_passive_robot_there_is_nobody_to_promote(here: Tenant) -> None:
    here.add_team("coding", "aria")
    with pytest.raises(NoPassiveRobotError):
        failover.promote_robot(here.person("ada"), "coding", now=SILENT)
    answer = here.browser("ada").post("/api/v1/teams/coding/promote", {}, format="json")
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("nobody-passive")
    assert standing(here)["active"] == ["aria"]


@pytest.mark.conformance("H39")
def test_the_last_active_robot_is_not_demoted(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    aria = str(here.robots["aria"].id)
    with pytest.raises(LastActiveRobotError):
        failover.demote_robot(here.robot("bolt"), "coding", aria, now=NOW)
    answer = here.api("bolt").post("/api/v1/teams/coding/demote", {"robot": aria}, format="json")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "last-active")
    failover.promote_robot(here.person("chidi"), "coding", str(here.robots["bolt"].id), now=NOW)
    assert standing(here)["active"] == ["aria", "bolt"]
    assert failover.demote_robot(here.robot("bolt"), "coding", aria, now=NOW).status == "passive"
    assert standing(here)["active"] == ["bolt"]
    # What is passive already stays so.
    assert failover.demote_robot(here.robot("bolt"), "coding", aria, now=NOW).status == "passive"


def test_nobody_is_promoted_while_the_active_one_is_heard(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    with pytest.raises(NoSilentRobotError):
        failover.promote_robot(here.robot("bolt"), "coding", now=NOW + timedelta(seconds=5))
    assert (
        failover.promote_robot(here.robot("bolt"), "coding", str(here.robots["aria"].id), now=NOW)
        == []
    )
    (done,) = failover.promote_robot(here.robot("bolt"), "coding", now=SILENT)
    assert done.promoted.robot.name == "bolt"
    assert done.fallen is not None
    assert done.fallen.robot.name == "aria"


def test_only_the_teams_own_robots_call(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    clio, acts = here.robot("clio"), here.robots["aria"].public_id
    calls: list[Callable[[], object]] = [
        lambda: failover.record_heartbeat(clio, "coding", now=NOW),
        lambda: failover.promote_robot(clio, "coding", now=SILENT),
        lambda: failover.promote_robot(clio, "coding", acts, now=SILENT),
        lambda: failover.demote_robot(clio, "coding", acts, now=SILENT),
        lambda: failover.promote_robot(here.person("mina"), "coding", now=SILENT),
        lambda: failover.promote_robot(
            here.robot("aria"), "coding", str(here.robots["clio"].id), now=NOW
        ),
    ]
    for call in calls:
        with pytest.raises(NotFoundError):
            call()
    for person in ("ada", "mina"):
        with pytest.raises(PermissionError):
            failover.record_heartbeat(here.person(person), "coding", now=NOW)
    answer = here.api("clio").post("/api/v1/teams/coding/heartbeat")
    assert answer.status_code == 404


def test_whose_last_active_robot_is_taken_out_is_led_by_the_next(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt", "clio")
    team_robots.remove_team_robot(
        here.person("ada"), "coding", str(here.robots["aria"].id), now=NOW
    )
    assert standing(here) == {"active": ["bolt"], "passive": ["clio"], "in_sync": False}
    team_robots.remove_team_robot(
        here.person("ada"), "coding", str(here.robots["clio"].id), now=NOW
    )
    team_robots.remove_team_robot(
        here.person("ada"), "coding", str(here.robots["bolt"].id), now=NOW
    )
    assert standing(here) == {"active": [], "passive": [], "in_sync": False}


@pytest.mark.conformance("H39")
@pytest.mark.parametrize("by", ["promote", "heartbeat"])
def test_of_two_promotions_at_once_one_finds_it_done(lasting_world: World, by: str) -> None:
    here = lasting_world.here
    here.add_team("coding", "aria", "bolt", "clio")

    def work(name: str) -> int:
        try:
            if by == "heartbeat":
                return len(beat(here, name))
            return len(failover.promote_robot(here.robot(name), "coding", now=SILENT))
        except NoSilentRobotError:
            return 0
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(work, ["bolt", "clio"])) == [0, 1]
    found = standing(here)
    assert len(found["active"]) == 1
    assert sorted(found["active"] + found["passive"]) == ["aria", "bolt", "clio"]


def test_who_promotes_waits_for_the_one_before(lasting_world: World) -> None:
    here = lasting_world.here
    here.add_team("coding", "aria", "bolt", "clio")

    def work() -> str:
        try:
            return str(failover.promote_robot(here.robot("clio"), "coding", now=SILENT))
        except NoSilentRobotError:
            return "done already"
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with organisation_scope(here.id):
            failover.promote_robot(here.robot("bolt"), "coding", now=SILENT)
            other = pool.submit(work)
            with pytest.raises(TimeoutError):
                other.result(timeout=0.3)
        assert other.result() == "done already"
    assert standing(here)["active"] == ["bolt"]
