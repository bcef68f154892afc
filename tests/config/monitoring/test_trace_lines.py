"""Which call a log line belongs to: the caller's request id and trace, the organisation, and the
worker's lines of what a call caused (O12)."""

import io
import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from queue import Empty
from typing import Any
from uuid import uuid4

import pytest
from celery.app.trace import build_tracer
from django.test import Client

from config.celery import app
from config.monitoring.logs import JSONFormatter
from config.transport.refusals import Refused, render_refusal
from memories import tasks
from memories.jobs import run_jobs, worker_hints
from orgs.trace_spans import (
    TraceContext,
    current_trace,
    note_organisation,
    read_asgi_headers,
    read_trace_headers,
    trace_scope,
    valid_traceparent,
)
from tests.fast_path import FastPathSite
from tests.operations.test_degraded import QUEUE, Broker, broker
from tests.world import Tenant, World

__all__ = ["broker"]
pytestmark = pytest.mark.conformance("O12")

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE_ID}-00f067aa0ba902b7-01"
OURS = re.compile(r"[0-9a-f]{32}")


@pytest.fixture
def written() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONFormatter())
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize(
    "taken",
    ["a", "x" * 128, "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "01J9Z3K8.1:2",
     "Root=1-67891233-abcdef012345678912345678", "aGVsbG8+/w=="],
)  # fmt: skip
def test_an_id_of_the_caller_is_taken(taken: str) -> None:
    assert read_trace_headers(taken, "").request_id == taken


@pytest.mark.parametrize(
    "wrong",
    ["", " ", "x" * 129, "a b", "a\r\nSet-Cookie: b=c", "a\n", "a,b", "größe", "a\x00", "<b>",
     '"a"', "{a}", "a;b", "cmk_0123456789abcdef_x_y"],
)  # fmt: skip
def test_an_id_of_another_form_is_not_taken(wrong: str) -> None:
    ours = read_trace_headers(wrong, "").request_id
    assert OURS.fullmatch(ours)
    assert read_trace_headers(wrong, "").request_id != ours


@pytest.mark.parametrize(
    ("header", "trace"),
    [
        (TRACEPARENT, TRACE_ID),
        (TRACEPARENT[:-2] + "00", TRACE_ID),
        ("01" + TRACEPARENT[2:], TRACE_ID),
        ("fe" + TRACEPARENT[2:] + "-what-comes-later", TRACE_ID),
        ("", ""),
        ("ff" + TRACEPARENT[2:], ""),
        (TRACEPARENT + "-more", ""),
        (TRACEPARENT + "-", ""),
        (TRACEPARENT + "\n", ""),
        (" " + TRACEPARENT, ""),
        (TRACEPARENT.upper(), ""),
        (TRACEPARENT[:-1], ""),
        (TRACEPARENT + "0", ""),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", ""),
        (f"00-{TRACE_ID}-{'0' * 16}-01", ""),
        (f"00-{TRACE_ID[:-1]}g-00f067aa0ba902b7-01", ""),
        (f"{TRACEPARENT},{TRACEPARENT}", ""),
        ("x" * 60_000, ""),
    ],
)
def test_a_traceparent_is_read_by_its_grammar(header: str, trace: str) -> None:
    assert valid_traceparent(header)[3:35] == trace
    assert read_trace_headers("", header).trace_id == trace


def test_a_header_that_comes_twice_is_none() -> None:
    twice = [(b"x-request-id", b"one"), (b"x-request-id", b"two"), (b"traceparent", b"x")]
    assert OURS.fullmatch(read_asgi_headers(twice).request_id)
    once = read_asgi_headers([(b"x-request-id", b"one"), (b"traceparent", TRACEPARENT.encode())])
    assert (once.request_id, once.trace_id) == ("one", TRACE_ID)


def trace_fields(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in ("request_id", "trace_id", "organisation"))


def of_requests(written: Callable[[], list[dict[str, Any]]]) -> list[tuple[Any, ...]]:
    return [trace_fields(line) for line in written() if line["logger"] == "commonmind.request"]


def test_each_way_to_an_answer_takes_them(
    lasting_world: World, written: Callable[[], list[dict[str, Any]]]
) -> None:
    """The API by key and by session, a page, and the short path of a recall."""
    here = lasting_world.here
    headers = {"x-request-id": "mine-1", "traceparent": TRACEPARENT}
    everywhere = [
        here.api("aria").post("/api/v1/recall", {"query": "tea"}, format="json", headers=headers),
        here.browser("mina").get("/api/v1/stats", headers=headers),
        here.browser("mina").get("/", headers=headers),
    ]
    assert [answer.status_code for answer in everywhere] == [200] * 3
    assert {answer["X-Request-ID"] for answer in everywhere} == {"mine-1"}
    site = FastPathSite()
    for number in range(4):
        sent = {"x_request_id": f"mine-{number}".encode(), "traceparent": TRACEPARENT.encode()}
        status, answered, _ = site.post(here.keys["aria"], {"query": "tea"}, **sent)
        assert (status, answered["x-request-id"]) == (200, f"mine-{number}")
    assert site.went == [False, True, True, True], "other ids are no other kind of call"
    expected = [("mine-1", TRACE_ID, str(here.id))] * 3
    expected += [(f"mine-{number}", TRACE_ID, str(here.id)) for number in range(4)]
    assert of_requests(written) == expected


def test_a_problem_quotes_the_id_of_the_caller(lasting_world: World) -> None:
    sent = {"x-request-id": "mine-2"}
    answer = lasting_world.here.api("aria").get("/api/v1/memories/none", headers=sent)
    assert answer.status_code == 404
    assert answer.json()["request_id"] == answer["X-Request-ID"] == "mine-2"
    answer = Client().get("/api/v1/memories", headers={"x-request-id": "mine 2"})
    assert OURS.fullmatch(answer.json()["request_id"])


def test_no_organisation_is_named_before_the_caller_is_known(
    lasting_world: World, written: Callable[[], list[dict[str, Any]]]
) -> None:
    here = lasting_world.here
    key = here.keys["aria"]
    wrong = key[:-1] + ("a" if key[-1] != "a" else "b")
    assert FastPathSite().post(wrong, {"query": "tea"})[0] == 401
    assert Client().get("/").status_code in (200, 302)
    assert [organisation for *_, organisation in of_requests(written)] == [None, None]


def test_what_came_to_no_view_has_them_too(written: Callable[[], list[dict[str, Any]]]) -> None:
    headers = [(b"x-request-id", b"mine-3"), (b"traceparent", TRACEPARENT.encode())]
    scope = {"path": "/api/v1/recall", "method": "POST", "headers": headers}
    start, body = render_refusal(scope, Refused(503, "out-of-time", "Later.", retry_after=1))
    assert (b"X-Request-ID", b"mine-3") in start["headers"]
    assert json.loads(body["body"])["request_id"] == "mine-3"
    assert of_requests(written) == [("mine-3", TRACE_ID, None)]


def test_a_call_within_a_call_tells_the_outer_one_its_organisation() -> None:
    organisation = uuid4()
    with trace_scope(TraceContext("outer")) as outer:
        with trace_scope(TraceContext("inner")):
            note_organisation(organisation)
            assert current_trace().request_id == "inner"
        assert current_trace() is outer
    assert outer.organisation_id == organisation
    assert current_trace() == TraceContext()


def work_as_celery(broker: Broker, here: Tenant) -> int:
    """Run the messages of an organisation by Celery's own tracer, with their headers."""
    done = 0
    with broker.app.connection_for_read() as connection:
        queue = connection.SimpleQueue(QUEUE)
        try:
            while True:
                message = queue.get(block=False)
                message.ack()
                args, kwargs, _ = message.payload
                if kwargs.get("organisation_id") == str(here.id):
                    name = message.headers["task"]
                    run = build_tracer(name, app.tasks[name], app=app, propagate=True)
                    run(str(uuid4()), args, kwargs, dict(message.headers))
                    done += 1
        except Empty:
            queue.close()
    return done


def test_the_lines_of_a_worker_name_the_request_that_caused_them(
    lasting_world: World,
    broker: Broker,
    written: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = lasting_world.here

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr("memories.indexing.embed_worker.encode_texts", fail)
    # Also the one that is sent at the end of the second, by a thread of its own.
    monkeypatch.setattr(worker_hints, "MIN_INTERVAL_SECONDS", 0.2)
    for number in range(2):
        sent = {"x-request-id": f"mine-{number}", "traceparent": TRACEPARENT}
        body = {"content": f"The office closes at {number}."}
        answer = here.api("aria").post("/api/v1/memories", body, format="json", headers=sent)
        assert answer.status_code == 201
    for timer in [one for one in threading.enumerate() if isinstance(one, threading.Timer)]:
        timer.join()
    assert work_as_celery(broker, here) == 2
    lines = [line for line in written() if line["logger"] == "commonmind.embedding"]
    assert {trace_fields(line) for line in lines} >= {("mine-0", TRACE_ID, str(here.id))}
    assert {line.get("trace_id") for line in lines} == {TRACE_ID}
    logging.getLogger("commonmind.test").warning("between two tasks")
    assert trace_fields(written()[-1]) == (None, None, None)


def test_another_job_than_the_one_of_the_message_does_not_bear_its_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    organisation, hinted, other = uuid4(), uuid4(), uuid4()
    seen: list[TraceContext] = []
    waiting = [other, hinted]

    def run(*_: object) -> bool:
        seen.append(current_trace())
        return True

    monkeypatch.setattr(run_jobs, "_round_robin_ids", lambda: [organisation])
    monkeypatch.setattr(
        run_jobs, "list_ready_jobs", lambda *_: [(organisation, waiting.pop(0), None, None)]
    )
    monkeypatch.setattr(run_jobs, "run_job", run)
    of_message = TraceContext("mine", TRACEPARENT, organisation)
    with trace_scope(of_message):
        for _ in range(2):
            assert tasks.run_job(organisation_id=str(organisation), job_id=str(hinted))
    assert seen == [TraceContext(organisation_id=organisation), of_message]
