"""The command palette with the keyboard alone: found by a few letters, ranked by use (W18)."""

import re

import pytest
from playwright.sync_api import Page, expect

from memories.browsing.saved_views import set_saved_view
from orgs.organisations.groups import create_group
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.world import NOW

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W18")]


def _open(page: Page, text: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type(text)


def _go(page: Page, label: str, *, kind: str = "") -> None:
    """With the arrows to the entry of this label, then Enter."""
    option = page.get_by_role("option", name=re.compile(f"^{re.escape(label)} ?{kind}"))
    expect(option).to_be_visible()
    for _ in range(20):
        if option.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    assert page.locator("#palette input").get_attribute(
        "aria-activedescendant"
    ) == option.get_attribute("id")
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_each_kind_is_found_and_opened(site: RunningSite) -> None:
    here = site.world.here
    text = "The quagga crossing opens in June."
    here.remember(here.person("ada"), text, visibility="organisation")
    set_saved_view(here.person("ada"), name="Quick facts", query="category=fact")
    create_group(
        organisation_id=here.id,
        external_id="tapir",
        name="Tapir room",
        confidential=False,
        now=NOW,
    )
    page = site.sign_in("ada")
    for letters, label, kind, heading in (
        ("quag", text, "Memory", text),
        ("mina", "Mina", "Person", "Mina"),
        ("tapi", "Tapir room", "Group", "Tapir room"),
        ("quick", "Quick facts", "Saved view", "Memories"),
        ("aria", "aria", "Robot", "aria"),
        ("audi", "Audit", "Page", re.compile("Audit")),
    ):
        _open(page, letters)
        _go(page, label, kind=kind)
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)


@pytest.mark.slow
def test_what_is_used_often_comes_first_and_escape_leaves(site: RunningSite) -> None:
    page = site.sign_in("ada")
    first = page.get_by_role("option").first
    _open(page, "mina")
    _go(page, "Mina", kind="Person")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mina")
    _open(page, "mi")
    expect(first).to_contain_text("Mina")
    kept = page.evaluate("Object.values(localStorage).join(' ')")
    assert "Mina" not in kept, "addresses and counts alone"
    assert findings(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert laid_out_width(page, 320) <= 320
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    _open(page, "nobody is called so")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memories/\?q=nobody"))


@pytest.mark.slow
def test_without_javascript_the_search_at_the_top_works(site: RunningSite) -> None:
    page = site.sign_in("ada", java_script_enabled=False)
    page.goto("/people/")
    page.get_by_role("searchbox", name="Search memories").fill("launch")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memories/\?q=launch"))
