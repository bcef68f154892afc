"""Folders on the page Import: added, paused, resumed, removed, and what is said of each."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from memories.ingestion.folder_import import subscriptions as service
from memories.ingestion.folder_import.models import ImportSubscription
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Group
from tests.memories.ingestion.folder_import.folder import (
    line,
    look,
    remembered,
    run_all,
    work,
    write,
)
from tests.world import Tenant

PAGE = "/import/"


@pytest.fixture
def client(here: Tenant) -> Client:
    made = Client()
    here.sign_in(made, "ada")
    return made


def send(client: Client, here: Tenant, **fields: Any) -> Any:
    body = {
        "organisation": str(here.id),
        "folder-folder": "chats",
        "folder-period_minutes": "60",
        "folder-speakers": "organisation",
        "folder-readers": "private",
        **{f"folder-{name}": value for name, value in fields.items()},
    }
    return client.post(reverse("import-folders"), body)


def text(answer: Any) -> str:
    return " ".join(re.sub("<[^>]*>", " ", answer.content.decode()).split())


def only(here: Tenant) -> ImportSubscription:
    with organisation_scope(here.id):
        return ImportSubscription.objects.get()


def act(client: Client, here: Tenant, name: str, what: str = "") -> str:
    address = reverse(name, args=[only(here).id])
    answer = client.post(address, {"organisation": str(here.id), "act": what}, follow=True)
    assert answer.status_code == 200
    return text(answer)


def test_a_folder_is_added_looked_through_paused_and_removed(
    client: Client,
    here: Tenant,
    folder: Path,
) -> None:
    write(folder / "a.jsonl", line("1", "I bring cake."))
    write(folder / "b.jsonl", "no json\n")
    answer = send(client, here, period_minutes="15", readers="organisation")
    assert (answer.status_code, answer["Location"]) == (302, "/import/#folders")
    run_all(here)
    page = text(client.get(PAGE))
    assert "chats Ada · 1 file imported · 1 file refused" in page
    assert "What names no reader is for everyone." in page
    assert "Every 15 minutes; next" in page
    assert "The last run failed; the jobs of Ada say why." in page
    assert "b.jsonl: The first line is not JSON." in page
    jobs = text(client.get("/jobs/"))
    assert "Look through the folder chats" in jobs
    assert "Import a.jsonl" in jobs
    write(folder / "c.jsonl", line("2", "I bring tea."))
    look(here, str(only(here).id))
    assert "2 files imported" in text(client.get(PAGE))
    page = act(client, here, "import-folder-change", "pause")
    assert "Paused An admin paused it." in page
    assert "Resume chats" in page
    assert "Look now chats" in act(client, here, "import-folder-change", "fetch")
    page = act(client, here, "import-folder-remove")
    assert "Removed. What was imported stays" in page
    assert "1 file imported" not in page


def test_a_job_of_a_folder_says_what_it_found(
    client: Client,
    here: Tenant,
    folder: Path,
) -> None:
    write(folder / "a.jsonl", line("1", "I bring cake."))
    write(folder / "b.jsonl", "no json\n")
    (folder / "link").symlink_to(folder / "a.jsonl")
    send(client, here)
    job = run_all(here)
    page = text(client.get(f"/jobs/{job.id}/"))
    for said in ("Look through a folder", "2 of 2 files", "Files to import 1", "Files refused 1"):
        assert said in page
    assert "Links and the like, left out 1" in page
    assert "Folders on the server" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"folder": "../other"}, "no part of it is empty or begins with a dot"),
        ({"time_zone": "Mars/Base"}, "This time zone is unknown."),
        ({"readers": "group:0198c3f0-0000-7000-8000-000000000000"}, "You cannot choose these"),
        ({"period_minutes": "7"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    client: Client,
    here: Tenant,
    folder: Path,
    fields: dict[str, str],
    said: str,
) -> None:
    answer = send(client, here, **fields)
    assert answer.status_code == 422
    assert said in text(answer)
    with organisation_scope(here.id):
        assert not ImportSubscription.objects.exists()


def test_a_group_can_be_chosen_for_a_folder_and_for_a_file(
    client: Client,
    here: Tenant,
    folder: Path,
) -> None:
    with organisation_scope(here.id):
        group = here.groups["launch"]
        group.confidential = False
        group.save(update_fields=["confidential"])
    page = client.get(PAGE).content.decode()
    assert page.count(f'value="group:{group.id}"') == 2
    send(client, here, readers=f"group:{group.id}")
    assert only(here).group_id == group.id
    assert f"What names no reader is for the group {group.name}." in text(client.get(PAGE))


def test_the_plan_of_a_file_says_which_group_reads_what_names_nobody(
    client: Client, here: Tenant
) -> None:
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
    choice = f"group:{here.groups['launch'].id}"
    file = SimpleUploadedFile("talk.jsonl", line("1", "I bring cake.").encode())
    body = {"file": file, "speakers": "organisation", "readers": choice}
    sent = client.post(PAGE, body, follow=True)
    page = text(sent)
    assert "The group #launch reads them." in page
    assert "#launch 1 line. 4 people who can sign in would read it." in page
    assert "4 people who can sign in" in page
    [(address, _)] = sent.redirect_chain
    sent = client.post(address, {"sit": "no", "readers": choice, "speakers": "organisation"})
    assert sent.status_code == 302
    work(here)
    assert remembered(here) == {"I bring cake.": "group"}
    # Somebody made the group a hidden one since.
    file.seek(0)
    address = client.post(PAGE, body)["Location"]
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=True)
    page = text(client.get(address, follow=True))
    assert "You cannot choose these readers any more; choose again." in page


def test_a_server_without_a_folder_says_so(client: Client, settings: Any) -> None:
    settings.IMPORT_FOLDER = ""
    page = text(client.get(PAGE))
    assert "This server has no folder for imports." in page
    assert "Add a folder" not in page


def test_a_full_list_has_no_form(
    client: Client,
    here: Tenant,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(client, here)
    monkeypatch.setattr("memories.views.jobs.import_folders.MAX_SUBSCRIPTIONS", 1)
    assert "There are 1 already. Remove one first." in text(client.get(PAGE))
    monkeypatch.setattr(service, "MAX_SUBSCRIPTIONS", 1)
    answer = send(client, here, folder="more")
    assert answer.status_code == 422
    assert "There are 1 folders already; remove one first." in text(answer)


def test_who_lost_the_right_is_told_when_it_is_resumed(
    client: Client,
    here: Tenant,
    folder: Path,
) -> None:
    send(client, here)
    with organisation_scope(here.id):
        here.add_robot("mona", scopes=("read", "write"))
        ImportSubscription.objects.update(
            member=None, robot_id=here.robots["mona"].id, next_run_at=None, paused_for="author"
        )
    page = act(client, here, "import-folder-change", "fetch")
    assert "Whoever added it may not import any more; remove it and add it anew." in page
    assert only(here).paused_for == "author"
