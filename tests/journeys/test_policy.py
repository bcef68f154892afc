"""An admin sees what a policy would archive, reads the number, and saves it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.lifecycle.ageing_policy import find_policy_or_default
from orgs.database.rls import organisation_scope
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.lifecycle.test_retention import columns, made

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("H43", "W15")
def test_preview_confirm_and_save(site: RunningSite, page_of: Callable[[str], Page]) -> None:
    here = site.world.here
    for number in range(3):
        old = made(here, f"An old fact, number {number}.")
        columns(here, old, created_at=timezone.now() - timedelta(days=90))
    page = page_of("ada")
    page.goto("/tiers/")
    page.get_by_role("link", name="What happens by itself").click()
    page.get_by_label("Facts").fill("0")
    page.get_by_role("button", name="What would be archived?").click()
    expect(page.get_by_text("Write a whole number, 1 to 36,500")).to_be_visible()
    page.get_by_label("Facts").fill("30")
    page.get_by_role("button", name="What would be archived?").click()
    expect(page.get_by_text("The next run would archive 3 memories:")).to_be_visible()
    expect(page.get_by_label("Facts")).to_have_value("30")
    if page.evaluate("typeof htmx") == "object":
        expect(page.get_by_role("button", name="What would be archived?")).to_be_focused()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Not saved yet.")).to_be_visible()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert laid_out_width(page, width) <= width
        if page.evaluate("typeof htmx") == "object":
            assert findings(page) == []
    page.get_by_role("button", name="Save, and archive them").click()
    expect(page.get_by_text("Saved. It counts from the next run on.")).to_be_visible()
    with organisation_scope(here.id):
        assert find_policy_or_default(here.id).max_age_days == {"fact": 30}
