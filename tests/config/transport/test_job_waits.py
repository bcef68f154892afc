"""Calls that wait for a job hold no thread and no connection, and learn no more than any other."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone

from config.threaded_asgi import ThreadedHandler
from config.transport import job_waits
from config.transport.answers import Answer
from config.transport.job_waits import JobWaits
from config.transport.refusals import Refused
from config.transport.request_bodies import ClientLeft
from memories.jobs import run_jobs
from memories.jobs.job_waits import JobWait, find_over
from memories.jobs.models import Job
from memories.tasks import run_job
from orgs.database.rls import organisation_scope
from robots.access.keys import revoke_key
from tests.event_loop import run_coroutine
from tests.memories.api.test_robot_jobs import change, key_of, started
from tests.world import Tenant, World

Message = dict[str, Any]


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    monkeypatch.setattr(job_waits, "LOOK_SECONDS", 0.02)
    here = lasting_world.here
    here.remember(here.robot("aria"), "Lunch is at noon.")
    return here


def message_scope(here: Tenant, method: str, path: str, *headers: tuple[bytes, bytes]) -> Message:
    key = here.keys["aria"].encode()
    return {
        "type": "http", "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "client": ("127.0.0.1", 1),
        "headers": [
            (b"host", b"testserver"), (b"authorization", b"Bearer " + key),
            (b"content-length", b"0"), *headers,
        ],
    }  # fmt: skip


class TidyHandler(ThreadedHandler):
    """As it is shipped, but its threads leave no connection open, as with a pool."""

    def _answer(self, *args: Any) -> Answer:
        try:
            return super()._answer(*args)
        finally:
            connections.close_all()


class Calls:
    """A web process in this one. Every call is (status, headers, body), or None if it got none."""

    def __init__(self, here: Tenant) -> None:
        self.here, self.handler = here, TidyHandler(4)
        self.leave = asyncio.Event()

    async def __call__(
        self, method: str, path: str, prefer: str = "wait=10"
    ) -> tuple[int, dict[str, str], Any] | None:
        sent: list[Message] = []
        first = iter([{"type": "http.request", "body": b""}])

        async def receive() -> Message:
            if (message := next(first, None)) is not None:
                return message
            await self.leave.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = message_scope(self.here, method, path, (b"prefer", prefer.encode()))
        await self.handler(scope, receive, send)
        if not sent:
            return None
        headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        body = b"".join(one.get("body", b"") for one in sent[1:])
        return sent[0]["status"], headers, orjson.loads(body)


def play(here: Tenant, work: Callable[[Calls], Any]) -> Any:
    async def run() -> Any:
        return await work(Calls(here))

    return run_coroutine(run())


async def soon(done: Callable[[], bool]) -> None:
    """Until it is so; a test that waits for ever ends by its time limit."""
    while not done():
        await asyncio.sleep(0.01)


async def work_in_thread(work: Callable[..., Any], *args: Any) -> Any:
    """What the work returns, on connections that are closed afterwards."""

    def run() -> Any:
        try:
            return work(*args)
        finally:
            connections.close_all()

    return await asyncio.to_thread(run)


@pytest.mark.conformance("N07")
def test_who_waits_gets_the_finished_job(here: Tenant) -> None:
    async def play_it(calls: Calls) -> Any:
        call = asyncio.create_task(calls("POST", "/api/v1/exports"))
        await soon(lambda: len(calls.handler.waits._waiting) == 1)
        assert not call.done()
        await work_in_thread(run_job)
        return await call

    status, headers, body = play(here, play_it)
    assert (status, body["state"], body["done"]) == (200, "done", 1)
    assert headers["location"] == f"/api/v1/jobs/{body['id']}"
    assert headers["preference-applied"] == "wait=10"


@pytest.mark.conformance("N07")
def test_who_waits_too_short_gets_how_far_it_is(here: Tenant) -> None:
    async def play_it(calls: Calls) -> Any:
        return await calls("POST", "/api/v1/exports", "wait=1")

    began = time.monotonic()
    status, headers, body = play(here, play_it)
    assert time.monotonic() - began >= 1
    assert (status, body["state"], headers["preference-applied"]) == (202, "waiting", "wait=1")
    assert headers["location"] == f"/api/v1/jobs/{body['id']}"


@pytest.mark.conformance("N07")
def test_the_job_itself_is_waited_for_as_well_and_a_finished_one_at_once(here: Tenant) -> None:
    url = started(here)

    async def play_it(calls: Calls) -> Any:
        call = asyncio.create_task(calls("GET", url))
        await soon(lambda: len(calls.handler.waits._waiting) == 1)
        await work_in_thread(run_job)
        first = await call
        return first, await calls("GET", url), await calls("GET", url, "wait=abc")

    waited, over, without = play(here, play_it)
    for status, _, body in (waited, over, without):
        assert (status, body["state"]) == (200, "done")
    assert "location" not in waited[1]
    assert waited[1]["preference-applied"] == over[1]["preference-applied"] == "wait=10"
    assert "preference-applied" not in without[1]


@pytest.mark.conformance("N07")
@pytest.mark.parametrize("end", ["revoked", "dropped"])
def test_what_is_lost_while_waiting_is_not_shown(here: Tenant, end: str) -> None:
    url = started(here)

    def lose() -> None:
        if end == "revoked":
            key = key_of(here, "aria")
            revoke_key(organisation_id=here.id, key_id=key, now=timezone.now())
            change(here, url, state="done")
        else:
            with organisation_scope(here.id, using="worker"):
                Job.objects.using("worker").filter(id=UUID(url[-36:])).delete()

    async def play_it(calls: Calls) -> Any:
        call = asyncio.create_task(calls("GET", url))
        await soon(lambda: len(calls.handler.waits._waiting) == 1)
        await work_in_thread(lose)
        return await call

    status, headers, body = play(here, play_it)
    assert status == (401 if end == "revoked" else 404)
    assert "preference-applied" not in headers
    assert "state" not in body


@pytest.mark.conformance("N07")
def test_a_client_that_leaves_ends_its_wait(here: Tenant) -> None:
    url = started(here)

    async def play_it(calls: Calls) -> Any:
        call = asyncio.create_task(calls("GET", url))
        waits = calls.handler.waits
        await soon(lambda: len(waits._waiting) == 1)
        calls.leave.set()
        assert await call is None
        assert not waits._waiting
        assert not waits._callers
        await asyncio.wait_for(waits._looker, 5)

    play(here, play_it)


@pytest.mark.conformance("N07")
def test_one_caller_waits_only_so_often(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "JOB_WAITS_PER_CALLER", 2)
    url = started(here)

    async def play_it(calls: Calls) -> Any:
        waiting = [asyncio.create_task(calls("GET", url)) for _ in range(2)]
        await soon(lambda: len(calls.handler.waits._waiting) == 2)
        third, plain = await calls("GET", url), await calls("GET", url, "")
        begun = await calls("POST", "/api/v1/exports")
        await work_in_thread(run_job)
        return third, plain, begun, await asyncio.gather(*waiting), await calls("GET", url)

    third, plain, begun, waited, after = play(here, play_it)
    assert (third[0], third[2]["type"]) == (429, "urn:commonmind:problem:too-many")
    assert third[2]["detail"].startswith("You wait for 2 jobs already")
    assert int(third[1]["retry-after"]) >= 1
    assert (plain[0], plain[2]["state"]) == (200, "waiting"), "looking is not waiting"
    assert begun[0] == 202, "what was begun is not refused afterwards"
    assert "preference-applied" not in begun[1]
    assert int(begun[1]["retry-after"]) >= 1
    assert [one[2]["state"] for one in (*waited, after)] == ["done"] * 3


@pytest.mark.conformance("N07")
def test_a_thousand_waiting_calls_hold_no_thread_and_ask_together(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = started(here)
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").get(id=UUID(url[-36:]))
    looks: list[int] = []

    def look(waits: list[JobWait]) -> set[UUID]:
        looks.append(len(waits))
        return find_over(waits)

    monkeypatch.setattr(job_waits, "find_over", look)
    callers = 1_000 // settings.JOB_WAITS_PER_CALLER

    async def play_it(calls: Calls) -> Any:
        waits, asked = calls.handler.waits, []

        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        async def ask(scope: Message) -> Answer:
            asked.append(scope["path"])
            return Answer([{"status": 200, "headers": []}, {"body": b""}])

        first = Answer([{"status": 202, "headers": [(b"Location", url.encode())]}])
        before = threading.active_count()
        tasks = [
            asyncio.create_task(
                waits.finish(
                    JobWait(
                        here.id, job.audience_id, job.id, f"caller {number % callers}", url, 30
                    ),
                    {"headers": []},
                    first,
                    receive,
                    ask,
                )
            )
            for number in range(1_000)
        ]
        await soon(lambda: 1_000 in looks)
        assert threading.active_count() <= before + 1, "the one that looks"
        # The site answers others meanwhile.
        answered = await calls("GET", url, "")
        assert answered is not None
        assert answered[2]["state"] == "waiting"
        assert not any(task.done() for task in tasks)
        await work_in_thread(run_job)
        answers = await asyncio.gather(*tasks)
        assert {one.messages[0]["status"] for one in answers} == {200}
        assert asked == [url] * 1_000
        assert not waits._callers

    play(here, play_it)


CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


def count_connections() -> int:
    """How many connections the database has, but for the one that asks."""
    with connections["default"].cursor() as cursor:
        cursor.execute(CONNECTIONS)
        return int(cursor.fetchone()[0]) - 1


@pytest.mark.slow
@pytest.mark.conformance("N07")
def test_calls_that_wait_leave_threads_and_connections_to_others(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole calls through the process with its four threads; each that held one would stop it."""
    monkeypatch.setattr(settings, "JOB_WAITS_PER_CALLER", 60)
    url = started(here)

    async def play_it(calls: Calls) -> Any:
        handler = calls.handler
        threads, before = threading.active_count(), await work_in_thread(count_connections)
        tasks = [asyncio.create_task(calls("GET", url)) for _ in range(60)]
        await soon(lambda: len(handler.waits._waiting) == 60)
        # The four of the process, the one that looks for all and its connection, the test's own.
        assert threading.active_count() <= threads + 4 + 1 + 2
        assert await work_in_thread(count_connections) <= before + 1
        assert handler.threads._work_queue.qsize() == 0
        others = await asyncio.gather(*(calls("GET", "/api/v1/me", "") for _ in range(4)))
        assert [one[0] for one in others if one] == [200] * 4
        assert not any(task.done() for task in tasks)
        await work_in_thread(run_job)
        return await asyncio.gather(*tasks)

    assert [one[2]["state"] for one in play(here, play_it)] == ["done"] * 60


def test_a_database_that_is_away_ends_no_wait_and_no_look(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = started(here)
    failures = [1, 2, 3]

    def look(waits: list[JobWait]) -> set[UUID]:
        if failures:
            raise ConnectionError(failures.pop())
        return find_over(waits)

    monkeypatch.setattr(job_waits, "find_over", look)

    async def play_it(calls: Calls) -> Any:
        call = asyncio.create_task(calls("GET", url))
        await soon(lambda: not failures)
        await work_in_thread(run_job)
        return await call

    assert play(here, play_it)[2]["state"] == "done"


def test_what_is_not_there_is_over(here: Tenant) -> None:
    url = started(here)
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").get(id=UUID(url[-36:]))
    absent = uuid4()
    waits = [
        JobWait(here.id, job.audience_id, id_, "aria", url, 1) for id_ in (job.id, job.id, absent)
    ]
    assert find_over(waits) == {absent}


def test_too_many_waits_are_refused_before_they_begin() -> None:
    async def play_it() -> None:
        waits = JobWaits(None)  # type: ignore[arg-type]  # nobody looks
        wait = JobWait(uuid4(), uuid4(), uuid4(), "one", "/x", 5)
        first = Answer([{"status": 202, "headers": []}])
        for caller, most in (("one", settings.JOB_WAITS_PER_CALLER), ("two", 0)):
            waits._callers["one"] = most
            if caller == "two":
                waits._waiting = dict.fromkeys(map(str, range(settings.JOB_WAITS)))  # type: ignore
            answer = await waits.finish(wait, {"method": "POST"}, first, _never, _never)
            assert answer.messages[0]["headers"] == [(b"Retry-After", b"5")]
            with pytest.raises(Refused) as refused:
                await waits.finish(wait, {"method": "GET"}, first, _never, _never)
            assert (refused.value.status, refused.value.retry_after) == (429, 5)

    run_coroutine(play_it())


async def _never(*_: Any) -> Any:
    raise ClientLeft
