"""The registry: an id of one's own, a name made up, an activity stamp on every act."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.database.rls import organisation_scope
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, AudienceType
from orgs.models.audit import AuditEntry
from robots.models.robots import Robot
from robots.registry.activity import record_activity
from robots.registry.personal_robot_sql import HIDING_AUDIENCE_TYPES
from robots.registry.robots import ensure_robot, get_robot
from tests.world import NOW, Tenant, World

ROBOTS = "/api/v1/robots"


def rows(tenant: Tenant, **narrow: Any) -> list[Robot]:
    with organisation_scope(tenant.id):
        return list(Robot.objects.filter(organisation_id=tenant.id, **narrow))


@pytest.mark.conformance("H03")
def test_the_same_id_is_one_robot_whose_name_is_updated(world: World) -> None:
    here, api = world.here, world.here.browser("ada")
    body = {"id": "scout-7", "name": "Scout", "metadata": {"model": "x", "n": [1]}}
    first = api.post(ROBOTS, body, format="json")
    assert (first.status_code, first.json()["id"], first.json()["name"]) == (
        201, "scout-7", "Scout"
    )  # fmt: skip
    assert first.json()["metadata"] == body["metadata"]
    here.add_robot("boss", scopes=("read", "write", "manage"))
    again = here.api("boss").post(ROBOTS, {"id": "scout-7", "name": "Pathfinder"}, format="json")
    assert (again.status_code, again.json()["name"]) == (200, "Pathfinder")
    assert again.json()["created_at"] == first.json()["created_at"]
    assert [robot.name for robot in rows(here, external_id="scout-7")] == ["Pathfinder"]
    assert here.api("bolt").get(f"{ROBOTS}/scout-7").json()["name"] == "Pathfinder"


@pytest.mark.conformance("H03")
def test_an_id_and_a_name_are_made_up(world: World) -> None:
    """That names may repeat, as the row says, is taken back by row T23."""
    api = world.here.browser("ada")
    made = [api.post(ROBOTS, {}, format="json").json() for _ in range(2)]
    for robot in made:
        assert str(UUID(robot["id"])) == robot["id"]
        assert re.fullmatch(r"robot_[0-9a-f]{8}", robot["name"])
        assert robot["last_active_at"] is None
    assert len({robot["id"] for robot in made}) == 2
    told = [api.post(ROBOTS, {"name": "Twin"}, format="json") for _ in range(2)]
    assert [one.status_code for one in told] == [201, 409]
    assert "'Twin'" in told[1].json()["detail"]


def test_a_personality_is_kept_and_taken_away(world: World) -> None:
    here = world.here
    api = here.browser("ada")
    made = api.post(ROBOTS, {"id": "dry", "personality": "Dry."}, format="json")
    assert (made.status_code, made.json()["personality"]) == (201, "Dry.")
    for _ in range(2):
        api.post(ROBOTS, {"id": "dry", "purpose": "To joke."}, format="json")
    found = here.api("bolt").get(f"{ROBOTS}/dry").json()
    assert (found["purpose"], found["personality"]) == ("To joke.", "Dry."), "left out, so it stays"
    for text, status in {"x" * 5_000: 200, "x" * 5_001: 400, "": 200}.items():
        answer = api.patch(f"{ROBOTS}/dry", {"personality": text}, format="json")
        assert answer.status_code == status, len(text)
    assert api.get(f"{ROBOTS}/dry").json()["personality"] == ""
    assert api.get(f"{ROBOTS}/dry").json()["purpose"] == "To joke."
    with organisation_scope(here.id):
        entries = AuditEntry.objects.filter(action="robot.changed").order_by("id")
        # By POST as by PATCH; what is the same changes nothing.
        changed = [["purpose"], ["personality"], ["personality"]]
        assert [entry.detail["fields"] for entry in entries] == changed


@pytest.mark.conformance("H03")
def test_a_robot_changes_itself_and_nobody_else(world: World) -> None:
    here = world.here
    aria, bolt = str(here.robots["aria"].id), str(here.robots["bolt"].id)
    changed = here.api("aria").patch(f"{ROBOTS}/{aria}", {"purpose": "To help"}, format="json")
    assert (changed.status_code, changed.json()["purpose"]) == (200, "To help")
    body = {"name": "Mine"}
    assert here.api("aria").patch(f"{ROBOTS}/{bolt}", body, format="json").status_code == 403
    taken = here.api("aria").post(ROBOTS, {"id": bolt, "name": "Mine"}, format="json")
    assert taken.status_code == 403
    assert here.browser("chidi").patch(f"{ROBOTS}/{bolt}", body, format="json").status_code == 200
    assert here.browser("bob").patch(f"{ROBOTS}/{bolt}", body, format="json").status_code == 403
    foreign = world.there.api("aria").patch(f"{ROBOTS}/{aria}", body, format="json")
    assert foreign.status_code == 404


def test_an_id_that_another_organisation_uses_is_like_any_other(world: World) -> None:
    for tenant in (world.here, world.there):
        answer = tenant.browser("ada").post(ROBOTS, {"id": "scout", "name": "S"}, format="json")
        assert answer.status_code == 201
        assert len(rows(tenant, external_id="scout")) == 1
    known = {robot["id"] for robot in world.here.api("aria").get(ROBOTS).json()["results"]}
    assert str(world.there.robots["aria"].id) not in known


def test_every_organisation_has_its_built_in_robots(world: World) -> None:
    for tenant in (world.here, world.there):
        assert {r.name for r in rows(tenant, builtin__isnull=False)} == {"web", "import"}


@pytest.mark.conformance("H04")
def test_a_robot_is_registered_on_first_use(world: World) -> None:
    here = world.here
    robot, created = ensure_robot(organisation_id=here.id, reference="late", now=NOW)
    again, twice = ensure_robot(organisation_id=here.id, reference="late", now=NOW)
    assert (created, twice, again.id) == (True, False, robot.id)
    with organisation_scope(here.id):
        assert get_robot(here.id, "late").id == robot.id
        assert get_robot(here.id, "late").created_at == NOW


@pytest.mark.conformance("H04")
@pytest.mark.parametrize(
    "deed",
    ["remember", "remember again", "recall", "recall nothing", "forget", "restore", "archive",
     "edit", "share", "deposit"],
)  # fmt: skip
def test_what_a_robot_does_moves_its_stamp(world: World, deed: str) -> None:
    from memories.ingestion.drafts import Draft
    from memories.ingestion.remember import remember

    here, aria = world.here, world.here.robot("aria")
    said = here.remember(aria, "The zebra sleeps.").id
    later = NOW + timedelta(hours=3)
    mina = str(here.members["mina"].id)
    deeds: dict[str, Callable[[], object]] = {
        "remember": lambda: remember(aria, Draft(content="New."), now=later),
        "remember again": lambda: remember(aria, Draft(content="The zebra sleeps."), now=later),
        "deposit": lambda: remember(aria, Draft(content="For you.", member=mina), now=later),
        "recall": lambda: recall(aria, Query(text="zebra"), now=later),
        "recall nothing": lambda: recall(aria, Query(text="giraffe"), now=later),
        "forget": lambda: forget_memory(aria, said, now=later),
        "archive": lambda: archive_memory(aria, said, now=later),
        "edit": lambda: edit_memory(aria, said, {"importance": 0.1}, now=later),
        "share": lambda: share_memory(
            aria, said, visibility="group", group="launch", readers={}, now=later
        ),
    }
    if deed == "restore":
        forget_memory(aria, said, now=NOW)
        restore_memory(aria, said, now=later)
    else:
        deeds[deed]()
    stamps = {robot.name: robot.last_active_at for robot in rows(here)}
    assert stamps["aria"] == later
    assert stamps["bolt"] is None


@pytest.mark.conformance("H04")
def test_a_stamp_never_goes_back(world: World) -> None:
    here, robot = world.here, world.here.robots["aria"]
    for at in (NOW, NOW - timedelta(days=1)):
        with organisation_scope(here.id):
            record_activity(organisation_id=here.id, robot_id=robot.id, now=at)
    assert rows(here, id=robot.id)[0].last_active_at == NOW


def test_a_busy_robot_is_stamped_once_a_second(lasting_world: World) -> None:
    """Its writers would otherwise wait for each other at its row."""
    here, robot = lasting_world.here, lasting_world.here.robots["aria"]
    first = NOW + timedelta(days=1)
    for after, expected in ((0.0, 0.0), (0.4, 0.0), (0.9, 0.0), (1.0, 1.0), (1.5, 1.0), (2.5, 2.5)):
        at = first + timedelta(seconds=after)
        with organisation_scope(here.id):
            record_activity(organisation_id=here.id, robot_id=robot.id, now=at)
        assert rows(here, id=robot.id)[0].last_active_at == first + timedelta(seconds=expected)


def test_the_rule_of_who_taught_names_every_kind_that_a_profession_reads() -> None:
    """It stands as words in a module without Django; a new kind must not be left out there."""
    assert set(HIDING_AUDIENCE_TYPES) == {*COHORT_AUDIENCE_TYPES, AudienceType.REVIEW}
