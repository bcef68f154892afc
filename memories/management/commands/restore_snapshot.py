"""Restore a snapshot from a file, with the rights of a member."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.snapshots.form import BadSnapshot, OtherOrganisation
from memories.snapshots.restore import Mode, Result
from memories.snapshots.restore_file import restore_file
from orgs.management.output import SpeakingCommand, progress_bar

SHOWN = 20


class Command(SpeakingCommand):
    help = "Restore a snapshot with the rights of a member. It can be repeated."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--as", dest="email", required=True, help="e-mail of the member")
        parser.add_argument("--mode", required=True, choices=[mode.value for mode in Mode])
        parser.add_argument("--dry-run", action="store_true", help="say it, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        path, dry_run = Path(options["file"]), options["dry_run"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        actor = self.member(self.organisation(options["organisation"]), options["email"])
        mode, now = Mode(options["mode"]), timezone.now()
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
        except (BadSnapshot, OtherOrganisation, PermissionError) as error:
            raise CommandError(str(error)) from error
        problems = [{"line": number, "reason": reason} for number, reason in report.problems]
        if not options["json"]:
            for one in problems[:SHOWN]:
                self.stderr.write(f"line {one['line']}: {one['reason']}")
            if (refused := report.counts[Result.REFUSED]) > SHOWN:
                self.stderr.write(f"and {refused - SHOWN} more lines")
        told = {result.value: report.counts[result] for result in Result}
        shown = {"problems": problems} if options["json"] else {}
        self.say({"dry_run": dry_run} | told | shown, as_json=options["json"])
