"""Bodies of requests: counted and timed while they arrive, and bounded all together.

A body that comes whole with its headers, as most do, costs one look at its length. Every other one
is counted against the room for all bodies of this process; a caller has at most half of that, and
all callers who did not show a valid key or session have a quarter together.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.conf import settings

from config.transport.refusals import Refused

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Verify = Callable[[], Awaitable[str | None]]
# A body that came whole and is no longer than this is not counted.
WHOLE_BYTES = 65_536
# Seconds after which there may be room again.
RETRY_SECONDS = 5


class ClientLeft(Exception):
    """The client closed the connection before its body was complete."""


class BodyRoom:
    """The bytes of all bodies that this process holds. Used in the event loop alone."""

    def __init__(self) -> None:
        self.used = 0
        self.unknown = 0
        self._of: dict[str, int] = {}

    def add(self, caller: str, size: int, *, is_known: bool) -> None:
        """Count bytes that arrived. Raises Refused if there is no room for them."""
        most, mine = settings.BODIES_MAX_BYTES, self._of.get(caller, 0)
        is_full = self.used + size > most or (mine and mine + size > most // 2)
        if is_full or (not is_known and self.unknown + size > most // 4):
            raise Refused(
                503,
                "unavailable",
                "The bodies that arrive at the moment leave no room for this one. Send it again.",
                retry_after=RETRY_SECONDS,
            )
        self.used += size
        self._of[caller] = mine + size
        if not is_known:
            self.unknown += size

    def remove(self, caller: str, size: int, *, is_known: bool) -> None:
        """The bytes are held no longer."""
        self.used -= size
        self._of[caller] -= size
        if not self._of[caller]:
            del self._of[caller]
        if not is_known:
            self.unknown -= size


class IncomingBody:
    """One body that arrives in parts, or whose length says that it is large.

    caller: whose room it takes. is_known: whether a valid key or session was shown. verify: looks
    that up, once the body is longer than one without; it returns the caller, or None.
    """

    def __init__(
        self,
        room: BodyRoom,
        caller: str,
        *,
        is_known: bool,
        verify: Verify,
    ) -> None:
        self.room, self.caller, self.is_known, self._verify = room, caller, is_known, verify
        self.size = 0
        # It lives as long as the request; `close` ends it.
        self.file: IO[bytes] = SpooledTemporaryFile(settings.FILE_UPLOAD_MAX_MEMORY_SIZE)  # noqa: SIM115
        self._end = time.monotonic() + settings.BODY_SECONDS

    async def read(self, receive: Receive, first: Message | None, stated: int) -> None:
        """Read all of it. stated: the length that the headers name, or 0.

        Raises Refused, and ClientLeft.
        """
        await self._check(stated)
        message = first or await self._next(receive)
        while True:
            if message["type"] == "http.disconnect":
                raise ClientLeft
            if part := message.get("body", b""):
                await self._check(self.size + len(part))
                self.room.add(self.caller, len(part), is_known=self.is_known)
                self.size += len(part)
                self.file.write(part)
            if not message.get("more_body", False):
                break
            message = await self._next(receive)
        self.file.seek(0)

    def close(self) -> None:
        """Free its room."""
        self.file.close()
        if self.size:
            self.room.remove(self.caller, self.size, is_known=self.is_known)
            self.size = 0

    async def _next(self, receive: Receive) -> Message:
        end = self._end + self.size / settings.BODY_BYTES_PER_SECOND
        return await receive_in_time(receive, end - time.monotonic())

    async def _check(self, size: int) -> None:
        if size > settings.REQUEST_BODY_MAX_BYTES:
            raise too_large(settings.REQUEST_BODY_MAX_BYTES)
        if self.is_known or size <= settings.UNKNOWN_BODY_MAX_BYTES:
            return
        began = time.monotonic()
        if (caller := await self._verify()) is None:
            raise Refused(
                413,
                "body-too-large",
                f"Without a valid key or session a body has at most "
                f"{settings.UNKNOWN_BODY_MAX_BYTES} bytes.",
            )
        size, self.size = self.size, 0
        if size:
            self.room.remove(self.caller, size, is_known=False)
        self.caller, self.is_known = caller, True
        if size:
            self.room.add(caller, size, is_known=True)
            self.size = size
        # The client did not wait for this look-up by its own fault.
        self._end += time.monotonic() - began


async def receive_in_time(receive: Receive, seconds: float) -> Message:
    """The next message. Raises Refused if it does not come within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await receive()
    except TimeoutError:
        raise Refused(
            408, "timeout", "The body did not arrive in time. Send it again, without pauses."
        ) from None


def too_large(most: int) -> Refused:
    return Refused(413, "body-too-large", f"The body is over {most} bytes; send smaller batches.")


def stated_length(scope: Message) -> int:
    """The length of the body that the headers name; 0 if they name none."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


def add_content_length(scope: Message, size: int) -> None:
    """Name the length of a body that came without one, in chunks.

    Without it a body counts as empty: DRF would not read it, and no quota would see its bytes.
    """
    if size and not any(name == b"content-length" for name, _ in scope["headers"]):
        scope["headers"] = [*scope["headers"], (b"content-length", str(size).encode())]


def whole_body(message: Message) -> BytesIO | None:
    """The body that came in one message, if it did and is short; None for every other one. Raises
    ClientLeft."""
    if message["type"] == "http.disconnect":
        raise ClientLeft
    if message.get("more_body", False):
        return None
    body = message.get("body", b"")
    return BytesIO(body) if len(body) <= WHOLE_BYTES else None
