"""Claude's export (conversations.json): all is private to whoever imports it."""

import hashlib
from collections.abc import Iterable
from typing import Any

from memories.ingestion.file_import.formats.line_writer import LineWriter
from memories.ingestion.file_import.formats.sources import (
    EACH,
    Source,
    as_list,
    as_map,
    as_text,
    iter_elements,
)

LABEL = "Claude"
_SENDERS = ("human", "assistant")


def convert(sources: Iterable[Source], writer: LineWriter) -> None:
    """Write the messages of each conversation, and what Claude kept of its owner
    (memories.json)."""
    number = 0
    for source in sources:
        for _path, conversation in iter_elements(source, {(EACH,)}):
            number += 1
            item = f"conversation {number}"
            if not writer.is_row(item, conversation):
                continue
            if "chat_messages" not in conversation and "conversations_memory" in conversation:
                _write_kept(writer, item, conversation)
            else:
                _write_conversation(writer, item, conversation)


def _write_conversation(writer: LineWriter, item: str, conversation: dict[str, Any]) -> None:
    id_ = as_text(conversation.get("uuid"))
    if not id_:
        writer.skip(item, "no id of the conversation")
        return
    for place, message in enumerate(as_list(conversation.get("chat_messages")), start=1):
        label = f"{item}, message {place}"
        if not writer.is_row(label, message):
            continue
        sender = as_text(message.get("sender"))
        if sender not in _SENDERS:
            writer.skip(label, f"of “{sender[:40] or 'nobody'}”, neither the member nor Claude")
            continue
        text = _text_of(message)
        if not text.strip():
            writer.skip(label, "no text")
            continue
        own = sender == "human"
        writer.write(
            label,
            id=f"claude-{id_}-{as_text(message.get('uuid')) or place}",
            text=text,
            private=True,
            own_words=True if own else None,
            speaker="" if own else LABEL,
            session=f"claude-{id_}",
            seq=place,
            title=as_text(conversation.get("name")),
            timestamp=writer.time(message.get("created_at")),
        )


def _text_of(message: dict[str, Any]) -> str:
    """The text of a message: of its parts of the type text, because the other parts are thoughts
    and tools; without parts, its text."""
    parts = [as_map(part) for part in as_list(message.get("content"))]
    texts = [as_text(part.get("text")) for part in parts if part.get("type") == "text"]
    return "\n".join(text for text in texts if text.strip()) or as_text(message.get("text"))


def _write_kept(writer: LineWriter, item: str, kept: dict[str, Any]) -> None:
    texts = [kept.get("conversations_memory"), *as_map(kept.get("project_memories")).values()]
    for text in texts:
        if plain := as_text(text).strip():
            digest = hashlib.sha256(plain.encode(errors="replace")).hexdigest()[:24]
            writer.write(
                item,
                id=f"claude-memory-{digest}",
                text=plain,
                type="memory",
                private=True,
                speaker=LABEL,
                title="What Claude kept of its user",
            )
