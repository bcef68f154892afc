"""Long work of robots: 202 and the address of a job, which is that robot's alone."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from memories.jobs import job_queue, run_jobs
from memories.jobs.job_waits import MAX_WAIT_SECONDS, parse_wait
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.organisation_run import create_run_once
from memories.snapshots.export_job import EXPORTS, KEPT
from memories.tasks import run_job, sweep_jobs
from orgs.database.rls import organisation_scope
from orgs.errors import ReferenceNotFoundError
from orgs.principals import Actor
from robots.access.keys import create_key, revoke_key
from robots.models.keys import Key, KeyScope
from robots.models.robots import RobotGroup
from tests.world import NOW, Tenant, World

EXPORTS_URL = "/api/v1/exports"
ACTS = (
    ("get", ""), ("delete", ""), ("post", "/cancel"), ("post", "/resume"), ("post", "/retry"),
    ("post", "/undo"), ("get", "/file"),
)  # fmt: skip


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def started(here: Tenant, robot: str = "aria", **body: Any) -> str:
    """The address of the job of an export."""
    answer = here.api(robot).post(EXPORTS_URL, body, format="json")
    assert answer.status_code == 202, answer.content
    assert answer["Location"] == f"/api/v1/jobs/{answer.json()['id']}"
    return str(answer["Location"])


def change(here: Tenant, url: str, **fields: object) -> None:
    with organisation_scope(here.id, using="worker"):
        rows = Job.objects.using("worker").filter(organisation_id=here.id)
        assert rows.filter(id=UUID(url.rsplit("/", 1)[1])).update(**fields) == 1


def texts(client: APIClient, url: str) -> set[str]:
    """The texts in the file of a job."""
    answer = client.get(f"{url}/file")
    assert answer.status_code == 200
    lines = [orjson.loads(line) for line in b"".join(answer).splitlines()]
    assert lines[0]["format"] == "commonmind-snapshot"
    return {line["content"] for line in lines[1:]}


def key_of(here: Tenant, robot: str) -> UUID:
    with organisation_scope(here.id):
        found = Key.objects.filter(organisation_id=here.id, robot_id=here.robots[robot].id)
        return found.values_list("id", flat=True).get()


def second_client(here: Tenant, robot: str, *scopes: str) -> APIClient:
    """A client with a second key of a robot."""
    _, key = create_key(
        organisation_id=here.id, robot_id=here.robots[robot].id, scopes=scopes, now=timezone.now()
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


@pytest.mark.conformance("N07")
def test_a_robot_exports_by_a_job_and_reads_how_far_it_is(here: Tenant) -> None:
    here.remember(here.robot("aria"), "Lunch is at noon.")
    here.remember(here.robot("aria"), "Aria's own note.", visibility="internal")
    here.remember(here.person("mina"), "Mine alone.", visibility="private")
    url, api = started(here), here.api("aria")
    found = api.get(url).json()
    assert (found["of"], found["kind"], found["state"]) == ("robot", "export", "waiting")
    assert (found["done"], found["total"], found["started_at"]) == (0, 2, None)
    assert (found["file"], found["problems"], found["first_problems"]) == (None, 0, [])
    assert api.get(f"{url}/file").status_code == 404
    assert started(here) == url, "the same export that waits is answered again"
    assert run_job()
    found = api.get(url).json()
    assert (found["state"], found["done"], found["file"]) == ("done", 2, f"{url}/file")
    assert found["started_at"] <= found["finished_at"]
    assert texts(api, url) == {"Lunch is at noon.", "Aria's own note."}
    assert started(here) != url


@pytest.mark.conformance("N07")
def test_one_who_asks_for_exports_fills_no_disk(here: Tenant) -> None:
    api, files = here.api("aria"), EXPORTS.folder()
    other = here.browser("mina").post(EXPORTS_URL)["Location"]
    while run_job():
        pass
    first = started(here)
    answer = api.post(EXPORTS_URL, {"type": "fact"}, format="json")
    assert answer.status_code == 409
    assert api.get("/api/v1/jobs").json()["results"][0]["id"] == first[-36:]
    urls = [first]
    for kind in ("fact", "preference", "expertise", "announcement", "conversation"):
        while run_job():
            pass
        urls.append(started(here, type=kind))
    while run_job():
        pass
    kept = [one["id"] for one in api.get("/api/v1/jobs").json()["results"]]
    assert kept == [url[-36:] for url in reversed(urls[-KEPT:])]
    assert len(urls) > KEPT
    assert api.get(f"{first}/file").status_code == api.get(first).status_code == 404
    assert {path.stem for path in files.iterdir()} == {*kept, other[-36:]}, "others' files stay"


@pytest.mark.conformance("N07")
def test_nobody_else_sees_what_a_robot_asked_for(lasting_world: World, here: Tenant) -> None:
    there = lasting_world.there
    here.remember(here.robot("aria"), "Lunch is at noon.")
    url = started(here)
    others = [here.api("bolt"), there.api(next(iter(there.keys)))]
    others += [here.browser(name) for name in ("ada", "chidi", "mina")]
    for state in ("waiting", "dead", "done"):
        change(here, url, state=state, finished_at=timezone.now() if state != "waiting" else None)
        for client in others:
            for method, end in ACTS:
                absent = f"/api/v1/jobs/{uuid4()}{end}"
                seen, none = (getattr(client, method)(one) for one in (f"{url}{end}", absent))
                assert seen.status_code == none.status_code == 404, (method, end)
                assert _body(seen) == _body(none)
            assert url[-36:] not in str(client.get("/api/v1/jobs").json())
    assert [one["id"] for one in here.api("aria").get("/api/v1/jobs").json()["results"]] == [
        url[-36:]
    ]


def _body(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.json().items() if name != "request_id"}


@pytest.mark.conformance("N07")
def test_a_job_runs_with_the_rights_of_then(here: Tenant) -> None:
    here.remember(here.robot("aria"), "The launch is on Friday.", group="launch")
    here.remember(here.robot("aria"), "Lunch is at noon.")
    url = started(here)
    assert here.api("aria").get(url).json()["total"] == 2
    with organisation_scope(here.id):
        seats = RobotGroup.objects.filter(robot_id=here.robots["aria"].id)
        assert seats.filter(group_id=here.groups["launch"].id).delete()[0] == 1
    assert run_job()
    assert texts(here.api("aria"), url) == {"Lunch is at noon."}


@pytest.mark.conformance("N07")
def test_a_group_that_is_lost_gives_nothing(here: Tenant) -> None:
    here.remember(here.robot("aria"), "The launch is on Friday.", group="launch")
    url = started(here, group="launch")
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot_id=here.robots["aria"].id).delete()
    assert run_job()
    assert texts(here.api("aria"), url) == set()


def test_work_on_what_is_gone_stops_and_says_so(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(actor: Actor, job: Job) -> None:
        raise ReferenceNotFoundError("group", "launch")

    monkeypatch.setitem(run_jobs._handlers, JobType.EXPORT, (work, "read"))
    url = started(here)
    assert run_job()
    found = here.api("aria").get(url).json()
    assert (found["state"], found["reason"]) == ("dead", run_jobs.LOST_REASON)


@pytest.mark.conformance("N07")
@pytest.mark.parametrize("end", ["revoked", "expired", "narrowed", "retired"])
def test_work_of_a_key_that_ended_stops_and_another_key_goes_on(here: Tenant, end: str) -> None:
    here.remember(here.robot("aria"), "Lunch is at noon.")
    url, key = started(here), key_of(here, "aria")
    second = second_client(here, "aria", "read", "write")
    with organisation_scope(here.id):
        row = Key.objects.filter(id=key)
        if end == "revoked":
            revoke_key(organisation_id=here.id, key_id=key, now=timezone.now())
        elif end == "expired":
            row.update(expires_at=timezone.now() - timedelta(seconds=1))
        elif end == "narrowed":
            row.update(scopes=[KeyScope.WRITE])
        else:
            robot = here.robots["aria"]
            robot.retired_at = timezone.now()
            robot.save(update_fields=["retired_at"])
    run_job()
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").get(id=UUID(url[-36:]))
    assert (job.state, bool(job.reason), job.done) == ("dead", True, 0)
    assert not EXPORTS.path_of(job.id).exists()
    if end == "retired":
        assert second.get(url).status_code == 401
        return
    assert second.get(url).json()["reason"] == job.reason
    assert second.post(f"{url}/retry").json()["state"] == "waiting"
    assert run_job()
    assert texts(second, url) == {"Lunch is at noon."}


@pytest.mark.conformance("N07")
def test_acts_that_do_not_fit_the_state_change_nothing(here: Tenant) -> None:
    url, api = started(here), here.api("aria")
    fits = {
        "waiting": {"cancel"}, "running": {"cancel"}, "done": set(),
        "dead": {"retry", "drop"}, "cancelled": {"resume"},
    }  # fmt: skip
    assert set(fits) == set(JobState.values)
    acts = {"cancel": "/cancel", "resume": "/resume", "retry": "/retry", "drop": ""}
    for state, fitting in fits.items():
        for act in set(acts) - fitting:
            until = timezone.now() + timedelta(minutes=4) if state == "running" else None
            change(here, url, state=state, leased_until=until)
            send = api.delete if act == "drop" else api.post
            assert send(f"{url}{acts[act]}").status_code == 409, (state, act)
            assert api.get(url).json()["state"] == state
    change(here, url, state="waiting")
    assert api.post(f"{url}/cancel").json()["state"] == "cancelled"
    assert api.post(f"{url}/cancel").status_code == 409
    change(here, url, state="dead", reason="It was tried several times and broke off.")
    assert api.delete(url).status_code == 204
    assert api.get(url).status_code == api.delete(url).status_code == 404


def test_an_erasure_is_not_dropped(here: Tenant) -> None:
    job = create_run_once(here.id, JobType.ERASE, "2026-03-02", now=NOW)
    assert job is not None
    url = f"/api/v1/jobs/{job.id}"
    change(here, url, state="dead")
    ada = here.browser("ada")
    assert ada.delete(url).status_code == 409
    assert ada.get(url).json()["state"] == "dead"
    assert f"/jobs/{job.id}/drop/" not in ada.get("/jobs/").content.decode()


def test_what_only_reads_needs_a_key_that_reads(here: Tenant) -> None:
    assert second_client(here, "aria", "read").post(EXPORTS_URL).status_code == 202
    assert second_client(here, "aria", "write").post(EXPORTS_URL).status_code == 403


def test_the_list_is_narrowed_by_state_kind_and_time(here: Tenant) -> None:
    first, api = started(here), here.api("aria")
    change(here, first, state="done", created_at=NOW)
    second = started(here)

    def ids(**query: str) -> set[str]:
        found = api.get("/api/v1/jobs", query)
        assert found.status_code == 200, found.content
        return {f"/api/v1/jobs/{one['id']}" for one in found.json()["results"]}

    later = (NOW + timedelta(days=1)).isoformat()
    assert ids() == {first, second}
    assert ids(state="done") == ids(until=later) == {first}
    assert (
        ids(state="waiting") == ids(since=later) == ids(state="waiting", kind="export") == {second}
    )
    assert ids(kind="import") == ids(state="done", since=later) == set()
    for wrong in ({"state": "lost"}, {"kind": "x"}, {"since": "soon"}, {"who": "x"}):
        assert api.get("/api/v1/jobs", wrong).status_code == 400


def test_the_sweeper_finds_a_robots_job(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr("memories.tasks.notify_job_worker", lambda *ids: sent.append(ids))
    url = started(here)
    sweep_jobs()
    assert (here.id, UUID(url[-36:]), None) in sent
    robot = here.robots["aria"].id
    for wrong in ((None,), (here.members["ada"].id,), (None, here.robots["bolt"].id)):
        assert not run_jobs.run_job(here.id, UUID(url[-36:]), *wrong)
    assert run_jobs.run_job(here.id, UUID(url[-36:]), None, robot)


def test_a_job_names_one_who_asked(here: Tenant) -> None:
    url = started(here)
    with pytest.raises(Exception, match="job_of_one_asker"):
        change(here, url, member_id=here.members["mina"].id)


@pytest.mark.conformance("N07")
def test_a_curator_consolidates_and_reads_the_job(here: Tenant) -> None:
    chidi = here.browser("chidi")
    answer = chidi.post("/api/v1/consolidations")
    assert answer.status_code == 202
    assert chidi.post("/api/v1/consolidations")["Location"] == answer["Location"]
    assert run_job()
    assert chidi.get(answer["Location"]).json()["state"] == "done"
    for client in (here.browser("mina"), here.api("aria")):
        assert client.post("/api/v1/consolidations").status_code == 404


@pytest.mark.conformance("N07")
@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=10", 10), ("respond-async, wait=5", 5), ("Wait=7; foo=1", 7), (" wait=3 ,x", 3),
        ("wait=99999", MAX_WAIT_SECONDS), ("wait=9999999999", 0), ("wait=0", 0), ("wait=-1", 0),
        ("wait=abc", 0), ("wait=1.5", 0), ("wait", 0), ("", 0), ("wait=" + "9" * 5_000, 0),
        ("wait=\uff12", 0), ("," * 8_000, 0),
    ],
)  # fmt: skip
def test_what_is_preferred(prefer: str, seconds: int) -> None:
    assert parse_wait(prefer) == seconds


def test_a_lease_of_a_robots_job_that_another_worker_has_stores_nothing(here: Tenant) -> None:
    url = started(here)
    robot = here.robots["aria"].id
    leased = job_queue.lease_job(here.id, UUID(url[-36:]), None, robot)
    assert leased is not None
    assert job_queue.lease_job(here.id, UUID(url[-36:]), None, robot) is None
    actor, job = leased
    assert actor is not None
    assert (actor.robot_id, actor.member_id, actor.key_id) == (robot, None, key_of(here, "aria"))
    job.done = 3
    assert job_queue.save_progress(actor, job)
    assert here.api("aria").get(url).json()["done"] == 3


@pytest.mark.conformance("N16")
def test_a_file_that_was_deleted_is_gone_and_not_only_absent(here: Tenant) -> None:
    here.remember(here.robot("aria"), "Lunch is at noon.")
    url, api = started(here), here.api("aria")
    assert run_job()
    path = EXPORTS.path_of(UUID(url.rsplit("/", 1)[1]))
    moved = path.rename(path.with_suffix(".moved"))
    gone = api.get(f"{url}/file")
    assert (gone.status_code, gone.json()["type"][-9:]) == (410, "file-gone")
    assert "Export again" in gone.json()["detail"]
    for client in (here.api("bolt"), here.browser("ada")):
        assert client.get(f"{url}/file").status_code == 404
    moved.rename(path)
    assert texts(api, url) == {"Lunch is at noon."}
    change(here, url, finished_at=timezone.now() - timedelta(days=7, minutes=1))
    assert api.get(f"{url}/file").status_code == 410
    change(here, url, state="dead")
    assert api.get(f"{url}/file").status_code == 404
