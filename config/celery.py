"""The Celery application: workers run the tasks that services enqueue by name."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
app = Celery("commonmind")
app.config_from_object("django.conf:settings", namespace="CELERY")
# A worker that is told of no queue takes from all of them.
app.conf.task_queues = [Queue(name) for name in ("celery", "jobs", "indexes")]
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def check_roles(**kwargs: Any) -> None:
    """A worker with a role that row-level security does not bind does not start."""
    from orgs.checks import refuse_unsafe_roles

    refuse_unsafe_roles()
