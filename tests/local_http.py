"""HTTP servers on this machine, for what the product calls."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class QuietHandler(BaseHTTPRequestHandler):
    """Says nothing, also of callers that went away."""

    def log_message(self, *_: Any) -> None:
        pass

    def handle(self) -> None:
        with suppress(OSError):
            super().handle()


@contextmanager
def http_server(handler: type[QuietHandler], stopped: threading.Event) -> Iterator[int]:
    """The port of a running server. stopped: set at the end, for answers that wait."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
