"""Run a consolidation now instead of at its scheduled time."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run
from memories.management.terminal_job import run_at_terminal
from orgs.management.output import ResultCommand

COUNTS = ("looked", "promoted", "demoted", "duplicates", "contradictions")


class Command(ResultCommand):
    help = (
        "Move the memories that are due to move between tiers, and propose near-duplicates and "
        "contradictions; a second run finds nothing to do. Ctrl-C stops it, and the next call "
        "goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        job = lease_manual_run(organisation.id, JobType.CONSOLIDATE, now=timezone.now())
        run_at_terminal(job, "Consolidate")
        self.print_result(_format_result(job.result), as_json=options["json"])


def _format_result(result: dict[str, Any]) -> dict[str, Any]:
    moves = []
    for name, number in sorted(result.get("moves", {}).items()):
        before, after, reason = name.split()
        moves.append({"from": before, "to": after, "reason": reason, "memories": number})
    return {**{name: result.get(name, 0) for name in COUNTS}, "moves": moves}
