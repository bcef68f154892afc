"""A folder each period: what is new or has changed is imported, and it is paused when it fails."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.ingestion.folder_import import run_folder, server_folder
from memories.ingestion.folder_import import subscriptions as service
from memories.ingestion.folder_import.run_folder import FAILURE_SENTENCES
from memories.jobs import job_queue
from memories.jobs.fetch_schedule import MAX_FAILURES
from memories.jobs.models import JobState
from memories.jobs.run_jobs import run_job
from memories.privacy.request_erasure import erase_member
from memories.tasks import sweep_subscriptions
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.memberships import Member, Role
from tests.databases import rolled_back_connection, set_scope_settings
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
    touch,
    write,
)
from tests.world import Tenant


def change(here: Tenant, id_: str, **fields: Any) -> Any:
    answer = here.browser("ada").patch(f"{URL}/{id_}", fields, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_what_is_new_is_imported_and_nothing_twice(here: Tenant, folder: Path) -> None:
    write(folder / "a.jsonl", line("1", "The release is in March."))
    write(folder / "deep" / "a.jsonl", line("2", "The lift is out of order."))
    made = subscribe(here, period_minutes=15)
    assert (made["folder"], made["author"], made["paused_for"]) == ("chats", "Ada", "")
    done = run_all(here)
    assert (done.state, done.result) == (JobState.DONE, {"taken": 2})
    assert [one.parameters["name"] for one in imports(here)] == ["a.jsonl", "deep/a.jsonl"]
    assert remembered(here) == {
        "The release is in March.": "member",
        "The lift is out of order.": "member",
    }
    assert (look(here, made["id"]).result, len(imports(here))) == ({}, 2), "nothing is new"
    write(folder / "b.jsonl", line("3", "I bring cake."))
    assert look(here, made["id"]).result == {"taken": 1}
    assert [one.parameters["name"] for one in imports(here)][2:] == ["b.jsonl"]
    assert len(remembered(here)) == 3
    shown = here.browser("ada").get(f"{URL}/{made['id']}").json()
    assert (shown["files_taken"], shown["files_refused"]) == (3, 0)
    assert shown["last_run_at"]


def test_a_changed_file_adds_what_is_new_and_a_touched_one_nothing(
    here: Tenant, folder: Path
) -> None:
    path = write(folder / "a.jsonl", line("1", "The release is in March."))
    made = subscribe(here)
    run_all(here)
    touch(path)
    assert look(here, made["id"]).result == {}
    assert len(imports(here)) == 1
    write(path, line("1", "The release is in March."), line("2", "I bring cake."))
    assert look(here, made["id"]).result == {"taken": 1}
    [_, second] = imports(here)
    assert (second.result["imported"], second.result["already"]) == (1, 1)
    assert len(files(here)) == 1


def test_when_it_is_due_is_by_the_period_and_two_sweepers_start_one(
    here: Tenant, folder: Path
) -> None:
    made = subscribe(here, period_minutes=15)
    run_all(here)
    now = timezone.now()
    assert service._start_due(here.id, now + timedelta(minutes=14)) == 0
    later = now + timedelta(minutes=16)
    due = [id_ for (id_,) in service.list_due(service.ImportSubscription, here.id, later, "id")]
    assert [str(one) for one in due] == [made["id"]]
    # Both have seen that it is due.
    assert [service._start_one(here.id, due[0], later) for _ in range(2)] == [True, False]
    # Also when it is due again before the worker came to it.
    assert service._start_due(here.id, later + timedelta(minutes=16)) == 0
    assert len([one for one in jobs(here) if one.state == JobState.WAITING]) == 1


def test_a_sweeper_passes_over_what_another_one_starts(here: Tenant, folder: Path) -> None:
    made = subscribe(here)
    run_all(here)
    due = timezone.now() + timedelta(hours=2)
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=here.id)
        connection.execute(
            "SELECT id FROM memories_importsubscription WHERE id = %s FOR UPDATE", [made["id"]]
        )
        assert service._start_due(here.id, due) == 0
    assert service._start_due(here.id, due) == 1


def test_a_file_that_is_refused_is_told_once_and_tried_again_when_it_changes(
    here: Tenant, folder: Path
) -> None:
    path = write(folder / "a.jsonl", "no json\n")
    write(folder / "b.jsonl", line("1", "I bring cake."))
    made = subscribe(here)
    done = run_all(here)
    assert (done.state, done.result) == (JobState.DONE, {"taken": 1, "refused": 1})
    assert done.problems[0]["reason"].startswith("a.jsonl: The first line is not JSON.")
    shown = here.browser("ada").get(f"{URL}/{made['id']}").json()
    assert (shown["failures"], shown["files_refused"]) == (1, 1)
    assert shown["first_problems"][0].startswith("a.jsonl: The first line")
    touch(path)
    again = look(here, made["id"])
    assert (again.result, again.problems) == ({}, [])
    assert subscription(here, made["id"]).failures == 0
    write(path, line("2", "The lift is out of order."))
    assert look(here, made["id"]).result == {"taken": 1}
    shown = here.browser("ada").get(f"{URL}/{made['id']}").json()
    assert (shown["files_taken"], shown["files_refused"], shown["first_problems"]) == (2, 0, [])


def test_five_failing_runs_pause_it_and_fetching_now_resumes_it(here: Tenant, folder: Path) -> None:
    path = folder / "a.jsonl"
    write(path, "no json\n")
    made = subscribe(here)
    run_all(here)
    for number in range(2, MAX_FAILURES + 1):
        write(path, "no json\n" * number)
        look(here, made["id"])
        assert subscription(here, made["id"]).failures == number
        paused = number == MAX_FAILURES
        assert (subscription(here, made["id"]).next_run_at is None) == paused
    assert subscription(here, made["id"]).paused_for == "files"
    assert service._start_due(here.id, timezone.now() + timedelta(days=2)) == 0
    write(path, line("1", "I bring cake."))
    answer = change(here, made["id"], paused=False)
    assert (answer["paused_for"], answer["failures"]) == ("", 0)
    assert run_all(here).result == {"taken": 1}


def test_a_good_run_ends_the_count(here: Tenant, folder: Path) -> None:
    path = write(folder / "a.jsonl", "no json\n")
    made = subscribe(here)
    run_all(here)
    look(here, made["id"])
    for number in range(2, MAX_FAILURES + 1):
        write(path, "no json\n" * number)
        look(here, made["id"])
    assert subscription(here, made["id"]).failures == MAX_FAILURES - 1
    assert subscription(here, made["id"]).paused_for == ""


@pytest.mark.parametrize(
    ("harm", "reason"),
    [("gone", "folder"), ("link", "folder"), ("full", "too-many"), ("setting", "setting")],
)
def test_a_folder_that_cannot_be_looked_through_fails_with_its_reason(
    here: Tenant,
    folder: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    harm: str,
    reason: str,
) -> None:
    path = write(folder / "a.jsonl", line("1", "I bring cake."))
    write(folder / "b.jsonl", line("2", "I bring tea."))
    made = subscribe(here)
    run_all(here)
    if harm == "setting":
        settings.IMPORT_FOLDER = ""
    elif harm == "full":
        monkeypatch.setattr(server_folder, "MAX_ENTRIES", 1)
    else:
        path.unlink()
        (folder / "b.jsonl").unlink()
        folder.rmdir()
        if harm == "link":
            folder.symlink_to(Path(settings.IMPORT_FOLDER))
    for _ in range(MAX_FAILURES):
        job = look(here, made["id"])
        assert (job.state, job.reason) == (JobState.DEAD, FAILURE_SENTENCES[reason])
    assert subscription(here, made["id"]).paused_for == reason
    assert len(files(here)) == 2, "what was imported is remembered"


def test_who_lost_the_right_imports_no_more(here: Tenant, folder: Path) -> None:
    write(folder / "a.jsonl", line("1", "I bring cake."))
    made = subscribe(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(role=Role.CURATOR)
    # The job was asked for before.
    [job] = jobs(here)
    assert run_all(here).reason == FAILURE_SENTENCES["author"]
    assert subscription(here, made["id"]).paused_for == "author"
    assert (imports(here), remembered(here)) == ([], {})
    with organisation_scope(here.id):
        service.ImportSubscription.objects.update(next_run_at=timezone.now(), paused_for="")
    assert service._start_due(here.id, timezone.now()) == 0
    assert subscription(here, made["id"]).paused_for == "author"
    assert [one.id for one in jobs(here)] == [job.id], "nobody is asked for again"


def test_who_left_leaves_it_paused_and_another_admin_sees_and_removes_it(
    here: Tenant, folder: Path
) -> None:
    made = subscribe(here)
    run_all(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["chidi"].id).update(role=Role.ADMIN)
        chidi = Member.objects.get(id=here.members["chidi"].id)
    remove_member(actor_of(chidi), member_id=here.members["ada"].id, now=timezone.now())
    due = timezone.now() + timedelta(hours=2)
    assert service._start_due(here.id, due) == 0
    client = here.browser("chidi")
    [shown] = client.get(URL).json()["results"]
    assert (shown["paused_for"], shown["next_run_at"]) == ("author", None)
    # It stays so: nobody else becomes its author.
    answer = client.patch(f"{URL}/{made['id']}", {"paused": False}, format="json").json()
    assert answer["paused_for"] == "author"
    assert client.delete(f"{URL}/{made['id']}").status_code == 204
    assert client.get(URL).json()["results"] == []


def test_the_sweeper_of_subscriptions_starts_folders(here: Tenant, folder: Path) -> None:
    made = subscribe(here)
    run_all(here)
    with organisation_scope(here.id):
        service.ImportSubscription.objects.filter(id=made["id"]).update(
            next_run_at=timezone.now() - timedelta(minutes=1)
        )
    sweep_subscriptions()
    assert [one.state for one in jobs(here)] == [JobState.DONE, JobState.WAITING]


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_RUN_BYTES", "MAX_OPEN_IMPORTS"])
def test_a_flood_comes_in_portions(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    for number in range(3):
        write(folder / f"{number}.jsonl", line(str(number), f"Cake number {number}."))
    # The look itself is an import that runs.
    monkeypatch.setattr(run_folder, limit, 2 if limit == "MAX_OPEN_IMPORTS" else 1)
    made = subscribe(here)
    assert run_all(here).result == {"taken": 1, "later": 2}
    assert [look(here, made["id"]).result for _ in range(3)] == [
        {"taken": 1, "later": 1},
        {"taken": 1},
        {},
    ]
    assert len(remembered(here)) == 3


def test_a_run_goes_on_in_its_next_turn(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "0.jsonl", "no json\n")
    for number in range(1, 4):
        write(folder / f"{number}.jsonl", line(str(number), f"Cake number {number}."))
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    made = subscribe(here)
    done = run_all(here)
    assert (done.state, done.result) == (JobState.DONE, {"taken": 3, "refused": 1})
    assert (done.done, done.total, len(done.problems)) == (4, 4, 1)
    assert subscription(here, made["id"]).failures == 1, "a run counts once"
    assert len(imports(here)) == 3


def test_pausing_stops_what_waits_and_nothing_is_lost(here: Tenant, folder: Path) -> None:
    write(folder / "a.jsonl", line("1", "I bring cake."))
    made = subscribe(here)
    assert change(here, made["id"], paused=True)["paused_for"] == "asked"
    run_all(here)
    assert (imports(here), remembered(here)) == ([], {})
    change(here, made["id"], paused=False)
    assert run_all(here).result == {"taken": 1}


def test_a_file_that_changes_while_it_is_read_is_taken_by_the_next_run(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / "a.jsonl", line("1", "I bring cake."))
    made = subscribe(here)
    whole = run_folder.copy_file

    def growing(descriptor: int, name: str, to: Any) -> Any:
        with path.open("a") as file:
            file.write(line("2", "And tea."))
        return whole(descriptor, name, to)

    def changing(*_: Any) -> Any:
        raise server_folder.FileChangingError

    monkeypatch.setattr(run_folder, "copy_file", changing)
    assert run_all(here).result == {"later": 1}
    assert (files(here), imports(here)) == ([], [])
    assert subscription(here, made["id"]).failures == 0
    # It has grown between the look and the reading: what was read is what is known.
    monkeypatch.setattr(run_folder, "copy_file", growing)
    assert look(here, made["id"]).result == {"taken": 1}
    monkeypatch.setattr(run_folder, "copy_file", whole)
    assert look(here, made["id"]).result == {}
    assert len(remembered(here)) == 2


def test_two_workers_record_a_file_once(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "a.jsonl", line("1", "I bring cake."))
    subscribe(here)
    [job] = jobs(here)
    whole = run_folder.convert_file

    def meanwhile(*given: Any, **more: Any) -> Any:
        """Another worker has the same job, as its lease was over."""
        monkeypatch.setattr(run_folder, "convert_file", whole)
        found = run_folder._find_active(here.id, UUID(job.parameters["folder"]))
        assert found is not None
        assert run_folder._look_through(here.person("ada"), jobs(here)[0], found)
        return whole(*given, **more)

    monkeypatch.setattr(run_folder, "convert_file", meanwhile)
    assert run_all(here).result == {"later": 1}
    assert len(imports(here)) == len(files(here)) == 1
    assert remembered(here) == {"I bring cake.": "member"}


def test_a_mount_that_is_gone_for_a_while_brings_nothing_back(
    here: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / "a.jsonl", line("1", "I bring cake."))
    made = subscribe(here)
    run_all(here)
    path.rename(folder.parent / ".aside")
    assert look(here, made["id"]).result == {}
    (folder.parent / ".aside").rename(path)
    assert look(here, made["id"]).result == {}
    assert len(imports(here)) == 1
    # Only so many are remembered.
    monkeypatch.setattr(run_folder, "MAX_REMEMBERED", 1)
    path.unlink()
    write(folder / "b.jsonl", line("2", "I bring tea."))
    look(here, made["id"])
    assert len(files(here)) == 1


def test_an_erased_admin_leaves_no_folder_and_an_erased_name_no_trace(
    here: Tenant, folder: Path
) -> None:
    write(folder / "mina.jsonl", "no json\n")
    subscribe(here)
    run_all(here)
    mina = here.members["mina"].id
    erasure = erase_member(here.person("ada"), mina, confirm=str(mina), now=timezone.now())
    while run_job(here.id, erasure.job_id, None):
        pass
    [kept] = files(here)
    assert (kept.problem != "", "mina" in kept.problem.casefold()) == (True, False)
    [problem] = jobs(here)[0].problems
    assert (problem["line"], "mina" in problem["reason"].casefold()) == (1, False)
    ada = here.members["ada"].id
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["chidi"].id).update(role=Role.ADMIN)
        chidi = Member.objects.get(id=here.members["chidi"].id)
    erasure = erase_member(actor_of(chidi), ada, confirm=str(ada), now=timezone.now())
    while run_job(here.id, erasure.job_id, None):
        pass
    with organisation_scope(here.id):
        assert service.ImportSubscription.objects.count() == 0
    assert files(here) == []
