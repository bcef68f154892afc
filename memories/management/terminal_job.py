"""Run a job of the organisation at a terminal to its end."""

from django.core.management.base import CommandError
from django.utils import timezone

from memories.jobs.job_queue import JobTimeSlice, finish_job, requeue_job
from memories.jobs.models import Job, JobState
from memories.jobs.organisation_run import release_job, run_time_slice
from memories.jobs.run_jobs import PermanentJobError
from orgs.management.output import progress_bar


def run_at_terminal(job: Job, label: str) -> None:
    """Do a leased job with a progress bar. Raises CommandError if it does not end well; after a
    cancel or Ctrl-C the next call goes on."""
    try:
        with progress_bar() as progress:
            bar = progress.add_task(label, total=job.total or None)
            whole = run_time_slice(
                job,
                now=timezone.now(),
                turn=JobTimeSlice(float("inf")),
                shows=lambda done, total: progress.update(bar, completed=done, total=total),
            )
    except KeyboardInterrupt:
        release_job(job, now=timezone.now())
        raise CommandError("Stopped. What is done stays; run it again to go on.") from None
    except PermanentJobError as error:
        finish_job(None, job, state=JobState.DEAD, reason=str(error))
        raise CommandError(str(error)) from error
    if not whole:
        requeue_job(None, job)
        raise CommandError("It was cancelled. What is done stays; run it again to go on.")
    finish_job(None, job)
