"""The timed parts of a call, for OpenTelemetry: which process did what, and for how long.

Nothing is measured until `use_tracer` is called (`config.monitoring.tracing`). A span has a name
and attributes out of short lists: routes, kinds of work, counts, ids of organisations. It never
holds a text, a question, a name, a path or the message of an error.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from orgs.trace_context import TraceContext, current_trace

Attributes = Mapping[str, str | int | float | bool]
# Statements that took less have no span: a recall sends several, and a span costs some 50 µs.
SHORTEST_QUERY_SECONDS = 0.005
# What a statement does, and the first table that it names.
_OPERATION = re.compile(r"\s*([A-Za-z]+)")
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
