"""Run jobs in a worker process: the registered work of their kind, in turns."""

import logging
from collections.abc import Callable
from uuid import UUID

from django.utils import timezone

from memories.jobs import organisation_run
from memories.jobs.models import Job, JobState
from memories.jobs.queue import WORKER, finish, requeue, take, waiting_in
from orgs.models.organisations import Organisation
from orgs.principals import Actor

log = logging.getLogger("commonmind.jobs")

Work = Callable[[Actor, Job], None]
_work: dict[str, Work] = {}


class Hopeless(Exception):
    """The job cannot be finished by another try; the message is shown to whoever asked for it."""


def does(kind: str, work: Work) -> None:
    """Register the work of a kind of job. The work stores its own progress and end."""
    _work[kind] = work


# The organisation that had the last turn in this process. A restart only begins the round again.
_last: list[UUID] = []


def take_turn() -> bool:
    """Run one job for one turn: of the next organisation in the round, its longest waiting job.
    Returns whether there was any.

    So every organisation gets the same share of turns, even with a thousand jobs or one of hours.
    """
    for organisation_id in _round():
        for asked in waiting_in(organisation_id, timezone.now()):
            if run_job(*asked):
                return True
    return False


def organisations() -> list[UUID]:
    """The ids of all organisations."""
    return list(Organisation.objects.using(WORKER).values_list("id", flat=True))


def _round() -> list[UUID]:
    """The ids of all organisations, beginning after the last one."""
    return sorted(organisations(), key=lambda id_: (bool(_last) and id_ <= _last[0], id_))


def run_job(organisation_id: UUID, job_id: UUID, member_id: UUID | None) -> bool:
    """Run one job for one turn, if it is ready. Returns whether it was.

    member_id: None for a job of the organisation.
    """
    taken = take(organisation_id, job_id, member_id)
    if taken is None:
        return False
    _last[:] = [organisation_id]
    actor, job = taken
    try:
        if actor is not None:
            _work[job.kind](actor, job)
        elif organisation_run.do(job, now=timezone.now()):
            finish(None, job)
        else:
            requeue(None, job)
    except Hopeless as error:
        finish(actor, job, state=JobState.DEAD, reason=str(error))
    except PermissionError:
        reason = "Whoever asked for this may not do it any more."
        finish(actor, job, state=JobState.DEAD, reason=reason)
    except Exception as error:
        # Only the class: a message may quote a text. The lease ends, and the job is tried again.
        log.warning("a job broke off: %s", type(error).__name__)
        raise
    return True
