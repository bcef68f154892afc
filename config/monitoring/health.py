"""Health: is the process alive, is it ready, and what works only in part."""

import redis
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse

from memories.embedding.encoders import get_encoder
from memories.store.encryption.keys import keyring, missed_keys
from orgs.database.backup.marker import is_closed


def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: this process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Ready when the database answers and no restore of it is unfinished. Broker or encoder down is
    degraded: writes and recall by words go on, and the status stays 200. So is a key that encrypted
    texts need and nobody has."""
    parts = {
        "database": _database(),
        "broker": _broker(),
        "encoder": _encoder(),
        "encryption": _encryption(),
    }
    if parts["database"] != "ok":
        return JsonResponse({"status": "unavailable", "parts": parts}, status=503)
    degraded = any(state not in ("ok", "off") for state in parts.values())
    return JsonResponse({"status": "degraded" if degraded else "ok", "parts": parts})


def _database() -> str:
    try:
        return "restore unfinished" if is_closed() else "ok"
    except DatabaseError:
        return "down"


def _broker() -> str:
    try:
        client = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5
        )
        client.ping()
    except (redis.RedisError, ValueError):
        return "down"
    return "ok"


def _encoder() -> str:
    try:
        get_encoder().encode(["ready"])
    except Exception:
        return "down"
    return "ok"


def _encryption() -> str:
    """The state of encryption. off: no key, so nothing sensitive is accepted. A missing key is
    noticed only when a text needs it."""
    ring = keyring()
    if ring.faults:
        return "bad keys"
    if missed := missed_keys():
        return f"missing key {', '.join(missed)}"
    return "ok" if ring.keys else "off"
