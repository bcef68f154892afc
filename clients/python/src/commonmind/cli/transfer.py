"""Many memories: import and export, and lines of `remember --jsonl`."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any

import click

from commonmind.cli.file_jobs import (
    conversation_options,
    export_by_job,
    holds_conversations,
    import_conversations,
)
from commonmind.cli.input import Line, iter_lines, stdin
from commonmind.cli.output import json_line
from commonmind.cli.session import Session, command_options, yes_option
from commonmind.client import Client
from commonmind.transfers import PORTION_ITEMS

PORTION = PORTION_ITEMS
SNAPSHOT = "commonmind-snapshot"


class Report:
    """Results of lines as they come: to stdout as JSON, what was refused to stderr, counts."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.counts: dict[str, int] = {}
        # The number of each line that was handed on, by its index.
        self.numbers: list[int] = []

    def hand_on(self, lines: Iterator[Line], more: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The objects of the lines that are some; the others are reported."""
        for line in lines:
            if line.error:
                self.add(line.number, "refused", {"detail": line.error})
            else:
                self.numbers.append(line.number)
                yield {**more, **line.value}

    def add(self, number: int, status: str, result: Mapping[str, Any]) -> None:
        self.counts[status] = self.counts.get(status, 0) + 1
        refused = status == "refused"
        if refused:
            self.session.failed = True
            problem = result.get("problem") or result
            said = str(problem.get("detail"))
            # The detail of a 400 is the first of the fields; the others are said after it.
            more = [
                f"{one.get('field')}: {one.get('detail')}" for one in problem.get("errors") or ()
            ]
            said = "; ".join([said, *(one for one in more if one not in said)])
            self.session.output.problem(f"line {number}: {said}")
        if self.session.output.as_json:
            shown = {name: value for name, value in result.items() if name != "index"}
            self.session.output.value({"line": number, "status": status, **shown})

    def end(self) -> None:
        """Say in one line what became of all."""
        counted = ", ".join(f"{count:,} {status}" for status, count in sorted(self.counts.items()))
        text = counted or "There was nothing to read."
        if self.session.output.as_json:
            self.session.output.note(text)
        else:
            self.session.output.text(text)


def send_lines(
    session: Session, client: Client, lines: Iterator[Line], *,
    more: Mapping[str, Any] | None = None, portion: int = PORTION,
    tick: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Remember each line. more: fields of all of them, which a line may say otherwise."""
    report = Report(session)
    try:
        items = report.hand_on(lines, more or {})
        for result in client.imports.memories(items, portion=portion):
            report.add(report.numbers[result["index"]], result["status"], result)
            tick()
    finally:
        report.end()


def restore_lines(
    session: Session, client: Client, head: Mapping[str, Any], lines: Iterator[Line], *,
    mode: Any, portion: int, tick: Callable[[], None],
) -> None:  # fmt: skip
    """Put the lines of a snapshot back."""
    report = Report(session)
    try:
        items = report.hand_on(lines, {})
        given: Any = head
        for result in client.imports.snapshot(given, items, mode=mode, portion=portion):
            report.add(report.numbers[result["index"]], result["result"], result)
            tick()
    finally:
        report.end()


@click.command("import")
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False))
@click.option("--group", help="The group of lines that name none.")
@click.option("--visibility", help="Who reads lines that do not say it.")
@click.option(
    "--mode", type=click.Choice(["keep", "replace", "merge"]),
    help="Of a snapshot: what happens to a memory that is there.  [default: keep]",
)  # fmt: skip
@click.option("--portion", type=click.IntRange(1, 1000), default=PORTION, show_default=True)
@conversation_options
@yes_option
@command_options
def import_(
    session: Session, file: str, group: str | None, visibility: str | None, mode: str | None,
    portion: int, yes: bool, **chosen: Any,
) -> None:  # fmt: skip
    """Import FILE, or what stdin has with -.

    A file of lines, each the fields of a memory (`content`, and what else the API takes) as JSON,
    is remembered by the robot of the key. What `export` wrote is put back, by --mode. A line that
    is refused stops no other; importing the same file again adds nothing.

    A file of conversations (lines with a `text`), or one whose --format is said, is imported by the
    server as they were held, with their people and groups; that needs a key with `manage`. It asks
    first, and says what the file would bring.
    """
    if file == "-":
        if any(chosen.values()):
            raise click.UsageError("Conversations are imported from a file, not from stdin.")
        _import(session, stdin(), None, group, visibility, mode or "keep", portion)
        return
    path = Path(file)
    try:
        if chosen["format"] or holds_conversations(path):
            if group or visibility or mode:
                raise click.UsageError(
                    "--group, --visibility and --mode are of lines of memories; this is a file of "
                    "conversations."
                )
            import_conversations(session, path, yes=yes, **chosen)
            return
        if any(chosen.values()):
            raise click.UsageError(
                "--dry-run, --readers and --speaker-scope are for a file of conversations; these "
                "are lines of memories."
            )
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            _import(session, stream, size, group, visibility, mode or "keep", portion)
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}.") from error


def _import(
    session: Session, stream: IO[bytes], size: int | None, group: str | None,
    visibility: str | None, mode: str, portion: int,
) -> None:  # fmt: skip
    more = {k: v for k, v in {"group": group, "visibility": visibility}.items() if v}
    with session.client() as client, session.output.progress("Import", size) as tell:

        def tick() -> None:
            if size is not None:
                tell(stream.tell())

        lines = iter_lines(stream)
        first = next(lines, None)
        if first is not None and first.value.get("format") == SNAPSHOT:
            restore_lines(
                session, client, first.value, lines, mode=mode, portion=portion, tick=tick
            )
            return
        every = lines if first is None else chain([first], lines)
        send_lines(session, client, every, more=more, portion=portion, tick=tick)


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--output", "-o", "target", type=click.Path(dir_okay=False), help="A file, in place of stdout."
)
@click.option("--group", help="Only of this group.")
@click.option("--tier", help="Only of this tier.")
@click.option("--type", "type_", help="Only of this type.")
@click.option("--since", help="Only what happened then or later.")
@click.option("--until", help="Only what happened then or earlier.")
@command_options
def export(
    session: Session, file: Path | None, target: str | None, type_: str | None, **options: Any
) -> None:
    """Write what the key reads as a snapshot: a head, and a line of JSON for each memory.

    With a FILE a job of the server makes it, which is for what is large and goes on by itself; else
    it is read page by page. Sensitive memories are left out. Nothing is written before all of it
    has been read.
    """
    filters: Any = {k: v for k, v in {"type": type_, **options}.items() if v is not None}
    if file is not None:
        if target is not None:
            raise click.UsageError("Name FILE or --output, not both.")
        export_by_job(session, file, filters)
        return
    with tempfile.TemporaryFile() as body, session.client() as client:
        head, count = _collect(session, client, filters, body)
        if target is None:
            session.output.write_bytes(json_line({**head, "memories": count}))
            while piece := body.read(1 << 16):
                session.output.write_bytes(piece)
        else:
            _write_file(Path(target), json_line({**head, "memories": count}), body)
    session.output.note(f"{count:,} memories.")


def _collect(
    session: Session, client: Client, filters: Any, body: IO[bytes]
) -> tuple[Mapping[str, Any], int]:
    """The head of a snapshot and the number of its memories, whose lines go into `body`."""
    head: Mapping[str, Any] = {}
    count = 0
    with session.output.progress("Export", None) as tell:
        for page in client.exports.pages(**filters):
            head = head or page["head"]
            for line in page["memories"]:
                body.write(json_line(line))
            count += len(page["memories"])
            tell(count)
    body.seek(0)
    return head, count


def _write_file(path: Path, head: bytes, body: IO[bytes]) -> None:
    """Whole or not at all, and for its owner alone."""
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".commonmind-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(head)
                shutil.copyfileobj(body, file, io.DEFAULT_BUFFER_SIZE)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from error
