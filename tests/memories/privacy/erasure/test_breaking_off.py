"""An erasure that breaks off ends the same, and nothing written late comes back (T14, T15)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connections
from django.utils import timezone

from memories.browsing import job_pages
from memories.embedding.encoder_loading import get_encoder
from memories.indexing import embed_worker
from memories.indexing.models import Embedding, Pending
from memories.jobs.models import Job, JobState
from memories.jobs.run_jobs import run_job
from memories.privacy.erase_memory import erase_memory
from memories.privacy.erasure import steps
from memories.privacy.erasure.erasure_run import Erasure, Tombstone
from memories.privacy.receipts import create_link, get_receipt, is_genuine
from memories.privacy.request_erasure import (
    erase_member,
    erase_memory_unchecked,
    erase_source,
    parse_source,
)
from memories.store.models.memory import Memory
from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.principals import resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.canaries import found_in_rows, plant_canaries
from tests.world import NOW, Tenant, World


class Cut(Exception):
    """The power went."""


def expire_lease(here: Tenant, job_id: UUID | None) -> None:
    """As long after the power went that another worker may take it."""
    with organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").filter(id=job_id, state=JobState.RUNNING).update(
            leased_until=timezone.now() - timedelta(seconds=1), attempts=1
        )


def run_to_its_end(here: Tenant, erasure: Erasure) -> int:
    """Run the job as often as it breaks off; how often it did."""
    broke_off = 0
    for _ in range(100):
        try:
            if not run_job(here.id, erasure.job_id, None):
                return broke_off
        except Cut:
            broke_off += 1
            expire_lease(here, erasure.job_id)
    raise AssertionError("it never ends")


@pytest.mark.conformance("T14")
def test_a_crash_before_and_after_every_step(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    planted = plant_canaries(here)
    cut: set[tuple[str, str]] = set()

    def breaking(name: str, step: steps.Step) -> steps.Step:
        def run(running: Any, turn: Any) -> Any:
            if (name, "before") not in cut:
                cut.add((name, "before"))
                raise Cut
            done = step(running, turn)
            if (name, "after") not in cut:
                cut.add((name, "after"))
                raise Cut
            return done

        return run

    monkeypatch.setattr(steps, "STEPS", tuple((n, breaking(n, s)) for n, s in steps.STEPS))
    mina = here.members["mina"].id
    erasure = erase_member(here.person("ada"), mina, confirm=str(mina), now=NOW)
    assert run_to_its_end(here, erasure) == 2 * len(steps.STEPS)
    here.embed()
    with rolled_back_connection("admin") as admin:
        assert found_in_rows(admin) == {}
    with resolve_principal(here.person("bob")).scope():
        assert Memory.objects.filter(id__in=planted.theirs, status="active").count() == len(
            planted.theirs
        )
    receipt = get_receipt(create_link(erasure))
    assert receipt.counts["memories"] == len(planted.hers) + 2
    assert receipt.mentions == 2
    assert is_genuine(receipt.body, receipt.signature)
    assert not is_genuine(receipt.body | {"mentions": 0}, receipt.signature)
    with organisation_scope(here.id):
        entries = AuditEntry.objects.filter(target=erasure.id).order_by("at", "id")
        assert [entry.action for entry in entries] == ["erasure.asked", "erasure.done"]


@pytest.mark.conformance("T15")
def test_a_late_write_of_what_is_erased_is_refused(lasting_world: World) -> None:
    """By the id of a memory, and by a worker that holds what it read before."""
    here = lasting_world.here
    id_ = here.remember(here.robot("aria"), "Too late.", group="launch").id
    with resolve_principal(here.robot("aria")).scope():
        row = Memory.objects.get(id=id_)
        owed = Pending.objects.get(memory_id=id_)
    source = f"robot:{here.robots['aria'].id}"
    erasure = erase_source(here.person("ada"), parse_source(source), confirm=source, now=NOW)
    run_to_its_end(here, erasure)
    opened = Scope(organisation=here.id, audiences=(row.audience_id,))
    for late in (row, owed):
        with pytest.raises(IntegrityError), scope(opened):
            insert_rows([late])
    with organisation_scope(here.id):
        stones = Tombstone.objects.filter(erasure_id=erasure.id)
        assert [(s.kind, s.target) for s in stones] == [("memory", id_)]
        fields = {field.name for field in Tombstone._meta.get_fields()}
    assert fields == {"id", "organisation", "erasure", "kind", "target", "derived", "at", "gone_at"}


@pytest.mark.conformance("T15")
def test_a_worker_that_is_embedding_while_it_is_erased_writes_nothing(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    id_ = here.remember(here.robot("aria"), "The vault code is violet.", group="launch").id
    is_read, may_go_on = Event(), Event()
    encoder = get_encoder()

    class Slow:
        name = "x"

        def __init__(self, name: str | None) -> None:
            pass

        def encode(self, texts: Sequence[str], *, is_query: bool = False) -> object:
            is_read.set()
            assert may_go_on.wait(60)
            return encoder.encode(texts)

    monkeypatch.setattr(embed_worker, "get_encoder", Slow)

    def work() -> int:
        try:
            return embed_worker.embed_pending(here.id, now=NOW)
        finally:
            connections["worker"].close()
            connections["default"].close()

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        try:
            assert is_read.wait(60), "it holds the text now, outside any transaction"
            source = f"robot:{here.robots['aria'].id}"
            erasure = erase_source(
                here.person("ada"), parse_source(source), confirm=source, now=NOW
            )
            run_to_its_end(here, erasure)
        finally:
            may_go_on.set()
        worker.result(60)
    with organisation_scope(here.id, using="worker"):
        for model in (Memory, Pending, Embedding):
            rows = model._default_manager.using("worker").filter(organisation_id=here.id)
            name = "id" if model is Memory else "memory_id"
            assert not rows.filter(**{name: id_}).exists(), model


def test_the_door_is_shut_at_once(lasting_world: World) -> None:
    """Before any worker has begun: no session, no write in their name, no second erasure."""
    here = lasting_world.here
    browser, mina = here.browser("mina"), here.members["mina"]
    assert browser.get("/me/").status_code == 200
    first = erase_member(here.person("mina"), mina.id, confirm=str(mina.id), now=NOW)
    assert browser.get("/me/").status_code in (302, 404)
    answer = here.api("aria").post(
        "/api/v1/memories", {"content": "Late.", "member": str(mina.id)}, format="json"
    )
    assert answer.status_code == 404
    again = erase_member(here.person("ada"), mina.id, confirm=str(mina.id), now=NOW)
    assert again.id == first.id
    run_to_its_end(here, first)
    with pytest.raises(NotFoundError):
        erase_member(here.person("ada"), mina.id, confirm=str(mina.id), now=NOW)
    assert not User.objects.filter(id=mina.user_id).exists()


def test_the_only_admin_is_told_what_to_do(lasting_world: World) -> None:
    here = lasting_world.here
    ada = here.members["ada"].id
    with pytest.raises(AlreadyExistsError, match="another member admin first"):
        erase_member(here.person("ada"), ada, confirm=str(ada), now=NOW)
    with organisation_scope(here.id):
        assert Member.objects.get(id=ada).removed_at is None


@pytest.mark.conformance("O13")
def test_it_shows_how_far_it_is_and_is_cancelled_and_resumed(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, ada = lasting_world.here, lasting_world.here.person("ada")
    ids = [here.remember(here.robot("bolt"), f"Bolt says {n}.").id for n in range(3)]
    source = f"robot:{here.robots['bolt'].id}"
    erasure = erase_source(ada, parse_source(source), confirm=source, now=NOW)
    assert erasure.job_id is not None
    told: list[tuple[int, int]] = []

    def stop(running: Any, turn: Any) -> Any:
        job_pages.cancel_visible_job(ada, erasure.job_id)
        told.append((turn.job.done, turn.job.total))
        return {}

    known = steps.STEPS
    cut = tuple((n, stop if n == "logs" else s) for n, s in known)
    monkeypatch.setattr(steps, "STEPS", cut)
    assert run_job(here.id, erasure.job_id, None)
    assert job_pages.get_job(ada, erasure.job_id).state == JobState.CANCELLED
    page = here.browser("ada").get("/jobs/").content.decode()
    assert "Erase" in page
    with organisation_scope(here.id, using="worker"):
        assert Memory.objects.using("worker").filter(id__in=ids).count() == 3
    monkeypatch.setattr(steps, "STEPS", known)
    job_pages.resume_cancelled_job(ada, erasure.job_id)
    run_to_its_end(here, erasure)
    job = job_pages.get_job(ada, erasure.job_id)
    assert (job.state, job.done >= len(known), told[0][1] >= len(ids)) == ("done", True, True)
    with organisation_scope(here.id, using="worker"):
        assert not Memory.objects.using("worker").filter(id__in=ids).exists()


def test_only_an_admin_stops_an_erasure(lasting_world: World) -> None:
    """The member is gone and cannot ask again; a curator sees how far it is."""
    here = lasting_world.here
    mina = here.members["mina"].id
    job_id = erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW).job_id
    pages = {who: here.browser(who) for who in ("chidi", "ada")}
    with pytest.raises(NotFoundError):
        job_pages.cancel_visible_job(here.person("chidi"), job_id)
    assert pages["chidi"].post(f"/jobs/{job_id}/cancel/").status_code == 404
    for path in (f"/jobs/{job_id}/", "/jobs/"):
        offered = {who: "/cancel/" in b.get(path).content.decode() for who, b in pages.items()}
        assert offered == {"chidi": False, "ada": True}, path
    assert job_pages.cancel_visible_job(here.person("ada"), job_id).state == JobState.CANCELLED


def test_asked_again_what_stopped_for_good_goes_on(lasting_world: World) -> None:
    here = lasting_world.here
    mina = here.members["mina"].id
    erasure = erase_member(here.person("ada"), mina, confirm=str(mina), now=NOW)
    with organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").filter(id=erasure.job_id).update(
            state=JobState.DEAD, attempts=4, reason="It broke off.", finished_at=NOW
        )
    assert not run_job(here.id, erasure.job_id, None)
    again = erase_member(here.person("ada"), mina, confirm=str(mina), now=NOW)
    assert again.id == erasure.id
    run_to_its_end(here, erasure)
    assert get_receipt(create_link(erasure)).finished_at is not None


def test_the_job_of_single_memories_finishes_no_other_erasure(lasting_world: World) -> None:
    """One at the terminal that has not begun gets no receipt from it."""
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    first, second = (here.remember(aria, f"Number {n}.").id for n in range(2))
    waiting = erase_memory_unchecked(here.person("ada"), first, now=NOW)
    single = erase_memory(aria, second, confirm=str(second), now=NOW).erasure
    run_to_its_end(here, single)
    assert get_receipt(create_link(single)).finished_at is not None
    assert get_receipt(create_link(waiting)).finished_at is None
    run_to_its_end(here, waiting)
    with organisation_scope(here.id, using="worker"):
        assert not Memory.objects.using("worker").filter(id=first).exists()
