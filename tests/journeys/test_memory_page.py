"""A memory is opened from a search, understood, corrected and put back."""

import pytest
from playwright.sync_api import expect

from memories.curation.edit_memory import edit_memory
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.world import NOW

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("W04")
def test_from_a_search_to_an_older_text(site: RunningSite) -> None:
    here = site.world.here
    id_ = here.remember(here.robot("aria"), "The launch is on Tuesday.", group="launch").id
    edit_memory(here.robot("aria"), id_, {"content": "The launch is on Friday."}, now=NOW)
    here.remember(here.robot("aria"), "The week of the launch.", source={"memories": [str(id_)]})
    page = site.sign_in("mina")
    page.goto(f"/memories/{id_}/?q=when+is+the+launch")
    expect(page.get_by_text("2 people and 1 robot in #launch can read this.")).to_be_visible()
    expect(page.get_by_text("You, Bob")).to_be_visible()
    expect(page.get_by_text("aria learned this on")).to_be_visible()
    expect(page.get_by_role("heading", name="Why it comes up")).to_be_visible()
    expect(page.get_by_text("It says “launch”.")).to_be_visible()
    expect(page.get_by_text("Close in meaning")).to_have_count(0)
    expect(page.get_by_text("Used in")).to_be_visible()
    expect(page.locator("ins")).to_contain_text("Friday.")
    expect(page.get_by_role("button", name="Restore this text")).to_have_count(0)
    assert findings(page) == []

    ada = here.remember(here.person("ada"), "Doors open at eight.", visibility="organisation").id
    edit_memory(here.person("ada"), ada, {"content": "Doors open at nine."}, now=NOW)
    page = site.sign_in("chidi", java_script_enabled=False)
    page.goto(f"/memories/{ada}/")
    page.get_by_role("button", name="Restore this text").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Doors open at eight.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Doors open at nine.")


@pytest.mark.slow
@pytest.mark.conformance("W04")
def test_some_people_are_found_as_one_types(site: RunningSite) -> None:
    here = site.world.here
    note = here.remember(here.person("mina"), "I like tea.", visibility="private").id
    page = site.sign_in("mina")
    page.goto(f"/memories/{note}/access/")
    page.get_by_label("Some people").check()
    field, people = page.get_by_label("Find people by name"), page.locator("#people")
    expect(people.get_by_role("checkbox")).to_have_count(4)
    field.press_sequentially("bo")
    expect(people.get_by_role("checkbox")).to_have_count(1)
    people.get_by_label("Bob").check()
    field.fill("ad")
    expect(people.get_by_label("Ada")).not_to_be_checked()
    expect(people.get_by_label("Bob")).to_be_checked()
    # The Enter key looks people up; it shares nothing.
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Change who may read this")
    expect(people.get_by_label("Bob")).to_be_checked()
    assert here.readable(here.person("bob")) == set()
    assert findings(page) == []
    page.get_by_role("button", name="Change who may read it").click()
    expect(page.get_by_text("2 people can read this.")).to_be_visible()
    assert here.readable(here.person("bob")) == {note}
    assert here.readable(here.person("ada")) == set()
