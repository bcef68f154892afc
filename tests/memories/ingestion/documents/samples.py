"""Documents that tests write themselves: PDF by its objects, DOCX by its XML."""

import io
import zipfile
from collections.abc import Mapping, Sequence

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CONTENT_TYPES = """<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
</Types>"""  # noqa: E501
_RELATIONS = """<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>
</Relationships>"""  # noqa: E501
_STYLES = f"""<?xml version="1.0"?><w:styles xmlns:w="{W}">
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="character" w:styleId="Gone"><w:name w:val="gone"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="GoneToo"><w:name w:val="gone too"/><w:basedOn w:val="Gone"/></w:style>
</w:styles>"""  # noqa: E501


def text_at(text: str, y: int = 800, *, before: str = "", size: float = 12, x: int = 50) -> str:
    """The commands of a PDF that show a text."""
    shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT {before} /F1 {size} Tf {x} {y} Td ({shown}) Tj ET\n"


def make_pdf(
    pages: Sequence[str], *, root: str = "", trailer: str = "", forms: Sequence[str] = ()
) -> bytes:
    """A PDF of these pages, each as commands. root, trailer: further entries of these two; forms:
    commands that pages and other forms run by `/X0 Do`, `/X1 Do` and so on."""
    named = " ".join(f"/X{index} {index + 5} 0 R" for index in range(len(forms)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {root} >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Font << /F1 3 0 R >> /XObject << {named} >> >>",
        *(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 2000 2000] /Resources 4 0 R "
            f"/Length {len(form)} >>\nstream\n{form}\nendstream"
            for form in forms
        ),
    ]
    kids = []
    for content in pages:
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Contents {len(objects)} 0 R /Resources 4 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        out
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{len(out)}\n%%EOF"
        ).encode()
    )


def paragraph(text: str, *, style: str = "", run: str = "") -> str:
    """A paragraph of a DOCX. style: of the paragraph; run: properties of its run."""
    kept = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{kept}<w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def make_docx(
    body: str,
    *,
    head: str = "",
    extra: Mapping[str, bytes] | None = None,
    namespace: str = W,
    main: str = "document.xml",
    styles: str = "styles.xml",
) -> bytes:
    """A DOCX with this body. head: what stands before its root, such as a DTD; main, styles: the
    names of these parts in their folder."""
    document = (
        f'<?xml version="1.0"?>{head}<w:document xmlns:w="{namespace}"><w:body>{body}</w:body>'
        "</w:document>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _CONTENT_TYPES)
        archive.writestr(
            "_rels/.rels", _RELATIONS.format(kind="officeDocument", target=f"word/{main}")
        )
        archive.writestr(f"word/_rels/{main}.rels", _RELATIONS.format(kind="styles", target=styles))
        archive.writestr(f"word/{styles}", _STYLES.replace(W, namespace))
        archive.writestr(f"word/{main}", document)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return packed.getvalue()


def replace_file(packed: bytes, name: str, content: bytes) -> bytes:
    """A zip with other content of one of its files."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            new.writestr(one, content if one == name else old.read(one))
    return out.getvalue()
