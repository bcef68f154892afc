"""An organisation with much work lets the others have theirs (O15)."""

from typing import Any

import pytest
from celery import current_app

from memories import tasks
from memories.indexing import embed_worker
from memories.indexing.models import Embedding, Pending
from memories.jobs import turns, worker_hints
from orgs.database.rls import organisation_scope
from tests.world import Tenant, World

Queue = list[dict[str, str]]


@pytest.fixture
def queue(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """The queue of hints of these organisations, in their order; one batch has two texts, and a run
    does one of them."""
    waiting: Queue = []

    def is_known(organisation_id: str) -> bool:
        # What another test has left may send one as well.
        known = [vars(lasting_world).get(name) for name in ("here", "there")]
        return organisation_id in {str(one.id) for one in known if one is not None}

    class Broker:
        def send_task(self, name: str, kwargs: dict[str, str], **_: Any) -> None:
            if name == "memories.embed_pending" and is_known(kwargs["organisation_id"]):
                waiting.append(kwargs)

    monkeypatch.setattr(worker_hints, "import_string", lambda _path: Broker())
    monkeypatch.setattr(worker_hints, "_breaker_open_until", 0.0)
    monkeypatch.setattr(worker_hints, "MIN_INTERVAL_SECONDS", 0.0)
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.0)
    embed = embed_worker.embed_pending
    monkeypatch.setattr(embed_worker, "BATCH_SIZE", 2)
    monkeypatch.setattr(
        embed_worker, "embed_pending", lambda id_, now: embed(id_, now=now, limit=2)
    )
    return waiting


def run_next(queue: Queue) -> int:
    return int(current_app.tasks["memories.embed_pending"](**queue.pop(0)))


def remember(tenant: Tenant, count: int) -> None:
    for number in range(count):
        body = {"content": f"Pump {number} runs at 40 bar.", "visibility": "organisation"}
        answer = tenant.api("bolt").post("/api/v1/memories", body, format="json")
        assert answer.status_code == 201


def count_waiting(tenant: Tenant) -> int:
    with organisation_scope(tenant.id, using="worker"):
        return Pending.objects.using("worker").filter(organisation_id=tenant.id).count()


def test_who_writes_one_thing_waits_for_no_hundred_hints_of_another(
    lasting_world: World, queue: Queue
) -> None:
    busy, other = lasting_world.here, lasting_world.there
    remember(busy, 14)
    assert len(queue) >= 14
    remember(other, 1)
    looked = worked = 0
    while count_waiting(other):
        looked += 1
        worked += run_next(queue) > 0
        assert looked < 100
    assert count_waiting(busy) > 0, "the busy one is not done yet"
    # Two turns of the busy one, and its own; the other hints were passed over.
    assert worked <= turns.MAX_TURNS + 1
    while queue:
        run_next(queue)
    assert count_waiting(busy) == 0
    with organisation_scope(busy.id, using="worker"):
        assert Embedding.objects.using("worker").filter(organisation_id=busy.id).count() == 14


def test_at_most_so_many_runs_of_an_organisation_stand_in_the_queue(
    lasting_world: World, queue: Queue
) -> None:
    busy = lasting_world.here
    remember(busy, 12)
    for _ in range(len(queue)):
        run_next(queue)
    assert 0 < len(queue) <= turns.MAX_TURNS
    assert all(one["turn"] in ("0", "1") for one in queue)


def test_what_is_written_while_the_last_run_ends_is_embedded(
    lasting_world: World, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = lasting_world.here
    remember(busy, 1)
    look = embed_worker.has_expired_leases
    monkeypatch.setattr(turns, "MAX_TURNS", 1)

    def write_late(*given: Any) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(embed_worker, "has_expired_leases", look)
            remember(busy, 1)
            # Its hint comes to another worker, and is dropped.
            assert run_next(queue) == 0
        monkeypatch.setattr(embed_worker, "has_expired_leases", look)
        return False

    monkeypatch.setattr(embed_worker, "has_expired_leases", write_late)
    assert run_next(queue) == 1
    while queue:
        run_next(queue)
    assert count_waiting(busy) == 0


def test_a_turn_ends_when_the_run_fails(
    lasting_world: World, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here

    def fail(*given: Any, **named: Any) -> int:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(embed_worker, "embed_pending", fail)
        for _ in range(turns.MAX_TURNS + 1):
            with pytest.raises(RuntimeError):
                tasks.embed_pending(organisation_id=str(here.id))
    assert turns.acquire_turn(tasks.EMBEDDING, here.id) == 0
    assert turns.acquire_turn(tasks.EMBEDDING, here.id) == 1
    assert turns.acquire_turn(tasks.EMBEDDING, here.id) is None
    assert turns.release_turn(tasks.EMBEDDING, here.id, 0)
    assert not turns.release_turn(tasks.EMBEDDING, here.id, 1)
