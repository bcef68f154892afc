"""The page of who knows what (W10): what it shows to whom, why it is empty, what it costs."""

from html import unescape

import pytest

from memories.retrieval.experts.topic_map import TopicMap
from memories.views.experts.graph_drawing import NARROW, WIDE, draw_graphs, initials
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from tests.memories.knowledge_graph.test_write_graph import member
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import World


def _people(world: World, many: int) -> None:
    here = world.here
    for n in range(many):
        who = ("bob", "mina")[n % 2]
        here.remember(
            here.robot("aria"),
            f"Samba shares printer {n}",
            group="launch",
            speaker=member(here, who),
        )


@pytest.mark.conformance("W10")
def test_people_evidence_picture_and_table(world: World) -> None:
    _people(world, 3)
    here = world.here
    page = response_text(make_signed_in_client(here, "bob").get("/experts/", {"topic": "samba"}))
    assert "2 people show what they know about samba" in page
    people = page[page.index('class="experts"') :]
    assert people.index("You</h2>") < people.index("Mina</h2>"), "who showed more comes first"
    assert page.count('class="graph-person"') == 4, "two people in either layout"
    assert "<table" in page
    assert "<mark>Samba</mark> shares printer 0" in page
    assert 'href="/memories/' in page
    ada = unescape(
        response_text(make_signed_in_client(here, "ada").get("/experts/", {"topic": "samba"}))
    )
    assert "Nobody has shown it yet" in ada
    assert "printer" not in ada
    there = response_text(
        make_signed_in_client(world.there, "bob").get("/experts/", {"topic": "samba"})
    )
    assert "printer" not in there


def test_the_empty_page_says_why(world: World) -> None:
    here = world.here
    client = make_signed_in_client(here, "bob")
    assert "Nothing here yet" in response_text(client.get("/experts/"))
    _people(world, 1)
    asked = response_text(client.get("/experts/"))
    assert "Ask for a topic" in asked
    assert 'href="/experts/?topic=Samba"' in asked
    alone = response_text(client.get("/experts/", {"topic": "zebra", "group": "launch"}))
    assert "Look in all groups" in alone
    assert client.get("/experts/", {"group": "design"}).status_code == 404
    assert client.get("/experts/", {"group": "nowhere"}).status_code == 404
    assert "Shorten it" in response_text(client.get("/experts/", {"topic": "x" * 301}))
    fragment = response_text(
        client.get("/experts/", {"topic": "samba"}, headers={"HX-Request": "true"})
    )
    assert "<h1>" not in fragment
    assert "Bob" in fragment or "You" in fragment
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(projections=[])
    assert "Switched off" in response_text(client.get("/experts/", {"topic": "zebra"}))


def test_the_page_costs_the_same_for_more(world: World) -> None:
    client = make_signed_in_client(world.here, "bob")
    _people(world, 2)
    client.get("/experts/?topic=samba")  # counts the scope, once a minute
    few = count_queries(client, "/experts/?topic=samba")
    _people(world, 12)
    assert count_queries(client, "/experts/?topic=samba") == few <= 12
    assert count_queries(client, "/experts/") <= 12


def test_nothing_in_the_picture_leaves_the_paper() -> None:
    assert draw_graphs("samba", TopicMap(), "")[0]["people"] == []
    assert (initials("Ada Lovelace"), initials("bob2"), initials("_x_")) == ("AL", "Bo", "_x")
    for paper in (WIDE, NARROW):
        reach = paper.letters * 7 / 2 + 9
        assert paper.things[0] + reach <= paper.width / 2
        assert paper.things[1] + 12 <= paper.height / 2
