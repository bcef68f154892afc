"""A member agrees, nothing answers their question, a curator writes the answer (X14)."""

import os
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.questions.asking import agree

pytestmark = [pytest.mark.browser, pytest.mark.conformance("X14")]
ASKED = (
    "When does the canteen open?",
    "When does the canteen open on Fridays?",
    "Where do visitors park their bicycles, and does one need a badge to get back inside?",
    "Who waters the plants?",
)


def look_at(page: Page, name: str, theme: str) -> None:
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"{name}-{theme}-{width}.png", full_page=True)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_question_gets_its_answer(site: RunningSite, theme: str) -> None:
    here = site.world.here
    agree(here, "aria")
    bob = site.sign_in("bob", color_scheme=theme)
    bob.goto("/me/")
    bob.get_by_role("link", name="Choose", exact=True).click()
    expect(bob.get_by_role("heading", level=1)).to_have_text(
        "Let curators see what nothing answers?"
    )
    look_at(bob, "consent", theme)
    bob.get_by_role("button", name="Let curators see them").click()
    expect(bob.get_by_text("No question of yours is stored now.")).to_be_visible()
    for text in ASKED:
        recall(here.person("bob"), Query(text=text), now=timezone.now())
    bob.reload()
    expect(bob.get_by_text("Curators see it")).to_have_count(4)
    look_at(bob, "consented", theme)

    page = site.sign_in("chidi", color_scheme=theme)
    page.goto("/questions/")
    rows = page.get_by_role("list", name="Questions, the newest first").get_by_role("listitem")
    canteen = rows.filter(has_text="2 times or more").first
    expect(canteen).to_contain_text("on Fridays")
    expect(page.get_by_text("Bob", exact=True)).to_have_count(0)
    look_at(page, "questions", theme)
    canteen.get_by_role("link", name="Write the answer").click()
    expect(page.get_by_text("Nothing answered it.")).to_be_visible()
    look_at(page, "answer", theme)
    page.get_by_label("Memory").or_(page.locator("textarea[name=content]")).first.fill(
        "The canteen opens at eight, on Fridays at nine."
    )
    page.locator("input[name=audience][value=organisation]").check(force=True)
    page.get_by_role("button", name="Remember this").click()
    expect(page.get_by_text("Remembered.")).to_be_visible()
    page.goto("/questions/")
    expect(page.get_by_text("canteen")).to_have_count(0)
    for left in (1, 0):
        page.get_by_role("button", name="Leave it").first.click()
        expect(page.get_by_text("Left without an answer.").first).to_be_visible()
        expect(page.get_by_role("button", name="Leave it")).to_have_count(left)
    look_at(page, "none", theme)
    expect(page.get_by_text("No open questions")).to_be_visible()
