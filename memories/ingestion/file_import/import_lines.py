"""An import file and its lines: their form, and why a line is skipped."""

import codecs
import gzip
import hashlib
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import IO, Any, Literal, cast

import orjson
from django.conf import settings

from memories.ingestion.drafts import ContentTooLongError, check_content_size
from memories.store.speakers.document_source import is_document_conversation
from memories.store.tag_names import InvalidTagError, normalise_tags
from orgs.database.answer_size import LONGEST_TEXT_BYTES
from orgs.iso_times import InvalidTimeError, parse_time
from orgs.names.lookalikes import name_fault, strip_invisible_edges
from orgs.organisations.references import reference_fault

MAX_NAME_LENGTH = 300
# Room for a text of the greatest length with every character escaped.
MAX_LINE_BYTES = 6 * LONGEST_TEXT_BYTES + 100_000
MAX_GROUP_LENGTH = 200
MAX_ITEM_LENGTH = 100
# What a line says of its source, kept beside the memory as it stands.
EXTRA_FIELDS = (
    "to", "reply_to", "type", "forwarded_from", "forwarded_by", "edited_at", "agent"
)  # fmt: skip
# The highest importance in a file: 1 for 0-1, or 10 for 1-10, which is stored as tenths.
ImportanceScale = Literal[1, 10]
MIN_IMPORTANCE: dict[ImportanceScale, int] = {1: 0, 10: 1}


class InvalidLineError(ValueError):
    """Why a line is skipped."""


@dataclass(frozen=True, slots=True)
class ImportLine:
    """One valid line.

    item: what it was in the file that it was made from, such as "message 12". group_name: for a
    group that the line creates. people_only: no name of the audience means a group or everyone.
    private: for its subject alone, else for whoever imports; the speaker is then only a name, or
    with own_words the one who reads it.
    """

    number: int
    key: str
    text: str
    group: str | None
    session: str | None
    seq: int
    speaker: str
    audience: tuple[str, ...] | None
    subject: str | None
    topic: str
    importance: float | None
    at: datetime | None
    sensitive: bool
    extra: dict[str, Any]
    tags: tuple[str, ...] = ()
    item: str = ""
    group_name: str = ""
    people_only: bool = False
    private: bool = False
    own_words: bool = False

    @property
    def names(self) -> list[str]:
        """All names in the line; in its list also groups."""
        return [n for n in (self.speaker, self.subject, *(self.audience or ())) if n]


def parse_line(number: int, raw: bytes, importance_scale: ImportanceScale = 1) -> ImportLine:
    """Read one line; its importance becomes one in 0-1. Raises InvalidLineError with the reason."""
    if len(raw) > MAX_LINE_BYTES:
        raise InvalidLineError(f"longer than {MAX_LINE_BYTES:,} bytes")
    if number == 1:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        row = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidLineError(f"broken JSON, not one object on one line ({error})") from error
    if not isinstance(row, dict):
        raise InvalidLineError("not a JSON object")
    if "text" not in row and isinstance(row.get("skipped"), str):
        raise InvalidLineError(row["skipped"][:MAX_NAME_LENGTH].replace("\x00", ""))
    text = _parse_text(row.get("text"))
    try:
        check_content_size(text)
    except ContentTooLongError as error:
        raise InvalidLineError(f"text over {settings.MEMORY_MAX_BYTES} bytes") from error
    if row.get("sensitive") is True and not _parse_name(row, "id"):
        # Its key would be a hash of its words, which can be guessed.
        raise InvalidLineError("what is sensitive needs an id")
    line = ImportLine(
        number=number,
        # Without an id the hash of the line is its key.
        key=_parse_name(row, "id") or f"line-{hashlib.sha256(raw.strip()).hexdigest()[:24]}",
        text=_require_no_nul("text", text),
        group=_parse_name(row, "group", MAX_GROUP_LENGTH),
        session=_parse_name(row, "session"),
        seq=_parse_integer(row, "seq", number),
        speaker=_parse_person(row, "speaker") or "",
        audience=_parse_audience(row),
        subject=_parse_person(row, "subject"),
        topic=(_parse_name(row, "title", LONGEST_TEXT_BYTES) or "")[:MAX_NAME_LENGTH],
        importance=_parse_importance(row.get("importance"), importance_scale),
        at=_parse_time(row.get("timestamp")),
        sensitive=row.get("sensitive") is True,
        extra={k: _require_no_nul(k, row[k]) for k in EXTRA_FIELDS if isinstance(row.get(k), str)},
        tags=_parse_tags(row.get("tags")),
        item=find_item(row),
        group_name=_parse_group_name(row.get("group_name")),
        people_only=row.get("people") is not None,
        private=row.get("private") is True,
        own_words=row.get("own_words") is True,
    )
    _check_line(line)
    return line


def _check_line(line: ImportLine) -> None:
    """What of a line has to fit together. Raises InvalidLineError."""
    if line.private and (line.group or line.audience is not None):
        raise InvalidLineError("private, and it names readers or a group")
    for name in line.names:
        if len(f"{line.group}/{name}") > MAX_NAME_LENGTH:
            raise InvalidLineError(
                f"group and name together are longer than {MAX_NAME_LENGTH} characters"
            )
        if fault := name_fault(name):
            raise InvalidLineError(f"a name that nobody can read for sure: {fault}")
    if line.group and (fault := reference_fault(line.group)):
        raise InvalidLineError(f"group: {fault}")
    if is_document_conversation(conversation_id(line)):
        raise InvalidLineError("its conversation is named as that of a document")


def _require_no_nul(field_name: str, value: str) -> str:
    if "\x00" in value:
        raise InvalidLineError(f"a NUL character in {field_name}")
    return value


def _parse_name(row: dict[str, Any], field_name: str, longest: int = MAX_NAME_LENGTH) -> str | None:
    value = row.get(field_name)
    if value is None or value == "":
        return None
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise InvalidLineError(f"{field_name} is not a name")
    if len(str(value)) > longest:
        raise InvalidLineError(f"{field_name} is longer than {longest} characters")
    return _require_no_nul(field_name, str(value))


def _parse_text(value: Any) -> str:
    """The text of a line, also of a list of strings and entities, as Telegram exports it."""
    if isinstance(value, list):
        parts: list[Any] = [one.get("text") if isinstance(one, dict) else one for one in value]
        if not all(isinstance(part, str) for part in parts):
            raise InvalidLineError("text is a list, and a part of it has no text")
        value = "".join(parts)
    if value is not None and not isinstance(value, str):
        raise InvalidLineError("text is neither a text nor a list of texts")
    if not value or not value.strip():
        raise InvalidLineError("no text")
    return value


def _parse_person(row: dict[str, Any], field_name: str) -> str | None:
    name = _parse_name(row, field_name)
    return None if name is None else _strip_name(name)


def _strip_name(name: str) -> str:
    """A name without the marks that exports of chats put around it."""
    plain = strip_invisible_edges(name)
    if not plain:
        raise InvalidLineError(f"a name that nobody can read for sure: {name_fault(name)}")
    return plain


def _parse_audience(row: dict[str, Any]) -> tuple[str, ...] | None:
    names, people = row.get("audience"), row.get("people")
    if people is not None:
        if names is not None or people == []:
            raise InvalidLineError("people is empty, or stands beside an audience")
        names = people
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
        raise InvalidLineError("audience is not a list of names")
    return tuple(dict.fromkeys(_strip_name(_require_no_nul("audience", name)) for name in names))


def _parse_group_name(given: Any) -> str:
    """The name for a new group; empty if nobody could read it for sure, as it is only shown."""
    if not isinstance(given, str):
        return ""
    name = strip_invisible_edges(given[:MAX_GROUP_LENGTH])
    return "" if name_fault(name) else name


def find_item(row: Any) -> str:
    """What a line was in the file that it was made from; empty if that was this line."""
    item = row.get("item") if isinstance(row, dict) else None
    return item[:MAX_ITEM_LENGTH].replace("\x00", "") if isinstance(item, str) else ""


def _parse_tags(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise InvalidLineError("tags is not a list of texts")
    try:
        return tuple(normalise_tags(given))
    except InvalidTagError as error:
        raise InvalidLineError(str(error)) from error


def _parse_integer(row: dict[str, Any], field_name: str, otherwise: int) -> int:
    value = row.get(field_name)
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**62:
        raise InvalidLineError(f"{field_name} is not a whole number")
    return value


def _parse_importance(value: Any, scale: ImportanceScale) -> float | None:
    if value is None:
        return None
    least = MIN_IMPORTANCE[scale]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value <= scale:
        raise InvalidLineError(f"importance is not a number from {least} to {scale}")
    return float(value / scale)


def _parse_time(value: Any) -> datetime | None:
    """A time in UTC; every stored time must be within the years 1 to 9999."""
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise InvalidLineError("timestamp is not ISO 8601: it is no text")
    try:
        return parse_time(value)
    except InvalidTimeError as error:
        raise InvalidLineError(f"timestamp is not ISO 8601: {error}") from error


GZIP_MAGIC = b"\x1f\x8b"
# A file that has to be read whole, because it is one JSON list or not UTF-8.
MAX_WHOLE_BYTES = 16 * 1024 * 1024
MAX_LIST_ROWS = 200_000
# How many empty lines may stand before the first row.
MAX_BLANK_LINES = 20
# What a JSON list is divided by: brackets, commas, and texts, in which these divide nothing. A text
# without an end goes to the end of the file, so each byte is read once.
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.DOTALL)
_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnreadableFormatError(ValueError):
    """A file is neither JSON lines nor one JSON list; the message says what to do."""


def open_lines(file: IO[bytes]) -> IO[bytes]:
    """The file from its beginning as JSON lines: unpacked if it is packed with gzip, in UTF-8, one
    line for each element if it is one JSON list.

    What has to be changed for that is read whole. Raises UnreadableFormatError and what unpacking
    raises.
    """
    begin = file.read(len(GZIP_MAGIC))
    file.seek(0)
    lines: IO[bytes] = file
    if begin == GZIP_MAGIC:
        lines = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    # A line at a time: what stands before the place where a packed file breaks off is imported.
    first = islice(iter(lambda: lines.readline(1024), b""), MAX_BLANK_LINES)
    head = next((line for one in first if (line := one.removeprefix(codecs.BOM_UTF8).strip())), b"")
    lines.seek(0)
    if not head.startswith((*_UTF_16, b"[")):
        return lines
    whole = lines.read(MAX_WHOLE_BYTES + 1)
    if len(whole) > MAX_WHOLE_BYTES:
        raise UnreadableFormatError(
            f"The file is larger than {MAX_WHOLE_BYTES // 1024 // 1024} MB and no JSON lines in "
            "UTF-8. Write one JSON object a line, or divide it."
        )
    if whole.startswith(_UTF_16):
        try:
            whole = whole.decode("utf-16").encode()
        except UnicodeError as error:
            raise UnreadableFormatError("The file is broken UTF-16; save it as UTF-8.") from error
    whole = whole.removeprefix(codecs.BOM_UTF8)
    return io.BytesIO(_list_to_lines(whole) if whole.lstrip().startswith(b"[") else whole)


def _list_to_lines(whole: bytes) -> bytes:
    """The elements of a JSON list, each as it stands, in a line. None is parsed here, because a
    small text can be a large object: a line that is no JSON is told with its number."""
    made, depth, begin, rows = io.BytesIO(), 0, 0, 0
    for sign in _STRUCTURE.finditer(whole):
        token = sign[0]
        if token in b"[{":
            depth += 1
            begin = begin or sign.end()
        elif token in b"]}":
            depth -= 1
        if depth == 0 or (depth == 1 and token == b","):
            made.write(whole[begin : sign.start()].translate(_LINE_ENDS) + b"\n")
            begin, rows = sign.end(), rows + 1
            if depth == 0 and not whole[begin:].strip():
                return made.getvalue()
            if depth == 0:
                raise UnreadableFormatError("The file has more than one JSON list. Divide it.")
            if rows == MAX_LIST_ROWS:
                raise UnreadableFormatError(
                    f"The list has more than {MAX_LIST_ROWS:,} rows. Write one JSON object a line."
                )
    raise UnreadableFormatError("The file begins as one JSON list and is broken: it has no end.")


class ImportLimitError(OSError):
    """A file has more than an import allows; the message says what."""


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """The limits of one file. size: unpacked bytes. lines: also empty ones. ratio: unpacked to
    packed size, checked beyond `room` bytes."""

    size: int = 1024 * 1024 * 1024
    lines: int = 5_000_000
    ratio: int = 200
    room: int = 64 * 1024 * 1024


def iter_bounded_lines(
    file: IO[bytes], limits: ImportLimits, *, packed: int, offset: int = 0, line: int = 0
) -> Iterator[bytes]:
    """The lines of a file. Of a line that is too long only the beginning, which `parse` refuses.

    A small compressed file may have one line that would fill the memory, or millions of empty ones.
    packed: the file's size on disk, in bytes. offset, line: how much was read before. When a line
    is yielded, the file position is after it. Raises ImportLimitError.
    """
    most = min(limits.size, max(limits.room, limits.ratio * packed))
    while found := file.readline(MAX_LINE_BYTES + 1):
        line += 1
        offset += len(found)
        rest = found
        while rest[-1:] != b"\n" and offset <= most and (rest := file.readline(65_536)):
            offset += len(rest)
        if offset > most:
            mib = most // 1024 // 1024
            raise ImportLimitError(f"Unpacked, the file holds more than {mib} MB; divide it.")
        if line > limits.lines:
            raise ImportLimitError(f"The file has more than {limits.lines:,} lines; divide it.")
        yield found


def iter_group_ids(lines: Iterable[bytes]) -> Iterable[str]:
    """The external ids of the groups of a file's lines."""
    for raw in lines:
        if raw.isspace():
            continue
        try:
            row = orjson.loads(raw.removeprefix(codecs.BOM_UTF8))
        except orjson.JSONDecodeError:
            continue
        if isinstance(row, dict) and isinstance(row.get("group"), str):
            yield row["group"][:MAX_NAME_LENGTH]


def conversation_id(line: ImportLine) -> str | None:
    """The conversation of a line: its session, or its group without a session."""
    if line.session:
        return f"{line.group}/{line.session}"[:MAX_NAME_LENGTH] if line.group else line.session
    return line.group
