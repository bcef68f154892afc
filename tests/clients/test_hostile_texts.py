"""Texts of others are no orders to a terminal, however a server answers (N11)."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.clients.command_shell import OK, USAGE, Shell, lines
from tests.clients.terminal import read_terminal

pytestmark = pytest.mark.conformance("N11")
HOSTILE = "\x1b]0;owned\x07 \x1b[2J\x9b31m \u202egnp\u202c \r\b\x7f \U000e0041 [red]no markup[/red]"


HOSTILE_HEADER = "soon \x9b31m"
NAMED = {"id": "x", "name": HOSTILE}
HIT = {
    "id": "m", "score": 0.5, "content": f"A trap: {HOSTILE}", "speaker": HOSTILE, "robot": NAMED,
    "occurred_at": None, "created_at": HOSTILE, "audience": {"kind": "group", "label": HOSTILE},
    "timestamp": HOSTILE, "memory": "m", "count": 1, "name": HOSTILE, "weight": 0.1, "memories": 1,
    "last_at": HOSTILE, "purpose": HOSTILE, "last_active_at": HOSTILE, "kind": HOSTILE,
    "state": HOSTILE, "done": 0, "total": 0, "reason": HOSTILE,
}  # fmt: skip
EVERYTHING = {
    "results": [HIT], "next": None, "answered": HOSTILE, "text": HOSTILE, "scopes": [HOSTILE],
    "groups": [{"external_id": HOSTILE, "name": HOSTILE}], "organisation": NAMED, "kind": HOSTILE,
    "name": HOSTILE, "id": HOSTILE, "status": HOSTILE, "deduplicated": False, "remember_count": 1,
    "audience": {"label": HOSTILE}, "embedding_pending": HOSTILE,
    "snapshot": {"head": {"format": HOSTILE}, "memories": [HIT]},
}  # fmt: skip
REFUSAL = {"type": HOSTILE, "detail": HOSTILE, "errors": [{"field": HOSTILE, "detail": HOSTILE}]}
UNSAFE = ("\x1b", "\x07", "\x9b", "\u202e", "\x7f", "\x08", "\U000e0041", "\r")


class HostileHandler(BaseHTTPRequestHandler):
    """Answers every call with all that it may answer, in words that are orders to a terminal."""

    status, body = 200, EVERYTHING

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        content = json.dumps(self.body).encode()
        self.send_response(self.status)
        self.send_header("content-type", "application/json")
        self.send_header("deprecation", "@1")
        self.send_header("sunset", HOSTILE_HEADER)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _answer  # noqa: N815

    def log_message(self, *args: object) -> None:
        """Nothing."""


@contextmanager
def hostile_site(status: int, body: Any) -> Iterator[str]:
    handler = type("Handler", (HostileHandler,), {"status": status, "body": body})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


ASKING = (
    ("remember", "x"), ("recall", "x"), ("context", "x"), ("said", "x"), ("timeline", "x"),
    ("experts", "x"), ("export",), ("jobs",), ("me",), ("robots",), ("doctor",),
)  # fmt: skip


@pytest.mark.parametrize("words", ASKING, ids=" ".join)
def test_no_text_of_others_reaches_the_terminal_as_an_order(
    stranger: Shell, words: tuple[str, ...]
) -> None:
    stranger.environment["COMMONMIND_KEY"] = "cmk_x"
    for status, body in ((200, EVERYTHING), (400, REFUSAL)):
        with hostile_site(status, body) as url:
            for more in ((), ("--json",)):
                done = stranger(*words, *more, COMMONMIND_URL=url)
                text = (done.stdout + done.stderr).decode()
                assert [one for one in UNSAFE if one in text] == [], text
                assert "Traceback" not in text
                assert text
                if status == 200 and more and words[0] not in ("export", "doctor"):
                    assert done.returncode == OK
                    assert any(HOSTILE in one for one in strings(json.loads(done.stdout)))


def strings(value: Any) -> Iterator[str]:
    """All texts of a value."""
    if isinstance(value, str):
        yield value
    for one in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from strings(one)


def test_brackets_in_a_text_are_no_markup_and_a_wrong_option_is_no_order(stranger: Shell) -> None:
    stranger.environment["COMMONMIND_KEY"] = "cmk_x"
    with hostile_site(200, EVERYTHING) as url:
        told = stranger("recall", "trap", COMMONMIND_URL=url)
    assert b"[red]no markup[/red]" in told.stdout
    wrong = stranger("recall", "x", "--no\x1b[31m")
    assert wrong.returncode == USAGE
    assert b"\x1b" not in wrong.stderr


def test_a_terminal_gets_a_table_with_colours_and_no_order_of_others(stranger: Shell) -> None:
    with hostile_site(200, EVERYTHING) as url:
        stranger.environment |= {"COMMONMIND_URL": url, "COMMONMIND_KEY": "k"}
        stranger.environment |= {"TERM": "xterm-256color", "COLUMNS": "200"}
        shown = read_terminal(
            lambda end: stranger.start("recall", "trap", stdout=end, stderr=end, stdin=end)
        )
        as_json = read_terminal(
            lambda end: stranger.start(
                "timeline", "x", "--json", stdout=end, stderr=subprocess.DEVNULL
            )
        )
    assert b"\x1b[1m" in shown, "the head of the table is bold"
    assert b"score" in shown
    for order in ("\x1b]0;", "\x1b[2J", "\u202e", "\x9b", "\x07"):
        assert order.encode() not in shown
    assert b"\\x1b]0;owned" in shown
    assert b"\x1b" not in as_json


def test_progress_is_on_the_terminal_and_gone_at_the_end(stranger: Shell, tmp_path: Path) -> None:
    given = tmp_path / "lines.jsonl"
    given.write_bytes(lines(*({"content": f"Line {n}."} for n in range(50))))
    answers = {"results": [{"index": 0, "status": "active", "id": "m"}]}
    with hostile_site(200, answers) as url:
        stranger.environment |= {"COMMONMIND_URL": url, "COMMONMIND_KEY": "k", "TERM": "xterm"}
        words = ("import", str(given), "--portion", "1")
        printed = tmp_path / "printed"
        with printed.open("wb") as output:
            shown = read_terminal(lambda end: stranger.start(*words, stdout=output, stderr=end))
    assert b"Import" in shown
    assert printed.read_bytes() == b"50 active\n"
