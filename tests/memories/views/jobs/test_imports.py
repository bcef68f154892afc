"""Import by upload, the jobs page and the trash (Z22)."""

import codecs
import gzip
import html
import json
import re
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django import forms
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from memories.browsing import job_pages
from memories.ingestion.file_import.import_lines import ImportLimits
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from memories.views.forms.import_forms import MAX_RADIO_GROUPS, ImportForm
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.organisations.groups import set_confidential
from orgs.principals import resolve_principal
from robots.identities.identity_links import link_member_identity
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

LINES = [
    {"id": "1", "group": "acme", "speaker": "Noor", "text": "The release is in March."},
    {"id": "2", "group": "acme", "speaker": "Tom", "text": "I bring cake.", "audience": ["Noor"]},
]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path


def jsonl(*extra: bytes) -> bytes:
    return b"\n".join([*(json.dumps(line).encode() for line in LINES), *extra])


def test_nobody_is_chosen_as_reader_before_the_admin_chooses(world: World) -> None:
    """Neither everyone nor the narrowest: a press without a choice brings nothing."""
    ada = make_signed_in_client(world.here, "ada")
    page = response_text(ada.get("/import/"))
    radios = re.findall(r'<input type="radio" name="readers"[^>]*>', page)
    assert len(radios) == 2
    assert not any("checked" in one for one in radios)
    file = SimpleUploadedFile("talk.jsonl", jsonl())
    answer = ada.post("/import/", {"file": file, "speakers": "organisation"})
    assert answer.status_code == 422
    assert "Choose who reads such a line." in response_text(answer)


def upload(here: Tenant, content: bytes, name: str = "ada", *, sit: str = "no") -> Any:
    """Chosen, looked at and sent; what the last page answered."""
    file = SimpleUploadedFile("talk.jsonl", content)
    browser = make_signed_in_client(here, name)
    kept = browser.post(
        "/import/", {"file": file, "speakers": "organisation", "readers": "private"}
    )
    if kept.status_code != 302:
        return kept
    return browser.post(kept["Location"].partition("?")[0], {"sit": sit})


def run(here: Tenant, sent: Any) -> UUID:
    job_id = UUID(sent["Location"].strip("/").split("/")[-1])
    run_jobs.run_job(here.id, job_id, here.members["ada"].id)
    return job_id


def as_list(lines: bytes) -> bytes:
    return json.dumps([json.loads(line) for line in lines.splitlines()], indent=2).encode()


@pytest.mark.parametrize("wrap", [as_list, lambda lines: codecs.BOM_UTF8 + lines])
def test_a_list_and_a_mark_at_the_beginning_are_read(world: World, wrap: Any) -> None:
    here = world.here
    job_id = run(here, upload(here, wrap(jsonl())))
    page = response_text(make_signed_in_client(here, "ada").get(f"/jobs/{job_id}/"))
    assert "Done" in page
    assert "Problems" not in page


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_imported_by_a_worker_with_errors_by_line(
    world: World, data_dir: Path, pack: Any
) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    sent = upload(here, pack(jsonl(b"not json", b'{"id": "4"}')))
    assert "Waiting" in response_text(ada.get(sent["Location"]))
    assert "The release" not in response_text(ada.get("/memories/"))
    job_id = run(here, sent)
    page = response_text(ada.get(f"/jobs/{job_id}/"))
    for words in ("Done", "<td>3</td><td>broken JSON", "<td>4</td><td>no text"):
        assert words in page
    assert list((data_dir / "uploads").iterdir()) == [], "nothing of the file stays"
    again = run(here, upload(here, jsonl()))
    assert "<dt>There already</dt><dd>2</dd>" in response_text(ada.get(f"/jobs/{again}/"))
    assert "Import" in response_text(ada.get("/jobs/"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "not JSON"),
        (b"\x1f\x8bnot really", "cannot be unpacked"),
        (b'[{"text": "a"},', "begins as one JSON list and is broken"),
        (b"\xff\xfe\x00\xd8", "broken UTF-16"),
        (b'{"name": "a"}', "has no “text”"),
        (b"", "empty"),
    ],
)
def test_an_upload_that_is_not_what_it_says(world: World, content: bytes, words: str) -> None:
    answer = upload(world.here, content)
    assert answer.status_code == 422
    assert words in response_text(answer)
    assert "Nothing yet" in response_text(make_signed_in_client(world.here, "ada").get("/jobs/"))


def test_rights_are_looked_up_again_when_it_runs(world: World) -> None:
    here = world.here
    sent = upload(here, jsonl())
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(role=Role.MEMBER)
    job_id = run(here, sent)
    page = response_text(make_signed_in_client(here, "ada").get(f"/jobs/{job_id}/"))
    assert "Whoever asked for this may not do it any more." in page
    assert "The release" not in response_text(
        make_signed_in_client(here, "chidi").get("/memories/")
    )


def test_a_job_that_stopped_is_tried_again(world: World, data_dir: Path) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    sent = upload(here, jsonl())
    kept = next((data_dir / "uploads").iterdir())
    moved = kept.rename(data_dir / "elsewhere")
    job_id = run(here, sent)
    assert "The file is not there any more" in response_text(ada.get(f"/jobs/{job_id}/"))
    moved.rename(kept)
    assert ada.post(f"/jobs/{job_id}/retry/").status_code == 302
    run_jobs.run_job(here.id, job_id, here.members["ada"].id)
    assert job_pages.get_job(here.person("ada"), job_id).state == "done"


def test_an_import_says_who_reads_it(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    everyones = b'{"id": "5", "text": "Everybody may know."}'
    job = run(here, upload(here, jsonl()))
    page = response_text(ada.get(f"/jobs/{job}/"))
    assert "You can read none of it." in page
    assert "It is for those whom the file names" in page
    assert "See the" not in page.partition("<main")[2], "no button that leads to an empty page"
    mixed = run(here, upload(here, everyones))
    page = response_text(ada.get(f"/jobs/{mixed}/"))
    assert "You can read it." in page
    link = re.search(r'href="(/memories/\?brought=[^"]+)">See the memory<', page)
    assert link is not None
    listed = response_text(ada.get(html.unescape(link[1])))
    assert ("Everybody may know." in listed, "The release" in listed) == (True, False)


def test_the_importer_looks_after_new_groups_only_when_they_say_so(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    job = run(here, upload(here, jsonl()))
    with organisation_scope(here.id):
        left = Group.objects.get(organisation_id=here.id, external_id="acme")
    # Owning opens nothing; whoever imports can decide who sits there.
    assert left.owner_id == here.members["ada"].id
    assert not left.memberships.filter(member=here.members["ada"]).exists()
    other = jsonl().replace(b"acme", b"globex").replace(b'"id": "', b'"id": "g')
    sent = upload(here, other, sit="yes")
    job = run(here, sent)
    with organisation_scope(here.id):
        kept = Group.objects.get(organisation_id=here.id, external_id="globex")
        seats = set(kept.memberships.values_list("member__name", flat=True))
        noted = AuditEntry.objects.get(organisation_id=here.id, target=kept.id)
    assert (kept.owner_id, "Ada" in seats) == (here.members["ada"].id, True)
    assert (noted.action, noted.member) == ("group.created", here.members["ada"].id)
    page = response_text(ada.get(f"/jobs/{job}/"))
    assert "You can read 1 of the 2 new ones." in page
    assert "The release" in response_text(ada.get(f"/memories/?group={kept.id}"))
    assert ada.get(f"/people/groups/{left.id}/").status_code == 404
    # Nobody is put into what is there already.
    run(here, upload(here, jsonl(), sit="yes"))
    with organisation_scope(here.id):
        assert not left.memberships.filter(member=here.members["ada"]).exists()


def test_only_admins_import(world: World) -> None:
    for name in ("chidi", "bob", "vera"):
        assert upload(world.here, jsonl(), name).status_code == 404


@pytest.mark.conformance("Z22")
def test_the_trash_holds_what_one_may_bring_back(world: World) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "A slip.", visibility="private").id
    mina = make_signed_in_client(here, "mina")
    assert "The trash is empty" in response_text(mina.get("/trash/"))
    mina.post(f"/memories/{id_}/forget/")
    assert "A slip." not in response_text(mina.get("/memories/"))
    page = response_text(mina.get("/trash/"))
    assert "A slip." in page
    assert "nothing here is deleted by itself" in page
    assert "A slip." not in response_text(make_signed_in_client(here, "ada").get("/trash/"))
    assert make_signed_in_client(here, "vera").get("/trash/").status_code == 404
    # However long ago it was: nothing deletes it, so nothing says that it does.
    with resolve_principal(here.person("mina")).scope():
        Memory.objects.filter(id=id_).update(forgotten_at=NOW - timedelta(days=400))
    page = response_text(mina.get("/trash/"))
    assert "A slip." in page
    assert not re.search(r"days? left|\d+ days", page)
    mina.post(f"/memories/{id_}/restore/")
    assert "The trash is empty" in response_text(mina.get("/trash/"))
    assert "A slip." in response_text(mina.get("/memories/"))


def test_an_admin_does_not_import_themselves_into_a_group(world: World) -> None:
    """Ada calls herself by a name, and lets it speak in a confidential group that she is not in.

    The file's group is one of her own then: what she does not know of is neither told nor filled.
    """
    here = world.here
    secret = here.remember(here.robot("aria"), "A zebra.", group="launch").id
    me = {"identity": "import:me"}
    link_member_identity(here.person("ada"), str(here.members["ada"].id), me, now=NOW)
    line = {"id": "x", "group": "launch", "speaker": "me", "text": "Let me in."}
    open_line = {"id": "y", "group": "acme", "speaker": "Noor", "text": "Hello."}
    job = run(here, upload(here, "\n".join(map(json.dumps, (line, open_line))).encode()))
    assert secret not in here.readable(here.person("ada"))
    result = job_pages.get_job(here.person("ada"), job).result
    assert (result["imported"], result["groups"]) == (2, 2)
    assert "Let me in." not in response_text(make_signed_in_client(here, "mina").get("/memories/"))
    again = run(here, upload(here, "\n".join(map(json.dumps, (line, open_line))).encode()))
    result = job_pages.get_job(here.person("ada"), again).result
    assert (result["imported"], result["already"], result["groups"]) == (0, 2, 0), "known again"
    with organisation_scope(here.id):
        mine = Group.objects.get(external_id="launch", owner=here.members["ada"])
        assert mine.id != here.groups["launch"].id
        seated = Group.objects.get(external_id="acme").memberships.values_list("member__name")
        assert list(seated) == [("Noor",)], "as whom nobody signs in"
        set_confidential(
            actor=here.person("ada"), group=here.groups["design"], confidential=False, now=NOW
        )
    run(here, upload(here, json.dumps(line | {"group": "design"}).encode()))
    with organisation_scope(here.id):
        assert here.groups["design"].memberships.filter(member__name="Ada").exists(), "she reads it"


def test_a_packed_file_fills_no_memory(world: World) -> None:
    here = world.here
    packed = gzip.compress(jsonl(b'{"id":"9","text":"' + b"a" * 50_000_000 + b'"}'))
    sent = upload(here, packed)
    tracemalloc.start()
    job = run(here, sent)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    done = job_pages.get_job(here.person("ada"), job)
    assert (done.state, done.result["imported"]) == ("done", 2)
    assert [one["line"] for one in done.problems] == [3]
    assert most < 120_000_000, f"{most:,}"
    with patch("memories.ingestion.file_import.import_job.LIMITS", ImportLimits(size=10_000_000)):
        stopped = job_pages.get_job(here.person("ada"), run(here, upload(here, packed)))
    assert (stopped.state, stopped.reason[:22]) == ("dead", "Unpacked, the file hol")


def test_nor_does_one_of_nothing_but_mistakes_or_groups(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    job = run(here, upload(here, jsonl(*[b"x"] * 3_000)))
    done = job_pages.get_job(here.person("ada"), job)
    assert (done.result["skipped"], len(done.problems)) == (3_000, 1_000)
    monkeypatch.setattr("memories.ingestion.file_import.import_job.MAX_GROUPS", 1)
    other = b'{"id":"5","group":"other","text":"Hello."}'
    stopped = job_pages.get_job(here.person("ada"), run(here, upload(here, jsonl(other))))
    assert (stopped.state, stopped.reason[:20]) == ("dead", "The file names more ")


@pytest.mark.parametrize("count", [0, MAX_RADIO_GROUPS, MAX_RADIO_GROUPS + 1])
def test_nobody_is_chosen_as_reader_however_many_groups_there_are(count: int) -> None:
    """A browser takes the first of a list that offers no empty choice."""
    form = ImportForm([(uuid4(), f"Group {n}") for n in range(count)], {})
    field = form.fields["readers"]
    is_list = isinstance(field.widget, forms.Select) and not isinstance(
        field.widget, forms.RadioSelect
    )
    assert is_list == (count > MAX_RADIO_GROUPS)
    assert (field.choices[0][0] == "", field.initial) == (is_list, None)
    assert form.errors["readers"] == ["Choose who reads such a line."]
    assert len(field.choices) == count + 2 + is_list
