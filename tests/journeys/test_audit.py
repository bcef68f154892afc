"""An admin narrows the trail, takes it along as it stands, and follows one memory and member."""

import csv

import pytest
from playwright.sync_api import expect

from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.curation.share_memory import share_memory
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.world import NOW

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.conformance("T18", "W12")]


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_the_file_holds_what_the_list_shows(site: RunningSite, theme: str, width: int) -> None:
    here = site.world.here
    ada = here.person("ada")
    one = here.remember(ada, "Paint is blue.", visibility="private").id
    share_memory(ada, one, visibility="organisation", readers={}, group=None, now=NOW)
    bulk_change.change_memories(ada, [one], BulkChange(action="set", tags=("paint",)), now=NOW)
    here.remember(here.robot("aria"), "Of a robot.")
    page = site.sign_in("ada", color_scheme=theme, viewport={"width": width, "height": 800})
    page.goto("/audit/")
    page.get_by_role("searchbox", name="Person").fill("ad")
    page.get_by_role("button", name="Show", exact=True).click()
    rows = page.locator("table tbody tr:not(.day-row)")
    tagged = "changed the tags of “Paint is blue.” from 0 tags to 1 tag"
    expect(rows.filter(has_text=tagged)).to_have_count(1)
    expect(rows.filter(has_text="began to change the tags of 1 memory")).to_have_count(1)
    assert findings(page) == []
    with page.expect_download() as taken:
        page.get_by_role("link", name="As CSV").click()
    lines = list(csv.DictReader(taken.value.path().read_text(encoding="utf-8").splitlines()))
    shown = rows.locator("td:nth-child(3)").all_inner_texts()
    assert len(lines) == len(shown) == 3
    for line, words in zip(lines, shown, strict=True):
        # The file has no words of a memory.
        what = line["what"].replace("a memory", "“Paint is blue.”")
        assert words.startswith(f"{line['did']} {what}".strip()), (line, words)
        assert line["from"] in words
        assert line["to"] in words
    rows.filter(has_text="changed who may read").get_by_role(
        "link", name="“Paint is blue.”"
    ).click()
    page.locator('a[href$="/trail/"]').first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What was done to this memory")
    expect(rows).to_have_count(2)
    assert findings(page) == []
    page.goto(f"/people/{here.members['ada'].id}/")
    page.locator('a[href$="/trail/"]').first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "What Ada did, and what was done to them"
    )
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
