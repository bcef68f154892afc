"""Filling a second embedding model is a job of the organisation, which one watches and cancels."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from memories import tasks
from memories.embedding import encoder_loading
from memories.embedding.encoder import EncoderError, Vectors
from memories.indexing import model_choice, model_switch
from memories.jobs import job_queue, run_jobs
from memories.jobs.models import Job, JobType
from memories.tasks import run_job
from orgs.database.rls import organisation_scope
from tests.memories.indexing.second_model import (
    FAKE,
    OTHER,
    OTHER_NUMBER,
    TEXTS,
    OtherEncoder,
    command,
    numbers,
    refused,
    search_by_meaning,
    searched,
)
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("O13")


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> OtherEncoder:
    encoder = OtherEncoder()
    monkeypatch.setattr(encoder_loading, "_encoders", {OTHER: encoder})
    monkeypatch.setattr(model_switch, "FILL_BATCH_SIZE", 1)
    return encoder


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    tenant = lasting_world.here
    # Other organisations of this database, such as that of a site that runs, have jobs as well.
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [tenant.id])
    for text in TEXTS:
        tenant.remember(tenant.robot("bolt"), text)
    tenant.embed()
    command(tenant, "add", OTHER)
    return tenant


def jobs_of(here: Tenant) -> list[Job]:
    with organisation_scope(here.id, using="worker"):
        rows = Job.objects.using("worker").filter(organisation_id=here.id, kind=JobType.RE_EMBED)
        return list(rows.order_by("id"))


def asked(here: Tenant, who: str, id_: Any, act: str = "") -> Any:
    url = f"/api/v1/jobs/{id_}"
    return here.browser(who).post(f"{url}/{act}") if act else here.browser(who).get(url)


def after_texts(
    patched: pytest.MonkeyPatch, most: int, act: Callable[[OtherEncoder], None]
) -> None:
    """Call `act` when the second model is asked once more after `most` texts."""
    plain = OtherEncoder.encode

    def encode(self: OtherEncoder, texts: Sequence[str], **_: bool) -> Vectors:
        if len(self.calls) == most:
            act(self)
        return plain(self, texts)

    patched.setattr(OtherEncoder, "encode", encode)


def serves_as_before(here: Tenant, other: OtherEncoder) -> None:
    before = len(other.calls)
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert len(search_by_meaning(here, "alarm")) == 4
    assert len(other.calls) == before, "the second model is asked by no recall"


def test_adding_a_model_queues_it_and_curators_watch_it(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    [job] = jobs_of(here)
    seen = []
    while run_job():
        found = asked(here, "chidi", job.id).json()
        seen.append((found["state"], found["done"], found["total"]))
        serves_as_before(here, other)
        [listed] = here.browser("ada").get("/api/v1/jobs", {"kind": "re-embed"}).json()["results"]
        assert listed == asked(here, "ada", job.id).json()
    assert seen == [*(("waiting", done, 4) for done in (1, 2, 3, 4)), ("done", 4, 4)]
    found = asked(here, "chidi", job.id).json()
    assert (found["kind"], found["of"], found["reason"]) == ("re-embed", "organisation", "")
    assert found["counts"] == {"embedded": 4, "refused": 0}
    page = response_text(make_signed_in_client(here, "chidi").get("/jobs/?kind=re-embed"))
    assert "Embed memories by another model" in page
    assert "4 memories embedded" in page
    for who in ("mina", "vera"):
        assert asked(here, who, job.id).status_code == 404
        assert "another model" not in response_text(make_signed_in_client(here, who).get("/jobs/"))
    assert here.api("aria").get("/api/v1/jobs").json()["results"] == []
    command(here, "switch")
    assert len(jobs_of(here)) == 1


@pytest.mark.parametrize("by", ["API", "page", "command"])
def test_cancelled_in_the_middle_recall_is_as_before_and_it_goes_on(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    [job] = jobs_of(here)
    browser = make_signed_in_client(here, "chidi")

    def act(name: str) -> None:
        if by == "API":
            assert asked(here, "mina", job.id, name).status_code == 404
            assert asked(here, "chidi", job.id, name).status_code == 200
        elif by == "page":
            form = {"organisation": str(here.id)}
            assert browser.post(f"/jobs/{job.id}/{name}/", form).status_code == 302
        elif name == "cancel":
            command(here, "pause")
        else:
            command(here, "backfill")

    with monkeypatch.context() as patched:
        after_texts(patched, 2, lambda _: act("cancel"))
        assert run_job()
    assert asked(here, "chidi", job.id).json()["state"] == "cancelled"
    assert searched(here) == {f"rows {FAKE}": 4, f"beside {OTHER_NUMBER}": 3}
    serves_as_before(here, other)
    assert model_choice.find_model_status(here.id).state == "paused"
    tasks.sweep_second_models()
    assert not run_job(), "nobody goes on by himself"
    other.calls.clear()
    act("resume")
    run_job()
    [same] = jobs_of(here)
    assert (same.id, same.state, same.done, same.total) == (job.id, "done", 4, 4)
    assert len(other.calls) == 1, "what was stored is not made again"
    assert model_choice.find_model_status(here.id).state == "ready"


def test_killed_in_the_middle_it_goes_on(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: OtherEncoder) -> None:
        raise SystemExit

    [job] = jobs_of(here)
    with monkeypatch.context() as patched:
        after_texts(patched, 2, killed)
        with pytest.raises(SystemExit):
            run_job()
    assert not run_job(), "its lease holds"
    assert "is filling it now" in said_by_backfill(here)
    serves_as_before(here, other)
    with time_machine.travel(timezone.now() + job_queue.LEASE + timedelta(minutes=1)):
        assert run_job()
    [same] = jobs_of(here)
    assert (same.id, same.state) == (job.id, "done")
    assert sorted(text for call in other.calls for text in call) == sorted(
        {text for call in other.calls for text in call}
    ), "none twice"
    assert searched(here)[f"beside {OTHER_NUMBER}"] == 4


def said_by_backfill(here: Tenant) -> str:
    said = StringIO()
    call_command("embedding_model", "backfill", organisation=here.organisation.slug, stderr=said)
    return said.getvalue()


def test_what_the_model_refuses_stops_it_and_is_tried_again(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = OtherEncoder.encode

    def encode(self: OtherEncoder, texts: Sequence[str], **_: bool) -> Vectors:
        if any("heron" in text for text in texts):
            raise ValueError("too much")
        return plain(self, texts)

    [job] = jobs_of(here)
    with monkeypatch.context() as patched:
        patched.setattr(OtherEncoder, "encode", encode)
        assert run_job()
    found = asked(here, "chidi", job.id).json()
    assert (found["state"], found["counts"]) == ("dead", {"embedded": 3, "refused": 1})
    assert found["reason"] == "The second embedding model refused texts."
    assert model_choice.find_model_status(here.id).state == "stopped"
    assert not model_switch.enqueue_missing(here.id, now=timezone.now())
    other.calls.clear()
    assert asked(here, "chidi", job.id, "retry").status_code == 200
    assert run_job()
    found = asked(here, "chidi", job.id).json()
    assert (found["state"], found["counts"]) == ("done", {"embedded": 1, "refused": 0})
    assert len(other.calls) == 1


def test_a_model_that_cannot_be_loaded_is_told(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise EncoderError("no such file /models/x")

    monkeypatch.setattr(model_switch, "get_encoder", missing)
    assert run_job()
    [job] = jobs_of(here)
    assert (job.state, job.reason) == (
        "dead",
        "The worker cannot load the second embedding model.",
    )


def test_new_memories_come_first(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = here.remember(here.robot("bolt"), "A kettle boils.").id
    seen: list[Any] = []
    after_texts(monkeypatch, 1, lambda _: seen.append(numbers(here)))
    assert run_job()
    [first] = seen
    assert first[waiting] == {FAKE, OTHER_NUMBER}
    assert sum(OTHER_NUMBER in one for one in first.values()) == 1
    assert searched(here)[f"beside {OTHER_NUMBER}"] == 5


def test_what_comes_to_lack_a_vector_later_is_filled_by_another_job(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: OtherEncoder, texts: Sequence[str], **_: bool) -> Vectors:
        raise ValueError("too much")

    assert run_job()
    assert tasks.sweep_second_models() == 0, "nothing lacks one"
    with monkeypatch.context() as patched:
        patched.setattr(OtherEncoder, "encode", failing)
        here.remember(here.robot("bolt"), "A kettle boils.")
        here.embed()
    assert [tasks.sweep_second_models(), tasks.sweep_second_models()] == [1, 0]
    assert run_job()
    assert [job.state for job in jobs_of(here)] == ["done", "done"]
    assert searched(here)[f"beside {OTHER_NUMBER}"] == 5


def test_a_removed_model_leaves_it_nothing_to_do(
    lasting_world: World, here: Tenant, other: OtherEncoder
) -> None:
    command(here, "remove", OTHER)
    other.calls.clear()
    assert run_job()
    assert ([job.state for job in jobs_of(here)], other.calls) == (["done"], [])
    assert jobs_of(lasting_world.there) == []
    assert "No second model is kept" in refused(here, "backfill")
