"""Import a file of conversations with progress; safe to repeat and to resume."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.ingestion.file_import.formats.csv_table import parse_columns
from memories.ingestion.file_import.formats.registry import (
    AUTO,
    FORMATS,
    JSONL,
    LABELS,
    Conversion,
    ConversionOptions,
    convert,
)
from memories.ingestion.file_import.formats.sources import ConversionError
from memories.ingestion.file_import.import_lines import (
    MIN_IMPORTANCE,
    UnreadableFormatError,
    iter_group_ids,
    open_lines,
)
from memories.ingestion.file_import.importer import READ_ERRORS, Importer, ImportReport
from memories.ingestion.file_import.rehearse_import import ImportRehearsal, RehearsingImporter
from orgs.database.rls import organisation_scope
from orgs.errors import InvalidNameError, LookalikeNameError, NotFoundError
from orgs.management.output import ResultCommand, progress_bar
from orgs.models.base import new_id
from orgs.models.organisations import Organisation
from orgs.organisations.references import get_group
from orgs.placement.all_organisations import list_organisations
from robots.models.robots import Robot
from robots.registry.robots import IMPORT, ensure_builtin_robot, ensure_robot

MAX_PROBLEMS_PRINTED = MAX_PRINTED = 20
# How to say what an export leaves open.
HINTS = {
    "time_zone": " Say it with --time-zone Europe/Berlin.",
    "columns": " Say it with --columns text=Message,speaker=From.",
}


class Command(ResultCommand):
    _converted: Conversion | None = None
    help = "Import memories from JSON lines, or from an export of another program."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--organisation", help="slug, id or name; the only one if left out")
        parser.add_argument("--robot", default=IMPORT, help="the robot that contributes")
        parser.add_argument(
            "--speaker-scope",
            choices=["organisation", "group"],
            default="organisation",
            help="whether equal speaker names in two groups are one member",
        )
        parser.add_argument(
            "--readers",
            default="private",
            help="who reads lines without audience and group: private (whom they are about or who "
            "said them, else the member of --as), organisation, or group:<external id>",
        )
        parser.add_argument("--as", dest="email", help="e-mail of the member who imports")
        parser.add_argument(
            "--importance-scale",
            type=int,
            choices=sorted(MIN_IMPORTANCE),
            default=1,
            help="1: importance is from 0 to 1; 10: it is from 1 to 10, and tenths are kept",
        )
        parser.add_argument(
            "--format", choices=FORMATS, default=AUTO, help="auto: recognised by the content"
        )
        parser.add_argument(
            "--time-zone", help="of times that name none, such as Europe/Berlin; never guessed"
        )
        parser.add_argument(
            "--columns",
            default="",
            help="of a table: text=Message,speaker=From, or as JSON "
            '{"Message": "text", "Mood": null}; null leaves one out',
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="write nothing; say what would come, who would read it and what is skipped",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._import(options)
        finally:
            if self._converted is not None:
                self._converted.lines.close()

    def _import(self, options: dict[str, Any]) -> None:
        path = Path(options["file"])
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        organisation = self._organisation(options["organisation"])
        now = timezone.now()
        with organisation_scope(organisation.id):
            robot = self._robot(organisation, options["robot"], now)
        try:
            self._converted = _convert(path, options)
            groups = self._groups(path)
        except (UnreadableFormatError, ConversionError) as error:
            hint = HINTS.get(getattr(error, "about", ""), "")
            raise CommandError(f"Nothing was imported from {path}. {error}{hint}") from error
        dry_run = options["dry_run"]
        importer = (RehearsingImporter if dry_run else Importer)(
            organisation,
            robot,
            now,
            options["speaker_scope"],
            groups,
            importance_scale=options["importance_scale"],
            import_job=(import_job := new_id()),
            importer=self._importer(organisation, options["email"]),
            everyone=options["readers"] == "organisation",
            default_group=self._reading_group(organisation, options["readers"]),
        )
        try:
            with self._open_lines(path) as (lines, size, position), progress_bar() as progress:
                bar = progress.add_task(path.name, total=size)
                report = importer.run(lines, lambda _n: progress.update(bar, completed=position()))
        except READ_ERRORS as error:
            raise CommandError(
                f"{path} cannot be read further: {error}. What came before is in "
                f"({importer.report.imported} memories); run it again to go on."
            ) from error
        if isinstance(importer, RehearsingImporter):
            self._print_rehearsal(importer.summarise(), as_json=options["json"])
            return
        self._print_report(report, import_job, as_json=options["json"])
        if report.skipped and not report.imported and not report.already:
            raise CommandError(
                f"Nothing was imported from {path}. The first reason, of line "
                f"{report.problems[0]['line']}: {report.problems[0]['reason']}."
            )

    def _groups(self, path: Path) -> frozenset[str]:
        """The groups that the readable part of the file names; a truncated file is reported by the
        import."""
        found: set[str] = set()
        with suppress(*READ_ERRORS), self._open_lines(path) as (lines, _size, _position):
            for name in iter_group_ids(lines):
                found.add(name)
        return frozenset(found)

    def _organisation(self, reference: str | None) -> Organisation:
        if reference:
            return self.organisation(reference)
        found = list_organisations(limit=2)
        if len(found) != 1:
            raise CommandError("Say which: --organisation SLUG.")
        return found[0]

    def _importer(self, organisation: Organisation, email: str | None) -> UUID | None:
        return self.member(organisation, email).member_id if email else None

    def _reading_group(self, organisation: Organisation, readers: str) -> UUID | None:
        kind, _, reference = readers.partition(":")
        if readers in ("private", "organisation"):
            return None
        if kind != "group":
            raise CommandError("--readers is private, organisation, or group:<external id>.")
        try:
            with organisation_scope(organisation.id):
                return get_group(organisation.id, reference).id
        except NotFoundError as error:
            raise CommandError(f"There is no group {reference}.") from error

    def _robot(self, organisation: Organisation, name: str, now: Any) -> Robot:
        if name == IMPORT:
            return ensure_builtin_robot(organisation.id, IMPORT, now)
        robot = Robot.objects.filter(
            organisation_id=organisation.id, name=name, builtin__isnull=True
        ).first()
        if robot is None:
            try:
                robot, _ = ensure_robot(organisation_id=organisation.id, name=name, now=now)
            except (LookalikeNameError, InvalidNameError) as error:
                raise CommandError(f"Nothing was imported. {error}") from error
        return robot

    @contextmanager
    def _open_lines(self, path: Path) -> Iterator[tuple[IO[bytes], int, Any]]:
        """Gives (lines, size of the file in bytes, a function that returns how many bytes are
        read)."""
        if self._converted is not None:
            lines = self._converted.lines
            lines.seek(0)
            yield lines, self._converted.size, lines.tell
            return
        with path.open("rb") as raw:
            yield open_lines(raw), os.fstat(raw.fileno()).st_size, raw.tell

    def _print_rehearsal(self, found: ImportRehearsal, *, as_json: bool) -> None:
        kind = self._converted.format if self._converted else JSONL
        if as_json:
            self.stdout.write(json.dumps({"dry_run": True, "format": kind, **asdict(found)}))
            return
        self.stdout.write(f"Nothing is written. The file was read as {LABELS[kind]}.")
        self.stdout.write(f"memories: {found.taken:,}\nskipped: {found.skipped:,}")
        new = ", ".join(found.new_people[:MAX_PRINTED]) or "none"
        more = len(found.new_people) - MAX_PRINTED
        self.stdout.write(f"people it would make: {new}{f' and {more:,} more' if more > 0 else ''}")
        self._print_part(
            "groups",
            [f"{name}: {lines:,}{' (new)' if made else ''}" for name, lines, made in found.groups],
        )
        self._print_part("who would read", [f"{who}: {lines:,}" for who, lines in found.readers])
        self._print_part("skipped, and why", [f"{why}: {lines:,}" for why, lines in found.reasons])
        self._print_part(
            "examples",
            [
                f"{one.at} {one.speaker or 'nobody named'}: {one.text} [{one.readers}]".strip()
                for one in found.examples
            ],
        )

    def _print_part(self, title: str, rows: list[str]) -> None:
        if not rows:
            return
        self.stdout.write(f"{title}:")
        for row in rows[:MAX_PRINTED]:
            self.stdout.write(f"  {row}")
        if len(rows) > MAX_PRINTED:
            self.stdout.write(f"  and {len(rows) - MAX_PRINTED:,} more")

    def _print_report(self, report: ImportReport, import_job: UUID, *, as_json: bool) -> None:
        if not as_json:
            for row in report.problems[:MAX_PROBLEMS_PRINTED]:
                self.stderr.write(f"line {row['line']}: {row['reason']}")
            if report.skipped > MAX_PROBLEMS_PRINTED:
                self.stderr.write(f"and {report.skipped - MAX_PROBLEMS_PRINTED} more lines")
        self.print_result(
            {
                "imported": report.imported,
                "skipped": report.skipped + report.already,
                "already_there": report.already,
                "groups": report.groups,
                "members": report.members,
                "import": str(import_job),
                **({"problems": report.problems} if as_json else {}),
            },
            as_json=as_json,
        )


def _convert(path: Path, options: dict[str, Any]) -> Conversion | None:
    """The file as JSON lines, or None if it is read as it is."""
    columns = parse_columns(options["columns"])
    wanted = ConversionOptions(options["format"], options["time_zone"], columns)
    with path.open("rb") as file:
        return convert(file, path.stat().st_size, wanted)
