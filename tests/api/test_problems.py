"""Every error is a problem that an agent can act on (N02)."""

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import override_settings
from rest_framework.test import APIClient

from tests.world import World

pytestmark = pytest.mark.conformance("N02")
TYPE = "urn:commonmind:problem:"
ABSENT = "01990000-0000-7000-8000-000000000000"


def check(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The members of RFC 9457 with ours, under their media type."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = json.loads(answer.content)
    members = {"type", "title", "status", "detail", "errors", "request_id"}
    assert set(body) - ({"existing"} if status == 409 else set()) == members
    assert (body["type"], body["status"]) == (TYPE + code, status)
    assert body["request_id"] == answer["X-Request-ID"]
    assert len(body["request_id"]) == 32
    assert body["title"]
    assert len(body["detail"]) > 10, "a hint in words"
    assert "Traceback" not in body["detail"]
    return body


CASES = [
    ("post", "memories", b"{", 400, "bad-json"),
    ("post", "memories", b'{"content": "\\ud800"}', 400, "bad-json"),
    ("post", "memories", b"[" * 100_000, 400, "bad-json"),
    ("post", "memories", b'{"content": NaN}', 400, "bad-json"),
    ("post", "memories", b"[]", 400, "invalid"),
    ("post", "memories", {"content": ""}, 400, "invalid"),
    ("post", "memories", {"content": "x\x00"}, 400, "invalid"),
    ("post", "memories", {"content": "x" * 1_000_001}, 400, "invalid"),
    ("post", "memories", {"content": 7}, 400, "invalid"),
    ("post", "memories", {"content": "x", "colour": "red"}, 400, "invalid"),
    ("post", "memories", {"content": "x", "visibility": "all"}, 400, "misplaced"),
    ("post", "memories", {"content": "x", "robot": "another"}, 403, "identity-claim"),
    ("post", "memories", {"content": "x", "group": "absent"}, 404, "not-found"),
    ("post", "memories", {"content": "x", "member": "absent:x"}, 404, "not-found"),
    ("post", "recall", {"query": "x" * 100_000}, 400, "invalid"),
    ("post", "recall", {"query": "x", "limit": 1001}, 400, "invalid"),
    ("post", "recall", {"query": "x", "limit": True}, 400, "invalid"),
    ("get", "memories?limit=1001", None, 400, "invalid"),
    ("get", "memories?cursor=made-up", None, 400, "invalid"),
    ("get", "memories?q=%00", None, 400, "invalid"),
    ("get", f"memories/{ABSENT}", None, 404, "not-found"),
    ("get", "memories/%00", None, 404, "not-found"),
    ("get", "robots/%00", None, 404, "not-found"),
    ("get", "groups/a%00b", None, 404, "not-found"),
    ("get", "groups/%ff/members", None, 404, "not-found"),
    ("get", "members/a:%00", None, 404, "not-found"),
    ("get", "robots/" + "x" * 5000, None, 404, "not-found"),
    ("get", "nowhere", None, 404, "not-found"),
    ("delete", "recall", None, 405, "method-not-allowed"),
    ("post", "groups", {"external_id": "x"}, 403, "missing-scope"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "code"), CASES)
def test_each_error_class(
    world: World, method: str, path: str, body: Any, status: int, code: str
) -> None:
    client = world.here.api("aria")
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.generic(method.upper(), f"/api/v1/{path}", sent, "application/json")
    problem = check(answer, status, code)
    if code == "invalid":
        assert problem["errors"], "which field, and what is wrong with it"
        assert all(set(error) == {"field", "detail"} for error in problem["errors"])
    if status == 404:
        assert problem["detail"] == "There is nothing here that you may see."
        assert ABSENT not in json.dumps(problem)


def test_a_key_that_names_another_text(world: World) -> None:
    client = world.here.api("aria")
    for content, status in (("one", 201), ("one", 201), ("two", 409)):
        answer = client.post("/api/v1/memories", {"content": content, "key": "k"}, format="json")
        assert answer.status_code == status
    check(answer, 409, "key-taken")


@pytest.mark.parametrize("key", ["", "cmk_x", "Bearer", "cmk_" + "0" * 32 + "_a_b", "\x00", "é"])
def test_nobody_is_told_so_and_how_to_become_somebody(world: World, key: str) -> None:
    answer = APIClient().get("/api/v1/memories", HTTP_AUTHORIZATION=f"Bearer {key}")
    assert "key" in check(answer, 401, "unauthenticated")["detail"]
    assert answer["WWW-Authenticate"] == "Bearer"


def test_another_media_type(world: World) -> None:
    answer = world.here.api("aria").post("/api/v1/memories", "content=x", content_type="text/plain")
    check(answer, 415, "unsupported-media-type")


@override_settings(REQUEST_BODY_MAX_BYTES=100)
def test_a_body_that_is_too_large(world: World) -> None:
    answer = world.here.api("aria").post("/api/v1/memories", {"content": "x" * 200}, format="json")
    check(answer, 413, "body-too-large")


def test_what_is_not_the_askers_to_change(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "The office closes at six.").id
    check(here.api("bolt").delete(f"/api/v1/memories/{kept}"), 403, "not-yours")


def test_a_session_without_the_csrf_token(world: World) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(world.here.members["mina"].user)
    answer = client.post("/api/v1/memories", {"content": "x"}, format="json")
    check(answer, 403, "forbidden")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationalError("server closed the connection: SELECT 'secret'"), 503, "unavailable"),
        (RuntimeError("secret"), 500, "error"),
    ],
)
def test_what_goes_wrong_here_tells_nothing_of_the_inside(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr("memories.api.statistics.get_statistics", fail)
    answer = world.here.api("aria").get("/api/v1/stats")
    assert "secret" not in json.dumps(check(answer, status, code))
