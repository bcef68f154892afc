"""The knowledge map (X13): what it counts for whom, its picture, and what it costs."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.insights import knowledge_map
from memories.insights.knowledge_map import MapPeriod, MapRequest, choose_day, divide_days
from memories.views.experts.treemap import Rectangle, layout_treemap
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from tests.memories.knowledge_graph.test_write_graph import member
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def _tell(here: Tenant, many: int, *, topic: str = "Samba", group: str = "launch") -> None:
    people = ("bob", "mina") if group == "launch" else ("mina",)
    for n in range(many):
        who = people[n % len(people)]
        here.remember(
            here.robot("aria"),
            f"{topic} shares printer {n}",
            group=group,
            speaker=member(here, who),
        )


def _map(here: Tenant, who: str, **query: object) -> str:
    return unescape(response_text(make_signed_in_client(here, who).get("/map/", query)))


def _topic(page: str, name: str) -> str:
    """The id of a topic, from its area."""
    [found, *_] = re.findall(rf'topic=([0-9a-f-]+)" aria-label="{name}: ', page)
    return str(found)


def test_only_what_the_asker_reads_is_drawn_and_counted(world: World) -> None:
    here = world.here
    _tell(here, 3)
    bob = _map(here, "bob")
    assert "Samba: 3 memories; shown by Bob, Mina" in bob
    assert '<a class="chip" href="/map/?person=' in bob
    ada = _map(here, "ada")
    assert "Nothing here yet" in ada
    assert "Samba" not in ada
    assert "Bob" not in ada
    assert "Samba" not in _map(world.there, "bob")


def test_a_hidden_memory_changes_no_number(world: World) -> None:
    here = world.here
    _tell(here, 2)
    before = _map(here, "bob")
    # Of a group that Bob does not read.
    _tell(here, 3, group="design")
    assert "Samba: 2 memories" in before
    assert "Samba: 2 memories" in _map(here, "bob")


def test_what_is_left_out_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    _tell(here, 5)
    whole = _map(here, "bob")
    readable = len(here.readable(here.person("bob")))
    assert f"{readable} memories that you may read, until" in whole
    topic = _topic(whole, "Samba")
    monkeypatch.setattr(knowledge_map, "MAX_LISTED", 2)
    chosen = _map(here, "bob", topic=topic)
    assert "5 memories name it, the newest 2 of them here." in chosen
    assert chosen.count('class="memory-text"') == 2
    monkeypatch.setattr(knowledge_map, "MAX_COUNTED", 3)
    capped = _map(here, "bob")
    assert "The newest 3 memories that you may read" in capped
    assert "Samba: 3 memories" in capped


def test_a_topic_and_a_person_list_what_was_counted(world: World) -> None:
    here = world.here
    _tell(here, 3)
    page = _map(here, "bob")
    topic = _topic(page, "Samba")
    chosen = _map(here, "bob", topic=topic)
    assert chosen.count('class="memory-text"') == 3
    assert "3 memories name it." in chosen
    assert 'aria-current="true" aria-label="Samba: 3 memories' in chosen
    person = page.split('href="/map/?person=')[1].split('"')[0]
    shown = _map(here, "bob", person=person)
    assert "2 memories show what they know." in shown
    assert shown.count('class="memory-text"') == 2
    elsewhere = _map(here, "bob", topic=str(here.id))
    assert 'class="memory-text"' not in elsewhere


def test_who_is_named_is_no_topic_and_who_is_gone_no_person(world: World) -> None:
    here = world.here
    _tell(here, 2)
    page = _map(here, "bob")
    assert "Bob: " not in page
    people = page[page.index('class="map-people"') : page.index('class="map-time"')]
    assert people.count('class="chip"') == 2


def test_the_map_ends_with_the_chosen_day(world: World) -> None:
    here = world.here
    _tell(here, 2)
    remember(
        here.robot("aria"),
        Draft(content="Samba shares a folder", group="launch", speaker=member(here, "bob")),
        now=timezone.now(),
    )
    here.read()
    later = (NOW + timedelta(days=3)).date().isoformat()
    assert "Samba: 3 memories" in _map(here, "bob")
    assert "Samba: 2 memories" in _map(here, "bob", until=later)
    assert "Samba: 2 memories" in _map(here, "bob", period=1)
    assert "Samba: 3 memories" in _map(here, "bob", period=24)
    assert "Samba: 3 memories" in _map(here, "bob", until="2999-01-01", period="no")


def test_without_the_graph_it_says_so(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(projections=[])
    assert "Switched off" in _map(here, "bob")


def test_the_page_costs_the_same_for_more(world: World) -> None:
    client = make_signed_in_client(world.here, "bob")
    _tell(world.here, 2)
    page = response_text(client.get("/map/"))
    topic = _topic(page, "Samba")
    few = count_queries(client, f"/map/?topic={topic}")
    _tell(world.here, 12)
    assert count_queries(client, f"/map/?topic={topic}") == few <= 13


def test_areas_fill_the_paper_in_proportion() -> None:
    numbers = [18, 16, 14, 13, 12, 7, 7, 4, 1, 1]
    paper = Rectangle(0, 0, 960, 420)
    areas = layout_treemap(numbers, paper)
    total = paper.width * paper.height
    for number, one in zip(numbers, areas, strict=True):
        assert one.width * one.height == pytest.approx(number * total / sum(numbers))
        assert 0 <= one.x <= one.x + one.width <= 960.001
        assert 0 <= one.y <= one.y + one.height <= 420.001
    for at, one in enumerate(areas):
        for other in areas[at + 1 :]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert across < 0.001 or down < 0.001, "no two overlap"
    assert layout_treemap([], paper) == []


def test_periods_are_whole_days_and_end_today() -> None:
    today = date(2026, 11, 28)
    [only] = divide_days([(today, 3)], today)
    assert only == MapPeriod(today, today, 3)
    days = [(today - timedelta(days=99), 1), (today - timedelta(days=4), 2), (today, 3)]
    periods = divide_days(days, today)
    assert len(periods) == 20, "a hundred days in fives"
    assert [one.memories for one in periods] == [1, *[0] * 18, 5]
    assert periods[0].first == days[0][0]
    assert periods[-1].last == today
    assert choose_day(periods, MapRequest()) == today
    assert choose_day(periods, MapRequest(period=99)) == today
    assert choose_day(periods, MapRequest(until=date(1999, 1, 1))) == days[0][0]
