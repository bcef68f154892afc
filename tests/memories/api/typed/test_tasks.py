"""Tasks over HTTP."""

import pytest

from tests.world import World

TASKS = "/api/v1/tasks"


@pytest.mark.conformance("Z21")
def test_tasks_are_put_down_listed_and_done(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    made = mina.post(TASKS, {"content": "Book the room", "importance": 0.8}, format="json")
    assert made.status_code == 201
    task = made.json()["task"]
    assert (task["title"], task["done"], task["priority"]) == ("Book the room", False, "low")
    for n in range(2):
        mina.post(TASKS, {"content": f"Thing {n}", "importance": 0.5}, format="json")
    first = mina.get(TASKS, {"limit": 2}).json()
    second = mina.get(first["next"]).json()
    assert [one["title"] for one in first["results"] + second["results"]] == [
        "Book the room",
        "Thing 1",
        "Thing 0",
    ]
    assert second["next"] is None

    one = f"{TASKS}/{task['id']}"
    changed = mina.patch(one, {"done": True, "due_at": "2026-03-05T10:00:00Z"}, format="json")
    assert (changed.json()["done"], changed.json()["priority"]) == (True, None)
    assert mina.get(one).json() == changed.json()
    assert [t["title"] for t in mina.get(TASKS, {"status": "done"}).json()["results"]] == [
        "Book the room"
    ]
    for stranger in (here.browser("ada"), here.api("bolt"), world.there.browser("ada")):
        assert stranger.get(one).status_code == 404
        assert stranger.patch(one, {"done": False}, format="json").status_code == 404


def test_what_is_refused(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    assert mina.post(TASKS, {"content": "x", "priority": "high"}, format="json").status_code == 400
    assert mina.post(TASKS, {}, format="json").status_code == 400
    assert mina.get(TASKS, {"status": "open"}).status_code == 400
    assert mina.get(TASKS, {"cursor": "x"}).status_code == 400
    unread = {"content": "x", "assignee": str(here.members["bob"].id)}
    refused = mina.post(TASKS, unread, format="json")
    assert refused.status_code == 400
    assert refused.json()["type"].endswith("misplaced")
    assert "Bob" not in refused.content.decode()
    foreign = {"content": "x", "assignee": str(world.there.members["bob"].id)}
    assert mina.post(TASKS, foreign, format="json").status_code == 404
    assert here.browser("vera").post(TASKS, {"content": "x"}, format="json").status_code == 403
    assert here.api("bolt").get(TASKS).json() == {"results": [], "next": None}


def test_a_context_cites_tasks(world: World) -> None:
    mina = world.here.browser("mina")
    due = {"content": "Book the room", "due_at": "2026-03-05T10:00:00Z"}
    task = mina.post(TASKS, due, format="json").json()["task"]
    answer = mina.post("/api/v1/context", {"query": "what is up"}, format="json").json()
    (cited,) = [one for one in answer["citations"] if one["section"] == "tasks"]
    assert (cited["type"], cited["id"]) == ("task", task["id"])
    assert (cited["details"]["memory"], cited["details"]["due_at"]) == (
        task["memory"],
        task["due_at"],
    )
