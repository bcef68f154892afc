"""A workspace's export from Slack: a zip with the channels, the people, and a file for each day."""

import html
import re
from collections.abc import Mapping
from typing import Any

from memories.ingestion.file_import.formats.line_writer import LineWriter, PeopleNames
from memories.ingestion.file_import.formats.sources import (
    EACH,
    ConversionError,
    Source,
    as_list,
    as_map,
    as_text,
    iter_elements,
)

LABEL = "Slack"
PEOPLE = "users.json"
# Of these lists the first is open to the workspace; what is in the others only its members read.
OPEN_LIST, CLOSED_LISTS = "channels.json", ("groups.json", "dms.json", "mpims.json")
_NAMED_ROOMS = (OPEN_LIST, "groups.json")
_TEXT_SUBTYPES = (
    "", "bot_message", "me_message", "file_share", "thread_broadcast", "reply_broadcast",
    "file_comment",
)  # fmt: skip
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json", re.ASCII)
_MARK = re.compile(r"<([^<>\n]{1,2000})>")
_TIME = re.compile(r"(\d{9,10})\.(\d{6})", re.ASCII)


def convert(sources: Mapping[str, Source], writer: LineWriter) -> None:
    """Write the messages of all channels. sources: the files by their names in the zip.

    A channel is a group. What is written in private channels and direct messages is for their
    members alone.
    """
    top = top_folder(sources)
    names = _read_names(sources.get(f"{top}{PEOPLE}"))
    days = _days(sources, top)
    known: set[str] = set()
    for listed in (OPEN_LIST, *CLOSED_LISTS):
        source = sources.get(f"{top}{listed}")
        for path, room in iter_elements(source, {(EACH,)}) if source else ():
            item = f"{listed} {int(path[-1]) + 1}"
            if not writer.is_row(item, room):
                continue
            id_, title = as_text(room.get("id")), as_text(room.get("name"))
            folder = next((one for one in (title, id_) if one in days and one not in known), "")
            if not id_ or not folder:
                continue
            known.add(folder)
            place = _place(listed, id_, title, room, names)
            _write_room(writer, days[folder], id_, place, names)
    for folder in sorted(days.keys() - known):
        # Without the list of its members nobody knows who may read it.
        writer.skip(folder, "a folder of no channel in the lists of channels")


def top_folder(sources: Mapping[str, Source]) -> str:
    """Where in a zip the export stands: at its top, or in one folder."""
    found = [name for name in sources if name.rpartition("/")[2] == PEOPLE]
    return min(found, key=len).removesuffix(PEOPLE) if found else ""


def _days(sources: Mapping[str, Source], top: str) -> dict[str, list[Source]]:
    """The files of each folder, by day."""
    found: dict[str, list[Source]] = {}
    for name in sorted(sources):
        folder, _, file = name.removeprefix(top).rpartition("/")
        if name.startswith(top) and folder and "/" not in folder and _DAY.fullmatch(file):
            found.setdefault(folder, []).append(sources[name])
    return found


def _read_names(source: Source | None) -> PeopleNames:
    names = PeopleNames("Slack user")
    for _path, value in iter_elements(source, {(EACH,)}) if source else ():
        user = as_map(value)
        profile = as_map(user.get("profile"))
        written = (
            profile.get("display_name"),
            profile.get("real_name"),
            user.get("real_name"),
            user.get("name"),
        )
        if id_ := as_text(user.get("id")):
            names.add(id_, next((as_text(one) for one in written if as_text(one).strip()), ""))
    return names


def _place(
    listed: str, id_: str, title: str, room: dict[str, Any], names: PeopleNames
) -> dict[str, Any]:
    """Who reads what is written in a channel."""
    place: dict[str, Any] = {}
    if listed in _NAMED_ROOMS:
        place = {"group": f"slack-{id_}", "group_name": f"{title or id_} (Slack)"}
    if listed != OPEN_LIST:
        members = [as_text(one) for one in as_list(room.get("members"))]
        place["people"] = sorted({names.find(one) for one in members if one})
    return place


def _write_room(
    writer: LineWriter,
    days: list[Source],
    id_: str,
    place: dict[str, Any],
    names: PeopleNames,
) -> None:
    for day in days:
        folder = "/".join(day.name.split("/")[-2:])
        for path, message in iter_elements(day, {(EACH,)}):
            item = f"message {int(path[-1]) + 1} of {folder}"
            if writer.is_row(item, message):
                _write_message(writer, item, message, id_, place, names)


def _write_message(
    writer: LineWriter,
    item: str,
    message: dict[str, Any],
    id_: str,
    place: dict[str, Any],
    names: PeopleNames,
) -> None:
    subtype, at = as_text(message.get("subtype")), as_text(message.get("ts"))
    text = plain_text(as_text(message.get("text")), names)
    when = _TIME.fullmatch(at)
    if message.get("type") != "message" or subtype not in _TEXT_SUBTYPES:
        kind = subtype or as_text(message.get("type")) or "unnamed"
        writer.skip(item, f"a service message: {kind[:60]}")
        return
    if not text.strip() or when is None:
        writer.skip(item, "no text" if when else "no time, by which Slack names a message")
        return
    if place.get("people") == []:
        writer.skip(item, "nobody is listed as a member of this channel")
        return
    thread = as_text(message.get("thread_ts"))
    session = {"session": f"slack-{id_}" + (f"-{thread}" if thread else "")}
    if "group" in place:
        session = {"session": thread} if thread else {}
    writer.write(
        item,
        id=f"slack-{id_}-{at}",
        text=text,
        speaker=_speaker(message, names),
        timestamp=writer.time(int(when[1] + when[2])),
        edited_at=writer.time(as_text(as_map(message.get("edited")).get("ts"))),
        reply_to=f"slack-{id_}-{thread}" if thread and thread != at else "",
        seq=int(when[1] + when[2]),
        **session,
        **place,
    )


def _speaker(message: dict[str, Any], names: PeopleNames) -> str:
    if user := as_text(message.get("user")):
        if user in names:
            return names.find(user)
        # Somebody of another workspace is told in the message alone.
        profile = as_map(message.get("user_profile"))
        name = as_text(profile.get("display_name")) or as_text(profile.get("real_name"))
        return f"{name[:200]} ({user[:60]})" if name.strip() else names.find(user)
    bot = as_text(message.get("bot_id")) or as_text(message.get("username"))
    name = as_text(message.get("username"))
    name = name or as_text(as_map(message.get("bot_profile")).get("name"))
    return f"{name or bot} (bot)" if bot else ""


def plain_text(text: str, names: PeopleNames) -> str:
    """A text with names for the ids of people and channels, and without Slack's marks."""
    return html.unescape(_MARK.sub(lambda found: _unmarked(found[1], names), text))


def _unmarked(mark: str, names: PeopleNames) -> str:
    target, _, label = mark.partition("|")
    if target.startswith("@"):
        known = names.find(target[1:]) if target[1:] in names else ""
        return f"@{known or label or names.find(target[1:])}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return label or f"@{target[1:].partition('^')[0]}"
    return f"{label} ({target})" if label and label != target else target


def check_export(sources: Mapping[str, Source]) -> None:
    """Raise ConversionError if the zip is no export of Slack."""
    top = top_folder(sources)
    if not any(f"{top}{listed}" in sources for listed in (OPEN_LIST, *CLOSED_LISTS)):
        raise ConversionError("The zip lists no channels, so it is no export of Slack.")
