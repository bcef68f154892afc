"""ASGI for a site with synchronous views: one thread runs a request from the first middleware to
the end of the response.

Django's own handler changes threads for every middleware and makes a new thread for every
request; that cost more than the rest of a short request (docs/adr/0003-asgi.md). Bodies are read
and answers are sent by the event loop, within the bounds of `config.transport`, so that a thread
waits for no client. Asynchronous parts, such as long-lived streams, need an ASGI application of
their own.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import FileResponse, HttpRequest
from django.urls import set_script_prefix

from config.fast_path import FastPath
from config.monitoring.probes import PROBE_PATHS
from config.site.api_key_header import show_api_key
from config.transport.answers import (
    Answer,
    OpenStreams,
    Stream,
    file_answer,
    send_answer,
    start_message,
)
from config.transport.callers import Callers
from config.transport.job_waits import JobWaits
from config.transport.refusals import Refused, render_refusal
from config.transport.request_bodies import (
    WHOLE_BYTES,
    BodyRoom,
    ClientLeft,
    IncomingBody,
    add_content_length,
    receive_in_time,
    stated_length,
    whole_body,
)
from config.transport.thread_shares import SharedAskers, ThreadShares
from config.transport.watched_call import WatchedCall, Work
from orgs.api.converters import preserve_escaped_slashes
from orgs.database.time_budget import OutOfTime, TimeBudget, current_budget
from orgs.limits.after_answer import LATER_SCOPE_KEY, collect_for_later, run_collected
from orgs.limits.after_answer import Work as LaterWork
from orgs.principals import Actor

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
# Monitoring has threads of its own: it answers while all others are taken.
PROBES, PROBE_THREADS = "probes", 2
FILE_THREADS = 2
# What calls leave for later takes no thread from their callers: who asked for it could tell by
# waiting for the next answer whether there was anything to do.
LATER_THREADS = 2


class ThreadedHandler(ASGIHandler):
    """Answers HTTP in `threads` threads; more requests than these wait for their turn.

    connections: the size of the pool of the database, None without one. askers: a file that all web
    processes of the machine share, None for a process of its own.
    """

    def __init__(
        self, threads: int, connections: int | None = None, askers: Path | None = None
    ) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self.probes = ThreadPoolExecutor(PROBE_THREADS, thread_name_prefix="probe")
        self.files = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="file")
        shared = None if askers is None else SharedAskers(askers)
        self.shares = ThreadShares(threads, connections, askers=shared)
        self.probe_shares = ThreadShares(2 * PROBE_THREADS)
        self.later = ThreadPoolExecutor(LATER_THREADS, thread_name_prefix="later")
        self.later_shares = ThreadShares(LATER_THREADS)
        self.waits = JobWaits(ThreadPoolExecutor(1, thread_name_prefix="waits"))
        self.room = BodyRoom()
        self.callers = Callers()
        self.streams = OpenStreams()
        self.straight = FastPath()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is answered here, not {scope['type']}")
        preserve_escaped_slashes(scope)
        show_api_key(scope)
        afterwards: list[LaterWork] = []
        try:
            caller, body, close = await self.read_body(scope, receive)
            call = WatchedCall(receive, send, close)

            def work(budget: TimeBudget, stream: Stream) -> Answer:
                with collect_for_later(afterwards):
                    return self._answer(scope, body, stream.push)

            answer = await self._run_streamed(call, *self._threads_for(scope, caller), work)
            if answer.waits_for is not None:
                look = partial(self._look_again, caller, receive, send)
                answer = await self.waits.finish(answer.waits_for, scope, answer, receive, look)
        except (ClientLeft, OutOfTime):
            # Nobody listens, or an answer was stopped in the middle: the server closes.
            return
        except Refused as refused:
            answer = Answer(render_refusal(scope, refused))
        await send_answer(answer, receive, send, self.files)
        if not afterwards:
            return
        if (outer := scope.get(LATER_SCOPE_KEY)) is not None:
            outer.append(partial(self._run_afterwards, caller, afterwards))
        else:
            await self._run_afterwards(caller, afterwards)

    async def _run_afterwards(self, caller: str, afterwards: list[LaterWork]) -> None:
        """Do what a call left for later, in a thread of its own; dropped if that has no time."""
        call = WatchedCall(_nothing, _nowhere, _nobody)
        with suppress(Refused):
            await call.run(
                self.later_shares, self.later, caller, lambda *_: run_collected(afterwards)
            )

    async def _run_streamed(
        self, call: WatchedCall, shares: ThreadShares, threads: Executor, caller: str, work: Work
    ) -> Answer:
        """The answer of a call, or its end when all was sent that it made before."""
        try:
            answer: Answer = await call.run(shares, threads, caller, work)
            try:
                await call.stream.finish()
            except BaseException:
                if answer.close is not None:
                    answer.close()
                raise
            return answer
        finally:
            call.stream.close()

    def _threads_for(self, scope: Message, caller: str) -> tuple[ThreadShares, Executor, str]:
        """(the shares, the threads, whose share it is)."""
        if scope["path"] in PROBE_PATHS:
            return self.probe_shares, self.probes, PROBES
        return self.shares, self.threads, caller

    async def read_body(
        self, scope: Message, receive: Receive
    ) -> tuple[str, IO[bytes], Callable[[], None]]:
        """(whom the request counts for, its body, what frees the body). Raises Refused and
        ClientLeft."""
        caller, is_known = self.callers.identify(scope)
        stated, first = stated_length(scope), None
        if stated <= WHOLE_BYTES:
            first = await receive_in_time(receive, settings.BODY_SECONDS)
            if (whole := whole_body(first)) is not None:
                add_content_length(scope, whole.getbuffer().nbytes)
                return caller, whole, whole.close

        async def verify() -> str | None:
            call = WatchedCall(_nothing, _nowhere, _nobody)
            found: str | None = await call.run(
                self.shares, self.threads, caller, lambda *_: self.callers.verify(scope)
            )
            return found

        body = IncomingBody(self.room, caller, is_known=is_known, verify=verify)
        try:
            await body.read(receive, first, stated)
        except BaseException:
            body.close()
            raise
        add_content_length(scope, body.size)
        return body.caller, body.file, body.close

    async def _look_again(
        self, caller: str, receive: Receive, send: Send, scope: Message
    ) -> Answer:
        """The answer to a second call of the same caller, without a body."""
        call = WatchedCall(receive, send, _nobody)

        def work(budget: TimeBudget, stream: Stream) -> Answer:
            return self._answer(scope, BytesIO(), stream.push)

        answer: Answer = await call.run(self.shares, self.threads, caller, work)
        return answer

    def _answer(self, scope: Message, body: IO[bytes], push: Callable[[Message], None]) -> Answer:
        """The answer, or its end if it was streamed in parts by `push`."""
        if (straight := self.straight.answer(scope, body)) is not None:
            return Answer(straight)
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refused = self.create_request(scope, body)
        response: Any = refused or self.get_response(request)
        response._handler_class = type(self)
        self.straight.learn(scope, response)
        if request is not None:
            self.callers.learn(request)
        try:
            if not response.streaming:
                body_message = {"type": "http.response.body", "body": response.content}
                messages = [start_message(response), body_message]
                return Answer(messages, waits_for=getattr(response, "waits_for", None))
            if isinstance(response, FileResponse):
                return file_answer(response)
            end = _nobody
            if not isinstance(getattr(request, "user", None), Actor):
                # What a person takes along; a call of the API has the time of every call.
                if budget := current_budget():
                    budget.until = time.monotonic() + settings.STREAM_SECONDS
                end = self.streams.open(_account(request))
            try:
                push(start_message(response))
                for part in response:
                    push({"type": "http.response.body", "body": part, "more_body": True})
            except BaseException:
                end()
                raise
            return Answer([{"type": "http.response.body"}], close=end)
        finally:
            response.close()
            body.close()


def _account(request: HttpRequest | None) -> str:
    """Whose stream it is; empty where no middleware looked for who calls."""
    user = getattr(request, "user", None)
    return "" if user is None else f"account:{user.pk}"


async def _nothing() -> Message:
    """For work that reads no request: nothing ever comes."""
    await asyncio.Event().wait()
    raise AssertionError


async def _nowhere(message: Message) -> None:
    """For work that sends no answer."""


def _nobody() -> None:
    """For work that holds no body."""
