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

from memories.curation.bulk import reason_of
from memories.ingestion.file_import.lines import LONGEST_LINE
from memories.snapshots.form import BadSnapshot, first_of, organisation_of
from memories.snapshots.restore import Mode, counts, record_restore, restore_lines
from orgs.principals import Actor

AT_ONCE = 200
MOST_PROBLEMS = 1_000


@dataclass(slots=True)
class FileReport:
    """The number of lines by result, and (line number, reason) of the first refused ones."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)


def restore_file(
    actor: Actor,
    file: IO[bytes],
    mode: Mode,
    *,
    now: datetime,
    dry_run: bool = False,
    tick: Callable[[], object] = lambda: None,
) -> FileReport:
    """Restore all lines, each by itself, and record the restore. tick: called after each portion.

    A repeat, for example after it was stopped, does not change what is restored already. Raises
    BadSnapshot, OtherOrganisation and PermissionError; then nothing was done.
    """
    made_in = organisation_of(_value(file.readline(LONGEST_LINE + 1)))
    report, seen, lines = FileReport(), set[UUID](), _numbered(file)
    # Checks the rights also for a snapshot without lines.
    restore_lines(actor, made_in, [], mode, seen, now=now)
    while some := list(islice(lines, AT_ONCE)):
        values = [value for _, value in some]
        results = restore_lines(actor, made_in, values, mode, seen, now=now, dry_run=dry_run)
        report.counts += counts(results)
        report.problems += [
            (number, _reason(one.error))
            for (number, _), one in zip(some, results, strict=True)
            if one.error is not None
        ]
        del report.problems[MOST_PROBLEMS:]
        tick()
    if not dry_run:
        record_restore(actor, report.counts, mode, now=now)
    return report


def _numbered(file: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """(number, JSON value or the error of reading it) of each line that is not empty."""
    number = 1
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST_LINE)
            yield number, BadSnapshot(f"The line is longer than {LONGEST_LINE:,} bytes.")
        elif raw.strip():
            try:
                yield number, _value(raw)
            except BadSnapshot as error:
                yield number, error


def _value(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadSnapshot("The line is no JSON, or it breaks off.") from error


def _reason(error: Exception) -> str:
    return first_of(error) if isinstance(error, ValidationError) else reason_of(error)
