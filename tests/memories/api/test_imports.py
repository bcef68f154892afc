"""Imports by the API: planned without a trace, done by a job of whoever asked, for admins alone."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from rest_framework.test import APIClient

from memories.ingestion.file_import import import_job
from memories.ingestion.file_import.import_job import check_may_import
from memories.jobs import job_queue, run_jobs
from memories.jobs.models import Job
from memories.store.models.memory import Memory
from memories.tasks import run_job
from orgs.api.idempotency import HEADER, REPLAYED
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.groups import create_group
from robots.access.keys import revoke_key
from robots.models.keys import Key
from robots.models.robots import RobotGroup
from tests.isolation.forgery import all_audiences_scope
from tests.world import NOW, Tenant, World

URL = "/api/v1/imports"
LINES: list[dict[str, Any]] = [
    {"id": "1", "group": "acme", "speaker": "Noor", "text": "The release is in March."},
    {"id": "2", "group": "acme", "speaker": "Tom", "text": "I bring cake.", "audience": ["Noor"]},
    {"id": "3", "audience": ["org"], "speaker": "Tom", "text": "The lift is out of order."},
]


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tenant]:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    lasting_world.here.add_robot("mona", scopes=("read", "write", "manage"))
    return lasting_world.here


def as_file(lines: list[dict[str, Any]] = LINES, *extra: bytes) -> bytes:
    return b"\n".join([*(json.dumps(line).encode() for line in lines), *extra])


def post(client: APIClient, content: bytes, **fields: str) -> Any:
    file = SimpleUploadedFile("talk.jsonl", content)
    key = fields.pop("key", None)
    headers = {HEADER: key} if key else {}
    return client.post(URL, {"file": file, **fields}, format="multipart", headers=headers)


def run_all() -> None:
    while run_job():
        pass


def stored(here: Tenant) -> dict[str, str]:
    """The texts of the file that are memories, with the kinds of their audiences."""
    texts = [line["text"] for line in LINES]
    with all_audiences_scope(here):
        rows = Memory.objects.filter(content__in=texts).select_related("audience")
        return {row.content: row.audience.kind for row in rows}


def counted(here: Tenant) -> tuple[int, ...]:
    with all_audiences_scope(here):
        kinds = (Memory, Group, Member, ExternalIdentity, Job, AuditEntry, RobotGroup)
        return tuple(kind.objects.count() for kind in kinds)


@pytest.mark.conformance("N15")
@pytest.mark.parametrize("caller", ["ada", "mona"])
def test_a_file_is_imported_by_a_job(here: Tenant, caller: str) -> None:
    client = here.browser("ada") if caller == "ada" else here.api("mona")
    answer = post(client, as_file(LINES, b"not json"))
    assert answer.status_code == 202, answer.content
    job = answer.json()
    assert answer["Location"] == f"/api/v1/jobs/{job['id']}"
    assert (job["kind"], job["state"]) == ("import", "waiting")
    assert job["of"] == ("member" if caller == "ada" else "robot")
    assert stored(here) == {}
    run_all()
    job = client.get(answer["Location"]).json()
    assert (job["state"], job["problems"], job["file"]) == ("done", 1, None)
    assert job["done"] == job["total"] > 0
    assert client.get(f"{answer['Location']}/file").status_code == 404, "it was never to be taken"
    assert job["counts"] == {
        "imported": 3, "already": 0, "skipped": 1, "groups": 1, "members": 2,
    }  # fmt: skip
    assert job["first_problems"][0]["line"] == 4
    assert "broken JSON" in job["first_problems"][0]["reason"]
    assert stored(here) == dict(
        zip((line["text"] for line in LINES), ("group", "explicit", "organisation"), strict=True)
    )
    assert client.get("/api/v1/jobs?kind=import").json()["results"][0]["id"] == job["id"]
    again = post(client, as_file())
    run_all()
    assert client.get(again["Location"]).json()["counts"] == {
        "imported": 0, "already": 3, "skipped": 0, "groups": 0, "members": 0,
    }  # fmt: skip


@pytest.mark.conformance("N15")
@pytest.mark.parametrize("caller", ["ada", "mona"])
def test_a_dry_run_says_what_it_would_bring_and_writes_nothing(here: Tenant, caller: str) -> None:
    client = here.browser("ada") if caller == "ada" else here.api("mona")
    before = counted(here)
    answer = post(client, gzip.compress(as_file(LINES, b"not json")), dry_run="true")
    assert answer.status_code == 200, answer.content
    plan = answer.json()
    assert counted(here) == before
    assert list(Path(settings.DATA_DIR).rglob("*.jsonl")) == []
    assert (plan["whole"], plan["broken"]) == (True, False)
    robot = caller == "mona"
    assert plan["counts"] == {
        "lines": 4, "new_memories": 3, "already": 0, "skipped": 1, "without_reader": 0,
        "readable": 2 if robot else 1, "readable_if_seated": 2,
        "groups": 1, "new_groups": 1, "people": 2, "new_people": 2,
    }  # fmt: skip
    reads = "yes" if robot else "seated"
    assert plan["groups"] == [{"name": "acme", "new": True, "lines": 2, "reads": reads}]
    assert plan["people"] == [
        {"name": name, "new": True, "can_sign_in": False} for name in ("Noor", "Tom")
    ]
    by_kind = {one["audience"]: one for one in plan["readers"]}
    assert by_kind["group"]["group"] == "acme"
    assert by_kind["explicit"] == {
        "audience": "explicit", "lines": 1, "reads": "no", "group": None, "names": ["Noor"],
        "can_read_now": 0, "cannot_sign_in": 1,
    }  # fmt: skip
    assert by_kind["organisation"]["can_read_now"] > 0
    assert [one["line"] for one in plan["first_problems"]] == [4]


def test_the_plan_is_what_the_import_does(here: Tenant) -> None:
    client = here.api("mona")
    plan = post(client, as_file(), dry_run="true").json()["counts"]
    sent = post(client, as_file())
    run_all()
    done = client.get(sent["Location"]).json()["counts"]
    assert plan["new_memories"] == done["imported"]
    assert (plan["new_groups"], plan["new_people"]) == (done["groups"], done["members"])
    later = post(client, as_file(), dry_run="true").json()
    # What one listed person alone reads is not told to whoever does not read it.
    assert (later["counts"]["already"], later["counts"]["new_memories"]) == (2, 1)
    assert (later["counts"]["new_groups"], later["groups"][0]["reads"]) == (0, "yes")


def test_who_reads_lines_that_say_nothing(here: Tenant) -> None:
    bare = [{"id": "b", "text": "The safe stands in the cellar."}]
    for client, fields, skipped in (
        (here.api("mona"), {}, 1),
        (here.api("mona"), {"readers": "organisation"}, 0),
        (here.browser("ada"), {}, 0),
    ):
        plan = post(client, as_file(bare), dry_run="true", **fields).json()
        assert plan["counts"]["skipped"] == skipped, fields
        assert plan["counts"]["without_reader"] == 1 - skipped
    same = [
        {"id": "1", "group": "a", "speaker": "Noor", "text": "One."},
        {"id": "2", "group": "b", "speaker": "Noor", "text": "Two."},
    ]
    people = {
        scope: post(here.api("mona"), as_file(same), dry_run="true", speaker_scope=scope)
        .json()["counts"]["people"]
        for scope in ("organisation", "group")
    }  # fmt: skip
    assert people == {"organisation": 1, "group": 2}


@pytest.mark.parametrize("caller", ["chidi", "mina", "vera", "aria", "own"])
@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_others_import_nothing(here: Tenant, caller: str, dry_run: str) -> None:
    """A curator, a member, a viewer, a robot without `manage`, and an admin's personal robot."""
    if caller == "own":
        here.add_robot("own", scopes=("read", "write", "manage"))
        here.give_owner("own", "ada")
    client = here.api(caller) if caller in ("aria", "own") else here.browser(caller)
    before = counted(here)
    answer = post(client, as_file(), dry_run=dry_run)
    assert answer.status_code == 403, answer.content
    assert counted(here) == before


def test_a_key_that_may_not_write_begins_no_job_that_would_stop(here: Tenant) -> None:
    here.add_robot("nora", scopes=("read", "manage"))
    answer = post(here.api("nora"), as_file())
    assert answer.status_code == 403
    assert "`write`" in answer.json()["detail"]


def test_a_robot_that_acts_for_a_member_imports_nothing(here: Tenant) -> None:
    acting = replace(here.robot("mona"), member_id=here.members["ada"].id, delegated=True)
    with pytest.raises(PermissionError):
        check_may_import(acting)


def test_what_a_robot_may_is_looked_up_again_when_it_runs(here: Tenant) -> None:
    client = here.api("mona")
    first = post(client, as_file())
    with organisation_scope(here.id):
        keys = Key.objects.filter(robot_id=here.robots["mona"].id)
        assert keys.update(scopes=["read", "write"]) == 1
    run_all()
    job = client.get(first["Location"]).json()
    assert (job["state"], stored(here)) == ("dead", {})
    assert "may not do it any more" in job["reason"]


def test_a_robot_finds_its_groups_again_in_each_turn(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn for each chunk: none makes a group twice, and nobody with an account is seated."""
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr("memories.ingestion.file_import.importer.CHUNK_LINES", 1)
    lines = [
        {"id": f"{n}", "group": f"g{n % 2}", "speaker": "Noor", "text": f"Line {n}."}
        for n in range(5)
    ]
    client = here.api("mona")
    sent = post(client, as_file(lines))
    run_all()
    job = client.get(sent["Location"]).json()
    assert (job["state"], job["counts"]["imported"], job["counts"]["groups"]) == ("done", 5, 2)
    with organisation_scope(here.id):
        made = Group.objects.filter(external_id__in=["g0", "g1"])
        assert sorted(made.values_list("external_id", "owner_id")) == [("g0", None), ("g1", None)]
        seats = RobotGroup.objects.filter(group__in=made)
        assert set(seats.values_list("robot_id", flat=True)) == {here.robots["mona"].id}
        people = GroupMembership.objects.filter(group__in=made, member__user__isnull=False)
        assert not people.exists()
    again = post(client, as_file(lines))
    run_all()
    assert client.get(again["Location"]).json()["counts"]["already"] == 5


def test_a_hidden_group_is_as_one_that_is_not_there(here: Tenant) -> None:
    """`board` is confidential and the robot does not sit there: its name makes another group."""
    client = here.api("mona")
    hidden = create_group(organisation_id=here.id, external_id="board", now=NOW)
    assert hidden.confidential
    told = []
    for name in ("board", "no-such-group"):
        line = {"id": "1", "group": name, "speaker": "Noor", "text": "Who sits here?"}
        answer = post(client, as_file([line]), dry_run="true")
        told.append(answer.content.decode().replace(name, "<name>"))
    assert told[0] == told[1]
    sent = post(client, as_file([line | {"group": "board"}]))
    run_all()
    assert client.get(sent["Location"]).json()["counts"]["groups"] == 1
    with organisation_scope(here.id):
        assert Group.objects.filter(external_id="board").count() == 2
        assert not GroupMembership.objects.filter(group=hidden, member__name="Noor").exists()


def test_an_open_group_is_used_and_its_people_stay_as_they_are(here: Tenant) -> None:
    """A key that manages knows it as admins do; it reads nothing of it."""
    with organisation_scope(here.id):
        Group.objects.filter(external_id="launch").update(confidential=False)
        RobotGroup.objects.filter(robot=here.robots["mona"]).delete()
    line = {"id": "1", "group": "launch", "speaker": "Noor", "text": "A word for the launch."}
    client = here.api("mona")
    plan = post(client, as_file([line]), dry_run="true").json()
    assert plan["groups"] == [{"name": "launch", "new": False, "lines": 1, "reads": "no"}]
    assert plan["readers"][0]["can_read_now"] > 0
    assert plan["counts"]["readable"] == 0
    sent = post(client, as_file([line]))
    run_all()
    assert client.get(sent["Location"]).json()["counts"]["groups"] == 0
    assert "A word for the launch." not in client.get("/api/v1/memories").content.decode()


def test_members_choose_whether_they_sit_in_what_they_make(here: Tenant) -> None:
    for choice, name in (("false", "closed"), ("true", "joined")):
        line = {"id": name, "group": name, "speaker": "Noor", "text": f"In {name}."}
        post(here.browser("ada"), as_file([line]), join_groups=choice)
        run_all()
    with organisation_scope(here.id):
        seats = GroupMembership.objects.filter(member=here.members["ada"])
        named = set(seats.values_list("group__external_id", flat=True))
    assert named & {"closed", "joined"} == {"joined"}


@pytest.mark.conformance("N15")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "not JSON"),
        (b"\x1f\x8bnot really", "cannot be unpacked"),
        (b'[{"text": "a"},', "begins as one JSON list and is broken"),
        (b'{"name": "a"}', "has no “text”"),
    ],
)
@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_a_broken_file_is_named_as_that(
    here: Tenant, content: bytes, words: str, dry_run: str
) -> None:
    answer = post(here.api("mona"), content, dry_run=dry_run)
    assert answer.status_code == 400, answer.content
    assert answer.json()["type"].endswith(":unreadable")
    assert words in answer.json()["detail"]
    assert here.api("mona").get("/api/v1/jobs").json()["results"] == []


def test_a_file_that_is_too_large_is_413(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_job, "MAX_UPLOAD_BYTES", 100)
    for dry_run in ("true", "false"):
        answer = post(here.api("mona"), as_file(), dry_run=dry_run)
        assert answer.status_code == 413
        assert answer.json()["type"].endswith(":file-too-large")


def test_what_is_no_such_form_is_refused(here: Tenant) -> None:
    client = here.api("mona")
    for fields, field in (
        ({"dry_run": "yes"}, "dry_run"), ({"format": "xml"}, "format"), ({"more": "1"}, "more"),
        ({"readers": "all"}, "readers"), ({"speaker_scope": "team"}, "speaker_scope"),
    ):  # fmt: skip
        answer = post(client, as_file(), **fields)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
    for body in ({}, {"file": "words"}):
        answer = client.post(URL, body, format="multipart")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "file")
    twice = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("a", as_file())})
    twice = twice.replace(
        f"--{BOUNDARY}--".encode(),
        "".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="dry_run"\r\n\r\n{one}\r\n'
            for one in ("true", "false")
        ).encode()
        + f"--{BOUNDARY}--".encode(),
    )
    answer = client.post(URL, twice, content_type=MULTIPART_CONTENT)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "dry_run")
    answer = client.post(URL, {"file": "x"}, format="json")
    assert (answer.status_code, answer.json()["type"][-22:]) == (415, "unsupported-media-type")
    many = {"file": SimpleUploadedFile("a", as_file()), **{f"f{n}": "1" for n in range(2000)}}
    for broken, kind in (
        (encode_multipart(BOUNDARY, many), MULTIPART_CONTENT),
        (b"no form", "multipart/form-data"),
        (b"no form", "multipart/form-data; boundary=\xc3\xa9"),
    ):
        answer = client.post(URL, broken, content_type=kind)
        assert answer.status_code == 400, answer.content
        assert answer.json()["type"].endswith((":bad-form", ":invalid"))


@pytest.mark.conformance("N03")
@pytest.mark.parametrize("caller", ["ada", "mona"])
def test_a_form_that_is_sent_twice_counts_once(here: Tenant, caller: str) -> None:
    """The boundary of a form is another one each time; its fields and its file are the same."""
    client = here.browser("ada") if caller == "ada" else here.api("mona")
    first = post(client, as_file(), key="once")
    body = encode_multipart("another", {"file": SimpleUploadedFile("talk.jsonl", as_file())})
    again = client.post(
        URL, body, content_type="multipart/form-data; boundary=another", headers={HEADER: "once"}
    )
    assert (first.status_code, again.status_code) == (202, 202)
    assert REPLAYED in again.headers
    assert again.content == first.content
    assert again["Location"] == first["Location"]
    run_all()
    assert len(client.get("/api/v1/jobs?kind=import").json()["results"]) == 1
    for content, fields in (
        (as_file(LINES[:1]), {}), (as_file(), {"dry_run": "true"}),
        (as_file(), {"readers": "private"}),
    ):  # fmt: skip
        other = post(client, content, key="once", **fields)
        assert other.status_code == 422, other.content
    assert len(client.get("/api/v1/jobs?kind=import").json()["results"]) == 1


def test_a_session_without_its_token_imports_nothing(here: Tenant) -> None:
    """The check of the token reads the form first: also then it is read, and told apart."""
    client = here.browser("ada")
    client.handler.enforce_csrf_checks = True
    assert post(client, as_file()).status_code == 403
    token = "a" * 32
    client.cookies["csrftoken"] = token
    keep = {"headers": {"X-CSRFToken": token, HEADER: "k"}}
    sent = []
    for content in (as_file(), as_file(), as_file(LINES[:1])):
        file = SimpleUploadedFile("talk.jsonl", content)
        sent.append(client.post(URL, {"file": file}, format="multipart", **keep))
    assert [one.status_code for one in sent] == [202, 202, 422], sent[0].content
    assert REPLAYED in sent[1].headers
    many = {"file": SimpleUploadedFile("a", as_file()), **{f"f{n}": "1" for n in range(2000)}}
    answer = client.post(URL, many, format="multipart", **keep)
    assert (answer.status_code, answer.json()["type"][-8:]) == (400, "bad-form")


def test_nobody_else_sees_the_job(lasting_world: World, here: Tenant) -> None:
    sent = post(here.api("mona"), as_file())
    here.add_robot("mira", scopes=("read", "write", "manage"))
    others = [here.api("mira"), here.api("aria"), here.browser("ada"), here.browser("chidi")]
    others.append(lasting_world.there.api("aria"))
    for client in others:
        assert client.get(sent["Location"]).status_code == 404
        assert client.post(f"{sent['Location']}/cancel").status_code == 404
        assert client.get("/api/v1/jobs?kind=import").json()["results"] == []


def test_what_an_import_brought_is_erased_by_its_job(here: Tenant) -> None:
    client = here.api("mona")
    sent = post(client, as_file())
    run_all()
    job = UUID(sent.json()["id"])
    assert len(stored(here)) == 3
    answer = here.browser("ada").post(
        "/api/v1/erasures",
        {"source": f"import:{job}", "confirm": f"import:{job}"},
        format="json",
    )
    assert answer.status_code == 202, answer.content
    run_all()
    assert stored(here) == {}


def test_a_job_whose_key_is_revoked_stops(here: Tenant) -> None:
    sent = post(here.api("mona"), as_file())
    with organisation_scope(here.id):
        key = Key.objects.get(robot_id=here.robots["mona"].id)
    revoke_key(organisation_id=here.id, key_id=key.id, now=NOW)
    run_all()
    assert stored(here) == {}
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").get(id=UUID(sent.json()["id"]))
    assert job.state == "dead"


def test_a_member_who_is_no_admin_any_more_does_not_go_on(here: Tenant) -> None:
    post(here.browser("ada"), as_file())
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(role=Role.CURATOR)
    run_all()
    assert stored(here) == {}


def test_lines_without_readers_go_to_a_group_that_the_caller_knows(here: Tenant) -> None:
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
        Group.objects.filter(id=here.groups["design"].id).update(confidential=True)
    line, group = {"id": "9", "speaker": "Noor", "text": "I bring cake."}, here.groups["launch"]
    client, wish = here.browser("ada"), {"readers": "group", "group": str(group.id)}
    plan = post(client, as_file([line]), dry_run="true", **wish).json()
    [read] = plan["readers"]
    assert (read["audience"], read["group"], read["lines"]) == ("group", group.name, 1)
    # Mina and Bob sit there, Ada and Chidi curate it.
    assert (read["can_read_now"], read["cannot_sign_in"]) == (4, 0)
    assert plan["groups"] == []
    assert post(client, as_file([line]), **wish).status_code == 202
    run_all()
    assert stored(here) == {"I bring cake.": "group"}
    with organisation_scope(here.id):
        assert GroupMembership.objects.filter(group_id=group.id).count() == 2
    hidden = {"readers": "group", "group": str(here.groups["design"].id)}
    assert post(client, as_file([line]), **hidden).status_code == 404
    for wrong in ({"readers": "group"}, {"group": str(group.id)}):
        assert post(client, as_file([line]), **wrong).status_code == 400
