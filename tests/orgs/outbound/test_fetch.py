"""Files from addresses that somebody else named: bounded, and never from a private network."""

import gzip
from typing import Any

import pytest

from orgs.outbound import fetch
from orgs.outbound.fetch import FetchResult, fetch_file
from tests.event_loop import in_own_thread
from tests.orgs.outbound.file_server import FileServer, serving
from tests.orgs.outbound.test_post import PUBLIC, Names, connected

__all__ = ["connected"]
MOST = 1_000


def get(server: FileServer, *addresses: tuple[str, ...], **options: Any) -> FetchResult:
    names = Names(*(addresses or ((PUBLIC,),)))
    url = f"http://calendar.example:{server.port}/mine.ics"
    return in_own_thread(fetch_file, url, most=MOST, resolve=names, **options)


def test_a_file_comes_whole_and_not_again_if_it_is_the_same(connected: list[str]) -> None:
    with serving() as server:
        server.body, server.etag, server.modified = b"x" * MOST, '"1"', "Sat, 28 Nov 2026"
        first = get(server)
        assert first == FetchResult(b"x" * MOST, "", '"1"', "Sat, 28 Nov 2026")
        assert "if-none-match" not in server.asked[0]
        again = get(server, etag=first.etag, modified=first.modified)
        assert (again.body, again.error) == (None, "")
        assert server.asked[1]["if-none-match"] == '"1"'
        assert server.asked[1]["if-modified-since"] == "Sat, 28 Nov 2026"
        assert connected == [PUBLIC, PUBLIC]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1"])
def test_a_private_address_is_not_connected_to(connected: list[str], address: str) -> None:
    with serving() as server:
        # Also if the name leads there only the second time.
        get(server)
        names = Names((PUBLIC,), (address,))
        url = f"http://calendar.example:{server.port}/"
        for wanted in ("", "unreachable"):
            found = in_own_thread(fetch_file, url, most=MOST, resolve=names)
            assert found.error == wanted
        assert len(server.asked) == len(connected) == 2


def test_a_redirect_is_not_followed(connected: list[str]) -> None:
    with serving() as server:
        server.status, server.headers = 302, {"Location": "http://169.254.169.254/latest"}
        assert get(server) == FetchResult(None, "redirect")
        assert len(connected) == 1


@pytest.mark.parametrize("status", [204, 206, 404, 500])
def test_another_status_is_no_file(connected: list[str], status: int) -> None:
    with serving() as server:
        server.status = status
        assert get(server) == FetchResult(None, "refused")


def test_too_many_bytes_are_not_read(connected: list[str]) -> None:
    with serving() as server:
        server.endless = True
        assert get(server) == FetchResult(None, "too-large")
        server.endless, server.body = False, b"x" * (MOST + 1)
        assert get(server) == FetchResult(None, "too-large")


def test_a_server_that_hangs_is_left(connected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "SECONDS", 0.2)
    with serving() as server:
        server.seconds = 60
        assert get(server) == FetchResult(None, "timeout")


def test_what_is_compressed_is_not_unpacked(connected: list[str]) -> None:
    with serving() as server:
        server.body, server.headers = gzip.compress(bytes(10)), {"Content-Encoding": "gzip"}
        assert get(server) == FetchResult(None, "encoded")
        assert server.asked[0]["accept-encoding"] == "identity"
