"""What the command reads: lines of JSON from a file or stdin, and values of options."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, NoReturn

# A text has at most 32 KB; a longer line is none of a memory.
MAX_LINE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Line:
    """A line that is not empty. number: counted from 1. value: an object, if error is empty."""

    number: int
    value: dict[str, Any]
    error: str = ""


def stdin() -> IO[bytes]:
    """The standard input, as bytes."""
    return sys.stdin.buffer


def iter_lines(file: IO[bytes]) -> Iterator[Line]:
    """The lines of a file as JSON objects; what is none comes with the reason."""
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_LINE_BYTES)
            yield Line(number, {}, f"It is longer than {MAX_LINE_BYTES:,} bytes.")
            continue
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.strip():
            yield parse_line(number, raw)


def parse_line(number: int, raw: bytes) -> Line:
    """One line."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
        # Half a character may also be written as \ud800.
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        return Line(number, {}, "It is not UTF-8, or ends within a character.")
    except (ValueError, RecursionError):
        return Line(number, {}, "It is no JSON.")
    if not isinstance(value, dict):
        return Line(number, {}, "It is no JSON object.")
    return Line(number, value)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def parse_fields(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Fields of `--set name=value`; the value is JSON if it can be read as such, else a text.

    Raises ValueError for what has no name.
    """
    fields = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name.strip():
            raise ValueError(f"{pair!r} is not name=value.")
        try:
            fields[name.strip()] = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            fields[name.strip()] = text
    return fields
