"""A chart says its values to the pointer and to the keyboard, with and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W01", "W15")]
SAID = "one => getComputedStyle(one, '::after').content"


def test_a_column_says_its_value_and_opens_its_list(
    site: RunningSite, page_of: Callable[[str], Page]
) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "The launch is on Tuesday.")
    page = page_of("mina")
    page.goto("/")
    readers = page.locator(".chart", has_text="Who may read them")
    readers.get_by_role("link", name="Everyone").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories/?readers=organisation")
    expect(page.locator("#total")).to_have_text("1 memory that you can read fits these filters")
    page.goto(f"/memories/{site.world.here.remember(here.robot('aria'), 'Lunch at noon.').id}/")
    marks = page.locator(".chart-line .mark")
    assert marks.first.evaluate(SAID) == "none"
    marks.first.focus()
    page.keyboard.press("Tab")
    expect(marks.nth(1)).to_be_focused()
    assert "%" in marks.nth(1).evaluate(SAID)
    marks.nth(2).hover()
    assert "%" in marks.nth(2).evaluate(SAID)
