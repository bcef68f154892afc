"""Run a consolidation now instead of at its scheduled time."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.jobs.job_queue import JobTimeSlice, finish_job, requeue_job
from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run, release_job, run_time_slice
from orgs.management.output import ResultCommand, progress_bar

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
        try:
            with progress_bar() as progress:
                bar = progress.add_task("Consolidate", total=job.total or None)
                whole = run_time_slice(
                    job,
                    now=timezone.now(),
                    turn=JobTimeSlice(float("inf")),
                    shows=lambda done, total: progress.update(bar, completed=done, total=total),
                )
        except KeyboardInterrupt:
            release_job(job, now=timezone.now())
            raise CommandError("Stopped. What is done stays; run it again to go on.") from None
        if not whole:
            requeue_job(None, job)
            raise CommandError("It was cancelled. What is done stays; run it again to go on.")
        finish_job(None, job)
        self.print_result(_format_result(job.result), as_json=options["json"])


def _format_result(result: dict[str, Any]) -> dict[str, Any]:
    moves = []
    for name, number in sorted(result.get("moves", {}).items()):
        before, after, reason = name.split()
        moves.append({"from": before, "to": after, "reason": reason, "memories": number})
    return {**{name: result.get(name, 0) for name in COUNTS}, "moves": moves}
