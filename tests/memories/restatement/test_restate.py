"""What a memory says on its own stands beside its words, for the same readers, as long as they."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.restatement.models import Restatement
from memories.restatement.window_profile import DEFAULT
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Group
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

MONDAY = "2026-01-05T10:00:00Z"


def chat(tenant: Tenant, *said: dict[str, Any]) -> list[UUID]:
    """Post messages to #launch, one call each; the ids of their memories."""
    api = tenant.api("aria")
    url = "/api/v1/conversations"
    place = api.post(url, {"group": "launch", "external_id": "chat"}, format="json").json()["id"]
    found = []
    for one in said:
        body = {"sent_at": MONDAY, **one}
        answer = api.post(f"{url}/{place}/messages", body, format="json").json()
        found.append(UUID(answer["memory"]))
    tenant.read()
    return found


def member(tenant: Tenant, name: str) -> str:
    return str(tenant.members[name].id)


def restated(tenant: Tenant, memory: UUID, who: str = "aria") -> dict[str, Any] | None:
    tenant.read()
    client = tenant.api(who) if who in tenant.robots else tenant.browser(who)
    answer = client.get(f"/api/v1/memories/{memory}")
    assert answer.status_code == 200, answer.content
    return answer.json()["restatement"]


@pytest.mark.conformance("A26")
def test_a_turn_is_restated_beside_its_own_words(world: World) -> None:
    here = world.here
    mina, bob = member(here, "mina"), member(here, "bob")
    first, second = chat(
        here,
        {"content": "Daniel is in Berlin this week.", "speaker": mina},
        {"content": "he meets Bob tomorrow", "speaker": bob},
    )
    found = restated(here, second)
    assert found["text"] == "Daniel meets Bob on 2026-01-06"
    assert (found["persons"], found["source"]) == (["Daniel", "Bob"], "rules")
    assert restated(here, first)["location"] == "Berlin"
    body = here.api("aria").get(f"/api/v1/memories/{second}").json()
    assert body["content"] == "he meets Bob tomorrow", "word for word"
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{second}/"))
    assert "he meets Bob tomorrow" in page
    assert "Daniel meets Bob on 2026-01-06" in page
    assert "Worked out by rules" in page

    # It goes with the turn that lent it the name, with its own words, and comes back with them.
    edit_memory(here.robot("aria"), second, {"content": "he meets Bob today"}, now=NOW)
    assert restated(here, second)["text"] == "Daniel meets Bob on 2026-01-05"
    forget_memory(here.robot("aria"), first, now=NOW)
    assert restated(here, second)["text"] == "he meets Bob on 2026-01-05"
    forget_memory(here.robot("aria"), second, now=NOW)
    with resolve_principal(here.robot("aria")).scope():
        assert not Restatement.objects.exists()
    restore_memory(here.robot("aria"), second, now=NOW)
    assert restated(here, second)["text"] == "he meets Bob on 2026-01-05"


@pytest.mark.conformance("A26")
def test_no_name_comes_out_of_a_turn_for_fewer(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(profile="strict")
    mina, bob = member(here, "mina"), member(here, "bob")
    secret, news = chat(
        here,
        {"content": "Daniel is seriously ill, keep it quiet", "speaker": mina},
        {"content": "@all he is away from tomorrow", "speaker": bob},
    )
    assert restated(here, news)["text"] == "@all he is away from 2026-01-06"
    assert "Daniel" not in str(restated(here, news, "bob"))
    assert here.browser("bob").get(f"/api/v1/memories/{secret}").status_code == 404


def test_sharing_takes_the_name_out_that_the_new_readers_may_not_know(world: World) -> None:
    here = world.here
    mina, bob = member(here, "mina"), member(here, "bob")
    _, second = chat(
        here,
        {"content": "Daniel is in Berlin this week.", "speaker": mina},
        {"content": "he meets Bob tomorrow", "speaker": bob},
    )
    share_memory(
        here.robot("aria"), second, visibility="organisation", readers={}, group=None, now=NOW
    )
    assert restated(here, second, "vera")["text"] == "he meets Bob on 2026-01-06"


def test_relative_days_count_from_the_arrival_where_nobody_says_when(world: World) -> None:
    here, day_after = world.here, (NOW + timedelta(days=1)).date()
    text = "Lena will bring the ladder tomorrow."
    arrived = here.remember(here.robot("aria"), text, group="launch").id
    assert restated(here, arrived)["text"] == f"Lena will bring the ladder on {day_after}."
    imported = here.remember(
        here.robot("aria"), text.replace("ladder", "key"), group="launch",
        source={"import": "line-1"},
    ).id  # fmt: skip
    assert "tomorrow" not in str(restated(here, arrived)["text"])
    assert (restated(here, imported) or {}).get("text", "") == "", "it was said who knows when"


def test_what_is_no_message_is_restated_too(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        here.members["mina"].time_zone = "Asia/Tokyo"
        here.members["mina"].save(update_fields=["time_zone"])
    plain = here.remember(
        here.robot("aria"),
        "I prefer tea from tomorrow on",
        group="launch",
        speaker=member(here, "mina"),
        occurred_at=NOW.replace(hour=20),
    ).id
    assert restated(here, plain)["text"] == "Mina prefers tea from 2026-03-04 on"
    own = here.remember(here.person("bob"), "I hate meetings", visibility="private").id
    assert restated(here, own, "bob")["text"] == "Bob hates meetings"
    # A deposit, and a key that looks a little like a message's and is none.
    kept = here.remember(
        here.robot("aria"), "he likes tea", member=member(here, "mina"), conversation="c",
        key="message:x", source={"message": "y"},
    )  # fmt: skip
    assert kept.status == "active"
    nothing = here.remember(here.robot("bolt"), "The buckle supplier needs more time.").id
    found = restated(here, nothing)
    assert (found["text"], found["persons"]) == ("", [])
    assert (found["keywords"], found["topic"]) == (["supplier", "buckle"], "supplier")


def test_you_is_whoever_is_answered(world: World) -> None:
    here = world.here
    mina, bob = member(here, "mina"), member(here, "bob")
    _, second, third = chat(
        here,
        {"content": "The blue folder is lost", "speaker": mina, "external_id": "1"},
        {"content": "can you bring the red one?", "speaker": bob, "reply_to": "1"},
        {"content": "can you bring the green one?", "speaker": bob, "mentions": [mina, bob]},
    )
    assert restated(here, second)["text"] == "can Mina bring the red one?"
    assert restated(here, third)["text"] == "can Mina bring the green one?", "not Bob himself"


@pytest.mark.conformance("A26", "H32")
def test_a_name_that_a_turn_lent_is_in_no_proposition(world: World) -> None:
    here = world.here
    first, second = chat(
        here,
        {"content": "Daniel is in Berlin this week.", "speaker": member(here, "mina")},
        {
            "content": "he meets Bob tomorrow. The pump house opens on Friday.",
            "speaker": member(here, "bob"),
        },
    )
    assert "Daniel" in restated(here, second)["text"]
    answer = here.api("aria").post(f"/api/v1/memories/{second}/propositions", {}, format="json")
    assert answer.json()["results"], answer.content
    forget_memory(here.robot("aria"), first, now=NOW)
    left = here.api("aria").get("/api/v1/memories", {"q": "Daniel"}).json()["results"]
    assert left == []


@pytest.mark.conformance("A28")
def test_the_settings_keep_to_the_ingestion_profile(settings: Any) -> None:
    assert settings.INGESTION == DEFAULT
