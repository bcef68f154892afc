"""Two processes of a team: what one remembers the other has at hand; one is killed, one goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.databases import database_url
from tests.robot_process import RobotProcess
from tests.world import Tenant, World

TEAM = "/api/v1/teams/coding"
HELD = f"{TEAM}/working-memory"


@contextmanager
def robots(*who: tuple[Tenant, str]) -> Iterator[list[RobotProcess]]:
    urls = {f"DATABASE_{a.upper()}_URL": database_url(a) for a in ("worker", "owner", "support")}
    urls |= {"DATABASE_URL": database_url("default"), "TEAM_SILENT_SECONDS": "1"}
    found = [RobotProcess(tenant.keys[name], **urls) for tenant, name in who]
    try:
        yield found
    finally:
        for one in found:
            one.kill()


def held(robot: RobotProcess) -> list[str]:
    found = robot.call("get", HELD)
    assert found["status"] == 200, found
    return sorted(entry["content"] for entry in found["body"]["entries"])


def remember(robot: RobotProcess, text: str) -> Any:
    body = {"content": text, "visibility": "organisation"}
    found = robot.call("post", "/api/v1/memories", body)
    assert found["status"] == 201, found
    return found["body"]


@pytest.mark.slow
@pytest.mark.conformance("H38", "H39")
@pytest.mark.timeout(300)
def test_one_is_killed_and_the_other_goes_on_with_the_same_set(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    here.add_team("coding", "aria", "bolt")
    here.remember(here.robot("bolt"), "It was there before.", visibility="organisation")
    with robots((here, "aria"), (here, "bolt"), (there, "clio")) as (first, second, stranger):
        for robot, status in ((first, 200), (second, 200), (stranger, 404)):
            assert robot.call("post", f"{TEAM}/heartbeat")["status"] == status
        for number in range(5):
            remember(first, f"Fact number {number}.")
            assert f"Fact number {number}." in held(second), "it is there with the next call"
        for robot in (first, second):
            robot.call("post", f"{TEAM}/heartbeat")
        state = second.call("get", f"{TEAM}/status")["body"]
        assert ([r["name"] for r in state["active"]], state["in_sync"]) == (["aria"], True)
        before = held(second)
        assert len(before) == 6
        # It is killed while it writes: what it was told to keep is there whole or not at all.
        first.begin("post", "/api/v1/memories", {"content": "In the middle of it."})
        first.kill()
        taken = second.call("post", f"{TEAM}/heartbeat", until='"status":"active"')
        assert taken["body"]["promotions"][0]["fallen"]["name"] == "aria"
        after = held(second)
        assert set(before) <= set(after) <= {*before, "In the middle of it."}
        remember(second, "It goes on.")
        assert held(second) == sorted([*after, "It goes on."])
        state = second.call("get", f"{TEAM}/status")["body"]
        assert [r["name"] for r in state["active"]] == ["bolt"]
        assert [r["name"] for r in state["passive"]] == ["aria"]
        for path in (HELD, f"{TEAM}/status", f"{TEAM}/robots", TEAM):
            assert stranger.call("get", path)["status"] == 404
        assert stranger.call("post", f"{TEAM}/promote", {})["status"] == 404
        found = stranger.call("post", "/api/v1/recall", {"query": "fact number"})
        assert (found["status"], found["body"]["results"]) == (200, [])
