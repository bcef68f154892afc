"""Archive now by the organisation's policy, instead of waiting for the daily run."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memories.lifecycle.retention import run_retention
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Archive what the policy keeps no longer; without a policy nothing. Nothing is deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--dry-run", action="store_true", help="count, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation, dry = self.organisation(options["organisation"]), options["dry_run"]
        done = run_retention(organisation.id, now=timezone.now(), dry_run=dry)
        counts = [
            {"rule": rule, "type": type_, "memories": number}
            for (rule, type_), number in sorted(done.counts.items())
        ]
        found = {"dry_run": dry, "archived": done.archived, "counts": counts}
        self.print_result(
            found | {"sample": [str(id_) for id_ in done.sample]}, as_json=options["json"]
        )
