"""The outermost ASGI callable: /mcp by the SDK, everything else by the site.

It is outermost because the SDK's session manager runs until the process ends, and a server tells
its outermost application alone when it starts and stops. The SDK is loaded with the first call of
MCP.
"""

import asyncio
import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings

from config.mcp.rest_calls import (
    CALLER_SCOPE_KEY,
    Message,
    Receive,
    RestAnswer,
    RestCaller,
    Send,
)
from config.monitoring.request_log import log_request, request_scope
from config.threaded_asgi import ThreadedHandler
from config.transport.answers import Answer, send_answer
from config.transport.refusals import Refused, render_refusal
from config.transport.request_bodies import ClientLeft, stated_length, too_large
from orgs.limits.rate_limits import is_known_key, key_digest
from orgs.trace_spans import current_trace, read_asgi_headers
from robots.access.keys import RESOURCE_SCOPE_KEY
from robots.oauth.server_metadata import mcp_resource, render_challenge

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

log = logging.getLogger("commonmind.web")
PATHS = ("/mcp", "/mcp/")
# It holds the longest text of a memory; the event loop parses it.
MAX_BODY_BYTES = 4 * 1024 * 1024
# Of the REST answer that is sent in place of an MCP answer.
_REFUSAL_HEADERS = ("content-type", "www-authenticate", "retry-after", "ratelimit", "x-request-id")
_PRIVATE = [(b"Cache-Control", b"no-store"), (b"X-Content-Type-Options", b"nosniff")]


class McpApplication:
    """Answers /mcp; site: answers everything else, and the REST calls of the tools."""

    def __init__(self, site: ThreadedHandler) -> None:
        self.site = site
        self._is_wanted = asyncio.Event()
        self._manager: asyncio.Future[StreamableHTTPSessionManager]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._serve_lifespan(receive, send)
        elif scope["type"] == "http" and scope["path"] in PATHS:
            with request_scope(read_asgi_headers(scope["headers"])):
                await self._serve_mcp(scope, receive, send)
        else:
            await self.site(scope, receive, send)

    async def _serve_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self._manager = asyncio.get_running_loop().create_future()
        await send({"type": "lifespan.startup.complete"})
        ended = asyncio.ensure_future(receive())
        wanted = asyncio.ensure_future(self._is_wanted.wait())
        await asyncio.wait((ended, wanted), return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            await self._run_manager(ended)
        wanted.cancel()
        await ended
        await send({"type": "lifespan.shutdown.complete"})

    async def _run_manager(self, ended: "asyncio.Future[Message]") -> None:
        """Load the SDK and answer until the server ends."""
        try:
            manager = await asyncio.to_thread(_load_session_manager)
        except Exception as error:
            log.exception("MCP cannot be loaded")
            self._manager.set_exception(error)
            return
        async with manager.run():
            self._manager.set_result(manager)
            await ended

    async def _serve_mcp(self, scope: Message, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        scope = {**scope, RESOURCE_SCOPE_KEY: mcp_resource()}
        caller = RestCaller(self.site, scope)
        try:
            _check_method_and_origin(scope)
            messages = await self._answer(scope, receive, caller)
        except ClientLeft:
            return
        except Refused as refused:
            messages = render_refusal(scope, refused)
            if refused.status == 405:
                messages[0]["headers"].append((b"Allow", b"POST"))
        else:
            log_request(scope["method"], "mcp", messages[0]["status"], started)
        finally:
            caller.close()
        await send_answer(Answer(messages), receive, send, self.site.files)
        await caller.run_later()

    async def _answer(self, scope: Message, receive: Receive, caller: RestCaller) -> list[Message]:
        """The messages of the answer. Raises Refused and ClientLeft.

        Who calls is asked before the body is read, but for a key that was right lately: its call of
        a tool tells it anyway. No answer leaves before one REST call has let the key in.
        """
        authorization = dict(scope["headers"]).get(b"authorization", b"").decode("latin1")
        if not is_known_key(key_digest(authorization)):
            await caller.recognise()
            if caller.refusal is not None:
                return _refuse(caller.refusal, authorization)
        if stated_length(scope) > MAX_BODY_BYTES:
            raise too_large(MAX_BODY_BYTES)
        body = await self._read_body(scope, receive)
        caller.watch_client(receive)
        messages = await self._ask_server({**scope, CALLER_SCOPE_KEY: caller}, body, caller)
        await caller.recognise()
        if caller.refusal is not None:
            return _refuse(caller.refusal, authorization)
        start = messages[0]
        own = [(b"X-Request-ID", current_trace().request_id.encode()), *_PRIVATE]
        return [{**start, "headers": [*start["headers"], *own]}, *messages[1:]]

    async def _read_body(self, scope: Message, receive: Receive) -> bytes:
        _, file, close = await self.site.read_body(scope, receive)
        try:
            body = file.read(MAX_BODY_BYTES + 1)
        finally:
            close()
        if len(body) > MAX_BODY_BYTES:
            raise too_large(MAX_BODY_BYTES)
        return body

    async def _ask_server(self, scope: Message, body: bytes, caller: RestCaller) -> list[Message]:
        incoming = [{"type": "http.request", "body": body}]
        messages: list[Message] = []

        async def receive() -> Message:
            return incoming.pop() if incoming else await caller.wait_until_client_leaves()

        async def send(message: Message) -> None:
            messages.append(message)

        self._is_wanted.set()
        # Of many that wait for it one may leave.
        manager = await asyncio.shield(self._manager)
        await manager.handle_request(scope, receive, send)
        if not messages:
            raise ClientLeft
        return messages


def _load_session_manager() -> "StreamableHTTPSessionManager":
    """The SDK takes half a second and 40 MB, which only a process pays that is asked for MCP."""
    from config.mcp.server import build_session_manager

    return build_session_manager(most_bytes=MAX_BODY_BYTES)


def _check_method_and_origin(scope: Message) -> None:
    """Raises Refused. A page of another site must not use what its reader can reach."""
    if scope["method"] != "POST":
        raise Refused(405, "method-not-allowed", "MCP takes POST here; no stream is kept open.")
    origins = [value for name, value in scope["headers"] if name == b"origin"]
    own = {_origin(settings.PUBLIC_URL), *settings.CSRF_TRUSTED_ORIGINS}
    if any(value.decode("latin1") not in own for value in origins):
        raise Refused(403, "forbidden", "This Origin may not call MCP here.")


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _refuse(answer: RestAnswer, authorization: str) -> list[Message]:
    """The REST answer in place of an MCP answer; one of 401 says where a token is got."""
    shown = {name: answer.headers[name] for name in _REFUSAL_HEADERS if name in answer.headers}
    if answer.status == 401:
        shown["www-authenticate"] = render_challenge(had_token=bool(authorization))
    headers = [(name.encode(), value.encode("latin1")) for name, value in shown.items()]
    length = (b"Content-Length", str(len(answer.body)).encode())
    return [
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [*headers, length, *_PRIVATE],
        },
        {"type": "http.response.body", "body": answer.body},
    ]
