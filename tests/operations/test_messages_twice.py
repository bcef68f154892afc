"""Messages to workers come twice, at the same moment and out of order: the same end as if each came
once and in turn (O03).

Two organisations get the same acts. What the workers make of them is compared table by table.
"""

import io
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from celery import current_app
from django.db import connections
from django.utils import timezone

from memories import tasks
from memories.curation.bulk_change import BulkChange, change_memories
from memories.indexing.models import Pending
from memories.ingestion.file_import.import_job import enqueue_import
from memories.jobs import run_jobs
from memories.jobs.leases import PendingState
from memories.jobs.models import Job, JobState
from memories.lifecycle.forget import forget_memory
from memories.privacy.request_erasure import erase_member
from orgs.database.rls import organisation_scope
from tests.databases import rolled_back_connection
from tests.isolation.catalogue import tenant_tables
from tests.memories.lifecycle.consolidation.test_promote_patterns import (
    DESIGN,
    EXPERT,
    LAUNCH,
    seen,
)
from tests.operations.test_sweepers import (
    SWEEPERS,
    UPKEEP,
    Sent,
    configured,
    said,
    sent,
)
from tests.world import Tenant, World

__all__ = ["sent"]
# Messages that are sent where something is owed; the schedule's are in `test_sweepers.py`.
HINTS = {
    "memories.embed_pending",
    "memories.restate_pending",
    "memories.restate_missing",
    "memories.age_due",
    "memories.run_job",
    "memories.promote_patterns",
}
# They look at all of the server, for what no message asks for: indexes, copies of accounts.
ALONE = {"memories.maintain_indexes", "memories.compare_account_copies"}
# The organisations of one removal are deleted for good, so there is nothing to compare.
ENDS = {"memories.sweep_removals"}
# Each of these looks at what the ones before it have made, and a job says how much it found: a
# promoted pattern is a memory more, and what has aged already ages no more.
JUDGED = ("memories.sweep_patterns", "memories.sweep_ages", "memories.sweep_daily_jobs")
MOST_ROUNDS = 12
# What differs between two equal organisations: ids, times, names that were drawn, digests.
_ID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_DIGEST = re.compile(r"\\+x[0-9a-f]*|\b[0-9a-f]{24,}\b")
_DRAWN = re.compile(r"robot_[0-9a-f]{8}|\b[0-9a-f]{10,16}\b")
# Numbers of transactions and of rows, seconds of work, and how often work was begun: that may be
# two times where a second message found it, and says nothing of what was done.
UNEQUAL_COLUMNS = {"since", "at", "last_change", "took_ms", "attempts", "leased_until", "turn"}


def unlike(number: int) -> str:
    """A text of words that no other has: nothing here is near to another, or denies it."""
    letters = [f"{'bdfgklmnprstvz'[number // 14**at % 14]}a" for at in range(3)]
    return " ".join("".join(letters) + "bdf"[place] * 2 for place in range(3)) + "."


def acts(here: Tenant) -> None:
    """Work of each kind that waits for a worker."""
    now = timezone.now()
    aria, ada, mina = here.robot("aria"), here.person("ada"), here.person("mina")
    seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    said(here)
    facts = [here.remember(aria, unlike(n), group="launch").id for n in range(6)]
    forget_memory(aria, facts[0], now=now)
    here.remember(here.robot("bolt"), "The office closes at six.", tier="fast")
    for number in range(3):
        here.remember(mina, unlike(200 + number), visibility="private")
    lines = [
        {"id": f"m{n}", "text": unlike(100 + n), "group": "launch", "speaker": "Zoe"}
        for n in range(40)
    ]
    file = io.BytesIO(b"\n".join(json.dumps(line).encode() for line in lines))
    size = len(file.getvalue())
    enqueue_import(ada, file, name="chat.jsonl", size=size, by_group=False, now=now)
    change = BulkChange(action="archive")
    change_memories(ada, facts[1:3], change, now=now, always_job=True)
    bob = here.members["bob"].id
    here.remember(aria, "Bob likes tea.", group="launch", member=str(bob))
    erase_member(ada, bob, confirm=str(bob), now=now)


@contextmanager
def only(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sweepers look at this organisation alone: other tests leave work in theirs."""
    with monkeypatch.context() as patch:
        for module in (tasks, run_jobs):
            patch.setattr(module, "list_organisation_ids", lambda: [here.id])
        patch.setattr(tasks.embed_worker, "list_organisations_with_work", lambda _now: [here.id])
        patch.setattr(tasks.llm_worker, "organisations_with_due_turns", lambda _now: [here.id])
        yield


def deliver(name: str, ids: dict[str, str], times: int) -> None:
    """A message so many times, at the same moment."""
    together = threading.Barrier(times)

    def take() -> None:
        try:
            together.wait(30)
            current_app.tasks[name](**ids)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        for one in [pool.submit(take) for _ in range(times)]:
            one.result(120)


def work_all(here: Tenant, sent: Sent, times: int) -> Counter[str]:
    """Deliver each message, and each of the schedule, until nothing is sent and nothing waits.

    What is judged by the day or by its age comes last: it looks at what the rest has made.
    """
    done: Counter[str] = Counter()
    schedule = sorted({*SWEEPERS, *UPKEEP} - ENDS)
    drawn = random.Random(times)  # noqa: S311
    for judged in range(len(JUDGED) + 1):
        for _ in range(MOST_ROUNDS):
            if times > 1:
                drawn.shuffle(schedule)
            for name in [one for one in schedule if one not in JUDGED[judged:]]:
                deliver(name, {}, times)
                done[name] += 1
            while sent:
                name, ids = sent.pop(drawn.randrange(len(sent)) if times > 1 else 0)
                if ids["organisation_id"] == str(here.id):
                    deliver(name, ids, times)
                    done[name] += 1
            if not waiting(here):
                break
        else:
            pytest.fail(f"{waiting(here)} after {MOST_ROUNDS} rounds")
    return done


def waiting(here: Tenant) -> list[Any]:
    with organisation_scope(here.id, using="worker"):
        rows = Pending.objects.using("worker").filter(organisation_id=here.id)
        jobs = Job.objects.using("worker").filter(organisation_id=here.id)
        return [
            *rows.exclude(state=PendingState.DEAD).values_list("memory_id", "state"),
            *jobs.exclude(state=JobState.DONE).values_list("kind", "state", "reason"),
        ]


def rows_of(here: Tenant) -> dict[str, Counter[str]]:
    """Of each table the rows of an organisation, without what differs between two equal ones."""
    found: dict[str, Counter[str]] = {}
    names = {here.organisation.name: "<name>", here.organisation.slug: "<slug>"}
    with rolled_back_connection("admin") as connection:
        for table in tenant_tables(connection):
            whose = "id" if table == "orgs_organisation" else "organisation_id"
            told = connection.execute(
                f"SELECT row_to_json(r)::text FROM {table} r WHERE {whose} = %s", [here.id]
            ).fetchall()
            found[table] = Counter(plain(text, names) for (text,) in told)
    return found


def plain(text: str, names: dict[str, str]) -> str:
    row = {k: v for k, v in json.loads(text).items() if k not in UNEQUAL_COLUMNS}
    text = json.dumps(row, sort_keys=True)
    for name, blank in names.items():
        text = text.replace(name, blank)
    for pattern in (_ID, _TIME, _DIGEST, _DRAWN):
        text = pattern.sub("-", text)
    return text


@pytest.mark.conformance("O03")
def test_every_message_is_delivered_here() -> None:
    known = {name for name in current_app.tasks if name.startswith("memories.")}
    assert known == {*HINTS, *SWEEPERS, *UPKEEP, *ALONE}


@pytest.mark.slow
@pytest.mark.conformance("O03")
@pytest.mark.timeout(300)
def test_the_end_is_the_same_when_every_message_comes_twice(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(monkeypatch, lambda _system, _user: '{"turns": []}')
    ended, done = {}, {}
    for tenant, times in ((lasting_world.here, 1), (lasting_world.there, 2)):
        sent.clear()
        with only(tenant, monkeypatch):
            acts(tenant)
            done[times] = work_all(tenant, sent, times)
        ended[times] = rows_of(tenant)
    assert set(done[1]) >= HINTS - {"memories.promote_patterns"}
    assert sum(map(len, ended[1].values())) > 300
    differ = {
        table: (once - twice, twice - once)
        for table, once in ended[1].items()
        if once != (twice := ended[2][table])
    }
    assert differ == {}, json.dumps(
        {k: [dict(v) for v in both] for k, both in differ.items()}, indent=1
    )
