"""Where a request comes from: the one place that decides which header is believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
# Whoever has one address of IPv6 has all of its network.
NETWORK_BITS = 64


def client_address(request: HttpRequest) -> str:
    """The caller's IP address, or `unknown`.

    X-Forwarded-For is what the caller wrote, but for the entries that our own proxies added at its
    end: TRUSTED_PROXY_COUNT of them. Without such proxies it is not looked at.
    """
    found = request.META.get("REMOTE_ADDR", "")
    count = settings.TRUSTED_PROXY_COUNT
    if count > 0:
        entries = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if len(entries) >= count and (named := _parsed(entries[-count])):
            return named
    return _parsed(found) or UNKNOWN


def client_network(request: HttpRequest) -> str:
    """What calls are counted by: the address, of IPv6 its network."""
    address = client_address(request)
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address}/{NETWORK_BITS}", strict=False).network_address)


def _parsed(text: str) -> str:
    """The address in its usual form; a port is cut off, and what is no address is nothing."""
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
