"""The last failure of a robot's calls: a code, the call and a time, nothing that was sent."""

from datetime import datetime, timedelta
from uuid import UUID

from orgs.database.rls import organisation_scope
from robots.models.robots import Robot

# The shortest time between two writes, for a robot that fails in a loop.
RECORD_INTERVAL = timedelta(seconds=1)


def record_failure(
    *, organisation_id: UUID, robot_id: UUID, code: str, call: str, now: datetime
) -> None:
    """Note that a call of this robot failed now; this replaces the failure before.

    code: of the problem, cut at 40 characters. call: the method and the pattern of the address, cut
    at 120. Within NOTED_EACH of the last failure nothing changes.
    """
    rows = Robot.objects.filter(organisation_id=organisation_id, id=robot_id)
    with organisation_scope(organisation_id):
        rows.exclude(failed_at__gt=now - RECORD_INTERVAL).update(
            failed_at=now, failure=code[:40], failed_call=call[:120]
        )
