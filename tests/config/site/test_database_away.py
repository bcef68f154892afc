"""Where a middleware cannot ask the database, the answer is the same as everywhere: 503, again."""

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError

from tests.world import World

PLANTED = "server closed the connection: SELECT 'secret'"


@pytest.mark.parametrize("path", ["/api/v1/stats", "/mem0/v1/ping/", "/"])
def test_a_session_that_cannot_be_looked_up(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    browser = world.here.browser("mina")
    browser.raise_request_exception = False

    def away(*_: Any) -> Any:
        raise OperationalError(PLANTED)

    monkeypatch.setattr(SessionStore, "load", away)
    answer = browser.get(path)
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "secret" not in answer.content.decode()
    if path.startswith("/api/"):
        assert answer["Content-Type"].startswith("application/problem+json")
        assert answer.json()["type"].endswith(":unavailable")


def test_another_error_of_a_middleware_is_none_of_the_database(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = world.here.browser("mina")
    browser.raise_request_exception = False

    def wrong(*_: Any) -> Any:
        raise RuntimeError(PLANTED)

    monkeypatch.setattr(SessionStore, "load", wrong)
    answer = browser.get("/api/v1/stats")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (500, "error")
