"""The address of a request: the one place that decides which header is trusted."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004
from django.http import HttpRequest

UNKNOWN = "unknown"
# Whoever has one IPv6 address has its whole network.
NETWORK_BITS = 64


def client_address(request: HttpRequest) -> str:
    """The caller's IP address, or `unknown`.

    The caller can write anything into X-Forwarded-For; only the last TRUSTED_PROXY_COUNT entries
    come from our own proxies. With a count of 0 the header is ignored.
    """
    found = request.META.get("REMOTE_ADDR", "")
    count = settings.TRUSTED_PROXY_COUNT
    if count > 0:
        entries = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if len(entries) >= count and (named := _parse_address(entries[-count])):
            return named
    return _parse_address(found) or UNKNOWN


def scope_address(scope: Mapping[str, Any]) -> str:
    """`client_address` of an ASGI scope."""
    return client_address(_addressed_request(scope))


def scope_network(scope: Mapping[str, Any]) -> str:
    """`client_network` of an ASGI scope."""
    return client_network(_addressed_request(scope))


def _addressed_request(scope: Mapping[str, Any]) -> HttpRequest:
    forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    request = HttpRequest()
    request.META["REMOTE_ADDR"] = (scope.get("client") or ("",))[0]
    request.META["HTTP_X_FORWARDED_FOR"] = b",".join(forwarded).decode("latin1")
    return request


def client_network(request: HttpRequest) -> str:
    """The address by which calls are counted; for IPv6 its /64 network."""
    address = client_address(request)
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address}/{NETWORK_BITS}", strict=False).network_address)


def _parse_address(text: str) -> str:
    """The address in its usual form, without a port; empty for what is no address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


@register(Tags.security, deploy=True)
def check_proxies(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """`check --deploy`: a site that redirects to https has a proxy, which must be counted."""
    if settings.TRUSTED_PROXY_COUNT > 0 or not settings.SECURE_SSL_REDIRECT:
        return []
    return [
        Warning(
            "TRUSTED_PROXY_COUNT is 0, so everybody who comes through the proxy counts as one "
            "address: a stranger's wrong passwords and keys use up the counts of all.",
            hint="Set it to the number of your proxies; they must append to X-Forwarded-For.",
            id="orgs.W002",
        )
    ]
