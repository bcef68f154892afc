"""/metrics for Prometheus: requests, recalls, work that waits; no tenants' names.

Several web processes share one address, so each keeps its counts in files, and whichever is asked
adds them up (see config.shared_metrics). Labels hold route patterns, never paths.
"""

import hmac
import ipaddress
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connections
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.shared_metrics import FOLDER_VARIABLE, forget_ended_processes
from config.version import VERSION
from memories.jobs.leases import WORKER
from memories.jobs.overdue_work import WaitingWork, count_waiting_work
from memories.retrieval.pipeline import BUCKETS

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
# A scrape queries each organisation's queue; several scrapers share one result.
WORK_SECONDS = 15.0
_BROKER_SECONDS = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}

REQUESTS = Counter("commonmind_requests", "Answered requests.", ["route", "method", "status"])
REQUEST_SECONDS = Histogram(
    "commonmind_request_seconds", "Time to answer.", ["route", "method"], buckets=BUCKETS
)


def known_method(method: str) -> str:
    """The method, or `other`: a client may send any word."""
    return method if method in METHODS else "other"


def observe_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one answered request."""
    known = known_method(method)
    REQUESTS.labels(route, known, str(status)).inc()
    REQUEST_SECONDS.labels(route, known).observe(seconds)


class WorkCollector(Collector):
    """The work of all organisations that waits, by kind and state, and for how long; absent while
    unknown."""

    def __init__(self) -> None:
        self._found: WaitingWork | None = None
        self._looked_at = -WORK_SECONDS

    def collect(self) -> Iterator[GaugeMetricFamily]:
        found = self._fresh()
        if found is None:
            return
        for name, text, counts in (
            ("commonmind_embeddings_pending", "Memories that wait for a vector.", found.embeddings),
            ("commonmind_jobs", "Jobs that are not done.", found.jobs),
        ):
            family = GaugeMetricFamily(name, text, labels=["state"])
            for state, count in counts.items():
                family.add_metric([state], count)
            yield family
        yield GaugeMetricFamily(
            "commonmind_work_waits_seconds",
            "How long the oldest work has waited that no worker has.",
            value=found.waits.total_seconds(),
        )

    def _fresh(self) -> WaitingWork | None:
        now = time.monotonic()
        if now - self._looked_at >= WORK_SECONDS:
            try:
                self._found = count_waiting_work(timezone.now())
            except DatabaseError:
                return None
            finally:
                # The worker's connection stays open by default; here each request would leave one.
                connections[WORKER].close()
            self._looked_at = now
        return self._found


class ReleaseCollector(Collector):
    """Which release answers, as Prometheus shows it: a figure that is always 1, with a label."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily("commonmind_build_info", "Always 1.", labels=["version"])
        family.add_metric([VERSION], 1)
        yield family


class BrokerCollector(Collector):
    """The messages that wait for a worker, by queue; absent while the broker does not answer."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily(
            "commonmind_queue_messages", "Messages that wait for a worker.", labels=["queue"]
        )
        try:
            with redis.Redis.from_url(settings.REDIS_URL, **_BROKER_SECONDS) as broker:
                for queue in settings.CELERY_TASK_QUEUES:
                    family.add_metric([queue.name], int(broker.llen(queue.name)))
        except (redis.RedisError, ValueError):
            return
        yield family


work_collector = WorkCollector()
_of_one_process = CollectorRegistry()
_of_one_process.register(work_collector)
_of_one_process.register(BrokerCollector())
_of_one_process.register(ReleaseCollector())


def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics, for callers on this machine or with METRICS_TOKEN; 404 for others."""
    if not may_read_metrics(request.META):
        raise Http404
    body = generate_latest(build_registry()) + generate_latest(_of_one_process)
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def build_registry() -> CollectorRegistry:
    """The counts of all web processes together, or of this one if it does not share them."""
    if FOLDER_VARIABLE not in os.environ:
        return REGISTRY
    forget_ended_processes(Path(os.environ[FOLDER_VARIABLE]))
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry


def may_read_metrics(request: Mapping[str, Any]) -> bool:
    """Whether the caller is on this machine, without a proxy, or has the right token. request: its
    variables, as WSGI names them."""
    scheme, _, token = request.get("HTTP_AUTHORIZATION", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    if wanted and scheme.lower() == "bearer":
        return hmac.compare_digest(token.strip().encode(), wanted.encode())
    return _is_local(request) and not any(name in request for name in FORWARDED)


def _is_local(request: Mapping[str, Any]) -> bool:
    try:
        return ipaddress.ip_address(request.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
