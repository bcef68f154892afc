"""Robots in the browser: registry, key rotation, activity, and which robot said what.

The numbers on the pages are compared with SQL that shares nothing with the product's.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import product

import pytest
from django.db import connections
from django.utils import timezone
from playwright.sync_api import Page, expect
from rest_framework.test import APIClient

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import set_confidential
from robots.models.teams import TeamRobot
from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width
from tests.journeys.test_accessibility import findings
from tests.memories.views.memory.test_thread import say
from tests.world import Tenant

pytestmark = pytest.mark.browser
# What everyone reads: by robot what it wrote, all and of the last week, and of a topic.
_COUNTED = """
SELECT m.robot_id, count(*),
    count(*) FILTER (WHERE m.created_at >= now() - interval '7 days'),
    count(*) FILTER (WHERE m.content ILIKE '%%crane%%')
FROM memories_memory m, orgs_audience a
WHERE m.organisation_id = %s AND m.status = 'active'
    AND a.id = m.audience_id AND a.kind = 'organisation'
GROUP BY m.robot_id
"""


def counted(here: Tenant) -> dict[str, tuple[int, int, int]]:
    with organisation_scope(here.id, using="worker"), connections["worker"].cursor() as cursor:
        cursor.execute(_COUNTED, [here.id])
        names = {robot.id: name for name, robot in here.robots.items()}
        return {names[id_]: tuple(numbers) for id_, *numbers in cursor.fetchall()}


def tell(here: Tenant) -> None:
    """aria brought three of the crane, bolt one; a fourth is Mina's alone."""
    now = timezone.now()
    for number, (name, days) in enumerate((("aria", 5), ("bolt", 5), ("aria", 5), ("aria", 9))):
        draft = Draft(
            content=f"The crane, note {number}.", occurred_at=now - timedelta(days=number)
        )
        remember(here.robot(name), draft, now=now - timedelta(days=days))
    mill = Draft(content="The mill turns.")
    remember(here.robot("bolt"), mill, now=now - timedelta(days=5))
    here.remember(here.person("mina"), "My own crane.", visibility="private")


def entry(page: Page, name: str) -> Page:
    return page.locator(".robot-entry").filter(has=page.get_by_role("heading", name=name))


def opens(key: str) -> bool:
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {key}")
    return bool(client.get("/api/v1/robots").status_code == 200)


@pytest.mark.slow
@pytest.mark.conformance("W08")
def test_a_robot_is_registered_and_its_key_replaced(page_of: Callable[[str], Page]) -> None:
    page = page_of("ada")
    page.goto("/robots/")
    form = page.locator("#new-robot")
    form.get_by_label("Name").fill("Dora")
    form.get_by_label("Personality").fill("Kind and brief.")
    form.get_by_role("button", name="Add the robot").click()
    dora = entry(page, "Dora")
    expect(dora.get_by_text("Kind and brief.").first).to_be_visible()
    expect(dora.get_by_text("Wrote nothing yet that you may read")).to_be_visible()
    dora.get_by_text("New key").click()
    dora.get_by_label("What is it for").fill("Test")
    dora.get_by_role("button", name="Make the key").click()
    first = page.locator("#new-key").inner_text()
    assert opens(first)
    for choice, stays in (("In a day, so that nothing stops", True), ("At once", False)):
        before = page.locator("#new-key").inner_text()
        dora.locator("tbody tr", has_text=before.split("_")[2]).get_by_text("Renew").click()
        dora.get_by_role("button", name=choice).locator("visible=true").click()
        expect(page.locator("#new-key")).not_to_have_text(before)
        assert opens(before) is stays, choice
        assert opens(page.locator("#new-key").inner_text())
    expect(dora.get_by_text("Expired")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.conformance("W08")
def test_activity_and_who_said_it(site: RunningSite, page_of: Callable[[str], Page]) -> None:
    here = site.world.here
    tell(here)
    numbers = counted(here)
    assert numbers == {"aria": (3, 2, 3), "bolt": (2, 2, 1)}, "or the pages could say anything"
    page = page_of("ada")
    page.goto("/robots/")
    for name, (all_, lately, _) in numbers.items():
        words = f"Wrote {all_} memories, {lately} in the last 7 days"
        expect(entry(page, name).get_by_text(words)).to_be_visible()
    page.get_by_role("link", name="Who said what").last.click()
    page.get_by_label("Topic").fill("crane")
    page.get_by_label("Topic").press("Enter")
    words = page.locator(".said-words")
    expect(words).to_have_text([f"The crane, note {number}." for number in (3, 2, 1, 0)])
    bars = page.locator(".said-robots .bars > div")
    expect(bars).to_have_count(2)
    shown = [re.split(r"\s+", one.strip()) for one in bars.all_inner_texts()]
    assert {name: int(count) for name, count in shown} == {
        name: topic for name, (_, _, topic) in numbers.items()
    }
    words.first.click()
    expect(page.get_by_text("The crane, note 3.").first).to_be_visible()
    expect(page).to_have_url(re.compile("/memories/"))


@pytest.mark.slow
@pytest.mark.conformance("W08")
def test_a_team_is_made_and_shows_who_is_active(
    site: RunningSite, page_of: Callable[[str], Page]
) -> None:
    here = site.world.here
    page = page_of("ada")
    page.goto("/robots/teams/")
    page.get_by_label("Name").fill("Coding")
    page.get_by_role("button", name="Make the team").click()
    expect(page.get_by_role("heading", name="Coding").first).to_be_visible()
    for name in ("aria", "bolt"):
        page.get_by_label("Robot", exact=True).select_option(label=name)
        page.get_by_role("button", name="Put into the team").click()
        expect(page.get_by_text(name).first).to_be_visible()
    with organisation_scope(here.id):
        seats = TeamRobot.objects.filter(organisation_id=here.id)
        found = dict(seats.values_list("robot__name", "status"))
    assert found == {"aria": "active", "bolt": "passive"}
    page.goto("/robots/")
    for name in found:
        expect(entry(page, name).get_by_role("link", name="Coding")).to_be_visible()
    expect(entry(page, "clio").get_by_role("link", name="Coding")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), [("light", 320), ("dark", 1280)])
def test_axe_finds_nothing(site: RunningSite, theme: str, width: int) -> None:
    here = site.world.here
    tell(here)
    long = "a-very-" * 25 + "long-name"
    here.add_robot(long, scopes=("write",))
    here.remember(here.robot(long), "The crane " + "x" * 300)
    page = site.sign_in("ada", color_scheme=theme, viewport={"width": width, "height": 800})
    seats, said = f"/robots/{here.robots['aria'].id}/groups/", "/said/?topic="
    asked = (f"{said}crane", f"{said}zebra")
    for url in ("/robots/", seats, "/said/", *asked, "/me/accounts/"):
        page.goto(url)
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, url
    page.goto("/robots/")
    entry(page, "aria").get_by_text("Renew").click()
    expect(page.get_by_role("button", name="At once").locator("visible=true")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
@pytest.mark.conformance("W17", "W22")
@pytest.mark.parametrize(("theme", "width"), [*product(("light", "dark"), (320, 1280))])
def test_from_the_list_to_what_one_recall_was_served(
    site: RunningSite, theme: str, width: int
) -> None:
    """Facts stand before chats on the robot's page; its groups are chosen; a trace is opened."""
    here = site.world.here
    fact = here.remember(here.robot("aria"), "The zebra sleeps at noon.").id
    say(here, "mina", "Agreed.", 1)
    group = here.groups["launch"]
    set_confidential(actor=here.person("ada"), group=group, confidential=False, now=timezone.now())
    recall(here.robot("aria"), Query(text="zebra"), now=timezone.now())
    page = site.sign_in("ada", color_scheme=theme, viewport={"width": width, "height": 800})
    page.goto("/robots/")
    page.get_by_role("link", name="aria", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("aria")
    expect(page.locator(f'table a[href="/memories/{fact}/"]').first).to_be_visible()
    expect(page.get_by_text("Conversation in #launch")).to_be_visible()
    expect(page.get_by_text("Agreed.")).to_have_count(0)
    assert findings(page) == []
    assert laid_out_width(page, width) <= width
    page.get_by_role("link", name="Keys and groups").click()
    entry(page, "aria").get_by_role("link", name="Choose its groups").click()
    assert findings(page) == []
    page.get_by_role("button", name="Save the groups").click()
    expect(page.get_by_text("What it reads has changed at once.")).to_be_visible()
    page.get_by_role("link", name="Traces").click()
    # The table of the chart has an hour in each row, and leads nowhere.
    expect(page.locator("table tbody tr:has(a)")).to_have_count(1)
    assert findings(page) == []
    assert laid_out_width(page, width) <= width
    page.locator("table tbody a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A recall by aria")
    expect(page.get_by_text("The zebra sleeps at noon.")).to_be_visible()
    assert findings(page) == []
    assert laid_out_width(page, width) <= width
