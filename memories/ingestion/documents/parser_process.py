"""The process in which a document is read: the file comes in, lines of JSON go out.

Its first argument is the format. Each line is {"part": {...}}, at the end {"hidden": n}, or
{"error": "a sentence"} in place of what did not come.
"""

import codecs
import sys
import xml.dom.expatbuilder  # noqa: F401 - minidom imports it with the first file
from typing import Any

import orjson

from memories.ingestion.documents.document_parts import (
    DOCX,
    LABELS,
    MARKDOWN,
    PDF,
    Block,
    DocumentError,
    Part,
    build_parts,
)
from memories.ingestion.documents.read_docx import read_docx
from memories.ingestion.documents.read_html import parse_markdown, read_html
from memories.ingestion.documents.read_pdf import read_pdf
from memories.ingestion.documents.sandbox import close_sandbox

# Some parsers call themselves for each level of a document.
MAX_CALLS = 5_000
# Texts of a document, names in an archive, and XML that says another encoding. Python imports each
# with its first use, and the sandbox opens no file.
_CODECS = (
    "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp437", "latin-1", "ascii", "cp1252",
    "iso8859-15",
)  # fmt: skip


def read_parts(kind: str, data: bytes) -> tuple[list[Part], int]:
    """(the parts of a document, how much of it nobody would have seen). Raises DocumentError, and
    whatever a parser raises for what it cannot read."""
    blocks: list[Block]
    hidden = removed = 0
    if kind == PDF:
        blocks, hidden = read_pdf(data)
    else:
        if kind == DOCX:
            html, removed = read_docx(data)
        else:
            text = decode_text(data)
            html = parse_markdown(text) if kind == MARKDOWN else text
        blocks, hidden = read_html(html)
    return build_parts(blocks), hidden + removed


def decode_text(data: bytes) -> str:
    """A text in UTF-8 or UTF-16. Raises DocumentError for any other."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        raise DocumentError("The document is not UTF-8; save it as UTF-8.") from error


def main(kind: str) -> None:
    """Read standard input, write to standard output."""
    sys.setrecursionlimit(MAX_CALLS)
    for name in _CODECS:
        codecs.lookup(name)
    close_sandbox()
    out = sys.stdout.buffer
    try:
        parts, hidden = read_parts(kind, sys.stdin.buffer.read())
    except DocumentError as error:
        _write(out, {"error": str(error)})
    except (MemoryError, RecursionError):
        _write(out, {"error": "Reading it takes more memory than one document may have."})
    except Exception:
        _write(out, {"error": f"It cannot be read as {LABELS[kind]}; it is damaged, or not one."})
    else:
        for part in parts:
            fields: dict[str, Any] = {"text": part.text, "number": part.number}
            if part.page is not None:
                fields["page"] = part.page
            if part.heading:
                fields["heading"] = part.heading
            _write(out, {"part": fields})
        _write(out, {"hidden": hidden})
    out.flush()


def _write(out: Any, value: dict[str, Any]) -> None:
    out.write(orjson.dumps(value) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
