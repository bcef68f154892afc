"""A newcomer: signs in, finds a wrong memory, corrects it, sees its history, removes the demo."""

import re
import secrets
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memories.demo.make import MAIL, make_demo, make_home
from orgs.models.users import User
from tests.journeys.conftest import Site

pytestmark = pytest.mark.browser


@pytest.fixture
def first_run(site: Site) -> dict[str, Any]:
    mark = secrets.token_hex(4)
    home = make_home(now=timezone.now(), slug=f"home-{mark}")
    make_demo(slug=f"demo-{mark}", now=timezone.now(), owner=home["owner"]["email"])
    return home["owner"]


@pytest.mark.conformance("W01")
def test_a_newcomer_looks_around_and_clears_up(site: Site, first_run: dict[str, Any]) -> None:
    page = site.context().new_page()
    page.goto("/")
    page.get_by_label("E-mail").fill(first_run["email"])
    page.get_by_label("Password").fill(first_run["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=re.compile("Halyard")).click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    steps = page.locator(".step")
    expect(steps).to_have_count(5)
    expect(steps.filter(has_text="Invite somebody")).to_contain_text("Done:")
    expect(steps.filter(has_text="Recall it")).to_contain_text("To do:")
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
    expect(steps.filter(has_text="Recall it")).to_contain_text("Done:")
    page.get_by_role("link", name="Remove the demo").click()
    page.get_by_label("Type remove to go on").fill("remove")
    page.get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_text("The demo is gone.")).to_be_visible()
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    expect(page.get_by_text("0 of 5 done")).to_be_visible()
    assert not User.objects.filter(email__endswith=f"@{MAIL}").exists()
