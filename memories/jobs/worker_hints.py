"""Hints wake workers. A hint may be lost: only the pending row counts."""

import logging
import threading
import time
from contextvars import copy_context
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from orgs.trace_spans import to_message_headers

log = logging.getLogger("commonmind.hints")

BREAKER_SECONDS = 10.0
_breaker_open_until = 0.0
# One hint wakes a worker for everything that waits, so a second one within a second is useless.
MIN_INTERVAL_SECONDS = 1.0
_next_hint_at: dict[tuple[str, UUID], float] = {}
_lock = threading.Lock()


def send_hint(task: str, organisation_id: UUID, **ids: UUID | int) -> None:
    """Send a hint, with what caused it. After a failure of the broker none is sent for some
    seconds."""
    global _breaker_open_until  # noqa: PLW0603 - one circuit breaker for the process
    if time.monotonic() < _breaker_open_until:
        return
    try:
        named = {"organisation_id": organisation_id, **ids}
        # Imported with the first hint: without it a web process starts .3 s faster.
        broker = import_string(settings.TASK_SENDER)
        broker.send_task(
            task,
            kwargs={name: str(id_) for name, id_ in named.items()},
            headers=to_message_headers(),
        )
    except Exception as error:
        # The write is committed and must not fail because of the broker (away, full, wrong
        # password). The sweeper finds the rows later.
        _breaker_open_until = time.monotonic() + BREAKER_SECONDS
        log.warning("broker does not answer: %s", type(error).__name__)


def send_hint_throttled(task: str, organisation_id: UUID) -> None:
    """Send a hint now, or at the end of the second if one was sent already.

    Rows that are written after a hint may be too late for the worker that it woke, so the last hint
    of a second is delayed, never dropped.
    """
    key, now = (task, organisation_id), time.monotonic()
    with _lock:
        for done in [one for one, until in _next_hint_at.items() if until <= now]:
            del _next_hint_at[done]
        if (until := _next_hint_at.get(key)) is None:
            _next_hint_at[key], wait = now + MIN_INTERVAL_SECONDS, 0.0
        elif until > now + MIN_INTERVAL_SECONDS:
            return  # a delayed one is scheduled already
        else:
            _next_hint_at[key], wait = until + MIN_INTERVAL_SECONDS, until - now
    if wait:
        # Of the calls of one second, the worker's lines name the one that began the wait.
        later = threading.Timer(wait, copy_context().run, (send_hint, task, organisation_id))
        later.daemon = True
        later.start()
    else:
        send_hint(task, organisation_id)


def notify_embedding_worker(organisation_id: UUID) -> None:
    """After the transaction commits, wake a worker for the organisation's pending rows."""
    transaction.on_commit(lambda: send_hint_throttled("memories.embed_pending", organisation_id))


def notify_pattern_worker(organisation_id: UUID) -> None:
    """After the transaction commits, let a worker check the patterns whose evidence may be gone."""
    transaction.on_commit(lambda: send_hint("memories.promote_patterns", organisation_id))


def notify_restatement_worker(organisation_id: UUID) -> None:
    """After the transaction commits, wake a worker for turns that wait for a language model."""
    transaction.on_commit(lambda: send_hint("memories.restate_pending", organisation_id))


def notify_job_worker(organisation_id: UUID, job_id: UUID, member_id: UUID | None) -> None:
    """Wake a worker for a committed job. member_id: None for a job of the organisation."""
    whose = {} if member_id is None else {"member_id": member_id}
    send_hint("memories.run_job", organisation_id, job_id=job_id, **whose)
