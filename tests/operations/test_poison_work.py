"""One bad item among many of each kind of work: the others are done, the bad one is listed with its
reason, and is tried again or dropped, on record (O06)."""

import io
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.curation.bulk_change import BulkChange, change_memories
from memories.embedding.fake_encoder import FakeEncoder
from memories.indexing import enrich_worker
from memories.indexing.embed_worker import embed_pending
from memories.indexing.models import Embedding, Pending
from memories.ingestion.drafts import Draft
from memories.ingestion.file_import.import_job import enqueue_import
from memories.ingestion.remember import remember_many
from memories.jobs.leases import MAX_ATTEMPTS
from memories.jobs.models import Job
from memories.jobs.run_jobs import run_job
from memories.restatement.models import PendingRestatement
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("O06")
COUNT = 120
BAD = "Quicksilver poisons the well."


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    return lasting_world.here


def remembered(here: Tenant) -> UUID:
    """Many memories with a bad one in the middle; its id."""
    texts = [f"Bottle {n} holds water." for n in range(COUNT)]
    texts.insert(COUNT // 2, BAD)
    drafts = [Draft(content=text, key=f"item-{n}") for n, text in enumerate(texts)]
    remember_many(here.robot("aria"), drafts, now=timezone.now())
    with organisation_scope(here.id, using="worker"):
        return Memory.objects.using("worker").get(organisation_id=here.id, content=BAD).id


def encoding(patch: pytest.MonkeyPatch) -> None:
    plain = FakeEncoder.encode

    def failing(self: FakeEncoder, texts: Any, **more: Any) -> Any:
        if any("Quicksilver" in text for text in texts):
            raise ValueError("a text that is quoted")
        return plain(self, texts, **more)

    patch.setattr(FakeEncoder, "encode", failing)


def reading(patch: pytest.MonkeyPatch) -> None:
    plain = enrich_worker.write_restatements

    def failing(rows: Any, now: Any) -> None:
        if any(row.content == BAD for row in rows):
            raise ValueError("a text that is quoted")
        plain(rows, now)

    patch.setattr(enrich_worker, "write_restatements", failing)


def work(here: Tenant) -> None:
    """Until nothing is left, and often enough that what fails is given up."""
    for _ in range(MAX_ATTEMPTS + 2):
        while embed_pending(here.id, now=timezone.now()) > 1:
            pass


def left(here: Tenant) -> list[tuple[UUID, str, str]]:
    with organisation_scope(here.id, using="worker"):
        rows = Pending.objects.using("worker").filter(organisation_id=here.id)
        return list(rows.values_list("memory_id", "state", "reason"))


def embedded(here: Tenant) -> int:
    with organisation_scope(here.id, using="worker"):
        return Embedding.objects.using("worker").filter(organisation_id=here.id).count()


def noted(here: Tenant, act: str) -> list[int]:
    with organisation_scope(here.id, using="worker"):
        rows = AuditEntry.objects.using("worker").filter(organisation_id=here.id, action=act)
        return [one.detail["count"] for one in rows]


def embedding_of(here: Tenant, id_: UUID) -> str:
    found: str = here.api("aria").get(f"/api/v1/memories/{id_}").json()["embedding"]
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("broken", [encoding, reading])
def test_a_memory_that_cannot_be_indexed_holds_up_no_other(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, broken: Callable[[pytest.MonkeyPatch], None]
) -> None:
    with monkeypatch.context() as patch:
        broken(patch)
        bad = remembered(here)
        work(here)
        assert left(here) == [(bad, "dead", "ValueError")]
        assert embedded(here) == COUNT
        chidi = make_signed_in_client(here, "chidi")
        page = response_text(chidi.get("/jobs/"))
        assert (BAD in page, "ValueError" in page, "quoted" in page) == (True, True, False)
        assert chidi.post(f"/jobs/embeddings/{bad}/retry/").status_code == 302
        assert left(here) == [(bad, "waiting", "ValueError")]
        work(here)
        assert left(here) == [(bad, "dead", "ValueError")], "it fails again"
        mina = make_signed_in_client(here, "mina")
        assert mina.post(f"/jobs/embeddings/{bad}/drop/").status_code == 404, "curators alone"
        told = response_text(chidi.post(f"/jobs/embeddings/{bad}/drop/", follow=True))
        assert "1 memory will be found by words alone." in told
        assert chidi.post(f"/jobs/embeddings/{bad}/drop/").status_code == 404, "it is gone"
        work(here)
    assert left(here) == [(bad, "dropped", "ValueError")], "nobody tries it again"
    page = response_text(chidi.get("/jobs/"))
    assert (BAD in page, "ValueError" in page) == (False, False)
    assert (noted(here, "embedding.retried"), noted(here, "embedding.dropped")) == ([1], [1])
    assert embedding_of(here, bad) == "none"
    found = here.api("aria").post("/api/v1/recall", {"query": "quicksilver"}, format="json")
    assert str(bad) in {one["id"] for one in found.json()["results"]}, "its words find it"
    change = {"content": "Mercury poisons the well."}
    assert (
        here.api("aria").patch(f"/api/v1/memories/{bad}", change, format="json").status_code < 300
    )
    work(here)
    assert (left(here), embedding_of(here, bad)) == ([], "ready"), "another text is another try"


def test_all_that_failed_is_dropped_at_once(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding(monkeypatch)
    for number in range(3):
        here.remember(here.robot("aria"), f"Quicksilver {number} {'abc'[number] * 9}.")
    hidden = here.remember(here.person("mina"), "Quicksilver is mine.", visibility="private").id
    work(here)
    assert make_signed_in_client(here, "chidi").post("/jobs/embeddings/drop/").status_code == 302
    states = {id_: state for id_, state, _ in left(here)}
    assert states.pop(hidden) == "dead", "who may not read it decides nothing"
    assert sorted(states.values()) == ["dropped"] * 3
    assert noted(here, "embedding.dropped") == [3]


def test_what_the_language_model_never_answered_is_left_to_the_rules(here: Tenant) -> None:
    id_ = here.remember(here.robot("aria"), "Anna Berger moves to Rome.").id
    with organisation_scope(here.id, using="worker"):
        memory = Memory.objects.using("worker").get(id=id_)
        PendingRestatement.objects.using("worker").create(
            organisation_id=here.id, memory_id=id_, audience_id=memory.audience_id,
            kind=memory.kind, state="dead", reason="ModelAnswerError", created_at=NOW,
        )  # fmt: skip
    chidi = make_signed_in_client(here, "chidi")
    assert "ModelAnswerError" in response_text(chidi.get("/jobs/"))
    assert make_signed_in_client(here, "mina").post("/jobs/model/drop/").status_code == 404
    told = response_text(chidi.post("/jobs/model/drop/", follow=True))
    assert "1 memory will stay as the rules read them." in told
    assert "ModelAnswerError" not in response_text(chidi.get("/jobs/"))
    assert noted(here, "restating.dropped") == [1]


def finish(here: Tenant, job: Job) -> dict[str, Any]:
    while run_job(here.id, job.id, job.member_id):
        pass
    found: dict[str, Any] = here.browser("ada").get(f"/api/v1/jobs/{job.id}").json()
    return found


def test_a_bad_line_of_a_file_is_listed_and_the_others_are_in(here: Tenant) -> None:
    lines = [json.dumps({"id": f"l{n}", "text": f"Line {n} of many."}) for n in range(COUNT)]
    lines[COUNT // 2] = "{broken"
    file = io.BytesIO("\n".join(lines).encode())
    size = len(file.getvalue())
    job = enqueue_import(
        here.person("ada"), file, name="x.jsonl", size=size, by_group=False, now=timezone.now()
    )
    done = finish(here, job)
    assert (done["state"], done["problems"]) == ("done", 1)
    with organisation_scope(here.id, using="worker"):
        rows = Memory.objects.using("worker").filter(organisation_id=here.id, key__startswith="l")
        assert rows.count() == COUNT - 1
    [problem] = done["first_problems"]
    assert problem["line"] == COUNT // 2 + 1
    assert "broken JSON" in problem["reason"]


def test_one_that_may_not_be_changed_is_listed_and_the_others_are_changed(here: Tenant) -> None:
    ada = here.person("ada")
    drafts = [Draft(content=f"Bottle {n} holds water.", key=f"b{n}") for n in range(COUNT)]
    remember_many(here.robot("aria"), drafts, now=NOW)
    with organisation_scope(here.id, using="worker"):
        rows = Memory.objects.using("worker").filter(organisation_id=here.id).order_by("id")
        ids = list(rows.values_list("id", flat=True))
    protect_memory(ada, ids[7], reason="Kept.", now=NOW)
    job = change_memories(ada, ids, BulkChange(action="forget"), now=timezone.now()).job
    assert job is not None
    done = finish(here, job)
    assert (done["state"], done["done"], done["problems"]) == ("done", COUNT, 1)
    assert [one["id"] for one in done["first_problems"]] == [str(ids[7])]
    with organisation_scope(here.id, using="worker"):
        forgotten = Memory.objects.using("worker").filter(id__in=ids, status="forgotten")
        assert forgotten.count() == COUNT - 1
