"""What a call costs: processor time of this process, of its children and of its database backend.

Processor time and not the time on the clock, so that a busy machine changes little. The backend's
time is read from the machine's own counters; with a database on another machine it counts as 0.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class Cost:
    """process, children, database: seconds of the processor. statements: how many were sent."""

    process: float
    children: float
    database: float
    statements: int
    answer: Any

    @property
    def seconds(self) -> float:
        return self.process + self.children + self.database


def cost_of(call: Callable[[], Any]) -> Cost:
    """What one call costs on the default connection."""
    backend, statements = _backend(), 0

    def counted(execute: Any, *given: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*given)

    with connection.execute_wrapper(counted):
        database, before = _spent(backend), os.times()
        answer = call()
        after, done = os.times(), _spent(backend)
    return Cost(
        process=after.user + after.system - before.user - before.system,
        children=after.children_user
        + after.children_system
        - before.children_user
        - before.children_system,
        database=done - database,
        statements=statements,
        answer=answer,
    )


def _backend() -> int:
    connection.ensure_connection()
    return int(connection.connection.info.backend_pid)


def _spent(backend: int) -> float:
    """Seconds of the processor that a process of this machine has taken; 0 if there is none."""
    try:
        return int(Path(f"/proc/{backend}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, ValueError):
        return 0.0
