"""Run a consolidation now instead of at its scheduled time."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.jobs.models import JobKind
from memories.jobs.organisation_queue import put_down, take_here
from memories.jobs.organisation_run import do
from memories.jobs.queue import JobTurn, finish, requeue
from orgs.management.output import SpeakingCommand, progress_bar

COUNTS = ("looked", "promoted", "demoted", "duplicates", "contradictions")


class Command(SpeakingCommand):
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
        job = take_here(organisation.id, JobKind.CONSOLIDATE, now=timezone.now())
        try:
            with progress_bar() as progress:
                bar = progress.add_task("Consolidate", total=job.total or None)
                whole = do(
                    job,
                    now=timezone.now(),
                    turn=JobTurn(float("inf")),
                    shows=lambda done, total: progress.update(bar, completed=done, total=total),
                )
        except KeyboardInterrupt:
            put_down(job, now=timezone.now())
            raise CommandError("Stopped. What is done stays; run it again to go on.") from None
        if not whole:
            requeue(None, job)
            raise CommandError("It was cancelled. What is done stays; run it again to go on.")
        finish(None, job)
        self.say(_told(job.result), as_json=options["json"])


def _told(result: dict[str, Any]) -> dict[str, Any]:
    moves = []
    for name, number in sorted(result.get("moves", {}).items()):
        before, after, reason = name.split()
        moves.append({"from": before, "to": after, "reason": reason, "memories": number})
    return {**{name: result.get(name, 0) for name in COUNTS}, "moves": moves}
