"""A channel of Discord in JSON, as DiscordChatExporter writes it."""

from collections.abc import Iterable
from typing import Any

from memories.ingestion.file_import.formats.line_writer import LineWriter, PeopleNames
from memories.ingestion.file_import.formats.sources import (
    EACH,
    ConversionError,
    Source,
    as_map,
    as_text,
    iter_elements,
)

LABEL = "Discord"
_MESSAGES = ("messages", EACH)
_HEADERS = {("guild",), ("channel",)}
_TEXT_TYPES = (
    "Default",
    "Reply",
    "ThreadStarterMessage",
    "ChatInputCommand",
    "0",
    "19",
    "20",
    "21",
)
# Only whoever is in them reads these.
_PRIVATE = ("DirectTextChat", "DirectGroupTextChat", "GuildPrivateThread", "1", "3", "12")


def convert(sources: Iterable[Source], writer: LineWriter) -> None:
    """Write the messages of each channel. A channel of a server is a group; direct messages and
    private threads are for those who wrote there."""
    channels = list(sources)
    headers: list[dict[str, Any]] = []
    people: list[set[str]] = []
    names = PeopleNames("Discord user")
    for source in channels:
        header: dict[str, Any] = {}
        wrote: set[str] = set()
        for path, value in iter_elements(source, {*_HEADERS, _MESSAGES}):
            if path in _HEADERS:
                header[str(path[0])] = as_map(value)
                continue
            author = as_map(as_map(value).get("author"))
            if who := as_text(author.get("id")):
                names.add(who, as_text(author.get("nickname")) or as_text(author.get("name")))
                wrote.add(who)
        headers.append(header)
        people.append(wrote)
    for source, header, wrote in zip(channels, headers, people, strict=True):
        place = _place(header, [names.find(who) for who in sorted(wrote)])
        for path, message in iter_elements(source, {_MESSAGES}):
            _write_message(writer, f"message {int(path[-1]) + 1}", message, header, place, names)


def _place(header: dict[str, Any], people: list[str]) -> dict[str, Any]:
    """Who reads the messages of a channel."""
    channel, guild = as_map(header.get("channel")), as_map(header.get("guild"))
    id_ = as_text(channel.get("id"))
    if not id_:
        raise ConversionError("The file does not say which channel of Discord it is.")
    key = f"discord-{id_}"
    if as_text(channel.get("type")) in _PRIVATE or as_text(guild.get("id")) == "0":
        return {"people": people, "session": key}
    title = " / ".join(
        one for one in (as_text(guild.get("name")), as_text(channel.get("name"))) if one
    )
    return {"group": key, "group_name": f"{title or id_} (Discord)"}


def _write_message(
    writer: LineWriter,
    item: str,
    message: Any,
    header: dict[str, Any],
    place: dict[str, Any],
    names: PeopleNames,
) -> None:
    if title := as_text(as_map(header.get("channel")).get("name")):
        item = f"{item} of {title[:60]}"
    if not writer.is_row(item, message):
        return
    channel = as_text(as_map(header.get("channel")).get("id"))
    number, kind = as_text(message.get("id")), as_text(message.get("type"))
    text = as_text(message.get("content"))
    if kind and kind not in _TEXT_TYPES:
        writer.skip(item, f"a service message: {kind[:60]}")
        return
    if not text.strip() or not number:
        writer.skip(item, "no text" if number else "no id")
        return
    reference = as_text(as_map(message.get("reference")).get("messageId"))
    writer.write(
        item,
        id=f"discord-{channel}-{number}",
        text=text,
        speaker=names.find(as_text(as_map(message.get("author")).get("id"))),
        timestamp=writer.time(message.get("timestamp")),
        edited_at=writer.time(message.get("timestampEdited")),
        reply_to=f"discord-{channel}-{reference}" if reference else "",
        seq=int(number) if number.isdecimal() and len(number) < 19 else None,
        **place,
    )
