"""A proxy that shows a key: a suite that sends none reaches a server that wants one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What belongs to one connection alone.
_OF_THE_CONNECTION = {"connection", "content-length", "transfer-encoding", "keep-alive"}


@contextmanager
def forwarding(port: int, key: str, *, to: int) -> Iterator[None]:
    """Listen at `port` as long as the block runs, and hand each request on to the port `to`, with
    the key and all other headers as they came."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            connection = HTTPConnection("127.0.0.1", to, timeout=60)
            connection.putrequest(
                self.command, self.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in self.headers.items():
                if name.lower() != "authorization":
                    connection.putheader(name, value)
            connection.putheader("Authorization", f"Bearer {key}")
            connection.endheaders(body)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _OF_THE_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST = do_DELETE = do_OPTIONS = _forward  # noqa: N815

        def log_message(self, *args: object) -> None:
            """The requests are not part of the report."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
