"""From a memory to its like by a tag, and the tree of tags on a narrow screen."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 320),
        pytest.param("dark", 1280, marks=pytest.mark.slow),
        pytest.param("light", 1280, marks=pytest.mark.slow),
        pytest.param("dark", 320, marks=pytest.mark.slow),
    ],
)
def test_the_tree_of_tags(site: RunningSite, scheme: str, width: int) -> None:
    here = site.world.here
    aria = here.robot("aria")
    id_ = here.remember(aria, "The engine is late.", tags=("project:apollo:engine", "risk")).id
    here.remember(aria, "The crew is here.", tags=("project:apollo:crew-of-the-" + "long" * 12,))
    here.remember(aria, "Zeus waits.", tags=("project:zeus", "risk"))
    page = site.sign_in("bob")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto("/tags/")
    expect(page.get_by_role("heading", name="Tags")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert findings(page) == []
    page.get_by_role("link", name="apollo", exact=True).click()
    expect(page.locator("[data-row]")).to_have_count(2)
    page.goto(f"/memories/{id_}/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="risk", exact=True).click()
    expect(page.locator("[data-row]")).to_have_count(2)
