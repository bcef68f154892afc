"""Tables: marks, delimiters, quotes, which column is what."""

import codecs
import io
import json
from time import perf_counter

import pytest

from memories.ingestion.file_import.formats.csv_table import TableColumn, parse_columns
from memories.ingestion.file_import.formats.registry import ConversionOptions, preview_table
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
            (),
            "No column of the table is known to be the text. The columns are “who”, “what”, “chan",
        ),
        ([("nothing", "text")], "No column is called “nothing”"),
        ([(3, "text")], "No column is called “3”"),
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


def preview(body: bytes) -> list[TableColumn]:
    return preview_table(io.BytesIO(body), len(body), ConversionOptions())


def test_columns_as_json_also_those_that_are_left_out() -> None:
    body = b"Nachricht,name,Bemerkung\nHallo,Ada,geheim\n"
    rows = lines_of(body, columns=parse_columns('{"Nachricht": "text"}'))
    assert (rows[0]["text"], rows[0]["speaker"]) == ("Hallo", "Ada"), "the rest by its names"
    rows = lines_of(body, columns=parse_columns('{"nachricht": "text", "name": null}'))
    assert rows[0].keys() == {"item", "text", "id"}
    # A comma and a sign in a name.
    rows = lines_of(b'"a=b, c",d\nHi,x\n', columns=parse_columns(json.dumps({"a=b, c": "text"})))
    assert texts(rows) == ["Hi"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mood=Happy", "Write the columns as"),
        ("text", "Write the columns as"),
        ("=Message", "Write the columns as"),
        ('{"a": "mood"}', "Write the columns as"),
        ('{"a": 1}', "Write the columns as"),
        ('{"a": ["text"]}', "Write the columns as"),
        ('{" ": "text"}', "Write the columns as"),
        ('{"a": "text"', "Write the columns as"),
        ('{"a": ' + "[" * 19_000, "Write the columns as"),
        ("text=a,text=b", "More than one column is chosen as text"),
        ('{"a": "text", "b": "text"}', "More than one column is chosen as text"),
    ],
)
def test_a_map_of_columns_that_cannot_be_meant(text: str, words: str) -> None:
    with pytest.raises(ConversionError, match=words) as refused:
        parse_columns(text)
    assert refused.value.about == "columns"


def test_names_that_the_file_has_not_or_has_twice() -> None:
    for body, given, words in (
        (b"a,b\nx,y\n", {"c": "text"}, "No column is called “c”. The columns are “a”, “b”."),
        (b"a,b\nx,y\n", {"a": "text", "c": None}, "No column is called “c”"),
        (b"a,b,a\nx,y,z\n", {"A": "text"}, "More than one column is called “A”"),
        (b"text,b\nx,y\n", {"text": None}, "No column of the table is known to be the text"),
    ):
        with pytest.raises(ConversionError, match=words):
            lines_of(body, columns=parse_columns(json.dumps(given)))


def test_columns_by_place_may_share_a_name_or_have_none() -> None:
    body = b"note,,note\none,two,three\n"
    assert texts(lines_of(body, columns=[(0, ""), (1, ""), (2, "text")])) == ["three"]
    assert texts(lines_of(body, columns=[(0, ""), (1, "text"), (2, "")])) == ["two"]


def test_a_preview_shows_the_first_values_and_what_is_known() -> None:
    rows = "".join(f"{n};;Ada \n  and Bob\n" if n % 2 else f"{n};;\n" for n in range(9))
    found = preview(
        f"Nr;Nachricht;From\n{rows}".replace("Ada \n  and Bob", '"Ada \n  and Bob"').encode()
    )
    assert found == [
        TableColumn("Nr", ("0", "1", "2"), ""),
        TableColumn("Nachricht", (), ""),
        TableColumn("From", ("Ada and Bob",) * 3, "speaker"),
    ]
    assert [one.field for one in preview(b"sep=;\ntext;who\na, b;c\n")] == ["text", ""]
    [one] = preview(b"text\n" + b"x" * 900_000 + b"\n")
    assert one.examples == ("x" * 120 + "…",)


def test_only_the_first_rows_are_read_for_a_preview() -> None:
    body = b"text,b\n" + b"x,y\n" * 60 + b'"never ends'
    assert [one.examples for one in preview(body)] == [("x",) * 3, ("y",) * 3]


def test_one_column_and_very_many_with_long_names() -> None:
    assert texts(lines_of(b"text\nHi\nthere\n", format="csv")) == ["Hi", "there"]
    many = ",".join(f"c{n}" for n in range(10_000)).encode()
    for read in (preview, lines_of):
        with pytest.raises(ConversionError, match="Row 1 has more than 500 columns"):
            read(many + b"\n" + many)
    long = [f"{n}".rjust(10_000, "x") for n in range(500)]
    body = f"{','.join(long)}\n{','.join('x' * 500)}\n".encode()
    begin = perf_counter()
    rows = lines_of(body, columns=[(name, "") for name in long[1:]] + [(long[0], "text")])
    assert texts(rows) == ["x"]
    assert perf_counter() - begin < 20
    with pytest.raises(ConversionError) as refused:
        lines_of(body)
    assert len(str(refused.value)) < 2_000
