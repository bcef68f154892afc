"""Restore a snapshot from a file, with the rights of a member."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.snapshots.restore_file import restore_file
from memories.snapshots.restore_snapshot import LineOutcome, RestoreMode
from memories.snapshots.snapshot_format import InvalidSnapshotError, OtherOrganisationError
from orgs.management.output import ResultCommand, progress_bar

MAX_PROBLEMS_PRINTED = 20


class Command(ResultCommand):
    help = "Restore a snapshot with the rights of a member. It can be repeated."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--as", dest="email", required=True, help="e-mail of the member")
        parser.add_argument("--mode", required=True, choices=[mode.value for mode in RestoreMode])
        parser.add_argument("--dry-run", action="store_true", help="say it, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        path, dry_run = Path(options["file"]), options["dry_run"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        actor = self.member(self.organisation(options["organisation"]), options["email"])
        mode, now = RestoreMode(options["mode"]), timezone.now()
        try:
            with path.open("rb") as file, progress_bar() as progress:
                bar = progress.add_task(path.name, total=path.stat().st_size)
                report = restore_file(
                    actor,
                    file,
                    mode,
                    now=now,
                    dry_run=dry_run,
                    tick=lambda: progress.update(bar, completed=file.tell()),
                )
        except (InvalidSnapshotError, OtherOrganisationError, PermissionError) as error:
            raise CommandError(str(error)) from error
        problems = [{"line": number, "reason": reason} for number, reason in report.problems]
        if not options["json"]:
            for one in problems[:MAX_PROBLEMS_PRINTED]:
                self.stderr.write(f"line {one['line']}: {one['reason']}")
            if (refused := report.counts[LineOutcome.REFUSED]) > MAX_PROBLEMS_PRINTED:
                self.stderr.write(f"and {refused - MAX_PROBLEMS_PRINTED} more lines")
        told = {result.value: report.counts[result] for result in LineOutcome}
        shown = {"problems": problems} if options["json"] else {}
        self.print_result({"dry_run": dry_run} | told | shown, as_json=options["json"])
