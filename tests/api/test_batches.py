"""Up to 1,000 memories a call, each with a status of its own (N06)."""

import pytest

from tests.world import World

pytestmark = pytest.mark.conformance("N06")
URL = "/api/v1/memories/batch"


def test_a_thousand_go_in_and_one_more_does_not(world: World) -> None:
    here = world.here
    items = [{"content": f"Fact number {n}."} for n in range(1001)]
    client = here.api("aria")
    refused = client.post(URL, {"items": items}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "items"
    assert here.readable(here.robot("aria")) == set(), "nothing of a refused call goes in"

    results = client.post(URL, {"items": items[:1000]}, format="json").json()["results"]
    assert [r["index"] for r in results] == list(range(1000))
    assert {r["status"] for r in results} == {"active"}
    assert {r["id"] for r in results} == {str(i) for i in here.readable(here.robot("aria"))}


def test_each_item_has_its_own_status_and_takes_no_other_with_it(world: World) -> None:
    here = world.here
    items: list[object] = [
        {"content": "Good."},
        {"content": ""},
        "not an object",
        {"content": "Elsewhere.", "group": "absent"},
        {"content": "Somebody else's.", "robot": "bolt"},
        {"content": "Keyed.", "key": "k"},
        {"content": "Another text under it.", "key": "k"},
        {"content": "Good."},
        {"content": "x", "colour": "red"},
    ]
    answer = here.api("aria").post(URL, {"items": items}, format="json")
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [r["index"] for r in results] == list(range(9))
    codes = [r.get("problem", {}).get("type", "").rpartition(":")[2] for r in results]
    assert codes == [
        "",
        "invalid",
        "invalid",
        "not-found",
        "identity-claim",
        "",
        "key-taken",
        "",
        "invalid",
    ]
    assert results[7]["id"] == results[0]["id"], "said twice is one memory"
    for result in results:
        taken = result["status"] == "active"
        assert taken == ("id" in result)
        assert taken == ("problem" not in result)
        if not taken:
            assert result["status"] == "refused"
            assert result["problem"]["request_id"] == answer["X-Request-ID"]
    assert len(here.readable(here.robot("aria"))) == 2


@pytest.mark.parametrize("body", [{}, {"items": []}, {"items": {}}, {"items": [], "x": 1}, []])
def test_a_body_that_is_no_batch(world: World, body: object) -> None:
    answer = world.here.api("aria").post(URL, body, format="json")
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
