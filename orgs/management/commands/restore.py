"""Put a backup back, while the site is stopped."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orgs.database.backup.errors import BackupError
from orgs.database.backup.restore import restore_backup, resume_restore
from orgs.management.output import ResultCommand, progress_bar


class Command(ResultCommand):
    help = "Restore a backup into an empty database; with --yes in the place of what is there."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", nargs="?", type=Path, help="the folder of a backup")
        parser.add_argument("--yes", action="store_true", help="delete what is there now")
        parser.add_argument(
            "--resume", action="store_true", help="end a restore whose erasing again failed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["folder"]) == options["resume"]:
            raise CommandError("Name the folder of a backup, or say --resume.")
        with progress_bar() as bar:
            task = bar.add_task("Restoring", total=1.0)

            def progress(name: str, share: float) -> None:
                bar.update(task, description=name, completed=share)

            try:
                if options["resume"]:
                    done = resume_restore(say=self.stderr.write)
                else:
                    done = restore_backup(
                        options["folder"],
                        replace=options["yes"],
                        say=self.stderr.write,
                        progress=progress,
                    )
            except BackupError as error:
                raise CommandError(str(error)) from error
        self.stderr.write(
            f"All is as it was at {done.moment}. Keys, sign-ins and rights that were withdrawn "
            "since are back: withdraw them again."
        )
        for warning in done.warnings:
            self.stderr.write(f"Note: {warning}")
        loaded = {"tables": done.tables, "rows": done.rows, "files": done.files}
        self.print_result(
            {
                "moment": done.moment,
                **({} if options["resume"] else loaded),
                "erased_again": done.replayed,
                "warnings": done.warnings,
                "seconds": round(done.seconds, 1),
            },
            as_json=options["json"],
        )
