"""An admin makes a webhook, tests it, sees what was not taken, sends it again and removes it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Page, expect

from memories.webhooks.models import DeliveryState, WebhookDelivery
from orgs.database.rls import organisation_scope
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.webhooks.receiver import Receiver, pump, receiving, verify
from tests.world import Tenant

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W12")]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    allowed = override_settings(WEBHOOK_HTTP=True, WEBHOOK_PRIVATE_HOSTS=frozenset({"127.0.0.1"}))
    with allowed, receiving() as found:
        yield found


def look(page: Page, name: str) -> None:
    """Narrow and wide: it fits, and axe finds nothing."""
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert laid_out_width(page, width) <= width
        assert findings(page) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


def give_up(here: Tenant) -> None:
    """As after twelve attempts."""
    with organisation_scope(here.id, using="worker"):
        WebhookDelivery.objects.using("worker").filter(organisation_id=here.id).update(
            state=DeliveryState.DEAD, attempts=12, status=500, error="status"
        )


def send_again(here: Tenant, page: Page, receiver: Receiver, name: str) -> None:
    """From the page of an endpoint with one delivery. name: of pictures, if any."""
    give_up(here)
    page.reload()
    expect(page.get_by_text("1 message was given up")).to_be_visible()
    if name:
        look(page, name)
    page.get_by_label("Any state").select_option("sent")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("No match")).to_be_visible()
    page.get_by_role("link", name="See them").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Send again").click()
    pump(here)
    page.reload()
    expect(page.get_by_text("Delivered")).to_be_visible()
    assert len(receiver.requests) == 2
    page.get_by_role("button", name="Send it again").click()
    give_up(here)
    page.get_by_role("link", name="All deliveries").click()
    page.get_by_role("button", name="Send all of them again").click()
    expect(page.get_by_text("1 message is sent again.")).to_be_visible()
    pump(here)
    assert len(receiver.requests) == 3


@pytest.mark.parametrize(
    ("theme", "script"),
    [
        ("light", True),
        pytest.param("dark", True, marks=pytest.mark.slow),
        pytest.param("light", False, marks=pytest.mark.slow),
    ],
)
def test_a_webhook_from_its_making_to_its_removal(
    site: RunningSite, receiver: Receiver, theme: str, script: bool
) -> None:
    here, name = site.world.here, f"webhooks-{theme}-{script}"
    page = site.sign_in("ada", color_scheme=theme, java_script_enabled=script)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="Webhooks", exact=True).click()
    page.get_by_role("button", name="Make the webhook").click()
    expect(page.get_by_text("Choose at least one event.")).to_be_visible()
    if script:
        look(page, f"{name}-new")
    page.get_by_label("Address").fill(receiver.url)
    page.get_by_label("(memory.created)").check()
    page.get_by_role("button", name="Make the webhook").press("Enter")
    secret = page.locator("#new-secret").inner_text()
    assert secret.startswith("whsec_")
    if script:
        look(page, f"{name}-made")
    page.get_by_role("button", name="Send a test").press("Enter")
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    pump(here)
    if not script:
        page.reload()
    # With JavaScript the page asks again by itself.
    expect(page.get_by_text("Delivered")).to_be_visible()
    [request] = receiver.requests
    assert verify(secret, request)
    if script:
        look(page, f"{name}-delivery")
    page.get_by_role("link", name="All deliveries").click()
    assert secret not in page.content()

    send_again(here, page, receiver, f"{name}-dead" if script else "")
    page.get_by_role("button", name="Rotate the secret").click()
    assert page.locator("#new-secret").inner_text() not in (secret, "")
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_text("You switched it off.")).to_be_visible()
    expect(page.get_by_role("button", name="Send a test")).to_have_count(0)
    if script:
        look(page, f"{name}-off")
    page.get_by_role("link", name="Remove").click()
    if script:
        look(page, f"{name}-remove")
    page.get_by_role("button", name="Remove the webhook").click()
    expect(page.get_by_text("The webhook was removed")).to_be_visible()
    assert receiver.url not in page.locator("main").inner_text()
