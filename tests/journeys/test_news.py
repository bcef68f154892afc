"""An open page is told what came and moves nothing; news are read, seen, wanted by mail (X15)."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memories.curation.review_decisions import ReviewDecision, approve_item
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.curation.test_decide import propose

pytestmark = [
    pytest.mark.browser,
    pytest.mark.conformance("X15"),
]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_comes_is_told_and_moves_nothing(site: RunningSite, settings: Any, theme: str) -> None:
    settings.EMAIL_HOST = "mail.example"
    here = site.world.here
    here.remember(here.robot("bolt"), "The office closes at six.")
    page = site.sign_in("bob", color_scheme=theme)
    page.clock.install()
    page.goto("/memories/")
    row = page.locator("[data-row]").first
    before = row.bounding_box()
    expect(page.locator("[data-live-newer]")).to_be_hidden()
    for hour in ("seven", "eight", "nine"):
        here.remember(here.robot("bolt"), f"The office opens at {hour}.")
    item = propose(here)
    approve_item(here.person("chidi"), item.id, ReviewDecision(version=1), now=timezone.now())
    page.clock.fast_forward(10_000)
    newer = page.get_by_role("link", name="new", exact=False).and_(
        page.locator("[data-live-newer]")
    )
    expect(newer).to_have_text("3 new")
    expect(page.locator(".rail [data-live-count=news]")).to_contain_text("1")
    assert row.bounding_box() == before
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"newer-{theme}-{width}.png")
    newer.click()
    expect(page.locator("[data-row]").first).to_contain_text("opens at nine")
    expect(page.locator("[data-live-newer]")).to_be_hidden()

    page.goto("/me/news/")
    expect(page.get_by_text("decided by Chidi")).to_be_visible()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"news-{theme}-{width}.png", full_page=True)
    page.get_by_role("button", name="I have seen it").click()
    expect(page.get_by_text("New", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Send me my news by mail").click()
    expect(page.get_by_role("button", name="Send no more mails")).to_be_visible()
