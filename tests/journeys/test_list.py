"""Work in the list of memories: nothing moves, nothing is lost, and the way back is at hand."""

import re
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.memories.views.memory.test_thread import say

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W03", "W15")]
WATCH = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shift += one.value;
  }).observe({ type: "layout-shift", buffered: false });
}"""
SCROLLED = "Math.round(scrollY)"


def fill(site: RunningSite, many: int = 12) -> list[UUID]:
    """Events and decisions in turn, the last that came first."""
    here, kinds = site.world.here, ("event", "decision")
    made = [
        here.remember(here.robot("aria"), f"Fact number {n} of the launch.", category=kinds[n % 2])
        for n in range(many)
    ]
    return [one.id for one in made][::-1]


def row(page: Page, id_: UUID) -> object:
    return page.locator(f'[data-row][data-id="{id_}"]')


def focused(page: Page) -> str:
    """The row that has the focus."""
    return str(page.evaluate("document.activeElement.closest('[data-row]')?.dataset.id"))


@pytest.mark.slow
def test_opening_a_row_moves_nothing_and_back_closes_it(site: RunningSite) -> None:
    ids = fill(site, 40)
    page = site.sign_in("chidi")
    page.evaluate("scrollTo(0, 300)")
    before, place = page.evaluate(SCROLLED), row(page, ids[9]).bounding_box()
    page.evaluate(WATCH)
    row(page, ids[9]).locator("[data-row-link]").click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Fact number 30")
    expect(page).to_have_url(re.compile(rf"/memories/\?open={ids[9]}$"))
    page.keyboard.press("j")
    expect(panel).to_contain_text("Fact number 29")
    page.keyboard.press("j")
    expect(panel).to_contain_text("Fact number 28")
    page.keyboard.press("k")
    expect(panel).to_contain_text("Fact number 29")
    expect(page).to_have_url(re.compile(rf"\?open={ids[10]}$"))
    expect(row(page, ids[10])).to_have_attribute("aria-current", "true")
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") == 0
    page.go_back()
    expect(panel).not_to_be_visible()
    expect(page).to_have_url(re.compile(r"/memories/$"))
    assert focused(page) == str(ids[10])
    page.go_forward()
    expect(panel).to_contain_text("Fact number 29")
    page.keyboard.press("Escape")
    expect(panel).not_to_be_visible()
    expect(page).to_have_url(re.compile(r"/memories/$"))
    assert page.evaluate("window.shift") == 0
    assert page.evaluate(SCROLLED) == before
    assert row(page, ids[9]).bounding_box() == place, "under the pointer nothing has moved"


@pytest.mark.slow
def test_the_panel_has_an_address(site: RunningSite) -> None:
    ids = fill(site)
    for script in (True, False):
        page = site.sign_in("chidi", java_script_enabled=script)
        page.goto(f"/memories/?category=event&open={ids[1]}")
        panel = page.locator("#panel")
        expect(panel).to_be_visible()
        if script:
            expect(panel).to_contain_text("Fact number 10")
            expect(row(page, ids[1])).to_have_attribute("aria-current", "true")
            assert findings(page) == []
        else:
            expect(panel.get_by_role("link", name="The memory on its own page")).to_be_visible()
        panel.get_by_text("Close").click()
        expect(panel).not_to_be_visible()
        expect(page).to_have_url(re.compile(r"/memories/\?category=event$"))


@pytest.mark.slow
def test_back_undoes_a_filter_and_an_order(site: RunningSite) -> None:
    fill(site)
    page = site.sign_in("chidi")
    rows, kind = page.locator("[data-row]"), page.get_by_label("Any category")
    kind.select_option(label="Event")
    expect(rows).to_have_count(6)
    expect(page.get_by_text("6 memories that you can read fit these filters")).to_be_visible()
    page.get_by_role("link", name="Memory", exact=True).click()
    expect(page).to_have_url(re.compile(r"category=event&sort=text$"))
    expect(rows.first).to_contain_text("Fact number 0 ")
    page.get_by_label("Any type").select_option(label="Fact")
    expect(page).to_have_url(re.compile(r"type=fact"))
    expect(page).to_have_url(re.compile(r"sort=text"))
    page.go_back(wait_until="networkidle")
    expect(page).to_have_url(re.compile(r"category=event&sort=text$"))
    page.go_back(wait_until="networkidle")
    expect(page).to_have_url(re.compile(r"category=event$"))
    expect(rows.first).to_contain_text("Fact number 10 ")
    expect(kind).to_have_value("event")
    page.go_back(wait_until="networkidle")
    expect(rows).to_have_count(12)
    expect(kind).to_have_value("")


@pytest.mark.slow
def test_edit_in_the_panel_and_the_list_stays(site: RunningSite) -> None:
    ids = fill(site, 40)
    page = site.sign_in("chidi")
    page.goto("/memories/?category=event")
    target = row(page, ids[25])
    target.scroll_into_view_if_needed()
    before = page.evaluate(SCROLLED)
    target.locator("[data-row-link]").focus()
    page.keyboard.press("e")
    field = page.get_by_label("What is worth knowing")
    expect(field).to_be_focused()
    field.fill("It is on Tuesday.")
    page.keyboard.press("Control+Enter")
    expect(target).to_contain_text("It is on Tuesday.")
    expect(page.locator("#panel .hero-memory")).to_have_text("It is on Tuesday.")
    expect(row(page, ids[27]).locator("[data-row-link]")).to_be_focused()
    assert page.url.endswith(f"/memories/?category=event&open={ids[25]}")
    assert page.evaluate(SCROLLED) == before
    page.keyboard.press("z")
    expect(target).to_contain_text("Fact number 14")
    expect(page.locator("#panel .hero-memory")).to_contain_text("Fact number 14")
    assert findings(page) == []
    # Esc leaves the form first, then the panel.
    page.locator("#panel").get_by_role("link", name="Edit").click()
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).not_to_be_visible()
    assert page.evaluate(SCROLLED) == before


@pytest.mark.slow
def test_readers_are_changed_in_the_panel(site: RunningSite) -> None:
    here = site.world.here
    own = here.remember(here.person("mina"), "Paint is blue.", visibility="private").id
    fill(site)
    page = site.sign_in("mina")
    panel, line = page.locator("#panel"), row(page, own)
    expect(line.locator(".audience")).to_have_text("Only you")
    line.locator("[data-row-link]").click()
    panel.get_by_role("link", name="Who may read it").click()
    assert findings(page) == []
    panel.get_by_role("radio", name="launch").check()
    page.wait_for_load_state("networkidle")
    panel.get_by_role("button", name="Change who may read it").click()
    expect(line.locator(".audience")).to_have_text("#launch")
    expect(panel.locator(".readers-sentence")).to_contain_text("in #launch can read this.")
    assert own in here.readable(here.person("bob"))
    assert page.url.endswith(f"/memories/?open={own}")


def test_forget_and_undo_in_the_list(site: RunningSite) -> None:
    ids = fill(site)
    page = site.sign_in("chidi")
    page.clock.install()
    rows, total = page.locator("[data-row]"), page.locator("#total")
    for key, row_at in (("f", 3), ("button", 5)):
        target = row(page, ids[row_at])
        target.locator("[data-row-link]").focus()
        if key == "f":
            page.keyboard.press("f")
        else:
            target.hover()
            target.get_by_role("button", name="Forget this").click()
        expect(rows).to_have_count(11)
        expect(total).to_have_text("11 memories that you can read")
        assert focused(page) == str(ids[row_at + 1])
        # Undo is at hand until the next act, however long that takes.
        page.clock.run_for(60_000)
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        page.keyboard.press("z")
        expect(rows).to_have_count(12)
        expect(total).to_have_text("12 memories that you can read")
        expect(rows.nth(row_at)).to_have_attribute("data-id", str(ids[row_at]))
        expect(target.locator("[data-row-link]")).to_be_focused()
    # In the panel the next one takes its place.
    row(page, ids[2]).locator("[data-row-link]").click()
    expect(page.locator("#panel")).to_contain_text("Fact number 9")
    page.locator("#panel").get_by_role("button", name="Forget this").click()
    expect(page.locator("#panel")).to_contain_text("Fact number 8")
    expect(row(page, ids[3])).to_have_attribute("aria-current", "true")
    expect(rows).to_have_count(11)


@pytest.mark.slow
def test_four_acts_from_the_overview_to_a_corrected_memory(site: RunningSite) -> None:
    here = site.world.here
    wrong = here.remember(here.robot("aria"), "The office closes at six.").id
    fill(site)
    page = site.sign_in("chidi")
    page.goto("/")
    acts = [
        lambda: page.get_by_role("searchbox").fill("when does the office close"),
        lambda: page.keyboard.press("Enter"),
        lambda: (page.keyboard.press("j"), page.keyboard.press("e")),
        lambda: page.get_by_label("What is worth knowing").fill("The office closes at seven."),
    ]
    search, enter, edit, write = acts
    search(), enter()  # one: ask
    expect(page.locator("[data-row]").first).to_have_attribute("data-id", str(wrong))
    edit()  # two: edit the first
    write()  # three: correct it
    page.keyboard.press("Control+Enter")  # four: save
    expect(row(page, wrong)).to_contain_text("The office closes at seven.")


@pytest.mark.slow
def test_columns_are_kept(site: RunningSite) -> None:
    fill(site)
    page = site.sign_in("chidi")
    head = page.get_by_role("columnheader", name="Category")
    expect(head).to_be_visible()
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Category").uncheck()
    expect(head).not_to_be_visible()
    page.reload()
    expect(head).not_to_be_visible()
    expect(page.get_by_role("columnheader", name="Age")).to_be_visible()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 320), pytest.param("dark", 1280, marks=pytest.mark.slow)]
)
def test_lines_fit_and_can_be_read(site: RunningSite, theme: str, width: int) -> None:
    fill(site)
    page = site.sign_in("chidi", color_scheme=theme, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    heights = page.evaluate(
        "[...document.querySelectorAll('[data-row]')].map((one) => one.offsetHeight)"
    )
    assert set(heights) == {36 if width > 320 else 56}, "one line, or a card of two"
    assert findings(page) == []
    page.locator("summary", has_text="Columns").click()
    menu = page.locator("[data-columns]").bounding_box()
    assert menu["x"] >= 0
    assert menu["x"] + menu["width"] <= width
    page.locator("summary", has_text="Columns").click()
    if width > 320:
        page.set_viewport_size({"width": width, "height": 400})
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        bar = page.locator(".topbar").bounding_box()
        top = page.locator("thead th").first.bounding_box()
        assert top["y"] == pytest.approx(bar["y"] + bar["height"], abs=2), "the head stays"


CUT = """() => [...document.querySelectorAll(".lines td:not(.line-text) *, .lines th")]
  .filter((one) => !one.closest(".visually-hidden") && one.scrollWidth > one.clientWidth + 1
    && one.clientWidth && getComputedStyle(one).overflow !== "visible")
  .map((one) => one.textContent.trim())"""


@pytest.mark.slow
def test_at_1280_no_column_is_cut_and_the_panel_covers_no_text(site: RunningSite) -> None:
    kept = fill(site, 2)[0]
    page = site.sign_in("chidi", viewport={"width": 1280, "height": 800})
    badge = row(page, kept).locator(".audience > span")
    badge.evaluate("one => { one.textContent = 'You, Chidi and 11 more'; }")
    category = row(page, kept).locator(".line-category")
    category.evaluate("one => { one.textContent = 'Organisation decision'; }")
    assert page.evaluate(CUT) == []
    row(page, kept).locator("[data-row-link]").click()
    expect(page.locator("#panel .hero-memory")).to_be_visible()
    page.wait_for_timeout(300)
    edge = page.locator("#panel").bounding_box()["x"]
    for cell in (".line-text", ".line-readers"):
        box = row(page, kept).locator(cell).bounding_box()
        assert box["x"] + box["width"] <= edge + 1, cell


@pytest.mark.slow
@pytest.mark.conformance("Z24")
def test_without_scripts_the_list_is_sorted_and_narrowed(site: RunningSite) -> None:
    fill(site)
    page = site.sign_in("vera", java_script_enabled=False)
    page.get_by_role("link", name="Memory", exact=True).click()
    expect(page.locator("[data-row]").first).to_contain_text("Fact number 0 ")
    page.get_by_label("Any category").select_option(label="Event")
    page.get_by_role("button", name="Search").click()
    expect(page).to_have_url(re.compile(r"sort=text"))
    expect(page.locator("[data-row]")).to_have_count(6)
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Readers").uncheck()
    page.get_by_role("button", name="Show these").click()
    expect(page.get_by_role("columnheader", name="Readers")).to_have_count(0)
    expect(page.locator("[data-row]")).to_have_count(6)
    assert page.get_by_title("Forget this").count() == 0, "a viewer only reads"


@pytest.mark.slow
def test_a_folded_conversation_is_passed_over_in_the_panel_and_opens_as_a_page(
    site: RunningSite,
) -> None:
    here = site.world.here
    ids = fill(site, 1)
    turns = [say(here, "mina", f"Turn {n}.", n) for n in range(3)]
    for text in ("Paint is blue.", "Sails are white."):
        ids.insert(0, here.remember(here.person("mina"), text, group="launch").id)
    page = site.sign_in("mina")
    expect(page.locator("#total")).to_have_text("6 memories that you can read, in 4 lines")
    row(page, ids[1]).locator("[data-row-link]").click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Paint is blue.")
    page.keyboard.press("j")
    expect(row(page, ids[2])).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")
    expect(row(page, ids[1])).to_have_attribute("aria-current", "true")
    page.keyboard.press("f")
    expect(row(page, ids[1])).to_have_count(0)
    expect(row(page, ids[2])).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(r"/memories/\?open="))
    page.keyboard.press("Escape")
    expect(panel).not_to_be_visible()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/memories/{turns[-1]}/thread/"))
    page.go_back()
    page.get_by_role("link", name="Each message").click()
    expect(page).to_have_url(re.compile(r"/memories/\?each=1$"))
    expect(page.locator("[data-row]")).to_have_count(5)
    page.go_back()
    expect(page.locator("[data-row]")).to_have_count(3)
    assert findings(page) == []


@pytest.mark.slow
def test_a_conversation_has_beside_it_what_was_learnt_from_it(site: RunningSite) -> None:
    here = site.world.here
    turns = [say(here, "mina", text, n) for n, text in enumerate(("We chose May.", "Agreed."))]
    told = {"source": {"memories": [str(turns[0])]}}
    here.remember(
        here.robot("aria"), "The launch is in May.", group="launch", category="decision", **told
    )
    page = site.sign_in("mina", color_scheme="dark", viewport={"width": 320, "height": 800})
    page.goto("/")
    expect(page.get_by_text("Agreed.")).to_have_count(0)
    page.get_by_role("link", name="Conversation in #launch").first.click()
    expect(page.locator(".turns")).to_contain_text("Agreed.")
    aside = page.get_by_role("complementary", name="Learnt from it")
    expect(aside).to_contain_text("The launch is in May.")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
