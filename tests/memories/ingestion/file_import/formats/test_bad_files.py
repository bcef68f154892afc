"""Files that are broken, too large or meant to do harm: one sentence, and nothing is taken."""

import gzip
import io
import json
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memories.ingestion.file_import.formats import sources, zip_archive
from memories.ingestion.file_import.formats.registry import ConversionOptions, convert
from memories.ingestion.file_import.formats.sources import MIB, ConversionError
from tests.memories.ingestion.file_import.formats.exports import (
    as_bytes,
    chatgpt_conversation,
    chatgpt_message,
    discord_channel,
    lines_of,
    packed,
    skipped,
    slack_export,
    slack_message,
    telegram_chat,
    telegram_message,
    texts,
)

CHAT = telegram_chat(telegram_message(1, "Ada", "Hi"), telegram_message(2, "Bob", "Yes"))


def refused(content: Any, words: str, **options: Any) -> None:
    with pytest.raises(ConversionError, match=words) as fault:
        lines_of(content, **options)
    assert str(fault.value).count("\n") == 0
    assert len(str(fault.value)) < 400


@contextmanager
def memory_within(most: int) -> Iterator[None]:
    """What is done inside takes at most so many bytes more."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def zipped(info: zipfile.ZipInfo | str, content: bytes = b"{}") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("result.json", json.dumps(CHAT))
        archive.writestr(info, content)
    return out.getvalue()


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("photo.json")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../x.json", "outside of itself"), ("a/../../x.json", "outside of itself"),
        ("..\\x.json", "outside of itself"), ("/etc/x.json", "absolute"),
        ("C:\\x.json", "absolute"), (link(), "a link or a device"),
    ],
)  # fmt: skip
def test_a_zip_that_reaches_outside(name: Any, words: str) -> None:
    refused(zipped(name), words)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name() -> None:
    refused(zipped("result.json"), "two files of one name")


def test_a_zip_that_is_locked_or_damaged() -> None:
    body = bytearray(packed({"result.json": CHAT}))
    at = body.find(b"PK\x01\x02")
    body[at + 8] |= 1
    refused(bytes(body), "locked with a password")
    damaged = bytearray(packed({"result.json": telegram_chat(
        *(telegram_message(n, "Ada", f"text {n * 7919}") for n in range(2000)))}))  # fmt: skip
    damaged[len(damaged) // 2] ^= 0xFF
    refused(bytes(damaged), "damaged|broken JSON", format="telegram")
    refused(packed({"result.json": CHAT})[:-30], "damaged")
    refused(
        packed({"x.png": b"\x89PNG"}), "none of the exports that are read: CSV, Telegram, Slack"
    )
    refused(packed({}), "none of the exports")


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = (
        b'{"name": "F", "type": "private_group", "id": 7, "messages": [' + b" " * 100 * MIB + b"]}"
    )
    small = gzip.compress(bomb, compresslevel=1)
    assert len(small) < MIB
    for body in (small, packed({"result.json": bomb})):
        refused(body, "holds (one text of|more than)", format="telegram")
    lie = bytearray(packed({"result.json": bomb}))
    at = lie.find(b"PK\x01\x02")
    # It says that it is small: nothing beyond what it says is unpacked.
    lie[at + 24 : at + 28] = struct.pack("<I", 1000)
    with memory_within(64 * MIB):
        refused(bytes(lie), "damaged|broken JSON|holds no", format="telegram")
    dense = as_bytes(telegram_chat(*[telegram_message(1, "Ada", "x")] * 10_000))
    for module in (sources, zip_archive):
        monkeypatch.setattr(module, "ROOM", MIB)
        monkeypatch.setattr(module, "MAX_RATIO", 10)
    refused(gzip.compress(dense), "Unpacked, the file holds more than 1 MB")
    refused(packed({"result.json": dense}), "Unpacked, the zip holds more than 1 MB")
    monkeypatch.setattr(zip_archive, "MAX_ENTRIES", 2)
    refused(packed({str(n): b"" for n in range(3)}), "more than 2 files")
    monkeypatch.setattr(zip_archive, "MAX_CONTENTS_BYTES", 50)
    refused(packed({"result.json": CHAT}), "too many files")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (as_bytes(CHAT)[:-30], "breaks off"),
        (as_bytes(CHAT) + b"{}", "broken JSON"),
        (as_bytes(CHAT).replace(b"Hi", b"\xff\xfe"), "not UTF-8"),
        (json.dumps(CHAT).encode("utf-16")[:-101], "UTF-16|breaks off"),
        (b'{"name": "F", "type": "x", "messages": ' + b"[" * 500 + b"]" * 500 + b"}", "deeper than 100"),  # noqa: E501
        (gzip.compress(as_bytes(CHAT) * 1)[:-12], "damaged or breaks off"),
        (b'{"name":"F","type":"private_group","messages":[{"text":"' + b"a" * 9 * MIB + b'"}]}',
         "one text of more than 8 MB"),
        (b'{"name":"F","type":"private_group","messages":[{"text":"' + b'a\\"' * 4 * MIB + b'"}]}',
         "one text of more than 8 MB"),
        (b'{"name":"F","type":"private_group","id":' + b"9" * 400 + b',"messages":[]}', "broken JSON"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_broken_document_is_refused_as_a_whole(body: bytes, words: str) -> None:
    refused(body, words, format="telegram")


def test_utf_16_and_a_mark_are_read() -> None:
    assert texts(lines_of(json.dumps(CHAT).encode("utf-16"))) == ["Hi", "Yes"]
    assert texts(lines_of(b"\xef\xbb\xbf" + as_bytes(CHAT))) == ["Hi", "Yes"]
    assert texts(lines_of(gzip.compress(as_bytes(CHAT)))) == ["Hi", "Yes"]
    assert texts(lines_of(as_bytes(CHAT).replace(b"Hi", b"\\ud83d!"))) == ["?!", "Yes"]


def test_an_element_that_is_too_large_is_left_out_and_the_others_go_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sources, "MAX_ELEMENT", 20_000)
    long = chatgpt_conversation(*(chatgpt_message("user", "x" * 50) for _ in range(100)), id="big")
    rows = lines_of([long, chatgpt_conversation(chatgpt_message("user", "Hi"), id="c2")])
    assert texts(rows) == ["Hi"]
    assert list(skipped(rows)) == ["conversation 1"]


@pytest.mark.slow
def test_deep_json_costs_no_memory() -> None:
    # The parser hands over what half a megabyte says at once.
    with memory_within(100 * MIB):
        for body in (b"[" * 300_000, b'{"a":' * 100_000, b'{"messages":[' + b'{"a":[' * 100_000):
            assert convert(io.BytesIO(body), len(body), ConversionOptions()) is None
            refused(body, "deeper than 100|broken JSON", format="discord")


@pytest.mark.slow
def test_a_large_file_takes_little_memory() -> None:
    rows = b",".join(
        as_bytes(telegram_message(n, "Ada", f"message {n} " + "x" * 400)) for n in range(15_000)
    )
    body = as_bytes(CHAT).replace(b'"messages": [', b'"messages": [' + rows + b",")
    assert len(body) > 8 * MIB
    with memory_within(8 * MIB):
        made = convert(io.BytesIO(body), len(body), ConversionOptions())
        assert made
        made.lines.close()


def test_a_name_that_means_more_than_a_person() -> None:
    """People are listed as people, so a name means neither everyone nor a group."""
    for name in ("org", "telegram-group-7"):
        rows = lines_of(telegram_chat(telegram_message(1, name, "x"), telegram_message(2, "Bob", "y"),  # noqa: E501
                                      type="personal_chat", id=2, name="Bob"))  # fmt: skip
        assert rows[1]["people"] == sorted(["Bob", name])
        assert "audience" not in rows[1]


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("telegram", {"a": 1}, "holds nothing that an export of Telegram has"),
        ("chatgpt", [], "holds nothing"), ("claude", {}, "holds nothing"),
        ("mem0", [1, 2], "of its 2 items none holds a text that can be imported. The first: not a"),
        ("slack", packed({"result.json": CHAT}), "no export of Slack"),
        ("discord", discord_channel(1, id=""), "which channel"),
        ("telegram", packed({"a.json": CHAT, "b.json": CHAT}), "more than one file of Telegram"),
        ("carrier-pigeon", CHAT, "The formats are auto, jsonl, csv"),
    ],
)  # fmt: skip
def test_a_format_that_the_file_is_not(kind: str, body: Any, words: str) -> None:
    refused(body, words, format=kind)


@pytest.mark.parametrize(
    "body",
    [b"hello\nworld\n", b'{"text": "a", "messages": [], "name": "x"}', b'[{"text": "a"}]', b"[]",
     b'{"id": 1}\n{"text": "b"}', b"\x89PNG\r\n\x1a\n\x00,\n,", b"a,b", b"PNG\x00,x\ny\n", b" \n"],
)  # fmt: skip
def test_what_is_no_other_format_is_left_to_json_lines(body: bytes) -> None:
    assert convert(io.BytesIO(body), len(body), ConversionOptions()) is None


def test_a_zip_with_json_lines_or_a_table() -> None:
    assert texts(lines_of(packed({"talk.jsonl": b'{"text": "a"}\n{"text": "b"}\n'}))) == ["a", "b"]
    assert texts(
        lines_of(packed({"x/talk.csv": b"text,who\na,b\n", "__MACOSX/._t.csv": b"?"}))
    ) == ["a"]


def test_slack_s_files_are_bounded_too() -> None:
    export = slack_export(general=[slack_message("U1", "open", "1704103200.000100")])
    export["users.json"] = b"[" * 200
    refused(packed(export), "deeper than 100")
    export["users.json"] = {"not": "a list"}
    assert lines_of(packed(export))[0]["speaker"] == "Slack user U1"
