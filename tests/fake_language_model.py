"""A language model for tests: a server on this machine that speaks the chat API."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any

Question = dict[str, Any]


class FakeModel:
    """answer: what it says to a question, an object or raw text. asked: the questions so far.

    hangs: it says nothing until the event is set. usage: the tokens that it claims. cut: the pieces
    in which it streams a text, if it is asked for a stream; None for a server that knows none.
    """

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.answer: Callable[[Question], Any] = lambda question: {}
        self.hangs: threading.Event | None = None
        self.usage: Any = None
        self.cut: Callable[[str], Iterable[str]] | None = _cut_anywhere


def _cut_anywhere(text: str) -> list[str]:
    return [text[at : at + 9] for at in range(0, len(text), 9)]


@contextmanager
def fake_model(settings: Any) -> Iterator[FakeModel]:
    """Such a server, and the settings that lead to it."""
    found = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            question = json.loads(body["messages"][1]["content"])
            found.asked.append(question)
            if found.hangs:
                found.hangs.wait(20)
            said = found.answer(question)
            content = said if isinstance(said, str) else json.dumps(said)
            if body.get("stream") and found.cut:
                self.stream(found.cut(content))
                return
            usage = {} if found.usage is None else {"usage": found.usage}
            told = json.dumps({"choices": [{"message": {"content": content}}], **usage})
            try:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(told.encode())
            except OSError:
                pass

        def stream(self, pieces: Iterable[str]) -> None:
            try:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream; charset=utf-8")
                self.end_headers()
                for delta in chain(
                    [{"role": "assistant"}], ({"content": piece} for piece in pieces)
                ):
                    self.tell({"choices": [{"delta": delta}]})
                if found.usage is not None:
                    self.tell({"choices": [], "usage": found.usage})
                self.wfile.write(b": a comment\r\n\r\ndata: [DONE]\r\n\r\n")
            except OSError:
                pass

        def tell(self, event: Any) -> None:
            self.wfile.write(f"data: {json.dumps(event)}\r\n\r\n".encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        settings.LLM_URL = f"http://127.0.0.1:{server.server_port}/v1"
        settings.LLM_MODEL, settings.LLM_KEY, settings.LLM_TIMEOUT = "small", "", 5
        yield found
        if found.hangs:
            found.hangs.set()
        server.shutdown()
        thread.join()
