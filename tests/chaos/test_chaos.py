"""Workers, the database and the broker end in the middle of work, and nothing that was
acknowledged is lost, nothing is there twice, and nobody reads what is not theirs (O02, O08)."""

import logging
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from django.conf import settings

from config.embedded.private_files import read_json
from tests.chaos.chaos_site import ChaosSite, running_site
from tests.chaos.judge import is_quiet, judge
from tests.chaos.kill_points import write_order
from tests.chaos.load import READS, WRITERS, Curator, Ledger, Reader, Writer
from tests.world import Tenant, World

log = logging.getLogger("commonmind.chaos")
# Kinds of work in which a worker dies, and to how many calls of the product's code it gets.
WORK = {"embed": 3_000, "erase": 3_000, "import": 5_000, "restate": 3_000, "change": 3_000}
WORK |= {"consolidate": 2_000, "age": 300}
STARTED = {"import", "change", "consolidate", "erase"}


# What a judge has to notice: a statement about one memory, and words of what it says then.
DAMAGES = {
    "UPDATE memories_memory SET content = content || '.' WHERE id = %s RETURNING 1": "acknowledged",
    "UPDATE memories_memory SET remember_count = 2 WHERE id = %s RETURNING 1": "acknowledged",
    "UPDATE memories_memory SET status = 'archived' WHERE id = %s RETURNING 1": "acknowledged",
    "DELETE FROM memories_embedding WHERE memory_id = %s RETURNING 1": "without vector",
    "DELETE FROM memories_search WHERE memory_id = %s RETURNING 1": "without words",
    "INSERT INTO orgs_auditentry (id, organisation_id, at, action, target_type, target, detail) "
    "SELECT gen_random_uuid(), m.organisation_id, now(), 'erasure.done', '', m.id, '{}' "
    "FROM memories_memory m, generate_series(1, 2) WHERE m.id = %s RETURNING 1": "there 2 times",
    "INSERT INTO memories_pending (id, organisation_id, memory_id, audience_id, kind, state, "
    "attempts, reason, created_at) SELECT gen_random_uuid(), organisation_id, id, audience_id, "
    "kind, 'dead', 5, 'BrokeOff', now() FROM memories_memory WHERE id = %s RETURNING 1": "BrokeOff",
}


@dataclass
class Load:
    """The threads that call, and what they were answered."""

    site: ChaosSite
    ledger: Ledger
    curator: Curator

    def wait_for_answers(self, count: int) -> None:
        """Wait until so many more calls were answered."""
        wanted = self.ledger.acknowledged + count
        self.site.wait(lambda: self.ledger.acknowledged >= wanted)


def session_of(here: Tenant, name: str) -> str:
    return here.browser(name).cookies[settings.SESSION_COOKIE_NAME].value


@contextmanager
def under_load(
    site: ChaosSite, world: World, seed: int, sessions: dict[str, str]
) -> Iterator[Load]:
    """Writers, readers and the admin call all the time; ended afterwards."""
    stop, ledger = threading.Event(), Ledger()
    tenants = {"here": world.here, "there": world.there}
    callers: list[Writer | Reader] = [
        Writer(site, ledger, stop, tenants[name], robot, audiences, name, f"{seed}-{name}-{robot}")
        for name, robot, audiences in WRITERS
    ]
    for name, reader in READS:
        by = {"session": sessions.get(reader, ""), "key": tenants[name].keys.get(reader, "")}
        callers.append(Reader(site, ledger, stop, (name, reader), f"{seed}-{reader}", **by))

    def run(caller: Writer | Reader) -> None:
        try:
            caller.run()
        except BaseException as error:
            site.broken.append(error)
            raise SystemExit from error

    threads = [threading.Thread(target=run, args=(one,), daemon=True) for one in callers]
    curator = Curator(site, ledger, stop, f"{seed}-ada", sessions["ada"])
    for thread in threads:
        thread.start()
    try:
        yield Load(site, ledger, curator)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        curator.client.close()
    assert site.broken == []


def kill_worker(load: Load, kind: str, drawn: random.Random, *, whole: bool) -> None:
    """A worker dies in this kind of work, at a drawn call."""
    site = load.site
    after = int(10 ** drawn.uniform(0.5, len(str(WORK[kind])) - 0.5))
    order = write_order(site.data_dir, kind, after=after, whole=whole)
    while order.exists():
        job = None
        if kind in STARTED:
            if kind == "erase":
                load.curator.start("import")
            job = load.curator.start(kind)

        def over(job: str | None = job) -> bool:
            state = "SELECT state IN ('waiting', 'running') FROM memories_job WHERE id = %s"
            return not order.exists() or (job is not None and site.rows(state, job) == [(False,)])

        site.wait(over)


def kill_postgres(load: Load) -> None:
    """Kill the database server, and wait until calls are answered again."""
    load.site.wait(lambda: load.site.postmaster() in load.site.pids("postgres"))
    postmaster = load.site.postmaster()
    assert postmaster is not None
    os.kill(postmaster, signal.SIGKILL)
    load.site.wait(lambda: postmaster not in load.site.pids("postgres"))
    load.site.wait(load.site.is_up)
    load.wait_for_answers(10)


def kill_valkey(load: Load) -> None:
    """Kill the broker; calls are answered meanwhile."""
    [broker] = load.site.pids("valkey-server")
    os.kill(broker, signal.SIGKILL)
    load.wait_for_answers(10)
    load.site.wait(lambda: broker_answers(load.site))


def stop_valkey(load: Load) -> None:
    """The broker hangs; calls are answered meanwhile."""
    [broker] = load.site.pids("valkey-server")
    os.kill(broker, signal.SIGSTOP)
    try:
        load.wait_for_answers(10)
    finally:
        os.kill(broker, signal.SIGCONT)


SERVERS: dict[str, Callable[[Load], None]] = {
    "postgres": kill_postgres,
    "valkey": kill_valkey,
    "hanging valkey": stop_valkey,
}


def broker_answers(site: ChaosSite) -> bool:
    address = read_json(site.data_dir / "services.json")["REDIS_URL"]
    try:
        with redis.Redis.from_url(str(address)) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def plan(seed: int, *, workers: int, postgres: int, brokers: int) -> list[tuple[str, bool]]:
    """What is killed, in a drawn order; whether the whole worker dies."""
    drawn = random.Random(seed)  # noqa: S311
    kinds = [kind for kind in WORK if kind != "age"]
    steps = [(kinds[n % len(kinds)], n % 5 == 4) for n in range(workers)]
    # A tier is judged once a minute.
    steps[: workers // 30] = [("age", False)] * (workers // 30)
    steps += [("postgres", False)] * postgres
    steps += [("valkey", False), ("hanging valkey", False)] * brokers
    drawn.shuffle(steps)
    return steps


def run_chaos(world: World, folder: Path, seed: int, **counts: int) -> None:
    """The whole of it; fails with everything that the judge finds."""
    sessions = {name: session_of(world.here, name) for name in ("ada", "mina", "bob")}
    sessions["vera"] = session_of(world.there, "vera")
    drawn = random.Random(seed)  # noqa: S311
    with running_site(folder) as site:
        with under_load(site, world, seed, sessions) as load:
            load.wait_for_answers(10)
            for kind, whole in plan(seed, **counts):
                log.info("%s is killed, the whole worker: %s", kind, whole)
                if kind in SERVERS:
                    SERVERS[kind](load)
                else:
                    kill_worker(load, kind, drawn, whole=whole)
        log.info("the load has ended: %s answers", load.ledger.acknowledged)
        site.wait(lambda: is_quiet(site))
        wrong = judge(site, load.ledger, world)
        assert wrong == [], "\n".join([*wrong[:40], site.log()[-3_000:]])
        check_judge(site, load.ledger, world)


def check_judge(site: ChaosSite, ledger: Ledger, world: World) -> None:
    """The judge sees what is not as it was acknowledged: each kind of it is made, one by one."""
    here = [id_ for id_, told in ledger.memories.items() if told.state == "active"]
    for damage, seen in DAMAGES.items():
        id_ = here.pop()
        site.rows(damage, id_)
        assert any(seen in one for one in judge(site, ledger, world)), damage
    design = next(
        id_
        for id_ in reversed(ledger.memories)
        if ledger.memories[id_].audience == "group design" and id_ in here
    )
    ledger.served.add(("here", "bob", design))
    assert "bob of here was served ('here', 'group design')" in judge(site, ledger, world)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_little_chaos(lasting_world: World, tmp_path: Path) -> None:
    run_chaos(lasting_world, tmp_path, 4711, workers=3, postgres=1, brokers=1)


@pytest.mark.conformance("O02")
@pytest.mark.conformance("O08")
@pytest.mark.slow
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("seed", [1, 2])
def test_chaos(lasting_world: World, tmp_path: Path, seed: int) -> None:
    run_chaos(lasting_world, tmp_path, seed, workers=100, postgres=20, brokers=5)
