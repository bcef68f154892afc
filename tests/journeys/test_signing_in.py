"""Signing in with a second step and a passkey, and by an invitation."""

import base64
import re
import secrets

import pytest
from allauth.account.utils import user_pk_to_url_str
from playwright.sync_api import CDPSession, Page, expect

from orgs.models.users import User
from tests.journeys.conftest import RunningSite
from tests.orgs.accounts.test_second_step import code
from tests.page_client import get_user
from tests.world import PASSWORD

pytestmark = pytest.mark.browser


def enter(page: Page, email: str) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def show_it_is_you(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def make_discoverable(tools: CDPSession, device: dict[str, str], user: User) -> None:
    """What phones and laptops do with every key, also when the site asked for less."""
    [key] = tools.send("WebAuthn.getCredentials", device)["credentials"]
    tools.send("WebAuthn.removeCredential", device | {"credentialId": key["credentialId"]})
    handle = base64.b64encode(user_pk_to_url_str(user).encode()).decode()
    key |= {"isResidentCredential": True, "userHandle": handle}
    tools.send("WebAuthn.addCredential", device | {"credential": key})


@pytest.mark.slow
@pytest.mark.conformance("T17")
@pytest.mark.parametrize("alone", [True, False])
def test_a_passkey_opens_the_account_alone_if_its_owner_said_so(
    site: RunningSite, alone: bool
) -> None:
    """A passkey needs a host name, so this browser comes to localhost."""
    email = get_user(site.world.here, "mina").email
    address = site.url.replace("127.0.0.1", "localhost")
    page = site.context().new_page()
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    key = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    device = tools.send("WebAuthn.addVirtualAuthenticator", {"options": key})
    page.goto(f"{address}/accounts/")
    enter(page, email)
    page.get_by_role("link", name="Add a passkey").click()
    show_it_is_you(page)
    page.get_by_label("What do you call it").fill("Mina's laptop")
    expect(page.get_by_label("Sign in with it alone")).not_to_be_checked()
    if alone:
        page.get_by_label("Sign in with it alone").check()
    page.get_by_role("button", name="Add the passkey").click()
    expect(page.get_by_role("heading", name="Keep these recovery codes")).to_be_visible()
    expect(page.locator("#codes")).to_have_text(re.compile(r"(\d{8}\s*){10}"))
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_role("link", name="Rename Mina's laptop")).to_be_visible()
    if not alone:
        make_discoverable(tools, device, get_user(site.world.here, "mina"))
    page.locator("summary", has_text="Your menu").click()
    page.get_by_role("button", name="Sign out", exact=True).last.click()
    page.get_by_role("button", name="Use a passkey").click()
    if not alone:
        expect(page.get_by_text("This passkey is your second step")).to_be_visible()
        enter(page, email)
        page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("T17")
def test_an_app_as_second_step_without_javascript(site: RunningSite) -> None:
    email = get_user(site.world.here, "mina").email
    page = site.sign_in("mina", java_script_enabled=False)
    page.goto("/accounts/")
    page.get_by_role("link", name="Turn on").click()
    show_it_is_you(page)
    page.get_by_text("I cannot scan it").click()
    secret = page.locator("#app-key").text_content()
    page.get_by_label("The six digits").fill(code(secret))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", name="Keep these recovery codes")).to_be_visible()
    other = site.context(java_script_enabled=False).new_page()
    other.goto("/memories/")
    enter(other, email)
    expect(other.get_by_role("heading", name="One more step")).to_be_visible()
    other.get_by_label("Code").fill(code(secret, 1))
    other.get_by_role("button", name="Sign in", exact=True).click()
    expect(other.get_by_role("heading", name="Memories")).to_be_visible()


@pytest.mark.slow
@pytest.mark.conformance("W07")
def test_an_admin_invites_somebody_who_comes(site: RunningSite) -> None:
    page = site.sign_in("ada", java_script_enabled=False)
    page.get_by_role("link", name="People and groups").first.click()
    page.get_by_role("link", name="Invite somebody").click()
    page.get_by_label("E-mail").fill(f"nora-{secrets.token_hex(4)}@new.example")
    page.get_by_label("Name").fill("Nora")
    page.get_by_role("button", name="Make the link").click()
    link = page.locator("#invite-link").text_content()
    nora = site.context().new_page()
    nora.goto(re.sub(r"^https?://[^/]+", "", link))
    nora.get_by_label("Choose a password").fill("four odd words here")
    nora.get_by_role("button", name="Set the password and sign in").click()
    expect(nora.get_by_role("heading", name="Overview")).to_be_visible()
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Nora").click()
    page.get_by_label("Viewer").check()
    page.get_by_role("button", name="Save the role").click()
    expect(page.get_by_text("Nora is now viewer.")).to_be_visible()
