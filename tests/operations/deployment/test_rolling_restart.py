"""A rolling restart under load, with the chart's own words: no call fails (O22)."""

import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.config.transport.web_process import change, locked, read_answer, wait_until
from tests.databases import autocommit_connection
from tests.operations.deployment.chart import helm
from tests.operations.deployment.rolling import (
    HOST,
    Caller,
    Endpoints,
    running_pod,
    wait_for_end,
)
from tests.world import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.conformance(
        "O22", open="a rolling restart on Kubernetes itself: processes stand for pods here"
    ),
    pytest.mark.timeout(600),
]
DRAIN = 12.0
CALLERS = 8


def test_no_call_fails_while_each_pod_is_replaced(lasting_world: World, tmp_path: Path) -> None:
    helm("version")
    key = lasting_world.here.keys["aria"]
    endpoints, stop = Endpoints(), threading.Event()
    with ExitStack() as stack:
        first = stack.enter_context(running_pod(tmp_path / "0", DRAIN))
        endpoints.pods.append(first)
        callers = [Caller(endpoints, key, n, 0.1 if n % 2 else 1.5, stop) for n in range(CALLERS)]
        for caller in callers:
            caller.start()
        for number in (1, 2):
            old = endpoints.pods[-1]
            endpoints.pods.append(stack.enter_context(running_pod(tmp_path / str(number), DRAIN)))
            old.tell_to_end()
            wait_until(lambda pod=old: pod.status("/readyz") == 503, 3)  # type: ignore[misc]
            assert old.status("/healthz") == 200, "alive, or it would be killed"
            assert wait_for_end(old, 150) > DRAIN
            time.sleep(1)
        stop.set()
        for caller in callers:
            caller.join(60)
            assert not caller.is_alive()
    counts = [caller.count for caller in callers]
    failed = [words for count in counts for words in count.failed]
    assert not failed, "\n".join(failed)
    assert sum(count.answered for count in counts) > 100
    # Every connection was ended politely at least once: all were of the first pod.
    assert min(count.goodbyes for count in counts) >= 1
    written = [one for count in counts for one in count.written]
    assert len(set(written)) == len(written) > 20
    with autocommit_connection("admin") as database:
        found = database.execute(
            "SELECT count(*) FROM memories_memory WHERE id = ANY(%s::uuid[])", [written]
        ).fetchone()
    assert found == (len(written),)


def test_what_has_begun_is_finished(lasting_world: World, tmp_path: Path) -> None:
    """Calls that the database holds up, for less and for more than the pod drains, and a silent
    connection."""
    helm("version")
    here = lasting_world.here
    first, second = (
        here.remember(here.robot("aria"), f"The launch is on {day} March.", group="launch").id
        for day in (3, 5)
    )
    own = f"Host: {HOST}\r\nX-Forwarded-Proto: https".encode()
    with running_pod(tmp_path / "0", 8) as pod, ExitStack() as stack:
        short, long, silent = (
            stack.enter_context(socket.create_connection(("127.0.0.1", pod.port), timeout=60))
            for _ in range(3)
        )
        with locked(second):
            with locked(first):
                for connection, memory, day in ((short, first, b"6"), (long, second, b"7")):
                    asked = change(memory, here.keys["aria"]).replace(b"4 March", day + b" March")
                    connection.sendall(asked.replace(b"Host: 127.0.0.1", own, 1))
                time.sleep(1)
                pod.tell_to_end()
                wait_until(lambda: pod.status("/readyz") == 503, 5)
            status, headers, _ = read_answer(short)
            assert (status, headers["connection"]) == (200, "close")
            silent.sendall(f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            assert read_answer(silent)[1]["connection"] == "close"
            assert silent.recv(1) == b"", "closed behind the answer"
            wait_until(lambda: pod.status("/healthz") == 0, 30)
            assert pod.process.poll() is None
        assert read_answer(long)[0] == 200
        assert wait_for_end(pod, 30) > 8
