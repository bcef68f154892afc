"""The trash: who is offered to erase, what the page asks for, and what it says that stays."""

from uuid import UUID

import pytest

from memories.lifecycle.forget import forget_memory
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant


def erase_url(id_: UUID) -> str:
    return f"/memories/{id_}/erase/"


def test_the_trash_offers_what_the_asker_may_erase(here: Tenant) -> None:
    said = here.remember(here.robot("aria"), "Tea is at four.").id
    forget_memory(here.person("ada"), said, now=NOW)
    assert erase_url(said) in response_text(make_signed_in_client(here, "ada").get("/trash/"))
    curated = response_text(make_signed_in_client(here, "chidi").get("/trash/"))
    assert "Tea is at four." in curated
    assert erase_url(said) not in curated
    for name, status in {"chidi": 403, "bob": 404, "vera": 404}.items():
        client = make_signed_in_client(here, name)
        assert client.get(erase_url(said)).status_code == status, name
        assert client.post(erase_url(said), {"confirm": "erase"}).status_code == status, name
    assert said in here.readable(here.person("ada"))


@pytest.mark.conformance("H29")
def test_it_is_erased_after_the_word_is_typed(here: Tenant) -> None:
    said = here.remember(here.robot("aria"), "Tea is at four.").id
    forget_memory(here.person("ada"), said, now=NOW)
    client = make_signed_in_client(here, "ada")
    page = response_text(client.get(erase_url(said)))
    assert "Tea is at four." in page
    for wrong in ("", "yes", "ERASE it"):
        answer = client.post(erase_url(said), {"confirm": wrong})
        assert answer.status_code == 422
        assert "Nothing was erased" in response_text(answer)
    assert said in here.readable(here.person("ada"))
    answer = client.post(erase_url(said), {"confirm": " erase "})
    assert (answer.status_code, answer["Location"]) == (302, "/trash/")
    assert said not in here.readable(here.person("ada"))
    assert client.get(erase_url(said)).status_code == 404


def test_a_viewer_erases_what_is_about_them(here: Tenant) -> None:
    vera = here.members["vera"]
    said = here.remember(
        here.robot("aria"), "Vera likes tea.", visibility="organisation", member=str(vera.id)
    ).id
    answer = make_signed_in_client(here, "vera").post(erase_url(said), {"confirm": "erase"})
    assert (answer.status_code, answer["Location"]) == (302, "/me/")
    assert said not in here.readable(here.person("ada"))


def test_the_page_says_what_stays_and_what_is_protected(here: Tenant) -> None:
    api, client = here.api("aria"), make_signed_in_client(here, "ada")
    said = here.remember(here.robot("aria"), "The launch is in June.").id
    body = {"content": "It was moved to June.", "source": {"memories": [str(said)]}}
    made = api.post("/api/v1/memories", body, format="json").json()["id"]
    assert "Something was made of it" in response_text(client.get(erase_url(said)))
    assert "The message stays" not in response_text(client.get(erase_url(said)))
    with resolve_principal(here.person("ada")).scope():
        Memory.objects.filter(id=said).update(red_line=True)
    answer = client.post(erase_url(said), {"confirm": "erase"})
    assert answer.status_code == 409
    assert "It is protected" in response_text(answer)
    assert {said, UUID(made)} <= here.readable(here.person("ada"))
    answer = api.delete(f"/api/v1/memories/{made}?hard=true&confirm={made}")
    assert answer.json()["made_of_it"] == []
