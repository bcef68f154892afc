"""Restore into a scratch folder, open it, look at it, and delete it again.

The second half of a restore needs Django with the restored database, so it is a process of its own
(`manage.py restore --resume`), here and in a real restore.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from config.archive.archive_settings import ArchiveSettings, read_variable
from config.archive.catalogue import format_moment
from config.archive.errors import ArchiveError
from config.archive.restore.recovery import Recovery, RecoveryPlan, Reporter, plan_recovery
from config.archive.status import note_rehearsal, utc_now
from config.archive.storage.folder_storage import FolderStorage, Storage
from config.embedded.private_files import read_json
from config.embedded.processes.children import PROJECT_ROOT
from config.embedded.processes.data_dir_lock import DataDirLock
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import role_url
from config.embedded.servers.services import DATABASE, Services
from config.embedded.servers.valkey import Valkey
from orgs.database import erasure_ledger
from orgs.database.backup.tables import count_rows_by_table, list_tables

SCRATCH_NAME = "rehearsal"
# A restored copy has servers of its own, whatever the environment names.
_OUTSIDE = ("DATABASE_", "REDIS_", "POSTGRES_PORT", "VALKEY_PORT", "COMMONMIND_DATABASE")


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the servers that it names."""
    return {name: v for name, v in environ.items() if not name.startswith(_OUTSIDE)}


def rehearse(
    settings: ArchiveSettings,
    storage: Storage,
    at: datetime | None,
    *,
    say: Reporter = lambda text: None,
    environ: Mapping[str, str] = os.environ,
) -> dict[str, Any]:
    """Restore the moment, or the newest state, and return a report. Raises ArchiveError and
    EmbeddedError. The scratch folder is in DATA_DIR and is deleted in any case."""
    scratch = settings.data_dir / SCRATCH_NAME
    words = "A rehearsal runs already: wait for it."
    started = time.monotonic()
    with FolderStorage(settings.data_dir).lock("rehearsal", words):
        _delete(scratch)
        plan = plan_recovery(settings, storage, at)
        try:
            scratch.mkdir(mode=0o700)
            ledger = settings.data_dir / erasure_ledger.FILE_NAME
            if ledger.exists():
                shutil.copy(ledger, scratch / erasure_ledger.FILE_NAME)
            Recovery(replace(settings, data_dir=scratch), storage, plan, say).run()
            played = time.monotonic() - started
            say("Opening it ...")
            told = _open_and_look(scratch, _environment(settings, environ))
        finally:
            _delete(scratch)
    note_rehearsal(settings.data_dir, utc_now())
    return _report(plan, told) | {
        "recovered_seconds": round(played, 1),
        "seconds": round(time.monotonic() - started, 1),
    }


def _report(plan: RecoveryPlan, told: dict[str, Any]) -> dict[str, Any]:
    until = plan.series.state.until if plan.series.state else plan.base.ended_at
    return {
        "moment": format_moment(plan.at or until),
        "series": plan.series.name,
        "base": plan.base.id,
        "chain": len(plan.chain),
        "segments": len(plan.segments),
        **told,
    }


def _environment(settings: ArchiveSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """That of the real DATA_DIR, whose keys the copy needs."""
    own = {"DJANGO_SETTINGS_MODULE": "config.settings.local"} | own_environment(environ)
    if not read_variable(own, "SECRET_KEY"):
        own["SECRET_KEY"] = str(
            read_json(settings.data_dir / "services.json").get("SECRET_KEY", "")
        )
    keys = settings.data_dir / "encryption.keys"
    given = [read_variable(own, name) for name in ("ENCRYPTION_KEYS", "ENCRYPTION_KEY_FILE")]
    if not any(given) and keys.exists():
        own["ENCRYPTION_KEY_FILE"] = str(keys)
    return {name: value for name, value in own.items() if value}


def _open_and_look(scratch: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    """Erase again and check, as a restore does; then read every row."""
    with _services(scratch, environ) as services:
        done = subprocess.run(
            [sys.executable, "manage.py", "restore", "--resume", "--json"],
            cwd=PROJECT_ROOT,
            env={**environ, **services.full_environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            lines = [line for line in done.stderr.strip().splitlines() if line] or ["no word"]
            raise ArchiveError(f"What was restored does not open: {lines[-1]}")
        told = json.loads(done.stdout)
        url = role_url(services.admin_url, database=DATABASE)
        with psycopg.connect(url, autocommit=True) as connection:
            # Reading a page compares its checksum.
            rows = count_rows_by_table(connection, list_tables(connection))
    return {
        "tables": len(rows),
        "rows": sum(rows.values()),
        "organisations": rows.get("public.orgs_organisation", 0),
        "memories": rows.get("public.memories_memory", 0),
        "erased_again": told["erased_again"],
        "warnings": told["warnings"],
    }


@contextmanager
def _services(data_dir: Path, environ: Mapping[str, str]) -> Any:
    lock = DataDirLock(data_dir, "rehearsal")
    lock.acquire()
    services = Services(data_dir, environ)
    try:
        services.start()
        yield services
    finally:
        services.stop()
        lock.release()


def _delete(scratch: Path) -> None:
    """Delete the folder, and what its servers keep outside of it."""
    if scratch.exists():
        for server in (Valkey(scratch), Postgres(scratch)):
            server.remove()
        shutil.rmtree(scratch, ignore_errors=True)
