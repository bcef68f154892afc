"""To which call a log line belongs: its request, the caller's trace, the organisation.

A caller may name its request (`X-Request-ID`) and its trace (`traceparent` of W3C Trace Context).
Both stand in log lines, so only what has their form is taken, and nothing that looks like a key.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID, uuid4

_REQUEST_ID = re.compile(r"(?!cm[a-z]_)[A-Za-z0-9._:+/=-]{1,128}")
# Version, trace, span, flags. Later versions may add parts; version ff is none.
_TRACEPARENT = re.compile(
    r"(?P<known>(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}"
    r"-[0-9a-f]{2})(?P<more>-.*)?"
)
# Headers of a message to a worker.
REQUEST_ID_HEADER, TRACEPARENT_HEADER = "commonmind_request_id", "commonmind_traceparent"


@dataclass(slots=True)
class TraceContext:
    """request_id: of the request, or of the one that caused a worker's task. traceparent: a valid
    header of W3C Trace Context, or empty. organisation_id: whose data it is about, once that is
    known."""

    request_id: str = ""
    traceparent: str = ""
    organisation_id: UUID | None = None

    @property
    def trace_id(self) -> str:
        """32 hex digits, or empty."""
        return self.traceparent[3:35]


_current: ContextVar[TraceContext | None] = ContextVar("trace_context", default=None)


def read_trace_headers(request_id: str, traceparent: str) -> TraceContext:
    """The context of a request by its two headers; empty texts for headers that it has not. An id
    that is missing or not taken is made here."""
    taken = request_id if _REQUEST_ID.fullmatch(request_id) else uuid4().hex
    return TraceContext(taken, valid_traceparent(traceparent))


def valid_traceparent(traceparent: str) -> str:
    """The header, without what later versions may add; empty if it is not valid."""
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None or (found["version"] == "00" and found["more"]):
        return ""
    return found["known"]


def read_asgi_headers(headers: list[tuple[bytes, bytes]]) -> TraceContext:
    """The same from the headers of an ASGI scope; a header that comes twice is not taken."""
    request_id, traceparent = (
        ",".join(value.decode("latin1") for name, value in headers if name == wanted)
        for wanted in (b"x-request-id", b"traceparent")
    )
    return read_trace_headers(request_id, traceparent)


def current_trace() -> TraceContext:
    """The context of this call; an empty one outside."""
    return _current.get() or TraceContext()


@contextmanager
def trace_scope(context: TraceContext) -> Iterator[TraceContext]:
    """Log lines inside belong to this context. The organisation that is noted inside is noted for
    the context around it, too: a call may be answered by calls within it."""
    outer = _current.get()
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)
        if outer is not None and outer.organisation_id is None:
            outer.organisation_id = context.organisation_id


def set_trace(context: TraceContext | None) -> None:
    """Log lines from now on belong to this context, for calls that no `with` can stand around."""
    _current.set(context)


def note_organisation(organisation_id: UUID) -> None:
    """Note for which organisation this call is. Call it once the caller has proved that."""
    if (context := _current.get()) is not None:
        context.organisation_id = organisation_id


def to_message_headers() -> dict[str, str]:
    """The headers by which a message to a worker says what caused it."""
    context = current_trace()
    given = {REQUEST_ID_HEADER: context.request_id, TRACEPARENT_HEADER: context.traceparent}
    return {name: value for name, value in given.items() if value}


def from_message_headers(
    headers: Mapping[str, object], organisation_id: object = None
) -> TraceContext:
    """The context of a task by the headers of its message, and the organisation that it names."""
    names = (REQUEST_ID_HEADER, TRACEPARENT_HEADER)
    request_id, traceparent = (str(headers.get(name) or "") for name in names)
    return TraceContext(
        request_id, traceparent, UUID(str(organisation_id)) if organisation_id else None
    )
