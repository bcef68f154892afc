"""uvicorn's HTTP protocol with time limits for whoever sends or reads slowly.

uvicorn itself knows one time limit, for idle connections; it is a setting here. A request's line
and headers have to arrive in time and within a size, an answer has to be read in time, and what a
client goes on sending behind its answer is read for a few seconds only. The server gets it as
`--http config.transport.http_protocol:BoundedProtocol`. Bodies are bounded in
`config.transport.request_bodies`.
"""

import asyncio
from typing import Any

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from config.monitoring.graceful_shutdown import draining

# Seconds for which the rest of a body is read and dropped once its request was answered: a client
# that is still sending would not see the answer if the connection ended at once.
LINGER_SECONDS = 5.0
# All of this process that are open.
_open: "set[BoundedProtocol]" = set()
_TOO_LONG = b"HTTP/1.1 431 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedProtocol(HttpToolsProtocol):
    """One connection. At most one timer runs for what comes in and one for what goes out."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.timeout_keep_alive = settings.KEEP_ALIVE_SECONDS
        # Nothing here speaks WebSocket; its protocol would have none of these limits.
        self.ws_protocol_class = None
        self._incoming: asyncio.TimerHandle | None = None
        self._outgoing: asyncio.TimerHandle | None = None
        self._has_headers = False
        self._header_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _open.add(self)
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        _open.discard(self)
        self._stop_incoming()
        self._stop_outgoing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._has_headers:
            self._header_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self._has_headers:
            return
        if self._header_bytes > settings.HEADER_MAX_BYTES:
            self.transport.write(_TOO_LONG)
            self._end()
        elif self._incoming is None:
            # The first bytes behind an answer; uvicorn has stopped its own timer.
            self._expect_headers()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Blanks behind a value are no part of it (RFC 9110, 5.5); the parser leaves them.
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        self._has_headers = True
        self._stop_incoming()
        super().on_headers_complete()
        if draining.has_begun and self.cycle is not None:
            # The answer says so, and the client opens its next connection elsewhere.
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._has_headers, self._header_bytes = False, 0
        # What is left may be the rest of a body that nobody waited for.
        self._stop_incoming()

    def on_response_complete(self) -> None:
        if self.cycle.more_body and self.cycle.response_complete:
            self._stop_incoming()
            self._incoming = self.loop.call_later(LINGER_SECONDS, self._end)
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._expect_reading()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        self._stop_outgoing()
        super().resume_writing()

    def _unsupported_upgrade_warning(self) -> None:
        """No line in the log: anybody could fill it. The request is answered like any other."""

    def _expect_headers(self) -> None:
        self._incoming = self.loop.call_later(settings.HEADER_SECONDS, self._end_if_idle)

    def _expect_reading(self) -> None:
        self._stop_outgoing()
        self._outgoing = self.loop.call_later(settings.SEND_SECONDS, self._drop)

    def _stop_incoming(self) -> None:
        if self._incoming is not None:
            self._incoming.cancel()
            self._incoming = None

    def _stop_outgoing(self) -> None:
        if self._outgoing is not None:
            self._outgoing.cancel()
            self._outgoing = None

    def _end_if_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self._end()
        else:
            # These bytes came behind a request that is still being answered.
            self._expect_headers()

    def _end(self) -> None:
        """Close the connection once what was written is sent."""
        self._incoming = None
        self.transport.close()
        if self._outgoing is None:
            self._expect_reading()

    def _drop(self) -> None:
        """Close the connection, and forget what its client did not read in time."""
        self._outgoing = None
        if not self.transport.get_write_buffer_size():
            return
        is_writing = self.cycle is not None and not self.cycle.response_complete
        if self.flow.write_paused or not is_writing:
            self.transport.abort()


def end_connections() -> None:
    """Each connection ends with the answer to the call that is under way on it."""
    for connection in list(_open):
        if connection.cycle is not None:
            connection.cycle.keep_alive = False
