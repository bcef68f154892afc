"""What people do every day; each journey with JavaScript and without."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite
from tests.page_client import get_user

pytestmark = pytest.mark.browser
Opener = Callable[[str], Page]


def test_a_wrong_password_then_the_right_one(site: RunningSite) -> None:
    page = site.context().new_page()
    page.goto("/memories/add/")
    page.get_by_label("E-mail").fill(get_user(site.world.here, "mina").email)
    page.get_by_label("Password").fill("not it")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Add a memory")).to_be_visible()


def test_recall_as_you_type(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "The launch is on Tuesday.", group="launch", speaker="Caro")
    here.remember(here.robot("aria"), "Lunch is at noon.")
    page = site.sign_in("mina")
    rows = page.locator("[data-row]")
    expect(rows).to_have_count(2)
    page.keyboard.press("/")
    page.keyboard.type("when is the launch", delay=20)
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Tuesday")
    expect(rows).to_contain_text("“Caro” to aria")
    expect(page).to_have_url(re.compile(r"q=when%20is%20the%20launch"))
    expect(page.get_by_label("Search memories").first).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    panel = page.locator("#panel")
    expect(panel).to_contain_text("2 people and 1 robot in #launch can read this.")
    page.keyboard.press("Escape")
    expect(panel).not_to_be_visible()


def test_search_and_read_without_javascript(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "The launch is on Tuesday.", group="launch")
    page = site.sign_in("mina", java_script_enabled=False)
    page.get_by_label("Search memories").first.fill("launch")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="The launch is on Tuesday.").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The launch is on Tuesday.")
    expect(page.get_by_text("can read this.")).to_be_visible()


def test_add_edit_forget_and_undo(page_of: Opener) -> None:
    page = page_of("chidi")
    page.get_by_role("link", name="Add a memory").click()
    page.get_by_label("What is worth knowing").fill("The office closes at six.")
    page.get_by_text("Everyone in Here").click()
    page.get_by_role("button", name="Remember this").click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("The office closes at six.")
    expect(page.get_by_text("You wrote this down on")).to_be_visible()
    expect(page.get_by_text("All 5 people and 3 robots in Here")).to_be_visible()

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("What is worth knowing").fill("The office closes at seven.")
    page.get_by_role("button", name="Save the change").click()
    expect(title).to_have_text("The office closes at seven.")

    page.get_by_role("button", name="Forget this").click()
    expect(page.get_by_text("Forgotten. No answer uses it any more.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is back, for the same readers as before.")).to_be_visible()
    expect(title).to_have_text("Memories")
    expect(page.locator("[data-row]")).to_have_count(1)


def test_a_new_key_is_shown_once(page_of: Opener) -> None:
    page = page_of("ada")
    page.get_by_role("link", name="Robots").first.click()
    entry = page.locator("section.robot-entry").filter(
        has=page.get_by_role("heading", name="bolt", exact=True)
    )
    entry.locator("summary", has_text="New key").click()
    entry.get_by_label("What is it for").fill("Production")
    entry.get_by_role("button", name="Make the key").click()
    key = page.locator("#new-key")
    expect(key).to_have_text(re.compile("^cmk_"))
    secret = key.text_content()
    page.goto("/robots/")
    expect(page.get_by_role("cell", name="Production", exact=True)).to_be_visible()
    expect(key).to_have_count(0)
    assert secret not in page.content()


def test_sign_out_in_the_menu(page_of: Opener) -> None:
    page = page_of("vera")
    page.locator("summary", has_text="Your menu").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/memories/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.slow
def test_the_documentation_of_the_api_is_drawn(site: RunningSite) -> None:
    page = site.context().new_page()
    page.goto("/api/v1/docs")
    expect(page.locator(".opblock").first).to_be_visible(timeout=20_000)
