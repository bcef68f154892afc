"""The sheet of readers beside a badge: by pointer and by keyboard, and a page without scripts."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W16", "W15")]


def fill(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "Lunch is at noon.")
    here.remember(here.robot("aria"), "The launch is on Tuesday.", group="launch")


def opened(page: Page) -> object:
    return page.locator("#readers-sheet:popover-open")


def test_a_badge_shows_its_readers_on_hover_and_on_focus(site: RunningSite) -> None:
    fill(site)
    page = site.sign_in("mina")
    badges = page.locator("tbody a[data-readers]")
    expect(badges).to_have_count(2)
    sheet = opened(page)
    expect(sheet).to_have_count(0)

    badges.nth(0).hover()
    expect(sheet).to_contain_text("in #launch")
    expect(sheet.locator(".sheet-name").first).to_have_text("You")
    box = sheet.bounding_box()
    assert box
    assert box["y"] >= 0
    assert findings(page) == []
    # The pointer may move into it, and leaves it.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(badges.nth(0)).to_have_attribute("aria-describedby", "readers-sheet")
    page.mouse.move(2, 2)
    expect(sheet).to_have_count(0)

    page.locator("thead a").last.focus()
    while not badges.nth(1).evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    expect(sheet).to_contain_text("can read this")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(badges.nth(1)).to_be_focused()
    assert badges.nth(1).get_attribute("aria-describedby") is None
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(sheet).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Who can read this")).to_be_visible()


@pytest.mark.slow
def test_without_scripts_the_badge_is_a_link(site: RunningSite) -> None:
    fill(site)
    page = site.sign_in("mina", java_script_enabled=False)
    page.locator("tbody a[data-readers]").first.click()
    expect(page.get_by_role("heading", name="Who can read this")).to_be_visible()
    expect(page.locator(".sheet-name").first).to_have_text("You")


def test_a_sheet_longer_than_it_shows_is_scrolled_by_the_keyboard(site: RunningSite) -> None:
    site.world.here.remember(site.world.here.robot("aria"), "For everyone.")
    page = site.sign_in("mina", viewport={"width": 1280, "height": 240})
    badge, sheet = page.locator("tbody a[data-readers]").first, opened(page)
    page.locator("thead a").last.focus()
    while not badge.evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    expect(sheet).to_have_count(1)
    assert sheet.evaluate("one => one.scrollHeight > one.clientHeight")
    page.keyboard.press("Tab")
    expect(sheet).to_be_focused()
    page.keyboard.press("End")
    for _ in range(40):
        if sheet.evaluate("one => one.scrollTop > 0"):
            break
        page.wait_for_timeout(50)
    assert sheet.evaluate("one => one.scrollTop > 0")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(badge).to_be_focused()
