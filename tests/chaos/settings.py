"""The settings of the processes: those of `make run`, with sweepers that come each second and
workers that can be killed at a drawn point (`tests.chaos.kill_points`)."""

from config.settings.local import *  # noqa: F403
from config.settings.local import CELERY_BEAT_SCHEDULE

CELERY_IMPORTS = ("tests.chaos.kill_points",)
OFTEN = {"sweep-pending-embeddings", "sweep-jobs", "sweep-ages", "sweep-patterns", "sweep-usage"}
CELERY_BEAT_SCHEDULE = {
    name: entry | {"schedule": 1.0} if name in OFTEN else entry
    for name, entry in CELERY_BEAT_SCHEDULE.items()
}
