"""PDF as blocks of pages, without text that a reader of the page would not see."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
from pypdfium2 import raw

from memories.ingestion.documents.document_parts import Block, DocumentError, clean_text

MAX_PAGES = 2_000
# Objects of one page, comparisons of its texts with its areas, and how deep forms are nested.
MAX_OBJECTS, MAX_COMPARISONS, MAX_FORM_DEPTH = 200_000, 2_000_000, 10
# Text of fewer points is not read by anybody.
MIN_POINTS = 2.0
_WHITE, _OPAQUE = 250, 250
_UNSEEN_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
# A rectangle has so many steps at most; other shapes do not cover all of their bounds.
_RECTANGLE_SEGMENTS = 6
# Where PDFium joins a word that a line divides.
_JOINED = re.compile("[\ufffe\x02]\n?")
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "…", '"', "”", ")", "\u3002", "\uff01", "\uff1f")
# A line of fewer characters than this share of the longest ends a paragraph.
_SHORT_LINE = 0.6

Bounds = tuple[float, float, float, float]


def read_pdf(data: bytes) -> tuple[list[Block], int]:
    """(the blocks of all pages, on how many pages unseen text was left out). Raises
    DocumentError."""
    try:
        document = pdfium.PdfDocument(data)
        pages = len(document)
    except pdfium.PdfiumError as error:
        locked = "password" in str(error).lower() or "security" in str(error).lower()
        raise DocumentError(
            "The PDF is locked with a password; save it without one."
            if locked
            else "The PDF is damaged, or not one."
        ) from error
    if pages > MAX_PAGES:
        raise DocumentError(f"The PDF has more than {MAX_PAGES:,} pages; divide it.")
    texts, hidden = [], 0
    for index in range(pages):
        try:
            text, removed = _read_page(document[index])
        except pdfium.PdfiumError:
            text, removed = "", False
        texts.append(text)
        hidden += removed
    return list(_iter_blocks(texts)), hidden


def _read_page(page: pdfium.PdfPage) -> tuple[str, bool]:
    """(the text that is seen on a page, whether other text was left out)."""
    try:
        removed = _deactivate_unseen(page)
        text = page.get_textpage().get_text_range()
    finally:
        page.close()
    return clean_text(_JOINED.sub("", text.replace("\r\n", "\n"))), removed


@dataclass(slots=True)
class _Layer:
    """The objects of a page, or of one form in it, whose bounds are in the same units: texts that
    may be seen, with their place in the order of painting, and areas that may cover them. form:
    kept, as nothing else keeps it, and its id must stay its own."""

    form: pdfium.PdfObject | None
    texts: list[tuple[int, pdfium.PdfObject, Bounds, bool]] = field(default_factory=list)
    grounds: list[tuple[int, Bounds]] = field(default_factory=list)
    covers: list[tuple[int, Bounds]] = field(default_factory=list)


def _deactivate_unseen(page: pdfium.PdfPage) -> bool:
    """Take text out of a page that is transparent, tiny, beside the page, white on nothing, or
    covered. Returns whether there was any."""
    box: Bounds = page.get_cropbox()
    layers: dict[int, _Layer] = {}
    found = False
    for place, item in enumerate(page.get_objects(max_depth=MAX_FORM_DEPTH)):
        if place > MAX_OBJECTS:
            raise DocumentError("A page of the PDF has too many objects.")
        layer = layers.setdefault(id(item.container), _Layer(item.container))
        bounds = item.get_bounds()
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            fill = _fill(item)
            unseen = _is_unseen(item, fill) or (not item.level and not _touches(bounds, box))
            if unseen:
                found |= _deactivate(item)
            else:
                layer.texts.append((place, item, bounds, min(fill[:3]) >= _WHITE))
        elif item.type == raw.FPDF_PAGEOBJ_FORM:
            # What is nested deeper is not looked at, so it is not shown either.
            deepest = item.level >= MAX_FORM_DEPTH - 1
            if deepest or (not item.level and not _touches(bounds, box)):
                found |= _deactivate(item)
        else:
            _note_area(layer, place, item, bounds)
    for layer in layers.values():
        areas = len(layer.grounds) + len(layer.covers)
        if len(layer.texts) * areas > MAX_COMPARISONS:
            raise DocumentError("A page of the PDF has too many texts and drawings.")
        for place, item, bounds, white in layer.texts:
            before = (area for at, area in layer.grounds if at < place)
            behind = any(_contains(area, bounds, slack=2) for area in before)
            after = (area for at, area in layer.covers if at > place)
            if (white and not behind) or any(_contains(area, bounds, slack=0) for area in after):
                found |= _deactivate(item)
    return found


def _deactivate(item: pdfium.PdfObject) -> bool:
    raw.FPDFPageObj_SetIsActive(item.raw, False)
    return True


def _fill(item: pdfium.PdfObject) -> Sequence[int]:
    """Red, green, blue and alpha, 0-255; black where it says none."""
    values = [ctypes.c_uint(0), ctypes.c_uint(0), ctypes.c_uint(0), ctypes.c_uint(255)]
    raw.FPDFPageObj_GetFillColor(item.raw, *values)
    return [value.value for value in values]


def _is_unseen(item: pdfium.PdfObject, fill: Sequence[int]) -> bool:
    mode = raw.FPDFTextObj_GetTextRenderMode(item.raw)
    if mode in _UNSEEN_MODES or (mode == raw.FPDF_TEXTRENDERMODE_FILL and fill[3] == 0):
        return True
    matrix = item.get_matrix()
    return bool(item.get_font_size() * (matrix.c**2 + matrix.d**2) ** 0.5 < MIN_POINTS)


def _note_area(layer: _Layer, place: int, item: pdfium.PdfObject, bounds: Bounds) -> None:
    """Note what may be behind a text, or cover one that was painted before."""
    if item.type in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
        layer.grounds.append((place, bounds))
        layer.covers.append((place, bounds))
        return
    if item.type != raw.FPDF_PAGEOBJ_PATH:
        return
    mode, stroke = ctypes.c_int(0), ctypes.c_int(0)
    raw.FPDFPath_GetDrawMode(item.raw, mode, stroke)
    fill = _fill(item)
    if mode.value == raw.FPDF_FILLMODE_NONE or fill[3] < _OPAQUE:
        return
    if min(fill[:3]) < _WHITE:
        layer.grounds.append((place, bounds))
    if raw.FPDFPath_CountSegments(item.raw) <= _RECTANGLE_SEGMENTS:
        layer.covers.append((place, bounds))


def _touches(one: Bounds, box: Bounds) -> bool:
    return one[0] < box[2] and one[2] > box[0] and one[1] < box[3] and one[3] > box[1]


def _contains(area: Bounds, one: Bounds, *, slack: float) -> bool:
    return (
        area[0] - slack <= one[0]
        and area[1] - slack <= one[1]
        and area[2] + slack >= one[2]
        and area[3] + slack >= one[3]
    )


def _iter_blocks(texts: Sequence[str]) -> Iterator[Block]:
    """The paragraphs of each page. A sentence that goes on on the next page is of the page on
    which it begins."""
    pages = [_paragraphs(text) for text in texts]
    for number, paragraphs in enumerate(pages):
        following = pages[number + 1] if number + 1 < len(pages) else []
        if paragraphs and following and not paragraphs[-1].endswith(_SENTENCE_ENDS):
            head, rest = _sentence_rest(following[0])
            if head:
                paragraphs[-1] = f"{paragraphs[-1]} {head}"
                following[:1] = [rest] if rest else []
        yield from (Block(text, (), number + 1) for text in paragraphs)


def _sentence_rest(text: str) -> tuple[str, str]:
    """(the end of a sentence that began before, what comes after it); nothing if the text begins
    with a capital letter or its sentence does not end soon."""
    if not text[:1].islower():
        return "", text
    end = re.search(r"[.!?](?=\s|$)", text[:600])
    return (text[: end.end()], text[end.end() :].strip()) if end else ("", text)


def _paragraphs(text: str) -> list[str]:
    """The lines of a page put together to paragraphs."""
    lines = text.split("\n") if text else []
    longest = max(map(len, lines), default=0)
    paragraphs: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on:
            paragraphs[-1] = f"{paragraphs[-1]} {line}"
        else:
            paragraphs.append(line)
        goes_on = len(line) >= _SHORT_LINE * longest and not line.endswith(_SENTENCE_ENDS)
    return paragraphs
