"""ASGI for a site with synchronous views: one thread runs a request from the first middleware to
the end of the response.

Django's own handler changes threads for every middleware and makes a new thread for every
request; that cost more than the rest of a short request (docs/adr/0003-asgi.md). Asynchronous
parts, such as long-lived streams, need an ASGI application of their own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from io import BytesIO
from typing import IO, Any

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config.straight_way import StraightWay

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]


class ThreadedHandler(ASGIHandler):
    """Answers HTTP in `threads` threads; more requests than these wait for their turn."""

    def __init__(self, threads: int) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self.straight = StraightWay()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is answered here, not {scope['type']}")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        loop = asyncio.get_running_loop()

        def push(message: Message) -> None:
            asyncio.run_coroutine_threadsafe(send(message), loop).result()

        run = copy_context().run
        for message in await loop.run_in_executor(
            self.threads, run, self._answer, scope, body, push
        ):
            await send(message)

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """The body; one that came in one piece needs no temporary file."""
        first = await receive()
        if first["type"] == "http.request" and not first.get("more_body", False):
            return BytesIO(first.get("body", b""))
        pending = [first]

        async def again() -> Message:
            return pending.pop() if pending else await receive()

        body: IO[bytes] = await super().read_body(again)
        return body

    def _answer(
        self, scope: Message, body: IO[bytes], push: Callable[[Message], None]
    ) -> Iterable[Message]:
        """The messages of a response; none if it was streamed in parts by `push`."""
        if (straight := self.straight.answer(scope, body)) is not None:
            return straight
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refused = self.create_request(scope, body)
        response: Any = refused or self.get_response(request)
        response._handler_class = type(self)
        self.straight.learn(scope, response)
        try:
            if not response.streaming:
                return [_start(response), {"type": "http.response.body", "body": response.content}]
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
            push(_start(response))
            for part in response:
                push({"type": "http.response.body", "body": part, "more_body": True})
            return [{"type": "http.response.body"}]
        finally:
            response.close()
            body.close()


def _start(response: HttpResponseBase) -> Message:
    headers = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
    headers += [
        (b"Set-Cookie", cookie.output(header="").encode("ascii").strip())
        for cookie in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}
