"""Telegram Desktop's export in JSON (result.json): one chat, or all of an account."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memories.ingestion.file_import.formats.line_writer import LineWriter, PeopleNames
from memories.ingestion.file_import.formats.sources import (
    EACH,
    Path,
    Pattern,
    Source,
    as_list,
    as_map,
    as_text,
    iter_elements,
)

LABEL = "Telegram"
_CHATS: tuple[Pattern, ...] = ((), ("chats", "list", EACH), ("left_chats", "list", EACH))
_HEADER = ("name", "type", "id")
_MESSAGES = frozenset((*chat, "messages", EACH) for chat in _CHATS)
_HEADERS = frozenset((*chat, key) for chat in _CHATS for key in _HEADER)
_PERSONAL = ("personal_chat", "bot_chat")
# For the account's owner alone.
SAVED = "saved_messages"
_OWN = (SAVED, "replies", "verification_codes")
# In Telegram a small group and a channel may have the same number.
_GROUPS = {"private_group": "group"} | dict.fromkeys(
    ("private_supergroup", "public_supergroup", "private_channel", "public_channel"), "channel"
)


@dataclass(slots=True)
class _Chat:
    """A chat of the file. people: the ids of those who wrote."""

    header: dict[str, str] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        return self.header.get("id", "")

    @property
    def type(self) -> str:
        return self.header.get("type", "")

    @property
    def title(self) -> str:
        return self.header.get("name", "")


def convert(source: Source, writer: LineWriter) -> None:
    """Write the messages of all chats. A group or channel is a group, a personal chat is for its
    two people, and saved messages are for whoever imports."""
    chats, names = _read_people(source)
    for path, message in iter_elements(source, _MESSAGES):
        _write_message(writer, chats[path[:-2]], names, path, message)


def _read_people(source: Source) -> tuple[dict[Path, _Chat], PeopleNames]:
    """The chats by their place in the file, and who wrote: a name is for one person only, so all of
    them are read before a line is written."""
    chats: dict[Path, _Chat] = {}
    names = PeopleNames("Telegram user")
    for path, value in iter_elements(source, _MESSAGES | _HEADERS):
        if path[-1] in _HEADER and path[-2:-1] != ("messages",):
            chats.setdefault(path[:-1], _Chat()).header[str(path[-1])] = as_text(value)
            continue
        chat = chats.setdefault(path[:-2], _Chat())
        message = as_map(value)
        if who := _sender_id(message):
            names.add(who, as_text(message.get("from")))
            chat.people.add(who)
    for chat in chats.values():
        other = f"user{chat.id}"
        if chat.type in _PERSONAL and chat.id:
            if other not in names:
                names.add(other, chat.title)
            chat.people.add(other)
    return chats, names


def _sender_id(message: dict[str, Any]) -> str:
    """Who wrote: in newer files an id, in older ones a number or only the name."""
    id_ = as_text(message.get("from_id"))
    return (f"user{id_}" if id_.isdigit() else id_) or as_text(message.get("from"))


def _write_message(
    writer: LineWriter, chat: _Chat, names: PeopleNames, path: Path, message: Any
) -> None:
    title = chat.title if len(path) > 2 else ""
    item = f"message {int(path[-1]) + 1}" + (f" of {title[:60]}" if title else "")
    if not writer.is_row(item, message):
        return
    number = as_text(message.get("id"))
    text = "".join(_parts(message.get("text")))
    if reason := _why_not(chat, message, number, text):
        writer.skip(item, reason)
        return
    who, forwarded = names.find(_sender_id(message)), _forwarded_from(message)
    fields = {
        "id": f"telegram-{chat.id}-{number}",
        "text": text,
        # What is forwarded are the words of somebody else.
        "speaker": "" if forwarded else who,
        "forwarded_by": who if forwarded else "",
        "forwarded_from": forwarded,
        "timestamp": writer.time(message.get("date_unixtime") or message.get("date")),
        "edited_at": writer.time(message.get("edited_unixtime") or message.get("edited")),
        "seq": int(number) if number.isdecimal() and len(number) < 19 else None,
    }
    if reply := as_text(message.get("reply_to_message_id")):
        fields["reply_to"] = f"telegram-{chat.id}-{reply}"
    writer.write(item, **(fields | _readers(chat, names, forwarded=bool(forwarded))))


def _why_not(chat: _Chat, message: dict[str, Any], number: str, text: str) -> str:
    if message.get("type") == "service":
        return f"a service message: {as_text(message.get('action')) or 'unnamed'}"
    if not text.strip():
        what = as_text(message.get("media_type")) or ("photo" if "photo" in message else "")
        return f"no text, only {what}" if what else "no text"
    if not number or not chat.id:
        return "no id of the message or of the chat"
    if chat.type not in (*_PERSONAL, *_OWN, *_GROUPS):
        # Who may read it depends on it.
        return f"a chat of an unknown type: {chat.type or 'none'}"
    return ""


def _forwarded_from(message: dict[str, Any]) -> str:
    for key in ("forwarded_from", "saved_from"):
        if key in message:
            return as_text(message[key]) or "somebody"
    return ""


def _readers(chat: _Chat, names: PeopleNames, *, forwarded: bool) -> dict[str, Any]:
    session = f"telegram-{chat.id}"
    if chat.type in _OWN:
        own = chat.type == SAVED and not forwarded
        # Without a name: they are the words of the account's owner, who reads them.
        return {"private": True, "session": session} | (
            {"own_words": True, "speaker": ""} if own else {}
        )
    if chat.type in _PERSONAL:
        return {"people": sorted(map(names.find, chat.people)), "session": session}
    return {
        "group": f"telegram-{_GROUPS[chat.type]}-{chat.id}",
        "group_name": f"{chat.title or chat.id} (Telegram)",
    }


def _parts(text: Any) -> Iterator[str]:
    """The pieces of a text: it is one text, or a list of texts and of entities with one."""
    for part in [text] if isinstance(text, str) else as_list(text):
        yield part if isinstance(part, str) else as_text(as_map(part).get("text"))
