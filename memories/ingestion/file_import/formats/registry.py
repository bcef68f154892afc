"""All formats by name: what a file is, by its content, and its conversion to JSON lines."""

import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any, cast

from memories.ingestion.file_import.formats import (
    chatgpt,
    claude,
    csv_table,
    discord,
    mem0,
    slack,
    telegram,
)
from memories.ingestion.file_import.formats.line_writer import MAX_LINES, LineWriter, find_zone
from memories.ingestion.file_import.formats.sources import (
    MAX_UNPACKED,
    ConversionError,
    Source,
    iter_events,
)
from memories.ingestion.file_import.formats.zip_archive import ZIP_MAGIC, open_zip

AUTO, JSONL, CSV = "auto", "jsonl", "csv"
LABELS = {
    JSONL: "JSON lines",
    CSV: csv_table.LABEL,
    "telegram": telegram.LABEL,
    "slack": slack.LABEL,
    "discord": discord.LABEL,
    "mem0": mem0.LABEL,
    "chatgpt": chatgpt.LABEL,
    "claude": claude.LABEL,
}
FORMATS = (AUTO, *LABELS)
# All of a member's talks with an assistant is private to whoever imports it.
ASSISTANTS = ("chatgpt", "claude")
# So much of a document is looked at to recognise it.
MAX_EVENTS = 3_000_000
MAX_FIRST_ROWS = 20
_DATA_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt")
_KEYS_OF_ROWS = {
    "mapping": "chatgpt",
    "chat_messages": "claude",
    "conversations_memory": "claude",
    "memory": "mem0",
    "text": JSONL,
}


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """What whoever imports says of a file. format: one of FORMATS; time_zone: of times that name
    none; columns: what each column of a table is. max_bytes, max_lines: of what is converted,
    unpacked."""

    format: str = AUTO
    time_zone: str | None = None
    columns: csv_table.ColumnMap = ()
    max_bytes: int = MAX_UNPACKED
    max_lines: int = MAX_LINES


@dataclass(frozen=True, slots=True)
class Conversion:
    """A file as JSON lines. lines: from their beginning; size: in bytes."""

    format: str
    lines: IO[bytes]
    size: int


def convert(file: IO[bytes], size: int, options: ConversionOptions) -> Conversion | None:
    """The file as JSON lines, in a temporary file without a name; None if it is none of the other
    formats, so that it is read as JSON lines. size: of the file in bytes.

    Raises ConversionError, and TimeZoneNeededError if its times name no zone and none was given.
    """
    zone = find_zone(options.time_zone)
    sources, kind = _open(file, size, options)
    if kind == JSONL:
        return _unpacked_lines(sources)
    with ExitStack() as faults:
        # It has no name, so nothing of it stays; the caller closes it.
        out = cast("IO[bytes]", faults.enter_context(tempfile.TemporaryFile()))
        writer = LineWriter(out, zone, options.max_lines)
        _CONVERTERS[kind](sources, writer, options)
        if not writer.written:
            raise ConversionError(_nothing_found(kind, writer))
        faults.pop_all()
    out.seek(0)
    return Conversion(kind, out, writer.size)


def find_format(file: IO[bytes], size: int, options: ConversionOptions) -> str:
    """The format that is said, or by which a file is recognised. Raises ConversionError."""
    return _open(file, size, options)[1]


def preview_table(
    file: IO[bytes], size: int, options: ConversionOptions
) -> list[csv_table.TableColumn]:
    """The columns of a table, also of one in a zip. Raises ConversionError."""
    sources = open_sources(file, size, options.max_bytes)
    return csv_table.preview_table(_only(sources, CSV))


def _open(file: IO[bytes], size: int, options: ConversionOptions) -> tuple[dict[str, Source], str]:
    if options.format not in FORMATS:
        raise ConversionError(f"The formats are {', '.join(FORMATS)}.")
    sources = open_sources(file, size, options.max_bytes)
    return sources, recognise(sources) if options.format == AUTO else options.format


def _nothing_found(kind: str, writer: LineWriter) -> str:
    if writer.lines:
        return (
            f"The file was read as {LABELS[kind]}, and of its {writer.lines:,} items none holds a "
            f"text that can be imported. The first: {writer.first_reason}."
        )
    return f"The file holds nothing that an export of {LABELS[kind]} has."


def open_sources(file: IO[bytes], size: int, most: int) -> dict[str, Source]:
    """The files of a zip by name, or the one file under an empty name. most: bytes, unpacked."""
    file.seek(0)
    begin = file.read(4)
    file.seek(0)
    if begin in ZIP_MAGIC:
        return open_zip(file, size, data_endings=_DATA_ENDINGS, most=most)

    def reopen() -> IO[bytes]:
        file.seek(0)
        return file

    return {"": Source("", size, reopen, most)}


def recognise(sources: Mapping[str, Source]) -> str:
    """The format of a file or of a zip's files, by their content. Raises ConversionError for a zip
    that holds no format."""
    if "" in sources:
        return _recognise_one(sources[""])
    top = slack.top_folder(sources)
    if any(f"{top}{name}" in sources for name in (slack.OPEN_LIST, *slack.CLOSED_LISTS)):
        return "slack"
    found = {_recognise_one(one) for one in _data_files(sources)[:MAX_FIRST_ROWS]}
    for kind in (*ASSISTANTS, "telegram", "discord"):
        if kind in found:
            return kind
    if len(found) == 1 and len(_data_files(sources)) == 1:
        return found.pop()
    raise ConversionError(
        f"The zip holds none of the exports that are read: {', '.join(list(LABELS.values())[1:])}."
    )


def _data_files(sources: Mapping[str, Source]) -> list[Source]:
    """The files of a zip that may be an export: those nearest to its top, by name."""
    named = [name for name in sources if not name or name.lower().endswith(_DATA_ENDINGS)]
    return [sources[name] for name in sorted(named, key=lambda name: (name.count("/"), name))]


def _recognise_one(source: Source) -> str:
    head = b""
    try:
        stream = source.open()
        while not head.strip() and (chunk := stream.read(65_536)):
            head = chunk
    except ConversionError:
        # The beginning of a packed file may be read as JSON lines.
        return JSONL
    if head.lstrip()[:1] not in (b"{", b"["):
        return CSV if csv_table.is_table(source) else JSONL
    try:
        return _recognise_json(cast("IO[bytes]", source.open()))
    except ConversionError:
        return JSONL


def _recognise_json(stream: IO[bytes]) -> str:
    """The format of a JSON document by the keys of its object, or of the first objects of its
    list. JSON lines for what is unknown, or for more than one document."""
    depth = rows = 0
    is_list = False
    keys: set[str] = set()
    for count, (event, value) in enumerate(iter_events(stream)):
        if count == 0:
            is_list = event == "start_array"
        if event == "map_key" and depth == (2 if is_list else 1):
            keys.add(value)
            if is_list and value in _KEYS_OF_ROWS:
                return _KEYS_OF_ROWS[value]
            if not is_list and (kind := _kind_of_object(keys)):
                return kind
        depth += event.startswith("start_") - event.startswith("end_")
        rows += is_list and depth == 1
        if rows > MAX_FIRST_ROWS or count > MAX_EVENTS:
            break
    return JSONL


def _kind_of_object(keys: set[str]) -> str:
    if "text" in keys:
        return JSONL
    if "messages" in keys and keys & {"guild", "channel"}:
        return "discord"
    if "messages" in keys and keys & {"name", "type"}:
        return "telegram"
    if keys & {"chats", "left_chats", "personal_information"}:
        return "telegram"
    return "mem0" if "results" in keys else ""


def _of_kind(sources: Mapping[str, Source], kind: str) -> list[Source]:
    """The files that are of a format; of a file of its own, that file, whatever it looks like."""
    if "" in sources:
        return [sources[""]]
    files = _data_files(sources)
    found = [one for one in files if _recognise_one(one) == kind] or files[: len(files) == 1]
    if not found:
        raise ConversionError(f"The zip holds no export of {LABELS[kind]}.")
    return found


def _only(sources: Mapping[str, Source], kind: str) -> Source:
    found = _of_kind(sources, kind)
    if len(found) > 1:
        raise ConversionError(
            f"The zip holds more than one file of {LABELS[kind]}; import each of them by itself."
        )
    return found[0]


def _unpacked_lines(sources: Mapping[str, Source]) -> Conversion | None:
    """The JSON lines of a zip that holds one file of them; None for a file of its own."""
    if "" in sources:
        return None
    with ExitStack() as faults:
        out = cast("IO[bytes]", faults.enter_context(tempfile.TemporaryFile()))
        stream = _only(sources, JSONL).open(json=False)
        while chunk := stream.read(1024 * 1024):
            out.write(chunk)
        faults.pop_all()
    size = out.tell()
    out.seek(0)
    return Conversion(JSONL, out, size)


def _slack(sources: Mapping[str, Source], writer: LineWriter, _options: ConversionOptions) -> None:
    slack.check_export(sources)
    slack.convert(sources, writer)


def _one_file(convert_file: Callable[[Source, LineWriter], None], kind: str) -> "Converter":
    return lambda sources, writer, _options: convert_file(_only(sources, kind), writer)


def _all_files(
    convert_files: Callable[[Iterable[Source], LineWriter], None], kind: str
) -> "Converter":
    return lambda sources, writer, _options: convert_files(_of_kind(sources, kind), writer)


def _csv(sources: Mapping[str, Source], writer: LineWriter, options: ConversionOptions) -> None:
    csv_table.convert(_only(sources, CSV), writer, options.columns)


Converter = Callable[[Mapping[str, Source], LineWriter, ConversionOptions], None]
_CONVERTERS: dict[str, Any] = {
    CSV: _csv,
    "telegram": _one_file(telegram.convert, "telegram"),
    "slack": _slack,
    "discord": _all_files(discord.convert, "discord"),
    "mem0": _one_file(mem0.convert, "mem0"),
    "chatgpt": _all_files(chatgpt.convert, "chatgpt"),
    "claude": _all_files(claude.convert, "claude"),
}
