"""Run jobs in a worker process: the registered work of their kind, in turns."""

import logging
from collections.abc import Callable
from uuid import UUID

from django.utils import timezone

from memories.jobs import organisation_run
from memories.jobs.job_queue import finish_job, lease_job, list_ready_jobs, requeue_job
from memories.jobs.models import Job, JobState
from orgs.database.driver.servers import server_of
from orgs.errors import NotFoundError, QuotaError
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor
from orgs.trace_spans import TraceContext, current_trace, trace_scope

log = logging.getLogger("commonmind.jobs")

# What a job names, such as a group, may be gone, or closed to whoever asked.
LOST_REASON = "What this is about is not there any more, or not for whoever asked."

JobHandler = Callable[[Actor, Job], None]
# The work of a kind, and the scope that the key of a robot needs for it.
_handlers: dict[str, tuple[JobHandler, str]] = {}


class PermanentJobError(Exception):
    """The job cannot be finished by another try; the message is shown to whoever asked for it."""


def register_job_handler(kind: str, work: JobHandler, *, scope: str = "write") -> None:
    """Register the work of a kind of job. The work stores its own progress and end. scope: what the
    key of a robot must have when it runs."""
    _handlers[kind] = work, scope


# The organisation that had the last turn in this process. A restart only begins the round again.
_last_organisation_id: list[UUID] = []


def run_next_job(hinted: UUID | None = None) -> bool:
    """Run one job for one turn: of the next organisation in the round, its longest waiting job.
    Returns whether there was any.

    So every organisation gets the same share of turns, even with a thousand jobs or one of hours.
    hinted: the job that the message was about. If another one is next, its log lines do not name
    what caused that message.
    """
    for organisation_id in _round_robin_ids():
        for asked in list_ready_jobs(organisation_id, timezone.now()):
            of_message = asked[1] == hinted
            trace = current_trace() if of_message else TraceContext(organisation_id=organisation_id)
            with trace_scope(trace):
                if run_job(*asked):
                    return True
    return False


def _round_robin_ids() -> list[UUID]:
    """The ids of all organisations, beginning after the last one."""
    return sorted(
        list_organisation_ids(),
        key=lambda id_: (bool(_last_organisation_id) and id_ <= _last_organisation_id[0], id_),
    )


def _run_handler(actor: Actor, job: Job) -> None:
    """Raises PermissionError if the robot's key has not the scope, and what the work raises."""
    work, scope = _handlers[job.kind]
    if actor.robot_id is not None and scope not in actor.scopes:
        raise PermissionError(scope)
    work(actor, job)


def run_job(
    organisation_id: UUID, job_id: UUID, member_id: UUID | None, robot_id: UUID | None = None
) -> bool:
    """Run one job for one turn, if it is ready. Returns whether it was.

    member_id, robot_id: who asked; both None for a job of the organisation.
    """
    with server_of(organisation_id):
        return _run_job(organisation_id, job_id, member_id, robot_id)


def _run_job(
    organisation_id: UUID, job_id: UUID, member_id: UUID | None, robot_id: UUID | None
) -> bool:
    taken = lease_job(organisation_id, job_id, member_id, robot_id)
    if taken is None:
        return False
    _last_organisation_id[:] = [organisation_id]
    actor, job = taken
    try:
        if actor is not None:
            _run_handler(actor, job)
        elif organisation_run.run_time_slice(job, now=timezone.now()):
            finish_job(None, job)
        else:
            requeue_job(None, job)
    except (PermanentJobError, QuotaError) as error:
        finish_job(actor, job, state=JobState.DEAD, reason=str(error))
    except NotFoundError:
        finish_job(actor, job, state=JobState.DEAD, reason=LOST_REASON)
    except PermissionError:
        reason = "Whoever asked for this may not do it any more."
        finish_job(actor, job, state=JobState.DEAD, reason=reason)
    except Exception as error:
        # Only the class: a message may quote a text. The lease ends, and the job is tried again.
        log.warning("a job broke off: %s", type(error).__name__)
        raise
    return True
