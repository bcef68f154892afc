"""A curator decides twenty items in fewer than sixty key presses, and takes the last one back."""

import secrets
from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.curation import review_decisions
from memories.demo.create_demo import create_demo, create_home_organisation
from memories.demo.delete_demo import delete_demo
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import propose_correction, report_memory
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve_principal
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.memories.curation.test_decide import waiting
from tests.memories.demo.test_demo import account, asking
from tests.world import NOW, Tenant

pytestmark = pytest.mark.browser


def fill(here: Tenant) -> None:
    """Twenty items of the kinds that come most often."""
    bolt, aria = here.robot("bolt"), here.robot("aria")
    for n in range(10):
        here.remember(here.person("bob"), f"Shelf {n} is empty.", visibility="organisation")
    for n in range(3):
        known = here.remember(bolt, f"Door {n} is green.").id
        report_memory(here.person("vera"), known, reason="Old.", now=NOW)
    for n in range(3):
        known = here.remember(bolt, f"Lamp {n} is red.").id
        new = f"Lamp {n} is blue."
        propose_correction(here.person("mina"), known, content=new, now=NOW)
    for n, cause in enumerate((ProposalCause.DUPLICATE,) * 3 + (ProposalCause.CONTRADICTION,)):
        old = here.remember(bolt, f"Room {n} opens at six.").id
        new_id = here.remember(aria, f"Room {n} opens at 6.").id
        with resolve_principal(here.person("chidi")).scope():
            row = Memory.objects.get(id=new_id)
            Proposal(
                organisation_id=here.id, memory_id=new_id, audience_id=row.audience_id,
                kind=row.kind, cause=cause, other_id=old, created_at=NOW,
            ).save(force_insert=True)  # fmt: skip


class Keyboard:
    """Presses keys and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, key: str) -> None:
        # A page takes keys once its scripts are there.
        self.page.wait_for_load_state("load")
        self.count += 1
        self.page.keyboard.press(key)


@pytest.fixture
def curator_of_demo(site: RunningSite) -> Iterator[tuple[Page, Actor]]:
    """The demo's curator, signed in, and who that is; the demo goes away afterwards."""
    slug = f"demo-{secrets.token_hex(4)}"
    home = create_home_organisation(now=timezone.now(), slug=f"home-{slug}")["owner"]["email"]
    made = create_demo(slug=slug, now=timezone.now(), owner=home)
    chidi = next(user for user in made["users"] if user["role"] == "curator")
    page = site.context().new_page()
    page.goto("/review/")
    page.get_by_label("E-mail").fill(chidi["email"])
    page.get_by_label("Password").fill(chidi["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Review").wait_for()
    yield page, asking(chidi["email"], slug)
    delete_demo(asking(home, slug), account(home), now=timezone.now())


@pytest.mark.slow
@pytest.mark.conformance("W05")
def test_twenty_items_of_the_demo_take_fewer_than_sixty_keys(
    curator_of_demo: tuple[Page, Actor],
) -> None:
    page, chidi = curator_of_demo
    began = len(waiting(chidi))
    assert began >= 20
    keys = Keyboard(page)
    keys.press("j")
    for left in range(began, began - 20, -1):
        expect(page.locator("#review-item")).to_contain_text(f"{left} waiting")
        leads_on = page.locator("#review-item a[data-key=a]")
        # What a gate has covered is read before it is let through: there the yes is to edit it.
        covered = leads_on.filter(has_text="Edit first").count()
        asks_why = leads_on.count() and not covered
        keys.press("p" if covered else "a")
        if asks_why:
            expect(page.get_by_label("Why?")).to_be_visible()
            keys.press("1")
        if left > 1:
            expect(page.locator("#review-item")).to_contain_text(f"{left - 1} waiting")
            expect(page.locator("#review-item h1")).to_be_focused()
        else:
            expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    assert keys.count < 60
    assert len(waiting(chidi)) == began - 20


@pytest.mark.conformance("W05")
def test_z_takes_the_last_decision_back_from_any_page(site: RunningSite) -> None:
    here = site.world.here
    for content in ("Shelf 1 is empty.", "The roof leaks."):
        here.remember(here.person("bob"), content, visibility="organisation")
    page = site.sign_in("chidi")
    page.goto("/review/")
    page.keyboard.press("j")
    expect(page.locator("#review-item")).to_contain_text("Shelf 1 is empty.")
    # Held down, a key decides once.
    page.keyboard.down("a")
    page.keyboard.down("a")
    page.keyboard.up("a")
    expect(page.locator("#review-item")).to_contain_text("The roof leaks.")
    assert len(waiting(here.person("chidi"))) == 1
    page.goto("/people/")
    expect(page.get_by_text("Approved. Everyone can read it now.")).to_have_count(0)
    page.keyboard.press("z")
    expect(page.get_by_text("Undone. It waits again.")).to_be_visible()
    expect(page.locator("#review-item")).to_contain_text("Shelf 1 is empty.")
    assert len(waiting(here.person("chidi"))) == 2
    # There is nothing more to take back.
    page.goto("/people/")
    page.keyboard.press("z")
    page.wait_for_timeout(300)
    assert page.url.endswith("/people/")


@pytest.mark.slow
@pytest.mark.conformance("W05", "W15")
def test_several_are_chosen_looked_at_and_decided_at_any_width(site: RunningSite) -> None:
    here = site.world.here
    fill(here)
    for width in (320, 1280):
        page = site.sign_in("chidi", viewport={"width": width, "height": 800})
        page.goto("/review/")
        for name in ("Shelf 0", "Shelf 1", "Door 0"):
            page.get_by_label(f"Choose: {name}").check()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert findings(page) == []
        page.get_by_role("button", name="Decide them together").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Decide 2 items together")
        expect(page.locator(".readers")).to_contain_text("would newly be able to read")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert findings(page) == []
        page.keyboard.press("a")
        expect(page.get_by_text("Decided together: 2 approved and shared.")).to_be_visible()
        page.keyboard.press("z")
        expect(page.get_by_text("Undone. 2 items wait again.")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W05")
def test_without_javascript_the_list_stands_beside_and_several_are_decided(
    site: RunningSite,
) -> None:
    here = site.world.here
    for content in ("Shelf 1 is empty.", "The roof leaks."):
        here.remember(here.person("bob"), content, visibility="organisation")
    page = site.sign_in("chidi", java_script_enabled=False)
    page.goto("/review/")
    page.get_by_role("link", name="The roof leaks.").click()
    expect(page.locator("#review-item")).to_contain_text("The roof leaks.")
    page.get_by_role("link", name="Shelf 1 is empty.").click()
    expect(page.locator("#review-item")).to_contain_text("Shelf 1 is empty.")
    for name in ("Shelf 1", "The roof"):
        page.get_by_label(f"Choose: {name}").check()
    page.get_by_role("button", name="Decide them together").click()
    page.get_by_role("button", name="Decide 2 together").click()
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    assert len(waiting(here.person("chidi"))) == 2


def test_esc_leaves_a_form_and_keeps_what_was_typed_once(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.person("bob"), "Shelf 1 is empty.", visibility="organisation")
    item = waiting(here.person("chidi"))[0]
    page = site.sign_in("chidi")
    press = page.keyboard.press
    page.goto(f"/review/{item.id}/")
    press("e")
    expect(page.get_by_label("What it should say")).to_be_focused()
    press("Escape")
    expect(page.get_by_role("link", name="Edit first")).to_be_visible()
    press("e")
    page.get_by_label("What it should say").fill("Shelf 1 is full.")
    press("Escape")
    expect(page.get_by_text("Press Esc again")).to_be_visible()
    expect(page.get_by_label("What it should say")).to_have_value("Shelf 1 is full.")
    press("Escape")
    expect(page.get_by_role("link", name="Edit first")).to_be_visible()
    # Elsewhere it is the same: a memory is added, and left.
    page.goto("/memories/add/")
    box = page.locator("textarea[name=content]")
    box.fill("The roof leaks.")
    press("Control+Enter")
    page.wait_for_url(lambda url: "/add/" not in url)
    with pytest.raises(review_decisions.VersionRequiredError):
        review_decisions.approve_item(
            here.person("chidi"), item.id, review_decisions.ReviewDecision(), now=NOW
        )
