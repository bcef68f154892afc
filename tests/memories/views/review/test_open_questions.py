"""The list of open questions, the answer that is written there, and who agrees on which page."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.questions.consent import find_member_consent, find_robot_consent
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.questions.asking import QUESTION, agree, ask, kept
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X14")
ANSWER = {"content": "The canteen opens at eight.", "category": "", "importance": "0.5"}


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    agree(here, "mina", "bob", "aria")
    ask(here.person("mina"), now=timezone.now())
    return here


def test_the_list_shows_what_was_asked_and_never_who(here: Tenant) -> None:
    ask(here.person("bob"), "When does the canteen open on Fridays?", now=timezone.now())
    ask(here.robot("aria"), "Who waters the <b>plants</b>?", group="launch", now=timezone.now())
    page = response_text(make_signed_in_client(here, "ada").get("/questions/"))
    main = page[page.index("<main") :]
    assert QUESTION in main
    assert "2 times or more" in main
    assert "Who waters the &lt;b&gt;plants&lt;/b&gt;?" not in main  # #launch is closed to Ada.
    for name in ("Mina", "Bob", str(here.members["mina"].id), str(here.robots["aria"].id)):
        assert name not in main, name


@pytest.mark.parametrize("who", ["mina", "vera"])
def test_who_does_not_curate_has_no_list(here: Tenant, who: str) -> None:
    client = make_signed_in_client(here, who)
    [only] = kept(here)
    for answer in (
        client.get("/questions/"),
        client.post(f"/questions/{only.id}/leave/"),
        client.get(f"/memories/add/?question={only.id}"),
    ):
        assert answer.status_code in (403, 404)
    assert "/questions/" not in response_text(client.get("/me/")).replace("/me/questions/", "")
    assert len(kept(here)) == 1


def leave(client: Client, question: Any) -> Any:
    return client.post(f"/questions/{question.id}/leave/")


def test_a_question_is_left(here: Tenant) -> None:
    client = make_signed_in_client(here, "chidi")
    [only] = kept(here)
    assert leave(client, only).status_code == 302
    assert kept(here) == []
    assert "No open questions" in response_text(client.get("/questions/"))
    assert leave(client, only).status_code == 404


def test_an_answer_is_a_memory_like_any_other(here: Tenant) -> None:
    client = make_signed_in_client(here, "chidi")
    [only] = kept(here)
    address = f"/memories/add/?question={only.id}&audience="
    form = response_text(client.get(address))
    assert QUESTION in form
    # The writer says who reads it: nothing is chosen before.
    assert client.post(address, ANSWER).status_code == 422
    assert len(kept(here)) == 1
    answer = client.post(address, ANSWER | {"audience": "organisation"})
    assert answer.status_code == 302
    assert kept(here) == []
    with resolve_principal(here.person("bob")).scope():
        [memory] = Memory.objects.filter(content=ANSWER["content"])
    assert answer["Location"] == f"/memories/{memory.id}/"
    assert memory.author_id == here.members["chidi"].id
    assert ask(here.person("mina"), now=timezone.now()).answered != "no"


@pytest.mark.parametrize("value", ["x", "00000000-0000-0000-0000-000000000000", ""])
def test_a_question_that_is_not_there(here: Tenant, value: str) -> None:
    client = make_signed_in_client(here, "chidi")
    assert client.get(f"/memories/add/?question={value}").status_code == 404


def test_a_member_agrees_and_takes_it_back_on_their_page(here: Tenant) -> None:
    client = make_signed_in_client(here, "vera")
    assert "Let curators see them" in response_text(client.get("/me/questions/"))
    client.post("/me/questions/", {"on": "1"})
    assert find_member_consent(here.person("vera"))
    ask(here.person("vera"), "Who waters the plants?", now=timezone.now())
    page = response_text(client.get("/me/questions/"))
    assert "Who waters the plants?" in page
    assert "Curators see it" in page
    assert QUESTION not in page
    client.post("/me/questions/", {"on": "0"})
    assert find_member_consent(here.person("vera")) is None
    assert len(kept(here)) == 1


def test_an_admin_agrees_for_a_robot(here: Tenant) -> None:
    bolt = here.robots["bolt"].id
    address = f"/robots/{bolt}/questions/"
    ada, chidi = make_signed_in_client(here, "ada"), make_signed_in_client(here, "chidi")
    assert address in response_text(ada.get(f"/robots/{bolt}/"))
    assert address not in response_text(chidi.get(f"/robots/{bolt}/"))
    assert chidi.post(address, {"on": "1"}).status_code == 404
    assert find_robot_consent(here.person("ada"), bolt) is None
    ada.post(address, {"on": "1"})
    assert find_robot_consent(here.person("ada"), bolt)
    assert "Show them no more" in response_text(ada.get(address))
    ada.post(address, {"on": "0"})
    assert find_robot_consent(here.person("ada"), bolt) is None
    here.give_owner("bolt", "mina")
    assert ada.get(address).status_code == 404
    assert address not in response_text(ada.get(f"/robots/{bolt}/"))


def test_the_list_asks_the_database_as_little_for_many_questions(here: Tenant) -> None:
    client = make_signed_in_client(here, "chidi")
    client.get("/questions/")
    few = count_queries(client, "/questions/")
    for thing in ("printer", "projector", "ladder", "kettle"):
        ask(here.person("bob"), f"Where is the {thing}?", now=timezone.now())
    assert count_queries(client, "/questions/") == few <= 13
