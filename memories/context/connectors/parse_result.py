"""The result of reading a file: entries with their times, and problems."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime

MAX_TITLE_CHARACTERS, MAX_TEXT_CHARACTERS = 500, 2_000


class UnreadableFileError(ValueError):
    """The file is not of its kind; the message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedEntry:
    """An event, a mail or an entry of a feed. at: when it begins or was sent. person: the
    organiser, sender or author. uid: of the entry of a feed, the same after it was changed."""

    at: datetime
    title: str
    until: datetime | None = None
    all_day: bool = False
    person: str = ""
    place: str = ""
    text: str = ""
    uid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseResult:
    """entries: in the order of their times. problems: what was left out, in sentences."""

    entries: list[ParsedEntry]
    problems: list[str] = field(default_factory=list)


def clean_text(text: str, most: int) -> str:
    """The first `most` characters, without control characters other than line ends."""
    kept = text[: 2 * most].replace("\r\n", "\n")
    plain = (c for c in kept if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(plain).strip()[:most]


def clean_line(text: str, most: int) -> str:
    """`clean_text` on one line: a title or a name with further ones would look like the lines that
    the service writes beside it."""
    return " ".join(clean_text(text, most).split())


def format_count(count: int, one: str, many: str) -> str:
    """1 event, 2 events."""
    return f"{count} {one if count == 1 else many}"
