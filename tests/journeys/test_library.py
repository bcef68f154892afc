"""An operator narrows the list, keeps the view, changes several memories and takes it back."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("W03")
def test_search_filter_keep_change_and_undo(site: RunningSite) -> None:
    here = site.world.here
    for number in range(3):
        here.remember(here.robot("aria"), f"The launch, part {number}.", category="event")
    here.remember(here.robot("aria"), "Lunch is at noon.", category="reminder")
    page = site.sign_in("chidi")
    page.clock.install()
    rows = page.locator("[data-row]")
    expect(rows).to_have_count(4)
    page.get_by_label("Any category").select_option(label="Event")
    expect(rows).to_have_count(3)
    expect(page).to_have_url(re.compile(r"/memories/\?category=event$"))
    page.reload()
    expect(rows).to_have_count(3)
    page.keyboard.press("/")
    page.keyboard.type("launch part 2", delay=20)
    expect(rows.first).to_contain_text("part 2")
    expect(page).to_have_url(re.compile("q=launch"))
    expect(page.get_by_text("It says “launch”")).to_have_count(0)
    rows.first.locator("[data-row-link]").click()
    expect(page.locator("#panel").get_by_text("It says “launch”")).to_be_visible()
    page.goto("/memories/")
    expect(page.get_by_text("Keep this view")).to_have_count(0)
    # What is kept is what stands here now, without another look at the page.
    page.get_by_label("Any category").select_option(label="Decision")
    expect(page.get_by_role("heading", name="No match")).to_be_visible()
    page.get_by_label("Any category").select_option(label="Event")
    expect(page).to_have_url(re.compile(r"/memories/\?category=event$"))
    page.get_by_text("Keep this view").click()
    page.get_by_label("Name").fill("Events")
    page.get_by_role("button", name="Keep", exact=True).click()
    view = page.locator(".rail").get_by_role("link", name="Events 3 memories")
    expect(view).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(r"/memories/\?category=event$"))
    page.get_by_label("Any category").select_option(label="Decision")
    expect(view).not_to_have_attribute("aria-current", "true")
    page.go_back()
    expect(view).to_have_attribute("aria-current", "true")
    expect(rows).to_have_count(3)

    page.locator("[data-row-check]").nth(0).check()
    page.locator("[data-row-check]").nth(1).check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.locator(".bulkbar").get_by_role("button", name="Archive").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Archive 2 memories")
    assert findings(page) == []
    page.get_by_role("button", name="Archive 2 memories").click()
    expect(page.get_by_text("Archived 2 memories.")).to_be_visible()
    expect(rows).to_have_count(1)
    page.clock.run_for(10_500)  # other notes would be gone by now
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone for 2 memories.")).to_be_visible()
    expect(rows).to_have_count(4)


@pytest.mark.slow
@pytest.mark.conformance("W06")
def test_ask_as_somebody_else(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "Paint for everyone.")
    here.remember(here.person("mina"), "Paint of Mina.", visibility="private")
    page = site.sign_in("chidi")
    page.get_by_role("link", name="Playground").first.click()
    page.get_by_label("Ask as").select_option(label="Mina")
    page.get_by_label("Question").fill("Which paint?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page.locator("[data-row]")).to_contain_text("Paint for everyone.")
    expect(page.get_by_text("Found because it says “Paint”")).to_be_visible()
    assert findings(page) == []
