"""Snapshots over HTTP: pages that are snapshots, and a restore with a result a line."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from tests.world import Tenant, World

URL = "/api/v1/snapshots"


def read(client: APIClient, url: str = URL, **query: Any) -> dict[str, Any]:
    answer = client.get(url, query)
    assert answer.status_code == 200, answer.json()
    body: dict[str, Any] = answer.json()
    return body


def give(client: APIClient, snapshot: Any, mode: str = "replace") -> Any:
    return client.post(URL, {"snapshot": snapshot, "mode": mode}, format="json")


@pytest.mark.conformance("G33")
@pytest.mark.parametrize(
    ("mode", "importance", "result", "content"),
    [
        ("replace", 0.9, "replaced", "The code is 7."),
        ("keep", 0.1, "kept", "The code is 8."),
        ("merge", 0.1, "replaced", "The code is 7."),
        ("merge", 0.9, "kept", "The code is 8."),
    ],
)
def test_a_page_goes_back_as_it_came(
    here: Tenant, mode: str, importance: float, result: str, content: str
) -> None:
    mina = here.browser("mina")
    made = here.remember(here.person("mina"), "The code is 7.", visibility="private")
    page = read(mina)
    changed = {"content": "The code is 8.", "importance": importance}
    mina.patch(f"/api/v1/memories/{made.id}", changed, format="json")
    answer = give(mina, page["snapshot"], mode)
    assert answer.status_code == 200
    assert answer.json() == {
        "results": [{"index": 0, "result": result, "memory": str(made.id)}],
        "counts": {result: 1},
    }
    assert read(mina)["snapshot"]["memories"][0]["content"] == content


def test_pages_follow_each_other_and_a_cursor_is_for_its_asker(here: Tenant) -> None:
    for number in range(3):
        here.remember(here.robot("bolt"), f"{number}.")
    bolt = here.api("bolt")
    first = read(bolt, limit=2)
    assert [line["content"] for line in first["snapshot"]["memories"]] == ["0.", "1."]
    assert first["snapshot"]["head"]["asker"] == {
        "member": None,
        "robot": str(here.robots["bolt"].id),
    }
    last = read(bolt, first["next"])
    assert [line["content"] for line in last["snapshot"]["memories"]] == ["2."]
    assert last["next"] is None
    assert here.api("aria").get(first["next"]).status_code == 400
    for bad in ({"limit": 1001}, {"limit": 0}, {"tier": "warm"}, {"since": "soon"}, {"x": 1}):
        assert bolt.get(URL, bad).status_code == 400, bad


def test_a_robot_reads_and_restores_what_its_key_reads(here: Tenant) -> None:
    here.remember(here.person("mina"), "Hers alone.", visibility="private")
    here.remember(here.robot("clio"), "In design.", visibility="group", group="design")
    page = read(here.api("clio"))["snapshot"]
    assert [line["content"] for line in page["memories"]] == ["In design."]
    assert read(here.api("bolt"))["snapshot"]["memories"] == []
    assert give(here.api("clio"), page).json()["counts"] == {"replaced": 1}
    (refused,) = give(here.api("bolt"), page).json()["results"]
    assert refused["result"] == "refused", "it does not know the group"
    here.add_robot("reader", scopes=("read",))
    assert give(here.api("reader"), page).status_code == 403


def test_without_a_key_there_is_nothing(here: Tenant) -> None:
    assert APIClient().get(URL).status_code == 401
    assert APIClient().post(URL, {}, format="json").status_code == 401
    here.remember(here.person("ada"), "For all.", visibility="organisation")
    page = read(here.browser("vera"))["snapshot"]
    assert give(here.browser("vera"), page).status_code == 403


def test_a_snapshot_of_another_organisation_changes_nothing(world: World) -> None:
    world.there.remember(world.there.person("ada"), "Theirs.", visibility="organisation")
    page = read(world.there.browser("ada"))["snapshot"]
    answer = give(world.here.browser("ada"), page)
    assert (answer.status_code, answer.json()["type"]) == (
        409,
        "urn:commonmind:problem:other-organisation",
    )
    assert "another organisation" in answer.json()["detail"]
    assert read(world.here.browser("ada"))["snapshot"]["memories"] == []


def test_a_snapshot_that_is_none_is_refused_as_a_whole(here: Tenant) -> None:
    here.remember(here.person("mina"), "Mine.", visibility="private")
    mina = here.browser("mina")
    good = read(mina)["snapshot"]
    head, lines = good["head"], good["memories"]
    for bad in (
        None,
        [],
        {"head": head},
        {"head": head, "memories": []},
        {"head": head, "memories": lines * 1001},
        {"head": None, "memories": lines},
        {"head": {}, "memories": lines},
        {"head": head | {"format": "zip"}, "memories": lines},
        {"head": head | {"version": 2}, "memories": lines},
        {"head": head | {"version": True}, "memories": lines},
        {"head": head | {"organisation": "here"}, "memories": lines},
        {"head": head | {"more": 1}, "memories": lines},
    ):
        assert give(mina, bad).status_code == 400, bad
    assert give(mina, good, "best").status_code == 400
    assert read(mina)["snapshot"]["memories"] == lines


def test_each_line_says_what_is_wrong_with_it(here: Tenant) -> None:
    here.remember(here.person("mina"), "Mine.", visibility="private")
    mina = here.browser("mina")
    page = read(mina)["snapshot"]
    line = page["memories"][0]
    lines = [line | {"importance": 7}, line | {"author": str(uuid4())}, line, line]
    found = give(mina, page | {"memories": lines}).json()["results"]
    assert [one["result"] for one in found] == ["refused", "refused", "replaced", "refused"]
    assert found[0]["problem"]["errors"][0]["field"] == "importance"
    assert found[1]["problem"]["errors"][0]["field"] == "author"
    assert found[3]["problem"]["type"].endswith("bad-snapshot")


def test_a_restore_looks_at_all_lines_at_once(
    here: Tenant, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        here.remember(here.person("mina"), f"{number}.", visibility="private")
    mina = here.browser("mina")
    page = read(mina)["snapshot"]
    with django_assert_max_num_queries(30):
        assert give(mina, page, "keep").json()["counts"] == {"kept": 20}
