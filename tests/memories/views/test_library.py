"""The list of memories: recall as you type, the newest, and why it is empty."""

import re

import pytest

from memories.browsing import selection
from memories.indexing import exact_scan
from memories.retrieval.candidates import readable_row_count
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import PEOPLE, World

HTMX = {"HX-Request": "true"}


def test_signing_in_comes_first(world: World, client) -> None:
    response = client.get("/memories/?q=launch")
    assert response["Location"] == "/accounts/login/?next=/memories/%3Fq%3Dlaunch"
    partial = client.get("/memories/?q=launch", headers=HTMX)
    assert partial["HX-Redirect"].startswith("/accounts/login/")


@pytest.mark.parametrize("name", PEOPLE)
def test_every_role_sees_the_list_and_only_writers_may_add(world: World, name: str) -> None:
    client = make_signed_in_client(world.here, name)
    page = response_text(client.get("/memories/"))
    assert "<h1>Memories</h1>" in page
    assert ("/memories/add/" in page) is (name != "vera")
    assert ("/robots/" in page) is (name in ("ada", "chidi"))


@pytest.mark.parametrize("url", ["/memories/", "/memories/?q=secret+plan", "/"])
def test_nobody_sees_what_is_private_to_mina(world: World, url: str) -> None:
    here = world.here
    here.remember(here.person("mina"), "A secret plan of Mina.", visibility="private")
    for name in PEOPLE:
        # What was asked stands in the field; the memory itself in nobody else's list.
        page = response_text(make_signed_in_client(here, name).get(url))
        assert ("of Mina." in page) is (name == "mina"), name
        assert ("data-row-link" in page) is (name == "mina"), name


def test_another_organisation_is_never_mixed_in(world: World) -> None:
    world.there.remember(world.there.robot("aria"), "Their office closes at nine.")
    page = response_text(make_signed_in_client(world.here, "ada").get("/memories/?q=office+closes"))
    assert "No match" in page
    assert "nine" not in page


def test_a_row_says_who_when_where_and_who_may_read(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The launch is in May.", group="launch", speaker="Caroline")
    page = response_text(make_signed_in_client(here, "mina").get("/memories/?q=launch"))
    assert "“Caroline” to aria" in page
    [sheet] = re.findall(r'href="(/memories/[^"]+/readers/)" data-readers', page)
    told = response_text(make_signed_in_client(here, "mina").get(sheet))
    assert "2 people and 1 robot in #launch can read this." in told
    assert "<mark>launch</mark>" in page
    assert "1 memory</span>, best first" in page


def test_htmx_gets_the_results_alone(world: World) -> None:
    client = make_signed_in_client(world.here, "mina")
    part = response_text(client.get("/memories/?q=x1y2", headers=HTMX))
    assert part.lstrip().startswith('<section id="results"')
    assert "<html" not in part
    back = client.get("/memories/?q=x1y2", headers=HTMX | {"HX-History-Restore-Request": "true"})
    assert "<html" in response_text(back)


@pytest.mark.conformance("W15")
def test_it_says_why_it_is_empty(world: World) -> None:
    mina, vera = (
        make_signed_in_client(world.here, "mina"),
        make_signed_in_client(world.here, "vera"),
    )
    assert "Nothing here yet" in response_text(mina.get("/memories/"))
    assert "Add the first memory" in response_text(mina.get("/memories/"))
    assert "Add the first memory" not in response_text(vera.get("/memories/"))
    assert "No match" in response_text(mina.get("/memories/?q=unheard"))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?q=" + "a" * 3000, 200),
        ("?q=%00", 200),
        ("?q=%ED%A0%80", 200),
        ("?before=nonsense", 200),
        ("?group=00000000-0000-7000-8000-000000000000", 404),
        ("?group=design", 404),
        ("?q=launch&group=design", 404),
        ("?group=%00", 200),
    ],
)
def test_forged_questions(world: World, query: str, status: int) -> None:
    # Bob is in #launch, not in #design: for him that group does not exist.
    assert make_signed_in_client(world.here, "bob").get("/memories/" + query).status_code == status


def test_asked_in_a_group_only_what_may_be_said_there(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "Launch talk about paint.", group="launch")
    here.remember(here.robot("aria"), "Design talk about paint.", group="design")
    here.remember(here.person("mina"), "My own note about paint.", visibility="private")
    here.remember(here.robot("aria"), "Paint for everyone.")
    mina = make_signed_in_client(here, "mina")
    for query in ("q=paint&group=launch", "group=launch"):
        page = response_text(mina.get(f"/memories/?{query}"))
        assert "talk about" in page
        for absent in ("Design talk", "My own note"):
            assert absent not in page.replace("<mark>", "").replace("</mark>", "")


def test_leafing_through_the_newest(world: World) -> None:
    here = world.here
    for number in range(35):
        here.remember(here.robot("aria"), f"Fact number {number} of many.")
    client = make_signed_in_client(here, "mina")
    first = client.get("/memories/")
    assert response_text(first).count("data-row-link") == 30
    older = first.context["page"]["next_url"]
    second = client.get(older)
    assert response_text(second).count("data-row-link") == 5
    assert second.context["page"]["first_url"] == "/memories/"


@pytest.mark.parametrize("query", ["", "?q=many"])
def test_queries_do_not_grow_with_the_rows(world: World, query: str) -> None:
    here = world.here
    aria = here.robot("aria")

    def more(numbers: range) -> None:
        for n in numbers:
            here.remember(aria, f"Open fact {n} of many.")
            here.remember(aria, f"Group fact {n} of many.", group="launch")
            here.remember(here.person("mina"), f"Own fact {n} of many.", visibility="private")

    more(range(1))
    client = make_signed_in_client(here, "mina")
    few = count_queries(client, f"/memories/{query}")
    more(range(1, 9))
    # A count of readable rows may be known by now, which saves one.
    assert count_queries(client, f"/memories/{query}") <= few
    assert few <= 12


def test_a_large_scope_costs_no_more_than_a_page_may(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    for n in range(4):
        here.remember(here.robot("aria"), f"Open fact {n} of many.", category="event")
    here.embed()
    client = make_signed_in_client(here, "mina")
    for query in ("", "?q=fact+of+Mina", "?q=fact&category=event"):
        usual = response_text(client.get(f"/memories/{query}")).count("data-row-link")
        with monkeypatch.context() as patch:
            patch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 2)
            patch.setattr(selection, "MAX_EXACT_COUNT", 2)
            readable_row_count._cache.clear()
            # The first has to count what may be read; every page has one query to spare.
            assert count_queries(client, f"/memories/{query}") <= 12
            assert count_queries(client, f"/memories/{query}") <= 12
            found = response_text(client.get(f"/memories/{query}")).count("data-row-link")
        assert found == usual == 4, query
