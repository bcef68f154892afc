"""Every sweeper: what a lost hint left over is finished by its next run, what a dead worker held
comes back, and what always fails is given up with its reason (O01, O11)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
import time_machine
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from memories import tasks
from memories.context.connectors import subscriptions as account_subscriptions
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.indexing import embed_worker
from memories.indexing.models import Embedding, Pending
from memories.jobs import job_queue, leases, run_jobs, worker_hints
from memories.jobs.leases import PendingState
from memories.jobs.models import Job, JobState
from memories.lifecycle.consolidation import promote_patterns
from memories.lifecycle.forget import forget_memory
from memories.llm import client
from memories.restatement import llm_worker
from memories.restatement.models import PendingRestatement
from memories.store.models.use import Use
from memories.webhooks.endpoints import create_endpoint
from memories.webhooks.send_deliveries import send_due
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.organisations.organisation_removal import close_organisation
from orgs.outbound.fetch import FetchResult
from orgs.outbound.post import PostResult
from orgs.principals import resolve_principal
from tests.memories.lifecycle.consolidation.test_promote_patterns import (
    DESIGN,
    EXPERT,
    LAUNCH,
    cross_group,
    seen,
)
from tests.memories.restatement.test_restate import chat, member
from tests.world import Tenant, World

Sent = list[tuple[str, dict[str, str]]]
# What of the schedule finds lost work; building indexes is upkeep, and loses nothing.
SWEEPERS = {
    "memories.sweep_embeddings": "memories.embed_pending",
    "memories.sweep_restatements": "memories.restate_pending",
    "memories.sweep_jobs": "memories.run_job",
    "memories.sweep_patterns": "memories.promote_patterns",
    "memories.sweep_removals": None,
    "memories.sweep_ages": "memories.age_due",
    "memories.sweep_daily_jobs": "memories.run_job",
    "memories.sweep_webhooks": None,
    "memories.sweep_subscriptions": "memories.run_job",
}

# These tidy up: a run that is missed loses nothing, the next one does the same.
UPKEEP = {
    # tests/orgs/placement/test_people.py
    "memories.sweep_account_copies",
    "memories.sweep_models",
    "memories.sweep_second_models",
    "memories.sweep_uploads",
    "memories.sweep_operations",
    "memories.sweep_audit_stream",
    "memories.sweep_news_mail",
    "memories.sweep_usage",
    "memories.sweep_words",
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Every hint goes here, and is lost unless a test does what it says."""
    found: Sent = []

    class Lost:
        def send_task(self, name: str, kwargs: dict[str, str], **_: Any) -> None:
            found.append((name, kwargs))

    monkeypatch.setattr(worker_hints, "import_string", lambda _path: Lost())
    monkeypatch.setattr(worker_hints, "_breaker_open_until", 0.0)
    # Each is sent at once: none comes late into what a test looks at.
    monkeypatch.setattr(worker_hints, "MIN_INTERVAL_SECONDS", 0.0)
    return found


def work(sent: Sent, here: Tenant) -> list[str]:
    """Do what was hinted at for the organisation, and whatever that hints at."""
    done = []
    while sent:
        name, ids = sent.pop(0)
        if ids["organisation_id"] == str(here.id):
            done.append(name)
            current_app.tasks[name](**ids)
    return done


def pending(here: Tenant, model: type = Pending) -> list[tuple[str, int, str]]:
    with organisation_scope(here.id, using="worker"):
        rows = model._default_manager.using("worker").filter(organisation_id=here.id)
        return sorted(rows.values_list("state", "attempts", "reason"))


def test_every_sweeper_of_the_schedule_is_known_here() -> None:
    scheduled = {entry["task"]: entry for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert set(SWEEPERS) | UPKEEP == {name for name in scheduled if ".sweep_" in name}
    for name, entry in scheduled.items():
        if name in SWEEPERS:
            assert entry["schedule"] <= 60, name


@pytest.mark.conformance("O01")
@pytest.mark.parametrize("lost", list(SWEEPERS))
def test_a_lost_hint_is_found_by_the_next_run(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    here = lasting_world.here
    done = LEFT_OVER[lost](here, monkeypatch)
    sent.clear()
    assert not done(), "it is still owed"
    swept = current_app.tasks[lost]
    assert swept() >= 1
    if SWEEPERS[lost]:
        assert work(sent, here)[0] == SWEEPERS[lost]
    assert done()
    # Nothing is done twice.
    sent.clear()
    swept()
    assert [ids for _, ids in sent if ids["organisation_id"] == str(here.id)] == []


def embeddings(here: Tenant, _: Any) -> Callable[[], bool]:
    here.remember(here.robot("bolt"), "The office closes at six.")

    def done() -> bool:
        with resolve_principal(here.robot("bolt")).scope():
            return Embedding.objects.count() == 1 and not Pending.objects.exists()

    return done


def restatements(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    configured(monkeypatch, lambda _system, _user: '{"turns": []}')
    said(here)
    return lambda: pending(here, PendingRestatement) == []


def changes(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    job = waiting_job(here, monkeypatch)
    return lambda: state_of(here, job.id)[0] == JobState.DONE


def shown_patterns(here: Tenant, _: Any) -> Callable[[], bool]:
    seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    return lambda: len(cross_group(here)) == 1


def test_evidence_that_goes_without_a_hint_is_found_by_the_next_run(
    lasting_world: World, sent: Sent
) -> None:
    """Each change of what a pattern is made from makes its organisation due, and nothing else."""
    here = lasting_world.here
    seen(here, "launch", LAUNCH, **EXPERT)
    one = seen(here, "design", DESIGN, **EXPERT)

    def swept() -> bool:
        sent.clear()
        current_app.tasks["memories.sweep_patterns"]()
        return bool(work(sent, here))

    assert swept()
    assert not swept()
    here.remember(here.robot("aria"), "The office closes at six.", group="launch")
    assert not swept()
    forget_memory(here.robot("aria"), one, now=timezone.now())
    sent.clear()
    assert len(cross_group(here)) == 1
    assert swept()
    assert cross_group(here) == []
    cache.clear()
    assert swept()


def test_unchanged_evidence_is_looked_at_again_after_ten_minutes(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[float] = []
    noting = SimpleNamespace(set=lambda _key, _value, seconds: kept.append(seconds))
    monkeypatch.setattr(promote_patterns, "cache", noting)
    current_app.tasks["memories.promote_patterns"](organisation_id=str(lasting_world.here.id))
    assert kept == [600]


def removals(here: Tenant, _: Any) -> Callable[[], bool]:
    close_organisation(here.id, now=timezone.now())
    return lambda: not Organisation.with_removed.using("worker").filter(id=here.id).exists()


def ages(here: Tenant, _: Any) -> Callable[[], bool]:
    """A fast memory that nobody has used since its day."""
    id_ = here.remember(here.robot("bolt"), "The office closes at six.", tier="fast").id

    def done() -> bool:
        with organisation_scope(here.id, using="worker"):
            return Use.objects.using("worker").get(memory_id=id_).tier == "medium"

    return done


def daily_jobs(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """The runs of the day: consolidation, and what is full."""
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])

    def done() -> bool:
        with organisation_scope(here.id, using="worker"):
            states = Job.objects.using("worker").values_list("state", flat=True)
            return list(states) == [JobState.DONE] * 2

    return done


def webhooks(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """A message that no worker has sent."""
    ada, sent = here.person("ada"), []

    def post(*given: Any, **_: Any) -> PostResult:
        sent.append(given)
        return PostResult(200)

    monkeypatch.setattr(tasks, "send_due", partial(send_due, post=post))
    url = "https://hooks.example.org/"
    events = ["memory.created"]
    create_endpoint(ada, url=url, events=events, with_text=False, now=timezone.now())
    here.remember(ada, "The office closes at six.", visibility="organisation")
    return lambda: len(sent) == 1


def subscriptions(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """A calendar that is due."""
    asked = []

    def fetch(url: str, **_: Any) -> FetchResult:
        asked.append(url)
        return FetchResult(None)

    monkeypatch.setattr(account_subscriptions, "fetch_file", fetch)
    principal = resolve_principal(here.person("ada"))
    made = account_subscriptions.subscribe_to_address(
        principal,
        name="Work",
        kind="calendar",
        url="https://calendar.example.org/",
        period_minutes=15,
        now=timezone.now() - timedelta(hours=1),
    )
    with resolve_principal(here.person("ada")).scope():
        Job.objects.filter(parameters__account=str(made.id)).update(state=JobState.DONE)
    return lambda: len(asked) == 1


LEFT_OVER: dict[str, Callable[[Tenant, pytest.MonkeyPatch], Callable[[], bool]]] = {
    "memories.sweep_embeddings": embeddings,
    "memories.sweep_restatements": restatements,
    "memories.sweep_jobs": changes,
    "memories.sweep_patterns": shown_patterns,
    "memories.sweep_removals": removals,
    "memories.sweep_ages": ages,
    "memories.sweep_daily_jobs": daily_jobs,
    "memories.sweep_webhooks": webhooks,
    "memories.sweep_subscriptions": subscriptions,
}


def configured(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str, str], str]) -> None:
    """A language model that answers so."""
    monkeypatch.setattr(client, "is_configured", lambda: True)
    monkeypatch.setattr(client, "ask", answer)
    monkeypatch.setattr(settings, "LLM_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(settings, "LLM_MODEL", "small")


def said(here: Tenant) -> None:
    mina = member(here, "mina")
    chat(here, {"content": "Daniel prepares the demo for everybody.", "speaker": mina})


def waiting_job(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A change of two memories that waits for a worker."""
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 1)
    # Other tests leave work in organisations of their own, and turns go round.
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])
    who = here.person("ada")
    ids = [here.remember(who, f"Fact {n}.").id for n in range(2)]
    change = BulkChange(action="archive")
    return bulk_change.change_memories(who, ids, change, now=timezone.now()).job


def state_of(here: Tenant, job_id: UUID) -> tuple[str, int, str]:
    with resolve_principal(here.person("ada")).scope():
        return Job.objects.values_list("state", "attempts", "reason").get(id=job_id)


def killed(*_: object, **__: object) -> Any:
    """What a worker sees that is ended in the middle of its work: nothing of ours runs any more."""
    raise SystemExit


def at(moment: datetime) -> Any:
    return time_machine.travel(moment, tick=False)


@pytest.mark.conformance("O01")
@pytest.mark.parametrize("kind", ["embeddings", "restatements"])
def test_what_dead_workers_held_comes_back_and_is_given_up_at_last(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    here, start = lasting_world.here, timezone.now()
    model, lease = Pending, leases.LEASE
    if kind == "restatements":
        configured(monkeypatch, killed)
        model, lease = PendingRestatement, llm_worker.LEASE
        said(here)
    else:
        monkeypatch.setattr(
            embed_worker, "get_encoder", lambda _: SimpleNamespace(name="x", encode=killed)
        )
        here.remember(here.robot("bolt"), "The office closes at six.")
    sweep = current_app.tasks[f"memories.sweep_{kind}"]
    for attempt in range(1, leases.MAX_ATTEMPTS + 1):
        with at(start + attempt * (lease + timedelta(seconds=1))):
            sent.clear()
            sweep()
            with pytest.raises(SystemExit):
                work(sent, here)
            assert pending(here, model) == [(PendingState.LEASED, attempt, "")]
            sent.clear()
            sweep()
            assert work(sent, here) == [], "its lease holds"
    with at(start + (leases.MAX_ATTEMPTS + 1) * (lease + timedelta(seconds=1))):
        sweep()
        work(sent, here)
        dead = (PendingState.DEAD, leases.MAX_ATTEMPTS, leases.LEASE_EXPIRED)
        assert pending(here, model) == [dead]
        sent.clear()
        sweep()
        assert work(sent, here) == [], "nobody asks for it any more"


@pytest.mark.conformance("O01")
def test_the_one_that_ends_the_worker_takes_no_other_with_it(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, start = lasting_world.here, timezone.now()
    encoder = embed_worker.get_encoder()

    class Fatal:
        name = "x"

        def __init__(self, name: str | None) -> None:
            pass

        def encode(self, texts: list[str], *, is_query: bool = False) -> Any:
            return killed() if any("poison" in text for text in texts) else encoder.encode(texts)

    monkeypatch.setattr(embed_worker, "get_encoder", Fatal)
    for text in ("one", "two", "poison", "three"):
        here.remember(here.robot("bolt"), text)
    for attempt in range(1, 4 * leases.MAX_ATTEMPTS):
        with at(start + attempt * (leases.LEASE + timedelta(seconds=1))):
            sent.clear()
            tasks.sweep_embeddings()
            try:
                work(sent, here)
            except SystemExit:
                continue
    with resolve_principal(here.robot("bolt")).scope():
        assert Embedding.objects.count() == 3
        [left] = Pending.objects.values_list("state", "memory__content")
    assert left == (PendingState.DEAD, "poison")


@pytest.mark.conformance("O01")
def test_a_job_whose_worker_died_is_begun_again_and_given_up_at_last(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, start = lasting_world.here, timezone.now()
    job = waiting_job(here, monkeypatch)
    monkeypatch.setattr(bulk_change, "apply_change", killed)
    for attempt in range(1, job_queue.MAX_ATTEMPTS + 1):
        with at(start + attempt * (job_queue.LEASE + timedelta(seconds=1))):
            sent.clear()
            tasks.sweep_jobs()
            with pytest.raises(SystemExit):
                work(sent, here)
            assert state_of(here, job.id) == (JobState.RUNNING, attempt, "")
            sent.clear()
            tasks.sweep_jobs()
            assert work(sent, here) == [], "its lease holds"
    with at(start + 10 * job_queue.LEASE):
        tasks.sweep_jobs()
        work(sent, here)
        state, _, reason = state_of(here, job.id)
        assert (state, reason) == (JobState.DEAD, "It was tried several times and broke off.")
        sent.clear()
        tasks.sweep_jobs()
        assert work(sent, here) == []


@pytest.mark.conformance("O01")
def test_a_job_goes_on_where_it_was(
    lasting_world: World, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    job = waiting_job(here, monkeypatch)
    monkeypatch.setattr(job_queue.JobTimeSlice, "to_note", lambda _: True)
    changed: list[UUID] = []
    real = bulk_change.apply_change

    def once(actor: Any, id_: UUID, *rest: Any) -> Any:
        if len(changed) == 1:
            killed()
        changed.append(id_)
        return real(actor, id_, *rest)

    monkeypatch.setattr(bulk_change, "apply_change", once)
    tasks.sweep_jobs()
    with pytest.raises(SystemExit):
        work(sent, here)
    monkeypatch.setattr(bulk_change, "apply_change", real)
    with at(timezone.now() + job_queue.LEASE + timedelta(seconds=1)):
        sent.clear()
        tasks.sweep_jobs()
        work(sent, here)
    assert state_of(here, job.id)[0] == JobState.DONE
    assert len(changed) == 1, "the first one was not changed a second time"


@pytest.mark.conformance("O01")
def test_a_removal_that_broke_off_is_finished(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    close_organisation(here.id, now=timezone.now())
    monkeypatch.setattr("orgs.organisations.organisation_removal._delete_batch", killed)
    with pytest.raises(SystemExit):
        tasks.sweep_removals()
    monkeypatch.undo()
    tasks.sweep_removals()
    assert not Organisation.with_removed.using("worker").filter(id=here.id).exists()
