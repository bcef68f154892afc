"""Exports of Slack, Discord and mem0."""

import pytest

from memories.ingestion.file_import.formats.sources import ConversionError
from tests.memories.ingestion.file_import.formats.exports import (
    AT_UTC,
    discord_channel,
    discord_message,
    lines_of,
    mem0_row,
    packed,
    skipped,
    slack_export,
    slack_message,
    slack_user,
    texts,
)

TS = "1704103200.000100"


def test_slack_channels_are_groups_and_the_rest_is_for_its_members() -> None:
    export = slack_export(
        general=[slack_message("U1", "open", TS)],
        board=[slack_message("U1", "closed", TS)],
        D1=[slack_message("U2", "direct", TS)],
    )
    rows = {row["text"]: row for row in lines_of(packed(export))}
    assert rows["open"] == {
        "item": "message 1 of general/2024-01-01.json", "id": f"slack-C1-{TS}", "text": "open",
        "speaker": "Ada", "timestamp": "2024-01-01T10:00:00.000100+00:00", "seq": 1704103200000100,
        "group": "slack-C1", "group_name": "general (Slack)",
    }  # fmt: skip
    # Who left is still a reader of what was said before them.
    assert rows["closed"]["people"] == ["Ada", "Cy"]
    assert rows["closed"]["group"] == "slack-G1"
    assert rows["direct"]["people"] == ["Ada", "Bob"]
    assert "group" not in rows["direct"]


def test_slack_threads_edits_marks_and_who_speaks() -> None:
    text = "<@U2> &amp; <@U9|old> see <#C1|general>, <https://a.example|here> <!channel> &lt;b&gt;"
    rows = lines_of(
        packed(
            slack_export(
                general=[
                    slack_message("U1", text, TS, thread_ts=TS, edited={"user": "U1", "ts": TS}),
                    slack_message("U2", "answer", "1704103201.000000", thread_ts=TS),
                    slack_message("U1", "joined", "1704103202.000000", subtype="channel_join"),
                    slack_message(None, "built", "1704103203.000000", subtype="bot_message",
                                  username="CI", bot_id="B1"),
                    slack_message("U77", "hello", "1704103204.000000"),
                    slack_message("U78", "guest", "1704103205.000000",
                                  user_profile={"real_name": "Gus"}),
                    slack_message("U1", "", "1704103206.000000"),
                    slack_message("U1", "no time", "yesterday"),
                    "not a message",
                ]
            )
        )
    )  # fmt: skip
    first = rows[0]
    assert first["text"] == "@Bob & @old see #general, here (https://a.example) @channel <b>"
    assert first["session"] == rows[1]["session"] == TS
    assert rows[1]["reply_to"] == f"slack-C1-{TS}"
    assert first["edited_at"].startswith("2024-01-01T10:00:00")
    assert [row["speaker"] for row in rows if "text" in row][2:] == [
        "CI (bot)", "Slack user U77", "Gus (U78)"
    ]  # fmt: skip
    assert list(skipped(rows).values()) == [
        "a service message: channel_join", "no text", "no time, by which Slack names a message",
        "not a JSON object",
    ]  # fmt: skip


def test_slack_in_a_folder_and_what_nobody_is_listed_for() -> None:
    export = slack_export(general=[slack_message("U1", "open", TS)],
                          secret=[slack_message("U1", "whose?", TS)])  # fmt: skip
    export["groups.json"] = [{"id": "G1", "name": "empty", "members": []}]
    export["empty/2024-01-01.json"] = [slack_message("U1", "nobody's", TS)]
    rows = lines_of(packed({f"Acme export/{name}": one for name, one in export.items()}))
    assert texts(rows) == ["open"]
    assert list(skipped(rows).values()) == [
        "nobody is listed as a member of this channel",
        "a folder of no channel in the lists of channels",
    ]


def test_two_people_of_one_name_in_slack() -> None:
    export = slack_export(D1=[slack_message("U2", "direct", TS)])
    export["users.json"].append(slack_user("U4", "Bob"))
    assert lines_of(packed(export))[0]["people"] == ["Ada", "Bob (U2)"]


def test_a_channel_of_discord() -> None:
    rows = lines_of(
        discord_channel(
            discord_message("11", "Ada", "Hi"),
            discord_message("12", "Bob", "Yes", type="Reply", reference={"messageId": "11"}),
            discord_message("13", "Bob", "joined", type="GuildMemberJoin"),
            discord_message("14", "Bob", ""),
        )
    )
    assert rows[0] == {
        "item": "message 1 of general", "id": "discord-5-11", "text": "Hi", "speaker": "Ada",
        "timestamp": "2024-01-01T11:00:00.25+01:00", "seq": 11, "group": "discord-5",
        "group_name": "Makers / general (Discord)",
    }  # fmt: skip
    assert rows[1]["reply_to"] == "discord-5-11"
    assert list(skipped(rows).values()) == ["a service message: GuildMemberJoin", "no text"]


@pytest.mark.parametrize("kind", ["DirectTextChat", "DirectGroupTextChat", "GuildPrivateThread"])
def test_direct_messages_of_discord_are_for_those_who_wrote(kind: str) -> None:
    talk = discord_channel(
        discord_message("1", "Ada", "a"), discord_message("2", "Bob", "b"), type=kind
    )
    rows = lines_of(
        packed({"a.json": talk, "b.json": discord_channel(discord_message("3", "Cy", "c"))})
    )
    assert [row.get("people") for row in rows] == [["Ada", "Bob"], ["Ada", "Bob"], None]


@pytest.mark.parametrize("wrap", [list, lambda rows: {"results": rows, "relations": []}])
def test_mem0_is_private_to_each_user(wrap) -> None:
    rows = lines_of(
        wrap([
            mem0_row(1, "ada", "Likes tea", categories=["food"], run_id="r", agent_id="chef"),
            mem0_row(2, None, "An agent's", created_at=None), mem0_row(3, "ada", ""),
            mem0_row(4, "ada", "no id", id=None),
        ])
    )  # fmt: skip
    assert rows[0] == {
        "item": "row 1", "id": "mem0-r1", "text": "Likes tea", "private": True, "subject": "ada",
        "agent": "chef", "session": "mem0-r", "tags": ["food"],
        "timestamp": "2024-01-01T02:00:00.000000-08:00",
    }  # fmt: skip
    assert rows[1] == {"item": "row 2", "id": "mem0-r2", "text": "An agent's", "private": True}
    assert skipped(rows) == {"row 3": "no memory", "row 4": "no id"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (1704103200, AT_UTC), (1704103200000, AT_UTC), ("1704103200", AT_UTC),
        ("1704103200000", AT_UTC), (1704103200.0, AT_UTC), ("2024-01-01 10:00:00 UTC",
        "2024-01-01 10:00:00Z"), (10**30, str(10**30)[:100]), (float("1e300"), "1e+300"),
        ("yesterday", "yesterday"), (True, "True"), ([1], "[1]"),
    ],
)  # fmt: skip
def test_times_as_numbers_and_texts(given: object, told: str) -> None:
    body = mem0_row(1, "ada", "x", created_at=given)
    if given == 10**30:
        with pytest.raises(ConversionError, match="broken JSON"):
            lines_of([body])
        return
    assert lines_of([body])[0]["timestamp"] == told
