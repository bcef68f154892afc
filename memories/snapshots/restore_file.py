"""Restore a snapshot from a file of JSON lines, in portions."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import IO, Any
from uuid import UUID

import orjson
from rest_framework.serializers import ValidationError

from memories.curation.bulk_change import skip_reason
from memories.ingestion.file_import.import_lines import MAX_LINE_BYTES
from memories.snapshots.restore_snapshot import (
    RestoreMode,
    count_outcomes,
    record_restore,
    restore_lines,
)
from memories.snapshots.snapshot_format import (
    InvalidSnapshotError,
    first_error,
    parse_organisation_id,
)
from orgs.principals import Actor

BATCH_SIZE = 200
MAX_PROBLEMS = 1_000


@dataclass(slots=True)
class FileReport:
    """The number of lines by result, and (line number, reason) of the first refused ones."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)


def restore_file(
    actor: Actor,
    file: IO[bytes],
    mode: RestoreMode,
    *,
    now: datetime,
    dry_run: bool = False,
    tick: Callable[[], object] = lambda: None,
) -> FileReport:
    """Restore all lines, each by itself, and record the restore. tick: called after each portion.

    A repeat, for example after it was stopped, does not change what is restored already. Raises
    InvalidSnapshotError, OtherOrganisationError and PermissionError; then nothing was done.
    """
    made_in = parse_organisation_id(_parse_json(file.readline(MAX_LINE_BYTES + 1)))
    report, seen, lines = FileReport(), set[UUID](), _iter_numbered(file)
    # Checks the rights also for a snapshot without lines.
    restore_lines(actor, made_in, [], mode, seen, now=now)
    while some := list(islice(lines, BATCH_SIZE)):
        values = [value for _, value in some]
        results = restore_lines(actor, made_in, values, mode, seen, now=now, dry_run=dry_run)
        report.counts += count_outcomes(results)
        report.problems += [
            (number, _error_reason(one.error))
            for (number, _), one in zip(some, results, strict=True)
            if one.error is not None
        ]
        del report.problems[MAX_PROBLEMS:]
        tick()
    if not dry_run:
        record_restore(actor, report.counts, mode, now=now)
    return report


def _iter_numbered(file: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """(number, JSON value or the error of reading it) of each line that is not empty."""
    number = 1
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_LINE_BYTES)
            yield number, InvalidSnapshotError(f"The line is longer than {MAX_LINE_BYTES:,} bytes.")
        elif raw.strip():
            try:
                yield number, _parse_json(raw)
            except InvalidSnapshotError as error:
                yield number, error


def _parse_json(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidSnapshotError("The line is no JSON, or it breaks off.") from error


def _error_reason(error: Exception) -> str:
    return first_error(error) if isinstance(error, ValidationError) else skip_reason(error)
