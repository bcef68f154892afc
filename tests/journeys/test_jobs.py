"""A curator begins a run of consolidation, cancels it, lets it go on and reads what it did."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from memories.jobs import job_queue, run_jobs
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from memories.tasks import run_job
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
    expect(page.get_by_text("Waiting")).to_be_visible()
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
