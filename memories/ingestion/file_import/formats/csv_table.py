"""A table as CSV with a row of names: from spreadsheets and from other programs."""

import csv
import hashlib
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
TEXT = "text"
# Of a column that is left out: no field.
LEFT_OUT = ""
# What each column is: (its name or its place from 0, its field). Columns of which nothing is said
# are recognised by their names.
ColumnMap = Sequence[tuple[str | int, str]]
# Of the preview: rows that are looked at, characters of them, values of a column, each so long.
PREVIEW_ROWS, PREVIEW_CHARACTERS, MAX_EXAMPLES, EXAMPLE_CHARACTERS = 50, 1_000_000, 3, 120
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")
_SIGNS = re.compile(r"[\W_]+")


class ColumnsNeededError(ConversionError):
    """Which column is what is not known, or what was said of it is not true."""

    about = "columns"


class _TooManyColumnsError(ConversionError):
    """A row has more columns than a table may have."""


@dataclass(frozen=True, slots=True)
class Table:
    """What the head of a table says. names: of all columns; columns: the index of each field's
    column; skipped: how many lines stand before the names."""

    delimiter: str
    names: tuple[str, ...]
    columns: Mapping[str, int]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column as it is shown before anything is chosen. name: its heading; examples: its first
    values; field: what it is by its name, LEFT_OUT if that is not known."""

    name: str
    examples: tuple[str, ...]
    field: str


def parse_columns(text: str) -> ColumnMap:
    """The fields of columns by their names: of "text=Message,speaker=From", or of the JSON object
    {"Message": "text", "From": "speaker", "Mood": null}, in which null leaves a column out.

    Raises ColumnsNeededError.
    """
    if text.lstrip().startswith("{"):
        found = _parse_json_columns(text)
    else:
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        found = [(column.strip(), field.strip()) for field, _, column in pairs]
        if any(not column or not field for column, field in found):
            raise _unread_columns()
    if any(field not in (LEFT_OUT, *FIELDS) for _, field in found):
        raise _unread_columns()
    if doubled := find_doubled_fields([field for _, field in found]):
        raise ColumnsNeededError(
            f"More than one column is chosen as {doubled[0]}; each field is one column."
        )
    return found


def _parse_json_columns(text: str) -> list[tuple[str | int, str]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise _unread_columns() from error
    for name, field in pairs:
        if not name.strip() or not isinstance(field, str | None):
            raise _unread_columns()
    return [(name.strip(), field or LEFT_OUT) for name, field in pairs]


def _unread_columns() -> ColumnsNeededError:
    return ColumnsNeededError(
        'Write the columns as text=Message,speaker=From or as {"Message": "text", "From": '
        f'"speaker"}}; the fields are {", ".join(FIELDS)}.'
    )


def find_doubled_fields(fields: Sequence[str]) -> list[str]:
    """The fields that more than one column has."""
    return [field for field, count in Counter(fields).items() if field != LEFT_OUT and count > 1]


def read_table(source: Source, given: ColumnMap = ()) -> Table:
    """The head of a table. given: what is said of its columns.

    Raises ConversionError if it is no table, or if no column is the text.
    """
    table = _find_table(source, given)
    _check_columns(table, given)
    return table


def preview_table(source: Source) -> list[TableColumn]:
    """The columns of a table with their first values that are not empty. Raises ConversionError if
    it is no table."""
    table = _find_table(source, ())
    fields = {at: field for field, at in table.columns.items()}
    examples: list[list[str]] = [[] for _ in table.names]
    characters = 0
    rows = _iter_rows(_iter_table_lines(source, table), table.delimiter, most=PREVIEW_ROWS + 1)
    for row in islice(rows, 1, None):
        for values, value in zip(examples, row, strict=False):
            # The beginning alone: a value may have a million characters.
            words = " ".join(value[: EXAMPLE_CHARACTERS * 2].split())
            if words and len(values) < MAX_EXAMPLES:
                more = len(words) > EXAMPLE_CHARACTERS or len(value) > EXAMPLE_CHARACTERS * 2
                values.append(f"{words[:EXAMPLE_CHARACTERS]}{'…' if more else ''}")
        characters += sum(map(len, row))
        if characters > PREVIEW_CHARACTERS:
            break
    return [
        TableColumn(name, tuple(examples[at]), fields.get(at, LEFT_OUT))
        for at, name in enumerate(table.names)
    ]


def _find_table(source: Source, given: ColumnMap) -> Table:
    first = next(_iter_lines(source), "")
    if not first:
        raise ConversionError("The file is empty.")
    forced = first.rstrip("\r\n")[4:5] if first.lower().startswith("sep=") else ""
    skipped = 1 if forced else 0
    # The delimiter must not depend on what is said by place: the places are of one delimiter.
    named = [(column, field) for column, field in given if isinstance(column, str)]
    heads: list[Table] = []
    faults: list[ConversionError] = []
    for delimiter in (forced,) if forced else DELIMITERS:
        try:
            heads.append(_read_head(source, delimiter, skipped, named))
        except ConversionError as error:
            faults.append(error)
    wide = next((fault for fault in faults if isinstance(fault, _TooManyColumnsError)), None)
    if wide and all(len(head.names) == 1 for head in heads):
        raise wide
    if not heads:
        raise faults[-1]
    best = max(heads, key=lambda one: (TEXT in one.columns, len(one.names)))
    return replace(best, columns=_find_columns(best.names, given))


def _read_head(source: Source, delimiter: str, skipped: int, given: ColumnMap) -> Table:
    lines = islice(_iter_lines(source), skipped, None)
    read = next(_iter_rows(lines, delimiter, most=1), [])
    names = tuple(name.strip() for name in read)
    return Table(delimiter, names, _find_columns(names, given), skipped)


def _iter_table_lines(source: Source, table: Table) -> Iterator[str]:
    return islice(_iter_lines(source), table.skipped, None)


def is_table(source: Source) -> bool:
    """Whether a file has a row of several names, by any of the delimiters, and a row below."""
    try:
        first, second = (next(lines, "") for lines in [_iter_lines(source)] for _ in range(2))
    except ConversionError:
        return False
    plain = first.rstrip("\r\n").replace("\t", " ")
    return bool(second.strip()) and plain.isprintable() and any(d in first for d in DELIMITERS)


def convert(source: Source, writer: LineWriter, given: ColumnMap) -> None:
    """Write a line for each row. given: see `read_table`."""
    table = read_table(source, given)
    lines = _iter_table_lines(source, table)
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


def _find_columns(names: tuple[str, ...], given: ColumnMap) -> dict[str, int]:
    """The index of each field's column: as it is said, else by the usual names."""
    found: dict[str, int] = {}
    used: set[int] = set()
    for (_, field), same in zip(given, _places(names, given), strict=True):
        if len(same) == 1:
            used.add(same[0])
            if field != LEFT_OUT:
                found[field] = same[0]
    said = {field for _, field in given}
    plain: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        plain[_SIGNS.sub("", name.casefold())].append(at)
    for field, known in KNOWN_NAMES.items():
        if field in said:
            continue
        for word in known:
            same = [at for at in plain.get(word, ()) if at not in used]
            if same:
                found[field] = same[0]
                used.add(same[0])
                break
    return found


def _places(names: tuple[str, ...], given: ColumnMap) -> list[list[int]]:
    """Where the column of each pair stands: once, or nowhere, or, of one name, more than once."""
    called: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        called[name.casefold()].append(at)
    return [
        called.get(column.casefold(), [])
        if isinstance(column, str)
        else [column] * (0 <= column < len(names))
        for column, _ in given
    ]


def _check_columns(table: Table, given: ColumnMap) -> None:
    told = ", ".join(f"“{name[:60]}”" for name in table.names[:20]) or "none"
    for (column, _), same in zip(given, _places(table.names, given), strict=True):
        if len(same) != 1:
            what = "More than one column is" if same else "No column is"
            raise ColumnsNeededError(f"{what} called “{str(column)[:60]}”. The columns are {told}.")
    if TEXT not in table.columns:
        raise ColumnsNeededError(
            f"No column of the table is known to be the text. The columns are {told}. Say which "
            "one it is."
        )
    by_place = {column for column, _ in given}
    used = [table.names[at] for at in table.columns.values() if at not in by_place]
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
                raise _TooManyColumnsError(f"Row {number} has more than {MAX_COLUMNS} columns.")
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
