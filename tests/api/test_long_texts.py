"""An answer holds so many bytes of texts; a list goes on with the next page, and loses nothing."""

from typing import Any

import pytest

from memories.curation.edit_memory import edit_memory
from memories.review.propose import propose_correction
from orgs.database.answer_size import fitting
from tests.world import NOW, World

LONG = 900
MOST = 2_500


@pytest.fixture(autouse=True)
def few_bytes(settings: Any) -> None:
    settings.ANSWER_TEXTS_MAX_BYTES = MOST


def text(number: int) -> str:
    return f"Release note {number} of the wharf. ".ljust(LONG, "x")


def pages(client: Any, url: str) -> list[list[dict[str, Any]]]:
    found = []
    while url:
        answer = client.get(url)
        assert answer.status_code == 200, answer.content
        found.append(answer.json()["results"])
        url = answer.json()["next"]
    return found


def test_what_fits_and_always_the_first() -> None:
    assert fitting([]) == 0
    assert fitting([MOST + 1, 1]) == 1
    assert fitting([MOST, 1]) == 1
    assert fitting([MOST - 1, 1, 1]) == 2
    assert fitting([1, 1]) == 2


def test_the_list_ends_its_page_and_goes_on(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    made = [here.remember(aria, text(n)).id for n in range(5)]
    made.append(here.remember(aria, text(5), sensitive=True).id)
    found = pages(here.api("aria"), "/api/v1/memories?limit=1000")
    assert [len(page) for page in found] == [2, 2, 2]
    assert [row["id"] for page in found for row in page] == [str(id_) for id_ in made[::-1]]


def test_a_history_goes_on(world: World) -> None:
    here = world.here
    ada = here.person("ada")
    made = here.remember(ada, text(0), visibility="private").id
    for number in range(1, 5):
        edit_memory(ada, made, {"content": text(number)}, now=NOW)
    found = pages(here.browser("ada"), f"/api/v1/memories/{made}/history?limit=200")
    assert [row["version"] for page in found for row in page] == [5, 4, 3, 2, 1]
    assert max(len(page) for page in found) == 3, "the present version and two former ones"


def test_the_queue_counts_the_texts_of_the_memories(world: World) -> None:
    here = world.here
    for number in range(4):
        made = here.remember(here.person("ada"), text(number), visibility="organisation").id
        propose_correction(here.person("bob"), made, content=text(number + 10), now=NOW)
    found = pages(here.browser("chidi"), "/api/v1/proposals?limit=200")
    assert [len(page) for page in found] == [1, 1, 1, 1], "two texts in each item"


@pytest.mark.parametrize("more", [{}, {"profile": "hive"}], ids=("straight", "usual"))
def test_a_recall_leaves_out_its_last_results(world: World, more: dict[str, str]) -> None:
    here = world.here
    for number in range(5):
        here.remember(here.robot("aria"), text(number))
    asked = {"query": "release note of the wharf", "strategy": "keyword", "limit": 50, **more}
    client = here.api("aria")
    answer = client.post("/api/v1/recall", asked, format="json").json()
    with_room = [row["id"] for row in answer["results"]]
    assert len(with_room) == 2
    one = client.post("/api/v1/recall", asked | {"limit": 2}, format="json").json()
    assert with_room == [row["id"] for row in one["results"]], "the best ones stay"


def test_a_timeline_keeps_the_newest(world: World) -> None:
    here = world.here
    made = [str(here.remember(here.robot("aria"), text(n)).id) for n in range(5)]
    here.read()
    answer = here.api("aria").get("/api/v1/timeline", {"topic": "wharf"}).json()
    assert [row["memory"] for row in answer["results"]] == made[-2:]
