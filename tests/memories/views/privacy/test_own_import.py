"""My talks with an assistant: private to me, a look first, forgotten by one press."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memories.ingestion.file_import import own_import, plan_import
from memories.ingestion.file_import.import_job import OWN, path_for
from memories.jobs import run_jobs
from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import Job, JobType
from memories.store.models.memory import Memory
from memories.tasks import run_job
from orgs.principals import resolve_principal
from tests.isolation.forgery import all_audiences_scope
from tests.memories.ingestion.file_import.formats.exports import (
    as_bytes,
    chatgpt_conversation,
    chatgpt_message,
    telegram_chat,
    telegram_message,
)
from tests.world import NOW, Tenant, World

TALK = as_bytes(
    [
        chatgpt_conversation(
            chatgpt_message("user", "I am allergic to nuts."),
            chatgpt_message("assistant", "I keep that in mind."),
            chatgpt_message("tool", "a result"),
        )
    ]
)


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def browser(here: Tenant, name: str) -> Client:
    client = Client()
    here.sign_in(client, name)
    return client


def hand_in(client: Client, content: bytes = TALK) -> Any:
    return client.post("/me/import/", {"file": SimpleUploadedFile("conversations.json", content)})


def rows(here: Tenant) -> list[Memory]:
    with all_audiences_scope(here):
        found = Memory.objects.filter(source__has_key="import", status="active")
        return list(found.select_related("audience").order_by("position"))


def run_all() -> None:
    while run_job():
        pass


def test_a_member_brings_in_their_own_talks(here: Tenant) -> None:
    client = browser(here, "bob")
    answer = hand_in(client)
    assert answer.status_code == 302, answer.content
    plan = answer["Location"]
    page = client.get(plan).content.decode()
    assert "allergic to nuts" in page
    assert "Only you" in page
    assert "a turn of “tool”" in page
    assert rows(here) == []
    # Kept for its owner alone.
    assert browser(here, "mina").get(plan).status_code == 404
    assert client.post(plan).status_code == 302
    run_all()
    found = rows(here)
    assert [row.content for row in found] == ["I am allergic to nuts.", "I keep that in mind."]
    bob = here.members["bob"].id
    assert {(row.audience.kind, row.audience.key) for row in found} == {("member", str(bob))}
    assert [row.speaker_member_id for row in found] == [bob, None]
    assert "New memories" not in client.get(hand_in(client)["Location"]).content.decode()


@pytest.mark.parametrize("gone", ["own", "told"])
def test_a_kept_export_that_is_half_gone_is_not_found(here: Tenant, gone: str) -> None:
    client = browser(here, "bob")
    plan = hand_in(client)["Location"]
    [kept] = plan_import.ensure_previews_folder().glob(f"*.{gone}")
    kept.unlink()
    assert client.get(plan).status_code == 404
    assert client.post(plan).status_code == 404


def test_a_long_export_is_looked_at_from_its_beginning(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_import, "HEAD_LINES", 2)
    monkeypatch.setattr(own_import, "HEAD_LINES", 2)
    client = browser(here, "bob")
    page = client.get(hand_in(client)["Location"]).content.decode()
    assert "its first 2 lines bring; the rest is imported as well" in page


def test_it_is_forgotten_by_one_press_of_its_owner(here: Tenant) -> None:
    client = browser(here, "bob")
    client.post(hand_in(client)["Location"])
    run_all()
    with resolve_principal(here.person("bob")).scope():
        [job] = Job.objects.filter(kind=JobType.IMPORT)
    address = f"/me/import/{job.id}/forget/"
    assert address in client.get("/me/import/").content.decode()
    for other in ("mina", "ada"):
        assert browser(here, other).post(address).status_code == 404
    assert len(rows(here)) == 2
    assert client.post(address).status_code == 302
    assert rows(here) == []


def test_a_chat_of_others_is_not_brought_in_here(here: Tenant) -> None:
    chat = as_bytes(telegram_chat(telegram_message(1, "Ada", "Hello.")))
    answer = hand_in(browser(here, "bob"), chat)
    assert answer.status_code == 422
    assert "An admin imports what is of others" in answer.content.decode()


def test_no_line_that_is_for_others_goes_in(here: Tenant) -> None:
    """Also if the kept file were another one."""
    bob = here.person("bob")
    lines = (
        b'{"id": "1", "text": "For all.", "audience": ["org"]}\n'
        b'{"id": "2", "text": "Mina said.", "speaker": "Mina"}\n'
        b'{"id": "3", "text": "About Mina.", "subject": "Mina", "private": true}\n'
        b'{"id": "4", "text": "Mine.", "private": true}\n'
    )
    principal = resolve_principal(bob)
    with principal.scope():
        parameters = {"speaker_scope": "organisation", OWN: True, "format": "chatgpt"}
        job = enqueue_job(principal, JobType.IMPORT, parameters, total=len(lines), now=NOW)
        path_for(job.id).write_bytes(lines)
    run_all()
    assert [row.content for row in rows(here)] == ["Mine."]


def test_a_viewer_and_a_robot_import_nothing(here: Tenant) -> None:
    viewer = next(name for name, one in here.members.items() if one.role == "viewer")
    assert browser(here, viewer).get("/me/import/").status_code == 404
    for actor in (here.person(viewer), here.robot("bolt")):
        with pytest.raises(PermissionError):
            own_import.store_own_preview(
                actor, io.BytesIO(TALK), name="a", size=len(TALK), time_zone=None
            )
