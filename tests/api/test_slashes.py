"""References with slashes and other signs have an address: %2F stays apart from a slash."""

import json
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from rest_framework.test import APIClient

from orgs.api.converters import ESCAPED_SLASH, preserve_escaped_slashes
from orgs.names.lookalikes import has_invisible_character
from tests.world import World

ODD = ["a/b", "/", "a//b/", "a%2Fb", "team/members", "a b", "a?b#c", "ä/ß", "100%", "a+b", "a\\b"]


def ask(client: APIClient, method: str, address: str, body: Any = None) -> tuple[int, Any]:
    """(status, answer) of a call to an address as it is written."""
    raw, _, query = address.partition("?")
    scope = {"path": unquote(raw), "raw_path": raw.encode("ascii")}
    preserve_escaped_slashes(scope)
    content = "" if body is None else json.dumps(body)
    path = quote(scope["path"]) + ("?" + query if query else "")
    answer = client.generic(method, path, content, "application/json")
    return answer.status_code, answer.json()


@pytest.fixture
def dora(world: World) -> APIClient:
    world.here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    return world.here.api("dora")


@pytest.mark.conformance("X10")
def test_whatever_has_an_external_id_is_read_and_changed_under_it(dora: APIClient) -> None:
    for number, name in enumerate(ODD):
        path = quote(name, safe="")
        made = ask(dora, "POST", "/api/v1/groups", {"external_id": name, "name": f"Room {number}"})
        assert made[0] == 201, made
        status, group = ask(dora, "GET", f"/api/v1/groups/{path}")
        assert (status, group["external_id"]) == (200, name)
        status, group = ask(dora, "PATCH", f"/api/v1/groups/{path}", {"name": f"Hall {number}"})
        assert (status, group["name"]) == (200, f"Hall {number}")
        assert ask(dora, "GET", f"/api/v1/groups/{path}/members")[0] == 200
        status, found = ask(dora, "GET", f"/api/v1/groups?external_id={path}")
        assert [one["id"] for one in found["results"]] == [group["id"]]
        robot = {"id": name, "name": f"Number {number}"}
        assert ask(dora, "POST", "/api/v1/robots", robot)[0] == 201
        status, robot = ask(dora, "PATCH", f"/api/v1/robots/{path}", {"purpose": "Reads."})
        assert (status, robot["id"], robot["purpose"]) == (200, name, "Reads.")
        identity = f"chat:{name}"
        path = quote(identity, safe="")
        person = {"name": f"Person {number}", "identity": identity}
        assert ask(dora, "POST", "/api/v1/members", person)[0] == 201
        seats = f"/api/v1/groups/{group['id']}/members"
        assert ask(dora, "POST", seats, {"add": [identity]})[0] == 200
        status, member = ask(dora, "GET", f"/api/v1/members/{path}")
        assert (status, member["name"]) == (200, f"Person {number}")
        status, found = ask(dora, "GET", f"/api/v1/members?identity={path}")
        assert [one["id"] for one in found["results"]] == [member["id"]]


def test_the_next_page_has_the_address_as_it_was_written(world: World, dora: APIClient) -> None:
    here = world.here
    people = [str(here.members[name].id) for name in ("mina", "bob")]
    body = {"external_id": "a/b", "members": people}
    assert ask(dora, "POST", "/api/v1/groups", body)[0] == 201
    status, page = ask(dora, "GET", "/api/v1/groups/a%2fb/members?limit=1")
    assert (status, len(page["results"])) == (200, 1)
    following = urlsplit(page["next"])
    assert following.path == "/api/v1/groups/a%2Fb/members"
    status, rest = ask(dora, "GET", f"{following.path}?{following.query}")
    assert {page["results"][0]["id"], rest["results"][0]["id"]} == set(people)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/api/v1/groups/a%2Fb", f"/api/v1/groups/a{ESCAPED_SLASH}b"),
        (
            "/api/v1/groups/%2f%25%2F/members",
            f"/api/v1/groups/{ESCAPED_SLASH}%{ESCAPED_SLASH}/members",
        ),
        ("/api/v1/groups/a%252Fb", "/api/v1/groups/a%2Fb"),
        ("/api/v1/groups/a/b", "/api/v1/groups/a/b"),
        ("/people%2Fgroups/", "/people/groups/"),
        ("/api%2Fv1/groups", "/api/v1/groups"),
    ],
)
def test_only_a_written_slash_of_the_api_stays_apart(raw: str, path: str) -> None:
    scope = {"path": unquote(raw), "raw_path": raw.encode()}
    preserve_escaped_slashes(scope)
    assert scope["path"] == path
    assert has_invisible_character(f"a{ESCAPED_SLASH}b"), "or it could be part of a name"
