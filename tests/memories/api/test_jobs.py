"""Jobs over HTTP: a person's own, the organisation's for curators, none for a robot."""

from uuid import UUID

import pytest

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from orgs.errors import NotFoundError
from orgs.principals import Actor
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")


@pytest.fixture
def both(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> tuple[UUID, UUID]:
    """A job of Mina's, and one of the organisation."""
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 0)
    mina = here.person("mina")
    note = here.remember(mina, "Mine alone.", visibility="private").id
    own = bulk_change.change_memories(mina, [note], BulkChange(action="archive"), now=NOW).job.id
    made = create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert made is not None
    return own, made.id


def test_everybody_sees_what_is_theirs_to_see(here: Tenant, both: tuple[UUID, UUID]) -> None:
    own, its = map(str, both)
    seen = {
        name: [one["id"] for one in here.browser(name).get("/api/v1/jobs").json()["results"]]
        for name in ("ada", "chidi", "mina", "bob")
    }
    assert seen == {"ada": [its], "chidi": [its], "mina": [own], "bob": []}
    assert here.api("aria").get("/api/v1/jobs").json()["results"] == []
    for name, id_ in (("chidi", own), ("ada", own), ("mina", its), ("bob", its)):
        assert here.browser(name).get(f"/api/v1/jobs/{id_}").status_code == 404
        for act in ("cancel", "resume"):
            assert here.browser(name).post(f"/api/v1/jobs/{id_}/{act}").status_code == 404


def test_a_robot_that_acts_for_a_member_has_none(here: Tenant, both: tuple[UUID, UUID]) -> None:
    for name, id_ in zip(("mina", "chidi"), both, strict=True):
        robot = Actor(
            organisation_id=here.id, member_id=here.members[name].id, delegated=True,
            robot_id=here.robots["aria"].id, role=here.person(name).role, include_direct=True,
        )  # fmt: skip
        for act in (
            job_pages.get_job,
            job_pages.cancel_visible_job,
            job_pages.resume_cancelled_job,
            job_pages.retry_failed_job,
        ):
            with pytest.raises(NotFoundError):
                act(robot, id_)
        assert (
            job_pages.get_jobs_overview(robot).jobs
            == job_pages.get_jobs_overview(robot).organisations
            == []
        )


@pytest.mark.conformance("O13")
def test_a_job_is_cancelled_and_resumed(here: Tenant, both: tuple[UUID, UUID]) -> None:
    own, its = both
    for name, id_, of in (("mina", own, "member"), ("chidi", its, "organisation")):
        api, url = here.browser(name), f"/api/v1/jobs/{id_}"
        found = api.get(url).json()
        assert (found["state"], found["of"], found["counts"]) == ("waiting", of, {})
        assert api.post(f"{url}/resume").status_code == 409
        assert api.post(f"{url}/cancel").json()["state"] == "cancelled"
        assert api.post(f"{url}/cancel").status_code == 409
        assert api.post(f"{url}/resume").json()["state"] == "waiting"
    assert here.browser("mina").get("/api/v1/jobs?limit=0").status_code == 400
