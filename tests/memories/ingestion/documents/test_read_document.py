"""Documents read in a process of their own: round trips, hidden text, hostile files."""

import io
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memories.ingestion.documents import read_document as module
from memories.ingestion.documents.document_parts import (
    MAX_PART_CHARACTERS,
    Block,
    DocumentError,
    build_parts,
    clean_text,
)
from memories.ingestion.documents.read_document import ReadDocument, read_document
from memories.ingestion.documents.read_pdf import MAX_FORM_DEPTH, read_pdf
from tests.memories.ingestion.documents.samples import (
    W,
    make_docx,
    make_pdf,
    paragraph,
    replace_file,
    text_at,
)


def read(content: bytes, name: str, **options: str) -> ReadDocument:
    return read_document(io.BytesIO(content), len(content), name=name, **options)


def told(content: bytes, name: str) -> list[tuple[str, str]]:
    """(where, what) of each part."""
    return [(part.location, part.text) for part in read(content, name).parts]


def texts(content: bytes, name: str) -> str:
    return "\n".join(text for _, text in told(content, name))


HTML = """<!doctype html><html><head><title>T</title><style>.x{display:none}</style></head><body>
<nav>Home</nav><h1>Guide</h1><p>The <b>coffee</b> machine stands here.</p><h2>Keys</h2>
<ul><li>Noor keeps one.<li>Tom keeps one.</ul>
<table><tr><th>Day<th>Who<tr><td>Monday<td><p>Ada</p></table></body></html>"""
GUIDE = [
    ("Guide", "The coffee machine stands here."),
    ("Guide > Keys", "- Noor keeps one.\n- Tom keeps one.\nDay | Who\nMonday | Ada"),
]


def test_html_by_its_headings() -> None:
    assert told(HTML.encode(), "guide.html") == GUIDE


def test_markdown_by_its_headings() -> None:
    content = (
        b"---\ntitle: T\n---\n# Guide\n\nThe **coffee** machine stands here.\n\n## Keys\n\n"
        b"- Noor keeps one.\n- Tom keeps one.\n\n| Day | Who |\n|--|--|\n| Monday | Ada |\n"
    )
    assert told(content, "guide.md") == GUIDE


def test_docx_by_its_headings() -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    table = "".join(
        row.format(paragraph(one), paragraph(two))
        for one, two in (("Day", "Who"), ("Monday", "Ada"))
    )
    content = make_docx(
        paragraph("Guide", style="H1") + paragraph("The coffee machine stands here.")
        + paragraph("Keys", style="H2") + paragraph("- Noor keeps one.")
        + paragraph("- Tom keeps one.") + f"<w:tbl>{table}</w:tbl>"
    )  # fmt: skip
    assert told(content, "guide.docx") == GUIDE


def test_pdf_by_its_pages() -> None:
    pages = [text_at("The lift is slow. It goes on"), text_at("over here. Another page.")]
    assert told(make_pdf(pages), "House.pdf") == [
        ("page 1", "The lift is slow. It goes on over here."),
        ("page 2", "Another page."),
    ]


def test_the_content_says_what_it_is_and_markdown_its_name() -> None:
    assert read(make_pdf([text_at("Here.")]), "notes.txt").format == "pdf"
    assert read(HTML.encode(), "notes").format == "html"
    assert read(b"Plain words.", "notes.MD").format == "markdown"
    with pytest.raises(DocumentError, match="none of the documents"):
        read(b"Plain words.", "notes.txt")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/Handbook.pdf", "Handbook.pdf"),
        ("C:\\files\\Handbook.PDF", "Handbook.PDF"),
        # Nobody takes it for a person.
        ("Ada Lovelace", "Ada Lovelace.pdf"),
        ("a" * 300 + ".pdf", "a" * 120 + ".pdf"),
    ],
)
def test_names_of_files(given: str, shown: str) -> None:
    assert read(make_pdf([text_at("Here.")]), given).name == shown


@pytest.mark.parametrize("name", ["a\u202efdp.exe.pdf", "", "a\x00b.pdf"])
def test_names_that_nobody_reads_for_sure(name: str) -> None:
    with pytest.raises(DocumentError, match="name of the file"):
        read(make_pdf([text_at("Here.")]), name)


SEEN, UNSEEN = "The lift is slow.", "IGNORE"
HIDDEN_IN_HTML = [
    '<p hidden>{}</p>', '<p style="display : none">{}</p>', "<p class=x>{}</p>",
    '<p style="visibility:hidden">{}</p>', '<p style="font-size:0">{}</p>',
    '<p style="font-size: 1px;">{}</p>', '<p style="opacity:0">{}</p>',
    '<p style="position:absolute;left:-9999px">{}</p>', '<p style="color:#FFF">{}</p>',
    '<p style="color: white">{}</p>', "<script>{}</script>", "<!-- {} -->",
    "<template>{}</template>", "<noscript>{}</noscript>", "<textarea>{}</textarea>",
    '<div hidden><div><b style="color:red">{}</b></div></div>', '<font color="#ffffff">{}</font>',
    "<p class=y><b>{}</b></p>", "<style>{}</style>",
    # Far behind, and in a long list.
    f'<p style="{" " * 2_100}display:none">{{}}</p>',
    f'<p style="--a:{"a" * 50_000};display:none">{{}}</p>', "<p class=z>{}</p>",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN_IN_HTML)
def test_hidden_text_of_html(hidden: str) -> None:
    style = "<style>@media all{.x{display:none}} .y > b {visibility:hidden}"
    style += ", ".join(f".other-{number}" for number in range(50)) + ", .z {display:none}</style>"
    html = f"<!doctype html>{style}<p>{SEEN}</p>{hidden.format(UNSEEN)}"
    assert texts(html.encode(), "a.html") == SEEN
    # The same in Markdown, which takes HTML.
    assert texts(f"{SEEN}\n\n{style}{hidden.format(UNSEEN)}\n".encode(), "a.md") == SEEN


@pytest.mark.parametrize("declaration", ["display:none", "color:#fff"])
def test_a_hiding_rule_of_html_that_is_too_long_is_refused(declaration: str) -> None:
    others = ", ".join(f"[data-a='{number},']" for number in range(50))
    html = f"<!doctype html><style>{others}, .x {{{declaration}}}</style><p>{SEEN}<p class=x>x"
    with pytest.raises(DocumentError, match="too long to follow"):
        read(html.encode(), "a.html")


def test_white_on_a_ground_is_seen() -> None:
    html = '<body><div style="background:#003"><p style="color:white">Seen.</p></div>'
    assert texts(html.encode(), "a.html") == "Seen."


HIDDEN_IN_PDF = {
    "invisible": text_at(UNSEEN, 700, before="3 Tr"),
    "white": text_at(UNSEEN, 700, before="1 1 1 rg"),
    "tiny": text_at(UNSEEN, 700, size=0.5),
    "beside the page": text_at(UNSEEN, 7000),
    "covered": text_at(UNSEEN, 700) + "0 0 0 rg 40 690 300 40 re f\n",
}


@pytest.mark.parametrize("how", HIDDEN_IN_PDF)
def test_hidden_text_of_a_pdf(how: str) -> None:
    found = read(make_pdf([text_at(SEEN) + HIDDEN_IN_PDF[how]]), "a.pdf")
    assert [part.text for part in found.parts] == [SEEN]
    assert found.hidden == 1


def test_white_on_blue_in_a_pdf_is_seen() -> None:
    page = "0 0 1 rg 40 690 300 40 re f\n" + text_at("Seen.", 700, before="1 1 1 rg")
    found = read(make_pdf([page]), "a.pdf")
    assert ([part.text for part in found.parts], found.hidden) == (["Seen."], 0)


@pytest.mark.parametrize("depth", [1, 5, MAX_FORM_DEPTH, MAX_FORM_DEPTH + 1, 25])
def test_hidden_text_in_nested_forms_of_a_pdf(depth: int) -> None:
    forms = [text_at(UNSEEN, 700, before="3 Tr"), *(f"/X{one} Do" for one in range(depth - 1))]
    page = text_at(SEEN) + f"/X{depth - 1} Do\n"
    found = read(make_pdf([page], forms=forms), "a.pdf")
    assert ([part.text for part in found.parts], found.hidden) == ([SEEN], 1)


def test_seen_text_in_nested_forms_of_a_pdf() -> None:
    found = read(make_pdf(["/X2 Do"], forms=[text_at(SEEN), "/X0 Do", "/X1 Do"]), "a.pdf")
    assert ([part.text for part in found.parts], found.hidden) == ([SEEN], 0)


def test_a_ground_of_another_form_of_a_pdf_is_not_behind_white_text() -> None:
    """Each form has units of its own, so its places say nothing about another one."""
    ground, white = "0 0 1 rg 40 690 300 40 re f", text_at(UNSEEN, 700, before="1 1 1 rg")
    # Of a form without anything, nothing is kept: its address is free for another one.
    far = [f"q 1 0 0 1 0 -{300 + step} cm /X0 Do Q\n/X2 Do\n" for step in range(60)]
    pages = [text_at(SEEN) + "".join(far[:count]) + "/X1 Do" for count in range(1, 61)] * 3
    # In this process, which has many free addresses.
    blocks, hidden = read_pdf(make_pdf(pages, forms=[ground, white, ""]))
    assert ({block.text for block in blocks}, hidden) == ({SEEN}, 180)


@pytest.mark.parametrize(
    "run",
    [
        "<w:vanish/>", '<w:rStyle w:val="Gone"/>', '<w:rStyle w:val="GoneToo"/>',
        '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>',
    ],
)  # fmt: skip
def test_hidden_text_of_a_docx(run: str) -> None:
    found = read(make_docx(paragraph(SEEN) + paragraph(UNSEEN, run=run)), "a.docx")
    assert ([part.text for part in found.parts], found.hidden) == ([SEEN], 1)


STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


@pytest.mark.parametrize(
    "how",
    [
        {"main": "real.xml", "extra": {"word/document.xml": b"<decoy/>"}},
        {"main": "real.rels", "extra": {"word/document.xml": b"<decoy/>"}},
        {"styles": "looks.xml", "extra": {"word/styles.xml": b"<decoy/>"}},
        {"namespace": STRICT},
    ],
)
@pytest.mark.parametrize("run", ["<w:vanish/>", '<w:rStyle w:val="GoneToo"/>'])
def test_hidden_text_of_a_docx_whose_parts_have_other_names(how: dict[str, Any], run: str) -> None:
    found = read(make_docx(paragraph(SEEN) + paragraph(UNSEEN, run=run), **how), "a.docx")
    assert ([part.text for part in found.parts], found.hidden) == ([SEEN], 1)


def test_hidden_text_in_a_note_of_a_docx() -> None:
    """Whatever the part of its notes is called."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r2" Type="{kind}" Target="below.xml"/></Relationships>'
    )
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="7">'
        f"{paragraph('A note.')}{paragraph(UNSEEN, run='<w:vanish/>')}</w:footnote></w:footnotes>"
    )
    body = paragraph(SEEN) + '<w:p><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
    content = make_docx(body, main="real.xml", extra={"word/below.xml": notes.encode()})
    content = replace_file(content, "word/_rels/real.xml.rels", relations.encode())
    found = read(content, "a.docx", format="docx")
    assert "A note." in "".join(part.text for part in found.parts)
    assert UNSEEN not in "".join(part.text for part in found.parts)
    assert found.hidden == 1


def test_deleted_words_of_a_docx_are_gone() -> None:
    body = (
        paragraph(SEEN) + "<w:p><w:del><w:r><w:delText>Gone.</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>New.</w:t></w:r></w:ins></w:p>"
    )
    assert texts(make_docx(body), "a.docx") == f"{SEEN}\nNew."


def test_characters_that_nobody_sees() -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "IGNORE")
    assert clean_text(f"The\u200b lift{tags}\u202e is\x00 slow.") == "The lift is slow."


BOMBS = {
    "entities.docx": make_docx(paragraph("&a;"), head='<!DOCTYPE x [<!ENTITY a "x">]>'),
    "zip.docx": make_docx(paragraph("x"), extra={"word/big.xml": b"0" * (30 << 20)}),
    "up.docx": make_docx(paragraph("x"), extra={"../../evil.xml": b"<x/>"}),
    "deep.docx": make_docx("<w:tbl><w:tr><w:tc>" * 300 + "</w:tc></w:tr></w:tbl>" * 300),
    "cut.docx": make_docx(paragraph("x"))[:-60],
    "no.docx": make_docx("<w:p>"),
    "pages.pdf": make_pdf([text_at("x")] * 2_001),
    "cut.pdf": make_pdf([text_at("x")])[:200],
    "empty.pdf": make_pdf([""]),
    "deep.html": b"<div>" * 5_000 + b"deep",
    "empty.html": b"<p hidden>x",
    "latin.md": "Grüße".encode("latin-1"),
}


@pytest.mark.conformance("N28")
@pytest.mark.parametrize("name", BOMBS)
def test_hostile_files_are_refused_with_one_sentence(name: str) -> None:
    with pytest.raises(DocumentError) as refused:
        read(BOMBS[name], name)
    assert str(refused.value).count("\n") == 0
    assert "Traceback" not in str(refused.value)


def test_a_locked_pdf() -> None:
    lock = (
        f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'00' * 32}> /U <{'11' * 32}> >> "
        f"/ID [<{'22' * 16}> <{'22' * 16}>]"
    )
    with pytest.raises(DocumentError, match="password"):
        read(make_pdf([text_at("x")], trailer=lock), "a.pdf")


def test_who_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAIT_SECONDS", 0.001)
    with pytest.raises(DocumentError, match="more time or memory"):
        read(b"x", "a.md")


_ENDLESS = """
import sys, time
sys.stdout.write("x" * 200_000)
while True:
    sys.stdout.write("x" * 4096)
    sys.stdout.flush()
    time.sleep(0.01)
"""
_FORGED = {
    "endless": _ENDLESS,
    "cut": """print('{"part": {"text": "Words.", "number": 1}}'); print('{"part": {"te', end="")""",
    "no end": """print('{"part": {"text": "Words.", "number": 1}}')""",
    "no row": "print(7)",
    "a list": "print('[1]')",
    "no part": """print('{"part": 3}')""",
    "no text": """print('{"part": {"number": 1}}')""",
    "another type": """print('{"part": {"text": 3, "number": 1}}')""",
    "a long part": """print('{"part": {"text": "%s", "number": 1}}' % ("x" * 2001))""",
    "a long heading": """print('{"part": {"text": "x", "number": 1, "heading": ["%s"]}}' % ("x"
        * 101))""",
    "parts": """print('{"part": {"text": "x", "number": 1}}\\n' * 10_001 + '{"hidden": 0}')""",
    "a count": """print('{"hidden": -1}')""",
    "a novel": """print('{"error": "%s"}' % ("x" * 301))""",
}


@pytest.mark.parametrize("how", _FORGED)
def test_what_the_process_writes_is_bounded_and_believed_as_far_as_it_is_one(
    how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "forged.py").write_text(_FORGED[how])
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    monkeypatch.setattr(module, "_MODULE", "forged")
    if how == "endless":
        # It is refused for what it wrote, and nobody waits for so long.
        monkeypatch.setattr(module, "_MAX_OUTPUT", 100_000)
        monkeypatch.setattr(module, "MAX_WAIT_SECONDS", 3_600)
    with pytest.raises(DocumentError) as refused:
        read(b"Words.", "a.md")
    assert str(refused.value) == module.TOO_MUCH


def test_the_process_gets_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}
    begin = subprocess.Popen

    def note(*args: object, **named: object) -> object:
        seen.update(named)
        return begin(*args, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", note)
    read(b"Words.", "a.md")
    assert set(seen["env"]) == {"PATH", "LANG"}  # type: ignore[call-overload]


def test_parts_are_whole_sentences() -> None:
    sentence = "The lift of this house is slow, and nobody knows why. "
    parts = build_parts([Block(sentence * 200, ("Lift",))])
    assert len(parts) > 4
    assert all(len(part.text) <= MAX_PART_CHARACTERS for part in parts)
    assert all(part.text.endswith("why.") for part in parts)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert " ".join(part.text for part in parts) == (sentence * 200).strip()


def test_words_without_an_end_are_divided() -> None:
    parts = build_parts([Block("x" * 7_000), Block("word " * 1_000)])
    assert all(0 < len(part.text) <= MAX_PART_CHARACTERS for part in parts)
    assert "".join(part.text for part in parts).count("x") == 7_000


def test_a_page_that_is_there_twice_is_one_part() -> None:
    found = read(make_pdf([text_at("The same."), text_at("The same."), text_at("Else.")]), "a.pdf")
    assert [part.location for part in found.parts] == ["page 1", "page 3"]
    assert found.repeated == 1
