"""One change for all memories that match filters: a dry run, then a job, with the rights of single
acts."""

from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.curation import bulk_by_filter, bulk_change
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.jobs import job_queue
from memories.jobs.run_jobs import run_next_job
from memories.store.models.memory import Memory
from orgs.models.audit import AuditEntry
from orgs.principals import Actor
from robots.registry.robots import remove_robot_from_group
from tests.isolation.forgery import all_audiences_scope
from tests.memories.jobs.test_cancel import then
from tests.world import Tenant

URL = "/api/v1/memories/bulk"
pytestmark = pytest.mark.usefixtures("lasting_world", "jobs_of_here")


def say(who: Actor, content: str, **fields: Any) -> UUID:
    draft = Draft(content=content, tags=("project:apollo",), **fields)
    return remember(who, draft, now=timezone.now()).id


def ask(here: Tenant, robot: str = "aria", **body: Any) -> Any:
    return here.api(robot).post(URL, body, format="json")


def facts(here: Tenant, name: str) -> dict[UUID, Any]:
    with all_audiences_scope(here):
        return dict(Memory.objects.values_list("id", name))


APOLLO = {"filters": {"tag": "project:apollo"}}


@pytest.fixture
def rows(here: Tenant) -> dict[str, list[UUID]]:
    """Aria's own, what she reads and may not change, and what she does not read; all match."""
    aria, ada, mina = here.robot("aria"), here.person("ada"), here.person("mina")
    return {
        "own": [say(aria, f"Number {n} of the launch.", group="launch") for n in range(12)],
        "read": [say(ada, "The rocket is red.", visibility="organisation")],
        "hidden": [say(mina, "I fear rockets.", visibility="private")],
    }


def test_a_dry_run_counts_and_changes_nothing(here: Tenant, rows: dict[str, list[UUID]]) -> None:
    before = facts(here, "status")
    answer = ask(here, **APOLLO, action="forget", dry_run=True)
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert (told["matches"], told["changes"], told["waiting"]) == (13, 12, 0)
    assert told["skipped"] == [{"reason": "not yours to change", "memories": 1}]
    assert [UUID(row["id"]) for row in told["first"]] == rows["own"][::-1][:10]
    assert str(rows["hidden"][0]) not in answer.content.decode()
    assert facts(here, "status") == before
    assert not run_next_job()


def test_a_job_forgets_what_the_caller_may_and_says_what_not(
    here: Tenant, rows: dict[str, list[UUID]]
) -> None:
    answer = ask(here, **APOLLO, action="forget")
    assert answer.status_code == 202, answer.content
    assert answer.json()["state"] == "waiting"
    assert run_next_job()
    job = here.api("aria").get(answer["Location"]).json()
    assert (job["state"], job["done"], job["total"], job["problems"]) == ("done", 13, 13, 1)
    assert [one["id"] for one in job["first_problems"]] == [str(rows["read"][0])]
    status = facts(here, "status")
    assert {status[id_] for id_ in rows["own"]} == {"forgotten"}
    assert {status[id_] for id_ in rows["read"] + rows["hidden"]} == {"active"}
    with all_audiences_scope(here):
        entries = AuditEntry.objects.values_list("action", "target")
        audited = [target for action, target in entries if action == "memory.forgotten"]
    assert sorted(audited) == sorted(rows["own"])


def test_tags_come_and_go_and_the_category_changes(
    here: Tenant, rows: dict[str, list[UUID]]
) -> None:
    first = rows["own"][0]
    body = {"action": "set", "add_tags": ["done:late"], "remove_tags": ["project"]}
    ask(here, **APOLLO, **body, category="event")
    assert run_next_job()
    tags, category = facts(here, "tags"), facts(here, "category")
    assert {tuple(tags[id_]) for id_ in rows["own"]} == {("done", "done:late")}
    assert {category[id_] for id_ in rows["own"]} == {"event"}
    assert tags[rows["read"][0]] == ["project", "project:apollo"]
    named = {"filters": {"tag": "done", "q": "Number 0 "}}
    ask(here, **named, action="set", add_tags=["project:apollo:eleven"], remove_tags=["done:late"])
    assert run_next_job()
    assert facts(here, "tags")[first] == [
        "done",
        "project",
        "project:apollo",
        "project:apollo:eleven",
    ]


def test_it_runs_with_the_rights_of_that_moment(here: Tenant, rows: dict[str, list[UUID]]) -> None:
    answer = ask(here, **APOLLO, action="forget")
    here_ids = {"organisation_id": here.id, "robot_id": here.robots["aria"].id}
    remove_robot_from_group(**here_ids, group_id=here.groups["launch"].id)
    assert run_next_job()
    job = here.api("aria").get(answer["Location"]).json()
    assert (job["state"], job["problems"]) == ("done", 13)
    assert set(facts(here, "status").values()) == {"active"}


def test_it_is_cancelled_between_two_memories(
    here: Tenant, rows: dict[str, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = ask(here, filters={"group": "launch"}, action="forget")
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    client = here.api("aria")
    cancel = then(5, lambda: client.post(f"{answer['Location']}/cancel"), bulk_change.apply_change)
    monkeypatch.setattr(bulk_change, "apply_change", cancel)
    assert run_next_job()
    job = client.get(answer["Location"]).json()
    assert (job["state"], job["done"]) == ("cancelled", 5)
    assert [*facts(here, "status").values()].count("forgotten") == 5


def test_the_same_call_sent_twice_is_one_job(here: Tenant, rows: dict[str, list[UUID]]) -> None:
    client, body = here.api("aria"), {**APOLLO, "action": "forget"}
    first, second = (
        client.post(URL, body, format="json", headers={"Idempotency-Key": "one"}) for _ in range(2)
    )
    assert first.json()["id"] == second.json()["id"]
    assert run_next_job()
    assert not run_next_job()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"filters": {}, "action": "forget"}, "filters"),
        ({"action": "forget"}, "filters"),
        ({**APOLLO, "action": "erase"}, "action"),
        ({**APOLLO, "action": "set"}, ""),
        ({**APOLLO, "action": "forget", "category": "event"}, "category"),
        ({"filters": {"colour": "red"}, "action": "forget"}, "filters.colour"),
        ({"filters": {"metadata": {"a": "x" * 301}}, "action": "forget"}, "filters.metadata"),
        ({**APOLLO, "action": "set", "remove_tags": ["No tag!"]}, "remove_tags"),
    ],
)
def test_what_is_not_whole_is_refused(here: Tenant, body: dict[str, Any], field: str) -> None:
    answer = ask(here, **body)
    assert answer.status_code == 400, answer.content
    assert any(one["field"].startswith(field) for one in answer.json()["errors"]), answer.content


def test_more_than_a_job_changes_are_refused_whole(
    here: Tenant, rows: dict[str, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_by_filter, "MAX_MATCHES", 12)
    for dry_run in (True, False):
        answer = ask(here, **APOLLO, action="forget", dry_run=dry_run)
        assert answer.status_code == 400
        assert answer.json()["type"].endswith(":too-many-matches")
    assert not run_next_job()


def test_a_member_does_it_too_and_a_key_that_only_reads_does_not(
    here: Tenant, rows: dict[str, list[UUID]]
) -> None:
    here.add_robot("nora", groups=("launch",), scopes=("read",))
    assert ask(here, "nora", **APOLLO, action="forget").status_code == 403
    mina = here.browser("mina")
    answer = mina.post(URL, {"filters": {"q": "fear"}, "action": "forget"}, format="json")
    assert answer.status_code == 202, answer.content
    assert run_next_job()
    assert facts(here, "status")[rows["hidden"][0]] == "forgotten"


def test_it_is_undone_by_the_call_and_says_what_stays(
    here: Tenant, rows: dict[str, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    aria = here.api("aria")
    body = {"action": "set", "category": "event"}
    url = ask(here, filters={"group": "launch"}, **body)["Location"]
    assert aria.post(f"{url}/undo").status_code == 409, "it is not done yet"
    before = facts(here, "category")
    assert run_next_job()
    changed_since = rows["own"][3]
    given = {"category": "fact", "content": "Another text."}
    edit = aria.patch(f"/api/v1/memories/{changed_since}", given, format="json")
    assert edit.status_code == 200, edit.content
    for other, status in ((here.api("bolt"), 404), (here.browser("ada"), 404)):
        assert other.post(f"{url}/undo").status_code == status
    answer = aria.post(f"{url}/undo")
    assert answer.status_code == 200, answer.content
    undone = answer.json()
    assert (undone["kind"], undone["state"], undone["done"]) == ("change", "done", 12)
    assert (undone["problems"], answer["Location"]) == (1, f"/api/v1/jobs/{undone['id']}")
    [stays] = undone["first_problems"]
    assert stays["id"] == str(changed_since)
    assert "changed" in stays["reason"]
    after = facts(here, "category")
    others = [id_ for id_ in rows["own"] if id_ != changed_since]
    assert {after[id_] for id_ in others} == {before[id_] for id_ in others} != {"event"}
    assert after[changed_since] == "fact"
    assert aria.post(f"{url}/undo").status_code == 409, "once"
    # Many are taken back by a job.
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 5)
    url = ask(here, filters={"group": "launch"}, action="forget")["Location"]
    assert run_next_job()
    assert {facts(here, "status")[id_] for id_ in rows["own"]} == {"forgotten"}
    answer = aria.post(f"{url}/undo")
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    assert run_next_job()
    assert {facts(here, "status")[id_] for id_ in rows["own"]} == {"active"}
