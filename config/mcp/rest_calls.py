"""Calls of the REST API within this process, through the same ASGI callable as from outside.

So a tool has the authentication, limits, validation, problems, idempotency and audit entries of
the REST call that it makes, and no rules of its own (docs/adr/0045-mcp.md).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import orjson

from config.transport.request_bodies import ClientLeft
from orgs.limits.after_answer import LATER_SCOPE_KEY
from orgs.trace_spans import current_trace

# Where the scope of a request of MCP has its RestCaller.
CALLER_SCOPE_KEY = "commonmind.rest_caller"

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApplication = Callable[[Message, Receive, Send], Awaitable[None]]

API_PREFIX = "/api/v1/"
# Answers that are no matter of the tool: who calls is unknown, or the database is away.
_TRANSPORT_STATUSES = frozenset({401, 503})
# The code of the answer to a key that opens nothing from where it is presented.
_REFUSING_CODES = ("key-address", "suspended")
# What a REST call gets of the headers of the MCP request. No cookie: a browser's session opens no
# tool, so no other page can use it.
_FORWARDED_HEADERS = frozenset({
    b"authorization", b"host", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host",
    b"x-real-ip", b"user-agent", b"idempotency-key",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class RestCall:
    """A call of the REST API. path: below /api/v1/. query: encoded. content: JSON, or None."""

    method: str
    path: str
    query: str = ""
    content: bytes | None = None


class UnencodableError(Exception):
    """A value that JSON or an address cannot carry, such as half a character."""


def build_call(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> RestCall:
    """A call with these values. Raises UnencodableError."""
    texts = {
        name: value if isinstance(value, str) else orjson_text(value)
        for name, value in (query or {}).items()
    }
    try:
        content = None if body is None else orjson.dumps(body)
        return RestCall(method, path, urlencode(texts), content)
    except (TypeError, ValueError) as error:
        raise UnencodableError from error


def orjson_text(value: Any) -> str:
    """A value as JSON. Raises UnencodableError."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError) as error:
        raise UnencodableError from error


@dataclass(frozen=True)
class RestAnswer:
    """What the REST API answered. headers: in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def data(self) -> Any:
        """The JSON of the body; an empty object without a body."""
        return orjson.loads(self.body) if self.body else {}

    @property
    def code(self) -> str:
        """The last part of the type of a problem; empty for an answer that is none."""
        kind = self.data.get("type", "") if isinstance(self.data, dict) else ""
        return str(kind).rpartition(":")[2]


class RestCaller:
    """Makes the REST calls of one MCP request, with its key and for its client.

    refusal: the answer that the whole request gets in place of its own, as soon as a call was
    answered so: 401, 403 for a key that opens nothing from there or now, or 503 while the database
    is away. is_recognised: whether a call was let in, or refused by a limit of its key.
    """

    def __init__(self, site: ASGIApplication, scope: Message) -> None:
        self.refusal: RestAnswer | None = None
        self.is_recognised = False
        self._site, self._scope = site, scope
        self._headers = [pair for pair in scope["headers"] if pair[0] in _FORWARDED_HEADERS]
        trace = current_trace()
        named = {b"x-request-id": trace.request_id, b"traceparent": trace.traceparent}
        self._headers += [(name, value.encode()) for name, value in named.items() if value]
        self._left: asyncio.Task[None] | None = None
        self._later: list[Callable[[], Awaitable[None]]] = []

    async def run_later(self) -> None:
        """What the calls left for when the answer has been sent."""
        for work in self._later:
            await work()

    async def recognise(self) -> None:
        """Ask who calls, unless a call has told already. Afterwards `refusal` may be set."""
        if not self.is_recognised and self.refusal is None:
            answer = await self.call(RestCall("GET", "me"))
            if answer.status == 429:
                self.refusal = answer

    async def call(self, call: RestCall) -> RestAnswer:
        """The answer to a call. Raises ClientLeft."""
        incoming = [{"type": "http.request", "body": call.content or b""}]
        sent: list[Message] = []

        async def receive() -> Message:
            return incoming.pop() if incoming else await self.wait_until_client_leaves()

        async def send(message: Message) -> None:
            sent.append(message)

        await self._site(self._inner_scope(call), receive, send)
        if not sent:
            raise ClientLeft
        headers = {k.decode("latin1").lower(): v.decode("latin1") for k, v in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent[1:])
        answer = RestAnswer(sent[0]["status"], headers, content)
        if answer.status in _TRANSPORT_STATUSES or answer.code in _REFUSING_CODES:
            self.refusal = answer
        else:
            self.is_recognised = True
        return answer

    def watch_client(self, receive: Receive) -> None:
        """From now on calls end when the client leaves. receive: of a request that is read."""

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        self._left = asyncio.ensure_future(leave())

    async def wait_until_client_leaves(self) -> Message:
        """The message that the client has left, when it has."""
        if self._left is None:
            await asyncio.Event().wait()
        else:
            await asyncio.wait({self._left})
        return {"type": "http.disconnect"}

    def close(self) -> None:
        """Watch the client no longer."""
        if self._left is not None:
            self._left.cancel()

    def _inner_scope(self, call: RestCall) -> Message:
        own = [(b"accept", b"application/json")]
        if call.content is not None:
            own += [(b"content-type", b"application/json")]
            own += [(b"content-length", str(len(call.content)).encode())]
        path = API_PREFIX + call.path
        return {
            **self._scope,
            LATER_SCOPE_KEY: self._later,
            "method": call.method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": call.query.encode(),
            "headers": [*self._headers, *own],
        }
