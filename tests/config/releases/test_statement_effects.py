"""What each kind of statement does to a table that people use."""

import pytest

from config.releases.statement_effects import list_effects, split_statements

NOTE, BOTH = "memories_note", "readers and writers"


def read(text: str, new_tables: set[str] | None = None) -> list[tuple[str, str, str, bool]]:
    """(table, whom it blocks, work, whether it is a fault) of each effect."""
    new = set() if new_tables is None else new_tables
    effects = [effect for one in split_statements(text) for effect in list_effects(one, new)]
    return [(e.table, e.blocks, e.work, bool(e.fault)) for e in effects]


@pytest.mark.parametrize(
    ("text", "blocks", "work", "fault"),
    [
        ("CREATE INDEX a ON memories_note (b)", "writers", "index", True),
        ('CREATE UNIQUE INDEX "a" ON "memories_note" ("b")', "writers", "index", True),
        ("CREATE INDEX CONCURRENTLY a ON memories_note (b)", "nobody", "index", False),
        (
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON public.memories_note USING hnsw (b)",
            "nobody", "vector index", False,
        ),
        ("ALTER TABLE memories_note ADD COLUMN a int NULL", BOTH, "moment", False),
        (
            "ALTER TABLE memories_note ADD COLUMN a int DEFAULT 0 NOT NULL",
            BOTH, "moment", False,
        ),
        ("ALTER TABLE memories_note ADD a int NOT NULL", BOTH, "scan", True),
        (
            "ALTER TABLE memories_note ADD COLUMN a int NOT NULL",
            BOTH, "moment", True,
        ),
        ('ALTER TABLE memories_note ALTER COLUMN "a" DROP DEFAULT', BOTH, "moment", True),
        (
            "ALTER TABLE memories_note ADD COLUMN a uuid DEFAULT gen_random_uuid()",
            BOTH, "rewrite", True,
        ),
        (
            "ALTER TABLE memories_note ADD COLUMN a int GENERATED ALWAYS AS (b) STORED",
            BOTH, "rewrite", True,
        ),
        ("ALTER TABLE memories_note ALTER COLUMN a TYPE bigint", BOTH, "rewrite", True),
        ("ALTER TABLE memories_note ALTER a SET NOT NULL", BOTH, "scan", True),
        (
            "ALTER TABLE memories_note ADD CONSTRAINT c CHECK (a > 0)",
            BOTH, "scan", True,
        ),
        (
            "ALTER TABLE memories_note ADD CONSTRAINT c CHECK (a > 0) NOT VALID",
            BOTH, "moment", False,
        ),
        ("ALTER TABLE memories_note VALIDATE CONSTRAINT c", "nobody", "scan", False),
        (
            "ALTER TABLE memories_note ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES b (id)",
            "writers", "scan", True,
        ),
        ("ALTER TABLE memories_note ADD CONSTRAINT c UNIQUE (a)", BOTH, "index", True),
        (
            "ALTER TABLE memories_note ADD CONSTRAINT c UNIQUE USING INDEX d",
            BOTH, "moment", False,
        ),
        ("ALTER TABLE memories_note DROP COLUMN a", BOTH, "moment", True),
        ("DROP TABLE memories_note", BOTH, "moment", True),
        ("CREATE POLICY p ON memories_note USING (true)", BOTH, "moment", False),
        (
            "CREATE TRIGGER t BEFORE INSERT ON memories_note EXECUTE FUNCTION f()",
            "writers", "moment", False,
        ),
        ("UPDATE memories_note SET a = 1", "nobody", "rows", False),
    ],
)  # fmt: skip
def test_each_statement(text: str, blocks: str, work: str, fault: bool) -> None:
    assert read(text) == [(NOTE, blocks, work, fault)]
    assert read(text, {NOTE}) == [], "a table of this upgrade has no rows yet"


def test_rows_of_memories_are_written_by_no_migration() -> None:
    assert read("UPDATE memories_memory SET a = 1") == [("memories_memory", "nobody", "rows", True)]


def test_parts_comments_and_bodies() -> None:
    text = """
        -- CREATE INDEX a ON memories_note (b);
        CREATE FUNCTION f() RETURNS int AS $f$ BEGIN DROP TABLE memories_note; END $f$;
        SELECT 'DROP TABLE memories_note; it''s';
        ALTER TABLE memories_note /* DROP COLUMN x, */ ADD COLUMN a numeric(5, 2), DROP COLUMN b;
    """
    assert [one.split()[0] for one in split_statements(text)] == ["create", "select", "alter"]
    assert [fault for *_, fault in read(text)] == [False, True]
    assert read("DO $$ BEGIN PERFORM 1; END $$") == [("", "nobody", "code", False)]


def test_a_long_text_is_read_in_linear_time() -> None:
    for text in ("$a" * 50_000, "'" * 100_001, "/*" * 50_000, "-" * 100_000, "(," * 50_000):
        assert len(list(split_statements(text))) <= 1
