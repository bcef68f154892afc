"""Tables: marks, delimiters, quotes, which column is what."""

import codecs

import pytest

from memories.ingestion.file_import.formats.csv_table import parse_columns
from memories.ingestion.file_import.formats.sources import ConversionError
from tests.memories.ingestion.file_import.formats.exports import lines_of, skipped, texts

TABLE = 'From,Message,Created at\nAda,"Hi,\n""all""",2024-01-01T10:00:00Z\nBob,Yes,\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("wrap", [
    str.encode, lambda text: codecs.BOM_UTF8 + text.encode(), lambda text: text.encode("utf-16"),
    lambda text: text.replace("\n", "\r\n").encode(),
])  # fmt: skip
def test_a_table_is_recognised(delimiter: str, wrap) -> None:
    text = TABLE.replace("Hi,", "Hi;\t,").replace(",", delimiter)
    first, second = lines_of(wrap(text))
    assert first["text"].replace("\r\n", "\n").endswith('\n"all"')
    assert (first["speaker"], first["timestamp"]) == ("Ada", "2024-01-01T10:00:00Z")
    assert (first["item"], second["text"]) == ("row 2", "Yes")


def test_columns_that_are_named() -> None:
    body = b"who,what,channel\nAda,Hi,launch\n"
    rows = lines_of(body, columns=parse_columns("text=What, speaker=who"))
    assert (rows[0]["text"], rows[0]["speaker"], rows[0]["group"]) == ("Hi", "Ada", "launch")
    for columns, words in (
        (
            {},
            "No column of the table is known to be the text. The columns are “who”, “what”, “chan",
        ),
        ({"text": "nothing"}, "No column is called “nothing”"),
    ):
        with pytest.raises(ConversionError, match=words) as refused:
            lines_of(body, columns=columns)
        assert refused.value.about == "columns"
    with pytest.raises(ConversionError, match="text=Message"):
        parse_columns("mood=Happy")
    with pytest.raises(ConversionError, match="Two columns"):
        lines_of(b"text,who,text\na,b,c\n")


def test_all_fields() -> None:
    body = (
        b"id,text,speaker,group,session,timestamp,subject,title,audience,tags,importance,sensitive\n"
        b"1,Hi,Ada,g,s,2024-01-01,Bob,News,Ada;Bob,a;b,0.5,yes\n"
        b"2,Hi,Ada,g,s,2024-01-01,Bob,News,,,much,\n"
        b"3,Hi,Ada,g,s,2024-01-01,Bob,News,,,,perhaps\n"
        b"4,,,,,,,,,,,\n5,a,b,c,d,e,f,g,h,i,0,0,extra\n\n"
    )
    rows = lines_of(body, time_zone="Asia/Tokyo")
    assert rows[0] == {
        "item": "row 2", "id": "1", "text": "Hi", "speaker": "Ada", "group": "g", "session": "s",
        "timestamp": "2023-12-31T15:00:00+00:00", "subject": "Bob", "title": "News",
        "audience": ["Ada", "Bob"], "tags": ["a", "b"], "importance": 0.5, "sensitive": True,
    }  # fmt: skip
    assert list(skipped(rows).values()) == [
        "importance is not a number from 0 to 1", "sensitive is neither yes nor no", "no text",
        "13 fields under 12 names of columns",
    ]  # fmt: skip


def test_the_same_row_has_the_same_id_wherever_it_stands() -> None:
    one = lines_of(b"text,who\na,b\nc,d\n")
    other = lines_of(b"text,who\nnew,x\na,b\nc,d\n")
    assert one[0]["id"] == other[1]["id"] != one[1]["id"]
    assert "id" not in lines_of(b"text,sensitive\na,yes\n")[0], "a hash of it could be guessed"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'text,who\n"never ends,b\nc,d\n', "Row 2 of the table cannot be read: it has a quote"),
        (b"text,who\n" + b"a" * 1_000_001 + b",b\n", "a field that is too long"),
        (b"text,who\n" + b"a" * 8_000_001, "longer than 8,000,000 bytes"),
        ("text,who\nGrüße,b\n".encode("latin-1"), "save it as “CSV UTF-8”"),
        (b"text,who\n" + b"," * 600 + b"\n", "more than 500 columns"),
        (b"text,who\n", "holds nothing"),
    ],
)
def test_a_broken_table_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(ConversionError, match=words):
        lines_of(body, format="csv")


def test_the_line_of_a_spreadsheet_that_names_the_delimiter() -> None:
    assert texts(lines_of(b"sep=;\ntext;who\na, b;c\n", format="csv")) == ["a, b"]
