"""Forgetting reaches the message: its words go with the memory, for everybody, and come back."""

from typing import Any
from uuid import UUID

import orjson
import pytest

from memories.lifecycle.forget import forget_memory, restore_memory
from memories.privacy.forget_all import forget_all, undo_forget_all
from robots.errors import ImpersonationError
from tests.memories.restatement.test_restate import chat, member, restated
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def messages(tenant: Tenant, who: str = "aria") -> list[dict[str, Any]]:
    """The messages of #launch, oldest first, and the title of their chat before them."""
    client = tenant.api(who) if who in tenant.robots else tenant.browser(who)
    place = client.get("/api/v1/conversations", {"group": "launch"}).json()["results"][0]
    url = f"/api/v1/conversations/{place['id']}/messages"
    return [{"content": place["title"]}, *reversed(client.get(url).json()["results"])]


def words(tenant: Tenant, who: str = "aria") -> list[str]:
    return [one["content"] for one in messages(tenant, who)]


def talk(tenant: Tenant) -> list[UUID]:
    mina, bob = member(tenant, "mina"), member(tenant, "bob")
    return chat(
        tenant,
        {"content": "My diagnosis is leukaemia", "speaker": mina, "external_id": "1"},
        {"content": "The demo starts at nine", "speaker": bob},
        {"content": "I take the blue folder along", "speaker": mina},
    )


@pytest.mark.parametrize("who", ["aria", "bob", "mina"])
def test_what_the_speaker_forgets_loses_its_words(world: World, who: str) -> None:
    here, mina = world.here, world.here.person("mina")
    first, *_ = talk(here)
    before = words(here, who)
    assert before[0] == "My diagnosis is leukaemia 05-01:10:00"
    forget_memory(mina, first, now=NOW)
    after = messages(here, who)
    assert "leukaemia" not in str(after)
    assert [one["content"] for one in after][1:] == ["", *before[2:]]
    assert after[1]["member"]["name"] == "Mina", "the place stays"
    assert after[0]["content"] == "The demo starts at 05-01:10:00"
    # It is still the same message, and nobody gets the words by posting it again.
    again = here.api("aria").post(
        f"/api/v1/conversations/{conversation(here)}/messages",
        {"content": "My diagnosis is leukaemia", "external_id": "1"},
        format="json",
    )
    assert (again.status_code, again.json()["status"]) == (200, "known")
    restore_memory(mina, first, now=NOW)
    assert words(here, who)[1:] == before[1:]


def conversation(tenant: Tenant) -> str:
    found = tenant.api("aria").get("/api/v1/conversations").json()["results"]
    return str(found[0]["id"])


def test_what_others_forget_leaves_the_message(world: World) -> None:
    here = world.here
    first, second, _ = talk(here)
    forget_memory(here.robot("aria"), first, now=NOW)
    assert words(here)[1] == "My diagnosis is leukaemia"
    # A memory that only claims to come from a message is refused.
    told = next(m for m in messages(here)[1:] if m["content"].startswith("The demo"))
    with pytest.raises(ImpersonationError):
        here.remember(
            here.robot("aria"), "Mina likes tea.", group="launch", member=member(here, "mina"),
            key=f"message:{told['id']}", source={"message": told["id"]},
            conversation=conversation(here), visibility="protected",
        )  # fmt: skip
    assert second


def test_a_name_out_of_a_polite_word_goes_with_it(world: World) -> None:
    """ "thanks Daniel" is no memory, but told who "he" is."""
    here = world.here
    mina, bob = member(here, "mina"), member(here, "bob")
    chat(here, {"content": "The demo starts at nine", "speaker": mina})
    url = f"/api/v1/conversations/{conversation(here)}/messages"
    api = here.api("aria")
    polite = api.post(url, {"content": "thanks Daniel", "speaker": mina}, format="json").json()
    assert polite["memory"] is None
    said = {"content": "he brings the blue folder", "speaker": bob}
    told = UUID(api.post(url, said, format="json").json()["memory"])
    assert restated(here, told)["text"] == "Daniel brings the blue folder"
    forget_all(here.person("mina"), now=NOW)
    assert "Daniel" not in str(restated(here, told))
    assert restated(here, told)["text"] == ""


def test_everything_means_the_messages_too(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    talk(here)
    url = f"/api/v1/conversations/{conversation(here)}/messages"
    polite = {"content": "thanks!", "speaker": member(here, "mina")}
    assert here.api("aria").post(url, polite, format="json").json()["reason"] == "chatter"
    before = words(here)

    def exported() -> list[str]:
        body = b"".join(make_signed_in_client(here, "mina").get("/me/export/").streaming_content)
        return [d["content"] for d in map(orjson.loads, body.splitlines()) if d.get("message")]

    assert exported() == [before[1], before[3], "thanks!"]
    forget_all(mina, now=NOW)
    assert words(here)[1:] == ["", "The demo starts at nine", "", ""]
    assert exported() == []
    undo_forget_all(mina, forgotten_at=NOW, now=NOW)
    assert words(here)[1:] == before[1:]


def test_the_page_of_a_group_says_who_reads_what_is_posted(world: World) -> None:
    here = world.here
    url = f"/people/groups/{here.groups['launch'].id}/"
    bob = make_signed_in_client(here, "bob")
    assert "Everybody in the group reads all that is posted in it." in response_text(bob.get(url))
    assert "Keep it to those concerned" not in response_text(bob.get(url))
    assert bob.post(f"{url}profile/", {"strict": "1"}).status_code == 403
    made = make_signed_in_client(here, "ada")
    group = made.post("/people/groups/add/", {"name": "Board"})["Location"]
    assert made.post(f"{group}profile/", {"strict": "1"}).status_code == 302
    page = response_text(made.get(group))
    assert "Announcements and what people say they know reach the whole group" in page
    assert "Let everybody in it read everything" in page
