"""When a robot last did something, and how its last refused call failed.

All calls of a robot write these to its one row, and all pages write through one robot. So a call
that finds the row taken leaves it as it is: it would wait for the other's transaction to end, which
may have a thousand memories to write.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from orgs.database.rls import organisation_scope
from robots.models.robots import Robot

# The shortest time between two writes of either.
RECORD_INTERVAL = timedelta(seconds=1)
# `_activity_times` holds when this process last noted a robot's activity, for so many robots.
MAX_ACTIVITY_TIMES = 10_000
_activity_times: dict[UUID, datetime] = {}


def last_heard_at(robot: Robot, uses: Iterable[datetime | None]) -> datetime | None:
    """When the robot was last heard from: when it last did something, or a key of it was used for
    anything (`uses`); None for never."""
    return max((at for at in (robot.last_active_at, *uses) if at), default=None)


def record_activity(*, organisation_id: UUID, robot_id: UUID, now: datetime) -> None:
    """Note that the robot did something now; call inside a scope of its organisation.

    It writes at most once a second, and not while another transaction holds the robot's row.
    """
    before = _activity_times.get(robot_id)
    if before is not None and timedelta(0) <= now - before < RECORD_INTERVAL:
        return
    transaction.on_commit(lambda: _store_activity_time(robot_id, now))
    earlier = Q(last_active_at__isnull=True) | Q(last_active_at__lt=now)
    _update_unless_locked(organisation_id, robot_id, earlier, last_active_at=now)


def _store_activity_time(robot_id: UUID, now: datetime) -> None:
    if len(_activity_times) >= MAX_ACTIVITY_TIMES:
        _activity_times.clear()
    _activity_times[robot_id] = now


def record_failure(
    *, organisation_id: UUID, robot_id: UUID, code: str, call: str, now: datetime
) -> None:
    """Note that a call of this robot failed now; this replaces the failure before.

    code: of the problem, cut at 40 characters. call: the method and the pattern of the address, cut
    at 120. It writes at most once a second, for a robot that fails in a loop, and not while another
    transaction holds the robot's row.
    """
    long_ago = Q(failed_at__isnull=True) | Q(failed_at__lte=now - RECORD_INTERVAL)
    values: dict[str, datetime | str] = {
        "failed_at": now,
        "failure": code[:40],
        "failed_call": call[:120],
    }
    with organisation_scope(organisation_id):
        _update_unless_locked(organisation_id, robot_id, long_ago, **values)


def _update_unless_locked(
    organisation_id: UUID, robot_id: UUID, due: Q, **values: datetime | str
) -> None:
    rows = Robot.objects.filter(due, organisation_id=organisation_id, id=robot_id)
    free = rows.select_for_update(no_key=True, skip_locked=True)
    Robot.objects.filter(id__in=free.values("id")).update(**values)
