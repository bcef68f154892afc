"""The two clients: how requests are sent, and nothing else."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import os
import ssl
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from commonmind.api import Api
from commonmind.calls import Async, Call, Row, Sync
from commonmind.configuration import Target, find_target, user_agent
from commonmind.errors import CommonmindError, InsecureAddressWarning, InsecureFileWarning
from commonmind.exchange import Failure, Request, Response, Settings, Wait, exchange

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from commonmind.exchange import SettingsChanges

FILE_MEDIA_TYPE = "application/jsonl"
# Above what the server answers: 16 MB of texts, with what stands around them.
MAX_ANSWER_BYTES = 128 * 1024 * 1024


class _Body:
    """Collects an answer within its time and size; a file that is to be saved goes to the disk, and
    has the time for each of its parts."""

    def __init__(self, request: Request) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.timeout, self.save = request.timeout, request.save
        self.until = time.monotonic() + request.timeout
        self.draft: Draft | None = None

    def begin(self, answer: httpx.Response) -> None:
        """Look at the head. What is refused, or no file, is read like any other answer."""
        media = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self.save is not None and answer.status_code == 200 and media == FILE_MEDIA_TYPE:
            self.draft = Draft(self.save)

    def add(self, part: bytes) -> Failure | None:
        """Why the rest is not read; None while all is well. Raises OSError if the disk is full."""
        now = time.monotonic()
        if now > self.until:
            return Failure("The answer did not arrive in time.", timed_out=True)
        self.size += len(part)
        if self.draft is not None:
            self.draft.write(part)
            self.until = now + self.timeout
            return None
        self.parts.append(part)
        if self.size > MAX_ANSWER_BYTES:
            return Failure("The answer does not end.", final=True)
        return None

    def response(self, answer: httpx.Response) -> Response:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        if self.draft is not None:
            self.draft.keep()
            return Response(answer.status_code, headers, b"", self.size)
        return Response(answer.status_code, headers, b"".join(self.parts))

    def close(self) -> None:
        """What did not arrive whole is deleted."""
        if self.draft is not None:
            self.draft.close()


class Draft:
    """A file that takes its place whole or not at all, and for its owner alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".commonmind-")
        self._draft, self._file = Path(name), os.fdopen(handle, "wb")

    def write(self, part: bytes) -> None:
        self._file.write(part)

    def keep(self) -> None:
        """Put it in its place."""
        self._file.close()
        self._draft.replace(self.path)

    def close(self) -> None:
        """Delete it, unless it was kept."""
        self._file.close()
        self._draft.unlink(missing_ok=True)


def _failure(error: Exception, address: str) -> Failure:
    """What an error of the transport means."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in causes):
        return Failure(f"The certificate of {address} cannot be trusted: {error}", final=True)
    if isinstance(error, httpx.TimeoutException):
        connecting = isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout))
        doing = "take the call" if connecting else "answer"
        return Failure(f"{address} did not {doing} in time.", timed_out=True)
    final = isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError))
    return Failure(f"{address} cannot be reached: {error or type(error).__name__}", final=final)


class _Base:
    """What both clients have: where to, as whom, and how."""

    def __init__(
        self, url: str | None, key: str | None, settings: Settings, *, warn_insecure: bool = True
    ) -> None:
        self.target: Target = find_target(url, key)
        self.settings = settings
        if warn_insecure and self.target.readable_file is not None:
            warnings.warn(
                f"Others can read {self.target.readable_file}, which holds the key: chmod 600 it.",
                InsecureFileWarning,
                stacklevel=3,
            )
        if warn_insecure and self.target.is_insecure:
            warnings.warn(
                f"{self.target.url} is neither local nor https: the key and all texts go over the "
                "network in plain.",
                InsecureAddressWarning,
                stacklevel=3,
            )

    def _options(self) -> dict[str, Any]:
        return {
            "follow_redirects": False,
            # What goes to this machine in plain must not go to a proxy of the environment.
            "trust_env": not (self.target.is_local and self.target.url.startswith("http:")),
        }

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.target.key}", "User-Agent": user_agent()}

    def _exchange(self, call: Call[Any]) -> Any:
        return exchange(call, self.settings, self._headers())

    def _build(self, http: Any, request: Request) -> Any:
        return http.build_request(
            request.method,
            self.target.url + request.target,
            headers=dict(request.headers),
            content=request.content,
            timeout=httpx.Timeout(request.timeout, connect=min(10.0, request.timeout)),
        )


class Client(_Base, Api[Sync]):
    """Calls of a Commonmind server; each waits for its answer. Threads may share one.

    url, key: else COMMONMIND_URL and COMMONMIND_KEY, else what `commonmind login` has stored.
    timeout, retries, longest_wait: see Settings. verify, transport: as in httpx.
    Raises ConfigurationError.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = Settings.timeout,
        retries: int = Settings.retries,
        longest_wait: float = Settings.longest_wait,
        verify: ssl.SSLContext | bool = True,
        transport: httpx.BaseTransport | None = None,
        warn_insecure: bool = True,
    ) -> None:
        settings = Settings(timeout, retries, longest_wait)
        _Base.__init__(self, url, key, settings, warn_insecure=warn_insecure)
        Api.__init__(self, self)
        self._http = httpx.Client(verify=verify, transport=transport, **self._options())

    def with_options(self, **changes: Unpack[SettingsChanges]) -> Client:
        """The same client with other settings; both use the same connections."""
        other = copy.copy(self)
        other.settings = dataclasses.replace(self.settings, **changes)
        other.runner = other
        return other

    def run(self, call: Call[Any]) -> Any:
        """Send a call and return its answer."""
        steps = self._exchange(call)
        outcome: Response | Failure | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Wait):
                time.sleep(step.seconds)
                outcome = None
            else:
                outcome = self._send(step)

    def iterate(self, flow: Generator[Any, Any, None]) -> Iterator[Any]:
        """The rows of a flow; its calls are sent as the rows are asked for."""
        step = next(flow, None)
        while step is not None:
            try:
                if isinstance(step, Row):
                    yield step.value
                    answer = None
                else:
                    answer = self.run(step)
            except CommonmindError as error:
                step = _after(flow.throw, error)
            else:
                step = _after(flow.send, answer)

    def _send(self, request: Request) -> Response | Failure:
        body = _Body(request)
        try:
            answer = self._http.send(self._build(self._http, request), stream=True)
            try:
                body.begin(answer)
                for part in answer.iter_bytes():
                    if failure := body.add(part):
                        return failure
                return body.response(answer)
            finally:
                answer.close()
                body.close()
        except (httpx.TransportError, httpx.DecodingError) as error:
            return _failure(error, self.target.url)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(_Base, Api[Async]):
    """The same calls as those of `Client`, to be awaited; lists are async iterators."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = Settings.timeout,
        retries: int = Settings.retries,
        longest_wait: float = Settings.longest_wait,
        verify: ssl.SSLContext | bool = True,
        transport: httpx.AsyncBaseTransport | None = None,
        warn_insecure: bool = True,
    ) -> None:
        settings = Settings(timeout, retries, longest_wait)
        _Base.__init__(self, url, key, settings, warn_insecure=warn_insecure)
        Api.__init__(self, self)
        self._http = httpx.AsyncClient(verify=verify, transport=transport, **self._options())

    def with_options(self, **changes: Unpack[SettingsChanges]) -> AsyncClient:
        """The same client with other settings; both use the same connections."""
        other = copy.copy(self)
        other.settings = dataclasses.replace(self.settings, **changes)
        other.runner = other
        return other

    async def run(self, call: Call[Any]) -> Any:
        """Send a call and return its answer."""
        steps = self._exchange(call)
        outcome: Response | Failure | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Wait):
                await asyncio.sleep(step.seconds)
                outcome = None
            else:
                outcome = await self._send(step)

    async def iterate(self, flow: Generator[Any, Any, None]) -> AsyncIterator[Any]:
        """The rows of a flow; its calls are sent as the rows are asked for."""
        step = next(flow, None)
        while step is not None:
            try:
                if isinstance(step, Row):
                    yield step.value
                    answer = None
                else:
                    answer = await self.run(step)
            except CommonmindError as error:
                step = _after(flow.throw, error)
            else:
                step = _after(flow.send, answer)

    async def _send(self, request: Request) -> Response | Failure:
        body = _Body(request)
        try:
            answer = await self._http.send(self._build(self._http, request), stream=True)
            try:
                body.begin(answer)
                async for part in answer.aiter_bytes():
                    if failure := body.add(part):
                        return failure
                return body.response(answer)
            finally:
                body.close()
                await answer.aclose()
        except (httpx.TransportError, httpx.DecodingError) as error:
            return _failure(error, self.target.url)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


def _after(go_on: Any, value: Any) -> Any:
    """The next step of a flow; None at its end."""
    try:
        return go_on(value)
    except StopIteration:
        return None
