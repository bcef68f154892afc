"""What a worker process does with a job of a member: the right work for its kind."""

import logging
from uuid import UUID

from memories.models import JobKind, JobState
from memories.services import transfer
from memories.services.jobs import finish, run_change, take

log = logging.getLogger("commonmind.jobs")


def run_job(organisation_id: UUID, job_id: UUID, member_id: UUID) -> bool:
    """Do one job, if it is still to be done; whether it was."""
    taken = take(organisation_id, job_id, member_id)
    if taken is None:
        return False
    actor, job = taken
    try:
        if job.kind == JobKind.IMPORT:
            transfer.run_import(actor, job)
        else:
            run_change(actor, job)
    except transfer.Unreadable as error:
        finish(actor, job, state=JobState.DEAD, reason=str(error))
    except PermissionError:
        reason = "Whoever asked for this may not do it any more."
        finish(actor, job, state=JobState.DEAD, reason=reason)
    except Exception as error:
        # The class alone: a message may quote a text. The lease runs out, and it is tried again.
        log.warning("a job broke off: %s", type(error).__name__)
        raise
    return True
