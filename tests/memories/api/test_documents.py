"""Documents by the API: dry run, import, list, citations, forgetting."""

import io
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from memories.curation.documents import import_document
from memories.ingestion.documents.parser_slots import parser_slot
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from memories.tasks import run_job
from orgs.api.problems import PROBLEM_TYPE_PREFIX
from orgs.models.base import new_id
from tests.isolation.forgery import all_audiences_scope
from tests.memories.ingestion.documents.samples import make_pdf, text_at
from tests.world import Tenant, World

URL = "/api/v1/documents"
HANDBOOK = make_pdf(
    [text_at("The coffee machine stands on the second floor."), text_at("Noor keeps the keys.")]
)


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def post(
    client: APIClient, content: bytes = HANDBOOK, name: str = "Handbook.pdf", **more: str
) -> Any:
    file = io.BytesIO(content)
    file.name = name
    return client.post(URL, {"file": file, **more}, format="multipart")


def bring(client: APIClient, *args: Any, **more: str) -> dict[str, Any]:
    answer = post(client, *args, **more)
    assert answer.status_code == 202, answer.content
    while run_job():
        pass
    job: dict[str, Any] = client.get(answer["Location"]).json()
    assert job["state"] == "done", job
    return job


@pytest.mark.conformance("N28")
@pytest.mark.parametrize("caller", ["bob", "bolt"])
def test_a_document_is_imported_cited_and_forgotten(here: Tenant, caller: str) -> None:
    client = here.browser("bob") if caller == "bob" else here.api("bolt")
    seen = post(client, dry_run="true")
    assert seen.status_code == 200, seen.content
    assert (seen.json()["parts"], seen.json()["added"], seen.json()["again"]) == (2, 2, False)
    assert client.get(URL).json()["results"] == []
    job = bring(client)
    assert job["counts"]["imported"] == 2
    [document] = client.get(URL).json()["results"]
    assert (document["name"], document["parts"]) == ("Handbook.pdf", 2)
    assert document["audience"]["kind"] == ("member" if caller == "bob" else "robot")
    asked = {"query": "Who keeps the keys?"}
    [hit, *_] = client.post("/api/v1/recall", asked, format="json").json()["results"]
    assert hit["source"]["document"]["label"] == "Handbook.pdf, page 2"
    context = client.post("/api/v1/context", asked, format="json").json()
    assert "Handbook.pdf page 2" in context["text"] or "Handbook.pdf, page 2" in context["text"]
    [one] = [c for c in context["citations"] if c.get("id") == hit["id"]]
    assert one["details"]["source"]["document"]["page"] == 2
    assert one["details"]["asserted_by"] == "import"
    detail = client.get(f"{URL}/{document['id']}").json()
    assert [part["label"] for part in detail["first_parts"]] == [
        "Handbook.pdf, page 1", "Handbook.pdf, page 2",
    ]  # fmt: skip
    other = here.browser("mina")
    assert other.get(f"{URL}/{document['id']}").status_code == 404
    assert other.delete(f"{URL}/{document['id']}").status_code == 404
    assert client.delete(f"{URL}/{document['id']}").json() == {"forgotten": 2, "kept": 0}
    assert client.get(f"{URL}/{document['id']}").status_code == 404


def test_who_only_reads_imports_nothing(here: Tenant) -> None:
    reader = here.add_robot("rita", scopes=("read",))
    assert reader
    assert post(here.api("rita")).status_code == 403


def test_files_that_are_refused(here: Tenant) -> None:
    client = here.browser("bob")
    assert post(client, b"", "a.pdf").status_code == 400
    assert post(client, b"%PDF-1.7 nothing", "a.pdf").status_code == 400
    assert post(client, b"words", "a.txt").status_code == 400
    assert post(client, group="design").status_code in (404, 422)


def test_a_document_waits_for_a_place_and_is_then_refused(
    here: Tenant, lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_document, "WAIT_SECONDS", 0)
    client, elsewhere = here.browser("bob"), lasting_world.there.browser("ada")
    other = str(new_id())
    with _take_slot_of(str(here.id)):
        # Of its own organisation one is read, which is half.
        answer = post(client)
        assert (answer.status_code, answer.json()["type"]) == (503, f"{PROBLEM_TYPE_PREFIX}busy")
        assert int(answer["Retry-After"]) > 0
        assert post(elsewhere, dry_run="true").status_code == 200
        with _take_slot_of(other):
            assert post(elsewhere, dry_run="true").status_code == 503
    with _take_slot_of(other):
        assert post(client, dry_run="true").status_code == 200
    assert client.get("/api/v1/jobs").json()["results"] == []


def _take_slot_of(organisation: str) -> AbstractContextManager[None]:
    folder = import_document.parsers_folder()
    return parser_slot(folder, organisation, slots=2, wait_seconds=0)


def test_an_admin_erases_what_an_import_brought(here: Tenant) -> None:
    job = bring(here.browser("bob"))
    ada = here.browser("ada")
    source = f"import:{job['id']}"
    answer = ada.post("/api/v1/erasures", {"source": source, "confirm": source}, format="json")
    assert answer.status_code in (201, 202), answer.content
    while run_job():
        pass
    with all_audiences_scope(here):
        assert not Memory.objects.filter(conversation__startswith="document:").exists()
