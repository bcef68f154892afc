"""Probes for callers inside the network, who use an IP address or the name of a service as Host.

Container health checks, orchestrators and Prometheus do not know the public name, which Django
requires of every request. These answers do not depend on the Host header. A name with a dot is
refused unless it is the site's own, so a foreign web page whose name points here (DNS rebinding)
reads nothing.
"""

import ipaddress
import re
from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.urls import resolve

PROBE_PATHS = ("/healthz", "/readyz", "/metrics")
_SINGLE_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
Handler = Callable[[HttpRequest], HttpResponse]


class ProbesMiddleware:
    """Answers the three paths at once if the Host header is one of the inside."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path not in PROBE_PATHS or request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        if not is_internal_host(request.META.get("HTTP_HOST", "")):
            return self.get_response(request)
        match = request.resolver_match = resolve(request.path)
        try:
            response: HttpResponse = match.func(request)
        except Http404:
            return HttpResponse(status=404)
        return response


def is_internal_host(host: str) -> bool:
    """Whether a Host header is an address or a single name, and not one of the site's own."""
    domain, _port = split_domain_port(host)
    if not domain or validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    try:
        ipaddress.ip_address(domain.strip("[]"))
    except ValueError:
        return bool(_SINGLE_LABEL.fullmatch(domain))
    return True
