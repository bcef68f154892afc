"""A curator begins a run of consolidation, cancels it, lets it go on and reads what it did."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from memories.indexing.models import Pending
from memories.jobs import job_queue, run_jobs
from memories.jobs.leases import PendingState
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from memories.restatement.models import PendingRestatement
from memories.store.models.memory import Memory
from memories.tasks import run_job
from orgs.principals import resolve_principal
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.world import NOW

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("O13")
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_run_is_cancelled_and_goes_on(
    site: RunningSite, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    here = site.world.here
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])
    here.remember(here.robot("bolt"), "The office closes at six.")
    # One of the day runs already; its worker has come halfway.
    daily = create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert daily is not None
    taken = job_queue.lease_job(here.id, daily.id, None)
    assert taken is not None
    taken[1].done, taken[1].total = 5_000, 20_000
    taken[1].result = {"promoted": 12, "demoted": 40, "duplicates": 2, "contradictions": 1}
    assert job_queue.save_progress(None, taken[1])

    page = site.sign_in("chidi", color_scheme=theme)
    page.goto("/jobs/")
    page.get_by_role("button", name="Consolidate now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Consolidate memories")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled")).to_be_visible()
    page.goto("/jobs/")
    expect(page.get_by_text("12 rose, 40 sank, 3 pairs proposed")).to_be_visible()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"jobs-{theme}-{width}.png", full_page=True)
    page.get_by_role("link", name="Consolidate memories", exact=True).click()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    assert run_job()
    # The page asks again by itself.
    expect(page.locator("#job dl")).to_contain_text("Sank1")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"job-{theme}-{width}.png", full_page=True)
    page.get_by_role("link", name="Tiers", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tiers")


@pytest.mark.conformance("W12")
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_work_that_was_given_up_is_left(site: RunningSite, theme: str) -> None:
    here = site.world.here
    texts = ("The office closes at six on Fridays and on the day before a holiday.", "Lunch: noon.")
    for text in texts:
        here.remember(here.robot("bolt"), text)
    with resolve_principal(here.person("ada")).scope():
        given_up = {"state": PendingState.DEAD, "reason": "ConnectError", "attempts": 5}
        Pending.objects.update(**given_up)
        for memory in Memory.objects.filter(content__in=texts):
            place = {name: getattr(memory, name) for name in ("audience_id", "kind")}
            PendingRestatement.objects.update_or_create(
                organisation_id=here.id,
                memory_id=memory.id,
                defaults=given_up | place | {"created_at": NOW},
            )
    page = site.sign_in("chidi", color_scheme=theme)
    page.goto("/jobs/")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"given-up-{theme}-{width}.png", full_page=True)
    page.get_by_role("button", name="Leave it").first.press("Enter")
    expect(page.get_by_text("1 memory will be found by words alone.")).to_be_visible()
    expect(page.get_by_role("button", name="Leave it")).to_have_count(1)
    page.get_by_role("button", name="Leave all to their words").click()
    expect(page.get_by_role("button", name="Leave it")).to_have_count(0)
    page.get_by_role("button", name="Leave them to the rules").click()
    expect(page.get_by_text("2 memories will stay as the rules read them.")).to_be_visible()
    expect(page.get_by_text("The language model did not answer")).to_have_count(0)
