"""Spans to a collector of OpenTelemetry, if OTEL_EXPORTER_OTLP_ENDPOINT names one: OTLP over HTTP.

The SDK reads OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER itself. What spans hold stands in
`orgs.trace_spans`. They leave in the background; a collector that is away costs spans alone.
"""

from collections.abc import Callable

from django.conf import settings

from config.version import VERSION
from orgs.trace_spans import use_tracer


def start_tracing(process: str) -> Callable[[], None]:
    """Send the spans of this process from now on, as service `commonmind-<process>`; nothing
    without a collector. Call it once, after the process was forked. Returns what sends the last
    ones and ends it; a process that ends by itself calls it, too.
    """
    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        return _nothing
    # Imported here: 60 ms that nobody else waits for.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    address = f"{settings.OTEL_EXPORTER_OTLP_ENDPOINT.rstrip('/')}/v1/traces"
    named = {SERVICE_NAME: f"commonmind-{process}", SERVICE_VERSION: VERSION}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(address)))
    use_tracer(provider.get_tracer("commonmind", VERSION))

    def stop() -> None:
        use_tracer(None)
        provider.shutdown()

    return stop


def _nothing() -> None:
    """There is nothing to end."""
