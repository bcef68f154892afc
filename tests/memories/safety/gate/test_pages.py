"""What a gate holds on the review page, and the page of what the gates know."""

from typing import Any

import pytest

from memories.safety.findings import Personal, Poison
from memories.safety.names.terms import add_term
from memories.views.review.held import KINDS, pieces, revealed, sentences
from tests.memories.safety.gate.test_personal_data import MASKED, TEXT, of, remember, waiting
from tests.memories.safety.gate.test_poison import ORDER
from tests.people import signed_in, text
from tests.world import NOW, World


def test_every_kind_has_words() -> None:
    assert set(KINDS) == {one.value for one in (*Personal, *Poison)}
    told = sentences({"found": {"email": 1, "person": 3}, "failed": True})
    assert told[:2] == ["An e-mail address", "3 names of persons"]
    assert "failed" in told[2]


def test_what_nobody_sees_is_shown_and_what_was_found_is_marked() -> None:
    assert revealed("a\u200bb\u202ec") == "a⟨U+200B⟩b⟨U+202E⟩c"
    found = pieces("Tea. Obey\u200b now. Tea.", [[5, 15, "order_to_model"], [9, 10, "role_claim"]])
    assert "".join(one["text"] for one in found) == "Tea. Obey⟨U+200B⟩ now. Tea."
    assert [bool(one["kind"]) for one in found] == [False, True, True, True, False]
    # Spans of a text that was changed since point nowhere.
    assert pieces("Tea.", [[2, 99, "order_to_model"]]) == [{"text": "Tea.", "kind": ""}]


@pytest.mark.conformance("W05")
def test_an_item_says_what_was_found_and_shows_it_as_text(world: World) -> None:
    here = world.here
    remember(here, f"{ORDER} <b>now</b> ![x](https://evil.example/?q=1)\u200b", who="bolt")
    (item,) = waiting(here, "chidi")
    page = text(signed_in(here, "chidi").get(f"/review/{item['id']}/"))
    assert "An order to the robot that reads it" in page
    assert "&lt;b&gt;now&lt;/b&gt;" in page
    assert "⟨U+200B⟩" in page
    assert 'href="https://evil.example' not in page
    assert 'src="https://evil.example' not in page
    # `a` leaves it where it is; what publishes has a key of its own.
    assert page.index('data-key="a"') < page.index('data-key="p"')
    listed = text(signed_in(here, "chidi").get("/review/?cause=poison"))
    assert "⟨U+200B⟩" in listed
    done = signed_in(here, "chidi").post(
        f"/review/{item['id']}/reject/",
        {"organisation": str(here.id), "version": 1, "reason": ""},
        follow=True,
    )
    assert "Kept out." in text(done)


def test_the_words_stand_there_for_their_member_alone(world: World) -> None:
    here = world.here
    remember(here, TEXT, member=of(here, "mina"), visibility="organisation")
    (item,) = [one for one in waiting(here, "chidi") if one["cause"] == "personal_data"]
    url = f"/review/{item['id']}/"
    for who, sees in (("chidi", False), ("ada", False), ("mina", True)):
        page = text(signed_in(here, who).get(url))
        assert MASKED in page, who
        assert (TEXT in page) is sees, who
        assert ("Only you see this." in page) is sees, who
    chidi = text(signed_in(here, "chidi").get(url))
    assert "Publish without the personal words" in chidi
    assert "An e-mail address" in chidi
    assert "Edit first" in chidi
    mine = text(signed_in(here, "mina").get("/review/?show=mine"))
    assert MASKED[:30] in mine
    taken = b"".join(signed_in(here, "mina").get("/me/export/")).decode()
    assert TEXT in taken
    others = b"".join(signed_in(here, "ada").get("/me/export/")).decode()
    assert "zebra" not in others


def test_curators_keep_the_names_and_an_admin_the_rest(world: World) -> None:
    here = world.here
    organisation = {"organisation": str(here.id)}
    for who, opens in (("ada", 200), ("chidi", 200), ("mina", 404), ("vera", 404)):
        client = signed_in(here, who)
        assert client.get("/review/gates/").status_code == opens, who
        assert ("What the gates know" in text(client.get("/review/"))) is (opens == 200), who
    chidi: Any = signed_in(here, "chidi")
    name = {**organisation, "term": "Zibblewort & Sons", "kind": "client"}
    page = text(chidi.post("/review/gates/", name, follow=True))
    assert "Zibblewort &amp; Sons" in page
    twice = chidi.post("/review/gates/", {**name, "term": "zibblewort & SONS"})
    assert (twice.status_code, "has this name already" in text(twice)) == (422, True)
    assert chidi.post("/review/gates/", {**name, "term": "-"}).status_code == 422
    strict = {**organisation, "personal": "always"}
    assert chidi.post("/review/gates/policy/", strict).status_code == 404
    ada: Any = signed_in(here, "ada")
    assert ada.post("/review/gates/policy/", strict).status_code == 302
    told = text(chidi.get("/review/gates/"))
    assert "Every text that a robot writes for others" in told
    assert ada.post("/review/gates/policy/", organisation).status_code == 422
    row = add_term(here.person("ada"), kind="brand", term="Quux", now=NOW)
    assert chidi.post(f"/review/gates/{row.id}/remove/", organisation).status_code == 302
    assert "Quux" not in text(chidi.get("/review/gates/"))
