"""Calls that go the straight way, from inside a test."""

import io
import json
from typing import Any

from config.fast_path import RECALL_PATH, FastPath
from config.threaded_asgi import ThreadedHandler

Answer = tuple[int, dict[str, str], Any]


def recall_asgi_scope(key: str, body: bytes, **more: bytes) -> dict[str, Any]:
    """A recall as the server hands it over."""
    headers = {
        b"host": b"testserver",
        b"content-type": b"application/json",
        b"authorization": f"Bearer {key}".encode(),
        b"content-length": str(len(body)).encode(),
    } | {name.replace("_", "-").encode(): value for name, value in more.items()}
    return {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": "POST",
        "path": RECALL_PATH,
        "query_string": b"",
        "headers": list(headers.items()),
    }


class FastPathSite:
    """The web process's handler, in this thread; straight=False knows the usual way alone.

    address: that of the connection from which the calls come; None for an unknown one.
    """

    def __init__(self, *, straight: bool = True) -> None:
        self.address: str | None = None
        self.handler = ThreadedHandler(1)
        self.way: FastPath = self.handler.straight
        self.went: list[bool] = []
        answer = self.way.answer

        def noted(scope: Any, body: Any) -> Any:
            found = answer(scope, body) if straight else None
            self.went.append(found is not None)
            return found

        self.way.answer = noted  # type: ignore[method-assign]

    def post(self, key: str, body: dict[str, Any] | bytes, **headers: bytes) -> Answer:
        """(status, headers, JSON) of a recall."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        scope = recall_asgi_scope(key, sent, **headers)
        if self.address is not None:
            scope["client"] = (self.address, 40_000)
        start, content = self.handler._answer(
            scope, io.BytesIO(sent), lambda message: None
        ).messages
        told = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        assert int(told.get("content-length", len(content["body"]))) == len(content["body"])
        return start["status"], told, json.loads(content["body"])
