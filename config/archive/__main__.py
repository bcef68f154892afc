"""Command line: run, base, status, prune, restore, rehearse, off. ARCHIVE_DIR is the archive.

DATA_DIR (default var/) is the place of the database that is archived, or of the one to restore.
"""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from config.archive.archive_settings import ArchiveSettings, read_settings, read_variable
from config.archive.archiver import Archiver, current_series, load_one_series, make_base_backup
from config.archive.catalogue import FULL, INCREMENTAL, format_moment, parse_moment
from config.archive.errors import ArchiveError
from config.archive.restore.recovery import Recovery, plan_recovery
from config.archive.restore.rehearsal import own_environment, rehearse
from config.archive.retention import load_all_series, prune
from config.archive.source_server import find_source
from config.archive.status import find_rehearsal, read_status, utc_now
from config.archive.storage.folder_storage import FolderStorage, Storage
from config.archive.storage.offsite_storage import OffsiteStorage
from config.archive.storage.reencryption import count_files_by_key
from config.embedded.errors import run_command
from config.embedded.exec_command import ServiceCommand, ensure_data_dir
from config.embedded.private_files import read_json
from config.embedded.processes.data_dir_lock import DataDirLock
from orgs.database.backup.manifest import secret_key_fingerprint

PARTS = ("folder", "offsite")


def main(words: list[str] | None = None) -> int:
    """Run one command. An error that a person can fix is one line on stderr, with exit code 1."""
    os.umask(0o077)
    arguments = _parser().parse_args(words)
    data_dir = Path(os.environ.get("DATA_DIR") or "var").resolve()
    return run_command(
        lambda: arguments.command(read_settings(os.environ, data_dir=data_dir), arguments)
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.archive", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, words: str, command: Callable[..., int]) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=words)
        one.set_defaults(command=command)
        return one

    add("run", "keep the archive until a signal comes", _run)
    base = add("base", "make a base backup now", _base)
    base.add_argument("--full", action="store_true", help="a full one, not only what changed")
    status = add("status", "which moments can be restored, and how the archive is", _status)
    add("prune", "delete what is no longer needed, as each base backup does", _prune)
    restore = add("restore", "put the database back into a new DATA_DIR", _restore)
    rehearsal = add("rehearse", "restore into a scratch folder, look, and delete it", _rehearse)
    for one in (restore, rehearsal):
        one.add_argument("--at", default="", help="the moment, such as '2026-11-27 14:00' (UTC)")
    restore.add_argument("--base", default="", help="the base backup to begin with")
    for one in (status, restore, rehearsal):
        one.add_argument("--from", dest="source", choices=PARTS, default=PARTS[0])
    for one in (base, status, rehearsal):
        one.add_argument("--json", action="store_true")
    add("off", "let the database forget the archive, whose files stay", _off)
    return parser


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _storage(settings: ArchiveSettings, arguments: argparse.Namespace) -> Storage:
    if arguments.source == PARTS[0]:
        return FolderStorage(settings.folder)
    if settings.offsite is None:
        raise ArchiveError("ARCHIVE_S3_URL is not set: there is no off-site storage.")
    return OffsiteStorage(settings.offsite)


def _moment(arguments: argparse.Namespace) -> datetime | None:
    return parse_moment(arguments.at) if arguments.at else None


def _run(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    Archiver(settings, find_source(os.environ, settings.data_dir), say=_report).run(stop)
    return 0


def _base(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    server = find_source(os.environ, settings.data_dir)
    series = load_one_series(settings, current_series(settings.data_dir))
    kind = FULL if arguments.full or not series.bases else INCREMENTAL
    made = make_base_backup(settings, server, kind, series, _report)
    _print({"base": made.id, "kind": made.kind, "bytes": made.size,
            "moment": format_moment(made.ended_at, up=True)}, arguments.json)  # fmt: skip
    return 0


def _status(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    found = load_all_series(settings, _storage(settings, arguments))
    ranges = [one.range for one in found]
    told: dict[str, Any] = {
        "restorable": [
            f"{format_moment(r[0], up=True)} to {format_moment(r[1])}" for r in ranges if r
        ],
        "series": len(found),
        "full_backups": sum(base.kind == FULL for one in found for base in one.bases),
        "incremental_backups": sum(base.kind != FULL for one in found for base in one.bases),
        "segments": sum(len(one.log_segments()) for one in found),
        "erased_within_days": settings.erased_within / timedelta(days=1),
        "rehearsed_at": _word(find_rehearsal(settings.data_dir)),
    }
    told["older_keys"] = _list_older_keys(settings)
    if (status := read_status(settings.data_dir)) is not None:
        told |= {"state": status.state(utc_now())}
        told |= {name: _word(value) for name, value in asdict(status).items() if name != "series"}
    _print(told, arguments.json)
    return 0


def _list_older_keys(settings: ArchiveSettings) -> list[str]:
    """The keys, other than the newest, without which files of ARCHIVE_DIR cannot be read."""
    folder = FolderStorage(settings.folder)
    counts = count_files_by_key(folder, folder.list_sizes())
    counts.pop(settings.keyring.newest.id, None)
    return [f"{id_} ({count:,} files)" for id_, count in sorted(counts.items())]


def _prune(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    series = current_series(settings.data_dir)
    storages: list[Storage] = [FolderStorage(settings.folder)]
    if settings.offsite:
        storages.append(OffsiteStorage(settings.offsite))
    count = sum(len(prune(settings, storage, series, utc_now())) for storage in storages)
    print(f"{count:,} files are deleted.")
    return 0


def _restore(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    at, storage = _moment(arguments), _storage(settings, arguments)
    plan = plan_recovery(settings, storage, at, arguments.base)
    data_dir = ensure_data_dir(settings.data_dir)
    lock = DataDirLock(data_dir, "restore")
    lock.acquire()
    try:
        Recovery(settings, storage, plan, _report).run()
    finally:
        lock.release()
    if not _has_same_key(settings, plan.base.secret_key):
        _report(
            "Note: SECRET_KEY is another one than in the archive: second steps of signing in "
            "cannot be read, and everybody has to sign in again. Set the old one if you have it."
        )
    environ = {"DJANGO_SETTINGS_MODULE": "config.settings.local"} | own_environment(os.environ)
    command = [sys.executable, "manage.py", "restore", "--resume"]
    return ServiceCommand(data_dir, environ, fast=False).run(command)


def _has_same_key(settings: ArchiveSettings, stored: dict[str, str]) -> bool:
    kept = read_json(settings.data_dir / "services.json").get("SECRET_KEY", "")
    key = read_variable(os.environ, "SECRET_KEY") or str(kept)
    return secret_key_fingerprint(stored["salt"], key)["scrypt"] == stored["scrypt"]


def _rehearse(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    storage = _storage(settings, arguments)
    _print(rehearse(settings, storage, _moment(arguments), say=_report), arguments.json)
    return 0


def _off(settings: ArchiveSettings, arguments: argparse.Namespace) -> int:
    words = "The archive is being made: stop it first."
    with FolderStorage(settings.folder).lock("archiver", words):
        find_source(os.environ, settings.data_dir).drop_slot()
    print("The database keeps nothing for the archive any more. Its files stay where they are.")
    return 0


def _word(value: object) -> object:
    return format_moment(value) if isinstance(value, datetime) else value


def _print(told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(told))
        return
    for name, value in told.items():
        listed = "; ".join(map(str, value)) if isinstance(value, list) else value
        print(f"{name}: {'-' if listed in (None, '') else listed}")


if __name__ == "__main__":
    sys.exit(main())
