"""Somebody looks for help, sees who can give it, and what shows that."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.memories.knowledge_graph.test_write_graph import member

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.conformance("W10")
def test_find_who_knows_about_a_topic(site: RunningSite) -> None:
    here = site.world.here
    for n in range(3):
        here.remember(
            here.robot("aria"), f"Samba shares printer {n}", group="launch",
            speaker=member(here, "bob"),
        )  # fmt: skip
    here.remember(
        here.robot("aria"), "Is samba hard?", group="launch", speaker=member(here, "mina")
    )
    page = site.sign_in("mina", viewport={"width": 320, "height": 720})
    page.goto("/experts/")
    page.get_by_label("Topic").press_sequentially("samba", delay=20)
    expect(page.get_by_text("1 person shows what they know about samba")).to_be_visible()
    expect(page).to_have_url(re.compile(r"topic=samba"))
    expect(page.get_by_role("heading", name="Bob")).to_be_visible()
    expect(page.locator(".expert")).to_have_count(1)
    picture = page.locator(".graph-narrow")
    expect(picture).to_be_visible()
    expect(page.locator(".graph-wide")).to_be_hidden()
    page.get_by_text("Table", exact=True).click()
    expect(page.get_by_role("cell", name="Bob")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert findings(page) == []
    picture.get_by_text("Bob", exact=True).click()
    expect(page).to_have_url(re.compile(r"#person-1$"))
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".graph-wide")).to_be_visible()
    page.get_by_label("Any group").select_option(label="#design")
    expect(page.get_by_text("Nobody has shown it yet")).to_be_visible()
    page.get_by_role("link", name="Look in all groups").click()
    page.get_by_role("link", name="Samba shares printer 2").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/memories/"))

    plain = site.context(java_script_enabled=False, storage_state=page.context.storage_state())
    bare = plain.new_page()
    bare.goto("/experts/")
    bare.get_by_label("Topic").fill("samba")
    bare.get_by_role("button", name="Search", exact=True).click()
    expect(bare.get_by_role("heading", name="Bob")).to_be_visible()
