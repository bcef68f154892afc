"""A process sends one hint a second for each organisation; the last one is never left out."""

import threading
import time
from uuid import UUID

import pytest

from memories.jobs import worker_hints
from orgs.models.base import new_id

TASK = "memories.embed_pending"


class Sent:
    """What was sent, with the seconds since the first one."""

    def __init__(self) -> None:
        self.found: list[tuple[str, UUID]] = []
        self.at: list[float] = []
        self.arrived = threading.Condition()

    def __call__(self, task: str, organisation_id: UUID) -> None:
        with self.arrived:
            self.found.append((task, organisation_id))
            self.at.append(time.monotonic())
            self.arrived.notify_all()

    def wait_for(self, count: int) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.found) >= count, timeout=10)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    found = Sent()
    monkeypatch.setattr(worker_hints, "send_hint", found)
    monkeypatch.setattr(worker_hints, "MIN_INTERVAL_SECONDS", 0.3)
    return found


def test_the_last_hint_of_a_second_is_late_and_not_left_out(sent: Sent) -> None:
    here = new_id()
    for _ in range(20):
        worker_hints.send_hint_throttled(TASK, here)
    sent.wait_for(2)
    assert sent.at[1] - sent.at[0] >= 0.25
    time.sleep(0.4)
    assert sent.found == [(TASK, here)] * 2, "one at once, one for all the others"
    worker_hints.send_hint_throttled(TASK, here)
    assert len(sent.found) == 3, "a new second begins at once"


def test_organisations_and_tasks_do_not_wait_for_each_other(sent: Sent) -> None:
    one, other = new_id(), new_id()
    for task, organisation_id in ((TASK, one), (TASK, other), ("memories.restate_pending", one)):
        worker_hints.send_hint_throttled(task, organisation_id)
    assert len(sent.found) == 3


def test_a_steady_stream_is_one_hint_a_second(sent: Sent) -> None:
    here, end = new_id(), time.monotonic() + 1.0
    while time.monotonic() < end:
        worker_hints.send_hint_throttled(TASK, here)
        time.sleep(0.01)
    time.sleep(0.4)
    gaps = [later - earlier for earlier, later in zip(sent.at, sent.at[1:], strict=False)]
    assert 3 <= len(sent.found) <= 6
    assert min(gaps) >= 0.2
