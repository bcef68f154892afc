"""Health: is the process alive, is it ready, and what works only in part."""

import contextlib
import shutil
from pathlib import Path
from uuid import UUID, uuid4

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from config.monitoring.archive_state import archive_state
from config.monitoring.graceful_shutdown import draining
from config.version import VERSION
from memories.embedding.encoder_loading import get_encoder
from memories.store.encryption.keys import load_keyring, missing_key_ids
from orgs.database.backup.restore_marker import has_unfinished_restore
from orgs.database.standby.monitor import standby_state

# With less room than this the database may refuse the next write.
MIN_FREE_BYTES = 64 * 1024**2


def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: this process answers, and is of that release."""
    return JsonResponse({"status": "ok", "version": VERSION})


def readyz(request: HttpRequest) -> JsonResponse:
    """Ready when the database answers and takes writes, and no restore of it is unfinished.

    Broker or encoder down is degraded: writes and recall by words go on, and the status stays 200.
    So is a key that encrypted texts need and nobody has, and a full disk: what is kept can be read.
    So is an archive that is late or stopped: the database keeps its log for it until the disk is
    full. So is a standby that is away, behind or none of ours: the primary answers.

    A process that was told to end is not ready, while it still answers.
    """
    if draining.has_begun:
        return JsonResponse({"status": "draining"}, status=503)
    parts = {
        "database": _database_state(),
        "broker": _broker_state(),
        "encoder": encoder_state(),
        "encryption": encryption_state(),
        "disk": _disk_state(),
        "archive": archive_state(timezone.now()),
        "standby": standby_state(),
    }
    if parts["database"] != "ok":
        return JsonResponse({"status": "unavailable", "parts": parts}, status=503)
    degraded = any(state not in ("ok", "off", "unknown") for state in parts.values())
    return JsonResponse({"status": "degraded" if degraded else "ok", "parts": parts})


def data_folder_id() -> str:
    """What tells DATA_DIR from every other folder, kept in it. Empty where it cannot be written."""
    path = Path(settings.DATA_DIR) / "folder.id"
    try:
        if not path.exists():
            draft = path.with_name(f"folder.id.{uuid4()}")
            draft.write_text(str(uuid4()), encoding="ascii")
            # The first of two processes names it.
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft)
            draft.unlink()
        return str(UUID(path.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return ""


def _database_state() -> str:
    try:
        if has_unfinished_restore():
            return "restore unfinished"
        # A proxy may lead to a standby.
        return "read-only" if is_standby() else "ok"
    except DatabaseError:
        return "down"


def is_standby() -> bool:
    """Whether the database server is a standby, which takes no writes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return bool(cursor.fetchone()[0])


def _broker_state() -> str:
    try:
        client = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5
        )
        client.ping()
    except (redis.RedisError, ValueError):
        return "down"
    return "ok"


def encoder_state() -> str:
    try:
        get_encoder().encode(["ready"])
    except Exception:
        return "down"
    return "ok"


def _disk_state() -> str:
    """The state of the disk that DATA_DIR is on; the database may have another."""
    try:
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError:
        return "unknown"
    return "ok" if free >= MIN_FREE_BYTES else "full"


def encryption_state() -> str:
    """The state of encryption. off: no key, so nothing sensitive is accepted. A missing key is
    noticed only when a text needs it."""
    ring = load_keyring()
    if ring.faults:
        return "bad keys"
    if missed := missing_key_ids():
        return f"missing key {', '.join(missed)}"
    return "ok" if ring.keys else "off"
