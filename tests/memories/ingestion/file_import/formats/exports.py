"""Small exports of other programs, as these write them, and what a conversion makes of them."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import orjson

from memories.ingestion.file_import.formats.registry import ConversionOptions, convert

AT = "1704103200"
AT_UTC = "2024-01-01T10:00:00+00:00"


def packed(files: Mapping[str, Any]) -> bytes:
    """A zip of these files; what is not bytes is written as JSON."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, as_bytes(content))
    return out.getvalue()


def as_bytes(content: Any) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def lines_of(content: Any, **options: Any) -> list[dict[str, Any]]:
    """The lines of an export, each as an object."""
    body = as_bytes(content)
    made = convert(io.BytesIO(body), len(body), ConversionOptions(**options))
    assert made is not None, "it was recognised as JSON lines"
    with made.lines as lines:
        return [orjson.loads(line) for line in lines]


def texts(rows: list[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in rows if "text" in row]


def skipped(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["item"]: row["skipped"] for row in rows if "skipped" in row}


def telegram_message(number: int, who: str, text: Any, **more: Any) -> dict[str, Any]:
    user = {"Ada": "user1", "Bob": "user2"}.get(who, f"user-{who}")
    return {
        "id": number, "type": "message", "date": "2024-01-01T11:00:00", "date_unixtime": AT,
        "from": who, "from_id": user, "text": text, "text_entities": [], **more,
    }  # fmt: skip


def telegram_chat(
    *messages: Any,
    type: str = "private_group",
    id: int = 7,  # noqa: A002
    name: str = "Family",
) -> dict[str, Any]:
    return {"name": name, "type": type, "id": id, "messages": list(messages)}


def telegram_account(*chats: dict[str, Any]) -> dict[str, Any]:
    return {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 1, "first_name": "Ada", "last_name": ""},
        "contacts": {"about": "", "list": [{"user_id": 2, "first_name": "Bob"}]},
        "chats": {"about": "", "list": list(chats)},
    }


def chatgpt_message(role: str, text: Any, **more: Any) -> dict[str, Any]:
    return {
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1704103200.25,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully", "weight": 1.0, "metadata": {}, "recipient": "all",
        **more,
    }  # fmt: skip


def chatgpt_conversation(
    *messages: dict[str, Any] | None,
    id: str = "c1",  # noqa: A002
    title: str = "Tea",
) -> dict[str, Any]:
    """A conversation whose turns follow each other; the first node has no message."""
    nodes: dict[str, Any] = {"n0": {"id": "n0", "message": None, "parent": None, "children": []}}
    for number, message in enumerate(messages, start=1):
        key = f"n{number}"
        told = None if message is None else {"id": f"m{number}", **message}
        nodes[key] = {"id": key, "message": told, "parent": f"n{number - 1}", "children": []}
        nodes[f"n{number - 1}"]["children"].append(key)
    return {
        "title": title, "create_time": 1704103200.0, "mapping": nodes,
        "current_node": f"n{len(messages)}", "conversation_id": id, "id": id,
    }  # fmt: skip


def claude_conversation(*turns: tuple[str, str], id: str = "k1") -> dict[str, Any]:  # noqa: A002
    return {
        "uuid": id, "name": "Tea", "created_at": "2024-01-01T10:00:00.000000Z",
        "account": {"uuid": "a"},
        "chat_messages": [
            {
                "uuid": f"{id}-{number}", "sender": sender, "text": text,
                "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}],  # noqa: E501
                "created_at": "2024-01-01T10:00:00.000000Z", "attachments": [], "files": [],
            }
            for number, (sender, text) in enumerate(turns)
        ],
    }  # fmt: skip


def slack_user(id: str, name: str, **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "name": name.lower(), "profile": {"display_name": name}, **more}


def slack_message(user: str | None, text: str, ts: str, **more: Any) -> dict[str, Any]:
    told = {"user": user} if user else {}
    return {"type": "message", "text": text, "ts": ts, **told, **more}


def slack_export(**days: list[Any]) -> dict[str, Any]:
    """A workspace with an open and a closed channel and a direct message between Ada and Bob.
    days: messages of each by the name of its folder."""
    return {
        "users.json": [
            slack_user("U1", "Ada"), slack_user("U2", "Bob"), slack_user("U3", "Cy", deleted=True)
        ],
        "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2", "U3"]}],
        "groups.json": [{"id": "G1", "name": "board", "members": ["U1", "U3"]}],
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
        "mpims.json": [],
        **{f"{folder}/2024-01-01.json": rows for folder, rows in days.items()},
    }  # fmt: skip


def discord_message(number: str, who: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "type": "Default", "timestamp": "2024-01-01T11:00:00.25+01:00",
        "timestampEdited": None, "content": text,
        "author": {"id": f"9{who}", "name": who.lower(), "nickname": who, "isBot": False},
        **more,
    }  # fmt: skip


def discord_channel(*messages: Any, type: str = "GuildTextChat", id: str = "5") -> dict[str, Any]:  # noqa: A002
    guild = {"id": "3", "name": "Makers"} if type.startswith("Guild") else {"id": "0", "name": "DM"}
    return {
        "guild": guild, "channel": {"id": id, "type": type, "name": "general"},
        "dateRange": {"after": None, "before": None}, "messages": list(messages),
        "messageCount": len(messages),
    }  # fmt: skip


def mem0_row(number: int, user: str | None, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"r{number}", "memory": text, "user_id": user, "agent_id": None, "run_id": None,
        "metadata": None, "created_at": "2024-01-01T02:00:00.000000-08:00", **more,
    }  # fmt: skip
