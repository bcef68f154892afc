"""The bounds as they are shipped, worked through without a server: sizes, room and shares (T30)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from uvicorn import Config
from uvicorn.server import ServerState

from config.transport import request_bodies
from config.transport.http_protocol import BoundedProtocol
from config.transport.refusals import Refused
from config.transport.request_bodies import BodyRoom, ClientLeft, IncomingBody, receive_in_time
from config.transport.thread_shares import SharedAskers, ThreadShares
from tests.event_loop import run_coroutine

pytestmark = pytest.mark.conformance("T30")
MB = 1024 * 1024
ORGANISATION = "organisation:1"


def endless(part: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": part, "more_body": True}

    return receive


def parts(*sizes: int) -> Callable[[], Awaitable[dict[str, Any]]]:
    coming = [
        {"type": "http.request", "body": b"x" * size, "more_body": number < len(sizes) - 1}
        for number, size in enumerate(sizes)
    ]

    async def receive() -> dict[str, Any]:
        return coming.pop(0)

    return receive


async def nobody() -> None:
    return None


async def known() -> str:
    return ORGANISATION


def body_of(room: BodyRoom, verify: Any, *, is_known: bool = False) -> IncomingBody:
    return IncomingBody(room, "address:203.0.113.7", is_known=is_known, verify=verify)


@pytest.mark.parametrize(("verify", "most"), [(nobody, MB), (known, 64 * MB)])
def test_a_body_has_one_megabyte_without_a_key_and_sixty_four_with_one(
    verify: Any, most: int
) -> None:
    room = BodyRoom()
    body = body_of(room, verify)
    with pytest.raises(Refused) as refused:
        run_coroutine(body.read(endless(b"x" * 65_536), None, 0))
    assert refused.value.status == 413
    assert body.size == most, "it is refused with the first byte too many"
    body.close()
    assert (room.used, room.unknown) == (0, 0)
    for stated in (most + 1, most):
        found = body_of(room, verify)
        receive = parts(most // 2, most // 2)
        if stated > most:
            with pytest.raises(Refused):
                run_coroutine(found.read(receive, None, stated))
        else:
            run_coroutine(found.read(receive, None, stated))
            assert len(found.file.read()) == most
        found.close()
    assert room.used == 0


def test_the_room_for_bodies_is_shared_out() -> None:
    """256 MB: half of it for one organisation, a quarter for all who showed no key."""
    room = BodyRoom()
    for _ in range(64):
        room.add("address:1", MB // 2, is_known=False)
        room.add("address:2", MB // 2, is_known=False)
    for caller in ("address:1", "address:3"):
        with pytest.raises(Refused) as refused:
            room.add(caller, 1, is_known=False)
        assert (refused.value.status, refused.value.retry_after) == (503, 5)
    for _ in range(2):
        room.add(ORGANISATION, 64 * MB, is_known=True)
    with pytest.raises(Refused):
        room.add(ORGANISATION, 1, is_known=True)
    room.add("organisation:2", 64 * MB, is_known=True)
    with pytest.raises(Refused):
        room.add("organisation:3", 1, is_known=True)
    room.remove(ORGANISATION, 64 * MB, is_known=True)
    room.add("organisation:3", 1, is_known=True)
    room.add(ORGANISATION, MB, is_known=True)


def test_a_key_that_turns_out_right_moves_the_body_to_its_organisation() -> None:
    room = BodyRoom()
    body = body_of(room, known)
    run_coroutine(body.read(parts(MB, MB), None, 0))
    assert (body.caller, room.used, room.unknown) == (ORGANISATION, 2 * MB, 0)
    body.close()
    body.close()
    assert (room.used, room._of) == (0, {})


def test_a_client_that_leaves_frees_the_room() -> None:
    room = BodyRoom()
    body = body_of(room, known)
    coming = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def receive() -> dict[str, Any]:
        return coming.pop() if coming else {"type": "http.disconnect"}

    with pytest.raises(ClientLeft):
        run_coroutine(body.read(receive, None, 0))
    body.close()
    assert room.used == 0


def test_a_body_has_twenty_seconds_and_more_for_what_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One second for each 16 KB: whoever sends steadily, however slowly, gets through."""
    asked: list[float] = []

    async def timed(receive: Any, seconds: float) -> Any:
        asked.append(seconds)
        return await receive()

    monkeypatch.setattr(request_bodies, "receive_in_time", timed)
    body = body_of(BodyRoom(), known)
    run_coroutine(body.read(parts(160 * 1024, 1), None, 0))
    body.close()
    assert asked == [pytest.approx(20, abs=1), pytest.approx(30, abs=1)]


def test_what_does_not_come_in_time_is_refused() -> None:
    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Refused) as refused:
        run_coroutine(receive_in_time(never, 0.01))
    assert refused.value.status == 408


def test_the_shipped_times() -> None:
    """What the slow tests wait for against a server; here a changed figure is noticed at once."""
    shipped = (
        settings.REQUEST_SECONDS,
        settings.STREAM_SECONDS,
        settings.HEADER_SECONDS,
        settings.HEADER_MAX_BYTES,
        settings.SEND_SECONDS,
        settings.KEEP_ALIVE_SECONDS,
    )
    assert shipped == (30, 600, 15, 64 * 1024, 30, 75)


def test_an_idle_connection_is_kept_as_long_as_the_setting_says() -> None:
    async def kept() -> float:
        # Not the product's own: importing it lets this process count into a shared folder.
        config = Config(lambda scope: None, timeout_keep_alive=1, log_config=None)
        return BoundedProtocol(config, ServerState(), {}).timeout_keep_alive

    assert run_coroutine(kept()) == settings.KEEP_ALIVE_SECONDS


def test_one_caller_has_half_of_the_threads() -> None:
    shares = ThreadShares(settings.WEB_THREADS)
    taken = [shares.acquire_now("a") for _ in range(16)]
    assert taken == [True] * 8 + [False] * 8
    assert [shares.acquire_now("b") for _ in range(9)] == [True] * 8 + [False]
    assert not shares.acquire_now("c"), "all sixteen are taken"


def test_a_small_pool_is_shared_out_like_the_threads() -> None:
    """A call that waits for a connection would wait behind those of the others."""
    shares = ThreadShares(settings.WEB_THREADS, connections=10)
    assert [shares.acquire_now("a") for _ in range(6)] == [True] * 5 + [False]


def test_a_free_thread_goes_to_whoever_runs_least_and_waits_for_longest() -> None:
    async def turns() -> list[str]:
        shares, got = ThreadShares(4), []
        assert all(shares.acquire_now(name) for name in "aabb")
        waiting = [(name, shares.enqueue(name)) for name in "aabacd"]
        for name, turn in waiting:
            turn.add_done_callback(lambda _, name=name: got.append(name))
        for running in "abca":
            shares.release(running)
            await asyncio.sleep(0)
        return got

    assert run_coroutine(turns()) == ["c", "d", "a", "b"]


def taken(shares: ThreadShares, caller: str) -> int:
    """How many threads the caller gets at once, given back at the same moment."""
    number = 0
    while shares.acquire_now(caller):
        number += 1
    for _ in range(number):
        shares.release(caller)
    return number


def test_a_busy_caller_has_one_thread_while_others_ask() -> None:
    """Somebody who always has one thread has 2.885 seconds left of what they had."""
    now = [100.0]
    shares = ThreadShares(settings.WEB_THREADS, clock=lambda: now[0])
    assert shares.acquire_now("busy")
    shares.release("busy", 2.89)
    assert taken(shares, "busy") == 8, "nobody else asks"
    assert taken(shares, "calm") == 8
    assert taken(shares, "busy") == 1
    now[0] += 0.02
    assert taken(shares, "busy") == 8, "2.89 seconds have become 2.87"


def test_what_was_used_counts_for_half_after_two_seconds() -> None:
    now = [0.0]
    shares = ThreadShares(settings.WEB_THREADS, clock=lambda: now[0])
    assert shares.acquire_now("busy")
    shares.release("busy", 5.76)
    got = []
    for now[0] in (1.9, 2.1):
        assert taken(shares, "calm") == 8
        got.append(taken(shares, "busy"))
    assert got == [1, 8], "2.98 seconds are left, then 2.78"


def test_others_ask_for_five_seconds_and_while_they_run() -> None:
    now = [0.0]
    shares = ThreadShares(settings.WEB_THREADS, clock=lambda: now[0])
    assert shares.acquire_now("calm")

    def use_much() -> int:
        assert shares.acquire_now("busy")
        shares.release("busy", 10.0)
        return taken(shares, "busy")

    now[0] = 20.0
    assert use_much() == 1, "the request of the other has run for twenty seconds"
    shares.release("calm")
    now[0] = 25.0
    assert use_much() == 1
    now[0] = 25.1
    assert use_much() == 8
    assert "calm" not in shares._usage._used, "whoever asks no more is forgotten"


def test_the_file_of_askers_has_its_room_before_it_is_used(tmp_path: Path) -> None:
    """Who writes first into a page that a full disk has no room for is ended by the system."""
    for _ in range(2):
        SharedAskers(tmp_path / "askers")
        found = (tmp_path / "askers").stat()
        assert (found.st_size, found.st_blocks * 512 >= found.st_size) == (1024, True)


def test_a_stranger_does_not_slow_an_organisation_down(tmp_path: Path) -> None:
    """In the same process, while a call of theirs runs, and in another process."""
    here, there = (
        ThreadShares(settings.WEB_THREADS, askers=SharedAskers(tmp_path / "askers"))
        for _ in range(2)
    )
    assert here.acquire_now("address:192.0.2.1")
    assert taken(there, "address:192.0.2.2") == 8
    assert here.acquire_now("organisation:busy")
    here.release("organisation:busy", 60.0)
    assert taken(here, "organisation:busy") == 8
    assert taken(there, "account:7") == 8
    assert taken(here, "organisation:busy") == 1


def test_processes_of_one_machine_know_who_asks_in_the_others(tmp_path: Path) -> None:
    now = [1_000.0]

    def clock() -> float:
        return now[0]

    here, there, alone = (
        ThreadShares(settings.WEB_THREADS, clock=clock, askers=askers)
        for askers in (*(SharedAskers(tmp_path / "askers") for _ in range(2)), None)
    )
    for shares in (here, alone):
        assert shares.acquire_now("busy")
        shares.release("busy", 60.0)
        assert taken(shares, "busy") == 8
    assert taken(there, "calm") == 8
    assert (taken(here, "busy"), taken(alone, "busy")) == (1, 8)
    now[0] += 5.1
    assert taken(here, "busy") == 8, "nobody asked for five seconds"
    assert taken(there, "calm") == 8
    # The machine started anew, and its clock with it.
    now[0] = 3.0
    again = ThreadShares(
        settings.WEB_THREADS, clock=clock, askers=SharedAskers(tmp_path / "askers")
    )
    assert again.acquire_now("busy")
    again.release("busy", 60.0)
    assert taken(again, "busy") == 8


def test_a_busy_caller_waits_for_their_own_thread_while_others_are_free() -> None:
    async def waits() -> list[bool]:
        shares = ThreadShares(4)
        assert [shares.acquire_now(name) for name in ("busy", "busy", "calm")] == [True] * 3
        first, second = shares.enqueue("busy"), shares.enqueue("busy")
        shares.release("busy", 5.0)
        seen = [first.done()]
        shares.release("busy")
        return [*seen, first.done(), second.done()]

    assert run_coroutine(waits()) == [False, True, False]


def test_whoever_leaves_the_queue_takes_no_thread() -> None:
    async def left() -> tuple[int, bool]:
        shares = ThreadShares(2)
        assert shares.acquire_now("a")
        first, second = shares.enqueue("a"), shares.enqueue("a")
        first.cancel()
        shares.leave("a", first)
        shares.release("a")
        assert second.done()
        # It was granted at the moment when the client left.
        shares.leave("a", second)
        return shares.free, shares.acquire_now("a")

    assert run_coroutine(left()) == (2, True)


def test_a_turn_that_was_cancelled_a_moment_ago_is_passed_over() -> None:
    """Found: a call that ended at the same moment raised, and its thread was never free again."""

    async def passed_over() -> tuple[bool, int]:
        shares = ThreadShares(2)
        assert shares.acquire_now("a")
        first, second = shares.enqueue("a"), shares.enqueue("a")
        first.cancel()
        shares.release("a")
        shares.leave("a", first)
        got = second.done() and not second.cancelled()
        shares.release("a")
        return got, shares.free

    assert run_coroutine(passed_over()) == (True, 2)


def test_every_start_of_the_server_names_the_protocol() -> None:
    """Without it uvicorn has no times for headers and for readers."""
    root = Path(settings.BASE_DIR)
    starts = [
        path
        for path in (root / "Dockerfile", root / "docker-compose.yml", root / "Makefile")
        if "config.asgi" in path.read_text()
    ]
    starts += [
        path for path in (root / "config").rglob("*.py") if '"config.asgi:' in path.read_text()
    ]
    assert len(starts) >= 2
    for path in starts:
        assert BoundedProtocol.__module__ + ":" + BoundedProtocol.__name__ in path.read_text(), path
