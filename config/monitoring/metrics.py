"""/metrics for Prometheus: requests, recalls, memories that wait for embeddings; no tenants' names.

Several web processes share one address, so each keeps its counts in files, and whichever is asked
adds them up (see config.monitoring.shared_metrics). Labels hold route patterns, never paths.
"""

import hmac
import ipaddress
import os
import time
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connections
from django.http import Http404, HttpRequest, HttpResponse
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

from config.monitoring.shared_metrics import FOLDER_VARIABLE
from memories.indexing.embed_worker import WORKER, count_backlog
from memories.retrieval.pipeline import BUCKETS

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
# A scrape queries each organisation's queue; several scrapers share one result.
BACKLOG_SECONDS = 15.0

REQUESTS = Counter("commonmind_requests", "Answered requests.", ["route", "method", "status"])
REQUEST_SECONDS = Histogram(
    "commonmind_request_seconds", "Time to answer.", ["route", "method"], buckets=BUCKETS
)


def observe_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one answered request."""
    known = method if method in METHODS else "other"
    REQUESTS.labels(route, known, str(status)).inc()
    REQUEST_SECONDS.labels(route, known).observe(seconds)


class BacklogCollector(Collector):
    """commonmind_embeddings_pending by state, over all organisations; absent while unknown."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._looked_at = -BACKLOG_SECONDS

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily(
            "commonmind_embeddings_pending", "Memories that wait for a vector.", labels=["state"]
        )
        for state, count in self._fresh().items():
            family.add_metric([state], count)
        yield family

    def _fresh(self) -> dict[str, int]:
        now = time.monotonic()
        if now - self._looked_at >= BACKLOG_SECONDS:
            try:
                self._counts = count_backlog()
            except DatabaseError:
                return {}
            finally:
                # The worker's connection stays open by default; here each request would leave one.
                connections[WORKER].close()
            self._looked_at = now
        return self._counts


backlog_collector = BacklogCollector()


def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics, for callers on this machine or with METRICS_TOKEN; 404 for others."""
    if not may_read_metrics(request):
        raise Http404
    of_one_process = CollectorRegistry()
    of_one_process.register(backlog_collector)
    body = generate_latest(build_registry()) + generate_latest(of_one_process)
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def build_registry() -> CollectorRegistry:
    """The counts of all web processes together, or of this one if it does not share them."""
    if FOLDER_VARIABLE not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry


def may_read_metrics(request: HttpRequest) -> bool:
    """Whether the caller is on this machine, without a proxy, or has the right token."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    if wanted and scheme.lower() == "bearer":
        return hmac.compare_digest(token.strip().encode(), wanted.encode())
    return _is_local(request) and not any(name in request.META for name in FORWARDED)


def _is_local(request: HttpRequest) -> bool:
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
