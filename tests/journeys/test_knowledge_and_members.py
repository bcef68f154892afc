"""Shared knowledge and members in a browser, as an admin and as a viewer (Z24), and good manners
of those pages (W15)."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings

pytestmark = pytest.mark.browser
WIDTHS = (320, 768, 1280)


def fits(page: Page, url: str) -> None:
    """axe finds nothing, and nothing is wider than the window, in any width."""
    page.goto(url)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert laid_out_width(page, width) <= width, (url, width)
    assert findings(page) == [], url


@pytest.mark.slow
@pytest.mark.conformance("Z24", "W15")
def test_an_admin_keeps_shared_knowledge_and_members(site: RunningSite) -> None:
    here = site.world.here
    page = site.sign_in("ada")
    page.goto("/knowledge/")
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    page.get_by_role("link", name="Add").first.click()
    page.get_by_label("What is worth knowing").fill("The office closes at six.")
    page.get_by_label("Category").select_option("org_policy")
    expect(page.locator('input[name="audience"]:checked')).to_have_count(0)
    page.get_by_label("Everyone in").check()
    expect(page.get_by_text("All 5 people and 3 robots in")).to_be_visible()
    page.get_by_role("button", name="Remember this").click()
    page.goto("/knowledge/?category=org_policy")
    expect(page.get_by_text("The office closes at six.")).to_be_visible()
    page.goto("/knowledge/?category=event")
    expect(page.get_by_role("heading", name="No match")).to_be_visible()

    page.goto("/people/")
    for name in ("Ada", "Bob", "Chidi", "Mina", "Vera"):
        expect(page.get_by_role("cell", name=name).first).to_be_visible()
    page.get_by_role("link", name="Bob").click()
    page.get_by_label("Viewer").check()
    page.get_by_role("button", name="Save the role").click()
    expect(page.get_by_text("Bob is now viewer.")).to_be_visible()
    page.goto("/audit/")
    expect(page.get_by_text("changed the role of").last).to_be_visible()
    bob = here.members["bob"].id
    for url in ("/knowledge/", "/people/", f"/people/{bob}/", "/people/groups/", "/import/"):
        fits(page, url)


@pytest.mark.slow
@pytest.mark.conformance("Z24", "W15")
def test_a_viewer_reads_both_and_changes_neither(site: RunningSite) -> None:
    here = site.world.here
    kept = here.remember(here.robot("bolt"), "The office closes at six.", category="org_policy").id
    page = site.sign_in("vera")
    page.goto("/knowledge/")
    expect(page.get_by_text("The office closes at six.")).to_be_visible()
    expect(page.get_by_text("Your role reads.")).to_be_visible()
    for name in ("Add", "Edit", "Forget this", "Suggest a correction"):
        expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    page.goto("/people/")
    expect(page.get_by_role("cell", name="Bob")).to_be_visible()
    expect(page.get_by_role("link", name="Bob")).to_have_count(0)
    expect(page.locator("main").get_by_text("@")).to_have_count(0)
    expect(page.get_by_role("link", name="Invite somebody")).to_have_count(0)
    bob = here.members["bob"].id
    closed = ("/memories/add/", f"/memories/{kept}/edit/", f"/people/{bob}/", "/audit/")
    for url in (*closed, "/people/invitations/"):
        page.goto(url)
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    for url in ("/knowledge/", "/people/", "/me/"):
        fits(page, url)


@pytest.mark.slow
@pytest.mark.conformance("W15")
def test_nothing_yet_no_match_and_no_permission_are_told_apart(site: RunningSite) -> None:
    here = site.world.here
    page = site.sign_in("vera")
    empty = page.get_by_role("heading", level=2)
    page.goto("/memories/")
    expect(empty.filter(has_text="Nothing here yet")).to_be_visible()
    page.goto("/memories/?status=pending_review")
    expect(empty.filter(has_text="Nothing that you may see")).to_be_visible()
    here.remember(here.robot("bolt"), "The office closes at six.")
    page.goto("/memories/?category=event")
    expect(empty.filter(has_text="No match")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W05", "W15")
def test_the_harmless_key_never_takes_anything_away(site: RunningSite) -> None:
    """A report: `a` asks why it stays, `f` forgets, and what is forgotten has its Undo."""
    here = site.world.here
    kept = here.remember(here.robot("bolt"), "The office closes at six.").id
    client = site.sign_in("vera")
    client.goto(f"/memories/{kept}/report/")
    client.get_by_label("What is wrong with it").fill("It closes at seven.")
    client.keyboard.press("Tab")
    client.get_by_role("button", name="Report").click()
    page = site.sign_in("chidi")
    page.goto("/review/")
    page.locator("[data-row-link]").first.click()
    page.wait_for_url("**/review/*-*/")
    page.wait_for_load_state("networkidle")
    fits(page, page.url)
    page.keyboard.press("a")
    expect(page.get_by_label("Why?")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Why?")).to_have_count(0)
    page.keyboard.press("r")
    expect(page.get_by_role("button", name="Forget this memory")).to_be_visible()
    page.keyboard.press("f")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    undo.click()
    expect(page.get_by_text("Undone. It waits again.")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W15")
def test_words_are_taken_over_by_a_button_and_never_unasked(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("bolt"), "The office closes at 18:00.")
    here.remember(here.person("bob"), "The office closes at six.", visibility="organisation")
    page = site.sign_in("chidi")
    page.goto("/review/")
    page.locator("[data-row-link]").first.click()
    # The keys are there once the page of the item is.
    page.wait_for_url("**/review/*-*/")
    page.wait_for_load_state("load")
    page.keyboard.press("m")
    box = page.get_by_label("What it says from then on")
    expect(box).to_have_value("")
    expect(page.locator('input[name="into"]:checked')).to_have_count(0)
    fits(page, page.url)
    page.get_by_role("button", name="Take the proposed words").click()
    expect(box).to_have_value("The office closes at six.")
    page.locator('input[name="into"]').first.check()
    page.get_by_role("button", name="Merge the two").click()
    expect(page.get_by_text("Merged. One memory is left.")).to_be_visible()
