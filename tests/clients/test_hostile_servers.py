"""Servers that are none, answers that are none, and where the key must not go."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from commonmind import (
    AsyncClient,
    Client,
    CommonmindError,
    ConfigurationError,
    InsecureAddressWarning,
    InvalidError,
    NotFoundError,
    RefusedError,
    ServerError,
    UnavailableError,
    UnexpectedAnswerError,
)

from tests.clients.scripted_server import KEY, ScriptedServer, answer, problem
from tests.event_loop import run_coroutine

pytestmark = pytest.mark.conformance("N11")
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "given",
    [
        httpx.Response(200, html="<h1>Welcome to nginx</h1>"),
        httpx.Response(404, html="<h1>Not found</h1>"),
        httpx.Response(200, text="hello"),
        httpx.Response(200, content=b'{"a":', headers=JSON),
        httpx.Response(200, content=b"\xff\xfe\x00", headers=JSON),
        httpx.Response(200, content=b"[" * 100_000, headers=JSON),
        httpx.Response(200, content=b"1" * 10_000, headers=JSON),
        httpx.Response(403, json=["a list"]),
        httpx.Response(101),
    ],
)
def test_what_is_no_answer_of_commonmind_is_said_to_be_none(given: httpx.Response) -> None:
    server = ScriptedServer(given)
    with pytest.raises(UnexpectedAnswerError) as caught:
        server.client(retries=0).me()
    assert caught.value.status == given.status_code
    assert "<h1>" not in str(caught.value)


@pytest.mark.parametrize(
    "where",
    ["https://evil.example/api/v1/me", "//evil.example/", "http://localhost/api/v1/me/", ""],
)
def test_no_redirect_is_followed(where: str) -> None:
    server = ScriptedServer(httpx.Response(307, headers={"location": where}))
    with pytest.raises(UnexpectedAnswerError, match="redirects"):
        server.client().remember("A secret.")
    assert [one.url.host for one in server.requests] == ["localhost"]


def test_the_next_page_is_asked_of_the_same_server() -> None:
    """A proxy may make the server believe in another host, and a bad server name any."""
    pages = [
        answer(200, {"results": [1, 2], "next": "http://evil.example/api/v1/x?cursor=abc&limit=2"}),
        answer(200, {"results": [3], "next": None}),
    ]
    server = ScriptedServer(*pages)
    assert list(server.client().rows("teams", page_size=2)) == [1, 2, 3]
    assert [str(one.url) for one in server.requests] == [
        "http://localhost/api/v1/teams?limit=2",
        "http://localhost/api/v1/teams?limit=2&cursor=abc",
    ]


@pytest.mark.parametrize("after", ["http://localhost/x", "http://localhost/x?cursor=same", "?"])
def test_a_list_that_does_not_go_on_ends(after: str) -> None:
    server = ScriptedServer(answer(200, {"results": [1], "next": after}))
    with pytest.raises(UnexpectedAnswerError):
        list(server.client().rows("teams"))
    assert len(server.requests) <= 2


def test_a_problem_is_in_its_error() -> None:
    server = ScriptedServer(problem(400, "invalid"))
    with pytest.raises(InvalidError) as caught:
        server.client().recall("x" * 30_000)
    error = caught.value
    assert (error.status, error.code, error.request_id) == (400, "invalid", "r-1")
    assert error.detail == "What went wrong."
    assert error.errors == [{"field": "query", "detail": "Too long."}]
    assert error.problem["title"] == "A title"
    assert isinstance(error, RefusedError)
    assert isinstance(error, CommonmindError)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({}, 404, NotFoundError),
        ({"type": None, "detail": 5, "errors": "x"}, 500, ServerError),
        ({"detail": "From another framework."}, 418, RefusedError),
    ],
)
def test_a_problem_that_lacks_its_members_is_an_error_all_the_same(
    body: Any, status: int, kind: type[RefusedError]
) -> None:
    with pytest.raises(kind) as caught:
        ScriptedServer(answer(status, body)).client().me()
    assert type(caught.value) is kind
    assert caught.value.errors == []
    assert str(caught.value)


@pytest.mark.parametrize("key", [" k ", "k\n", "\r\n\tk\r\n", "\ufeffk", "\u00a0k"])
def test_blanks_and_line_ends_around_a_key_are_taken_off(key: str) -> None:
    server = ScriptedServer(answer())
    Client("http://localhost", key, transport=httpx.MockTransport(server)).me()
    assert server.requests[0].headers["authorization"] == "Bearer k"


@pytest.mark.parametrize("key", ["a b", "a\nX-Other: 1", "clé", "k\x00", " ", "k" * 501])
def test_what_is_no_key_is_never_sent(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client("http://localhost", key)
    assert key.strip() == "" or key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "ftp://x", "http://", "http://user:secret@localhost", "http://a b/",
     "http://localhost/?x=1", "http://localhost/#x", "http://[::1", "http://localhost:99999",
     "javascript:alert(1)"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client(url, KEY)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "used"),
    [
        (" http://LOCALHOST:8000/ ", "http://localhost:8000"),
        ("https://memory.example/api/v1/", "https://memory.example"),
        ("https://memory.example/api", "https://memory.example"),
        ("https://memory.example/shared//", "https://memory.example/shared"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_is_brought_into_one_form(url: str, used: str) -> None:
    server = ScriptedServer(answer())
    client = Client(url, KEY, transport=httpx.MockTransport(server))
    client.me()
    assert str(server.requests[0].url) == f"{used}/api/v1/me"


@pytest.mark.parametrize(
    "url", ["http://memory.example", "http://10.0.0.1:8000", "http://xlocalhost"]
)
def test_plain_http_to_another_machine_is_warned_of(url: str) -> None:
    with pytest.warns(InsecureAddressWarning, match="plain"):
        Client(url, KEY)


@pytest.mark.parametrize("url", ["http://127.0.0.2:1", "http://a.localhost", "https://x.example"])
def test_no_warning_for_this_machine_and_for_https(url: str) -> None:
    Client(url, KEY)  # a warning would be an error


def test_what_goes_to_this_machine_in_plain_goes_to_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with listening(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n") as (port, received):
        assert Client(f"http://127.0.0.1:{port}", KEY, retries=0).me() is None
    assert b"GET /api/v1/me" in received[0]


@contextmanager
def listening(
    given: bytes, then: Callable[[socket.socket], None] = socket.socket.close
) -> Iterator[tuple[int, list[bytes]]]:
    """A server that answers whatever comes with these bytes, and then does something."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    received.append(connection.recv(65_536))
                    try:
                        connection.sendall(given)
                        then(connection)
                    except OSError:
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], received
        server.shutdown(socket.SHUT_RDWR)


def test_a_server_that_is_away_is_said_to_be_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(UnavailableError, match=f"127.0.0.1:{port} cannot be reached"):
        Client(f"http://127.0.0.1:{port}", KEY, retries=0).me()


def test_a_server_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(b"", lambda _: time.sleep(3)) as (port, _):
        before = time.monotonic()
        with pytest.raises(UnavailableError, match="did not answer in time"):
            Client(f"http://127.0.0.1:{port}", KEY, timeout=0.2, retries=0).me()
        assert time.monotonic() - before < 2


def drip(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"1\r\nx\r\n")
        time.sleep(0.05)


CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"


def test_an_answer_that_drips_has_an_end() -> None:
    """Each byte comes in time, and all of them would take for ever."""
    with listening(CHUNKED, drip) as (port, _):
        before = time.monotonic()
        with pytest.raises(UnavailableError, match="did not arrive in time"):
            Client(f"http://127.0.0.1:{port}", KEY, timeout=0.3, retries=0).me()
        assert time.monotonic() - before < 3


def test_an_answer_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonmind.client.MAX_ANSWER_BYTES", 1_000)
    body = b'"' + b"x" * 2_000 + b'"'
    server = ScriptedServer(lambda _: httpx.Response(200, content=body, headers=JSON))
    with pytest.raises(UnavailableError, match="does not end"):
        server.client().me()
    assert len(server.requests) == 1

    async def act() -> None:
        transport = httpx.MockTransport(server)
        async with AsyncClient("http://localhost", KEY, transport=transport) as client:
            await client.me()

    with pytest.raises(UnavailableError, match="does not end"):
        run_coroutine(act())


def test_half_an_answer_is_none() -> None:
    with (
        listening(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{}"
        ) as (port, _),
        pytest.raises(UnavailableError),
    ):
        Client(f"http://127.0.0.1:{port}", KEY, retries=0).me()


def test_the_key_is_in_no_text_of_the_client() -> None:
    client = ScriptedServer(answer()).client()
    for shown in (repr(client), repr(client.target), str(vars(client)), repr(client.settings)):
        assert KEY not in shown
