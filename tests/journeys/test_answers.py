"""What does not answer a question is folded, in the list and in the playground."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.conformance("Q06", "X18")]
NOTHING = "Nothing here answers that."


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_nonsense_is_answered_by_nothing(site: RunningSite, theme: str, width: int) -> None:
    here = site.world.here
    talk = "Good morning! The launch of the harbour app is on Friday. Who brings cake?"
    here.remember(here.robot("aria"), talk, speaker="Mina")
    for number in range(4):
        here.remember(here.robot("aria"), f"The printer number {number} is out of paper.")
    here.embed()
    page = site.sign_in("chidi", color_scheme=theme, viewport={"width": width, "height": 800})
    page.get_by_label("Search memories").fill("zzzqqq")
    expect(page.get_by_text(NOTHING)).to_be_visible()
    expect(page.locator("[data-row]").locator("visible=true")).to_have_count(0)
    page.get_by_text("Not really about this (5)").click()
    expect(page.locator("[data-row]").locator("visible=true")).to_have_count(5)
    assert findings(page) == []
    page.get_by_label("Search memories").fill("When is the launch of the harbour app?")
    expect(page.get_by_text(NOTHING)).to_have_count(0)
    rows = page.locator("[data-row]").locator("visible=true")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("harbour app")
    marked = page.get_by_label("Answer", exact=True).locator("mark")
    expect(marked).to_have_text("The launch of the harbour app is on Friday.")
    assert findings(page) == []
    assert laid_out_width(page, width) <= width
    page.mouse.move(0, 0)
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"answer-{theme}-{width}.png", full_page=True)
    page.goto("/playground/")
    page.get_by_label("Question").fill("zzzqqq")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text(NOTHING)).to_be_visible()
    assert findings(page) == []
