"""One memory: who can read it, where it comes from, and who may do what with it."""

from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from orgs.organisations.groups import set_confidential
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, World


def url(id_: UUID, action: str = "") -> str:
    return f"/memories/{id_}/{action}"


@pytest.mark.parametrize("action", ["", "edit/", "forget/", "restore/"])
def test_what_is_private_to_mina_exists_for_her_alone(world: World, action: str) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "Mina's own.", visibility="private").id
    method = "POST" if action in ("forget/", "restore/") else "GET"
    for name in ("ada", "chidi", "bob", "vera", "mina"):
        status = make_signed_in_client(here, name).generic(method, url(id_, action)).status_code
        assert (status == 404) is (name != "mina"), name


def test_absent_and_foreign_look_the_same(world: World) -> None:
    theirs = world.there.remember(world.there.robot("aria"), "Theirs.").id
    client = make_signed_in_client(world.here, "ada")
    pages = [client.get(url(i)) for i in (theirs, UUID(int=7))]
    assert [p.status_code for p in pages] == [404, 404]
    one, other = (
        response_text(page)
        .replace(page["X-Request-ID"], "")
        .replace(str(page.context["csrf_token"]), "")
        for page in pages
    )
    assert one == other
    assert client.get("/memories/not-an-id/").status_code == 404


def test_robots_notes_are_shown_to_nobody(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "A note.", visibility="internal").id
    for name in PEOPLE:
        assert make_signed_in_client(here, name).get(url(id_)).status_code == 404


def test_seen_by_in_words_and_by_name(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    mina = make_signed_in_client(here, "mina")

    everyone = response_text(mina.get(url(here.remember(aria, "Open.").id)))
    assert f"All 5 people and 3 robots in {here.organisation.name} can read this." in everyone
    assert "You, Ada, Bob, Chidi, Vera" in everyone

    design = response_text(mina.get(url(here.remember(aria, "Ours.", group="design").id)))
    assert "1 person and 2 robots in #design can read this." in design

    own = here.remember(here.person("mina"), "Own.", visibility="private")
    assert "Only you can read this." in response_text(mina.get(url(own.id)))

    some = here.remember(
        here.person("mina"),
        "Some.",
        visibility="shared",
        readers=ReaderReferences(members=(str(here.members["vera"].id),)),
    )
    assert "2 people can read this." in response_text(mina.get(url(some.id)))
    assert "You, Mina" in response_text(make_signed_in_client(here, "vera").get(url(some.id)))


def test_an_open_group_counts_its_curators(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "In launch.", group="launch").id
    assert make_signed_in_client(here, "chidi").get(url(id_)).status_code == 404
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    page = response_text(make_signed_in_client(here, "chidi").get(url(id_)))
    assert "2 people and 1 robot in #launch can read this, and 2 who curate." in page


def test_a_list_does_not_tell_of_a_group_that_the_reader_is_not_in(world: World) -> None:
    here = world.here
    id_ = here.remember(
        here.person("mina"),
        "For design and Bob.",
        visibility="shared",
        readers=ReaderReferences(groups=("design",), members=(str(here.members["bob"].id),)),
    ).id
    bob = response_text(make_signed_in_client(here, "bob").get(url(id_)))
    assert "#design" not in bob
    assert "One more group and 2 people can read this." in bob
    assert "Everyone in #design and 2 people" in response_text(
        make_signed_in_client(here, "mina").get(url(id_))
    )


def test_provenance(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    turns = [
        here.remember(
            aria,
            text_,
            group="launch",
            speaker="Caroline",
            conversation="monday",
            position=number,
        ).id
        for number, text_ in enumerate(["First turn.", "Second turn.", "Third turn."])
    ]
    page = response_text(make_signed_in_client(here, "mina").get(url(turns[1])))
    assert "aria wrote this down on" in page
    assert "in #launch as the words of “Caroline”, a name that no member here" in page
    assert "First turn." in page
    assert "Third turn." in page


def test_the_panel_is_a_fragment_of_the_page(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Open.").id
    headers = {"HX-Request": "true", "HX-Target": "panel-body"}
    part = response_text(make_signed_in_client(here, "vera").get(url(id_), headers=headers))
    assert "<html" not in part
    assert "can read this." in part


def test_only_those_who_may_change_it_see_the_buttons(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Open.").id
    for name, may in {"ada": True, "chidi": True, "bob": False, "vera": False}.items():
        client = make_signed_in_client(here, name)
        assert (url(id_, "edit/") in response_text(client.get(url(id_)))) is may
        assert client.get(url(id_, "edit/")).status_code == (
            200 if may else 404 if name == "vera" else 403
        )


def test_who_may_read_it_is_changed_on_its_page(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Ours.", group="launch").id
    mina, address = make_signed_in_client(here, "mina"), url(id_, "access/")
    here.remember(here.person("mina"), "Hers.", group="launch")
    assert mina.get(address).status_code in (403, 404)
    own = here.remember(here.person("mina"), "My plan.", visibility="private").id
    assert url(own, "access/") in response_text(mina.get(url(own)))
    page = response_text(mina.get(url(own, "access/")))
    assert "Only you can read this." in page
    # Members propose to everyone; they do not publish.
    assert 'value="organisation"' not in page
    assert mina.post(url(own, "access/"), {"audience": "organisation"}).status_code == 422
    nobody = mina.post(url(own, "access/"), {"audience": "shared"})
    assert (nobody.status_code, "Tick somebody." in response_text(nobody)) == (422, True)
    some = {"audience": "shared", "people": [str(here.members["bob"].id)]}
    assert mina.post(url(own, "access/"), some).status_code == 302
    for name in ("ada", "bob", "chidi", "vera", "mina"):
        status = make_signed_in_client(here, name).get(url(own)).status_code
        assert (status == 200) is (name in ("mina", "bob")), name
    foreign = {"audience": "shared", "people": [str(world.there.members["bob"].id)]}
    assert mina.post(url(own, "access/"), foreign).status_code == 422
    chidi = make_signed_in_client(here, "chidi")
    assert chidi.get(url(own, "access/")).status_code == 404


def test_a_viewer_forgets_what_is_theirs_and_nothing_else(world: World) -> None:
    here = world.here
    vera = make_signed_in_client(here, "vera")
    about = {"speaker": str(here.members["vera"].id)}
    hers = here.remember(here.robot("aria"), "She said so.", visibility="organisation", **about).id
    other = here.remember(here.robot("aria"), "Somebody said so.").id
    page = response_text(vera.get(url(hers)))
    assert url(hers, "forget/") in page
    assert url(hers, "edit/") not in page
    assert url(other, "forget/") not in response_text(vera.get(url(other)))
    assert vera.post(url(other, "forget/")).status_code == 403
    assert vera.post(url(hers, "forget/")).status_code == 302
    assert make_signed_in_client(here, "ada").get(url(hers)).status_code == 404
    assert vera.post(url(hers, "restore/")).status_code == 302
    assert make_signed_in_client(here, "ada").get(url(hers)).status_code == 200
