"""Nobody stalls anybody: a real web process with small limits, and callers that send, read and ask
too slowly, too much or too long (T30)."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.conf import settings
from django.test import override_settings

from tests.config.transport.web_process import (
    FILE_BYTES,
    WebProcess,
    change,
    chunk,
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
    pytest.mark.conformance("T30"),
    pytest.mark.timeout(300),
]
# Long enough for an ordinary call on a busy machine.
REQUEST_SECONDS = 8
UNKNOWN, KNOWN, ROOM = 100_000, 300_000, 1_000_000
# Long bodies are those of long memories.
LONGEST_MEMORY = 1_000_000
RECALL = {"query": "When is the launch?"}


@pytest.fixture(scope="module")
def web(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with serving(
        tmp_path_factory.mktemp("web"),
        WEB_THREADS=4,
        REQUEST_SECONDS=REQUEST_SECONDS,
        HEADER_SECONDS=1.5,
        HEADER_MAX_BYTES=20_000,
        BODY_SECONDS=1.5,
        BODY_BYTES_PER_SECOND=1_000_000,
        SEND_SECONDS=2,
        UNKNOWN_BODY_MAX_BYTES=UNKNOWN,
        REQUEST_BODY_MAX_BYTES=KNOWN,
        BODIES_MAX_BYTES=ROOM,
        MEMORY_MAX_BYTES=LONGEST_MEMORY,
    ) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nX-Slow: a",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /heal",
    ],
    ids=["nothing", "part of a header", "one whole", "and a line", "and part of another"],
)
def test_headers_that_never_end_are_not_waited_for(web: WebProcess, begun: bytes) -> None:
    with web.connect(begun) as connection:
        if b"\r\n\r\n" in begun:
            assert read_answer(connection)[0] == 200
        assert is_closed_within(connection, 30)


@pytest.mark.slow
def test_headers_that_come_drop_by_drop_are_not_waited_for(web: WebProcess) -> None:
    with web.connect(b"GET /healthz HTTP/1.1\r\nX-Slow: ") as connection:
        connection.settimeout(0.2)
        ended = time.monotonic() + 30
        while time.monotonic() < ended:
            try:
                connection.sendall(b"a")
                if connection.recv(100) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
        pytest.fail("the server waits for the end of the header")


def test_headers_without_end_are_refused(web: WebProcess) -> None:
    with web.connect(b"GET /healthz HTTP/1.1\r\nX-Long: ") as connection:
        try:
            for _ in range(2_000):
                connection.sendall(b"a" * 1_000)
        except ConnectionError:
            return
        assert read_answer(connection)[0] == 431


@pytest.mark.slow
def test_a_body_that_stops_coming_is_not_waited_for(web: WebProcess) -> None:
    for headers in ({"Content-Length": 10}, {"Transfer-Encoding": "chunked"}):
        with web.connect(post("/api/v1/recall", **headers)) as connection:
            status, told, body = read_answer(connection)
            assert (status, problem_of(body)["type"]) == (408, "urn:commonmind:problem:timeout")
            assert told["x-request-id"] == problem_of(body)["request_id"]
            if "Content-Length" in headers:
                assert is_closed_within(connection, 30), "nor what comes behind the answer"


def test_a_body_without_end_is_refused_without_a_key(web: WebProcess) -> None:
    wrong = "cmk_" + "0" * 32 + "_abc_wrong"
    for key in ("", wrong):
        with web.connect(post("/api/v1/memories", key, Transfer_Encoding="chunked")) as connection:
            sent = send_chunks(connection, 10_000, 50_000_000)
            status, _, body = read_answer(connection)
            assert (status, problem_of(body)["type"]) == (
                413,
                "urn:commonmind:problem:body-too-large",
            )
            assert UNKNOWN <= sent < 20_000_000


def test_a_body_without_end_is_refused_with_a_key(web: WebProcess, lasting_world: World) -> None:
    key = lasting_world.here.keys["aria"]
    with web.connect(post("/api/v1/memories", key, Transfer_Encoding="chunked")) as connection:
        sent = send_chunks(connection, 10_000, 50_000_000)
        assert read_answer(connection)[0] == 413
        assert KNOWN <= sent < 20_000_000


def test_a_stated_length_is_refused_before_the_body_comes(
    web: WebProcess, lasting_world: World
) -> None:
    here = lasting_world.here
    for key, most in (("", UNKNOWN), (here.keys["aria"], KNOWN)):
        asked = post("/api/v1/memories", key, Content_Length=most + 1, Expect="100-continue")
        with web.connect(asked) as connection:
            assert read_answer(connection)[0] == 413


def test_a_long_body_is_taken_with_a_key_or_a_session(
    web: WebProcess, lasting_world: World
) -> None:
    here = lasting_world.here
    text = "A long note. " + "word " * 30_000
    body = json.dumps({"content": text, "visibility": "internal"})
    assert UNKNOWN < len(body) < KNOWN
    headers = {"Content-Type": "application/json"}
    with web.client(here.keys["aria"]) as robot:
        # In chunks it names no length; it is as good a body.
        for content in (body, iter([body[:1_000].encode(), body[1_000:].encode()])):
            made = robot.post("/api/v1/memories", content=content, headers=headers)
            assert made.status_code == 201
            found = robot.get(f"/api/v1/memories/{made.json()['id']}").json()
            assert found["content"] == text
        short = json.dumps(RECALL).encode()
        asked = robot.post("/api/v1/recall", content=iter([short]), headers=headers)
        assert asked.status_code == 200
    browser = here.browser("bob")
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME].value
    with web.client(Cookie=f"{settings.SESSION_COOKIE_NAME}={cookie}") as person:
        assert person.post("/api/v1/memories", content=body, headers=headers).status_code == 403
    with web.client(Cookie=f"{settings.SESSION_COOKIE_NAME}=nobody") as stranger:
        assert stranger.post("/api/v1/memories", content=body, headers=headers).status_code == 413


def test_all_bodies_together_are_bounded(web: WebProcess, lasting_world: World) -> None:
    """A quarter of the room is for callers without a key, and half of it for one organisation."""
    here, there = lasting_world.here, lasting_world.there
    part = b"x" * 90_000
    with web.client(here.keys["aria"]) as robot:
        assert robot.post("/api/v1/recall", json=RECALL).status_code == 200, "a known key"
    for key, most in (("", ROOM // 4), (here.keys["aria"], ROOM // 2)):
        with ExitStack() as stack:
            asked = post("/api/v1/memories", key, Transfer_Encoding="chunked") + chunk(90_000)
            waiting = [
                stack.enter_context(web.connect(asked)) for _ in range(most // len(part) + 1)
            ]
            answers = [read_answer(one) for one in waiting]
        statuses = sorted(status for status, _, _ in answers)
        assert statuses == [408] * (most // len(part)) + [503]
        told = next(headers for status, headers, _ in answers if status == 503)
        assert int(told["retry-after"]) > 0
    with web.client(there.keys["aria"]) as other:
        long = json.dumps({"content": "word " * 20_000})
        headers = {"Content-Type": "application/json"}
        assert other.post("/api/v1/memories", content=long, headers=headers).status_code == 201


def ask_for_large_file(web: WebProcess) -> socket.socket:
    asked = b"GET /static/large.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    return web.connect(asked, window=4_096)


def test_slow_readers_of_a_file_hold_nobody_up(web: WebProcess) -> None:
    with ExitStack() as stack:
        readers = [stack.enter_context(ask_for_large_file(web)) for _ in range(24)]
        for reader in readers:
            assert reader.recv(15).startswith(b"HTTP/1.1 200")
        with web.client(timeout=10) as client:
            assert client.get("/healthz").status_code == 200
            assert client.get("/accounts/login/").status_code == 200
        for reader in readers[:3]:
            # What the two kernels hold comes; the rest was dropped.
            time.sleep(0 if reader is not readers[0] else 4)
            assert drain(reader) < FILE_BYTES


def test_a_steady_reader_gets_the_whole_file(web: WebProcess) -> None:
    with web.client() as client:
        found = client.get("/static/large.txt")
        part = client.get("/static/large.txt", headers={"Range": "bytes=16000000-16000014"})
    assert (found.status_code, len(found.content)) == (200, FILE_BYTES)
    assert (part.status_code, part.content) == (206, b"0123456789abcde")


@override_settings(MEMORY_MAX_BYTES=LONGEST_MEMORY)
def test_slow_readers_of_an_answer_hold_nobody_up(web: WebProcess, lasting_world: World) -> None:
    here = lasting_world.here
    for number in range(6):
        here.remember(here.person("bob"), f"Note {number}. " + "word " * 190_000)
    key = here.keys["aria"]
    asked = f"GET /api/v1/memories?limit=6 HTTP/1.1\r\nAuthorization: Bearer {key}\r\n"
    with ExitStack() as stack:
        for _ in range(12):
            reader = web.connect(f"{asked}Host: 127.0.0.1\r\n\r\n".encode(), window=4_096)
            stack.enter_context(reader)
            assert reader.recv(15).startswith(b"HTTP/1.1 200")
        with web.client(key, timeout=10) as client:
            assert client.get("/healthz").status_code == 200
            assert client.get("/accounts/login/").status_code == 200
            assert client.post("/api/v1/recall", json=RECALL).status_code == 200


@pytest.mark.timed(REQUEST_SECONDS - 2)
def test_what_a_client_left_is_stopped(web: WebProcess, lasting_world: World) -> None:
    here = lasting_world.here
    memory = here.remember(here.robot("aria"), "The launch is on 3 March.", group="launch").id
    with locked(memory):
        with web.connect(change(memory, here.keys["aria"])):
            wait_until(lambda: web.statements() == 1)
        wait_until(lambda: web.statements() == 0)
    with web.client(here.keys["aria"]) as client:
        found = client.get(f"/api/v1/memories/{memory}").json()
    assert found["content"] == "The launch is on 3 March."


@pytest.mark.slow
def test_what_takes_too_long_is_stopped_and_undone(web: WebProcess, lasting_world: World) -> None:
    here = lasting_world.here
    memory = here.remember(here.robot("aria"), "The launch is on 3 March.", group="launch").id
    with web.client(here.keys["aria"]) as client:
        with locked(memory):
            answer = client.patch(f"/api/v1/memories/{memory}", json={"content": "On 4 March."})
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:commonmind:problem:out-of-time"
        assert int(answer.headers["retry-after"]) > 0
        assert web.statements() == 0
        found = client.get(f"/api/v1/memories/{memory}").json()
        assert found["content"] == "The launch is on 3 March."
        again = client.patch(f"/api/v1/memories/{memory}", json={"content": "On 4 March."})
        assert again.status_code == 200, "the connection serves the next call"


def test_one_organisation_leaves_half_of_the_threads_to_others(
    web: WebProcess, lasting_world: World
) -> None:
    """Its calls wait for the database, all at once; others are answered meanwhile."""
    here, there = lasting_world.here, lasting_world.there
    key, other = here.keys["aria"], there.keys["aria"]
    memory = here.remember(here.robot("aria"), "The launch is on 3 March.", group="launch").id
    with web.client(key) as mine, web.client(other) as theirs:
        for client in (mine, theirs):
            assert client.post("/api/v1/recall", json=RECALL).status_code == 200
        with ExitStack() as stack:
            stack.enter_context(locked(memory))
            blocked = [stack.enter_context(web.connect(change(memory, key))) for _ in range(12)]
            wait_until(lambda: web.statements() == 2)
            assert theirs.post("/api/v1/recall", json=RECALL).status_code == 200
            assert theirs.get("/accounts/login/").status_code == 200
            assert web.statements() == 2, "all that while they waited, and no more of them"
        for one in blocked:
            one.close()
        assert mine.post("/api/v1/recall", json=RECALL).status_code == 200


@pytest.mark.slow
def test_monitoring_answers_while_every_thread_is_taken(
    web: WebProcess, lasting_world: World
) -> None:
    here, there = lasting_world.here, lasting_world.there
    with ExitStack() as stack:
        for tenant in (here, there):
            memory = tenant.remember(tenant.robot("aria"), "The launch.", group="launch").id
            key = tenant.keys["aria"]
            with web.client(key) as client:
                assert client.post("/api/v1/recall", json=RECALL).status_code == 200
            stack.enter_context(locked(memory))
            for _ in range(4):
                stack.enter_context(web.connect(change(memory, key)))
        wait_until(lambda: web.statements() == 4)
        with web.client() as client:
            assert client.get("/healthz").status_code == 200
            assert web.statements() >= 2, "meanwhile"
            assert client.get("/readyz").status_code == 200
            assert client.get("/metrics").status_code == 200
