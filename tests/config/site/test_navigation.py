"""What every page's frame says: how much waits for this person, as far as they may read it."""

import pytest
from django.test import Client

from memories.lifecycle.forget import forget_memory
from memories.review import waiting_count as counting
from memories.review.review_queue import count_progress
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import propose
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, World


def shown(client: Client) -> str:
    nav = next(i for i in client.get("/people/").context["nav"] if i["url"] == "/review/")
    return nav["count"]()


def test_the_count_is_of_what_this_person_may_decide(world: World) -> None:
    here = world.here
    items = [propose(here, content=f"The office has {n} doors.") for n in range(3)]
    for name in PEOPLE:
        actor = here.person(name)
        with resolve_principal(actor).scope():
            assert (
                counting.count_waiting(actor)
                == count_progress(resolve_principal(actor), NOW).waiting
            ), name
    chidi = make_signed_in_client(here, "chidi")
    assert (shown(chidi), shown(make_signed_in_client(here, "bob"))) == ("3", "")
    assert shown(make_signed_in_client(world.there, "chidi")) == ""
    forget_memory(here.person("bob"), items[0].memory_id, now=NOW)
    assert shown(chidi) == "2"
    assert '2<span class="visually-hidden"> waiting' in response_text(chidi.get("/people/"))


def test_it_costs_one_query_on_a_page_and_none_on_a_fragment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chidi, asked = make_signed_in_client(world.here, "chidi"), []
    before = count_queries(chidi, "/people/")
    monkeypatch.setattr(
        "config.site.navigation.count_waiting", lambda actor: asked.append(actor) or 100
    )
    assert count_queries(chidi, "/people/") == before - 1
    assert (len(asked), shown(chidi)) == (1, "99+")
    chidi.get("/memories/?q=door", headers={"HX-Request": "true", "HX-Target": "results"})
    assert len(asked) == 2


def test_the_architectures_are_for_those_who_choose_strategies(world: World) -> None:
    """No line of the rail; the playground and the palette lead there, for who may open it."""
    for name, may in {"ada": True, "chidi": True, "bob": False, "vera": False}.items():
        client = make_signed_in_client(world.here, name)
        frame = client.get("/people/").context
        assert "/architectures/" not in {item["url"] for item in frame["nav"]}
        assert ("/architectures/" in {one["url"] for one in frame["commands"]}) is may
        page = client.get("/architectures/")
        assert (page.status_code == 200) is may
        if may:
            [here] = [item["url"] for item in page.context["nav"] if item["current"]]
            assert here == "/playground/"
            assert (
                'href="/architectures/"'
                in response_text(client.get("/playground/")).split("<main")[1]
            )
