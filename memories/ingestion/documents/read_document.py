"""Read a document in a process of its own, which may be killed."""

import os
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, Final

import orjson

from memories.ingestion.documents.document_parts import (
    DOCX,
    ENDINGS,
    HTML,
    LABELS,
    MARKDOWN,
    MAX_CHARACTERS,
    MAX_HEADING_CHARACTERS,
    MAX_LEVELS,
    MAX_PART_CHARACTERS,
    MAX_PARTS,
    PDF,
    DocumentError,
    Part,
)
from orgs.names.lookalikes import name_fault, strip_invisible_edges

AUTO: Final = "auto"
FORMATS = (AUTO, *LABELS)
MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
# Somebody waits for it, and a call has thirty seconds, some of which it waits for a slot.
MAX_WAIT_SECONDS = 22
# Bytes that the process writes, and characters of its sentence about what it refuses.
_MAX_OUTPUT, _MAX_SENTENCE = 8 * MAX_CHARACTERS, 300
_MAX_NAME = 120
# Where the packages of the product lie.
_ROOT = Path(__file__).resolve().parents[3]
_MODULE = "memories.ingestion.documents.parser_process"
TOO_MUCH = "Reading it takes more time or memory than one document may have; divide it."


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read. name: of its file; hidden: how many pieces of text, or pages with
    such, were left out because nobody would see them; repeated: parts that are there twice."""

    name: str
    format: str
    parts: tuple[Part, ...]
    hidden: int = 0
    repeated: int = 0


def read_document(file: IO[bytes], size: int, *, name: str, format: str = AUTO) -> ReadDocument:
    """The parts of a document. size: in bytes. Raises DocumentError with one sentence."""
    if size == 0:
        raise DocumentError("The file is empty.")
    if size > MAX_DOCUMENT_BYTES:
        raise DocumentError(
            f"The document is larger than {MAX_DOCUMENT_BYTES // 1024 // 1024} MB; divide it."
        )
    file.seek(0)
    data = file.read(MAX_DOCUMENT_BYTES + 1)
    kind = recognise_format(data, name) if format == AUTO else format
    if kind not in LABELS:
        raise DocumentError(f"The formats of documents are {', '.join(LABELS)}.")
    plain = document_name(name, kind)
    parts, hidden = _run_parser(kind, data)
    kept = {part.text: part for part in reversed(parts)}
    once = tuple(part for part in parts if kept[part.text] is part)
    if not once:
        raise DocumentError(
            "The document holds no text that a reader would see. Of a scan the pictures alone are "
            "seen."
        )
    return ReadDocument(plain, kind, once, hidden, len(parts) - len(once))


def recognise_format(data: bytes, name: str) -> str:
    """The format of a document by its content; Markdown, which looks like any text, by its name.
    Raises DocumentError for what is none."""
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(b"PK\x03\x04") and _is_docx(data):
        return DOCX
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<") and not head.startswith(b"<?xml"):
        return HTML
    if name.lower().endswith(ENDINGS[MARKDOWN]):
        return MARKDOWN
    raise DocumentError(
        "This is none of the documents that are read: PDF, DOCX, HTML, or Markdown with a name "
        "that ends in .md."
    )


def _is_docx(data: bytes) -> bool:
    """Whether the list of contents, which is at the end, names the main part of a DOCX."""
    return b"word/document" in data[-65_536 * 4 :] or b"word/document" in data[:65_536]


def document_name(given: str, kind: str) -> str:
    """The name of a document, as citations show it: that of the file, with the ending of its
    format, so that nobody takes it for a person's. Raises DocumentError for one that cannot be
    read for sure."""
    name = strip_invisible_edges(PurePath(given.replace("\\", "/")).name)
    if not name or name_fault(name):
        raise DocumentError("The name of the file cannot be read for sure; give it another one.")
    stem, dot, ending = name.rpartition(".")
    if f"{dot}{ending}".lower() not in ENDINGS[kind]:
        stem, dot, ending = name, ".", ENDINGS[kind][0][1:]
    return f"{stem[:_MAX_NAME]}{dot}{ending}"


def _run_parser(kind: str, data: bytes) -> tuple[list[Part], int]:
    """What the process says of a document. It gets no variable of this one, as they hold secrets,
    and no open file."""
    with tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-s", "-m", _MODULE, kind],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        try:
            out = _read_output(process)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    return _parse_output(out)


def _read_output(process: subprocess.Popen[bytes]) -> bytes:
    """All that the process writes. Raises DocumentError as soon as it is too much, or too late."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    until = time.monotonic() + MAX_WAIT_SECONDS
    out = bytearray()
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        while len(out) <= _MAX_OUTPUT:
            left = until - time.monotonic()
            if left <= 0 or not waiting.select(left):
                break
            chunk = os.read(process.stdout.fileno(), 65_536)
            if not chunk:
                return bytes(out)
            out += chunk
    raise DocumentError(TOO_MUCH)


def _parse_output(out: bytes) -> tuple[list[Part], int]:
    """What the process wrote, which a hostile document may have made write anything. Raises
    DocumentError for its sentence, for what breaks off, and for what no document makes."""
    parts: list[Part] = []
    written = 0
    try:
        for line in out.splitlines():
            row = orjson.loads(line)
            if "error" in row:
                raise DocumentError(_text(row["error"], _MAX_SENTENCE))
            if "hidden" in row:
                return parts, _count(row["hidden"])
            parts.append(_load_part(row["part"]))
            written += len(parts[-1].text)
            if len(parts) > MAX_PARTS or written > MAX_CHARACTERS:
                break
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        raise DocumentError(TOO_MUCH) from error
    # It wrote too much, or was killed before its last line.
    raise DocumentError(TOO_MUCH)


def _load_part(fields: Any) -> Part:
    """Raises AttributeError, KeyError and TypeError for what is no part."""
    heading, page = fields.get("heading", []), fields.get("page")
    if not isinstance(heading, list) or len(heading) > MAX_LEVELS:
        raise TypeError("heading")
    return Part(
        _text(fields["text"], MAX_PART_CHARACTERS),
        tuple(_text(title, MAX_HEADING_CHARACTERS) for title in heading),
        None if page is None else _count(page),
        _count(fields["number"]),
    )


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise TypeError("text")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("count")
    return value
