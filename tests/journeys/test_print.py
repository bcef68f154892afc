"""On paper stands what is said: black on white, nothing to press, times as they were."""

import re

import pytest
from playwright.sync_api import Page, expect

from memories.curation.edit_memory import edit_memory
from tests.journeys.conftest import RunningSite
from tests.memories.curation.test_decide import propose
from tests.world import NOW

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W15")]
# What is drawn of these has nothing to say on paper.
PRESSED = ".rail, .topbar, .bottombar, .skip, button, .button, input, select, .recall-form"
VISIBLE = """(selector) => [...document.querySelectorAll(selector)]
    .filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 1)
    .map(one => one.outerHTML.slice(0, 120))"""
INK = """() => {
  const inks = [document.body, document.querySelector("h1")].map(one => getComputedStyle(one));
  const times = [...document.querySelectorAll("main time")];
  // A heading says the day alone.
  const said = times.map(one => getComputedStyle(one, "::after").content).join(" ");
  const links = [...document.querySelectorAll("main a")].filter(one => one.checkVisibility());
  return {
    paper: inks[0].backgroundColor, ink: inks[1].color, said,
    underlined: links.some(one => getComputedStyle(one).textDecorationLine !== "none"),
    kept: getComputedStyle(document.querySelector("h1")).breakAfter,
  };
}"""

CUT = """(labels) => labels
  .filter(one => one.getBoundingClientRect().width < 30 || one.scrollWidth > one.clientWidth + 1)
  .map(one => one.textContent)"""


def printed(page: Page) -> dict[str, object]:
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(VISIBLE, PRESSED) == [], page.url
    found: dict[str, object] = page.evaluate(INK)
    paper = page.pdf(format="A4")
    found["pages"] = len(re.findall(rb"/Type\s*/Page\b", paper))
    page.emulate_media(media="screen")
    return found


@pytest.mark.slow
def test_what_people_print(site: RunningSite) -> None:
    here = site.world.here
    kept = here.remember(here.robot("aria"), "The launch is on Tuesday.").id
    edit_memory(here.person("ada"), kept, {"content": "The launch is on Friday."}, now=NOW)
    here.remember(here.person("ada"), "Ada alone knows.", visibility="private")
    item = propose(here, content="The office closes at six.")
    page = site.sign_in("ada")
    page.context.add_cookies([{"name": "theme", "value": "dark", "url": site.url}])
    for url in (f"/memories/{kept}/", "/audit/", f"/review/{item.id}/", "/me/", "/memories/"):
        page.goto(url)
        found = printed(page)
        assert found["paper"] == "rgba(0, 0, 0, 0)", url
        assert found["ink"] in ("oklch(0 0 0)", "rgb(0, 0, 0)"), url
        assert re.search(r"\d{2}:\d{2}:\d{2} UTC", str(found["said"])), (url, found["said"])
        assert found["underlined"] is False, url
        assert found["kept"] == "avoid", url
        assert found["pages"] in (1, 2), url
    # As wide as A4 is between its margins, and as narrow as a receipt: the audience is not cut.
    page.emulate_media(media="print")
    for width in (673, 320):
        page.set_viewport_size({"width": width, "height": 900})
        labels = page.locator("td.line-readers .audience > span")
        expect(labels).to_have_count(2)
        assert labels.evaluate_all(CUT) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") == width
