"""To which call a log line belongs, and the timed parts of a call, for OpenTelemetry.

A caller may name its request (`X-Request-ID`) and its trace (`traceparent` of W3C Trace Context).
Both stand in log lines, so only what has their form is taken, and nothing that looks like a key.

Nothing is measured until `use_tracer` is called (`config.monitoring.trace_export`). A span has a
name and attributes out of short lists: routes, kinds of work, counts, ids of organisations. It
never holds a text, a question, a name, a path or the message of an error.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID, uuid4

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

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


# --- spans ---

Attributes = Mapping[str, str | int | float | bool]
# Statements that took less have no span: a recall sends several, and a span costs some 50 µs.
SHORTEST_QUERY_SECONDS = 0.005
# What a statement does, and the first table that it names.
_OPERATION = re.compile(r"\A\s*([A-Za-z]+)")
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE|JOIN)\s+"?([a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?)')
# Characters of a statement that are looked at.
_LOOKED_AT = 4_000
_HEADER = "traceparent"
_propagator = TraceContextTextMapPropagator()
_nothing = nullcontext()
_tracer: trace.Tracer | None = None


def use_tracer(tracer: trace.Tracer | None) -> None:
    """Make spans with this tracer from now on; None for no spans."""
    global _tracer  # noqa: PLW0603 - one for the process, set when it starts
    _tracer = tracer


def span(name: str, **attributes: str | float | bool) -> AbstractContextManager[None]:
    """What happens inside is a part of the call that is open, if there is one that is traced."""
    if _tracer is None or not trace.get_current_span().is_recording():
        return _nothing
    return _open(_tracer, name, SpanKind.INTERNAL, None, attributes)


def call_span(
    name: str, kind: SpanKind, context: TraceContext, **attributes: str | float | bool
) -> AbstractContextManager[None]:
    """What happens inside is a call by itself: an answer to a request, or a task of a worker. It
    belongs to the trace of its caller if the context names one; from then on the context names this
    span. It ends with `name_call`; a try that another one takes the place of never does, and is not
    sent."""
    if _tracer is None:
        return _nothing
    return _open_call(_tracer, name, kind, context, attributes)


@contextmanager
def _open_call(
    tracer: trace.Tracer, name: str, kind: SpanKind, context: TraceContext, attributes: Attributes
) -> Iterator[None]:
    # An empty header begins a trace of its own.
    parent = _propagator.extract({_HEADER: context.traceparent}, context=Context())
    with _open(tracer, name, kind, parent, attributes, ends=False):
        told: dict[str, str] = {}
        _propagator.inject(told)
        context.traceparent = told.get(_HEADER, context.traceparent)
        yield


@contextmanager
def _open(
    tracer: trace.Tracer,
    name: str,
    kind: SpanKind,
    parent: Context | None,
    attributes: Attributes,
    *,
    ends: bool = True,
) -> Iterator[None]:
    with tracer.start_as_current_span(
        name,
        end_on_exit=ends,
        context=parent,
        kind=kind,
        attributes=attributes,
        # The message of an error may quote a row.
        record_exception=False,
        set_status_on_exception=False,
    ) as opened:
        try:
            yield
        except Exception as error:
            opened.set_attribute("error.type", type(error).__qualname__)
            opened.set_status(Status(StatusCode.ERROR))
            raise


def name_call(name: str, *, failed: bool, **attributes: str | float | bool) -> None:
    """What the open call was, now that it ends."""
    if _tracer is None or not (opened := trace.get_current_span()).is_recording():
        return
    opened.update_name(name)
    if organisation := current_trace().organisation_id:
        attributes["commonmind.organisation"] = str(organisation)
    opened.set_attributes(attributes)
    if failed:
        opened.set_status(Status(StatusCode.ERROR))
    opened.end()


def current_span_ids() -> str:
    """The ids of the trace and of the span that is open, in hex with a dash between; empty if none
    is open."""
    if _tracer is None or not (opened := trace.get_current_span()).is_recording():
        return ""
    told = opened.get_span_context()
    return f"{trace.format_trace_id(told.trace_id)}-{trace.format_span_id(told.span_id)}"


def query_span(statements: Sequence[str]) -> AbstractContextManager[None]:
    """What happens inside are statements sent in one message. They have a span if they take long
    enough; it names what the first one with a table does, and how many there are."""
    if _tracer is None or not trace.get_current_span().is_recording():
        return _nothing
    return _time_query(_tracer, statements)


@contextmanager
def _time_query(tracer: trace.Tracer, statements: Sequence[str]) -> Iterator[None]:
    started = time.time_ns()
    try:
        yield
    finally:
        ended = time.time_ns()
        if ended - started >= SHORTEST_QUERY_SECONDS * 1e9:
            tracer.start_span(
                summarise_statements(statements),
                kind=SpanKind.CLIENT,
                start_time=started,
                attributes={
                    "db.system.name": "postgresql",
                    "db.operation.batch.size": len(statements),
                },
            ).end(ended)


def summarise_statements(statements: Sequence[str]) -> str:
    """The operation and the table of the first statement that names one, such as `SELECT
    memories_memory`; the last operation if none does."""
    operation = "query"
    for statement in statements:
        head = statement[:_LOOKED_AT]
        operation = found[1].upper() if (found := _OPERATION.match(head)) else operation
        if table := _TABLE.search(head):
            return f"{operation} {table[1]}"
    return operation
