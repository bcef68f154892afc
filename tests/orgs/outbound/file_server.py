"""A server of one file on this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.local_http import QuietHandler, http_server


@dataclass
class FileServer:
    """etag, modified: of the file, told and answered to. endless: the file never ends. seconds:
    before the answer. asked: the headers of each request, in lower case."""

    port: int = 0
    body: bytes = b""
    status: int = 200
    etag: str = ""
    modified: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    endless: bool = False
    seconds: float = 0.0
    asked: list[dict[str, str]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mine.ics?secret=canary-address"


@contextmanager
def serving() -> Iterator[FileServer]:
    """A server with an empty file."""
    found = FileServer()

    class Handler(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
            asked = {name.lower(): value for name, value in self.headers.items()}
            found.asked.append(asked)
            found.stopped.wait(found.seconds)
            same = (found.etag and asked.get("if-none-match") == found.etag) or (
                found.modified and asked.get("if-modified-since") == found.modified
            )
            self.send_response(304 if same else found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            for name, value in (("ETag", found.etag), ("Last-Modified", found.modified)):
                if value:
                    self.send_header(name, value)
            self.end_headers()
            if not same:
                self.wfile.write(found.body)
            while found.endless and not found.stopped.is_set():
                self.wfile.write(bytes(65_536))

    with http_server(Handler, found.stopped) as found.port:
        yield found
