"""Who reads what a folder brings, by an independent query, and what one organisation reaches."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from memories.ingestion.folder_import import subscriptions as service
from memories.ingestion.folder_import.models import FolderFile, ImportSubscription
from memories.ingestion.folder_import.run_folder import FAILURE_SENTENCES
from memories.jobs.models import JobState
from memories.jobs.run_jobs import run_job
from memories.privacy.export_my_data import iter_export
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.organisation_removal import close_organisation, remove_organisation
from orgs.placement.all_organisations import list_organisation_ids
from robots.models.keys import Key
from tests.databases import rolled_back_connection, set_scope_settings
from tests.isolation.forgery import all_audiences_scope
from tests.memories.ingestion.folder_import.folder import (
    URL,
    files,
    imports,
    jobs,
    line,
    look,
    remembered,
    run_all,
    subscribe,
    subscription,
    work,
    write,
)
from tests.world import Tenant, World

# Who reads a memory, from the rows of seats and roles alone: no code of the product.
READERS_SQL = """
SELECT m.name FROM orgs_member m
JOIN memories_memory t ON t.organisation_id = m.organisation_id AND t.content = %(text)s
JOIN orgs_audience a ON a.organisation_id = t.organisation_id AND a.id = t.audience_id
WHERE m.organisation_id = %(organisation)s AND m.removed_at IS NULL AND m.user_id IS NOT NULL
  AND (a.kind = 'organisation'
    OR a.kind = 'member' AND a.key = m.id::text
    OR a.kind = 'group' AND (
        EXISTS (SELECT FROM orgs_groupmembership s
                WHERE s.organisation_id = m.organisation_id AND s.member_id = m.id
                  AND s.group_id = a.group_id)
        OR m.role IN ('admin', 'curator') AND EXISTS (
            SELECT FROM orgs_group g WHERE g.organisation_id = m.organisation_id
              AND g.id = a.group_id AND NOT g.confidential)))
ORDER BY m.name
"""


EVERYBODY = ["Ada", "Bob", "Chidi", "Mina", "Vera"]


def readers(here: Tenant, text: str) -> list[str]:
    with rolled_back_connection("default") as connection:
        with all_audiences_scope(here):
            ids = list(Audience.objects.values_list("id", flat=True))
        set_scope_settings(connection, organisation=here.id, audiences=ids)
        rows = connection.execute(READERS_SQL, {"text": text, "organisation": here.id})
        return [name for (name,) in rows.fetchall()]


def sits(here: Tenant, group: str, *names: str) -> None:
    """Let these members alone sit in a group."""
    with organisation_scope(here.id):
        seats = GroupMembership.objects.filter(group_id=here.groups[group].id)
        seats.exclude(member_id__in=[here.members[name].id for name in names]).delete()
        for name in names:
            GroupMembership.objects.get_or_create(
                organisation_id=here.id,
                group_id=here.groups[group].id,
                member_id=here.members[name].id,
            )


def test_lines_without_readers_are_for_exactly_the_members_of_the_group(
    here: Tenant, folder: Path
) -> None:
    sits(here, "design", "ada", "mina")
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(confidential=True)
    write(
        folder / "a.jsonl",
        line("1", "The colours are fixed."),
        line("2", "The lift is out of order.", audience=["org"]),
        line("3", "Only the launch knows.", group="launch"),
    )
    subscribe(here, readers="group", group=str(here.groups["design"].id))
    run_all(here)
    assert readers(here, "The colours are fixed.") == ["Ada", "Mina"]
    assert readers(here, "The lift is out of order.") == EVERYBODY
    with organisation_scope(here.id):
        seats = GroupMembership.objects.filter(group_id=here.groups["design"].id)
        assert seats.count() == 2, "the speaker of a line does not join"
        names = set(seats.values_list("member__name", flat=True))
    assert names == {"Ada", "Mina"}
    client = here.browser("mina")
    found = client.post("/api/v1/recall", {"query": "colours"}, format="json").json()
    assert "The colours are fixed." in json.dumps(found)
    found = here.browser("chidi").post("/api/v1/recall", {"query": "colours"}, format="json")
    assert "colours are fixed" not in json.dumps(found.json())


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("private", []), ("organisation", EVERYBODY)],
)
def test_the_other_choices_are_those_of_an_import(
    here: Tenant, folder: Path, choice: str, expected: list[str]
) -> None:
    write(folder / "a.jsonl", line("1", "The colours are fixed."))
    subscribe(here, readers=choice)
    run_all(here)
    # Noor, who said it, has no account.
    assert readers(here, "The colours are fixed.") == expected


def test_who_does_not_read_the_group_any_more_imports_nothing(here: Tenant, folder: Path) -> None:
    sits(here, "design", "ada", "mina")
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(confidential=True)
    made = subscribe(here, readers="group", group=str(here.groups["design"].id))
    run_all(here)
    sits(here, "design", "mina")
    write(folder / "a.jsonl", line("1", "The colours are fixed."))
    job = look(here, made["id"])
    assert (job.state, job.reason) == (JobState.DEAD, FAILURE_SENTENCES["group"])
    assert subscription(here, made["id"]).paused_for == "group"
    assert remembered(here) == {}
    shown = here.browser("ada").get(f"{URL}/{made['id']}").json()
    assert (shown["readers"], shown["group"]) == ("group", None), "its name is hidden too"
    # A hidden group is not found, like one that does not exist.
    answers = [
        here.browser("ada").post(
            URL, {"folder": "other", "readers": "group", "group": group}, format="json"
        )
        for group in (str(here.groups["design"].id), "none")
    ]
    assert [one.status_code for one in answers] == [404, 404]


def test_an_import_that_was_queued_before_does_not_write_for_a_group_that_was_lost(
    here: Tenant, folder: Path
) -> None:
    sits(here, "design", "ada", "mina")
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(confidential=True)
    write(folder / "a.jsonl", line("1", "The colours are fixed."))
    subscribe(here, readers="group", group=str(here.groups["design"].id))
    [look_job] = jobs(here)
    run_job(here.id, look_job.id, look_job.member_id, None)
    [queued] = imports(here)
    sits(here, "design", "mina")
    run_job(here.id, queued.id, queued.member_id, None)
    [queued] = imports(here)
    assert queued.state == JobState.DEAD
    assert remembered(here) == {}


def test_a_robot_subscribes_by_a_key_that_manages_and_ends_with_it(
    here: Tenant, folder: Path
) -> None:
    here.add_robot("mona", scopes=("read", "write", "manage"))
    client = here.api("mona")
    write(folder / "a.jsonl", line("1", "The lift is out of order.", audience=["org"]))
    made = client.post(URL, {"folder": "chats"}, format="json")
    assert made.status_code == 201, made.json()
    work(here)
    assert remembered(here) == {"The lift is out of order.": "organisation"}
    assert client.get(f"{URL}/{made.json()['id']}").json()["files_taken"] == 1
    with organisation_scope(here.id):
        Key.objects.filter(robot_id=here.robots["mona"].id).update(revoked_at=timezone.now())
    assert service._start_due(here.id, timezone.now() + timedelta(hours=2)) == 0
    assert subscription(here, made.json()["id"]).paused_for == "author"


@pytest.mark.parametrize("who", ["chidi", "mina", "vera"])
def test_nobody_but_admins_sees_or_changes_a_folder(here: Tenant, folder: Path, who: str) -> None:
    made = subscribe(here)
    client, one = here.browser(who), f"{URL}/{made['id']}"
    assert client.get(URL).status_code in (403, 404)
    assert client.post(URL, {"folder": "x"}, format="json").status_code in (403, 404)
    assert client.get(one).status_code in (403, 404)
    assert client.patch(one, {"paused": True}, format="json").status_code in (403, 404)
    assert client.delete(one).status_code in (403, 404)
    assert subscription(here, made["id"]).paused_for == ""


def test_another_organisation_reaches_neither_the_row_nor_the_files(
    lasting_world: World, here: Tenant, folder: Path
) -> None:
    there = lasting_world.there
    write(folder / "a.jsonl", line("1", "The colours are fixed."))
    made = subscribe(here)
    run_all(here)
    client, one = there.browser("ada"), f"{URL}/{made['id']}"
    assert client.get(URL).json() == {"results": []}
    assert client.get(one).status_code == 404
    assert client.patch(one, {"paused": True}, format="json").status_code == 404
    assert client.delete(one).status_code == 404
    slug = here.organisation.slug
    for path in (f"../{slug}/chats", f"/{slug}/chats/../../{slug}/chats"):
        answer = client.post(URL, {"folder": path}, format="json")
        assert answer.status_code == 400
        assert answer.json()["type"].endswith("bad-folder")
    # A link that somebody made in the folder of the other one.
    own = Path(django_settings.IMPORT_FOLDER) / there.organisation.slug
    own.mkdir()
    (own / "theirs").symlink_to(folder)
    (own / "file.jsonl").symlink_to(folder / "a.jsonl")
    (own / "hard.jsonl").hardlink_to(folder / "a.jsonl")
    made = client.post(URL, {"folder": ""}, format="json").json()
    work(there)
    shown = client.get(f"{URL}/{made['id']}").json()
    assert (shown["files_taken"], shown["files_refused"], shown["failures"]) == (0, 0, 0)
    assert files(there) == []
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=there.id)
        for table in ("memories_importsubscription", "memories_folderfile"):
            [(count,)] = connection.execute(
                f"SELECT count(*) FROM {table} WHERE organisation_id = %s", [here.id]
            ).fetchall()
            assert count == 0


def test_acts_leave_a_line_in_the_audit_trail_without_the_path(here: Tenant, folder: Path) -> None:
    made = subscribe(here)
    client = here.browser("ada")
    client.patch(f"{URL}/{made['id']}", {"period_minutes": 30}, format="json")
    client.delete(f"{URL}/{made['id']}")
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(target=UUID(made["id"])).order_by("id")
        told = list(rows.values_list("action", "detail"))
        assert ImportSubscription.objects.count() == FolderFile.objects.count() == 0
    assert [action for action, _ in told] == ["folder.added", "folder.changed", "folder.removed"]
    assert "chats" not in str(told)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"folder": "chats"}, 409, "conflict"),
        ({"folder": "../x"}, 400, "bad-folder"),
        ({"folder": "x", "period_minutes": 14}, 400, "invalid"),
        ({"folder": "x", "period_minutes": 1441}, 400, "invalid"),
        ({"folder": "x", "readers": "group"}, 400, "invalid"),
        ({"folder": "x", "group": "launch"}, 400, "invalid"),
        ({"folder": "x", "time_zone": "Mars/Base"}, 400, "invalid"),
        ({"folder": "x", "columns": "{"}, 400, "invalid"),
        ({"folder": "x", "format": "word"}, 400, "invalid"),
    ],
)
def test_what_is_refused(
    here: Tenant, folder: Path, fields: dict[str, Any], status: int, code: str
) -> None:
    subscribe(here)
    assert subscribe(here, status=status, **fields)["type"].endswith(code)


def test_without_the_setting_nobody_subscribes(here: Tenant, settings: Any) -> None:
    settings.IMPORT_FOLDER = ""
    answer = subscribe(here, status=409)
    assert answer["type"].endswith("no-import-folder")
    assert "IMPORT_FOLDER" in answer["detail"]


def test_there_are_only_so_many(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_SUBSCRIPTIONS", 1)
    subscribe(here)
    assert subscribe(here, "more", status=409)["type"].endswith("too-many")


def test_what_a_member_takes_along_names_their_folders(here: Tenant, folder: Path) -> None:
    subscribe(here)
    assert b'"import_folder":"chats"' in b"".join(iter_export(here.person("ada")))
    assert b"import_folder" not in b"".join(iter_export(here.person("mina")))


def test_a_removed_organisation_leaves_nothing(here: Tenant, folder: Path) -> None:
    write(folder / "a.jsonl", line("1", "The colours are fixed."))
    sits(here, "launch", "ada")
    made = subscribe(here, readers="group", group=str(here.groups["launch"].id))
    work(here)
    assert len(files(here)) == 1
    close_organisation(here.id, now=timezone.now())
    assert here.id not in list_organisation_ids(), "no sweeper looks there"
    while not remove_organisation(here.id, now=timezone.now(), seconds=60):
        pass
    assert files(here) == []
    with organisation_scope(here.id):
        assert not ImportSubscription.objects.filter(id=made["id"]).exists()
