"""Whatever stands where in an export, a conversion ends: with lines or with one sentence."""

import copy
import io
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from memories.ingestion.file_import.formats.registry import ConversionOptions, convert
from memories.ingestion.file_import.formats.sources import ConversionError
from tests.memories.ingestion.file_import.formats.exports import (
    as_bytes,
    chatgpt_conversation,
    chatgpt_message,
    claude_conversation,
    discord_channel,
    discord_message,
    mem0_row,
    packed,
    slack_export,
    slack_message,
    telegram_account,
    telegram_chat,
    telegram_message,
)

EXPORTS: dict[str, Any] = {
    "telegram": telegram_account(
        telegram_chat(telegram_message(1, "Ada", ["a", {"type": "bold", "text": "b"}])),
        telegram_chat(telegram_message(2, "Bob", "c"), type="personal_chat", id=2, name="Bob"),
    ),
    "chatgpt": [chatgpt_conversation(chatgpt_message("user", "a"), chatgpt_message("assistant", "b"))],  # noqa: E501
    "claude": [claude_conversation(("human", "a"), ("assistant", "b"))],
    "discord": discord_channel(discord_message("1", "Ada", "a"), discord_message("2", "Bob", "b")),
    "mem0": {"results": [mem0_row(1, "ada", "a"), mem0_row(2, None, "b")]},
    "slack": slack_export(general=[slack_message("U1", "<@U2> a", "1704103200.000100")],
                          D1=[slack_message("U2", "b", "1704103200.000100")]),
}  # fmt: skip
ODD = [
    None, True, 0, -1, 2**63 - 1, 1.5, "", " ", "x" * 400, "\u202eeno", "org", "\ud83d", "\x00", [], {},  # noqa: E501
    [[]], ["a", 1, None], {"a": {}}, {"text": 1}, [{"id": None}], "9" * 30, "1704103200", "2024-01-01",  # noqa: E501
]  # fmt: skip


def mutated(value: Any, draw: random.Random) -> Any:
    """The value with one place changed: replaced, dropped or doubled."""
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key in part if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], dict | list):
                walk(part[key])

    value = copy.deepcopy(value)
    walk(value)
    if not places:
        return value
    part, key = draw.choice(places)
    act = draw.choice(["replace", "replace", "drop", "double"])
    if act == "drop":
        del part[key]
    elif act == "double" and isinstance(part, list):
        part.append(part[key])
    else:
        part[key] = draw.choice(ODD)
    return value


def outcome(body: bytes, **options: Any) -> None:
    """Convert; every line is a sound object that says what it was, or there is one sentence."""
    try:
        made = convert(io.BytesIO(body), len(body), ConversionOptions(**options))
    except ConversionError as error:
        assert 0 < len(str(error)) < 400  # noqa: PT017 - or there is no error
        return
    if made is None:
        return
    with made.lines as lines:
        for line in lines:
            row = orjson.loads(line)
            assert row["item"]
            assert ("skipped" in row) != ("text" in row)
            if "text" in row:
                assert isinstance(row["text"], str)
                assert (
                    row.get("private")
                    or row.get("people")
                    or row.get("group")
                    or "csv" in row["id"]
                )


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("seed", range(3))
def test_any_value_in_any_place(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} {seed}")  # noqa: S311 - seeded
    for _ in range(150):
        export = EXPORTS[kind]
        for _ in range(draw.randint(1, 4)):
            export = mutated(export, draw)
        body = packed(export) if kind == "slack" else as_bytes(export)
        outcome(body, format=draw.choice([kind, "auto"]), time_zone=draw.choice([None, "UTC"]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*EXPORTS, "csv"])
def test_any_byte_in_any_place(kind: str) -> None:
    draw = random.Random(kind)  # noqa: S311 - seeded
    export = EXPORTS.get(kind, b'text,who,date\n"a ""b""\nc",Ada,2024-01-01\nd,,\n')
    whole = packed(export) if kind == "slack" else as_bytes(export)
    change: list[Callable[[bytearray, int], None]] = [
        lambda body, at: body.__setitem__(at, draw.randrange(256)),
        lambda body, at: body.__delitem__(slice(at, None)),
        lambda body, at: body.__delitem__(slice(at, at + draw.randint(1, 40))),
        lambda body, at: body.__setitem__(slice(at, at), draw.randbytes(8)),
    ]
    for _ in range(200):
        body = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            draw.choice(change)(body, draw.randrange(max(1, len(body))) if body else 0)
            body = body or bytearray(b" ")
        outcome(bytes(body), format=draw.choice([kind, "auto"]), time_zone="UTC")
