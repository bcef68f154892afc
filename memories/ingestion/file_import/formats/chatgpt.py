"""ChatGPT's export (conversations.json): all is private to whoever imports it."""

import hashlib
from collections.abc import Iterable, Iterator
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

LABEL = "ChatGPT"
_ROLES = ("user", "assistant")
MAX_TURNS = 100_000
# Standing texts are in each conversation again; so many different ones are taken once each.
MAX_STANDING = 10_000


def convert(sources: Iterable[Source], writer: LineWriter) -> None:
    """Write the turns of each conversation's living branch, and once each what ChatGPT kept of its
    owner: custom instructions and memories."""
    standing: set[str] = set()
    number = 0
    for source in sources:
        for _path, conversation in iter_elements(source, {(EACH,)}):
            number += 1
            item = f"conversation {number}"
            if writer.is_row(item, conversation):
                _write_conversation(writer, item, conversation, standing)


def _write_conversation(
    writer: LineWriter, item: str, conversation: dict[str, Any], standing: set[str]
) -> None:
    id_ = as_text(conversation.get("conversation_id")) or as_text(conversation.get("id"))
    if not id_:
        writer.skip(item, "no id of the conversation")
        return
    branch, why = _living_branch(conversation)
    if why:
        writer.skip(item, why)
    title = as_text(conversation.get("title"))
    for place, (node, message) in enumerate(branch, start=1):
        label = f"{item}, turn {place}"
        kept = list(_standing_texts(message))
        for kind, text in kept:
            _write_standing(writer, label, kind, text, message, standing)
        if kept:
            continue
        reason = _why_not(message)
        text = "" if reason else _text_of(message)
        if reason or not text.strip():
            # Of what is hidden nothing is said: every conversation begins with it.
            if reason != "hidden":
                writer.skip(label, reason or "no text")
            continue
        own = as_map(message.get("author")).get("role") == "user"
        writer.write(
            label,
            id=f"chatgpt-{id_}-{as_text(message.get('id')) or node}",
            text=text,
            private=True,
            own_words=True if own else None,
            speaker="" if own else LABEL,
            session=f"chatgpt-{id_}",
            seq=place,
            title=title,
            timestamp=writer.time(message.get("create_time")),
        )


def _living_branch(
    conversation: dict[str, Any],
) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """The messages from the first to the current one, by way of each one's parent, and a reason if
    it ends in a circle or in nothing."""
    nodes = as_map(conversation.get("mapping"))
    at: Any = conversation.get("current_node")
    if not isinstance(at, str) or at not in nodes:
        return [], "no current turn"
    found: list[tuple[str, dict[str, Any]]] = []
    seen: set[str] = set()
    why = ""
    while isinstance(at, str) and at:
        if at in seen or len(seen) == MAX_TURNS:
            why = "its turns go in a circle, or are too many"
            break
        if at not in nodes:
            why = "a turn before the first that is left is missing"
            break
        seen.add(at)
        node = as_map(nodes[at])
        if message := as_map(node.get("message")):
            found.append((at, message))
        at = node.get("parent")
    found.reverse()
    return found, why


def _why_not(message: dict[str, Any]) -> str:
    role = as_text(as_map(message.get("author")).get("role"))
    content = as_map(message.get("content"))
    kind = as_text(content.get("content_type"))
    metadata = as_map(message.get("metadata"))
    if role == "system" or metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    if role not in _ROLES:
        return f"a turn of “{role[:40] or 'nobody'}”, neither of the member nor of ChatGPT"
    if as_text(message.get("recipient")) not in ("", "all"):
        return "an instruction to a tool"
    if kind not in ("text", "multimodal_text"):
        return f"“{kind[:40] or 'nothing'}”, which is no text"
    return ""


def _text_of(message: dict[str, Any]) -> str:
    parts = as_list(as_map(message.get("content")).get("parts"))
    # What was spoken is written down; pictures and files have no text.
    texts = (part if isinstance(part, str) else as_map(part).get("text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _standing_texts(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a message says of the owner beyond this conversation, as (kind, text)."""
    content = as_map(message.get("content"))
    kind = as_text(content.get("content_type"))
    if kind == "user_editable_context":
        for key in ("user_profile", "user_instructions"):
            if text := as_text(content.get(key)).strip():
                yield "custom_instructions", text
    if text := as_text(content.get("model_set_context")).strip():
        yield "model_set_context", text
    if as_text(message.get("recipient")) == "bio":
        text = _text_of(message) or as_text(content.get("text"))
        if text.strip():
            yield "bio", text


def _write_standing(
    writer: LineWriter,
    item: str,
    kind: str,
    text: str,
    message: dict[str, Any],
    seen: set[str],
) -> None:
    digest = hashlib.sha256(f"{kind}\n{text}".encode(errors="replace")).hexdigest()[:24]
    if digest in seen:
        return
    if len(seen) == MAX_STANDING:
        writer.skip(item, f"more than {MAX_STANDING:,} different standing texts")
        return
    seen.add(digest)
    own = kind == "custom_instructions"
    writer.write(
        item,
        id=f"chatgpt-{kind}-{digest}",
        text=text,
        type=kind,
        private=True,
        own_words=True if own else None,
        speaker="" if own else LABEL,
        title="Custom instructions" if own else "What ChatGPT kept of its user",
        # Instructions stand in each conversation with its time; a fact has the time it was kept.
        timestamp=writer.time(message.get("create_time")) if kind == "bio" else None,
    )
