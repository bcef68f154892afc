"""DOCX as HTML, without hidden text; the archive is checked before a library sees it."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import cast
from xml.etree import ElementTree as ET
from xml.parsers import expat

import mammoth

from memories.ingestion.documents.document_parts import DocumentError
from memories.ingestion.file_import.formats.sources import MIB, ConversionError
from memories.ingestion.file_import.formats.zip_archive import open_zip

# All XML of a document, unpacked, and how deep its elements are nested.
MAX_XML_BYTES, MAX_XML_DEPTH = 24 * MIB, 200
_XML_ENDINGS = (".xml", ".rels")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# The same elements in documents of the strict form.
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_FALSE = ("0", "false", "off", "none")
# Half points: text of at most two points.
_TINY = 4
_DAMAGED = "The DOCX is damaged, or not one."


def read_docx(data: bytes) -> tuple[str, int]:
    """(HTML, how many runs of hidden text were left out). Raises DocumentError."""
    parts = _load_parts(data)
    # Relations say which part is the text, which are notes and which the styles. So no name tells,
    # and what holds for one part holds for all of them.
    roots = {name: _parse(content) for name, content in parts.items()}
    hidden_styles = _hidden_styles(roots.values())
    hidden = 0
    for name in list(roots):
        root = roots.pop(name)
        hidden += _remove_hidden(root, hidden_styles)
        parts[name] = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    packed.seek(0)
    made = mammoth.convert_to_html(
        packed, include_embedded_style_map=False, convert_image=lambda _image: []
    )
    return cast("str", made.value), hidden


def _load_parts(data: bytes) -> dict[str, bytes]:
    """The XML of the archive by name; pictures and what else is packed are not read."""
    try:
        sources = open_zip(
            io.BytesIO(data), len(data), data_endings=_XML_ENDINGS, most=MAX_XML_BYTES
        )
        names = [name for name in sources if name.lower().endswith(_XML_ENDINGS)]
        parts, left = {}, MAX_XML_BYTES
        for name in names:
            parts[name] = sources[name].opener().read(left + 1)
            left -= len(parts[name])
            if left < 0:
                raise DocumentError(f"The DOCX holds more than {MAX_XML_BYTES // MIB} MB of text.")
    except (ConversionError, OSError, EOFError, zipfile.BadZipFile) as error:
        text = str(error) if isinstance(error, ConversionError) else _DAMAGED
        raise DocumentError(text.replace("he zip", "he DOCX")) from error
    for content in parts.values():
        _check_xml(content)
    return parts


def _check_xml(content: bytes) -> None:
    """Refuse a DTD, which no DOCX has and in which a few bytes can stand for a gigabyte, and what
    is nested too deeply."""
    depth = 0

    def begin(_name: str, _attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_XML_DEPTH:
            raise DocumentError(f"The DOCX is nested deeper than {MAX_XML_DEPTH} levels.")

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise DocumentError("The DOCX is refused: its XML defines entities of its own.")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DocumentError(_DAMAGED) from error


def _is_on(properties: ET.Element | None, name: str) -> bool:
    found = properties.find(f"{_W}{name}") if properties is not None else None
    return found is not None and found.get(f"{_W}val", "1").lower() not in _FALSE


def _value(properties: ET.Element | None, name: str) -> str:
    found = properties.find(f"{_W}{name}") if properties is not None else None
    return found.get(f"{_W}val", "") if found is not None else ""


def _hides(properties: ET.Element | None) -> bool:
    """Whether properties of a run hide it: hidden, or too small to be read."""
    size = _value(properties, "sz")
    return _is_on(properties, "vanish") or (size.isdecimal() and int(size[:6]) <= _TINY)


def _is_white(properties: ET.Element | None) -> bool:
    return _value(properties, "color").upper() == "FFFFFF"


def _is_shaded(properties: ET.Element | None) -> bool:
    shade = properties.find(f"{_W}shd") if properties is not None else None
    fill = shade.get(f"{_W}fill", "auto").upper() if shade is not None else "AUTO"
    return fill not in ("AUTO", "FFFFFF") or bool(_value(properties, "highlight"))


def _parse(content: bytes) -> ET.Element:
    """The elements of a part, those of the strict form by their usual names."""
    root = ET.fromstring(content)  # noqa: S314 - without DTD, see `_check_xml`
    for element in root.iter():
        if element.tag.startswith(_STRICT):
            element.tag = _W + element.tag.removeprefix(_STRICT)
        for name in [name for name in element.keys() if name.startswith(_STRICT)]:  # noqa: SIM118
            element.set(_W + name.removeprefix(_STRICT), element.attrib.pop(name))
    return root


def _hidden_styles(roots: Iterable[ET.Element]) -> frozenset[str]:
    """The ids of the styles that hide their text, also by way of what they are based on."""
    styles = [
        (one.get(f"{_W}styleId", ""), one) for root in roots for one in root.iter(f"{_W}style")
    ]
    hidden = {id_ for id_, one in styles if _hides(one.find(f"{_W}rPr"))}
    # A style is based on one that may stand behind it; a chain is short.
    for _ in range(10):
        based = {id_ for id_, one in styles if _value(one, "basedOn") in hidden}
        if based <= hidden:
            break
        hidden |= based
    return frozenset(hidden)


def _remove_hidden(root: ET.Element, hidden_styles: frozenset[str]) -> int:
    """Empty the runs that nobody would see; returns how many had text."""
    removed = 0
    for run in _hidden_runs(root, hidden_styles):
        removed += any((text.text or "").strip() for text in run.iter(f"{_W}t"))
        for child in list(run):
            run.remove(child)
    return removed


def _hidden_runs(root: ET.Element, hidden_styles: frozenset[str]) -> Iterator[ET.Element]:
    """The runs that nobody would see on the page."""
    found: list[ET.Element] = []
    waiting: list[tuple[ET.Element, bool, bool]] = [(root, False, False)]
    while waiting:
        element, shaded, hidden = waiting.pop()
        for kind in ("tblPr", "tcPr", "pPr"):
            shaded = shaded or _is_shaded(element.find(f"{_W}{kind}"))
        if _value(element.find(f"{_W}pPr"), "pStyle") in hidden_styles:
            hidden = True
        if element.tag == f"{_W}r":
            properties = element.find(f"{_W}rPr")
            white = _is_white(properties) and not (shaded or _is_shaded(properties))
            of_style = _value(properties, "rStyle") in hidden_styles
            if hidden or white or of_style or _hides(properties):
                found.append(element)
                continue
        waiting.extend((child, shaded, hidden) for child in element)
    return iter(found)
