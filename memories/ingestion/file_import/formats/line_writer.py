"""Write JSON lines of an import, with the item of the source that each comes from."""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any
from zoneinfo import ZoneInfo, available_timezones

import orjson

from memories.ingestion.file_import.formats.sources import (
    MAX_ELEMENT,
    MIB,
    TOO_LARGE,
    ConversionError,
    TooLargeError,
)
from orgs.iso_times import InvalidTimeError, parse_time
from orgs.names.lookalikes import strip_invisible_edges

MAX_LINES, MAX_BYTES = 5_000_000, 1024 * MIB
_NAIVE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?"
    r"|\d{8}T\d{4}(?:\d\d(?:[.,]\d{1,9})?)?",
    re.ASCII,
)
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d{1,9})?", re.ASCII)
# Seconds, milliseconds, microseconds, nanoseconds since 1970: numbers below the bound are these.
_EPOCH_UNITS = ((1e11, 1), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))


class TimeZoneNeededError(ConversionError):
    """The times of a file name no time zone, and none was given, or an unknown one."""

    about = "time_zone"


def find_zone(name: str | None) -> ZoneInfo | None:
    """The time zone of a name such as Europe/Berlin; None for none. Raises ConversionError."""
    if not name:
        return None
    if name not in available_timezones():
        raise TimeZoneNeededError(
            "This time zone is unknown. Name one such as Europe/Berlin or UTC."
        )
    return ZoneInfo(name)


@dataclass(slots=True)
class LineWriter:
    """Writes the lines of one conversion to a file. zone: of times that name none; most: how many
    lines there may be."""

    out: IO[bytes]
    zone: ZoneInfo | None = None
    most: int = MAX_LINES
    lines: int = 0
    written: int = 0
    size: int = 0
    first_reason: str = ""

    def write(self, item: str, **fields: Any) -> None:
        """Write what was found as `item`, such as "message 12". Empty fields are left out."""
        row = {key: value for key, value in fields.items() if value not in (None, "")}
        try:
            line = orjson.dumps({"item": item[:100], **row})
        except TypeError:
            self.skip(item, "a text that is not Unicode")
            return
        self.written += 1
        self._append(line)

    def skip(self, item: str, reason: str) -> None:
        """Write that something is left out, and why: the import counts and tells it."""
        line = {
            "item": item[:100].encode(errors="replace").decode(),
            "skipped": reason.encode(errors="replace").decode()[:200],
        }
        self.first_reason = self.first_reason or line["skipped"]
        self._append(orjson.dumps(line))

    def is_row(self, item: str, value: Any) -> bool:
        """Whether an element is an object; if not, it is skipped with the reason."""
        if value is TOO_LARGE:
            self.skip(item, f"larger than {MAX_ELEMENT // MIB} MB")
        elif not isinstance(value, dict):
            self.skip(item, "not a JSON object")
        return isinstance(value, dict)

    def _append(self, line: bytes) -> None:
        self.lines += 1
        self.size += len(line) + 1
        if self.lines > self.most or self.size > MAX_BYTES:
            raise TooLargeError(
                f"The file holds more than {self.most:,} messages or {MAX_BYTES // MIB} MB of "
                "them; divide it."
            )
        self.out.write(line + b"\n")

    def time(self, value: Any) -> str | None:
        """A time as ISO 8601 in UTC: from seconds or milliseconds since 1970 or from ISO 8601.

        What is no time stays as it is written, so that the import tells it. Raises
        TimeZoneNeededError for a time without a zone, if none was given.
        """
        if value is None or value == "":
            return None
        text = str(value).strip()[:100]
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return text
        if not isinstance(value, str) or _EPOCH.fullmatch(text):
            return _from_epoch(text)
        text = text.removesuffix(" UTC") + "Z" if text.endswith(" UTC") else text
        if not _NAIVE.fullmatch(text):
            return text
        if self.zone is None:
            raise TimeZoneNeededError(
                "The times in this file name no time zone. Say in which zone it was written."
            )
        try:
            naive = parse_time(text).replace(tzinfo=self.zone)
            return naive.astimezone(UTC).isoformat()
        except (InvalidTimeError, OverflowError):
            return text


def _from_epoch(text: str) -> str:
    try:
        number = float(text)
        unit = next((unit for most, unit in _EPOCH_UNITS if abs(number) < most), None)
        if unit is None:
            return text
        return datetime.fromtimestamp(number / unit, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return text


class PeopleNames:
    """The names of an export's people, by their ids there. People who share a name are told apart
    by their id, because a name is one member: who it is reads what is for this name."""

    def __init__(self, otherwise: str) -> None:
        self._otherwise = otherwise
        self._names: dict[str, str] = {}
        self._called: dict[str, str] = {}

    def add(self, id_: str, name: str) -> None:
        """Note the latest name of somebody; an empty one says nothing."""
        if plain := strip_invisible_edges(name[:250]):
            self._names[id_] = plain
        elif id_:
            self._names.setdefault(id_, "")
        self._called = {}

    def __contains__(self, id_: str) -> bool:
        return id_ in self._names

    def find(self, id_: str) -> str:
        """The name of somebody; of an id without a name "<otherwise> <id>", of no id an empty
        one."""
        if not self._called:
            self._called = self._distinguish()
        if not id_:
            return ""
        return self._called.get(id_) or self._unnamed(id_)

    def _unnamed(self, id_: str) -> str:
        return f"{self._otherwise} {id_[:60]}"

    def _distinguish(self) -> dict[str, str]:
        ids: dict[str, list[str]] = defaultdict(list)
        for id_, name in self._names.items():
            ids[name or self._unnamed(id_)].append(id_)
        taken = {name for name, same in ids.items() if len(same) == 1}
        called = {same[0]: name for name, same in ids.items() if len(same) == 1}
        for name, same in ids.items():
            for id_ in sorted(same) if len(same) > 1 else ():
                label = f"{name} ({id_[:60]})"
                while label in taken:
                    label = f"{label} ({id_[:60]})"
                taken.add(label)
                called[id_] = label
        return called
