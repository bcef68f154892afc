"""Spans by OpenTelemetry: what belongs together has one trace, and no text leaves (O20). The
collector is an OTLP receiver on loopback."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from config.monitoring import worker_tasks
from config.monitoring.trace_export import start_tracing
from memories.retrieval import pipeline
from orgs import trace_spans as spans
from orgs.database.rls import organisation_scope
from orgs.trace_spans import current_trace, query_span, summarise_statements
from tests.config.monitoring.test_trace_lines import TRACE_ID, TRACEPARENT, work_as_celery
from tests.fast_path import FastPathSite
from tests.operations.test_degraded import Broker, broker
from tests.world import World

__all__ = ["broker"]
pytestmark = pytest.mark.conformance("O20")

PARENT = TRACEPARENT.split("-")[2]
CANARY = "quetzal"


@dataclass
class Collector:
    """What an OTLP receiver got. flush: ends tracing, so that everything is here."""

    bodies: list[bytes] = field(default_factory=list)
    flush: Callable[[], None] = print

    @property
    def spans(self) -> list[Any]:
        """Of every resource, in the order of their ends."""
        return [
            one
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for one in scope.spans
        ]

    def named(self, name: str) -> list[Any]:
        """The spans of that name."""
        return [one for one in self.spans if one.name == name]


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


@pytest.fixture
def receiver() -> Iterator[tuple[str, Collector]]:
    got = Collector()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            got.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", got
    server.shutdown()
    server.server_close()


@pytest.fixture
def collector(receiver: tuple[str, Collector], settings: Any) -> Iterator[Collector]:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT, got = receiver
    got.flush = start_tracing("web")
    yield got
    got.flush()


def test_a_recall_is_one_trace_on_both_ways(
    lasting_world: World, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "SHORTEST_QUERY_SECONDS", 0.0)
    here, site = lasting_world.here, FastPathSite()
    for _ in range(2):
        sent = {"traceparent": TRACEPARENT.encode()}
        assert site.post(here.keys["aria"], {"query": "tea"}, **sent)[0] == 200
    assert site.went == [False, True]
    collector.flush()
    for called in collector.named("POST api/v1/recall"):
        assert called.trace_id.hex() == TRACE_ID
        assert called.parent_span_id.hex() == PARENT
        told = attributes(called)
        assert told["http.response.status_code"] == 200
        assert told["commonmind.organisation"] == str(here.id)
        inner = [one for one in collector.spans if one.parent_span_id == called.span_id]
        assert {"search", "encode"} & {one.name for one in inner}
        assert any(one.name.startswith(("SELECT ", "INSERT ", "WITH ")) for one in inner)
    assert len(collector.named("POST api/v1/recall")) == 2
    assert collector.named("request") == [], "the short way that is not taken leaves nothing"


def test_the_worker_goes_on_with_the_trace(
    lasting_world: World, broker: Broker, collector: Collector
) -> None:
    here = lasting_world.here
    answer = here.api("aria").post(
        "/api/v1/memories",
        {"content": f"The {CANARY} closes at nine."},
        format="json",
        headers={"traceparent": TRACEPARENT},
    )
    assert answer.status_code == 201
    assert work_as_celery(broker, here) == 1
    collector.flush()
    [called] = collector.named("POST api/v1/memories")
    [task] = collector.named("memories.embed_pending")
    assert task.trace_id.hex() == called.trace_id.hex() == TRACE_ID
    assert task.parent_span_id == called.span_id
    assert attributes(task)["commonmind.organisation"] == str(here.id)
    encoded = [one for one in collector.named("encode") if one.parent_span_id == task.span_id]
    assert [attributes(one)["use"] for one in encoded] == ["text"]


def test_no_text_leaves(
    lasting_world: World, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question, a memory, a path, an error and the caller's own words."""
    monkeypatch.setattr(spans, "SHORTEST_QUERY_SECONDS", 0.0)
    here = lasting_world.here
    api = here.api("aria")
    sent = {"tracestate": f"{CANARY}=1", "baggage": f"{CANARY}=1", "x-request-id": CANARY}
    api.post("/api/v1/memories", {"content": CANARY}, format="json", headers=sent)
    api.post("/api/v1/recall", {"query": CANARY}, format="json", headers=sent)
    api.post("/api/v1/context", {"query": CANARY}, format="json", headers=sent)
    api.get(f"/api/v1/memories/{CANARY}", headers=sent)
    here.browser("mina").get(f"/?q={CANARY}", headers=sent)
    here.browser("mina").get(f"/{CANARY}", headers=sent)

    def fail(*_: object, **__: object) -> None:
        raise ValueError(CANARY)

    # Inside a span, so that the error passes it.
    monkeypatch.setattr(pipeline, "_search_in_windows", fail)
    api.raise_request_exception = False
    assert api.post("/api/v1/recall", {"query": CANARY}, format="json").status_code == 500
    collector.flush()
    assert len(collector.spans) > 20
    assert not any(CANARY.encode() in body for body in collector.bodies)
    assert not any(b"aria" in body.lower() for body in collector.bodies)
    failed = [one for one in collector.spans if one.status.code == 2]
    assert [one.name for one in failed] == ["search", "POST api/v1/recall"]


def test_the_database_knows_the_span(lasting_world: World, collector: Collector) -> None:
    """For pg_stat_activity and the log of the server; and nothing stays on a pooled connection."""
    here = lasting_world.here
    with spans.call_span("x", spans.SpanKind.SERVER, current_trace()):
        ids = spans.current_span_ids()
        with organisation_scope(here.id), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('application_name')")
            assert cursor.fetchone() == (f"commonmind {ids}",)
    with organisation_scope(here.id), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('application_name')")
        assert ids not in cursor.fetchone()[0]


def test_nothing_is_made_while_it_is_off(receiver: tuple[str, Collector], settings: Any) -> None:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = ""
    start_tracing("web")()
    assert Client().get("/healthz").status_code == 200
    assert spans.current_span_ids() == ""
    assert receiver[1].bodies == []


def test_a_caller_may_ask_for_no_spans(lasting_world: World, collector: Collector) -> None:
    """By the flag of its header, as W3C Trace Context has it."""
    sent = {"traceparent": f"{TRACEPARENT[:-2]}00"}
    api = lasting_world.here.api("aria")
    api.post("/api/v1/recall", {"query": "tea"}, format="json", headers=sent)
    collector.flush()
    assert collector.spans == []


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        (['SELECT "m"."id" FROM "memories_memory" m WHERE x = %s'], "SELECT memories_memory"),
        (["BEGIN", "SELECT f('a', %(b)s)", "UPDATE robots_key SET a = 1"], "UPDATE robots_key"),
        (["INSERT INTO search.rows (a) VALUES (%s)"], "INSERT search.rows"),
        (["COMMIT"], "COMMIT"),
        ([""], "query"),
        (["SELECT 1 " + " " * 100_000 + "FROM x"], "SELECT"),
    ],
)
def test_what_a_statement_is_called(statements: list[str], name: str) -> None:
    assert summarise_statements(statements) == name


def test_only_statements_that_take_long_have_a_span(collector: Collector) -> None:
    with spans.call_span("x", spans.SpanKind.SERVER, current_trace()):
        with query_span(["SELECT 1 FROM quick"]):
            pass
        with query_span(["SELECT 1 FROM slow"]):
            threading.Event().wait(0.006)
    collector.flush()
    assert [one.name for one in collector.spans] == ["SELECT slow"]


def test_a_collector_that_is_away_costs_spans_alone(lasting_world: World, settings: Any) -> None:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:9"
    stop = start_tracing("web")
    try:
        api = lasting_world.here.api("aria")
        assert api.post("/api/v1/recall", {"query": "tea"}, format="json").status_code == 200
    finally:
        stop()


def test_a_failed_task_is_marked(collector: Collector) -> None:
    task = SimpleNamespace(name="memories.embed_pending", request=SimpleNamespace())
    for state in ("FAILURE", "SUCCESS"):
        worker_tasks.begin_task(task, {})
        worker_tasks.end_task(task, state)
    collector.flush()
    assert [one.status.code for one in collector.named(task.name)] == [2, 0]
