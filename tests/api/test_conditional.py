"""ETag, If-Match and If-None-Match: no update is lost (N05)."""

from dataclasses import dataclass
from typing import Any
from unittest import mock

import psycopg
import pytest
from rest_framework.test import APIClient

from memories.store.models.memory import Memory
from orgs.api import conditional
from orgs.database.rls import organisation_scope
from personas.associations.personal_robot import ensure_own_robot
from robots.models.robots import RobotGroup
from tests.databases import autocommit_connection
from tests.isolation.api_surface import ABSENT, openapi_schema
from tests.isolation.forgery import ForgeryWorld, all_audiences_scope, build_forgery_world
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("N05")
MEMORIES = "/api/v1/memories"


@dataclass(frozen=True)
class Case:
    """Who reads and changes what: two changes, one after the other, and the rows that it locks."""

    client: APIClient
    path: str
    method: str
    changed_at: str
    first: dict[str, Any]
    second: dict[str, Any]
    locks: str

    def change(self, body: dict[str, Any], **headers: str) -> Any:
        send = getattr(self.client, self.method)
        return send(self.path + self.changed_at, body, format="json", headers=headers)

    def get(self, **headers: str) -> Any:
        return self.client.get(self.path, headers=headers)


NAMES = ("memory", "task", "preference", "decision", "proposal", "block")


def case_of(scene: ForgeryWorld, name: str) -> Case:
    here, ids = scene.here, {key: found[0] for key, found in scene.ids.items()}
    aria, mina, chidi = here.api("aria"), here.browser("mina"), here.browser("chidi")
    curators = [str(here.members[one].id) for one in ("chidi", "ada")]
    lock = "SELECT 1 FROM {} WHERE id = '{}' FOR NO KEY UPDATE NOWAIT"
    memory_lock = lock.format("memories_memory", "{}")
    path = "/api/v1/"
    if name == "memory":
        id_ = ids["memory_id"]
        changes = {"importance": 0.9}, {"importance": 0.1}
        return Case(aria, f"{path}memories/{id_}", "patch", "", *changes, memory_lock.format(id_))
    if name == "task":
        id_ = ids["task_id"]
        changes = {"done": True}, {"due_at": "2026-05-01T09:00:00Z"}
        rows = lock.format("memories_task", id_)
        return Case(aria, f"{path}tasks/{id_}", "patch", "", *changes, rows)
    if name == "preference":
        id_ = ids["preference_id"]
        changes = {"text": "Tea."}, {"text": "Milk."}
        return Case(
            mina, f"{path}preferences/{id_}", "patch", "", *changes, memory_lock.format(id_)
        )
    if name == "decision":
        id_ = ids["decision_id"]
        said = [{"kind": "risk_warning", "content": f"They fall, {n}."} for n in (1, 2)]
        rows = memory_lock.format(id_)
        return Case(mina, f"{path}decisions/{id_}", "post", "/dissents", *said, rows)
    if name == "proposal":
        id_ = ids["item_id"]
        changes = {"member": curators[0]}, {"member": curators[1]}
        rows = lock.format("memories_proposal", id_)
        return Case(chidi, f"{path}proposals/{id_}", "post", "/assign", *changes, rows)
    ensure_own_robot(here.person("bob"), now=NOW)
    bob = here.browser("bob")
    blocks = bob.get(f"{path}blocks").json()["results"]
    id_ = next(one["id"] for one in blocks if one["layer"] == "human")
    lines = {"text": "Prefers tea."}, {"text": "Lives in a flat."}
    rows = lock.format("personas_block", id_)
    return Case(bob, f"{path}blocks/{id_}", "post", "/entries", *lines, rows)


@pytest.mark.parametrize("name", NAMES)
def test_an_update_that_was_overtaken_is_noticed(lasting_world: World, name: str) -> None:
    case = case_of(build_forgery_world(lasting_world), name)
    read = case.get()
    old = read.headers["ETag"]
    known = case.get(**{"If-None-Match": f'"other", W/{old}'})
    assert (known.status_code, known.content, known.headers["ETag"]) == (304, b"", old)
    assert case.get(**{"If-None-Match": '"other"'}).status_code == 200
    first = case.change(case.first, **{"If-Match": old})
    assert first.status_code < 300, first.content
    new = case.get().headers["ETag"]
    assert (first.headers["ETag"], new == old) == (new, False)
    late = case.change(case.second, **{"If-Match": old})
    told = late.json()
    assert (late.status_code, told["type"], told["etag"], late.headers["ETag"]) == (
        412, "urn:commonmind:problem:changed", new, new,
    )  # fmt: skip
    assert case.get().headers["ETag"] == new, "nothing was changed"
    assert case.change(case.second, **{"If-None-Match": new}).status_code == 412
    second = case.change(case.second, **{"If-Match": f'"other", {new}'})
    assert second.status_code < 300, second.content
    assert second.headers["ETag"] not in (old, new)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_checked_under_the_lock_of_the_change(lasting_world: World, name: str) -> None:
    case, check = case_of(build_forgery_world(lasting_world), name), conditional._check
    free: list[bool] = []

    def look(*args: Any) -> None:
        check(*args)
        with autocommit_connection("admin") as other:
            try:
                other.execute(case.locks)
                free.append(True)
            except psycopg.errors.LockNotAvailable:
                free.append(False)

    with mock.patch.object(conditional, "_check", look):
        assert case.change(case.first, **{"If-Match": case.get().headers["ETag"]}).status_code < 300
    assert free == [False]


def test_a_change_between_the_first_look_and_the_lock_is_seen(lasting_world: World) -> None:
    case, lock = case_of(build_forgery_world(lasting_world), "memory"), conditional._lock
    id_ = case.path.rpartition("/")[2]

    def overtaken(*args: Any) -> bool:
        with autocommit_connection("admin") as other:
            other.execute("UPDATE memories_memory SET importance = 0.3 WHERE id = %s", [id_])
        return lock(*args)

    with mock.patch.object(conditional, "_lock", overtaken):
        answer = case.change(case.first, **{"If-Match": case.get().headers["ETag"]})
    assert answer.status_code == 412
    assert case.get().json()["importance"] == 0.3


def test_what_is_absent_and_what_is_hidden_answer_alike(world: World) -> None:
    here, there = world.here, world.there
    theirs = there.remember(there.robot("aria"), "Their secret.").id
    design = here.remember(here.person("mina"), "We moved.", group="design").id
    api, told = here.api("bolt"), []
    for id_ in (ABSENT, theirs, design):
        for tags in ("*", '"x"', "no tag", ""):
            answer = api.patch(
                f"{MEMORIES}/{id_}", {"importance": 1}, format="json", headers={"If-Match": tags}
            )
            body = answer.json()
            assert body.pop("request_id")
            told.append((answer.status_code, answer.headers.get("ETag"), str(body)))
    assert len(set(told)) == 1
    assert told[0][:2] == (412, None)
    assert "nothing here" in told[0][2]


def test_a_star_stands_for_whatever_is_there(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    made = here.remember(here.robot("aria"), "The launch is on Monday.").id
    for tags, status in (("*", 200), ("no tag", 412), ("", 412), ('"' + "x" * 10_000 + '"', 412)):
        answer = api.patch(
            f"{MEMORIES}/{made}", {"importance": 1}, format="json", headers={"If-Match": tags}
        )
        assert answer.status_code == status, tags


def test_nothing_else_changes_a_mark(lasting_world: World) -> None:
    """Reading it, rows of others and what the worker makes of it change no ETag."""
    here, api = lasting_world.here, lasting_world.here.api("aria")
    made = here.remember(here.robot("aria"), "The launch is on Monday.", group="launch").id
    before = api.get(f"{MEMORIES}/{made}").headers["ETag"]
    here.embed()
    api.post("/api/v1/recall", {"query": "launch", "group": "launch"}, format="json")
    here.remember(here.person("mina"), "The launch is on Tuesday.", visibility="private")
    here.remember(here.robot("aria"), "The launch is on Monday.", group="launch")
    assert api.get(f"{MEMORIES}/{made}").headers["ETag"] == before


def test_a_replay_needs_no_second_condition(world: World) -> None:
    """Sent twice with both headers, the change is made once and its answer repeated."""
    here, api = world.here, world.here.api("aria")
    made = here.remember(here.robot("aria"), "The launch is on Monday.", group="launch").id
    path, etag = f"{MEMORIES}/{made}", api.get(f"{MEMORIES}/{made}").headers["ETag"]
    headers = {"If-Match": etag, "Idempotency-Key": "k"}
    answers = [api.patch(path, {"importance": 1}, format="json", headers=headers) for _ in range(2)]
    assert [a.status_code for a in answers] == [200, 200]
    assert answers[0].headers["ETag"] == answers[1].headers["ETag"] != etag
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot=here.robots["aria"]).delete()
    assert api.patch(path, {"importance": 1}, format="json", headers=headers).status_code == 404
    with all_audiences_scope(here):
        assert Memory.objects.get(id=made).version == 2


def test_each_resource_says_what_it_takes() -> None:
    """By the description: every address of a resource, and every change under it."""
    heads = {
        f"{method} {path}": {p["name"] for p in one.get("parameters", []) if p["in"] == "header"}
        for path, methods in openapi_schema()["paths"].items()
        for method, one in methods.items()
    }
    marked = {call for call, names in heads.items() if "If-None-Match" in names}
    kinds = ("memories", "blocks", "decisions", "proposals", "tasks", "preferences")
    assert {call.split("/")[3] for call in marked} == set(kinds)
    assert len(marked) == len(kinds)
    for call in marked:
        under = call.removeprefix("get ")
        changes = [
            names
            for other, names in heads.items()
            if not other.startswith("get ") and f"{other} ".partition(" ")[2].startswith(under)
        ]
        takes = ["If-Match" in names for names in changes if "Idempotency-Key" in names]
        assert takes, call
        assert all(takes), call
