"""Good manners: keys that can be switched off, three themes, time enough to undo."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W15")]
DARK = "getComputedStyle(document.body).backgroundColor"


def background(page: Page) -> str:
    return str(page.evaluate(DARK))


@pytest.mark.slow
def test_themes_keys_and_undo(site: RunningSite) -> None:
    site.world.here.remember(site.world.here.person("mina"), "Lunch is at noon.", group="launch")
    page = site.sign_in("mina", color_scheme="dark")
    dark = background(page)
    menu = page.locator("summary", has_text="Your menu")
    menu.click()
    page.get_by_role("button", name="Light").click()
    light = background(page)
    assert light != dark
    page.reload()
    assert background(page) == light, "the choice is kept"
    page.emulate_media(color_scheme="light")
    menu.click()
    page.get_by_role("button", name="Dark", exact=True).click()
    assert background(page) == dark
    page.get_by_role("button", name="System").click()
    assert background(page) == light, "as the system has it"
    page.keyboard.press("Escape")

    page.keyboard.press("?")
    keys = page.locator("#shortcuts")
    expect(keys).to_be_visible()
    keys.get_by_label("Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("?")
    expect(keys).not_to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Search memories").first).not_to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.press("Escape")

    page.clock.install()
    page.goto(page.locator("[data-row-link]").first.get_attribute("href") or "")
    page.get_by_role("button", name="Forget this").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    page.clock.fast_forward(10_500)
    expect(undo).to_be_visible()
    undo.click()
    expect(page.get_by_text("It is back, for the same readers as before.")).to_be_visible()
    expect(page.locator("[data-row]")).to_contain_text("Lunch is at noon.")
