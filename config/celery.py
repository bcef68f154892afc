"""The Celery application: workers run the tasks that services enqueue by name."""

import os
import subprocess
import sys
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
app = Celery("commonmind")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def check_roles(**kwargs: Any) -> None:
    """Refuse to start a worker whose database role row-level security does not bind."""
    from orgs.database.role_checks import abort_if_roles_unsafe
    from orgs.placement.server_checks import abort_if_servers_differ

    abort_if_roles_unsafe()
    abort_if_servers_differ()


@worker_init.connect
@beat_init.connect
def check_restore(**kwargs: Any) -> None:
    """Refuse to start a worker while a restore is unfinished."""
    from orgs.database.backup.restore_marker import abort_if_restore_unfinished

    abort_if_restore_unfinished()


@worker_init.connect
@beat_init.connect
def check_release(**kwargs: Any) -> None:
    """Refuse to start a worker of a release that is older than the database."""
    from config.releases.database_release import abort_if_database_newer

    abort_if_database_newer()


@worker_init.connect
def check_encoder(**kwargs: Any) -> None:
    """Refuse to start a worker whose embedding model is missing or cannot be used here.

    It is checked in another process: if the worker loaded a model library before it forks, its
    children would lack the library's threads.
    """
    from memories.embedding.encoder_loading import is_built_in

    command = [sys.executable, "-m", "django", "check_encoder"]
    if not is_built_in() and subprocess.run(command, check=False).returncode:  # noqa: S603
        raise SystemExit(1)


@worker_ready.connect
def check_folder(**kwargs: Any) -> None:
    """Say in the log if another worker has another DATA_DIR."""
    from config.monitoring.diagnosis import warn_if_folder_unshared

    warn_if_folder_unshared()


@worker_ready.connect
def start_model_sweep(sender: Any, **kwargs: Any) -> None:
    """Start the sweep for memories without a vector: the model can change only at a restart."""
    sender.app.send_task("memories.sweep_models", retry=False)
