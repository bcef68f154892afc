"""How many statements a call costs: never more for more results."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.memories.api.problems import BATCH, MEMORIES, RECALL
from tests.world import World


def queries(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as captured:
        answer = call()
    assert answer.status_code in (200, 201), answer.json()
    return len(captured)


@pytest.mark.parametrize("who", ["aria", "mina"])
def test_recall_and_lists_do_not_cost_more_for_more_hits(world: World, who: str) -> None:
    here, mina = world.here, world.here.members["mina"]
    api = here.api(who) if who == "aria" else here.browser(who)
    for number in range(12):
        place = {"group": "launch", "member": str(mina.id)} if number % 2 else {}
        here.remember(here.robot("aria"), f"Apple number {number}", speaker=str(mina.id), **place)
    # The first calls stamp the key's use and count the scope, once a minute.
    api.post(RECALL, {"query": "apple"}, format="json")

    counts = {}
    for limit in (1, 10):
        asked = {"query": "apple", "limit": limit, "explain": True}
        counts[limit] = (
            queries(partial(api.post, RECALL, asked, format="json")),
            queries(partial(api.get, MEMORIES, {"limit": limit})),
        )
        assert len(api.post(RECALL, asked, format="json").json()["results"]) == limit
        assert len(api.get(MEMORIES, {"limit": limit}).json()["results"]) == limit
    assert counts[1] == counts[10]
    assert counts[10][0] <= 30
    assert counts[10][1] <= 20


@pytest.mark.parametrize("who", ["aria", "mina"])
def test_a_batch_of_a_hundred_costs_as_many_statements_as_one_of_ten(
    world: World, who: str
) -> None:
    here = world.here
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    api = here.api(who) if who == "aria" else here.browser(who)
    said = bob if who == "aria" else mina

    def batch(size: int) -> Any:
        places: list[dict[str, Any]] = [
            {"group": "launch"},
            {"group": "launch", "member": mina, "speaker": said, "listeners": [bob]},
            {"visibility": "protected", "readers": {"members": [bob], "robots": [robot]}},
            {"member": mina},
        ]
        items = [{"content": f"{size}-{n}", "robot": own, **places[n % 4]} for n in range(size)]
        return api.post(BATCH, {"items": items}, format="json")

    robot = str(here.robots["bolt"].id)
    writer = {"aria": "aria", "mina": "web"}[who]
    known = api.get("/api/v1/robots").json()["results"]
    own = next(row["id"] for row in known if row["name"] == writer)
    statuses = {result["status"] for result in batch(8).json()["results"]}
    assert statuses == {"active"}
    few, many = queries(lambda: batch(12)), queries(lambda: batch(120))
    assert many <= few + 2, (few, many)
    again = queries(lambda: batch(120))
    assert again <= few + 12


def test_what_remembering_and_a_message_cost(lasting_world: World) -> None:
    """With BEGIN and COMMIT, and what the gates said. The first ones note that the key was used and
    the robot active."""
    here, api = lasting_world.here, lasting_world.here.api("aria")
    place = {"group": "launch", "external_id": "talk"}
    talk = api.post("/api/v1/conversations", place, format="json").json()["id"]
    mina = str(here.members["mina"].id)

    def one(n: int) -> Any:
        return api.post(MEMORIES, {"content": f"The launch {n} is on Friday."}, format="json")

    def message(n: int) -> Any:
        said = {"content": f"The launch {n} moves because of the weather.", "speaker": mina}
        return api.post(f"/api/v1/conversations/{talk}/messages", said, format="json")

    for call, statements in ((one, 14), (message, 30)):
        call(0)
        call(1)
        # A second may be over meanwhile, and the robot's activity be noted once more.
        assert min(queries(partial(call, n)) for n in (2, 3)) <= statements
