"""The list of memories for those who work in it: totals, order, columns, views in the rail (W03).

What the page counts is counted here by other questions: through `readable`, memory by memory.
"""

import json
import re
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client

from memories.browsing import saved_views, selection
from memories.store.models.memory import Memory
from memories.store.models.use import Use
from orgs.principals import resolve_principal
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.sampling import mark_rest_slow
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("W03")
HTMX = {"HX-Request": "true"}
PANEL = HTMX | {"HX-Target": "panel-body"}
ORDERS = ("", *selection.SORT_KEYS, *(f"-{key}" for key in selection.SORT_KEYS))


def shown(page: str) -> list[UUID]:
    return [UUID(one) for one in re.findall(r'data-row data-id="([^"]+)"', page)]


def some(here: Tenant) -> list[UUID]:
    """For everyone, a group, some people and one; of several categories, ages and uses."""
    aria, mina = here.robot("aria"), here.person("mina")
    placed = [
        (aria, "b Paint is blue.", {"category": "org_policy"}),
        (aria, "a Launch is near.", {"group": "launch", "category": "event"}),
        (mina, "d My own note.", {"visibility": "private"}),
        (aria, "c Nothing special.", {"occurred_at": NOW.replace(year=2020)}),
        (aria, "c The same letter.", {"group": "design", "category": "event"}),
    ]
    return [here.remember(who, content, **more).id for who, content, more in placed]


def used(here: Tenant, memory_id: UUID, times: int, *, by: str = "ada") -> None:
    with resolve_principal(here.person(by)).scope():
        memory = Memory.objects.get(id=memory_id)
        Use.objects.update_or_create(
            memory=memory,
            defaults={
                "organisation_id": memory.organisation_id,
                "audience_id": memory.audience_id,
                "kind": memory.kind,
                "tier": "slow",
                "access_count": times,
            },
        )


def test_the_total_is_what_each_person_can_read(world: World) -> None:
    here = world.here
    some(here)
    world.there.remember(world.there.robot("aria"), "Theirs.")
    for name in ("ada", "chidi", "mina", "bob", "vera"):
        number = len(here.readable(here.person(name)))
        words = "1 memory" if number == 1 else f"{number} memories"
        page = response_text(make_signed_in_client(here, name).get("/memories/"))
        assert f">{words} that you can read</span>" in page, name
        assert len(shown(page)) == number
        assert set(shown(page)) == here.readable(here.person(name))
    page = response_text(make_signed_in_client(here, "mina").get("/memories/?category=event"))
    assert ">2 memories that you can read fit these filters</span>" in page
    page = response_text(make_signed_in_client(here, "bob").get("/memories/?category=event"))
    assert ">1 memory that you can read fits these filters</span>" in page
    part = response_text(
        make_signed_in_client(here, "bob").get("/memories/?category=event", headers=HTMX)
    )
    assert ">1 memory that you can read fits these filters</span>" in part


KEYS = {
    "text": lambda m: m.content[:60].lower(),
    "readers": lambda m: ["organisation", "group", "explicit", "member"].index(m.audience.kind),
    "category": lambda m: str(m.get_category_display()) or "~",
    "age": lambda m: m.occurred_at or m.created_at,
    "use": lambda m: m.access_count,
}


@pytest.mark.parametrize("order", mark_rest_slow(ORDERS, 2))
def test_each_order_is_true_over_the_pages(
    world: World, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    here = world.here
    ids = some(here)
    used(here, ids[0], 2)
    used(here, ids[3], 7)
    monkeypatch.setattr("memories.browsing.memory_pages.PAGE_SIZE", 2)
    client, url, found = make_signed_in_client(here, "mina"), f"/memories/?sort={order}", []
    while url:
        answer = client.get(url)
        found += shown(response_text(answer))
        assert count_queries(client, url) <= 12
        url = answer.context["page"]["next_url"]
    with resolve_principal(here.person("mina")).scope():
        rows = list(Memory.objects.select_related("audience", "use").order_by("-id"))
        rows = [m for m in rows if m.id in set(ids)]
        if order:
            key, falling = KEYS[order.removeprefix("-")], order.startswith("-")
            rows.sort(key=key, reverse=falling)
    assert found == [m.id for m in rows]


def test_an_order_without_an_index_has_a_bound_and_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    ids = some(here)
    for module, name in ((selection, "MAX_SORTED_ROWS"), (selection, "MAX_EXACT_COUNT")):
        monkeypatch.setattr(module, name, 3)
    monkeypatch.setattr("memories.views.browsing.list_filters.MAX_SORTED_ROWS", 3)
    page = response_text(make_signed_in_client(here, "mina").get("/memories/?sort=text"))
    assert shown(page) == [ids[3], ids[4], ids[2]], "the last three that came, from A to Z"
    assert "from A to Z, among the last 3 that came" in page
    by_age = shown(response_text(make_signed_in_client(here, "mina").get("/memories/?sort=age")))
    assert set(by_age) == set(shown(page)), "the same three by another key"
    assert set(shown(response_text(make_signed_in_client(here, "mina").get("/memories/")))) == set(
        ids
    )


def test_a_page_goes_on_where_a_memory_has_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    ids = some(here)
    monkeypatch.setattr("memories.browsing.memory_pages.PAGE_SIZE", 2)
    mina = make_signed_in_client(here, "mina")
    first = mina.get("/memories/?sort=text")
    assert shown(response_text(first)) == [ids[1], ids[0]]
    make_signed_in_client(here, "ada").post(f"/memories/{ids[0]}/forget/")
    assert shown(response_text(mina.get(first.context["page"]["next_url"]))) == [ids[3], ids[4]]
    unknown = mina.get(f"/memories/?sort=text&before={UUID(int=9)}")
    assert shown(response_text(unknown)) == [ids[1], ids[3]], "begins anew"


def test_the_heads_sort_by_plain_links_and_the_order_stays(world: World) -> None:
    here = world.here
    some(here)
    client = make_signed_in_client(here, "mina")
    page = response_text(client.get("/memories/?category=event&sort=text"))
    assert re.search(r'class="line-text" aria-sort="ascending"><a href="[^"]*sort=-text"', page)
    assert 'name="sort" value="text" form="narrow"' in page, "a filter keeps the order"
    assert re.search(r'<a href="/memories/\?category=event&amp;sort=-use"', page)
    found = response_text(client.get("/memories/?q=launch&sort=text"))
    assert "best first" in found
    assert "sort=-text" not in found, "what a question brings up is sorted by how well it fits"
    assert client.get("/memories/?sort=content;drop").status_code == 200


def test_columns_are_chosen_without_scripts_and_kept_by_the_browser(world: World) -> None:
    here = world.here
    some(here)
    client = make_signed_in_client(here, "mina")
    table = re.search(r'<table class="([^"]*)"', response_text(client.get("/memories/")))[1]
    assert table == "lines"
    data = {"column": ["age", "use", "nonsense"], "query": "category=event&sort=-age&evil=1"}
    assert client.post("/memories/columns/", data).status_code == 302
    data["column"] = ["age", "use"]
    answer = client.post("/memories/columns/", data)
    assert answer["Location"] == "/memories/?category=event&sort=-age"
    table = re.search(r'<table class="([^"]*)"', response_text(client.get("/memories/")))[1]
    assert table.split() == ["lines", "without-readers", "without-by", "without-category"]
    client.post("/memories/columns/", {"column": []})
    page = response_text(client.get("/memories/"))
    assert "without-use" in page
    assert len(shown(page)) == 4 + 1
    client.cookies["columns"] = '"><script>.age'
    assert "<script>." not in response_text(client.get("/memories/"))


def views(page: str) -> dict[str, str]:
    rail = page.split('class="nav-views"')[1].split("</ul>", maxsplit=1)[0]
    found = r'nav-label">([^<]*)</span>(?:<span class="nav-count">([^<]*)<)?'
    return dict(re.findall(found, rail))


def keep(client: Client, name: str, **query: object) -> None:
    client.post("/memories/views/", {"name": name, "query": urlencode(query)})


def test_the_rail_says_how_much_each_saved_view_holds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    some(here)
    mina, bob = make_signed_in_client(here, "mina"), make_signed_in_client(here, "bob")
    design = here.groups["design"].id
    alone = count_queries(mina, "/memories/")
    for client in (mina, bob):
        keep(client, "Events", category="event")
        keep(client, "Of 2020", until="2020-12-31", sort="-use")
        keep(client, "Design", group=str(design))
        keep(client, "None", tag="nowhere")
        keep(client, "A question", q="paint")
    # Counted by hand: Mina sits in both groups, Bob in #launch alone.
    held = {"Events": "2", "Of 2020": "1", "Design": "1", "None": "0", "A question": ""}
    assert views(response_text(mina.get("/memories/"))) == held
    # For Bob a group that he does not read has no page, and so it has no number.
    theirs = views(response_text(bob.get("/memories/")))
    assert theirs == held | {"Events": "1", "Design": ""}
    assert count_queries(mina, "/memories/") == alone + 1, "one question for all of them"
    monkeypatch.setattr(saved_views, "MAX_COUNT", 1)
    monkeypatch.setattr("memories.views.browsing.list_filters.MAX_COUNT", 1)
    assert views(response_text(mina.get("/memories/")))["Events"] == "1+"
    assert "nav-views" not in response_text(make_signed_in_client(here, "chidi").get("/memories/"))


def test_the_address_of_the_panel_tells_nothing(world: World) -> None:
    here = world.here
    private = here.remember(here.person("mina"), "A secret of Mina.", visibility="private").id
    bob = make_signed_in_client(here, "bob")
    for id_ in (private, UUID(int=7)):
        page = response_text(bob.get(f"/memories/?category=event&open={id_}"))
        assert "A secret" not in page
        assert f'hx-get="/memories/{id_}/?category=event"' in page
        assert 'href="/memories/?category=event" data-panel-close' in page
        assert bob.get(f"/memories/{id_}/?category=event", headers=PANEL).status_code == 404
        assert bob.get(f"/memories/{id_}/row/").status_code == 404
    assert "A secret of Mina." in response_text(
        make_signed_in_client(here, "mina").get(f"/memories/{private}/row/")
    )


def events(answer: object) -> dict[str, object]:
    assert answer.status_code == 204
    return json.loads(answer["HX-Trigger"])


def test_acts_from_the_list_answer_with_events_and_a_way_back(world: World) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "The launch is in May.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    form = response_text(mina.get(f"/memories/{id_}/edit/?category=event", headers=PANEL))
    assert "<html" not in form
    assert f'hx-post="/memories/{id_}/edit/?category=event"' in form
    data = {"content": "", "importance": "0.5", "version": "1"}
    bad = mina.post(f"/memories/{id_}/edit/", data, headers=PANEL)
    assert bad.status_code == 422
    data["content"] = "The launch is in June."
    saved = events(mina.post(f"/memories/{id_}/edit/", data, headers=PANEL))
    assert saved["memory-saved"] == {"id": str(id_)}
    stale = mina.post(f"/memories/{id_}/edit/", data | {"content": "July."}, headers=PANEL)
    assert stale.status_code == 422, "what somebody else changed is shown in the panel"
    assert "changed this while you were writing" in response_text(stale)
    undone = events(mina.post(saved["toast"]["undo"], headers=HTMX))
    assert undone["memory-saved"] == {"id": str(id_)}
    assert "The launch is in May." in response_text(mina.get(f"/memories/{id_}/row/"))
    again = mina.post(saved["toast"]["undo"], headers=HTMX)
    assert events(again)["toast"]["level"] == "error", "one way back, once"

    gone = events(mina.post(f"/memories/{id_}/forget/", headers=HTMX))
    assert list(gone) == ["toast", "memory-gone"], "the row goes, and with it who would hear more"
    assert shown(response_text(mina.get("/memories/"))) == []
    back = events(mina.post(gone["toast"]["undo"], headers=HTMX))
    assert back["memory-back"] == {"id": str(id_)}
    assert shown(response_text(mina.get("/memories/"))) == [id_]

    share = response_text(mina.get(f"/memories/{id_}/access/", headers=PANEL))
    assert f'hx-post="/memories/{id_}/access/"' in share
    done = mina.post(f"/memories/{id_}/access/", {"audience": "private"}, headers=PANEL)
    assert events(done)["memory-saved"] == {"id": str(id_)}
    assert here.readable(here.person("bob")) == set()


def test_only_a_change_that_versions_hold_offers_undo(world: World) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "The launch is in May.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    data = {"content": "The launch is in May.", "importance": "0.5", "version": "1"}
    same = events(mina.post(f"/memories/{id_}/edit/", data, headers=PANEL))
    assert same["toast"]["undo"] == "", "nothing was changed, so nothing is brought back"
    data |= {"content": "It is in June.", "shareable": "on"}
    said = events(mina.post(f"/memories/{id_}/edit/", data, headers=PANEL))
    assert said["toast"]["undo"] == ""


def test_without_scripts_the_list_is_kept_through_an_act(world: World) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "The launch is near.", category="event").id
    mina = make_signed_in_client(here, "mina")
    asked = "category=event&sort=-use"
    page = response_text(mina.get(f"/memories/?{asked}")).replace("&amp;", "&")
    assert f'href="/memories/{id_}/?{asked}"' in page
    one = response_text(mina.get(f"/memories/{id_}/?{asked}")).replace("&amp;", "&")
    assert f'href="/memories/?{asked}"' in one, "the way back"
    edit = f"/memories/{id_}/edit/?{asked}"
    assert edit in one
    data = {"content": "The launch is here.", "importance": "0.5", "version": "1"}
    assert mina.post(edit, data)["Location"] == f"/memories/{id_}/?{asked}"
    for came in (f"/memories/?{asked}", f"/memories/{id_}/?{asked}"):
        head = {"Referer": f"http://testserver{came}"}
        forgot = mina.post(f"/memories/{id_}/forget/", headers=head)
        assert forgot["Location"] == f"/memories/?{asked}"
        head = {"Referer": f"http://testserver{forgot['Location']}"}
        back = mina.post(f"/memories/{id_}/restore/", headers=head)
        assert back["Location"] == f"/memories/?{asked}"
    elsewhere = {"Referer": "http://evil.example/memories/?q=x"}
    assert mina.post(f"/memories/{id_}/forget/", headers=elsewhere)["Location"] == "/memories/"


def test_a_filter_is_a_step_of_back_and_a_letter_is_not(world: World) -> None:
    client = make_signed_in_client(world.here, "mina")

    def step(before: str, now: str) -> str:
        head = HTMX | {"HX-Current-URL": f"http://testserver/memories/{before}"}
        answer = client.get(f"/memories/{now}", headers=head)
        [name] = [n for n in ("HX-Push-Url", "HX-Replace-Url") if n in answer]
        return name

    assert step("", "?category=event") == "HX-Push-Url"
    assert step("?category=event", "?category=event&sort=text") == "HX-Push-Url"
    assert step("", "?q=pa") == "HX-Push-Url", "back from a search to the list"
    assert step("?q=pa", "?q=paint") == "HX-Replace-Url"
    assert step("?q=paint", "?q=paint&category=event") == "HX-Push-Url"
