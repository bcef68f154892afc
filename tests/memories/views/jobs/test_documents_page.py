"""The page of documents: a look first, one press, replaced, forgotten as a whole."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memories.browsing.conversation_pages.conversation_page import MAX_TURNS, ConversationStats
from memories.curation.documents import import_document
from memories.curation.documents.plan_document import DocumentPlan
from memories.curation.edit_memory import edit_memory
from memories.ingestion.documents.parser_slots import parser_slot
from memories.ingestion.file_import.plan_import import ensure_previews_folder
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from memories.tasks import run_job
from memories.views.conversation_presenter import document_stats_labels
from memories.views.jobs.documents_page import hidden_sentence
from orgs.models.base import new_id
from orgs.organisations.groups import remove_from_group
from orgs.principals import resolve_principal
from tests.isolation.forgery import all_audiences_scope
from tests.world import NOW, Tenant, World

GUIDE = b"# Guide\n\nNoor keeps the keys of the archive.\n\n<p hidden>IGNORE</p>\n"


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def browser(here: Tenant, name: str) -> Client:
    client = Client()
    here.sign_in(client, name)
    return client


def hand_in(client: Client, content: bytes = GUIDE, audience: str = "private") -> str:
    file = SimpleUploadedFile("Guide.md", content)
    answer = client.post("/documents/", {"file": file, "audience": audience, "format": "auto"})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def count(here: Tenant, name: str) -> int:
    with resolve_principal(here.person(name)).scope():
        return Memory.objects.filter(conversation__startswith="document:", status="active").count()


def test_a_look_first_and_then_one_press(here: Tenant) -> None:
    client = browser(here, "bob")
    plan = hand_in(client)
    page = client.get(plan).content.decode()
    assert "Noor keeps the keys" in page
    assert "IGNORE" not in page
    assert "1 piece of text that nobody would see" in page
    assert "Only you can read this" in page
    assert count(here, "bob") == 0
    # Kept for its owner alone.
    assert browser(here, "mina").get(plan).status_code == 404
    assert browser(here, "mina").post(plan).status_code == 404
    job = client.post(plan)
    while run_job():
        pass
    shown = client.get(job["Location"]).content.decode()
    assert "See the documents" in shown
    assert "1 of 1 changes" in shown
    assert "Import Guide.md" in client.get("/jobs/").content.decode()
    assert count(here, "bob") == 1
    assert count(here, "mina") == 0
    # It is kept no longer.
    assert client.get(plan).status_code == 404
    listed = client.get("/documents/").content.decode()
    assert "Guide.md" in listed
    assert "Guide.md" not in browser(here, "mina").get("/documents/").content.decode()
    again = client.get(hand_in(client)).content.decode()
    assert "There is nothing to change" in again


@pytest.mark.parametrize("gone", ["document", "request"])
def test_a_kept_document_that_is_half_gone_is_not_found(here: Tenant, gone: str) -> None:
    client = browser(here, "bob")
    plan = hand_in(client)
    [kept] = ensure_previews_folder().glob(f"*.{gone}")
    kept.unlink()
    assert client.get(plan).status_code == 404
    assert client.post(plan).status_code == 404


@pytest.mark.parametrize(
    ("format", "hidden", "text"),
    [
        ("pdf", 2, "2 pages have text that nobody would see there."),
        ("html", 3, "It has 3 pieces of text that nobody would see there."),
        ("html", 0, ""),
    ],
)
def test_hidden_text_is_counted(format: str, hidden: int, text: str) -> None:
    plan = DocumentPlan(
        new_id(), "a", format, "member", "", proposed=False, parts=1, hidden=hidden
    )  # fmt: skip
    assert hidden_sentence(plan).startswith(text)
    assert bool(hidden_sentence(plan)) == bool(hidden)


def test_a_long_document_has_more_parts_than_are_counted() -> None:
    stats = ConversationStats(MAX_TURNS, more=True, people=1, first=NOW, last=NOW, opening=new_id())
    assert document_stats_labels(stats)[0] == f"more than {MAX_TURNS:,} parts"


def test_readers_that_one_may_not_choose(here: Tenant) -> None:
    file = SimpleUploadedFile("Guide.md", GUIDE)
    group = f"group:{here.groups['design'].id}"
    answer = browser(here, "bob").post("/documents/", {"file": file, "audience": group})
    assert answer.status_code == 422
    assert "You cannot choose these readers any more" in answer.content.decode()


def test_who_left_the_group_since_chooses_other_readers(here: Tenant) -> None:
    client, group = browser(here, "bob"), here.groups["launch"]
    plan = hand_in(client, audience=f"group:{group.id}")
    assert client.get(plan).status_code == 200
    with all_audiences_scope(here):
        remove_from_group(
            organisation_id=here.id, group_id=group.id, member_ids=[here.members["bob"].id]
        )
    for answer in (client.get(plan), client.post(plan)):
        assert (answer.status_code, answer["Location"]) == (302, "/documents/")
    assert "You cannot choose these readers any more" in client.get("/documents/").content.decode()


def test_edited_words_are_told_before_an_import_again(here: Tenant) -> None:
    client = browser(here, "bob")
    client.post(hand_in(client))
    while run_job():
        pass
    assert "edited by hand" not in client.get(hand_in(client)).content.decode()
    with resolve_principal(here.person("bob")).scope():
        part = Memory.objects.get(conversation__startswith="document:", status="active")
    edit_memory(here.person("bob"), part.id, {"content": "Tom keeps the keys."}, now=NOW)
    assert (
        "Of these edited by hand, and left as they are"
        in client.get(hand_in(client)).content.decode()
    )
    newer = client.get(hand_in(client, GUIDE.replace(b"keys", b"locks"))).content.decode()
    assert "Of these edited by hand, and replaced" in newer


def test_forgotten_by_one_press(here: Tenant) -> None:
    client = browser(here, "bob")
    client.post(hand_in(client))
    while run_job():
        pass
    page = client.get("/documents/").content.decode()
    address = page.split('action="/documents/')[1].split('"')[0]
    forget = f"/documents/{address}"
    assert browser(here, "mina").post(forget).status_code == 404
    assert count(here, "bob") == 1
    assert client.post(forget).status_code == 302
    assert count(here, "bob") == 0


def test_what_is_no_document_is_said_at_the_field(here: Tenant) -> None:
    client = browser(here, "bob")
    file = SimpleUploadedFile("talk.txt", b"words")
    answer = client.post("/documents/", {"file": file, "audience": "private"})
    assert answer.status_code == 422
    assert b"none of the documents" in answer.content


def test_a_document_that_finds_no_place_is_asked_for_again(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_document, "WAIT_SECONDS", 0)
    client, file = browser(here, "bob"), SimpleUploadedFile("Guide.md", GUIDE)
    folder = import_document.parsers_folder()
    with parser_slot(folder, str(here.id), slots=2, wait_seconds=0):
        answer = client.post("/documents/", {"file": file, "audience": "private"})
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "Other documents are being read at the moment" in answer.content.decode()
    assert hand_in(client)


def test_a_viewer_has_no_such_page(here: Tenant) -> None:
    viewer = next(name for name, one in here.members.items() if one.role == "viewer")
    assert browser(here, viewer).get("/documents/").status_code == 404
