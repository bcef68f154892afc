"""Support at its console: somebody lost a phone, an import hangs, a memory is to be read."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from orgs.models.users import User
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.journeys.test_signing_in import enter
from tests.memories.views.support.test_work import dead_embedding, job_of
from tests.orgs.support.test_accounts import lock
from tests.page_client import get_user
from tests.world import PASSWORD

pytestmark = pytest.mark.browser
REASON = "Ticket 4711: Mina lost her phone."
PROOF = "I rang the number in the contract."


def sam(
    site: RunningSite, address: str = "/admin/", *, superuser: bool = False, **options: object
) -> Page:
    """Somebody of support, signed in."""
    email = f"{secrets.token_hex(5)}@support.example"
    User.objects.create_user(email, PASSWORD, is_staff=True, is_superuser=superuser, name="Sam")
    page = site.context(**options).new_page()
    page.goto(address)
    enter(page, email)
    return page


def look(page: Page, name: str) -> None:
    page.get_by_label("Organisation", exact=True).fill(name)
    form = page.locator("form", has=page.get_by_label("Organisation", exact=True))
    form.get_by_label("Why do you look?").fill(REASON)
    form.get_by_role("button", name="Look for 30 minutes").click()


def find(page: Page, email: str) -> None:
    page.get_by_label("E-mail").fill(email)
    form = page.locator("form", has=page.get_by_label("E-mail"))
    form.get_by_label("Why do you look?").fill(REASON)
    form.get_by_role("button", name="Find the account").click()


@pytest.mark.slow
@pytest.mark.conformance("W20")
def test_somebody_lost_a_phone_and_an_import_hangs(site: RunningSite) -> None:
    """Without JavaScript, as every page has to work."""
    here = site.world.here
    mina = site.sign_in("mina")
    lock(get_user(here, "mina"))
    dead_embedding(here)
    job_of(here, "mina", state="dead", reason="It was tried several times and broke off.")
    page = sam(site, java_script_enabled=False)
    find(page, "min@nowhere.example")
    expect(page.get_by_text("No account that you may look at has this address.")).to_be_visible()
    find(page, get_user(here, "mina").email)
    expect(page.get_by_role("heading", name="Mina", exact=True)).to_be_visible()
    bar = page.get_by_role("region", name="What you look at")
    expect(bar).to_contain_text("You look at the account of Mina. 30 minutes left.")
    expect(page.get_by_text("Authenticator app")).to_be_visible()
    page.get_by_role("link", name="Take it away").click()
    page.get_by_label("How do you know that the person asks?").fill(PROOF)
    page.get_by_label("Type the address of the account").fill("mina@elsewhere.example")
    page.get_by_role("button", name="Take it away").click()
    expect(page.get_by_text("This is another address.")).to_be_visible()
    page.get_by_label("Type the address of the account").fill(get_user(here, "mina").email)
    page.get_by_role("button", name="Take it away").click()
    expect(page.get_by_text("Mina signs in with the password alone now")).to_be_visible()
    expect(page.get_by_text("Nowhere.")).to_be_visible()

    page.get_by_role("link", name="Look at it").click()
    page.get_by_label("Why do you look?").fill(REASON)
    page.get_by_role("button", name="Look for 30 minutes").click()
    expect(bar).to_contain_text(f"You look at {here.organisation.name}. 30 minutes left.")
    expect(page.get_by_role("link", name="Mina", exact=True)).to_be_visible()
    page.get_by_role("link", name="Jobs").first.click()
    expect(page.get_by_text("It was tried several times and broke off.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Import of a file: it is tried again.")).to_be_visible()
    page.get_by_role("button", name="Try all again").click()
    expect(page.get_by_text("1 memory will be indexed again.")).to_be_visible()
    page.get_by_role("button", name="End now").first.click()
    expect(page.get_by_text("You look at no organisation any more.")).to_be_visible()
    expect(page.get_by_role("link", name="Jobs")).to_have_count(0)

    mina.goto("/accounts/")
    enter(mina, get_user(here, "mina").email)
    expect(mina.get_by_text("Support took away your second step")).to_be_visible()
    mina.goto("/accounts/")
    expect(mina.get_by_text(PROOF)).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W14")
def test_support_looks_something_up_and_opens_one_memory(site: RunningSite) -> None:
    here = site.world.here
    here.remember(here.person("mina"), "Zanzibar is where the treasure lies.", visibility="private")
    page = sam(site, "/admin/organisation/memories/")
    look(page, here.organisation.name)
    expect(page.locator(".table tbody tr")).to_have_count(1)
    expect(page.locator("body")).not_to_contain_text("Zanzibar")
    page.locator(".table tbody a").click()
    page.get_by_role("link", name="Open what it says").click()
    page.get_by_label("Why do you need to read it?").fill("Mina asked us why it is wrong.")
    page.get_by_role("button", name="Open it for 15 minutes").click()
    expect(page.locator("#opened")).to_have_text("Zanzibar is where the treasure lies.")
    mina = site.sign_in("mina")
    mina.goto("/me/notices/")
    expect(mina.get_by_text("Sam of support opened")).to_be_visible()


@pytest.mark.conformance("W20")
def test_the_minutes_go_down_while_the_page_stands_open(site: RunningSite) -> None:
    here = site.world.here
    page = sam(site, "/admin/organisation/")
    page.clock.install()
    look(page, here.organisation.name)
    left = page.locator(".lookbar-left")
    expect(left).to_have_text("30 minutes left.")
    # The script that counts has begun.
    page.wait_for_load_state("load")
    for forward, text in (("05:10", "25 minutes left."), ("24:00", "1 minute left.")):
        page.clock.fast_forward(forward)
        expect(left).to_have_text(text)
    expect(left).not_to_have_class(re.compile("is-over"))
    page.clock.fast_forward("01:00")
    expect(left).to_have_text("The time is over.")
    expect(left).to_have_class(re.compile("is-over"))


@pytest.mark.slow
@pytest.mark.conformance("W20")
@pytest.mark.parametrize(
    ("theme", "width"), [("dark", 320), pytest.param("light", 1280, marks=pytest.mark.slow)]
)
def test_each_page_of_the_console_fits_and_is_accessible(
    site: RunningSite, theme: str, width: int
) -> None:
    here = site.world.here
    here.remember(here.robot("aria"), "Zanzibar is where the treasure lies.", group="launch")
    dead_embedding(here)
    job_of(here, "mina", state="dead", reason="It was tried several times and broke off.")
    lock(get_user(here, "mina"))
    page = sam(site, color_scheme=theme, viewport={"width": width, "height": 800})
    find(page, get_user(here, "mina").email)
    page.goto("/admin/organisation/")
    look(page, here.organisation.name)
    names = ("members", "groups", "robots", "jobs", "memories", "questions", "audit")
    urls = ["/admin/", "/admin/account/", "/admin/account/second-step/"]
    urls += [f"/admin/organisation/{name}/" for name in names]
    urls.append(f"/admin/organisation/members/{here.members['mina'].id}/")
    found, wide = [], []
    for url in urls:
        page.goto(url)
        found += findings(page)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(url)
        expect(page.get_by_role("region", name="What you look at")).to_be_visible()
    assert found == []
    assert wide == []


@pytest.mark.slow
@pytest.mark.conformance("W23")
def test_whoever_runs_the_server_suspends_an_organisation_and_opens_it_again(
    site: RunningSite,
) -> None:
    """Without JavaScript."""
    here = site.world.here
    mina = site.sign_in("mina")
    page = sam(site, "/operate/", superuser=True, java_script_enabled=False)
    page.get_by_label("Find organisations by name").fill(here.organisation.slug)
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("link", name=here.organisation.name).click()
    page.get_by_label("What its people are told").fill("The invoice of May is open.")
    page.get_by_role("button", name=f"Suspend {here.organisation.name}").click()
    expect(page.get_by_text("is suspended: nobody reads or writes in it.")).to_be_visible()
    mina.goto("/memories/")
    expect(mina.get_by_text("The invoice of May is open.")).to_be_visible()
    page.get_by_role("button", name=f"Open {here.organisation.name} again").click()
    expect(page.get_by_text("is open again.")).to_be_visible()
    mina.goto("/memories/")
    expect(mina.get_by_role("heading", name="Memories", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W23")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_on_the_pages_of_the_server(
    site: RunningSite, theme: str, width: int
) -> None:
    size = {"width": width, "height": 900}
    page = sam(site, "/operate/", superuser=True, color_scheme=theme, viewport=size)
    for address in (
        "/operate/",
        "/operate/checks/",
        f"/operate/organisations/{site.world.here.id}/",
    ):
        page.goto(address)
        if address == "/operate/":
            expect(page.get_by_text("parts are in order")).to_be_visible()
        assert findings(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width
