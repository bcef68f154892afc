"""The erasure ledger: one line for each act of erasing, in a file beside the database.

An older backup would bring back what was erased. So the ledger is a file outside the database: a
restore joins it with the one in the backup and erases again what it names. It holds only ids.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict, cast
from uuid import UUID

from django.conf import settings

log = logging.getLogger("commonmind.ledger")

FILE_NAME = "erasures.jsonl"
FIELDS = ("id", "organisation", "what", "target", "at")
# Ids and times are short. A longer value is a text, which does not belong here.
MAX_VALUE_LENGTH = 200
# More than several lines have.
_TAIL_BYTES = 8_192


class LedgerEntry(TypedDict):
    """One act. id: of the act. what: its kind. target: the id of what was erased. at: ISO 8601."""

    id: str
    organisation: str
    what: str
    target: str
    at: str


def ledger_path() -> Path:
    """DATA_DIR/erasures.jsonl."""
    return Path(settings.DATA_DIR) / FILE_NAME


def append_entry(entry: Mapping[str, Any], path: Path | None = None) -> None:
    """Add one line; see `append_entries`."""
    append_entries([entry], path)


def append_entries(acts: Iterable[Mapping[str, Any]], path: Path | None = None) -> None:
    """Add a line for each act. They are on disk when it returns; several processes may call it.

    Ids may be UUID, times datetime. Raises ValueError for fields other than FIELDS and for values
    that are not ids, and OSError if the file cannot be written; nothing is added then.
    """
    plain = [_parse_entry({name: _to_text(value) for name, value in act.items()}) for act in acts]
    line = "\n".join(map(json.dumps, plain)).encode()
    if not line:
        return
    path = path or ledger_path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_new = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(handle, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        # A process that died while writing left a line without an end.
        torn = bool(size) and os.pread(handle, 1, size - 1) != b"\n"
        whole = (b"\n" if torn else b"") + line + b"\n"
        if os.write(handle, whole) != len(whole):
            os.ftruncate(handle, size)
            raise OSError(f"{path} cannot be written: is the disk full?")
        os.fsync(handle)
    finally:
        os.close(handle)
    if is_new:
        fsync_folder(path.parent)


def read_entries(path: Path | None = None) -> list[LedgerEntry]:
    """All acts in the order of the file; none without a file. A torn line is skipped with a
    warning.

    Raises ValueError for a line that is JSON but no entry.
    """
    path = path or ledger_path()
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    found: list[LedgerEntry] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except ValueError:
            log.warning("line %d of %s is torn and was passed over", number, path)
            continue
        try:
            found.append(_parse_entry(content))
        except ValueError as error:
            raise ValueError(f"line {number} of {path}: {error}") from None
    return found


def find_last_entry(path: Path | None = None) -> LedgerEntry | None:
    """The newest act, read from the end of the file; None without one."""
    try:
        with (path or ledger_path()).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            return _parse_entry(json.loads(line))
        except ValueError:
            # An empty or torn line, or the rest of one.
            continue
    return None


def merge_entries(a: Iterable[LedgerEntry], b: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The acts of both, each id once, in the order of time."""
    found = {entry["id"]: entry for entry in (*b, *a)}
    return sorted(found.values(), key=lambda entry: (_entry_time(entry), entry["id"]))


def missing_entries(
    known: Iterable[LedgerEntry], wanted: Iterable[LedgerEntry]
) -> list[LedgerEntry]:
    """The entries of `wanted` whose ids are not in `known`, in their order."""
    ids = {entry["id"] for entry in known}
    return [entry for entry in wanted if entry["id"] not in ids]


def fsync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that new and renamed files in it survive a crash."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _entry_time(entry: LedgerEntry) -> datetime:
    return datetime.fromisoformat(entry["at"])


def _to_text(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _parse_entry(content: Any) -> LedgerEntry:
    """The content as an Entry. Raises ValueError if it is none."""
    if not isinstance(content, dict) or sorted(content) != sorted(FIELDS):
        raise ValueError(f"an erasure has the fields {', '.join(FIELDS)} and no other")
    for name in FIELDS:
        if not isinstance(content[name], str) or not 0 < len(content[name]) <= MAX_VALUE_LENGTH:
            raise ValueError(
                f"{name} of an erasure is a text of 1 to {MAX_VALUE_LENGTH} characters"
            )
    try:
        moment = datetime.fromisoformat(content["at"])
    except ValueError:
        raise ValueError("at of an erasure is a moment in ISO 8601") from None
    if moment.tzinfo is None:
        raise ValueError("at of an erasure has a time zone")
    return cast("LedgerEntry", {name: content[name] for name in FIELDS})
