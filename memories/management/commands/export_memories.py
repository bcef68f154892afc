"""Write the memories that a member may read as a snapshot to stdout; progress goes to stderr."""

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from rest_framework.serializers import ValidationError

from memories.snapshots.read_snapshot import export_snapshot
from memories.snapshots.snapshot_format import FiltersSerializer, first_error
from orgs.management.output import ResultCommand, progress_bar

FILTERS = ("group", "tier", "type", "since", "until")


class Command(ResultCommand):
    help = "Write what a member may read to the standard output, as a snapshot of JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--as", dest="email", required=True, help="e-mail of the member")
        for name in FILTERS:
            parser.add_argument(f"--{name}")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = self.member(self.organisation(options["organisation"]), options["email"])
        given = {name: options[name] for name in FILTERS if options[name] is not None}
        try:
            filters = FiltersSerializer().run_validation(given)
        except ValidationError as error:
            raise CommandError(first_error(error)) from error
        total, chunks = export_snapshot(actor, filters, now=timezone.now())
        out = getattr(self.stdout, "buffer", None) or sys.stdout.buffer
        with progress_bar() as progress:
            bar = progress.add_task("Export", total=total)
            for done, lines in chunks:
                out.write(lines)
                progress.update(bar, completed=done)
        out.flush()
