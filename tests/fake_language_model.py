"""A language model for tests: a server on this machine that speaks the chat API."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Question = dict[str, Any]


class FakeModel:
    """answer: what it says to a question, an object or raw text. asked: the questions so far.

    hangs: it says nothing until the event is set. usage: the tokens that it claims.
    """

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.answer: Callable[[Question], Any] = lambda question: {}
        self.hangs: threading.Event | None = None
        self.usage: Any = None


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
            usage = {} if found.usage is None else {"usage": found.usage}
            told = json.dumps({"choices": [{"message": {"content": content}}], **usage})
            try:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(told.encode())
            except OSError:
                pass

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
