"""Somebody looks at what is known here, by topic, by person and by time."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.memories.knowledge_graph.test_write_graph import member

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("X13", open="100,000 were measured with another cap")
def test_the_map_by_topic_person_and_time(site: RunningSite) -> None:
    here = site.world.here
    for n in range(3):
        here.remember(
            here.robot("aria"), f"Samba shares printer {n}", group="launch",
            speaker=member(here, "bob"),
        )  # fmt: skip
    page = site.sign_in("mina", viewport={"width": 1280, "height": 800})
    page.goto("/map/")
    wide = page.locator(".map-wide")
    expect(wide).to_be_visible()
    expect(page.locator(".map-narrow")).to_be_hidden()
    area = wide.get_by_role("link", name=re.compile("^Samba: 3 memories"))
    area.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"topic="))
    expect(page.get_by_role("heading", name="Samba")).to_be_visible()
    expect(page.locator("li.memory")).to_have_count(3)
    assert findings(page) == []
    page.get_by_role("link", name="Show the whole map").click()
    page.get_by_role("link", name=re.compile("Bob 3 memories")).click()
    expect(page).to_have_url(re.compile(r"person="))
    expect(page.locator("li.memory")).to_have_count(3)
    page.get_by_text("Topics as a table").click()
    expect(page.get_by_role("cell", name="Samba")).to_be_visible()

    page.set_viewport_size({"width": 320, "height": 720})
    expect(page.locator(".map-narrow")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.emulate_media(color_scheme="dark")
    assert findings(page) == []

    plain = site.context(java_script_enabled=False, storage_state=page.context.storage_state())
    bare = plain.new_page()
    bare.goto("/map/")
    bare.get_by_role("slider").press("Home")
    bare.get_by_role("button", name="Show", exact=True).click()
    expect(bare).to_have_url(re.compile(r"period=1$"))
    expect(bare.locator(".map-area").first).to_be_attached()
