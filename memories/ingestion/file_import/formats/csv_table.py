"""A table as CSV with a row of names: from spreadsheets and from other programs."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from memories.ingestion.file_import.formats.line_writer import LineWriter
from memories.ingestion.file_import.formats.sources import ConversionError, Source

LABEL = "CSV"
DELIMITERS = (",", ";", "\t")
# Of one field, in characters, and of one line, in bytes: a text is at most 1 MB.
MAX_FIELD, MAX_LINE, MAX_COLUMNS = 1_000_000, 8_000_000, 500
# By which names a column is recognised, without case, blanks and signs.
KNOWN_NAMES = {
    "text": ("text", "message", "content", "body", "memory", "note", "fact", "messagetext"),
    "speaker": ("speaker", "from", "author", "sender", "user", "username", "name", "saidby"),
    "group": ("group", "channel", "room", "chat", "groupname"),
    "session": ("session", "conversation", "thread", "conversationid", "sessionid", "threadid"),
    "timestamp": ("timestamp", "time", "date", "datetime", "createdat", "created", "sentat"),
    "id": ("id", "messageid", "key", "uuid"),
    "subject": ("subject", "about"),
    "title": ("title", "topic"),
    "audience": ("audience", "readers"),
    "tags": ("tags", "labels"),
    "importance": ("importance",),
    "sensitive": ("sensitive",),
    "reply_to": ("replyto", "inreplyto"),
    "to": ("to", "recipient"),
}
FIELDS = tuple(KNOWN_NAMES)
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")
_SIGNS = re.compile(r"[\W_]+")


class ColumnsNeededError(ConversionError):
    """Which column is what is not known, or what was said of it is not true."""

    about = "columns"


@dataclass(frozen=True, slots=True)
class Table:
    """What the head of a table says. names: of all columns; columns: the index of each field's
    column; rows: the first ones, for people; skipped: how many lines stand before the names."""

    delimiter: str
    names: tuple[str, ...]
    columns: Mapping[str, int]
    rows: tuple[tuple[str, ...], ...]
    skipped: int = 0


def parse_columns(text: str) -> dict[str, str]:
    """The columns of "text=Message,speaker=From" by field. Raises ConversionError."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, sign, column = part.partition("=")
        if not part.strip():
            continue
        if not sign or name.strip() not in KNOWN_NAMES or not column.strip():
            raise ColumnsNeededError(
                "Write the columns as text=Message,speaker=From; the fields are "
                f"{', '.join(FIELDS)}."
            )
        found[name.strip()] = column.strip()
    return found


def read_table(source: Source, given: Mapping[str, str], *, rows: int = 3) -> Table:
    """The head of a table. given: the name of the column of a field, instead of the usual ones.

    Raises ConversionError if it is no table, or if no column is the text.
    """
    first = next(_iter_lines(source), "")
    if not first:
        raise ConversionError("The file is empty.")
    forced = first.rstrip("\r\n")[4:5] if first.lower().startswith("sep=") else ""
    skipped = 1 if forced else 0
    heads: list[Table] = []
    fault = ConversionError("The first row of the table cannot be read.")
    for delimiter in (forced,) if forced else DELIMITERS:
        try:
            heads.append(_read_head(source, delimiter, skipped, 1, given))
        except ConversionError as error:
            fault = error
    if not heads:
        raise fault
    best = max(heads, key=lambda one: ("text" in one.columns, len(one.names)))
    _check_columns(best, given)
    return _read_head(source, best.delimiter, skipped, rows + 1, given)


def _read_head(
    source: Source, delimiter: str, skipped: int, most: int, given: Mapping[str, str]
) -> Table:
    lines = islice(_iter_lines(source), skipped, None)
    read = list(_iter_rows(lines, delimiter, most=most))
    names = tuple(name.strip() for name in read[0]) if read else ()
    columns = _find_columns(names, given)
    return Table(delimiter, names, columns, tuple(map(tuple, read[1:])), skipped)


def is_table(source: Source) -> bool:
    """Whether a file has a row of several names, by any of the delimiters, and a row below."""
    try:
        first, second = (next(lines, "") for lines in [_iter_lines(source)] for _ in range(2))
    except ConversionError:
        return False
    plain = first.rstrip("\r\n").replace("\t", " ")
    return bool(second.strip()) and plain.isprintable() and any(d in first for d in DELIMITERS)


def convert(source: Source, writer: LineWriter, given: Mapping[str, str]) -> None:
    """Write a line for each row. given: see `read_table`."""
    table = read_table(source, given)
    lines = _iter_lines(source)
    for _ in range(table.skipped):
        next(lines)
    for number, row in enumerate(_iter_rows(lines, table.delimiter), start=1):
        if number == 1 or not any(field.strip() for field in row):
            continue
        item = f"row {number}"
        if len(row) > len(table.names):
            writer.skip(item, f"{len(row)} fields under {len(table.names)} names of columns")
            continue
        _write_row(writer, item, row, table.columns)


def _write_row(writer: LineWriter, item: str, row: list[str], columns: Mapping[str, int]) -> None:
    fields = {name: row[at].strip() for name, at in columns.items() if at < len(row)}
    text = row[columns["text"]] if columns["text"] < len(row) else ""
    if not text.strip():
        writer.skip(item, "no text")
        return
    sensitive = fields.pop("sensitive", "").lower()
    if sensitive not in (*_TRUE, *_FALSE):
        writer.skip(item, "sensitive is neither yes nor no")
        return
    importance = fields.pop("importance", "")
    try:
        weight = float(importance) if importance else None
    except ValueError:
        weight = -1
    if weight is not None and not 0 <= weight <= 1:
        writer.skip(item, "importance is not a number from 0 to 1")
        return
    if not fields.get("id") and sensitive in _FALSE:
        # The same row is the same memory, in whichever line it stands. What is sensitive has to
        # name an id, because a hash of its words can be guessed.
        joined = "\x1f".join(row).encode(errors="replace")
        fields["id"] = f"csv-{hashlib.sha256(joined).hexdigest()[:24]}"
    writer.write(
        item,
        **(
            fields
            | {
                "text": text,
                "timestamp": writer.time(fields.get("timestamp")),
                "tags": _listed(fields.get("tags", ""), ";,"),
                "audience": _listed(fields.get("audience", ""), ";"),
                "sensitive": True if sensitive in _TRUE else None,
                "importance": weight,
            }
        ),
    )


def _listed(text: str, signs: str) -> list[str] | None:
    parts = [part.strip() for part in re.split(f"[{signs}]", text)]
    return [part for part in parts if part] or None


def _find_columns(names: tuple[str, ...], given: Mapping[str, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    used = set()
    for name, column in given.items():
        same = [at for at, one in enumerate(names) if one.casefold() == column.casefold()]
        if len(same) == 1:
            found[name] = same[0]
            used.add(same[0])
    plain = [_SIGNS.sub("", name.casefold()) for name in names]
    for name, known in KNOWN_NAMES.items():
        if name in given:
            continue
        for word in known:
            same = [at for at, one in enumerate(plain) if one == word and at not in used]
            if same:
                found[name] = same[0]
                used.add(same[0])
                break
    return found


def _check_columns(table: Table, given: Mapping[str, str]) -> None:
    told = ", ".join(f"“{name[:60]}”" for name in table.names[:20]) or "none"
    for name, column in given.items():
        if name not in table.columns:
            many = sum(one.casefold() == column.casefold() for one in table.names)
            what = "More than one column is" if many else "No column is"
            raise ColumnsNeededError(f"{what} called “{column[:60]}”. The columns are {told}.")
    if "text" not in table.columns:
        raise ColumnsNeededError(
            f"No column of the table is known to be the text. The columns are {told}. Say which "
            "one it is."
        )
    used = [table.names[at] for at in table.columns.values()]
    if doubled := [name for name in used if table.names.count(name) > 1]:
        raise ColumnsNeededError(f"Two columns are called “{doubled[0][:60]}”.")


def _iter_lines(source: Source) -> Iterator[str]:
    """The lines of a table as text, with their ends."""
    stream = io.BufferedReader(source.open(json=False), buffer_size=65_536)
    while line := stream.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise ConversionError(f"A line of the table is longer than {MAX_LINE:,} bytes.")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise ConversionError("The table is not UTF-8; save it as “CSV UTF-8”.") from error
        yield text


def _iter_rows(
    lines: Iterator[str], delimiter: str, most: int | None = None
) -> Iterator[list[str]]:
    # The limit of a field holds for the whole process; it is only ever raised.
    if csv.field_size_limit() < MAX_FIELD:
        csv.field_size_limit(MAX_FIELD)
    number = 0
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for number, row in enumerate(reader, start=1):
            if len(row) > MAX_COLUMNS:
                raise ConversionError(f"Row {number} has more than {MAX_COLUMNS} columns.")
            yield row
            if number == most:
                return
    except csv.Error as error:
        what = "a quote without its other"
        if "limit" in str(error):
            what = "a field that is too long"
        elif "new-line" in str(error):
            what = "an end of line that is not read"
        raise ConversionError(
            f"Row {number + 1} of the table cannot be read: it has {what}. Nothing was taken."
        ) from error
