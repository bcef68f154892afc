"""The page of imports with exports of other programs."""

import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from memories.browsing import job_pages
from memories.ingestion.file_import import import_job
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.ingestion.file_import.formats.exports import (
    as_bytes,
    chatgpt_conversation,
    chatgpt_message,
    packed,
    telegram_chat,
    telegram_message,
)
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

GROUP = telegram_chat(
    {"id": 1, "type": "service", "action": "create_group", "text": ""},
    telegram_message(2, "Noor", "The release is in March."),
    telegram_message(3, "Tom", "Good."),
)
TALK = [
    chatgpt_conversation(
        chatgpt_message("user", "Which tea?"), chatgpt_message("assistant", "Any.")
    )
]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path


def send(here: Tenant, content: Any, **more: str) -> Any:
    """Choose a file; what the page answers."""
    file = SimpleUploadedFile("export", as_bytes(content))
    client = make_signed_in_client(here, "ada")
    return client.post(
        "/import/", {"file": file, "speakers": "organisation", "readers": "private", **more}
    )


def words_of(page: str) -> str:
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    return text.replace(" :", ":")


def bring(here: Tenant, sent: Any) -> UUID:
    """Look at it, import it and run the job."""
    client = make_signed_in_client(here, "ada")
    done = client.post(sent["Location"].partition("?")[0], {"sit": "no"})
    job_id = UUID(done["Location"].strip("/").split("/")[-1])
    run_jobs.run_job(here.id, job_id, here.members["ada"].id)
    return job_id


def test_a_chat_is_recognised_shown_and_imported(world: World, data_dir: Path) -> None:
    here = world.here
    sent = send(here, GROUP)
    assert sent.status_code == 302
    page = words_of(response_text(make_signed_in_client(here, "ada").get(sent["Location"])))
    for words in (
        "Read as Telegram",
        "Family (Telegram)",
        "2 people whom the file makes: Noor, Tom",
        "message 1: a service message: create_group",
    ):
        assert words in page
    assert "private to you" not in page
    job_id = bring(here, sent)
    job = job_pages.get_job(here.person("ada"), job_id)
    assert (job.state, job.result["imported"], job.result["skipped"]) == ("done", 2, 1)
    assert job.parameters["format"] == "telegram"
    assert list((data_dir / "uploads").iterdir()) == []
    assert list((data_dir / "previews").iterdir()) == []
    # Once more: nothing is new.
    again = bring(here, send(here, GROUP, format="telegram"))
    assert job_pages.get_job(here.person("ada"), again).result["already"] == 2


@pytest.mark.conformance("N22")
def test_talks_with_an_assistant_are_said_to_be_private_and_are(world: World) -> None:
    here = world.here
    sent = send(here, TALK, readers="organisation")
    page = words_of(response_text(make_signed_in_client(here, "ada").get(sent["Location"])))
    assert "Talks with ChatGPT become private to you." in page
    assert "All of them: none goes to a group or to another member." in page
    assert "Only you 2 lines." in page
    assert "Without reader and group" not in page, "there is no choice"
    bring(here, sent)
    for name, count in {"ada": 2, "mina": 0, "chidi": 0}.items():
        with resolve_principal(here.person(name)).scope():
            assert Memory.objects.filter(key__startswith="chatgpt-").count() == count, name


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        (as_bytes(GROUP), {"time_zone": "Mars"}, "This time zone is unknown."),
        (b"one\ntwo\n", {}, "Say that it is CSV if it is a table of one column."),
        (b'text,who\n"never ends\n', {}, "it has a quote without its other"),
        (as_bytes(GROUP)[:-9], {}, "breaks off; nothing of it was taken"),
        (as_bytes(GROUP), {"format": "slack"}, "no export of Slack"),
        (as_bytes(GROUP), {"format": "fax"}, "Select a valid choice"),
    ],
)
def test_what_is_left_open_is_asked_for(
    world: World, content: bytes, more: dict[str, str], words: str
) -> None:
    answer = send(world.here, content, **more)
    assert answer.status_code == 422
    assert words in response_text(answer)


def test_what_takes_too_long_for_a_page_is_left_to_the_command(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "MAX_CONVERTED_LINES", 2)
    answer = send(world.here, GROUP)
    assert answer.status_code == 422
    assert "more than 2 messages" in response_text(answer)
    assert "with the command import_memories" in response_text(answer)
    monkeypatch.setattr(import_job, "MAX_CONVERTED_LINES", 9_000)
    monkeypatch.setattr(import_job, "MAX_CONVERTED_BYTES", 600_000)
    large = telegram_chat(*(telegram_message(n, "Noor", "x" * 300) for n in range(3_000)))
    for body in (large, packed({"result.json": large})):
        assert "with the command import_memories" in response_text(send(world.here, body))
