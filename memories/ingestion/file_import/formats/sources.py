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
TOO_DEEP = f"The JSON is nested deeper than {MAX_DEPTH} levels."
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


def _build(events: Iterator[tuple[str, Any]], value: Any) -> Any:
    """The list or object that has begun, from the parser's next events; TOO_LARGE if it costs too
    much. value: an empty one. All of an export goes through this loop."""
    stack: list[Any] = [value]
    keys: list[str] = [""]
    cost = 0
    for event, scalar in events:
        cost += VALUE_COST
        if event == "map_key":
            keys[-1] = scalar
            cost += len(scalar)
            continue
        if event == "end_map" or event == "end_array":  # noqa: PLR1714 - faster than a set
            stack.pop()
            keys.pop()
            if not stack:
                return value
            continue
        item: Any = scalar
        if event == "start_map":
            item = {}
        elif event == "start_array":
            item = []
        elif event == "string":
            cost += len(scalar)
        if cost > MAX_ELEMENT:
            _skip_to_end(events, len(stack) + event.startswith("start_"))
            return TOO_LARGE
        top = stack[-1]
        if type(top) is dict:
            top[keys[-1]] = item
        else:
            top.append(item)
        if event == "start_map" or event == "start_array":  # noqa: PLR1714
            stack.append(item)
            keys.append("")
            if len(stack) > MAX_DEPTH:
                raise ConversionError(TOO_DEEP)
    return value


def _skip_to_end(events: Iterator[tuple[str, Any]], depth: int) -> None:
    """Read on until as many lists and objects have ended."""
    for event, _ in events:
        depth += event.startswith("start_") - event.startswith("end_")
        if depth == 0:
            return


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
                raise ConversionError(TOO_DEEP)
            yield event, value


def iter_elements(source: Source, wanted: Collection[Pattern]) -> Iterator[tuple[Path, Any]]:
    """The values of a JSON document at these places, with their places, in the order of the file.

    A place is the keys on the way to it, and the index for each list; in a pattern EACH stands for
    an index. TOO_LARGE stands for a value that is too large. Only one value at a time is built.
    """
    path: list[str | int] = []
    pattern: list[str | None] = []
    lengths = {len(one) for one in wanted}
    with _told_faults():
        events = ijson.basic_parse(source.open(), use_float=True, buf_size=CHUNK)
        for event, value in events:
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
                began = event.startswith("start_")
                empty: Any = {} if event == "start_map" else []
                yield tuple(path), _build(events, empty) if began else value
            elif event.startswith("start_"):
                path.append("" if event == "start_map" else -1)
                pattern.append("" if event == "start_map" else EACH)
                if len(path) > MAX_DEPTH:
                    raise ConversionError(TOO_DEEP)


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
