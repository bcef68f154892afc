"""Exports of ChatGPT and Claude: the living branch, and all of it private to whoever imports."""

from typing import Any

import pytest

from tests.memories.ingestion.file_import.formats.exports import (
    chatgpt_conversation,
    chatgpt_message,
    claude_conversation,
    lines_of,
    packed,
    skipped,
    texts,
)


def test_a_conversation_with_chatgpt() -> None:
    rows = lines_of(
        [
            chatgpt_conversation(
                chatgpt_message("system", ""),
                chatgpt_message("user", "Which tea?"),
                chatgpt_message("assistant", "Sencha.", create_time=None),
            )
        ]
    )
    assert rows == [
        {"item": "conversation 1, turn 2", "id": "chatgpt-c1-m2", "text": "Which tea?",
         "private": True, "own_words": True, "session": "chatgpt-c1", "seq": 2, "title": "Tea",
         "timestamp": "2024-01-01T10:00:00.250000+00:00"},
        {"item": "conversation 1, turn 3", "id": "chatgpt-c1-m3", "text": "Sencha.",
         "private": True, "speaker": "ChatGPT", "session": "chatgpt-c1", "seq": 3, "title": "Tea"},
    ]  # fmt: skip


def test_only_the_living_branch() -> None:
    talk = chatgpt_conversation(chatgpt_message("user", "first"), chatgpt_message("assistant", "a"))
    other = {"id": "x", "message": {"id": "x", **chatgpt_message("assistant", "dropped")}}
    talk["mapping"]["x"] = {**other, "parent": "n1", "children": []}
    assert texts(lines_of([talk])) == ["first", "a"]
    talk["current_node"] = "x"
    assert texts(lines_of([talk])) == ["first", "dropped"]


@pytest.mark.parametrize(
    ("parent", "why"), [("n2", "its turns go in a circle, or are too many"),
                        ("gone", "a turn before the first that is left is missing")]
)  # fmt: skip
def test_a_broken_tree_ends(parent: str, why: str) -> None:
    talk = chatgpt_conversation(chatgpt_message("user", "a"), chatgpt_message("assistant", "b"))
    talk["mapping"]["n1"]["parent"] = parent
    rows = lines_of([talk])
    assert skipped(rows) == {"conversation 1": why}
    assert texts(rows) == ["a", "b"]


def test_what_is_hidden_or_for_tools_is_left_out() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    rows = lines_of(
        [
            chatgpt_conversation(
                chatgpt_message("user", "seen"),
                chatgpt_message("user", "hidden", metadata=hidden),
                chatgpt_message("assistant", "search(1)", recipient="browser"),
                chatgpt_message("tool", "result"),
                chatgpt_message("assistant", "", content={"content_type": "thoughts", "thoughts": []}),  # noqa: E501
                chatgpt_message("user", "", content={
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer"}, "a picture",
                              {"content_type": "audio_transcription", "text": "spoken"}]}),
            )
        ]
    )  # fmt: skip
    assert texts(rows) == ["seen", "a picture\nspoken"]
    assert list(skipped(rows).values()) == [
        "an instruction to a tool",
        "a turn of “tool”, neither of the member nor of ChatGPT",
        "“thoughts”, which is no text",
    ]


def test_what_chatgpt_kept_of_its_owner_is_taken_once() -> None:
    context: dict[str, Any] = {
        "content": {"content_type": "user_editable_context", "user_profile": "I am a nurse.",
                    "user_instructions": "Be brief."},
        "metadata": {"is_visually_hidden_from_conversation": True},
    }  # fmt: skip
    model = {"content": {"content_type": "model_editable_context", "model_set_context": "1. Tea."}}
    talk = (
        chatgpt_message("user", "", **context),
        chatgpt_message("assistant", "", **model),
        chatgpt_message("assistant", "Has a dog called Rex.", recipient="bio"),
        chatgpt_message("user", "Hi"),
    )
    rows = lines_of([chatgpt_conversation(*talk), chatgpt_conversation(*talk, id="c2")])
    kinds = [(row.get("type"), row["text"], row.get("speaker")) for row in rows]
    assert kinds == [
        ("custom_instructions", "I am a nurse.", None), ("custom_instructions", "Be brief.", None),
        ("model_set_context", "1. Tea.", "ChatGPT"), ("bio", "Has a dog called Rex.", "ChatGPT"),
        (None, "Hi", None), (None, "Hi", None),
    ]  # fmt: skip
    assert all(row["private"] for row in rows)


def test_a_conversation_with_claude() -> None:
    rows = lines_of([claude_conversation(("human", "Which tea?"), ("assistant", "Sencha."))])
    assert rows[0] == {
        "item": "conversation 1, message 1", "id": "claude-k1-k1-0", "text": "Which tea?",
        "private": True, "own_words": True, "session": "claude-k1", "seq": 1, "title": "Tea",
        "timestamp": "2024-01-01T10:00:00.000000Z",
    }  # fmt: skip
    assert rows[1]["speaker"] == "Claude"
    assert rows[1]["text"] == "Sencha.", "not its thoughts"


def test_claude_s_memories_and_odd_turns() -> None:
    kept = [{"conversations_memory": "Likes tea.", "project_memories": {"p": "A novel."}}]
    talk = claude_conversation(("human", "Hi"), ("robot", "x"), ("human", " "))
    rows = lines_of(
        packed(
            {
                "data/conversations.json": [talk],
                "data/memories.json": kept,
                "data/users.json": [{"uuid": "a"}],
                "data/projects.json": [],
            }
        )
    )
    assert texts(rows) == ["Hi", "Likes tea.", "A novel."]
    assert list(skipped(rows).values()) == ["of “robot”, neither the member nor Claude", "no text"]


def test_the_zip_of_chatgpt_also_in_parts() -> None:
    first = chatgpt_conversation(chatgpt_message("user", "one"))
    second = chatgpt_conversation(chatgpt_message("user", "two"), id="c2")
    files = {"user.json": {"id": "u"}, "message_feedback.json": [], "chat.html": b"<html></html>",
             "conversations-000.json": [first], "conversations-001.json": [second]}  # fmt: skip
    assert texts(lines_of(packed(files))) == ["one", "two"]
