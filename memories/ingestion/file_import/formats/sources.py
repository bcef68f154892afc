"""The files of an export, read in parts: unpacked, in UTF-8, bounded in size, depth and cost."""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final, cast

import ijson

GZIP_MAGIC = b"\x1f\x8b"
MIB = 1024 * 1024
# Unpacked, and how many times larger than packed, checked beyond ROOM.
MAX_UNPACKED, MAX_RATIO, ROOM = 1024 * MIB, 200, 64 * MIB
# One text of a JSON document, which a parser keeps whole.
MAX_JSON_TEXT = 8 * MIB
MAX_DEPTH = 100
# One element that is built whole, such as a conversation: its texts, and so much for each value.
MAX_ELEMENT, VALUE_COST = 64 * MIB, 64
# The parser begins a text again with each part of it, so a part is not small.
CHUNK = 512 * 1024
# To the last quotation mark that no backslash stands before: only such a one ends a text.
_LAST_QUOTE = re.compile(rb'(?s:.*)(?<!\\)"')
READ_ERRORS = (OSError, EOFError, zlib.error)

Path = tuple[str | int, ...]
Pattern = tuple[str | None, ...]
# In a pattern: each element of a list.
EACH: Final = None


class ConversionError(ValueError):
    """A file cannot be converted; the message is one sentence for whoever imports it. about: what
    has to be said otherwise, the file or one of the options."""

    about = "file"


class TooLargeError(ConversionError):
    """A file holds more than may be converted at once."""

    about = "size"


class TooLarge:
    """Stands for an element that is too large to be built."""


TOO_LARGE: Final = TooLarge()


class Utf8Stream(io.RawIOBase):
    """A file from its beginning as UTF-8 without a mark, also from UTF-16 and from gzip.

    packed: its size on disk in bytes; most: how many it may have unpacked. Reading raises
    ConversionError beyond the limits.
    """

    def __init__(
        self, raw: IO[bytes], packed: int, *, json: bool = True, most: int = MAX_UNPACKED
    ) -> None:
        super().__init__()
        begin = raw.read(len(GZIP_MAGIC))
        raw.seek(0)
        self._raw = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if begin == GZIP_MAGIC else raw
        self._most = min(most, max(ROOM, MAX_RATIO * packed))
        self._json, self._read, self._unquoted = json, 0, 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._rest, self._last, self._started = b"", b"", False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end."""
        view = memoryview(buffer)
        while not self._rest:
            chunk = self._next_chunk()
            if chunk is None:
                return 0
            self._rest = chunk
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def _next_chunk(self) -> bytes | None:
        try:
            chunk = self._raw.read(CHUNK)
        except READ_ERRORS as error:
            raise ConversionError("The packed file is damaged or breaks off.") from error
        self._read += len(chunk)
        if self._read > self._most:
            raise TooLargeError(
                f"Unpacked, the file holds more than {self._most // MIB} MB; divide it."
            )
        if not self._started:
            self._started = True
            if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                self._decoder = codecs.getincrementaldecoder("utf-16")()
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        if self._decoder is not None:
            return self._from_utf_16(chunk)
        return self._checked(chunk) if chunk else None

    def _from_utf_16(self, chunk: bytes) -> bytes | None:
        assert self._decoder is not None  # noqa: S101 - the caller has looked
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeError as error:
            raise ConversionError("The file is broken UTF-16; save it as UTF-8.") from error
        return self._checked(text.encode()) if chunk or text else None

    def _checked(self, chunk: bytes) -> bytes:
        """The chunk; a parser keeps one text of JSON whole, so none may fill the memory."""
        if self._json:
            found = _LAST_QUOTE.match(self._last + chunk)
            self._unquoted = len(chunk) - (found.end() if found else -self._unquoted)
            self._last = b"\\" if chunk.endswith(b"\\") else b""
            if self._unquoted > MAX_JSON_TEXT:
                raise ConversionError(
                    f"The file holds one text of more than {MAX_JSON_TEXT // MIB} MB."
                )
        return chunk


@dataclass(frozen=True, slots=True)
class Source:
    """A file of an export. name: inside its archive, empty for a file of its own; packed: its size
    in bytes; most: see `Utf8Stream`."""

    name: str
    packed: int
    opener: Callable[[], IO[bytes]]
    most: int = MAX_UNPACKED

    def open(self, *, json: bool = True) -> Utf8Stream:
        """The file from its beginning."""
        try:
            return Utf8Stream(self.opener(), self.packed, json=json, most=self.most)
        except READ_ERRORS as error:
            raise ConversionError("The packed file is damaged or breaks off.") from error


class _Element:
    """Builds one value from the events of the parser, unless it costs too much."""

    def __init__(self) -> None:
        self.value: Any = None
        self._cost, self._open, self._stack = 0, 0, list[Any]()
        self._keys: list[str] = []

    def add(self, event: str, value: Any) -> bool:
        """Whether the value is complete."""
        self._cost += VALUE_COST + (len(value) if isinstance(value, str) else 0)
        if self._cost > MAX_ELEMENT:
            self.value, self._stack = TOO_LARGE, []
        ended = event in ("end_map", "end_array")
        started = event in ("start_map", "start_array")
        self._open += started - ended
        if self.value is TOO_LARGE:
            return self._open == 0
        if event == "map_key":
            self._keys[-1] = value
            return False
        if ended:
            self._stack.pop()
            self._keys.pop()
            return self._open == 0
        made: Any = ({} if event == "start_map" else []) if started else value
        if not self._stack:
            self.value = made
        elif isinstance(self._stack[-1], dict):
            self._stack[-1][self._keys[-1]] = made
        else:
            self._stack[-1].append(made)
        if started:
            self._stack.append(made)
            self._keys.append("")
            if self._open > MAX_DEPTH:
                raise ConversionError(f"The JSON is nested deeper than {MAX_DEPTH} levels.")
        return False


@contextmanager
def _told_faults() -> Iterator[None]:
    try:
        yield
    except ijson.JSONError as error:
        # Without what the parser says: it quotes the file.
        if "UTF8" in str(error):
            raise ConversionError("The file is not UTF-8; save it as UTF-8.") from error
        raise ConversionError(
            "The file is broken JSON, or it breaks off; nothing of it was taken. Export it again."
        ) from error
    except UnicodeError as error:
        raise ConversionError("The file is not UTF-8; save it as UTF-8.") from error


def iter_events(stream: IO[bytes]) -> Iterator[tuple[str, Any]]:
    """The parser's events. Raises ConversionError for what is no JSON or nested too deeply."""
    depth = 0
    with _told_faults():
        for event, value in ijson.basic_parse(stream, use_float=True, buf_size=CHUNK):
            depth += event.startswith("start_")
            depth -= event.startswith("end_")
            if depth > MAX_DEPTH:
                raise ConversionError(f"The JSON is nested deeper than {MAX_DEPTH} levels.")
            yield event, value


def iter_elements(source: Source, wanted: Collection[Pattern]) -> Iterator[tuple[Path, Any]]:
    """The values of a JSON document at these places, with their places, in the order of the file.

    A place is the keys on the way to it, and the index for each list; in a pattern EACH stands for
    an index. TOO_LARGE stands for a value that is too large. Only one value at a time is built.
    """
    path: list[str | int] = []
    pattern: list[str | None] = []
    lengths = {len(one) for one in wanted}
    element: _Element | None = None
    for event, value in iter_events(cast("IO[bytes]", source.open())):
        if element is not None:
            if element.add(event, value):
                yield tuple(path), element.value
                element = None
            continue
        if event == "map_key":
            path[-1] = pattern[-1] = value
            continue
        if event.startswith("end_"):
            path.pop()
            pattern.pop()
            continue
        if pattern and pattern[-1] is EACH:
            path[-1] = cast("int", path[-1]) + 1
        if len(path) in lengths and tuple(pattern) in wanted:
            if event.startswith("start_"):
                element = _Element()
                element.add(event, value)
            else:
                yield tuple(path), value
        elif event == "start_map":
            path.append("")
            pattern.append("")
        elif event == "start_array":
            path.append(-1)
            pattern.append(EACH)


def as_map(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The value if it is a text or a whole number, else an empty text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)
