"""The Celery application: workers run the tasks that services enqueue by name."""

import os
import subprocess
import sys
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init, worker_ready
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
    from orgs.database.role_checks import refuse_unsafe_roles

    refuse_unsafe_roles()


@worker_init.connect
@beat_init.connect
def check_restore(**kwargs: Any) -> None:
    """Nothing works on a database that is half restored."""
    from orgs.database.backup.marker import refuse_unfinished_restore

    refuse_unfinished_restore()


@worker_init.connect
def check_encoder(**kwargs: Any) -> None:
    """A worker whose embedding model cannot be had, or does not fit, does not start.

    Looked at in a process of its own: a model library that was loaded before the worker forks
    would leave its children without the library's threads.
    """
    from memories.embedding.encoders import is_built_in

    command = [sys.executable, "-m", "django", "check_encoder"]
    if not is_built_in() and subprocess.run(command, check=False).returncode:  # noqa: S603
        raise SystemExit(1)


@worker_ready.connect
def look_for_what_a_new_model_has_not_seen(sender: Any, **kwargs: Any) -> None:
    """The model is changed by starting anew, so this is when it may be another one."""
    sender.app.send_task("memories.sweep_models", retry=False)
