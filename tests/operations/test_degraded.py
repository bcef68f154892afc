"""Broker away, broker emptied, encoder broken, disk full: nothing is lost and words find (O01 O04
O05)."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import UUID

import pytest
import redis
from celery import Celery
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone

from config.embedded.private_files import read_json
from config.embedded.servers.server_folders import delete_server_folder
from config.embedded.servers.valkey import Valkey
from config.monitoring.health import MIN_FREE_BYTES
from memories import tasks
from memories.embedding.encoder import EncoderError
from memories.embedding.query_cache import get_query_cache
from memories.indexing import embed_worker
from memories.indexing.models import Embedding, Pending
from memories.jobs import leases, worker_hints
from memories.retrieval.recall_log import record_recall
from memories.retrieval.search_types import SearchResult
from orgs.accounts import sessions
from orgs.principals import resolve_principal
from tests.fast_path import FastPathSite
from tests.memories.views.memory.test_edit import edit_form
from tests.world import NOW, Tenant, World

QUEUE = "celery"


class Broker:
    """A Valkey of the test's own, to which the services' hints go."""

    def __init__(self, folder: Path) -> None:
        self.server = Valkey(folder)
        self.url = self.server.start()
        self.app = Celery("test", set_as_current=False)
        self.app.config_from_object(
            {
                key.removeprefix("CELERY_").lower(): getattr(settings, key)
                for key in dir(settings)
                if key.startswith("CELERY_BROKER_T") or key == "CELERY_TASK_PUBLISH_RETRY"
            }
            | {"broker_url": self.url}
        )

    def waiting(self) -> int:
        with redis.Redis.from_url(self.url) as client:
            return int(client.llen(QUEUE))

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def work(self, organisation: UUID) -> int:
        """Do what a worker does with the messages for one organisation; returns how many."""
        done = 0
        with self.app.connection_for_read() as connection:
            queue = connection.SimpleQueue(QUEUE)
            try:
                while True:
                    message = queue.get(block=False)
                    message.ack()
                    wish = message.payload[1]
                    # A turn that was cut off goes on by its number.
                    if wish.get("organisation_id") == str(organisation):
                        tasks.embed_pending(**wish)
                        done += 1
            except Empty:
                queue.close()
        return done


def no_late_hint_comes() -> None:
    """What a test before this one left to be sent would count here, or silence the breaker."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
            thread.join()
    worker_hints._next_hint_at.clear()


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Broker]:
    no_late_hint_comes()
    folder = tmp_path / "data"
    made = Broker(folder)
    monkeypatch.setattr(worker_hints, "import_string", lambda _path: made.app)
    monkeypatch.setattr(worker_hints, "_breaker_open_until", 0.0)
    settings.REDIS_URL = made.url
    yield made
    made.app.close()
    made.server.stop()
    if home := read_json(folder / "valkey.json").get("home"):
        delete_server_folder(Path(home))


def owed(here: Tenant) -> tuple[int, int]:
    """(memories that wait for their embedding, embeddings) in the organisation's audience."""
    with resolve_principal(here.robot("bolt")).scope():
        return Pending.objects.count(), Embedding.objects.count()


def write(here: Tenant, count: int) -> None:
    client = here.api("bolt")
    for start in range(0, count, 1000):
        items = [{"content": f"Fact {n}."} for n in range(start, min(start + 1000, count))]
        answer = client.post("/api/v1/memories/batch", {"items": items}, format="json")
        assert answer.status_code == 200
        assert {r["status"] for r in answer.json()["results"]} == {"active"}


def flushed(here: Tenant, broker: Broker, count: int) -> None:
    write(here, count)
    assert broker.waiting() >= 1, "a hint is sent after each commit"
    assert owed(here) == (count, 0)
    broker.flush()
    assert broker.work(here.id) == 0, "every hint is gone"

    tasks.sweep_embeddings()
    assert broker.work(here.id) >= 1
    assert owed(here) == (0, count)
    broker.flush()
    tasks.sweep_embeddings()
    assert broker.work(here.id) == 0, "nothing is owed, so nothing is sent"


@pytest.mark.conformance("O01")
def test_what_the_broker_lost_the_sweeper_finds(lasting_world: World, broker: Broker) -> None:
    flushed(lasting_world.here, broker, 150)
    sweep = settings.CELERY_BEAT_SCHEDULE["sweep-pending-embeddings"]
    assert sweep["task"] == tasks.sweep_embeddings.name
    assert sweep["schedule"] <= 60


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.conformance("O01")
def test_ten_thousand_pending_survive_a_flush(lasting_world: World, broker: Broker) -> None:
    flushed(lasting_world.here, broker, 10_000)


@pytest.mark.conformance("O01")
def test_what_a_killed_worker_held_comes_back(lasting_world: World, broker: Broker) -> None:
    here, now = lasting_world.here, timezone.now()
    write(here, 5)
    here.read()
    broker.flush()
    assert len(embed_worker._lease_batch(here.id, now, 3)) == 3
    assert here.id in embed_worker.list_organisations_with_work(now), "two are waiting"
    assert embed_worker.embed_pending(here.id, now=now) == 2
    assert here.id not in embed_worker.list_organisations_with_work(now), (
        "three are being worked on"
    )
    later = now + leases.LEASE + leases.LEASE / 100
    assert here.id in embed_worker.list_organisations_with_work(later)
    assert embed_worker.embed_pending(here.id, now=later) == 3
    assert owed(here) == (0, 5)


@pytest.mark.conformance("O04")
def test_without_a_broker_writes_and_words_work_and_work_catches_up(
    lasting_world: World, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    broker.server.stop()
    sent: list[str] = []
    send = broker.app.send_task

    def counted(name: str, **options: Any) -> Any:
        sent.append(name)
        return send(name, **options)

    monkeypatch.setattr(broker.app, "send_task", counted)
    client = here.api("bolt")
    for n in range(12):
        body = {"content": f"The alarm code of door {n} changes on Friday."}
        assert client.post("/api/v1/memories", body, format="json").status_code == 201
    assert len(sent) == 1, "one attempt, then silence for a while: writes stay quick"

    answer = client.post("/api/v1/recall", {"query": "alarm code door 7"}, format="json")
    assert answer.status_code == 200
    assert answer.json()["results"][0]["content"].startswith("The alarm code of door 7")
    health = Client().get("/readyz")
    assert health.status_code == 200
    assert health.json() == {
        "status": "degraded",
        "parts": {
            "database": "ok",
            "broker": "down",
            "encoder": "ok",
            "encryption": "ok",
            "disk": "ok",
            "archive": "off",
            "standby": "off",
        },
    }
    assert owed(here) == (12, 0)

    broker.server.start()
    monkeypatch.setattr(worker_hints, "_breaker_open_until", time.monotonic())
    tasks.sweep_embeddings()
    broker.work(here.id)
    assert owed(here) == (0, 12)
    assert Client().get("/readyz").json()["status"] == "ok"


@pytest.mark.conformance("O04")
@pytest.mark.parametrize("error", [redis.ResponseError("OOM"), OSError(), RuntimeError()])
def test_a_broker_that_refuses_fails_no_write(
    lasting_world: World, broker: Broker, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(broker.app, "send_task", fail)
    write(lasting_world.here, 1)


def broken_model(error: Exception) -> Callable[..., Any]:
    def encode(self: Any, texts: Any, **how: Any) -> Any:
        raise error

    return encode


@pytest.mark.conformance("O05")
@pytest.mark.parametrize("error", [EncoderError("x"), RuntimeError("x"), MemoryError()])
def test_with_a_broken_encoder_writes_and_words_work(
    lasting_world: World, broker: Broker, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    here = lasting_world.here
    get_query_cache().clear()
    with monkeypatch.context() as broken:
        broken.setattr("memories.embedding.fake_encoder.FakeEncoder.encode", broken_model(error))
        client = here.api("bolt")
        body = {"content": "The alarm code changes on Friday."}
        assert client.post("/api/v1/memories", body, format="json").status_code == 201
        for strategy in ("auto", "hybrid", "vector", "keyword"):
            asked = {"query": "alarm", "strategy": strategy}
            answer = client.post("/api/v1/recall", asked, format="json")
            assert answer.status_code == 200
            assert [r["content"] for r in answer.json()["results"]] == [body["content"]]
            assert answer.json()["strategy"] == "keyword", "it says how it was really found"
        health = Client().get("/readyz")
        assert health.status_code == 200
        assert health.json()["status"] == "degraded"
        assert health.json()["parts"]["encoder"] == "down"
        tasks.embed_pending(organisation_id=str(here.id))
        assert owed(here) == (1, 0), "it is tried again later"

    here.embed()
    assert owed(here) == (0, 1)
    assert Client().get("/readyz").json()["parts"]["encoder"] == "ok"


@pytest.mark.conformance("O05")
def test_a_model_that_cannot_be_loaded_is_the_same(
    lasting_world: World, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str | None = None) -> None:
        raise EncoderError("the weights are missing")

    for place in ("memories.embedding.query_cache", "config.monitoring.health"):
        monkeypatch.setattr(f"{place}.get_encoder", absent)
    client = lasting_world.here.api("bolt")
    body = {"content": "The alarm code changes on Friday."}
    assert client.post("/api/v1/memories", body, format="json").status_code == 201
    answer = client.post("/api/v1/recall", {"query": "alarm"}, format="json")
    assert len(answer.json()["results"]) == 1
    assert Client().get("/readyz").json()["parts"]["encoder"] == "down"


@pytest.fixture
def full_disk(lasting_world: World) -> Iterator[Callable[[], None]]:
    """Call it: from then on no table takes a row, as if the database's disk were full."""
    owner = connections["owner"]
    tables = ("memories_memory", "memories_recall", "memories_operation", "memories_readeruse")
    tables += ("memories_workingentry", "robots_key", "orgs_auditentry", "orgs_signin")

    def fill() -> None:
        with owner.cursor() as cursor:
            cursor.execute(
                "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS "
                "$$BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END$$"
            )
            for table in tables:
                cursor.execute(
                    f"CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON {table} "
                    "FOR EACH ROW EXECUTE FUNCTION no_room()"
                )

    yield fill
    with owner.cursor() as cursor:
        cursor.execute("DROP FUNCTION no_room CASCADE")


def test_with_a_full_disk_what_is_kept_can_be_read(
    lasting_world: World, full_disk: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    text = "The alarm code changes on Friday."
    id_ = here.remember(here.robot("aria"), text).id
    here.embed()
    api, site, page = here.api("aria"), FastPathSite(), here.browser("chidi")
    edited = edit_form(page, id_, content="It changes on Monday.")
    full_disk()

    refused = api.post("/api/v1/memories", {"content": "One more."}, format="json")
    assert (refused.status_code, refused.json()["type"][-9:]) == (507, "disk-full")
    assert "disk is full" in refused.json()["detail"]
    assert "disk is full" in page.post(f"/memories/{id_}/edit/", edited).content.decode()

    question = {"query": "When does the alarm code change?"}
    for body in (
        question,
        question | {"working": True},
        question | {"limit": 3, "timeframe": "2026"},
    ):
        asked = api.post("/api/v1/recall", body, format="json")
        assert asked.status_code == 200
    plain = api.post("/api/v1/recall", question, format="json").json()
    assert [hit["content"] for hit in plain["results"]] == [text]
    status, _, answer = site.post(here.keys["aria"], question)
    assert status == 200
    assert [hit["content"] for hit in answer["results"]] == [text]
    context = api.post("/api/v1/context", question, format="json")
    assert (context.status_code, text in context.json()["text"]) == (200, True)
    answer = api.post("/api/v1/answer", question, format="json")
    assert (answer.status_code, answer.json()["answered"]) == (200, "yes")
    assert api.get(f"/api/v1/memories/{id_}").json()["content"] == text
    principal = resolve_principal(here.robot("aria"))
    with principal.scope(deposit=(principal.own_audience,)):
        record_recall(
            principal, SearchResult([], "auto"), took_ms=1, counts=True, now=NOW, reads=[id_]
        )
    # When the browser was seen last is due to be noted.
    monkeypatch.setattr(sessions, "LAST_SEEN_INTERVAL_SECONDS", -1)
    assert text in page.get(f"/memories/{id_}/").content.decode()
    feedback = {"recall_id": plain["recall_id"], "memory": str(id_), "usefulness": 0.9}
    assert api.post("/api/v1/feedback", feedback, format="json").status_code == 404


def test_a_disk_with_little_room_is_told(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(settings.DATA_DIR)
    for free, state in ((MIN_FREE_BYTES, "ok"), (MIN_FREE_BYTES - 1, "full")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage._replace(free=free))
        health = Client().get("/readyz")
        assert (health.status_code, health.json()["parts"]["disk"]) == (200, state)
    assert health.json()["status"] == "degraded"
