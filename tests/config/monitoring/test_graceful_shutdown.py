"""A web process that is told to end: what it says, and when its server ends."""

import json
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest
from django.test import RequestFactory

from config.monitoring import health
from config.monitoring.graceful_shutdown import Draining


class Server:
    """Stands for uvicorn's handler of the signal."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.numbers: list[int] = []

    def end(self, number: int, frame: FrameType | None) -> None:
        self.numbers.append(number)
        self.ended.set()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    before = signal.signal(signal.SIGTERM, found.end)
    yield found
    signal.signal(signal.SIGTERM, before)


def test_it_says_so_first_and_ends_later(server: Server) -> None:
    draining, told = Draining(), []
    draining.watch(0.2, lambda: told.append(draining.has_begun))
    assert not draining.has_begun
    signal.raise_signal(signal.SIGTERM)
    assert draining.has_begun
    assert told == [True], "connections are told when it has begun"
    assert server.numbers == []
    assert server.ended.wait(30)
    assert server.numbers == [signal.SIGTERM]


def test_a_second_signal_ends_the_wait(server: Server) -> None:
    draining = Draining()
    draining.watch(600, lambda: None)
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    assert server.numbers == [signal.SIGTERM]


def test_without_seconds_the_server_ends_at_once(server: Server) -> None:
    draining = Draining()
    draining.watch(0, lambda: None)
    signal.raise_signal(signal.SIGTERM)
    assert (draining.has_begun, server.numbers) == (False, [signal.SIGTERM])


def test_where_there_is_no_server_nothing_changes() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        Draining().watch(5, lambda: None)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_it_is_alive_and_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.draining, "has_begun", True)
    ready = health.readyz(RequestFactory().get("/readyz"))
    assert (ready.status_code, json.loads(ready.content)) == (503, {"status": "draining"})
    assert health.healthz(RequestFactory().get("/healthz")).status_code == 200
