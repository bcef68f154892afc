"""Robots in groups: seated and taken out by a call, and what they read follows at once."""

from typing import Any

import pytest
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from tests.world import World

SEATS = "/api/v1/groups/launch/robots"


def ids(answer: Any) -> set[str]:
    assert answer.status_code == 200, answer.content
    return {robot["id"] for robot in answer.json()["results"]}


@pytest.mark.conformance("X10")
@pytest.mark.parametrize("who", ["dora", "chidi"])
def test_a_robot_is_seated_by_a_call_and_reads_at_once(world: World, who: str) -> None:
    here = world.here
    with organisation_scope(here.id):
        here.groups["launch"].confidential = False
        here.groups["launch"].save(update_fields=["confidential"])
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "manage"))
    here.add_robot("evi", groups=(), scopes=("read", "write"))
    evi = here.robots["evi"].public_id
    kept = here.remember(here.robot("dora", "write"), "The launch is in June.", group="launch").id
    client = here.api("dora") if who == "dora" else here.browser(who)
    path = f"/api/v1/memories/{kept}"
    assert here.api("evi").get(path).status_code == 404
    before = ids(client.get(SEATS))
    assert evi not in before
    for _ in range(2):
        assert ids(client.post(SEATS, {"add": [evi]}, format="json")) == before | {evi}
    assert here.api("evi").get(path).status_code == 200
    assert ids(client.post(SEATS, {"remove": [evi]}, format="json")) == before
    assert here.api("evi").get(path).status_code == 404
    with organisation_scope(here.id):
        entries = AuditEntry.objects.filter(action="robot.seated", target=here.robots["evi"].id)
        facts = [entry.detail for entry in entries.order_by("id")]
    group = str(here.groups["launch"].id)
    assert facts == [{"added": [group], "removed": []}, {"added": [], "removed": [group]}]


def test_who_does_not_manage_or_see_the_group_seats_nobody(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("design",), scopes=("read", "write", "manage"))
    here.add_robot("evi", groups=(), scopes=("read", "write"))
    body = {"add": [here.robots["evi"].public_id]}
    assert here.api("aria").post(SEATS, body, format="json").status_code == 403
    assert here.browser("mina").post(SEATS, body, format="json").status_code == 403
    # It manages, but does not sit there.
    assert here.api("dora").post(SEATS, body, format="json").status_code == 404
    assert here.api("dora").get(SEATS).status_code == 404
    # A curator reads no confidential group.
    assert here.browser("chidi").post(SEATS, body, format="json").status_code == 404


@pytest.mark.parametrize("kind", ["absent", "web", "personal", "retired", "elsewhere"])
def test_only_robots_that_work_for_all_are_seated(world: World, kind: str) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "manage"))
    here.add_robot("evi", groups=(), scopes=("read", "write"))
    robot = here.robots["evi"].public_id
    with organisation_scope(here.id):
        if kind == "personal":
            here.give_owner("evi", "mina")
        if kind == "retired":
            here.robots["evi"].retired_at = timezone.now()
            here.robots["evi"].save(update_fields=["retired_at"])
    robot = {
        "absent": "absent", "web": "web", "elsewhere": world.there.robots["aria"].public_id,
    }.get(kind, robot)  # fmt: skip
    for way in ("add", "remove"):
        answer = here.api("dora").post(SEATS, {way: [robot]}, format="json")
        assert answer.status_code == 404
        assert [error["field"] for error in answer.json()["errors"]] == [f"{way}.0"]


def test_a_personal_robot_is_not_told_of(world: World) -> None:
    here = world.here
    here.add_robot("pet", groups=("launch",), scopes=("read", "write"))
    here.give_owner("pet", "mina")
    assert here.robots["pet"].public_id not in ids(here.browser("bob").get(SEATS))
