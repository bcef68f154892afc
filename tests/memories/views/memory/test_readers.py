"""The sheet of readers on pages: of a memory, of what waits, and before a change."""

import re
from uuid import UUID

import pytest
from django.test import Client

from memories.views.memory import readers
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.organisations.groups import add_to_group
from tests.memories.curation.test_decide import propose
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, Tenant, World


def url(id_: UUID) -> str:
    return f"/memories/{id_}/readers/"


def named(page: str) -> list[str]:
    return re.findall(r'<span class="sheet-name">([^<]*)</span>', page)


def fragment(client: Client, address: str, **asked: str) -> str:
    answer = client.get(address, asked, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return response_text(answer)


@pytest.mark.conformance("W16")
def test_a_badge_leads_to_each_of_them_with_the_reason(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "Ours.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    for page in ("/memories/", f"/memories/{kept}/"):
        assert f'href="{url(kept)}" data-readers' in response_text(mina.get(page)), page
    page = response_text(mina.get(url(kept)))
    assert "<title>Who can read this" in page
    assert "2 people and 1 robot in #launch can read this." in page
    assert named(page) == ["You", "Bob", "aria"]
    assert page.count("in #launch</span>") == 3
    shown = fragment(mina, url(kept))
    assert (named(shown), "<title>" in shown) == (named(page), False)
    assert "HX-Request" in mina.get(url(kept))["Vary"]


def test_whoever_does_not_read_it_finds_no_sheet(world: World) -> None:
    here = world.here
    for memory, readers_ in (
        (here.remember(here.person("mina"), "Own.", visibility="private"), {"mina"}),
        (here.remember(here.robot("aria"), "Ours.", group="launch"), {"mina", "bob"}),
        (here.remember(here.robot("aria"), "A note.", visibility="internal"), set()),
    ):
        got = {
            n
            for n in PEOPLE
            if make_signed_in_client(here, n).get(url(memory.id)).status_code == 200
        }
        assert got == readers_
    item = propose(here)

    def opens(address: str) -> set[str]:
        return {n for n in PEOPLE if make_signed_in_client(here, n).get(address).status_code == 200}

    assert opens(f"/review/{item.id}/readers/") == opens(f"/review/{item.id}/")
    assert "mina" not in opens(f"/review/{item.id}/readers/")


def test_what_is_forgotten_nobody_reads(world: World) -> None:
    here = world.here
    kept = here.remember(here.person("mina"), "Gone.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    mina.post(f"/memories/{kept}/forget/")
    assert mina.get(url(kept)).status_code == 404
    for page in (f"/memories/{kept}/", "/trash/"):
        assert url(kept) not in response_text(mina.get(page))


def test_a_list_asks_nothing_more_for_it(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "Ours.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    assert count_queries(mina, url(kept)) <= 12
    one = count_queries(mina, "/memories/")
    for number in range(5):
        here.remember(here.robot("aria"), f"Ours {number}.", group="launch")
    assert count_queries(mina, "/memories/") == one


def crowd(here: Tenant, count: int) -> None:
    with organisation_scope(here.id):
        for number in range(count):
            member, _ = create_member(
                organisation_id=here.id, name=f"P{number:03}", now=NOW,
                email=f"p{number}@{here.id.hex}.example", password="correct horse battery",
            )  # fmt: skip
            add_to_group(
                organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=[member.id]
            )


def test_the_first_twenty_and_how_many_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    crowd(here, 23)
    kept = here.remember(here.robot("aria"), "Ours.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    shown = fragment(mina, url(kept))
    assert "25 people" in shown
    assert len(named(shown)) == 20 + 1
    assert "and 5 more" in shown
    monkeypatch.setattr(readers, "PAGE_SIZE", 10)
    found, address = [], url(kept)
    for _ in range(3):
        page = response_text(mina.get(address))
        found += [name for name in named(page) if name != "aria"]
        more = re.search(r'<a href="([^"]*only=people[^"]*)">and', page)
        address = more[1].replace("&amp;", "&") if more else ""
    assert (len(found), len(set(found)), address) == (25, 25, "")


@pytest.mark.conformance("W16")
def test_what_waits_tells_who_is_new(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi = make_signed_in_client(here, "chidi")
    assert f'href="/review/{item.id}/readers/" data-readers' in response_text(
        chidi.get(f"/review/{item.id}/")
    )
    page = response_text(chidi.get(f"/review/{item.id}/readers/"))
    assert "Who would newly read this" in page
    assert "would newly be able to read this" in page
    # Bob wrote it, Ada and Chidi curate: they read it already.
    assert set(named(page)) == {"Mina", "Vera", "aria", "bolt", "clio"}


@pytest.mark.conformance("W16")
def test_who_is_new_is_told_before_a_change(world: World) -> None:
    here = world.here
    kept = here.remember(here.person("mina"), "Ours.", group="design").id
    mina, share = make_signed_in_client(here, "mina"), f"/memories/{kept}/access/"
    launch = f"group:{here.groups['launch'].id}"
    looked = mina.post(share, {"audience": launch, "look": "1", "organisation": str(here.id)})
    assert looked.status_code == 200
    assert named(response_text(looked)) == ["Bob"]
    assert "Done" not in response_text(looked)
    asked = {"audience": "shared", "people": str(here.members["vera"].id)}
    answer = mina.get(share, asked, headers={"HX-Request": "true", "HX-Target": "newly"})
    assert named(response_text(answer)) == ["Vera"]
    # It has not moved, and nobody is new where it is.
    same = {"audience": f"group:{here.groups['design'].id}"}
    answer = mina.get(share, same, headers={"HX-Request": "true", "HX-Target": "newly"})
    assert named(response_text(answer)) == []
    assert "Nobody would newly be able to read this" in response_text(answer)
    closed = {"audience": "organisation"}
    answer = mina.get(share, closed, headers={"HX-Request": "true", "HX-Target": "newly"})
    assert "sheet-sentence" not in response_text(answer), "not hers to choose"


@pytest.mark.conformance("W16")
def test_who_is_new_is_told_before_a_change_of_several(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    rows = [
        here.remember(here.person("mina"), f"Ours, {group}.", group=group).id
        for group in ("design", "launch")
    ]
    change = {
        "selected": [str(row) for row in rows],
        "audience": f"group:{here.groups['launch'].id}",
        "organisation": str(here.id),
    }
    page = response_text(mina.post("/memories/change/?action=share", change | {"look": "1"}))
    assert named(page) == ["Bob"]
    part = mina.post("/memories/change/?action=share", change, headers={"HX-Request": "true"})
    assert named(response_text(part)) == ["Bob"]
    assert "<title>" not in response_text(part)
    del change["audience"]
    assert named(response_text(mina.post("/memories/change/?action=share", change))) == []
