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
    assert '2</span><span class="visually-hidden"> waiting' in response_text(chidi.get("/people/"))


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


def test_index_layouts_are_for_those_who_choose_strategies(world: World) -> None:
    """No line of the rail; the playground and the palette lead there, for who may open it."""
    for name, may in {"ada": True, "chidi": True, "bob": False, "vera": False}.items():
        client = make_signed_in_client(world.here, name)
        frame = client.get("/people/").context
        assert "/layouts/" not in {item["url"] for item in frame["nav"]}
        assert ("/layouts/" in {one["url"] for one in frame["commands"]}) is may
        page = client.get("/layouts/")
        assert (page.status_code == 200) is may
        if may:
            [here] = [item["url"] for item in page.context["nav"] if item["current"]]
            assert here == "/playground/"
            assert 'href="/layouts/"' in response_text(client.get("/playground/")).split("<main")[1]


def test_acts_are_found_by_who_may_do_them(world: World) -> None:
    """Each address that the palette names opens for who is told of it."""
    labels = {}
    for name in PEOPLE:
        client = make_signed_in_client(world.here, name)
        commands = client.get("/people/").context["commands"]
        labels[name] = {one["label"] for one in commands}
        for one in commands:
            assert client.get(one["url"].partition("#")[0]).status_code == 200, (name, one)
    for words in ("Erase me", "Sign out", "Forget everything", "Time zone"):
        assert all(any(label.startswith(words) for label in known) for known in labels.values())
    told = {name for name, known in labels.items() if any("New memory" in one for one in known)}
    opens = {
        name
        for name in PEOPLE
        if make_signed_in_client(world.here, name).get("/memories/add/").status_code == 200
    }
    assert told == opens
    assert "vera" not in told


def test_a_refusal_says_its_own_reason(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "Name the `member`: whether they read it is asked."

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(reason)

    monkeypatch.setattr("memories.views.memory.detail.memory_pages.get_detail_page", refuse)
    kept = world.here.remember(world.here.person("ada"), "The door is green.").id
    page = make_signed_in_client(world.here, "ada").get(f"/memories/{kept}/")
    shown = response_text(page)
    assert page.status_code == 403
    assert "This is not allowed" in shown
    assert "Name the “member”: whether they read it is asked." in shown
    assert "Your role does not allow this" not in shown
