"""An index layout is one press away: a call or a form switches it on, and a job fills it."""

from typing import Any

import pytest
from django.utils import timezone

from memories.indexing.projections import list_projections
from memories.jobs.job_queue import lease_job
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import ensure_curators_audience, run_time_slice
from memories.jobs.run_jobs import run_next_job
from orgs.database.rls import Scope, scope
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("A04")


def layout(here: Tenant, who: str, name: str = "partitions") -> dict[str, Any]:
    answer = here.browser(who).get("/api/v1/projections")
    assert answer.status_code == 200, answer.content
    return next(one for one in answer.json()["results"] if one["name"] == name)


def switch(here: Tenant, who: str, name: str, on: bool) -> Any:
    caller = here.api(who) if who in here.robots else here.browser(who)
    return caller.put(f"/api/v1/projections/{name}", {"enabled": on}, format="json")


def ask(here: Tenant) -> Any:
    body = {"query": "pier", "strategy": "partitioned"}
    return here.browser("mina").post("/api/v1/recall", body, format="json")


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    tenant = lasting_world.here
    tenant.remember(tenant.robot("aria"), "The pier opens in May.", group="launch")
    tenant.embed()
    return tenant


def test_one_call_switches_it_on_and_a_job_fills_it(here: Tenant) -> None:
    assert (layout(here, "mina")["state"], layout(here, "mina")["rows"]) == ("off", 0)
    refused = ask(here)
    assert refused.status_code == 400
    assert "PUT /api/v1/projections/partitions" in refused.json()["detail"]
    for who in ("mina", "vera", "aria"):
        assert switch(here, who, "partitions", True).status_code == 403, who
    assert switch(here, "ada", "tables", True).status_code == 404
    answer = switch(here, "chidi", "partitions", True)
    assert (answer.status_code, answer.json()["state"]) == (200, "filling")
    assert switch(here, "ada", "partitions", True).status_code == 200, "twice is once"
    assert len(_jobs(here)) == 1
    while run_next_job():
        pass
    assert layout(here, "mina") == {
        "name": "partitions", "strategy": "partitioned", "enabled": True, "state": "ready",
        "rows": 1,
    }  # fmt: skip
    assert layout(here, "vera")["rows"] == 0, "she reads no row of the group"
    assert [one["content"] for one in ask(here).json()["results"]] == ["The pier opens in May."]
    assert switch(here, "ada", "partitions", False).json()["state"] == "off"
    while run_next_job():
        pass
    assert (layout(here, "mina")["rows"], ask(here).status_code) == (0, 400)


def test_the_graph_is_filled_in_steps_and_a_later_wish_wins(here: Tenant) -> None:
    assert switch(here, "ada", "graph", False).status_code == 200
    while run_next_job():
        pass
    assert layout(here, "mina", "graph")["rows"] == 0
    assert switch(here, "ada", "graph", True).status_code == 200
    [job] = [one for one in _jobs(here) if one.state == "waiting"]
    leased = lease_job(here.id, job.id, None)
    assert leased
    assert run_time_slice(leased[1], now=timezone.now())
    assert leased[1].result["looked"] == 1
    assert layout(here, "mina", "graph")["rows"] > 0
    assert switch(here, "ada", "graph", True).status_code == 200
    assert switch(here, "ada", "graph", False).status_code == 200
    while run_next_job():
        pass
    assert layout(here, "mina", "graph")["rows"] == 0


def test_the_page_has_the_same_press(here: Tenant) -> None:
    chidi = make_signed_in_client(here, "chidi")
    page = response_text(chidi.get("/layouts/"))
    assert "Switch on" in page
    form = {"name": "partitions", "on": "1"}
    assert make_signed_in_client(here, "mina").post("/layouts/switch/", form).status_code == 404
    assert chidi.post("/layouts/switch/", {"name": "x", "on": "1"}).status_code == 404
    assert chidi.post("/layouts/switch/", form).status_code == 302
    assert "Being filled" in response_text(chidi.get("/layouts/"))
    states = {one.name: one.enabled for one in list_projections(here.person("chidi"))}
    assert states["partitions"]


def _jobs(here: Tenant) -> list[Job]:
    audience = ensure_curators_audience(here.id)
    with scope(Scope(organisation=here.id, audiences=(audience,))):
        return list(Job.objects.filter(organisation_id=here.id, kind=JobType.PROJECT))
