"""A curator empties the queue by keyboard; a member pauses learning and opts out."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.curation.test_decide import found
from tests.memories.views.memory.test_thread import say

pytestmark = pytest.mark.browser
TEXT = "The office closes at six."


@pytest.mark.conformance("W05", "W15")
def test_the_queue_by_keyboard_alone(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.robot("bolt"), "The office opens at eight.")
    for content in (TEXT, "The office has a cat.", "Someone is annoying.", "The roof leaks."):
        here.remember(here.person("bob"), content, visibility="organisation")
    page = site.sign_in("chidi")
    press = page.keyboard.press
    page.goto("/review/")
    rows = page.locator("[data-row]")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text(TEXT)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
    press("j")
    title = page.locator("#review-item h1")
    expect(title).to_have_text("Bob suggests this for everyone in " + here.organisation.name)
    expect(page.locator(".readers")).to_contain_text("would newly be able to read this")
    assert findings(page) == []

    press("a")
    expect(page.get_by_text("Approved. Everyone can read it now.")).to_be_visible()
    item = page.locator("#review-item")
    expect(item.get_by_text("The office has a cat.")).to_be_visible()
    page.wait_for_load_state("load")
    press("e")
    expect(page.get_by_label("What it should say")).to_be_focused()
    press("Control+a")
    page.keyboard.type("The office has two cats.")
    press("Control+Enter")
    expect(item.get_by_text("Someone is annoying.")).to_be_visible()
    page.wait_for_load_state("load")
    press("r")
    expect(page.get_by_label("Why?")).to_be_visible()
    page.wait_for_load_state("load")
    press("w")
    expect(page.get_by_label("Why?")).to_be_focused()
    page.keyboard.type("This is about a person.")
    press("Enter")
    expect(item.get_by_text("The roof leaks.")).to_be_visible()
    assert found(here, "mina")[:1] == [TEXT]

    # Undo brings the last one back, and skipping leaves it for later.
    page.wait_for_load_state("load")
    press("z")
    expect(page.get_by_text("Undone. It waits again.")).to_be_visible()
    expect(item.get_by_text("Someone is annoying.")).to_be_visible()
    page.wait_for_load_state("load")
    press("s")
    expect(item.get_by_text("The roof leaks.")).to_be_visible()
    press("?")
    page.get_by_label("Use single-key shortcuts").uncheck()
    press("Escape")
    press("a")
    expect(page.get_by_role("button", name="Approve and share with everyone")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W05")
@pytest.mark.conformance("W21")
def test_what_disagrees_is_decided_by_one_key(site: RunningSite) -> None:
    here = site.world.here
    for days in (14, 30):
        here.remember(here.robot("bolt"), f"Customers return a bag within {days} days.")
        here.embed()
    here.remember(here.person("bob"), TEXT, visibility="organisation")
    page = site.sign_in("chidi", viewport={"width": 320, "height": 800})
    press = page.keyboard.press
    page.goto("/review/")
    expect(page.locator("[data-row]")).to_have_count(2)
    page.get_by_role("link", name="These disagree").click()
    expect(page.locator("[data-row]")).to_have_count(1)
    assert findings(page) == []
    press("j")
    expect(page.locator("#review-item h1")).to_have_text("These disagree")
    sides = page.locator(".review-sides section")
    for side, days in ((sides.first, 30), (sides.last, 14)):
        expect(side.locator("mark")).to_contain_text(str(days))
        expect(side).to_contain_text("bolt learned this on")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert findings(page) == []
    press("n")
    expect(page.get_by_text("The newer one holds.")).to_be_visible()
    page.goto("/memories/?q=How+long+may+customers+return+a+bag")
    rows = page.locator("[data-row]")
    expect(rows.first).to_contain_text("within 30 days.")
    expect(rows.nth(1)).to_contain_text("within 14 days.")
    expect(rows.nth(1)).to_contain_text("Was true until")
    rows.nth(1).locator("[data-row-link]").click()
    expect(page.get_by_role("link", name="What holds since then")).to_be_visible()
    assert findings(page) == []
    page.goto("/review/?show=waiting&cause=contradiction")
    expect(page.get_by_role("heading", name="No match")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W05")
def test_decide_without_javascript_and_the_proposer_sees_it(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.person("bob"), TEXT, visibility="organisation")
    page = site.sign_in("ada", java_script_enabled=False)
    page.get_by_role("link", name="Review").first.click()
    page.get_by_role("link", name="Start with the oldest").click()
    page.get_by_role("link", name="Reject with a reason").click()
    page.get_by_label("Why?").fill("It closes at seven.")
    page.get_by_role("button", name="Reject with a reason").click()
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    bob = site.sign_in("bob", java_script_enabled=False)
    bob.goto("/review/")
    expect(bob.locator("[data-row]")).to_contain_text("It closes at seven.")
    expect(bob.locator("[data-row]")).to_contain_text("Rejected")


@pytest.mark.slow
@pytest.mark.conformance("W13", "W15")
def test_a_member_opts_out_and_pauses(site: RunningSite) -> None:
    here = site.world.here
    mina = {"member": str(here.members["mina"].id)}
    here.remember(here.robot("aria"), "Mina leads the launch.", visibility="organisation", **mina)
    here.remember(here.robot("aria"), "Mina likes tea.", **mina)
    page = site.sign_in("mina", viewport={"width": 320, "height": 800}, color_scheme="dark")
    page.goto("/me/")
    expect(page.get_by_text("2 things")).to_be_visible()
    expect(page.get_by_text("1 only you can see, 1 is shared with everyone.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert findings(page) == []
    page.get_by_role("link", name="Opt out", exact=True).click()
    assert findings(page) == []
    expect(page.locator("main .button.primary")).to_have_text("Opt out")
    expect(page.get_by_text("1 memory is shared: noted about you")).to_be_visible()
    page.get_by_role("button", name="Opt out and take it back").click()
    expect(page.get_by_text("1 thing is taken back")).to_be_visible()
    expect(page.get_by_text("2 only you can see.")).to_be_visible()
    page.get_by_role("switch", name="Pause learning").click()
    expect(page.get_by_role("switch", name="Pause learning")).to_be_checked()
    answer = here.api("aria").post(
        "/api/v1/memories", {"content": "Mina sings.", **mina}, format="json"
    )
    assert answer.json()["type"] == "urn:commonmind:problem:learning-paused"
    page.goto("/knowledge/")
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    assert findings(page) == []
    page.goto("/me/forget/")
    assert findings(page) == []


@pytest.mark.slow
@pytest.mark.conformance("W13")
@pytest.mark.parametrize(("theme", "width"), [("light", 320), ("dark", 1280)])
def test_a_member_looks_for_words_forgets_several_and_takes_all_along(
    site: RunningSite, theme: str, width: int
) -> None:
    here = site.world.here
    mina = {"member": str(here.members["mina"].id)}
    for words in ("Mina likes tea.", "Mina likes plums.", "Mina sings."):
        here.remember(here.robot("aria"), words, **mina)
    say(here, "mina", "Agreed.", 1)
    look = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    page = site.sign_in("mina", **look)
    page.goto("/me/")
    rows = page.locator("[data-row]")
    expect(rows.filter(has_text="Conversation in #launch")).to_have_count(1)
    expect(page.get_by_text("Agreed.")).to_have_count(0)
    page.get_by_placeholder("Words in these memories").fill("likes")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    for number in range(2):
        rows.nth(number).locator("[data-row-check]").check()
    page.locator(".bulkbar").get_by_role("button", name="Forget").click()
    assert findings(page) == []
    page.get_by_role("button", name="Forget 2 memories").click()
    expect(page.get_by_text("Forgot 2 memories.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone for 2 memories.")).to_be_visible()
    page.goto("/me/")
    with page.expect_download() as taken:
        page.get_by_role("link", name="To read").click()
    path = taken.value.path().with_suffix(".html")
    taken.value.save_as(path)
    file = site.context(**look).new_page()
    file.goto(path.as_uri())
    expect(file.get_by_role("heading", name="Said in conversations")).to_be_visible()
    expect(file.locator("article").last).to_contain_text("Agreed.")
    expect(file.get_by_text("importance", exact=True).first).not_to_be_visible()
    file.locator("summary").first.click()
    expect(file.get_by_text("importance", exact=True).first).to_be_visible()
    assert findings(file) == []
    assert file.evaluate("document.documentElement.scrollWidth") <= width
