"""Telegram's export: who said what, who reads it, what is left out and why."""

import pytest

from memories.ingestion.file_import.formats.sources import ConversionError
from tests.memories.ingestion.file_import.formats.exports import (
    AT_UTC,
    lines_of,
    skipped,
    telegram_account,
    telegram_chat,
    telegram_message,
    texts,
)


def test_a_group() -> None:
    service = {"id": 1, "type": "service", "action": "create_group", "text": ""}
    entities = [
        "See ",
        {"type": "link", "text": "example.org"},
        " and ",
        {"type": "bold", "text": "go"},
    ]
    rows = lines_of(
        telegram_chat(
            service,
            telegram_message(2, "Ada", entities),
            telegram_message(3, "Bob", "Yes", reply_to_message_id=2, edited_unixtime="1704103260"),
            telegram_message(4, "Bob", "", photo="photos/1.jpg"),
            telegram_message(5, "Bob", "Not mine", forwarded_from="Eve"),
        )
    )  # fmt: skip
    assert rows[1] == {
        "item": "message 2", "id": "telegram-7-2", "text": "See example.org and go",
        "speaker": "Ada", "timestamp": AT_UTC, "seq": 2, "group": "telegram-group-7",
        "group_name": "Family (Telegram)",
    }  # fmt: skip
    assert rows[2]["reply_to"] == "telegram-7-2"
    assert rows[2]["edited_at"] == "2024-01-01T10:01:00+00:00"
    assert skipped(rows) == {
        "message 1": "a service message: create_group", "message 4": "no text, only photo"
    }  # fmt: skip
    forwarded = rows[4]
    assert "speaker" not in forwarded, "they are somebody else's words"
    assert (forwarded["forwarded_from"], forwarded["forwarded_by"]) == ("Eve", "Bob")


def test_who_reads_each_kind_of_chat() -> None:
    one = telegram_message
    rows = lines_of(
        telegram_account(
            telegram_chat(one(1, "Ada", "group")),
            telegram_chat(one(1, "Ada", "super"), type="private_supergroup"),
            telegram_chat(one(1, "Bob", "personal"), type="personal_chat", id=2, name="Bob"),
            telegram_chat(one(1, "Ada", "only mine"), type="personal_chat", id=9, name="Zoe"),
            telegram_chat(
                {**one(1, "News", "channel"), "from_id": "channel8"},
                type="public_channel", id=8, name="News",
            ),
            telegram_chat(one(1, "Ada", "saved"), type="saved_messages", id=1),
            telegram_chat(one(1, "Ada", "odd"), type="hologram", id=5),
        )
    )  # fmt: skip
    by_text = {row["text"]: row for row in rows if "text" in row}
    # A small group and a channel may have the same number.
    assert by_text["group"]["group"] == "telegram-group-7"
    assert by_text["super"]["group"] == "telegram-channel-7"
    assert by_text["personal"]["people"] == ["Bob"], "the only one whom the file names there"
    assert by_text["only mine"]["people"] == ["Ada", "Zoe"]
    assert by_text["channel"]["speaker"] == "News"
    assert by_text["saved"]["private"] is True
    assert by_text["saved"]["own_words"] is True
    assert {"people", "group", "audience", "speaker"}.isdisjoint(by_text["saved"])
    assert list(skipped(rows).values()) == ["a chat of an unknown type: hologram"]


def test_two_people_of_one_name_are_two() -> None:
    twin = {**telegram_message(1, "Ada", "from the other"), "from_id": "user55"}
    rows = lines_of(
        telegram_account(
            telegram_chat(telegram_message(1, "Ada", "x"), twin),
            telegram_chat(
                telegram_message(2, "Bob", "secret"), twin, type="personal_chat", id=55, name="Ada"
            ),
        )
    )
    secret = next(row for row in rows if row.get("text") == "secret")
    assert secret["people"] == ["Ada (user55)", "Bob"]
    assert rows[0]["speaker"] == "Ada (user1)"


def test_times_that_name_no_zone_are_asked_for() -> None:
    message = telegram_message(1, "Ada", "Hi")
    del message["date_unixtime"]
    with pytest.raises(ConversionError, match="zone") as refused:
        lines_of(telegram_chat(message))
    assert refused.value.about == "time_zone"
    rows = lines_of(telegram_chat(message), time_zone="Europe/Berlin")
    assert rows[0]["timestamp"] == AT_UTC
    with pytest.raises(ConversionError, match="unknown"):
        lines_of(telegram_chat(message), time_zone="../../etc/passwd")


def test_somebody_who_left_and_an_older_file() -> None:
    gone = {**telegram_message(1, "x", "Bye"), "from": None, "from_id": "user404"}
    old = telegram_message(2, "Ada", "Old")
    del old["from_id"]
    rows = lines_of(telegram_chat(gone, old))
    assert [row["speaker"] for row in rows] == ["Telegram user user404", "Ada"]


def test_the_chat_may_be_named_after_its_messages() -> None:
    late = {
        "messages": [telegram_message(1, "Ada", "Hi")],
        "name": "F",
        "type": "private_group",
        "id": 7,
    }
    assert lines_of(late)[0]["group"] == "telegram-group-7"  # fmt: skip


def test_what_is_no_message_is_told() -> None:
    rows = lines_of(
        telegram_chat(
            3,
            telegram_message(2, "Ada", [{"type": "x"}, 5]),
            telegram_message(9, "Ada", "Hi"),
            {"type": "message", "text": "a"},
        )
    )
    assert texts(rows) == ["Hi"]
    assert list(skipped(rows).values()) == [
        "not a JSON object", "no text", "no id of the message or of the chat"
    ]  # fmt: skip
