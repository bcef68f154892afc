"""axe finds nothing, in light and in dark, on a phone and on a desk: a sample.

test_every_page.py, which is slow, looks at all of them in every width.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite

pytestmark = pytest.mark.browser


# Animations that end, and at most a second: some of a page never do.
SETTLED = """Promise.race([
    Promise.all(document.getAnimations()
        .filter(one => one.effect.getComputedTiming().endTime < 5000)
        .map(one => one.finished.catch(() => null))).then(() => null),
    new Promise(done => setTimeout(done, 1000, null)),
])"""


def findings(page: Page) -> list[str]:
    # What is still fading in has not its colours yet, and what waits for an answer is dimmed.
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate(SETTLED)
    found = Axe().run(page).response["violations"]
    return [f"{page.url}: {v['id']}: {v['nodes'][0]['html'][:200]}" for v in found]


def pages(site: RunningSite) -> list[str]:
    here = site.world.here
    aria = here.robot("aria")
    turns = [
        here.remember(
            aria,
            text,
            group="launch",
            speaker="Caro",
            category="decision",
            conversation="monday",
            position=number,
        ).id
        for number, text in enumerate(["The launch moves.", "To Tuesday.", "Good."])
    ]
    own = here.remember(here.person("mina"), "Mine alone.", visibility="private").id
    return [
        "/",
        "/memories/",
        "/memories/?q=launch",
        "/memories/?q=nothing+of+the+kind",
        "/memories/add/",
        f"/memories/{turns[1]}/",
        f"/memories/{own}/",
        f"/memories/{own}/edit/",
        f"/memories/{own}/versions/",
        f"/memories/{own}/why/?q=mine",
        "/organisations/",
        "/accounts/",
        "/accounts/second-step/app/",
        "/people/",
        "/people/groups/",
        f"/people/groups/{here.groups['launch'].id}/",
        "/nothing-here/",
    ]


@pytest.mark.conformance("W15")
@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_axe_finds_nothing(site: RunningSite, theme: str, width: int) -> None:
    look = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    found: list[str] = []
    wide: list[str] = []

    def visit(page: Page, url: str) -> None:
        page.goto(url)
        found.extend(findings(page))
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(url)

    anonymous = site.context(**look).new_page()
    visit(anonymous, "/accounts/login/")
    mina, ada = site.sign_in("mina", **look), site.sign_in("ada", **look)
    bob = site.world.here.members["bob"].id
    curated = ["/playground/", "/import/", "/trash/", "/jobs/", "/memories/?tag=x&category=event"]
    curated += ["/robots/", "/audit/", "/people/", "/people/invitations/", f"/people/{bob}/"]
    # Every other page in one look, the rest in the other.
    half = theme == "dark"
    for url in pages(site)[half::2]:
        visit(mina, url)
    for url in curated[half::2]:
        visit(ada, url)
    assert found == []
    assert wide == []
