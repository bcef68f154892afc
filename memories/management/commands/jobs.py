"""List the jobs of an organisation and its members; cancel or resume one."""

from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.jobs.job_queue import cancel_job_as_operator, list_jobs, resume_job_as_operator
from memories.jobs.models import Job
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "List the jobs of an organisation, the newest first; cancel or resume one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--cancel", type=UUID, metavar="ID", help="stop this job")
        what.add_argument("--resume", type=UUID, metavar="ID", help="let it go on at its place")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation, now = self.organisation(options["organisation"]), timezone.now()
        try:
            if id_ := options["cancel"]:
                jobs = [cancel_job_as_operator(organisation.id, id_, now=now)]
            elif id_ := options["resume"]:
                jobs = [resume_job_as_operator(organisation.id, id_, now=now)]
            else:
                jobs = list_jobs(organisation.id)
        except (NotFoundError, AlreadyExistsError) as error:
            raise CommandError(str(error)) from error
        rows = [_to_row(job, (now - job.created_at).total_seconds()) for job in jobs]
        if options["json"]:
            self.print_result({"jobs": rows}, as_json=True)
            return
        for row in rows:
            whose = "member" if row["member"] else "robot" if row["robot"] else "organisation"
            asked = ", to be cancelled" if row["cancel_asked"] else ""
            self.stdout.write(
                f"{row['id']}  {row['kind']} of {whose}: {row['state']}{asked}, "
                f"{row['done']:,} of {row['total']:,}, {row['age_seconds']:,} s old"
                + (f"; {row['reason']}" if row["reason"] else "")
            )
        if not rows:
            self.stdout.write("no jobs")


def _to_row(job: Job, age: float) -> dict[str, Any]:
    """A job as a dict. age_seconds: since it was created. done, total: in the unit of its kind."""
    return {
        "id": job.id,
        "kind": job.kind,
        "member": job.member_id,
        "robot": job.robot_id,
        "state": job.state,
        "cancel_asked": job.cancel_asked_at is not None,
        "done": job.done,
        "total": job.total,
        "age_seconds": max(0, round(age)),
        "reason": job.reason,
        "period": job.period,
    }
