"""What the command prints: JSON for programs, tables on a terminal, plain columns in a pipe.

Texts come from others. None of them reaches a terminal with a character that a terminal obeys.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

# Control characters (also those of 8 bits), line separators, what turns the direction of writing,
# invisible tags, half characters. Tabulators and line ends are decided by whoever prints.
UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSAFE_IN_TEXT = re.compile(f"[{UNSAFE}]")
_UNSAFE_IN_LINE = re.compile(f"[\t\n{UNSAFE}]")


class PipeClosedError(Exception):
    """Whoever read the output has gone, as `head` does."""


def safe(text: object, *, one_line: bool = False) -> str:
    """A text with every character that a terminal would obey written out, as `\\x1b`.

    one_line: line ends and tabulators too.
    """
    return (_UNSAFE_IN_LINE if one_line else _UNSAFE_IN_TEXT).sub(_written_out, str(text))


def _written_out(found: re.Match[str]) -> str:
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    code = ord(found[0])
    return names.get(found[0]) or (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


def json_line(value: Any) -> bytes:
    """One line of JSON in UTF-8 with every such character escaped; its value is the same."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _UNSAFE_IN_LINE.sub(_escaped, text).encode() + b"\n"


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if ord(found[0]) != 0x7F else "\\u007f"


class Output:
    """Where results and notes go. as_json: results are lines of JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.on_terminal = sys.stdout.isatty() and not as_json
        self.notes_on_terminal = sys.stderr.isatty()

    def value(self, value: Any, text: str = "") -> None:
        """One result: as JSON, or the text that says the same to people."""
        if self.as_json:
            self.write_bytes(json_line(value))
        else:
            self.text(text)

    def text(self, text: str) -> None:
        """A text of several lines."""
        self.write_bytes((safe(text) + "\n").encode(errors="backslashreplace"))

    def rows(
        self, rows: Iterable[Any], columns: Sequence[tuple[str, Any]], *, nothing: str = "Nothing."
    ) -> None:
        """Rows: as lines of JSON, as a table on a terminal, else as columns with tabulators.

        columns: (head, function of a row) of each.
        """
        if self.as_json:
            for row in rows:
                self.write_bytes(json_line(row))
            return
        cells = ([_cell(make(row)) for _, make in columns] for row in rows)
        if not self.on_terminal:
            for line in cells:
                self.write_bytes(
                    "\t".join(safe(one, one_line=True) for one in line).encode() + b"\n"
                )
            return
        table = Table(box=None, header_style="bold", pad_edge=False)
        for head, _ in columns:
            table.add_column(head, overflow="fold")
        for line in cells:
            # As Text, so that brackets in it are no markup.
            table.add_row(*(Text(safe(one)) for one in line))
        if table.row_count:
            self._write_console(table)
        else:
            self.note(nothing)

    def note(self, text: str, *, style: str = "") -> None:
        """A remark for people, on stderr."""
        try:
            if self.notes_on_terminal and style:
                Console(stderr=True, highlight=False).print(Text(safe(text), style=style))
            else:
                sys.stderr.write(safe(text).encode(errors="backslashreplace").decode() + "\n")
        except BrokenPipeError:
            _forget(sys.stderr)

    def warn(self, text: str) -> None:
        self.note(f"Warning: {text}", style="yellow")

    def problem(self, text: str) -> None:
        self.note(text, style="red")

    @contextmanager
    def progress(self, what: str, total: float | None) -> Iterator[Any]:
        """A bar on stderr, if that is a terminal; yields what tells it how far it is."""
        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        console = Console(stderr=True)
        bar = Progress(
            *columns, console=console, disable=not self.notes_on_terminal, transient=True
        )
        with bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)

    def _write_console(self, table: Table) -> None:
        console = Console(highlight=False)
        with console.capture() as capture:
            console.print(table)
        self.write_bytes(capture.get().encode(errors="backslashreplace"))

    def write_bytes(self, content: bytes) -> None:
        """To stdout, as they are. Raises PipeClosedError."""
        try:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            _forget(sys.stdout)
            raise PipeClosedError from error


def _forget(stream: Any) -> None:
    """Nothing is written there any more, also not when Python ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)
