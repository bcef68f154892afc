"""Make a backup of the database and the files, while the site runs."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from orgs.database.backup.create import create_backup
from orgs.database.backup.errors import BackupError
from orgs.management.output import ResultCommand, progress_bar


class Command(ResultCommand):
    help = "Write a backup into a new folder: every table, files of jobs, the erasure ledger."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="a folder that does not exist or is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        with progress_bar() as bar:
            task = bar.add_task("Reading", total=1.0)

            def progress(name: str, share: float) -> None:
                bar.update(task, description=name, completed=share)

            try:
                made = create_backup(options["folder"], progress=progress)
            except BackupError as error:
                raise CommandError(str(error)) from error
        manifest = made.manifest
        until = manifest.taken_at + timedelta(days=settings.BACKUP_KEEP_DAYS)
        self.print_result(
            {
                "backup": str(made.folder),
                "id": manifest.id,
                "moment": manifest.moment,
                "keep_until": until.isoformat(),
                "tables": len(manifest.tables),
                "rows": manifest.rows,
                "files": len(manifest.files),
                "bytes": manifest.bytes,
                "seconds": round(made.seconds, 1),
            },
            as_json=options["json"],
        )
