"""What one would press without thinking loses nothing and publishes nothing."""

import re

import pytest
from playwright.sync_api import expect

from memories.privacy.opt_out import set_sharing
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.journeys.conftest import RunningSite
from tests.journeys.test_decisions import record
from tests.journeys.test_list import fill, row
from tests.world import NOW

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W15")]
TYPED = "It moves to Tuesday."


def test_what_is_typed_in_the_panel_is_not_lost_by_a_key_or_a_click(site: RunningSite) -> None:
    ids = fill(site)
    page = site.sign_in("chidi")
    panel, field = page.locator("#panel"), page.get_by_label("What is worth knowing")
    row(page, ids[2]).locator("[data-row-link]").focus()
    page.keyboard.press("e")
    expect(field).to_be_focused()
    field.fill(TYPED)
    page.keyboard.press("Escape")
    expect(page.get_by_text("Press Esc again to leave without what you typed.")).to_be_visible()
    expect(field).to_have_value(TYPED)
    # What is typed on is asked about anew.
    field.fill(f"{TYPED} Really.")
    field.fill(TYPED)
    row(page, ids[4]).locator("[data-row-link]").click()
    expect(page.get_by_text("Open it again to leave without what you typed.")).to_be_visible()
    expect(field).to_have_value(TYPED)
    panel.get_by_role("button", name="Save the change").click()
    expect(panel.locator(".hero-memory")).to_have_text(TYPED)
    row(page, ids[4]).locator("[data-row-link]").click()
    expect(panel.locator(".hero-memory")).to_contain_text("Fact number 7 ")
    panel.get_by_role("link", name="Edit").click()
    field.fill(TYPED + " Really.")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(panel.locator(".hero-memory")).to_contain_text("Fact number 7 ")


def test_after_opting_out_the_first_button_opts_in_again(site: RunningSite) -> None:
    here = site.world.here
    mina = str(here.members["mina"].id)
    shared = here.remember(here.robot("aria"), "Mina likes tea.", member=mina, group="launch").id
    set_sharing(here.person("mina"), out=True, now=NOW)
    page = site.sign_in("mina")
    page.goto("/me/sharing/")
    primary = page.locator("main .button.primary")
    expect(primary).to_have_text("Allow sharing again")
    expect(page.get_by_text("1 memory is shared")).to_be_visible()
    expect(page.get_by_role("button", name="Take it back")).to_have_class(re.compile("caution"))
    primary.click()
    expect(page.get_by_text("Sharing is allowed again.")).to_be_visible()
    with resolve_principal(here.person("mina")).scope():
        assert Memory.objects.select_related("audience").get(id=shared).audience.kind == "group"


@pytest.mark.parametrize("cause", [ProposalCause.PERSONAL_DATA, ProposalCause.CONTRADICTION])
def test_a_never_publishes_and_no_side_is_taken(site: RunningSite, cause: ProposalCause) -> None:
    here = site.world.here
    old = here.remember(here.robot("bolt"), "Ask [person] at [phone].").id
    new = here.remember(here.robot("aria"), "Ask [person] at [email].").id
    with resolve_principal(here.person("chidi")).scope():
        rows = Memory.objects.in_bulk([old, new])
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=rows[new].audience_id,
            kind=rows[new].kind, cause=cause, created_at=NOW,
            other_id=old if cause == ProposalCause.CONTRADICTION else None,
            details={"found": {"person": 1, "email": 1}},
        )  # fmt: skip
        item.save(force_insert=True)
    page = site.sign_in("chidi")
    page.goto(f"/review/{item.id}/")
    answers = page.get_by_role("group", name="Your answer")
    if cause == ProposalCause.CONTRADICTION:
        expect(answers.get_by_role("button", name="Both are right")).to_be_visible()
        expect(answers.locator(".primary")).to_have_count(0)
        return
    expect(answers.locator(".primary")).to_have_text(re.compile("^Edit first"))
    page.keyboard.press("a")
    expect(page.get_by_label("What it should say")).to_be_focused()
    with resolve_principal(here.person("chidi")).scope():
        assert Proposal.objects.get(id=item.id).state == "open"


def test_a_dissent_is_of_no_kind_before_somebody_chooses(site: RunningSite) -> None:
    page = site.sign_in("chidi")
    page.goto("/decisions/add/")
    page.get_by_label("What it is about").fill("The canteen")
    record(page, "It opens at noon.", 1, 0)
    page.get_by_role("button", name="Record this decision").click()
    page.get_by_text("Add a dissent").click()
    page.get_by_label("What you see otherwise").fill("It is late.")
    expect(page.get_by_label("What it is", exact=True)).to_have_value("")
    page.get_by_role("button", name="Add the dissent").click()
    expect(page.get_by_text("Nobody has dissented.")).to_be_visible()
