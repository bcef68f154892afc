"""What a gate holds on the review page, and the page of what the gates know."""

from typing import Any

import pytest

from memories.safety.names.known_names import add_term
from memories.safety.required_checks import InjectionType, PersonalDataType
from memories.views.review.gate_presenter import (
    TYPE_BY_VALUE,
    finding_sentences,
    highlight_findings,
    reveal_invisible,
)
from tests.memories.safety.gate.test_personal_data import MASKED, TEXT, of, remember, waiting
from tests.memories.safety.gate.test_poison import ORDER
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, World


def test_every_kind_has_words() -> None:
    assert set(TYPE_BY_VALUE) == {one.value for one in (*PersonalDataType, *InjectionType)}
    told = finding_sentences({"found": {"email": 1, "person": 3}, "failed": True})
    assert told[:2] == ["An e-mail address", "3 names of persons"]
    assert "failed" in told[2]


def test_what_nobody_sees_is_shown_and_what_was_found_is_marked() -> None:
    assert reveal_invisible("a\u200bb\u202ec") == "a⟨U+200B⟩b⟨U+202E⟩c"
    found = highlight_findings(
        "Tea. Obey\u200b now. Tea.", [[5, 15, "order_to_model"], [9, 10, "role_claim"]]
    )
    assert "".join(one["text"] for one in found) == "Tea. Obey⟨U+200B⟩ now. Tea."
    assert [bool(one["kind"]) for one in found] == [False, True, True, True, False]
    # Spans of a text that was changed since point nowhere.
    assert highlight_findings("Tea.", [[2, 99, "order_to_model"]]) == [{"text": "Tea.", "kind": ""}]


@pytest.mark.conformance("W05")
def test_an_item_says_what_was_found_and_shows_it_as_text(world: World) -> None:
    here = world.here
    remember(here, f"{ORDER} <b>now</b> ![x](https://evil.example/?q=1)\u200b", who="bolt")
    (item,) = waiting(here, "chidi")
    page = response_text(make_signed_in_client(here, "chidi").get(f"/review/{item['id']}/"))
    assert "An order to the robot that reads it" in page
    assert "&lt;b&gt;now&lt;/b&gt;" in page
    assert "⟨U+200B⟩" in page
    assert 'href="https://evil.example' not in page
    assert 'src="https://evil.example' not in page
    # `a` leaves it where it is; what publishes has a key of its own.
    assert page.index('data-key="a"') < page.index('data-key="p"')
    listed = response_text(make_signed_in_client(here, "chidi").get("/review/?cause=poison"))
    assert "⟨U+200B⟩" in listed
    done = make_signed_in_client(here, "chidi").post(
        f"/review/{item['id']}/reject/",
        {"organisation": str(here.id), "version": 1, "reason": ""},
        follow=True,
    )
    assert "Kept out." in response_text(done)


def test_the_words_stand_there_for_their_member_alone(world: World) -> None:
    here = world.here
    remember(here, TEXT, member=of(here, "mina"), visibility="organisation")
    (item,) = [one for one in waiting(here, "chidi") if one["cause"] == "personal_data"]
    url = f"/review/{item['id']}/"
    for who, sees in (("chidi", False), ("ada", False), ("mina", True)):
        page = response_text(make_signed_in_client(here, who).get(url))
        assert MASKED in page, who
        assert (TEXT in page) is sees, who
        assert ("Only you see this." in page) is sees, who
    chidi = response_text(make_signed_in_client(here, "chidi").get(url))
    assert "Publish without the personal words" in chidi
    assert "An e-mail address" in chidi
    assert "Edit first" in chidi
    mine = response_text(make_signed_in_client(here, "mina").get("/review/?show=mine"))
    assert MASKED[:30] in mine
    taken = b"".join(make_signed_in_client(here, "mina").get("/me/export/")).decode()
    assert TEXT in taken
    others = b"".join(make_signed_in_client(here, "ada").get("/me/export/")).decode()
    assert "zebra" not in others


def test_curators_keep_the_names_and_an_admin_the_rest(world: World) -> None:
    here = world.here
    organisation = {"organisation": str(here.id)}
    for who, opens in (("ada", 200), ("chidi", 200), ("mina", 404), ("vera", 404)):
        client = make_signed_in_client(here, who)
        assert client.get("/review/gates/").status_code == opens, who
        assert ("What the gates know" in response_text(client.get("/review/"))) is (opens == 200), (
            who
        )
    chidi: Any = make_signed_in_client(here, "chidi")
    name = {**organisation, "term": "Zibblewort & Sons", "kind": "client"}
    page = response_text(chidi.post("/review/gates/", name, follow=True))
    assert "Zibblewort &amp; Sons" in page
    twice = chidi.post("/review/gates/", {**name, "term": "zibblewort & SONS"})
    assert (twice.status_code, "has this name already" in response_text(twice)) == (422, True)
    assert chidi.post("/review/gates/", {**name, "term": "-"}).status_code == 422
    strict = {**organisation, "personal": "always"}
    assert chidi.post("/review/gates/policy/", strict).status_code == 404
    ada: Any = make_signed_in_client(here, "ada")
    assert ada.post("/review/gates/policy/", strict).status_code == 302
    told = response_text(chidi.get("/review/gates/"))
    assert "Every text that a robot writes for others" in told
    assert ada.post("/review/gates/policy/", organisation).status_code == 422
    row = add_term(here.person("ada"), kind="brand", term="Quux", now=NOW)
    assert chidi.post(f"/review/gates/{row.id}/remove/", organisation).status_code == 302
    assert "Quux" not in response_text(chidi.get("/review/gates/"))
