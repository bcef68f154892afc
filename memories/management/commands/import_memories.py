"""Import a JSONL file (plain or .gz) with progress; safe to repeat and to resume."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.ingestion.file_import.import_lines import (
    MIN_IMPORTANCE,
    UnreadableFormatError,
    iter_group_ids,
    open_lines,
)
from memories.ingestion.file_import.importer import READ_ERRORS, Importer, ImportReport
from orgs.database.rls import organisation_scope
from orgs.errors import InvalidNameError, LookalikeNameError
from orgs.management.output import ResultCommand, progress_bar
from orgs.models.base import new_id
from orgs.models.organisations import Organisation
from robots.models.robots import Robot
from robots.registry.robots import IMPORT, ensure_builtin_robot, ensure_robot

MAX_PROBLEMS_PRINTED = 20


class Command(ResultCommand):
    help = "Import memories from JSON lines."

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
            choices=["private", "organisation"],
            default="private",
            help="who reads lines without audience and group: private (whom they are about or who "
            "said them, else the member of --as), or everyone in the organisation",
        )
        parser.add_argument("--as", dest="email", help="e-mail of the member who imports")
        parser.add_argument(
            "--importance-scale",
            type=int,
            choices=sorted(MIN_IMPORTANCE),
            default=1,
            help="1: importance is from 0 to 1; 10: it is from 1 to 10, and tenths are kept",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["file"])
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        organisation = self._organisation(options["organisation"])
        now = timezone.now()
        with organisation_scope(organisation.id):
            robot = self._robot(organisation, options["robot"], now)
        try:
            groups = self._groups(path)
        except UnreadableFormatError as error:
            raise CommandError(f"Nothing was imported from {path}. {error}") from error
        importer = Importer(
            organisation,
            robot,
            now,
            options["speaker_scope"],
            groups,
            importance_scale=options["importance_scale"],
            import_job=(import_job := new_id()),
            importer=self._importer(organisation, options["email"]),
            everyone=options["readers"] == "organisation",
        )
        try:
            with _open_lines(path) as (lines, size, position), progress_bar() as progress:
                bar = progress.add_task(path.name, total=size)
                report = importer.run(lines, lambda _n: progress.update(bar, completed=position()))
        except READ_ERRORS as error:
            raise CommandError(
                f"{path} cannot be read further: {error}. What came before is in "
                f"({importer.report.imported} memories); run it again to go on."
            ) from error
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
        with suppress(*READ_ERRORS), _open_lines(path) as (lines, _size, _position):
            for name in iter_group_ids(lines):
                found.add(name)
        return frozenset(found)

    def _organisation(self, reference: str | None) -> Organisation:
        if reference:
            return self.organisation(reference)
        found = list(Organisation.objects.using("owner").all()[:2])
        if len(found) != 1:
            raise CommandError("Say which: --organisation SLUG.")
        return found[0]

    def _importer(self, organisation: Organisation, email: str | None) -> UUID | None:
        return self.member(organisation, email).member_id if email else None

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


@contextmanager
def _open_lines(path: Path) -> Iterator[tuple[IO[bytes], int, Any]]:
    """Gives (lines, size of the file in bytes, a function that returns how many bytes are read)."""
    with path.open("rb") as raw:
        yield open_lines(raw), os.fstat(raw.fileno()).st_size, raw.tell
