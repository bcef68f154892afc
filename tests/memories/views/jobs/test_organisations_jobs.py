"""The organisation's jobs on the page: for curators and admins, with what can be done to them."""

from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.jobs import job_queue
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import create_run_once
from memories.tasks import run_job
from memories.views.jobs.organisation_job_presenter import count_rows, job_title, result_sentence
from orgs.database.rls import organisation_scope
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("jobs_of_here")


def made(here: Tenant) -> UUID:
    job = create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert job is not None
    return job.id


def page(client: Client, url: str = "/jobs/") -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return response_text(answer)


def test_the_run_of_a_day_says_its_day_as_people_do() -> None:
    at = f"{timezone.localtime().year}-03-02"
    assert job_title(Job(kind=JobType.AGE, period=at)).endswith(", 2 March")
    assert job_title(Job(kind=JobType.AGE, period="2025-03-02")).endswith(", 2 March 2025")
    assert "," not in job_title(Job(kind=JobType.AGE))


@pytest.mark.conformance("O13")
def test_a_curator_begins_cancels_and_goes_on(here: Tenant) -> None:
    here.remember(here.robot("bolt"), "The office closes at six.")
    chidi = make_signed_in_client(here, "chidi")
    assert "The run of the day begins by itself." in page(chidi)
    url = chidi.post("/jobs/consolidate/")["Location"]
    assert "Consolidate memories" in page(chidi, url)
    assert "Not begun yet" in page(chidi, url)
    assert chidi.post(f"{url}cancel/")["Location"] == url
    shown = page(chidi, url)
    assert "Cancelled" in shown
    assert "Go on" in shown
    assert f'action="{url}cancel/"' not in shown
    assert f'action="{url}resume/"' in page(chidi)
    assert chidi.post(f"{url}resume/").status_code == 302
    assert run_job()
    shown = page(chidi, url)
    assert "<dt>Sank</dt><dd>1</dd>" in shown
    assert 'href="/tiers/"' in shown
    assert 'href="/review/"' in shown
    assert "1 sank" in page(make_signed_in_client(here, "ada"))
    assert chidi.post(f"{url}cancel/").status_code == 409


def test_what_stopped_says_why_and_is_tried_again(here: Tenant) -> None:
    id_, chidi = made(here), make_signed_in_client(here, "chidi")
    with organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").filter(id=id_).update(state="dead", reason="It broke off.")
    shown = page(chidi)
    assert "It broke off." in shown
    assert f'action="/jobs/{id_}/retry/"' in shown
    assert chidi.post(f"/jobs/{id_}/retry/").status_code == 302
    assert "Waiting" in page(chidi)


def test_work_that_runs_shows_how_far_it_is_and_that_it_stops(here: Tenant) -> None:
    id_, chidi = made(here), make_signed_in_client(here, "chidi")
    taken = job_queue.lease_job(here.id, id_, None)
    assert taken
    taken[1].done, taken[1].total = 5_000, 20_000
    assert job_queue.save_progress(None, taken[1])
    for url in ("/jobs/", f"/jobs/{id_}/"):
        assert "5,000 of 20,000 steps" in page(chidi, url)
    chidi.post(f"/jobs/{id_}/cancel/")
    for url in ("/jobs/", f"/jobs/{id_}/"):
        assert "Stopping" in page(chidi, url)
        assert "/cancel/" not in page(chidi, url)
    assert not job_queue.save_progress(None, taken[1])


@pytest.mark.parametrize("who", ["mina", "bob", "vera"])
def test_others_have_no_such_page(here: Tenant, who: str) -> None:
    id_, client = made(here), make_signed_in_client(here, who)
    assert client.get(f"/jobs/{id_}/").status_code == 404
    for act in ("cancel", "resume", "retry"):
        assert client.post(f"/jobs/{id_}/{act}/").status_code == 404
    assert client.post("/jobs/consolidate/").status_code == 404
    if who != "vera":
        shown = page(client)
        assert "The organisation’s" not in shown
        assert str(id_) not in shown
    with organisation_scope(here.id, using="worker"):
        assert [one.state for one in Job.objects.using("worker").all()] == ["waiting"]


def test_nor_has_another_organisation_or_a_robot(lasting_world: World, here: Tenant) -> None:
    id_ = made(here)
    ada = make_signed_in_client(lasting_world.there, "ada")
    assert str(id_) not in page(ada)
    assert ada.get(f"/jobs/{id_}/").status_code == 404
    for act in ("cancel", "resume", "retry"):
        assert ada.post(f"/jobs/{id_}/{act}/").status_code == 404
        assert here.api("aria").post(f"/jobs/{id_}/{act}/").status_code in (302, 404)
    with organisation_scope(here.id, using="worker"):
        assert [one.state for one in Job.objects.using("worker").all()] == ["waiting"]


@pytest.mark.conformance("O13")
def test_a_member_cancels_their_own(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 0)
    who, mina = here.person("mina"), make_signed_in_client(here, "mina")
    ids = [here.remember(who, f"Fact {n}.", visibility="private").id for n in range(3)]
    id_ = bulk_change.change_memories(who, ids, BulkChange(action="archive"), now=NOW).job.id
    assert f'action="/jobs/{id_}/cancel/"' in page(mina, f"/jobs/{id_}/")
    assert make_signed_in_client(here, "ada").post(f"/jobs/{id_}/cancel/").status_code == 404
    mina.post(f"/jobs/{id_}/cancel/")
    shown = page(mina, f"/jobs/{id_}/")
    assert "It stopped after 0 of 3 memories." in shown
    assert "Cancelled" in page(mina)
    mina.post(f"/jobs/{id_}/resume/")
    assert run_job()
    assert job_pages.get_job(who, id_).state == "done"


def test_the_page_asks_little(here: Tenant) -> None:
    made(here)
    assert count_queries(make_signed_in_client(here, "ada"), "/jobs/") <= 13


def test_what_a_run_did_in_words() -> None:
    result = {
        "looked": 2_000, "promoted": 12, "demoted": 1_040, "duplicates": 2, "contradictions": 1,
        "moves": {"slow glacial idle": 1_040},
    }  # fmt: skip
    assert result_sentence(result) == "12 rose, 1,040 sank, 3 pairs proposed"
    assert result_sentence({"duplicates": 1, "contradictions": 0}) == "1 pair proposed"
    relieved = {"looked": 1, "proposed": 1, "summaries": 0, "archived": 0}
    assert result_sentence(relieved) == "1 full tier proposed"
    assert result_sentence(relieved | {"proposed": 0}) == "nothing to do"
    assert count_rows(relieved)[:2] == [("Looked at", "1"), ("Full tiers proposed", "1")]
    assert result_sentence({}) == ""
    labels = ["Looked at", "Rose", "Sank", "Near-duplicates proposed", "Contradictions proposed"]
    assert [label for label, _ in count_rows(dict(sorted(result.items())))] == labels
    assert count_rows(result)[0] == ("Looked at", "2,000")
    assert [label for label, _ in count_rows({"summaries": 2, "moves": {}})] == ["Summaries"]


def test_the_page_is_narrowed_and_shows_how_far_open_work_is(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    daily = made(here)
    taken = job_queue.lease_job(here.id, daily, None)
    assert taken is not None
    taken[1].done, taken[1].total = 5_000, 20_000
    assert job_queue.save_progress(None, taken[1])
    chidi = make_signed_in_client(here, "chidi")
    shown = page(chidi)
    assert "5,000 of 20,000 steps" in shown
    assert 'hx-get="/jobs/?"' in shown
    rows = response_text(
        chidi.get("/jobs/", headers={"HX-Request": "true", "HX-Target": "job-rows"})
    )
    assert rows.lstrip().startswith('<div id="job-rows"')
    assert "5,000 of 20,000 steps" in rows
    url = f'href="/jobs/{daily}/"'
    today = timezone.localdate().isoformat()
    for query, is_there in {
        "state=running": True, "state=dead": False, "kind=consolidate": True, "kind=import": False,
        f"since={NOW:%Y-%m-%d}&until={today}": True, "until=2020-01-01": False,
        "state=nonsense&since=soon": True,
    }.items():  # fmt: skip
        assert (url in page(chidi, f"/jobs/?{query}")) is is_there, query
    assert 'hx-get="/jobs/?state=running"' in page(chidi, "/jobs/?state=running")
    job_queue.finish_job(None, taken[1])
    assert "hx-get" not in page(chidi, "/jobs/?state=done&kind=consolidate").split("<form")[-1]


def test_what_stopped_for_good_is_dropped_on_the_page(here: Tenant) -> None:
    daily = made(here)
    taken = job_queue.lease_job(here.id, daily, None)
    assert taken is not None
    job_queue.finish_job(None, taken[1], state="dead", reason="It broke off.")
    chidi = make_signed_in_client(here, "chidi")
    for url in ("/jobs/", f"/jobs/{daily}/"):
        assert f'action="/jobs/{daily}/drop/"' in page(chidi, url)
    assert make_signed_in_client(here, "mina").post(f"/jobs/{daily}/drop/").status_code == 404
    assert chidi.post(f"/jobs/{daily}/drop/")["Location"] == "/jobs/"
    assert chidi.get(f"/jobs/{daily}/").status_code == 404
    with organisation_scope(here.id, using="worker"):
        assert not Job.objects.using("worker").filter(id=daily).exists()
