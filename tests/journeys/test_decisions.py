"""A decision from its record to its dissent and through a chain of three, both ways."""

import pytest
from playwright.sync_api import Page, expect

from memories.curation.decision_records.dissents import DissentDraft
from memories.curation.decision_records.record_decision import DecisionDraft, record_decision
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.world import NOW

pytestmark = pytest.mark.browser


def record(page: Page, conclusion: str, agree: int, disagree: int) -> None:
    page.get_by_label("What was decided").fill(conclusion)
    page.get_by_label("For it", exact=True).fill(str(agree))
    page.get_by_label("Against it", exact=True).fill(str(disagree))


def search(page: Page) -> None:
    """By all words, and by some of them."""
    page.goto("/decisions/")
    page.get_by_label("Topic", exact=True).fill("kitchen tea")
    expect(page.locator("[data-row]")).to_have_count(3)
    page.get_by_label("Topic", exact=True).fill("kitchen chairs")
    expect(page.get_by_text("No match")).to_be_visible()
    page.get_by_label("Similar topics too").check()
    expect(page.locator("[data-row]")).to_have_count(3)


@pytest.mark.slow
@pytest.mark.conformance("W11")
def test_record_dissent_and_a_chain_of_three(site: RunningSite) -> None:
    page = site.sign_in("mina")
    page.goto("/decisions/")
    page.get_by_role("link", name="Record a decision").first.click()
    page.get_by_label("What it is about").fill("Tea for the kitchen")
    record(page, "Green tea.", 4, 1)
    page.get_by_label("Bob").check()
    page.get_by_label("#launch").check()
    page.get_by_role("button", name="Record this decision").click()
    expect(page.get_by_role("heading", name="Tea for the kitchen")).to_be_visible()
    expect(page.get_by_text("4 for, 1 against")).to_be_visible()
    expect(page.get_by_text("Moderate", exact=True)).to_be_visible()
    expect(page.locator(".facts")).to_contain_text("Bob")

    other = site.sign_in("bob")
    other.goto(page.url)
    other.get_by_text("Add a dissent").click()
    other.get_by_label("What it is").select_option(label="Risk warning")
    other.get_by_label("What you see otherwise").fill("Caffeine keeps us awake.")
    other.get_by_role("button", name="Add the dissent").click()
    expect(other.get_by_text("Caffeine keeps us awake.")).to_be_visible()
    expect(other.get_by_role("button", name="Save the answer")).to_have_count(0)

    page.goto("/decisions/")
    expect(page.get_by_text("1 open risk")).to_be_visible()
    page.get_by_role("link", name="Tea for the kitchen").click()
    page.locator("summary", has_text="Answer").click()
    page.get_by_label("What speaks against it").fill("Not after noon.")
    page.get_by_role("button", name="Save the answer").click()
    expect(page.get_by_text("Not after noon.").first).to_be_visible()
    expect(page.get_by_text("Answered", exact=True)).to_be_visible()

    for conclusion in ("Black tea.", "No tea."):
        page.get_by_role("link", name="Supersede it").click()
        expect(page.get_by_label("What it is about")).to_have_value("Tea for the kitchen")
        expect(page.get_by_label("#launch")).to_be_checked()
        record(page, conclusion, 1, 3)
        page.get_by_role("button", name="Record and supersede").click()
        expect(page.get_by_text(conclusion, exact=True)).to_be_visible()
    chain = page.locator(".timeline > li")
    expect(chain).to_have_count(3)
    expect(chain.nth(0)).to_contain_text("No tea.")
    expect(chain.nth(2)).to_contain_text("Green tea.")
    chain.nth(2).get_by_role("link").click()
    expect(page.get_by_text("A newer decision holds in its place.")).to_be_visible()
    expect(page.get_by_text("Caffeine keeps us awake.", exact=True)).to_be_visible()
    expect(page.locator(".timeline > li.is-current")).to_contain_text("Green tea.")
    page.locator(".timeline > li").nth(0).get_by_role("link").click()
    expect(page.get_by_text("Contested", exact=True).first).to_be_visible()

    search(page)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_pages_fit_and_can_be_read(site: RunningSite, scheme: str, width: int) -> None:
    word = "long" * 30
    made = record_decision(
        site.world.here.robot("aria"),
        DecisionDraft(
            topic=f"Which {word}",
            conclusion=word,
            agree=2,
            disagree=3,
            domain="Kitchen",
            group="launch",
            dissents=tuple(
                DissentDraft(kind=kind, content=word, reasoning=word)
                for kind in ("risk_warning", "abstention")
            ),
        ),
        now=NOW,
    )
    page = site.sign_in("mina")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for address in ("/decisions/", f"/decisions/{made.id}/", "/decisions/add/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert findings(page) == []
