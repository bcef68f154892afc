"""A member changes what everyone reads: the form says that it waits, and a curator sees both."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.memories.curation.approved.published import memory

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.conformance("T27")]


def test_a_change_is_proposed_and_decided(site: RunningSite) -> None:
    id_ = memory(site.world.here)
    page = site.sign_in("mina")
    page.goto(f"/memories/{id_}/edit/")
    expect(page.get_by_text("Your change waits for a curator; the words of now")).to_be_visible()
    assert findings(page) == []
    page.get_by_label("What is worth knowing").fill("The canteen closes at four.")
    page.get_by_text("High", exact=True).click()
    page.get_by_role("button", name="Save the change").click()
    expect(page.get_by_text("Thank you. Your change waits for a curator")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("closes at two")
    page = site.sign_in("chidi")
    page.goto("/review/")
    page.get_by_role("link", name="The canteen closes at four.").first.click()
    expect(page.get_by_role("heading", name="Would become")).to_be_visible()
    expect(page.get_by_text("How important it is")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Approve the new text").click()
    page.goto(f"/memories/{id_}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("closes at four")
