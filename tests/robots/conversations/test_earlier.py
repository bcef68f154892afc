"""Earlier conversations for a new one: the older the less, for the same readers alone."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orgs.principals import resolve_principal
from robots.conversations.earlier_conversations import (
    BANDS,
    MAX_CONVERSATIONS,
    band_of,
    count_fitting,
    estimate_tokens,
)
from robots.conversations.earlier_conversations import list_earlier_conversations as earlier_of
from robots.models.conversations import Conversation, Message
from tests.robots.conversations.test_post_messages import URL, name_people, opened, post
from tests.world import NOW, Tenant, World

HOUR, DAY, SECOND = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)
WORD = "ab" * 38  # 76 characters, so with a number of four it has 20 tokens


def aged(here: Tenant, chat: str, at: datetime) -> None:
    with resolve_principal(here.robot("aria").naming_a_row()).scope():
        assert Conversation.objects.filter(id=chat).update(last_message_at=at)


def chat(here: Tenant, name: str, age: timedelta, count: int, **place: Any) -> str:
    """A conversation with so many messages of 20 tokens, the last of which is of that age."""
    api = here.api("aria")
    id_ = opened(api, external_id=name, title=f"Title of {name}", **place)
    said = [{"content": f"{WORD}{number:04d}", "speaker": "irc:mina"} for number in range(count)]
    if said:
        post(api, id_, *said)
        aged(here, id_, NOW - age)
    return id_


def asked(here: Tenant, id_: str, name: str = "aria") -> list[Any]:
    return earlier_of(here.robot(name), id_, now=NOW)  # type: ignore[arg-type]


@pytest.mark.conformance("G35")
def test_the_bands_end_where_they_should() -> None:
    assert [(band.name, band.tokens) for band in BANDS] == [
        ("hot", 5_000),
        ("warm", 2_000),
        ("cold", 500),
        ("archive", 0),
    ]
    ends = ((24 * HOUR, "hot", "warm"), (7 * DAY, "warm", "cold"), (30 * DAY, "cold", "archive"))
    for end, before, after in ends:
        assert (band_of(end - SECOND).name, band_of(end).name) == (before, after)
    assert band_of(-DAY).name == "hot", "a clock that went back"


def test_a_budget_ends_at_the_first_that_does_not_fit() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde", "日本", "né")] == [
        0,
        1,
        1,
        2,
        2,
        2,
    ]
    ten = "x" * 40
    assert count_fitting([ten, ten, ten], 25) == (2, 20)
    assert count_fitting([ten, "x" * 80, "a"], 25) == (1, 10)
    assert count_fitting([ten, ten], 20) == (2, 20)
    assert count_fitting([], 20) == (0, 0)


@pytest.mark.conformance("G35")
def test_the_older_the_less_is_given(world: World) -> None:
    here = world.here
    name_people(here)
    place = {"group": "launch"}
    chat(here, "hot", 23 * HOUR, 300, **place)
    chat(here, "warm", 2 * DAY, 130, **place)
    chat(here, "cold", 8 * DAY, 30, **place)
    chat(here, "old", 31 * DAY, 3, **place)
    new = chat(here, "new", timedelta(), 0, **place)
    found = asked(here, new)
    assert [(one.conversation.external_id, one.band.name) for one in found] == [
        ("hot", "hot"), ("warm", "warm"), ("cold", "cold"), ("old", "archive"),
    ]  # fmt: skip
    assert [one.tokens for one in found] == [5_000, 2_000, 500, 0]
    assert [len(one.messages) for one in found] == [250, 100, 25, 0]
    # The latest of them, in the order in which they were said.
    last = [message.content[-4:] for message in found[2].messages]
    assert last == [f"{number:04d}" for number in range(5, 30)]
    answer = here.api("aria").get(f"{URL}/{new}/earlier").json()
    assert answer["conversations"][-1]["title"] == "Title of old"
    assert answer["tokens"] == sum(one["tokens"] for one in answer["conversations"])


def test_a_band_is_shared_by_the_latest_first(world: World) -> None:
    here = world.here
    name_people(here)
    for number, count in ((1, 60), (2, 60), (3, 5)):
        chat(here, f"warm {number}", number * DAY, count, group="launch")
    new = chat(here, "new", timedelta(), 0, group="launch")
    assert [len(one.messages) for one in asked(here, new)] == [60, 40, 0]


def test_only_what_all_its_readers_read(world: World) -> None:
    """Not another group's, nor what was said to fewer, nor the chat with one member."""
    here = world.here
    name_people(here)
    chat(here, "here", HOUR, 2, group="launch")
    chat(here, "elsewhere", HOUR, 2, group="design")
    chat(here, "alone", HOUR, 2, member=str(here.members["mina"].id))
    new = chat(here, "new", timedelta(), 0, group="launch")
    (one,) = asked(here, new)
    assert one.conversation.external_id == "here"
    with resolve_principal(here.robot("aria")).scope():
        narrow, taken_back = (message.id for message in one.messages)
        own = resolve_principal(here.robot("aria")).own_audience
        Message.objects.filter(id=narrow).update(audience_id=own)
        Message.objects.filter(id=taken_back).update(withdrawn_at=NOW)
    (one,) = asked(here, new)
    assert one.messages == []
    with_mina = chat(here, "again", timedelta(), 0, member=str(here.members["mina"].id))
    assert [one.conversation.external_id for one in asked(here, with_mina)] == ["alone"]
    for name in ("bolt", "clio"):
        assert here.api(name).get(f"{URL}/{with_mina}/earlier").status_code == 404
    assert world.there.api("aria").get(f"{URL}/{new}/earlier").status_code == 404


def test_many_conversations_cost_no_more_queries(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    name_people(here)
    new = chat(here, "new", timedelta(), 0, group="launch")
    chat(here, "first", HOUR, 1, group="launch")
    with CaptureQueriesContext(connection) as before:
        asked(here, new)
    for number in range(6):
        chat(here, f"chat {number}", number * DAY, 2, group="launch")
    with CaptureQueriesContext(connection) as after:
        assert len(asked(here, new)) == 7
    assert len(after) == len(before)
    assert MAX_CONVERSATIONS == 50
    monkeypatch.setattr("robots.conversations.earlier_conversations.MAX_CONVERSATIONS", 4)
    latest = [one.conversation.external_id for one in asked(here, new)]
    assert latest == ["chat 0", "first", "chat 1", "chat 2"]
