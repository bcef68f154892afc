"""The page Jobs: ask for an export, take its file away, and nobody else does."""

from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from memories.jobs import run_jobs
from memories.snapshots.export_job import EXPORTS
from memories.tasks import run_job
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tenant:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


@pytest.mark.conformance("O13")
def test_a_member_exports_and_takes_the_file_away(here: Tenant) -> None:
    here.remember(here.person("mina"), "Hers alone.", visibility="private")
    mina = make_signed_in_client(here, "mina")
    assert "Export what I may read" in response_text(mina.get("/jobs/"))
    url = mina.post("/jobs/export/")["Location"]
    page = response_text(mina.get(url))
    assert "Export memories" in page
    assert "0 of 1 memory" in page
    assert mina.get(f"{url}file/").status_code == 404, "it is not done"
    assert run_job()
    page = response_text(mina.get(url))
    assert f'href="{url}file/"' in page
    assert "a copy outside" in page
    assert "Export memories (1)" in response_text(mina.get("/jobs/"))
    answer = mina.get(f"{url}file/")
    assert b"Hers alone." in b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="memories.jsonl"'
    assert "no-store" in answer["Cache-Control"]
    for who in ("ada", "chidi", "bob"):
        assert make_signed_in_client(here, who).get(url).status_code == 404
        assert make_signed_in_client(here, who).get(f"{url}file/").status_code == 404
    with time_machine.travel(timezone.now() + timedelta(days=7, hours=1)):
        assert make_signed_in_client(here, "mina").get(f"{url}file/").status_code == 404
    next(EXPORTS.folder().iterdir()).unlink()
    assert "The file was deleted" in response_text(mina.get(url))


def test_another_organisation_and_a_viewer_get_nothing(here: Tenant, lasting_world: World) -> None:
    url = make_signed_in_client(here, "mina").post("/jobs/export/")["Location"]
    assert run_job()
    there = make_signed_in_client(lasting_world.there, "ada")
    assert there.get(f"{url}file/").status_code == 404
    assert make_signed_in_client(here, "vera").post("/jobs/export/").status_code in (403, 404)
    assert make_signed_in_client(here, "mina").get("/jobs/export/")["Location"] == "/jobs/"
