"""What a robot's calls last failed with: a code, the call and a time, and nothing that was sent."""

from datetime import datetime, timedelta
from uuid import UUID

from orgs.database.rls import organisation_scope
from robots.models.robots import Robot

# A robot that fails in a loop writes so often at most.
NOTED_EACH = timedelta(seconds=1)


def note_failure(
    *, organisation_id: UUID, robot_id: UUID, code: str, call: str, now: datetime
) -> None:
    """Keep that a call of this robot failed now, in place of what failed before.

    code: of the problem; call: the method and the pattern of the address. Within a second of
    another failure nothing changes.
    """
    rows = Robot.objects.filter(organisation_id=organisation_id, id=robot_id)
    with organisation_scope(organisation_id):
        rows.exclude(failed_at__gt=now - NOTED_EACH).update(
            failed_at=now, failure=code[:40], failed_call=call[:120]
        )
