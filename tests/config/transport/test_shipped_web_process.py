"""A web process with the limits as they are shipped (T30): each time is waited for."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.config.transport.web_process import (
    FILE_BYTES,
    WebProcess,
    change,
    drain,
    is_closed_within,
    locked,
    post,
    problem_of,
    read_answer,
    send_chunks,
    serving,
    wait_until,
)
from tests.world import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.conformance("T30"),
    pytest.mark.timeout(600),
]
RECALL = {"query": "When is the launch?"}
MB = 1024 * 1024


@pytest.fixture(scope="module")
def web(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with serving(tmp_path_factory.mktemp("shipped")) as found:
        yield found


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nX-Slow: a"])
def test_headers_have_fifteen_seconds(web: WebProcess, begun: bytes) -> None:
    with web.connect(begun) as connection:
        assert not is_closed_within(connection, 12)
        assert is_closed_within(connection, 15)


def test_headers_have_64_kilobytes(web: WebProcess) -> None:
    with web.connect(b"GET /healthz HTTP/1.1\r\nX-Long: " + b"a" * 60_000) as connection:
        connection.sendall(b"\r\nHost: 127.0.0.1\r\n\r\n")
        assert read_answer(connection)[0] == 200
    with web.connect(b"GET /healthz HTTP/1.1\r\nX-Long: " + b"a" * 66_000) as connection:
        assert read_answer(connection)[0] == 431


@pytest.mark.timed
def test_a_body_has_twenty_seconds(web: WebProcess) -> None:
    with web.connect(post("/api/v1/recall", Content_Length=10) + b"{") as connection:
        began = time.monotonic()
        status, _, _ = read_answer(connection)
        assert status == 408
        assert 18 < time.monotonic() - began < 40


def test_a_body_has_one_megabyte_without_a_key_and_sixty_four_with_one(
    web: WebProcess, lasting_world: World
) -> None:
    for key, most in (("", MB), (lasting_world.here.keys["aria"], 64 * MB)):
        asked = post("/api/v1/memories", key, Transfer_Encoding="chunked")
        with web.connect(asked) as connection:
            sent = send_chunks(connection, 100_000, 200 * MB)
            status, _, body = read_answer(connection)
            assert (status, problem_of(body)["status"]) == (413, 413)
            # What both kernels hold was sent and never read.
            assert most <= sent < most + 20 * MB


@pytest.mark.timed
def test_twenty_four_slow_readers_are_dropped_after_thirty_seconds(web: WebProcess) -> None:
    asked = b"GET /static/large.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as stack:
        readers = [stack.enter_context(web.connect(asked, window=4_096)) for _ in range(24)]
        began = time.monotonic()
        for reader in readers:
            assert reader.recv(15).startswith(b"HTTP/1.1 200")
        with web.client(timeout=15) as client:
            while time.monotonic() - began < 20:
                assert client.get("/healthz").status_code == 200
                assert client.get("/accounts/login/").status_code == 200
                time.sleep(0.5)
        assert web.connections() >= 24, "they have thirty seconds"
        wait_until(lambda: web.connections() < 24, 60)
        assert sum(drain(reader) for reader in readers) < 24 * FILE_BYTES / 2


@pytest.mark.timed
def test_a_call_has_thirty_seconds_and_leaves_half_of_sixteen_threads(
    web: WebProcess, lasting_world: World
) -> None:
    here, there = lasting_world.here, lasting_world.there
    key, other = here.keys["aria"], there.keys["aria"]
    memory = here.remember(here.robot("aria"), "The launch is on 3 March.", group="launch").id
    with web.client(key) as mine, web.client(other) as theirs, ExitStack() as stack:
        for client in (mine, theirs):
            assert client.post("/api/v1/recall", json=RECALL).status_code == 200
        stack.enter_context(locked(memory))
        began = time.monotonic()
        waiting = [stack.enter_context(web.connect(change(memory, key))) for _ in range(20)]
        wait_until(lambda: web.statements() == 8)
        while time.monotonic() - began < 20:
            assert theirs.post("/api/v1/recall", json=RECALL).status_code == 200
            assert web.statements() == 8
            time.sleep(0.5)
        answers = [read_answer(one) for one in waiting]
        assert 28 < time.monotonic() - began < 60
        for status, headers, body in answers:
            assert (status, problem_of(body)["type"]) == (503, "urn:commonmind:problem:out-of-time")
            assert headers["retry-after"] == "5"
    with web.client(key) as mine:
        found = mine.get(f"/api/v1/memories/{memory}").json()
    assert found["content"] == "The launch is on 3 March."
