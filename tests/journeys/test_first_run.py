"""A newcomer: signs in, finds a wrong memory, corrects it, sees its history, removes the demo."""

import re
import secrets
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.demo.create_demo import EMAIL_DOMAIN, create_demo, create_home_organisation
from memories.lifecycle.forget import forget_memory
from orgs.models.users import User
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings

pytestmark = pytest.mark.browser


@pytest.fixture
def first_run(site: RunningSite) -> dict[str, Any]:
    mark = secrets.token_hex(4)
    home = create_home_organisation(now=timezone.now(), slug=f"home-{mark}")
    create_demo(slug=f"demo-{mark}", now=timezone.now(), owner=home["owner"]["email"])
    return home["owner"]


@pytest.mark.slow
@pytest.mark.conformance("W01")
def test_a_newcomer_looks_around_and_clears_up(
    site: RunningSite, first_run: dict[str, Any]
) -> None:
    page = site.context().new_page()
    page.goto("/")
    page.get_by_label("E-mail").fill(first_run["email"])
    page.get_by_label("Password").fill(first_run["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=re.compile("Halyard")).click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_role("heading", name="First steps")).to_have_count(0)
    expect(page.locator("pre")).to_contain_text("/api/v1/recall")

    page.get_by_role("link", name="Find the wrong one").click()
    wrong = page.get_by_role("link", name=re.compile("within 14 days; later"))
    expect(wrong).to_be_visible()
    expect(page.get_by_text("thirty days").first).to_be_visible()
    page.goto(wrong.get_attribute("href") or "")
    page.get_by_role("link", name="Edit").first.click()
    right = "Customers can return a bag within 30 days, and we pay the postage."
    page.get_by_label("What is worth knowing").fill(right)
    page.get_by_role("button", name="Save the change").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(right)
    expect(page.locator("del").first).to_contain_text("14")

    page.goto("/")
    page.get_by_role("link", name="Remove the demo").click()
    page.get_by_label("Type remove to go on").fill("remove")
    page.get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_text("The demo is gone.")).to_be_visible()
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    expect(page.locator(".step")).to_have_count(4)
    assert not User.objects.filter(email__endswith=f"@{EMAIL_DOMAIN}").exists()


def _sign_in(site: RunningSite, *, script: bool) -> Page:
    """The first person of an organisation that holds nothing."""
    home = create_home_organisation(now=timezone.now(), slug=f"home-{secrets.token_hex(4)}")
    page = site.context(java_script_enabled=script).new_page()
    page.goto("/")
    page.get_by_label("E-mail").fill(home["owner"]["email"])
    page.get_by_label("Password").fill(home["owner"]["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    return page


def _make_a_robot(page: Page) -> list[str]:
    """By the guide, to its key; the commands that the page shows."""
    page.get_by_role("link", name="Make a robot").click()
    new = page.locator("#new-robot")
    new.get_by_label("Name").fill("Helper")
    new.get_by_role("button", name="Add the robot").click()
    page.locator("summary", has_text="New key").click()
    page.locator("details", has_text="New key").get_by_label("What is it for").fill("laptop")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_role("heading", name="Copy the key for Helper now")).to_be_visible()
    # A program, a coding agent, and each kit of which the documentation tells.
    expect(page.locator(".ways > details")).to_have_count(7)
    commands = page.locator(".ways > details[open] pre").all_inner_texts()
    assert [re.search(r"/api/v1/(\w+)", one)[1] for one in commands] == ["memories", "recall"]
    return commands


def _run(command: str) -> str:
    """As it was copied; curl speaks with this site alone."""
    assert command.startswith("curl -s http://127.0.0.1:")
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True
    ).stdout


@pytest.mark.slow
@pytest.mark.conformance("W01")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(True, id="with JavaScript"),
        pytest.param(False, id="without JavaScript", marks=pytest.mark.slow),
    ],
)
def test_the_guide_ends_with_a_robot_that_was_heard(
    site: RunningSite, settings: Any, *, script: bool
) -> None:
    settings.PUBLIC_URL = site.url
    page = _sign_in(site, script=script)
    expect(page.locator(".step")).to_have_count(4)
    remember, recall = _make_a_robot(page)
    if script:
        heard = page.locator("#heard")
    else:
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Was Helper heard from?").click()
        heard = opened.value.locator("#heard")
    expect(heard).to_contain_text("Helper was not heard from yet")
    assert '"status":"active"' in _run(remember)
    if not script:
        heard.page.reload()
    expect(heard).to_contain_text(re.compile(r"Helper was heard from \d+ s ago\."))
    assert heard.get_attribute("hx-get") is None, "it asks no more"
    assert heard.bounding_box()["height"] < 40, "it is one sentence"
    assert "The office closes at six on Fridays." in _run(recall)
    page.goto("/")
    expect(page.get_by_role("heading", name="First steps")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("The office closes at six on Fridays.")


@pytest.mark.slow
@pytest.mark.conformance("W01")
def test_one_sentence_shows_what_the_product_does(
    site: RunningSite, page_of: Callable[[str], Page]
) -> None:
    """Written, asked for in other words, and its reader seen: on the first page of nothing."""
    page = page_of("ada")
    page.goto("/")
    example = page.locator("#example")
    expect(example.get_by_label("Write one sentence")).to_have_value("")
    sentence = "The key of the boat hangs behind the green door."
    example.get_by_label("Write one sentence").fill(sentence)
    example.get_by_role("button", name="Remember it, then ask for it").click()
    expect(example.get_by_role("link", name=sentence)).to_be_visible()
    expect(example).to_contain_text("Only you can read this.")
    site.world.here.embed()
    example.get_by_label("Ask for it in other words").fill("Where is the key for the boat?")
    example.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("[data-row]").first).to_contain_text(sentence)
    expect(page.locator("[data-row]").first).to_contain_text("Only you")
    page.goto("/")
    expect(page.locator("#example")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_example_and_a_page_without_a_robot_have_no_fault(
    site: RunningSite, theme: str
) -> None:
    page = site.sign_in("ada", color_scheme=theme)
    here = site.world.here
    kept = here.remember(here.person("ada"), "The key hangs there.", visibility="private")
    for url in (f"/?first={kept.id}", "/me/robot/", "/"):
        if url == "/":
            forget_memory(here.person("ada"), kept.id, now=timezone.now())
        page.goto(url)
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            assert laid_out_width(page, width) <= width, url
            assert findings(page) == [], url
