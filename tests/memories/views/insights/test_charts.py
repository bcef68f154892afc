"""Charts: a mark says its value, and the list that it opens has as many memories."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from memories.browsing.selection import READER_FILTERS
from memories.store.models.memory import Memory
from memories.views.browsing.list_filters import READER_LABELS
from memories.views.insights.tiers import CHART_NAMES
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Member
from tests.page_client import make_signed_in_client, response_text
from tests.sampling import mark_rest_slow
from tests.world import PEOPLE, Tenant, World

TOTAL = re.compile(r"([\d,]+) memor(?:y|ies) that you can read")
pytestmark = pytest.mark.conformance("W01")


def everything(here: Tenant) -> Scope:
    with organisation_scope(here.id):
        return Scope(here.id, tuple(Audience.objects.values_list("id", flat=True)))


def fill(here: Tenant) -> None:
    """Of each kind, tier and audience some, on days that are other ones in another zone."""
    aria, mina = here.robot("aria"), here.person("mina")
    now = timezone.now()
    made = [
        here.remember(aria, "Lunch is at noon.", tier="glacial").id,
        here.remember(aria, "The launch is on Tuesday.", group="launch").id,
        here.remember(aria, "The launch has a cake.", group="launch", occurred_at=now).id,
        here.remember(mina, "Mina alone knows.", visibility="private", tier="fast").id,
        here.remember(mina, "Another of hers.", visibility="private").id,
    ]
    with scope(everything(here)):
        for number, memory_id in enumerate(made):
            at = now - timedelta(days=2 * number, hours=5 * number)
            assert Memory.objects.filter(id=memory_id).update(created_at=at)


def total(page: str) -> int:
    found = TOTAL.search(page)
    return int(found[1].replace(",", "")) if found else 0


@pytest.mark.parametrize(
    "zone", mark_rest_slow(["Pacific/Kiritimati", "UTC", "America/Los_Angeles"], 1)
)
@pytest.mark.parametrize("name", ["mina", "bob"])
def test_the_list_behind_a_mark_has_as_many(world: World, name: str, zone: str) -> None:
    here = world.here
    fill(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members[name].id).update(time_zone=zone)
    client = make_signed_in_client(here, name)
    charts = {chart["title"]: chart for chart in client.get("/").context["charts"]}
    drawn = client.get("/tiers/").context["charts"]
    charts["tiers"] = drawn[CHART_NAMES.index("memories")]
    del charts["What robots brought in seven days"]
    opened = 0
    for title, chart in charts.items():
        for point in chart["values"]:
            assert bool(point["url"]) is bool(point["value"]), (title, point)
            if point["url"]:
                assert total(response_text(client.get(point["url"]))) == point["value"], (
                    title,
                    point,
                )
                opened += 1
    assert opened > 6


def test_a_robots_mark_opens_what_it_brought(world: World) -> None:
    fill(world.here)
    client = make_signed_in_client(world.here, "mina")
    [chart] = [one for one in client.get("/").context["charts"] if "robots" in one["title"]]
    for point in chart["values"]:
        assert total(response_text(client.get(point["url"]))) >= point["value"]
    assert "all that it ever brought" in chart["meaning"]


def test_every_memory_is_in_the_chart_of_readers(world: World) -> None:
    fill(world.here)
    for name in PEOPLE:
        found = make_signed_in_client(world.here, name).get("/").context
        [chart] = [one for one in found["charts"] if one["title"] == "Who may read them"]
        assert str(sum(point["value"] for point in chart["values"])) == found["stats"][0]["value"]


def test_every_audience_of_people_is_one_of_the_readers() -> None:
    kinds = [kind for several in READER_FILTERS.values() for kind in several]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == set(AudienceType) - {AudienceType.ROBOT, AudienceType.TEAM}
    assert set(READER_FILTERS) == set(READER_LABELS)


def test_a_search_stays_within_a_day_and_an_import(world: World) -> None:
    """No recall narrows by these: the words are looked for in the list."""
    here = world.here
    here.remember(here.robot("aria"), "The launch is on Tuesday.")
    client = make_signed_in_client(here, "mina")
    today, before = timezone.now().date(), date(2020, 1, 1)
    assert "on Tuesday" in response_text(client.get("/memories/?q=launch"))
    with scope(everything(here)):
        assert Memory.objects.update(created_at=timezone.now())
    assert "on Tuesday" in response_text(client.get(f"/memories/?q=launch&came={today}"))
    assert "on Tuesday" not in response_text(client.get(f"/memories/?q=launch&came={before}"))
    nothing = "/memories/?q=launch&brought=01990000-0000-7000-8000-00000000dead"
    assert "on Tuesday" not in response_text(client.get(nothing))


def test_a_search_stays_within_the_readers(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The launch is on Tuesday.")
    here.remember(here.person("mina"), "The launch frightens her.", visibility="private")
    here.embed()
    page = response_text(
        make_signed_in_client(here, "mina").get("/memories/?q=launch&readers=member")
    )
    assert "frightens" in page
    assert "on Tuesday" not in page


def drawn(kind: str, **more: Any) -> str:
    values = [
        {"label": "3 May", "value": 4, "url": "/memories/?came=2026-05-03"},
        {"label": "4 May", "value": 0},
        {"label": "5 May", "value": 2},
    ]
    chart = {"title": "Learned", "sentence": "6", "kind": kind, "unit": "memories"}
    chart |= {"max": 4, "values": values, **more}
    return render_to_string("components/chart.html", {"chart": chart})


def test_each_mark_says_its_value_to_keyboard_and_pointer() -> None:
    page = drawn("columns")
    marks = re.findall(r'<(a|div) class="mark"([^>]*)>', page)
    assert [tag for tag, _ in marks] == ["a", "div", "div"]
    assert 'href="/memories/?came=2026-05-03"' in marks[0][1]
    assert "tabindex" not in marks[1][1], "nothing is drawn for a zero"
    assert 'tabindex="0"' in marks[2][1]
    for _, attributes in (marks[0], marks[2]):
        assert re.search(r'aria-label="\d May: \d memories"', attributes)
    assert all(re.search(r'data-value="\d May: \d"', attributes) for _, attributes in marks)


@pytest.mark.parametrize("kind", ["columns", "line", "bars"])
def test_a_chart_says_what_longer_means_and_has_a_table(kind: str) -> None:
    page = drawn(kind)
    assert "not better" in page
    assert "Shorter is better." in drawn(kind, meaning="Shorter is better.")
    assert page.count("<td>") == 3
