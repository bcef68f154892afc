"""Files of DATA_DIR that hold what is erased: exports of others, and uploads that wait."""

import io
from uuid import UUID

import orjson
import pytest
from django.utils import timezone

from memories.ingestion.file_import.own_import import store_own_preview
from memories.ingestion.file_import.plan_import import ensure_previews_folder, store_preview
from memories.jobs.run_jobs import run_job
from memories.privacy.erase_memory import erase_memory
from memories.privacy.request_erasure import erase_member
from memories.snapshots.export_job import EXPORTS, enqueue_export
from tests.memories.ingestion.file_import.formats.exports import claude_conversation
from tests.memories.privacy.erasure.test_breaking_off import run_to_its_end
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T14")
WORD = "Zwkxqgihjkl"


def exported(here: Tenant, name: str) -> UUID:
    """The job of an export that is done."""
    job = enqueue_export(here.person(name), {}, now=timezone.now())
    run_job(here.id, job.id, here.members[name].id)
    assert EXPORTS.path_of(job.id).exists()
    return job.id


def test_no_export_hands_out_a_memory_that_was_erased_alone(lasting_world: World) -> None:
    """Bob's export has the text; one of the other organisation and one without the text stay."""
    here, there = lasting_world.here, lasting_world.there
    row = here.remember(here.person("mina"), f"The spare key lies at {WORD}.", group="launch")
    bobs, theirs = exported(here, "bob"), exported(there, "bob")
    here.remember(here.person("mina"), f"{row.id} is gone, they say.", group="launch")
    assert WORD in EXPORTS.path_of(bobs).read_text()
    erasure = erase_memory(here.person("mina"), row.id, confirm=str(row.id), now=NOW).erasure
    later = exported(here, "ada")
    run_to_its_end(here, erasure)
    assert not EXPORTS.path_of(bobs).exists()
    assert here.browser("bob").get(f"/api/v1/jobs/{bobs}/file").status_code == 410
    assert EXPORTS.path_of(later).exists(), "who erases keeps nobody from other exports"
    assert EXPORTS.path_of(theirs).exists()


def list_uploaders() -> set[str]:
    """The ids of the members of whom an upload waits."""
    return {path.name.split(".")[1] for path in ensure_previews_folder().iterdir()}


def test_an_upload_that_waits_goes_with_its_member(lasting_world: World) -> None:
    """Mina and Ada have each looked at a file before an import, which is of no job yet."""
    here = lasting_world.here
    talk = orjson.dumps([claude_conversation(("human", f"I live in {WORD}."))])
    mine = io.BytesIO(talk)
    store_own_preview(here.person("mina"), mine, name="t.json", size=len(talk), time_zone=None)
    line = orjson.dumps({"id": "1", "text": f"The desk is in {WORD}.", "group": "launch"})
    store_preview(here.person("ada"), io.BytesIO(line), name="a.jsonl", size=len(line))
    mina, ada = (str(here.members[name].id) for name in ("mina", "ada"))
    assert {mina, ada} <= list_uploaders()
    erasure = erase_member(here.person("mina"), UUID(mina), confirm=mina, now=NOW)
    run_to_its_end(here, erasure)
    assert mina not in list_uploaders(), "it would lie there for two hours more"
    assert ada in list_uploaders()
