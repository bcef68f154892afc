"""Read a document in a process of its own, which may be killed."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Final

import orjson

from memories.ingestion.documents.document_parts import MAX_CHARACTERS, DocumentError, Part
from orgs.names.lookalikes import name_fault, strip_invisible_edges

AUTO: Final = "auto"
PDF, DOCX, HTML, MARKDOWN = "pdf", "docx", "html", "markdown"
LABELS: Mapping[str, str] = {
    PDF: "PDF",
    DOCX: "Word (DOCX)",
    HTML: "HTML",
    MARKDOWN: "Markdown",
}
FORMATS = (AUTO, *LABELS)
ENDINGS = {
    PDF: (".pdf",),
    DOCX: (".docx",),
    HTML: (".html", ".htm"),
    MARKDOWN: (".md", ".markdown"),
}
MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
# Somebody waits for it, and a call has thirty seconds.
MAX_WAIT_SECONDS = 25
_MAX_OUTPUT = 8 * MAX_CHARACTERS
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
            out, _ = process.communicate(timeout=MAX_WAIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise DocumentError(TOO_MUCH) from error
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    return _parse_output(out)


def _parse_output(out: bytes) -> tuple[list[Part], int]:
    if len(out) > _MAX_OUTPUT:
        raise DocumentError(TOO_MUCH)
    parts: list[Part] = []
    for line in out.splitlines():
        row = orjson.loads(line)
        if "error" in row:
            raise DocumentError(row["error"])
        if "hidden" in row:
            return parts, row["hidden"]
        fields = row["part"]
        heading = tuple(fields.get("heading", ()))
        parts.append(Part(fields["text"], heading, fields.get("page"), fields["number"]))
    # It was killed before its last line.
    raise DocumentError(TOO_MUCH)
