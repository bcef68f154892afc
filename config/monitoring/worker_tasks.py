"""What a worker tells of its tasks: the trace of their log lines, a span and counts; and its own
/metrics, if it has a port."""

import os
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from celery.signals import (
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
)
from celery.worker.control import inspect_command
from django.conf import settings
from opentelemetry.trace import SpanKind
from prometheus_client import CONTENT_TYPE_LATEST, Counter, Histogram, generate_latest

from config.monitoring.health import data_folder_id
from config.monitoring.metrics import build_registry, may_read_metrics
from config.monitoring.trace_export import start_tracing
from config.shared_metrics import FOLDER_VARIABLE
from orgs.trace_spans import call_span, from_message_headers, name_call, set_trace

TASK_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0)
TASKS = Counter("commonmind_tasks", "Tasks that a worker ended.", ["task", "outcome"])
TASK_SECONDS = Histogram(
    "commonmind_task_seconds", "Time that a task took.", ["task"], buckets=TASK_BUCKETS
)
# Seconds for which a caller of /metrics may be silent.
CALLER_SECONDS = 10.0


# Prefork: one task at a time in each process.
_open_spans = ExitStack()
_ends_tracing = ExitStack()
_started_at = 0.0


@task_prerun.connect
def begin_task(task: Any, kwargs: dict[str, Any], **_: Any) -> None:
    """The lines and the span of a task name the request that caused it, and the organisation that
    it is for."""
    global _started_at  # noqa: PLW0603 - see above
    _started_at = time.perf_counter()
    organisation = kwargs.get("organisation_id")
    context = from_message_headers(vars(task.request), organisation)
    set_trace(context)
    told = {"commonmind.organisation": str(organisation)} if organisation else {}
    _open_spans.enter_context(call_span(task.name, SpanKind.CONSUMER, context, **told))


@task_postrun.connect
def end_task(task: Any, state: str | None, **_: Any) -> None:
    """Count it. Lines between two tasks belong to none."""
    outcome = (state or "unknown").lower()
    TASKS.labels(task.name, outcome).inc()
    TASK_SECONDS.labels(task.name).observe(time.perf_counter() - _started_at)
    name_call(task.name, failed=outcome == "failure")
    _open_spans.close()
    set_trace(None)


@worker_process_init.connect
def start_process_tracing(**_: Any) -> None:
    """Spans are sent by the process that works, which was forked."""
    _ends_tracing.callback(start_tracing("worker"))


@worker_process_shutdown.connect
def stop_process_tracing(**_: Any) -> None:
    """The last spans leave before the process ends."""
    _ends_tracing.close()


@inspect_command()  # type: ignore[untyped-decorator]
def data_folder(state: Any, **_: Any) -> str:
    """`data_folder_id` of this worker, for those who ask whether they share it."""
    return data_folder_id()


@worker_init.connect
def serve_metrics(**_: Any) -> None:
    """Answer /metrics for the processes of this worker, if it has a port for it.

    Without METRICS_TOKEN only this machine reaches it. Exits with a sentence if it cannot work.
    """
    if not settings.WORKER_METRICS_PORT:
        return
    if FOLDER_VARIABLE not in os.environ:
        raise SystemExit(
            f"Not started: WORKER_METRICS_PORT needs {FOLDER_VARIABLE}, a folder of this worker "
            "alone, in which its processes count."
        )
    host = "0.0.0.0" if settings.METRICS_TOKEN else "127.0.0.1"  # noqa: S104 - by a token
    try:
        server = make_server(
            host, settings.WORKER_METRICS_PORT, answer_metrics, _Server, _SilentHandler
        )
    except OSError as error:
        raise SystemExit(f"Not started: WORKER_METRICS_PORT: {error.strerror}.") from None
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()


def answer_metrics(request: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """The WSGI application of a worker: /metrics, for whom the site shows its own to."""
    if request.get("PATH_INFO") != "/metrics" or not may_read_metrics(request):
        start_response("404 Not Found", [("Content-Length", "0")])
        return []
    body = generate_latest(build_registry())
    told = [("Content-Type", CONTENT_TYPE_LATEST), ("Content-Length", str(len(body)))]
    start_response("200 OK", told)
    return [body]


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each caller, so that a slow one holds up nobody."""

    daemon_threads = True


class _SilentHandler(WSGIRequestHandler):
    """Ends a silent caller, and logs nothing: a line would hold an address."""

    timeout = CALLER_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""
