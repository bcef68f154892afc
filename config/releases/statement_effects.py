"""What a statement of a migration does to a table that people use: whom it blocks, and how long.

Read by `manage.py upgrade --check` and by the lint of migrations. The locks are those of the manual
of PostgreSQL ("Explicit Locking", "ALTER TABLE"). Pure: text in, effects out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NOBODY, WRITERS, EVERYBODY = "nobody", "writers", "readers and writers"
# How much is read or written: the catalogue alone, each row once, an index, the table and its
# indexes, or what nobody can tell beforehand.
MOMENT, SCAN, INDEX, VECTOR_INDEX, ROWS, REWRITE, CODE = (
    "moment", "scan", "index", "vector index", "rows", "rewrite", "code",
)  # fmt: skip
_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<body>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
    r"|(?P<text>'(?:[^']|'')*')|(?P<end>;)|(?P<other>[^-/$';]+|.)",
    re.DOTALL,
)
_NAME = r'(?:only\s+)?(?:public\.)?"?(?P<table>[a-z_][a-z_0-9]*)"?'
_CREATE_TABLE = re.compile(rf"create table (?:if not exists )?{_NAME}")
_CREATE_INDEX = re.compile(
    rf'create (?:unique )?index (?P<online>concurrently )?(?:if not exists )?"?\w+"? on {_NAME}'
)
_ALTER_TABLE = re.compile(rf"alter table (?:if exists )?{_NAME} (?P<parts>.*)")
_WRITE = re.compile(rf"(?:with .*?\b)?(?:update|delete from|insert into) {_NAME}")
_TRIGGER = re.compile(rf"create (?:or replace )?(?:constraint )?trigger .*? on {_NAME}")
_POLICY = re.compile(rf"(?:create|alter|drop) policy .*? on {_NAME}")
_DROP = re.compile(rf"drop table (?:if exists )?{_NAME}")
_REWRITING = re.compile(r"(?:vacuum full|cluster|refresh materialized view|truncate)\b")
# Values that differ from row to row, so that a new column is written into each.
_PER_ROW = re.compile(r"generated\b|serial\b|random|uuid\w*\(|clock_timestamp|nextval")


@dataclass(frozen=True, slots=True)
class Effect:
    """table: "" for none in particular. blocks: NOBODY, WRITERS or EVERYBODY. work: MOMENT, SCAN
    and so on. fault: why a released table may not be treated so; empty if it may."""

    table: str
    blocks: str
    work: str
    fault: str = ""


def split_statements(text: str) -> Iterator[str]:
    """The statements, in lower case, one space between words; without comments, and without the
    bodies of functions and the text of values."""
    words: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["end"]:
            yield from _joined(words)
            words = []
        elif token["body"]:
            words.append("$$$$")
        elif not token["comment"]:
            words.append("''" if token["text"] else token[0])
    yield from _joined(words)


def _joined(words: list[str]) -> Iterator[str]:
    if statement := " ".join("".join(words).split()).lower():
        yield statement


def list_effects(statement: str, new_tables: set[str]) -> list[Effect]:
    """What a statement of `split_statements` does to tables that were there before.

    new_tables: tables of this upgrade, which are empty; those that it makes are added.
    """
    if made := _CREATE_TABLE.match(statement):
        new_tables.add(made["table"])
        return []
    found = [one for one in _effects(statement) if one.table not in new_tables]
    return list(dict.fromkeys(found))


def _effects(statement: str) -> Iterator[Effect]:
    if index := _CREATE_INDEX.match(statement):
        work = VECTOR_INDEX if " using hnsw" in statement else INDEX
        if index["online"]:
            yield Effect(index["table"], NOBODY, work)
        else:
            yield Effect(index["table"], WRITERS, work, "an index is made CONCURRENTLY")
    elif altered := _ALTER_TABLE.match(statement):
        for part in _split_parts(altered["parts"]):
            yield _alter(altered["table"], part)
    elif dropped := _DROP.match(statement):
        yield Effect(dropped["table"], EVERYBODY, MOMENT, "a table is dropped one release later")
    elif trigger := _TRIGGER.match(statement):
        yield Effect(trigger["table"], WRITERS, MOMENT)
    elif policy := _POLICY.match(statement):
        yield Effect(policy["table"], EVERYBODY, MOMENT)
    elif _REWRITING.match(statement):
        yield Effect("", EVERYBODY, REWRITE, "a table is not rewritten")
    elif written := _WRITE.match(statement):
        fault = "rows are written by a job, in parts" if written["table"] in LARGE else ""
        yield Effect(written["table"], NOBODY, ROWS, fault)
    elif statement.startswith("do "):
        yield Effect("", NOBODY, CODE)


# The tables that grow with what people tell, whose rows no migration writes.
LARGE = ("memories_memory", "memories_vector", "memories_version", "memories_edge")


def _alter(table: str, part: str) -> Effect:
    fault, blocks, work = "", EVERYBODY, MOMENT
    if part.startswith("validate constraint"):
        blocks, work = NOBODY, SCAN
    elif part.startswith("add column"):
        fault, work = _added_column(part)
    elif part.startswith("add ") and " using index" not in part and "not valid" not in part:
        if re.search(r"\b(?:unique|primary key|exclude)\b", part):
            work, fault = INDEX, "UNIQUE is added USING an INDEX made CONCURRENTLY"
        else:
            work, fault = SCAN, "a constraint is added NOT VALID, then validated"
            blocks = WRITERS if "references" in part else EVERYBODY
    elif re.match(r"alter (?:column )?\S+ (?:set data )?type ", part):
        if not part.endswith(" type text"):
            work, fault = REWRITE, "a change of a type writes the whole table anew"
    elif re.match(r"alter (?:column )?\S+ set not null", part):
        work, fault = SCAN, "NOT NULL is a CHECK that is added NOT VALID, then validated"
    elif re.match(r"alter (?:column )?\S+ drop default", part):
        # Django adds a column with a default for the rows that are there, and takes that away.
        fault = "the release before writes rows without it: give it a db_default"
    elif re.match(r"drop column\b", part):
        fault = "a column is dropped one release later"
    elif re.match(r"set (?:logged|unlogged|tablespace|access method)", part):
        work, fault = REWRITE, "a table is not rewritten"
    return Effect(table, blocks, work, fault)


def _added_column(part: str) -> tuple[str, str]:
    if _PER_ROW.search(part):
        return "a new column with a value of its own for each row writes the table anew", REWRITE
    if re.search(r"\b(?:unique|primary key)\b", part):
        return "UNIQUE is added USING an INDEX made CONCURRENTLY", INDEX
    if re.search(r"\breferences\b", part):
        return "a constraint is added NOT VALID, then validated", SCAN
    if " not null" in part and " default " not in part:
        return "the release before writes rows without it: give it a db_default", MOMENT
    return "", MOMENT


def _split_parts(text: str) -> Iterator[str]:
    """What one ALTER TABLE does, part by part."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()
