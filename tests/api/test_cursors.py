"""Cursors: opaque, the asker's own, stable while others write (N04)."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from rest_framework.test import APIClient

from orgs.api import cursors
from orgs.models.base import new_id
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("N04")


def fill(here: Tenant, count: int) -> list[str]:
    """Ids of memories that everyone in the organisation reads, newest first."""
    who = here.robot("bolt")
    return [str(here.remember(who, f"Fact {n}.").id) for n in range(count)][::-1]


def get(client: APIClient, url: str) -> dict[str, Any]:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content
    return answer.json()


def cursor_of(page: dict[str, Any]) -> str:
    return parse_qs(urlsplit(page["next"]).query)["cursor"][0]


def test_pages_follow_each_other_to_the_end(world: World) -> None:
    ids = fill(world.here, 7)
    client, url, seen = world.here.api("aria"), "/api/v1/memories?limit=3", []
    while url:
        page = get(client, url)
        seen.append([row["id"] for row in page["results"]])
        url = page["next"]
    assert seen == [ids[:3], ids[3:6], ids[6:]]


def test_inserts_meanwhile_neither_repeat_nor_skip(world: World) -> None:
    ids = fill(world.here, 6)
    client = world.here.api("aria")
    first = get(client, "/api/v1/memories?limit=3")
    world.here.remember(world.here.robot("bolt"), "A newcomer.")
    second = get(client, first["next"])
    assert [row["id"] for row in first["results"] + second["results"]] == ids


def test_filters_stay_with_the_next_page(world: World) -> None:
    here = world.here
    for n in range(6):
        here.remember(here.robot("bolt"), f"Fact {n}.", tags=("even",) if n % 2 == 0 else ())
    client = here.api("aria")
    first = get(client, "/api/v1/memories?limit=2&tag=even")
    second = get(client, first["next"])
    assert [row["content"] for row in first["results"] + second["results"]] == [
        "Fact 4.",
        "Fact 2.",
        "Fact 0.",
    ]
    assert second["next"] is None


def test_a_cursor_is_opaque(world: World) -> None:
    ids = fill(world.here, 3)
    cursor = cursor_of(get(world.here.api("aria"), "/api/v1/memories?limit=2"))
    assert ids[1] not in cursor
    assert ids[1].replace("-", "") not in cursor


@pytest.mark.parametrize("other", ["bolt", "clio", "mina", "there"])
def test_nobody_else_can_use_it(world: World, other: str) -> None:
    here = world.here
    fill(here, 3)
    cursor = cursor_of(get(here.api("aria"), "/api/v1/memories?limit=2"))
    client = {
        "mina": lambda: here.browser("mina"),
        "there": lambda: world.there.api("aria"),
    }.get(other, lambda: here.api(other))()
    answer = client.get(f"/api/v1/memories?limit=2&cursor={cursor}")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "cursor", "detail": "Not a cursor of yours."}]


def test_a_changed_or_made_up_cursor_is_refused(world: World) -> None:
    here = world.here
    fill(here, 3)
    good = cursor_of(get(here.api("aria"), "/api/v1/memories?limit=2"))
    body, stamp, signature = good.split(":")
    forged = cursors.signing.dumps(new_id().hex, salt="cursor:", compress=False)
    for cursor in (
        good[:-1],
        good + "A",
        ":".join((body[::-1], stamp, signature)),
        ":".join((body, stamp, signature[::-1])),
        forged,
        new_id().hex,
        "x" * 2000,
    ):
        assert here.api("aria").get(f"/api/v1/memories?cursor={cursor}").status_code == 400


@pytest.mark.parametrize(
    "path", ["memories", "robots", "groups", "members", "groups/design/members"]
)
def test_every_list_pages_the_same_way(world: World, path: str) -> None:
    here = world.here
    fill(here, 3)
    client = here.browser("mina") if path != "groups/design/members" else here.api("aria")
    whole = [row["id"] for row in get(client, f"/api/v1/{path}")["results"]]
    seen, url = [], f"/api/v1/{path}?limit=1"
    while url:
        page = get(client, url)
        assert set(page) == {"results", "next"}
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
    assert seen == whole
    assert whole
