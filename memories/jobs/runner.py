"""What a worker process does with jobs: the right work for their kind, in turns."""

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
    """A job that no other try would finish; the message is shown to who asked for it."""


def does(kind: str, work: Work) -> None:
    """Register what a job of this kind does; it saves its own progress and end."""
    _work[kind] = work


# Whose turn was the last one in this process; what a restart forgets is one round.
_last: list[UUID] = []


def take_turn() -> bool:
    """Do one job for one turn: of the organisation that comes after the last one, its longest
    waiting job. Whether there was any.

    So an organisation with a thousand jobs, or one that takes hours, waits as often as any other.
    """
    for organisation_id in _round():
        for asked in waiting_in(organisation_id, timezone.now()):
            if run_job(*asked):
                return True
    return False


def organisations() -> list[UUID]:
    """Every organisation of this service."""
    return list(Organisation.objects.using(WORKER).values_list("id", flat=True))


def _round() -> list[UUID]:
    """Every organisation once, from the one after the last."""
    return sorted(organisations(), key=lambda id_: (bool(_last) and id_ <= _last[0], id_))


def run_job(organisation_id: UUID, job_id: UUID, member_id: UUID | None) -> bool:
    """Do one job for one turn, if it is still to be done; whether it was.

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
        # The class alone: a message may quote a text. The lease runs out, and it is tried again.
        log.warning("a job broke off: %s", type(error).__name__)
        raise
    return True
