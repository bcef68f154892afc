"""What goes away is told by the answers, the description and the page, from one list."""

import re
from datetime import date, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from django.test import Client

from orgs.api import deprecation
from orgs.api.deprecation import DEPRECATIONS, Deprecation
from tests.world import World

PAGE = Path(__file__).parents[2] / "docs" / "api-stability.md"
HEADERS = ("Deprecation", "Sunset", "Link")


def test_an_answer_says_that_a_parameter_goes_away(world: World) -> None:
    """Midnight of 27 November 2026 is 1795737600 seconds after 1970."""
    api = world.here.api("aria")
    old, new = (
        api.get("/api/v1/memories", {name: str(world.here.members["bob"].id)})
        for name in ("member", "about")
    )
    assert old["Deprecation"] == "@1795737600"
    assert old["Sunset"] == "Wed, 01 Dec 2027 00:00:00 GMT"
    assert old["Link"].endswith('/api/v1/docs>; rel="deprecation"')
    assert old.status_code == new.status_code == 200
    assert old.json() == new.json(), "it works until then"
    assert not any(name in new for name in HEADERS)


def test_a_refusal_says_it_too(world: World) -> None:
    answer = world.here.api("aria").get("/api/v1/memories", {"member": "nobody", "x": "y"})
    assert answer.status_code == 400
    assert "Deprecation" in answer


def test_a_whole_operation_and_the_one_that_ends_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    early, late = date(2028, 1, 1), date(2029, 1, 1)
    path = "/memories/{memory_id}"
    monkeypatch.setattr(
        deprecation,
        "DEPRECATIONS",
        tuple(Deprecation("GET", path, early, ends, "another") for ends in (late, early)),
    )
    deprecation.find_deprecations.cache_clear()
    api = world.here.api("aria")
    made = api.post("/api/v1/memories", {"content": "A zebra sleeps."}, format="json").json()
    answer = api.get(f"/api/v1/memories/{made['id']}")
    assert parsedate_to_datetime(answer["Sunset"]).date() == early
    assert "Deprecation" not in api.get(f"/api/v1/memories/{made['id']}/history")
    deprecation.find_deprecations.cache_clear()


def test_the_description_marks_exactly_what_goes_away(client: Client) -> None:
    described = client.get("/api/v1/schema", headers={"accept": "application/json"}).json()
    marked = {
        (method.upper(), path.removeprefix("/api/v1"), name)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        for name in [
            *([""] if operation.get("deprecated") else []),
            *(p["name"] for p in operation.get("parameters", ()) if p.get("deprecated")),
        ]
    }
    assert marked == {(one.method, one.path, one.parameter) for one in DEPRECATIONS}


def test_the_page_has_the_list_and_a_year_is_left() -> None:
    rows = re.findall(r"^\| (`.*) \| (\S+) \| (\S+) \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == [
        (
            f"`{one.parameter}` in `{one.method} {one.path}`",
            str(one.since),
            str(one.sunset),
            one.instead,
        )
        for one in DEPRECATIONS
    ]
    assert all(one.sunset - one.since >= timedelta(days=365) for one in DEPRECATIONS)
