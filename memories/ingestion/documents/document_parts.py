"""The formats of documents, and their parts: whole sentences of one page or below one heading.
Pure rules."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memories.language.propositions import iter_sentence_spans

PDF, DOCX, HTML, MARKDOWN = "pdf", "docx", "html", "markdown"
LABELS: Mapping[str, str] = {
    PDF: "PDF",
    DOCX: "Word (DOCX)",
    HTML: "HTML",
    MARKDOWN: "Markdown",
}
ENDINGS = {
    PDF: (".pdf",),
    DOCX: (".docx",),
    HTML: (".html", ".htm"),
    MARKDOWN: (".md", ".markdown"),
}
# Characters of one part: about 300 words, so that a few parts fit into a prompt.
MAX_PART_CHARACTERS = 2_000
MAX_PARTS, MAX_CHARACTERS = 10_000, 8_000_000
# Of one heading, and how many levels of them a citation has.
MAX_HEADING_CHARACTERS, MAX_LEVELS = 100, 6
# Nobody sees these: control characters, marks of direction, blanks without width, and tags, in
# which whole sentences can be hidden. What joins letters of one word stays.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
_BLANKS = re.compile(r"[ \t\xa0\u2000-\u200a\u3000]+")


class DocumentError(ValueError):
    """A document cannot be read; the message is one sentence for whoever brought it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a row of a table or an item of a list. heading: the headings above it, from the
    outermost; page: from 1, where the document has pages."""

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What becomes one memory. number: which part of its page or heading it is, from 1."""

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None
    number: int = 1

    @property
    def location(self) -> str:
        """Where it stands, in words: "page 12", "Setup > Keys"; empty before the first heading."""
        return f"page {self.page}" if self.page is not None else " > ".join(self.heading)


def clean_text(text: str) -> str:
    """The text without what nobody sees, with single blanks; its lines stay."""
    plain = _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = (_BLANKS.sub(" ", line).strip() for line in plain.split("\n"))
    return "\n".join(line for line in lines if line)


def clean_heading(text: str) -> str:
    """One line of a heading, at most MAX_HEADING_CHARACTERS."""
    line = " ".join(clean_text(text).split())
    if len(line) <= MAX_HEADING_CHARACTERS:
        return line
    return line[: MAX_HEADING_CHARACTERS - 1].rstrip() + "…"


def build_parts(blocks: Iterable[Block]) -> list[Part]:
    """The parts of a document in its order. Blocks of one page or heading that follow each other
    are put together, as far as they fit. Raises DocumentError for too many."""
    parts: list[Part] = []
    numbers: Counter[tuple[int | None, tuple[str, ...]]] = Counter()
    written = 0
    for page, heading, texts in _grouped(blocks):
        for text in _pack(texts):
            numbers[(page, heading)] += 1
            parts.append(Part(text, heading, page, numbers[(page, heading)]))
            written += len(text)
            if len(parts) > MAX_PARTS or written > MAX_CHARACTERS:
                raise DocumentError(
                    f"The document has more than {MAX_PARTS:,} parts or {MAX_CHARACTERS:,} "
                    "characters; divide it."
                )
    return parts


def _grouped(
    blocks: Iterable[Block],
) -> Iterator[tuple[int | None, tuple[str, ...], list[str]]]:
    texts: list[str] = []
    where: tuple[int | None, tuple[str, ...]] | None = None
    for block in blocks:
        text = clean_text(block.text)
        if not text:
            continue
        here = (block.page, block.heading)
        if texts and here != where:
            assert where is not None  # noqa: S101 - set with the first text
            yield *where, texts
            texts = []
        where = here
        texts.append(text)
    if texts and where is not None:
        yield *where, texts


def _pack(texts: Sequence[str]) -> Iterator[str]:
    """Texts of at most MAX_PART_CHARACTERS: whole paragraphs, else whole sentences."""
    pending: list[str] = []
    size = 0
    for piece in (piece for text in texts for piece in _divide(text)):
        if pending and size + len(piece) + 1 > MAX_PART_CHARACTERS:
            yield "\n".join(pending)
            pending, size = [], 0
        pending.append(piece)
        size += len(piece) + 1
    if pending:
        yield "\n".join(pending)


def _divide(text: str) -> Iterator[str]:
    """A paragraph, or its sentences put together as far as they fit."""
    if len(text) <= MAX_PART_CHARACTERS:
        yield text
        return
    start = end = 0
    for first, last in iter_sentence_spans(text):
        if end > start and last - start > MAX_PART_CHARACTERS:
            yield text[start:end]
            start = first
        elif end == start:
            start = first
        while last - start > MAX_PART_CHARACTERS:
            # One sentence that is too long: between two words, if it has any.
            cut = text.rfind(" ", start, start + MAX_PART_CHARACTERS)
            cut = cut if cut > start else start + MAX_PART_CHARACTERS
            yield text[start:cut].strip()
            start = cut + (text[cut : cut + 1] == " ")
        end = last
    if end > start:
        yield text[start:end]
