"""A new member brings the example in, knows beforehand who will read it, and sees it."""

import re
import secrets
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Page, expect

from config.settings.base import BASE_DIR
from memories.demo.create_demo import create_home_organisation
from memories.tasks import run_job
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W19", "W12")]


@pytest.fixture(autouse=True)
def _data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


@pytest.fixture(
    params=[
        pytest.param(True, id="with JavaScript"),
        pytest.param(False, id="without JavaScript", marks=pytest.mark.slow),
    ]
)
def newcomer(site: RunningSite, request: pytest.FixtureRequest) -> Page:
    """The first person of an organisation that holds nothing."""
    home = create_home_organisation(now=timezone.now(), slug=f"home-{secrets.token_hex(4)}")
    owner = home["owner"]
    page = site.context(java_script_enabled=request.param).new_page()
    page.goto("/import/")
    page.get_by_label("E-mail").fill(owner["email"])
    page.get_by_label("Password").fill(owner["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Import")
    return page


def _bring(page: Page) -> None:
    page.get_by_role("button", name="Import the file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Import a file")
    while run_job():
        pass
    page.reload()


@pytest.mark.slow
def test_the_example_ends_in_something_to_see(newcomer: Page) -> None:
    page = newcomer
    page.get_by_role("button", name="Try the example").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What this file brings")
    main = page.locator("main")
    expect(main).to_contain_text("This is the whole file. Nothing is written yet.")
    expect(main).to_contain_text("2 people whom the file makes: Noor, Tom.")
    expect(main.locator(".row", has_text="acme/standup").first).to_contain_text(
        "Only if you sit in"
    )
    expect(main.locator(".row", has_text="Noor1 line")).to_have_count(0)
    assert page.get_by_role("radio", name=re.compile("^No, keep")).is_checked()
    expect(main).to_contain_text("You read none of it.")
    sit = page.get_by_role("radio", name=re.compile("^Yes, I sit"))
    expect(page.locator("label", has=sit)).to_contain_text("You read 2 of 3 lines.")
    sit.check()
    _bring(page)
    expect(main).to_contain_text("You can read 2 of the 3 new ones.")
    expect(main.get_by_role("heading", name="Who reads it")).to_be_visible()
    expect(main.get_by_role("link", name="Make a robot")).to_be_visible()
    page.get_by_role("link", name="See the 2 memories").click()
    expect(page.locator("#results [data-row]")).to_have_count(2)
    expect(page.locator("#results")).to_contain_text("The release is on the 12th of March")
    expect(page.locator("#results")).not_to_contain_text("raise")


@pytest.mark.slow
def test_a_file_kept_closed_says_that_nothing_can_be_read(newcomer: Page) -> None:
    page = newcomer
    page.get_by_label("File", exact=True).set_input_files(
        BASE_DIR / "docs" / "examples" / "standup.jsonl"
    )
    page.get_by_label("Whom it is about or who said it, else you").check()
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What this file brings")
    _bring(page)
    expect(page.locator("main")).to_contain_text("You can read none of it.")
    expect(page.get_by_role("link", name=re.compile("^See the"))).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_plan_fits_and_has_no_fault(site: RunningSite, theme: str) -> None:
    page = site.sign_in("ada", color_scheme=theme)
    page.goto("/import/")
    page.get_by_role("button", name="Try the example").click()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
