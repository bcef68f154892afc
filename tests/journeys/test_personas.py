"""Personas in the browser: from a robot's word to a block that people edit, report and leave."""

import pytest
from playwright.sync_api import Page, expect

from personas.associations.association_changes import ensure_association
from personas.block_writes.block_updates import WriteOptions, add_entry
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, Tenant

pytestmark = pytest.mark.browser
LESSON = "Places come first, then visits, then cannibalisation."
PAGE = f"/personas/{QSR}/"


def taught(here: Tenant) -> None:
    """Mina's robot has taught a lesson, and a robot says what Bob does."""
    make_association(here, "mina")
    robot = make_owner_actor(here, "mina")
    add_entry(robot, get_block_by_label(robot).block.id, LESSON, wanted=WriteOptions(), now=NOW)
    bob = str(here.members["bob"].id)
    ensure_association(here.robot("aria"), member=bob, handle=QSR, confidence=0.6, now=NOW)


def edit_by_keyboard(page: Page) -> None:
    """The editor without a mouse: too long is said while it is typed."""
    page.goto(PAGE)
    link = page.get_by_role("link", name="Edit the text")
    link.focus()
    page.keyboard.press("Enter")
    field = page.get_by_label("The entries, one a line")
    expect(field).to_have_value(LESSON)
    count = page.locator(".count")
    expect(count).to_have_text(f"{len(LESSON)} of 8,000 characters")
    field.fill("x" * 8_001)
    expect(count).to_have_attribute("data-over", ", 1 too many")
    field.fill(f"{LESSON}\nVisits are read by the week.")
    expect(count).to_have_text(f"{len(LESSON) + 29} of 8,000 characters")
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#entries .row")).to_have_count(2)
    expect(page.locator(".toast")).to_contain_text("Saved.")


@pytest.mark.slow
@pytest.mark.conformance("W09")
def test_confirm_edit_look_back_report_and_leave(site: RunningSite) -> None:
    here = site.world.here
    taught(here)
    chidi, bob = site.sign_in("chidi"), site.sign_in("bob")
    bob.goto(PAGE)
    expect(bob.get_by_text("Only those who have this persona and share")).to_be_visible()
    chidi.get_by_role("link", name="Personas").first.click()
    waiting = chidi.locator("#waiting")
    expect(waiting).to_contain_text("says aria, 60 % sure")
    waiting.get_by_role("button", name="Confirm").click()
    expect(chidi.locator(".toast")).to_contain_text("Bob has this persona")
    expect(chidi.locator("#waiting")).to_have_count(0)

    edit_by_keyboard(chidi)
    # In the row, and nothing else of the page is drawn again.
    chidi.evaluate("document.title = 'the same page'")
    chidi.get_by_role("button", name="Still true").first.click()
    expect(chidi.locator(".toast").last).to_contain_text("it counts in full again")
    assert chidi.title() == "the same page"
    chidi.get_by_role("link", name="Version", exact=False).click()
    # With few teachers the newest version would tell who taught it.
    expect(chidi.get_by_text("Fewer than three people taught this persona.")).to_be_visible()
    assert findings(chidi) == []

    bob.goto(PAGE)
    expect(bob.locator("#entries")).to_contain_text("A personal robot")
    assert findings(bob) == []
    bob.locator("#entries .row").first.get_by_role("link", name="Report").click()
    bob.locator("[name=reason]").fill("This names a deal.")
    bob.get_by_role("button", name="Report it").click()
    chidi.goto("/review/")
    expect(chidi.get_by_text("This names a deal.").or_(chidi.get_by_text("Places come first"))
           .first).to_be_visible()  # fmt: skip

    bob.goto("/me/")
    mine = bob.locator("#personas")
    expect(mine).to_contain_text("2 entries")
    assert findings(bob) == []
    # It was said in March, so it is not offered as new.
    mine.get_by_role("button", name="Leave").click()
    expect(mine).to_contain_text("Nobody has said yet what you do.")
    bob.locator(".toast").get_by_role("button", name="Undo").click()
    expect(bob.get_by_text("You have this persona.")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_pages_fit_and_can_be_read(site: RunningSite, scheme: str, width: int) -> None:
    here = site.world.here
    taught(here)
    word = "long" * 30
    robot = make_owner_actor(here, "mina")
    shared = get_block_by_label(robot).block.id
    add_entry(robot, shared, f"{word} and more.", wanted=WriteOptions(), now=NOW)
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    seen: dict[str, list[str]] = {
        "chidi": ["/personas/", PAGE, f"/blocks/{shared}/edit/", f"/blocks/{shared}/versions/",
                  "/personas/add/", "/robots/instructions/", "/personas/suggestions/",
                  "/personas/figures/", f"{PAGE}trends/"],
        "mina": ["/personas/", PAGE, "/me/", "/me/robot/", "/me/sharing/"],
    }  # fmt: skip
    for name, urls in seen.items():
        page = site.sign_in(name, **look)
        for url in urls:
            page.goto(url)
            assert findings(page) == [], url
            assert page.evaluate("document.documentElement.scrollWidth") <= width, url
