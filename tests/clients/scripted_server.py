"""A server that answers as it is told, one answer after the other."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from commonmind import Client

KEY = "cmk_scripted"
Step = httpx.Response | Exception


def answer(status: int = 200, body: Any = None, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={} if body is None else body, headers=named)


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    body = {
        "type": f"urn:commonmind:problem:{code}",
        "title": "A title",
        "status": status,
        "detail": "What went wrong.",
        "errors": [{"field": "query", "detail": "Too long."}],
        "request_id": "r-1",
    }
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = json.dumps(body).encode()
    return httpx.Response(
        status, content=content, headers={"content-type": "application/problem+json", **named}
    )


class ScriptedServer:
    """Its last step is repeated. requests: what was sent, in order."""

    def __init__(self, *steps: Step | Callable[[httpx.Request], httpx.Response]) -> None:
        self.steps = list(steps)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, Exception):
            raise step
        return step(request) if callable(step) else step

    @property
    def keys(self) -> list[str | None]:
        """The idempotency key of each request."""
        return [one.headers.get("idempotency-key") for one in self.requests]

    def client(self, url: str = "http://localhost", **options: Any) -> Client:
        return Client(url, KEY, transport=httpx.MockTransport(self), **options)
