"""Every column that can hold words has a rule, and the rule is carried out (T14)."""

import pytest
from psycopg import sql

from memories.privacy.erasure.column_rules import COLUMN_RULES, MaskingRule
from tests.databases import rolled_back_connection
from tests.isolation.catalogue import Connection, tenant_tables

# Ids, numbers, moments and yes or no hold no words.
WORDLESS = (
    "uuid", "integer", "bigint", "smallint", "boolean", "double precision", "real", "date",
    "timestamp with time zone",
)  # fmt: skip
_COLUMNS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relname = ANY (%s) AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0
AND NOT a.attisdropped AND NOT format_type(a.atttypid, -1) = ANY (%s)
"""


def without_rule(connection: Connection) -> list[str]:
    """Columns of tenant tables that nobody has thought of, and rules for what is not there."""
    tables = tenant_tables(connection)
    there = {
        (table, column)
        for table, column in connection.execute(_COLUMNS, [tables, list(WORDLESS)]).fetchall()
    }
    ruled = {(table, column) for table, columns in COLUMN_RULES.items() for column in columns}
    missing = [f"{table}.{column} has no erasure rule" for table, column in there - ruled]
    return sorted([*missing, *(f"{t}.{c} is not there" for t, c in ruled - there)])


@pytest.mark.conformance("T14")
def test_every_column_that_can_hold_words_has_an_erasure_rule(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        assert without_rule(connection) == []
        connection.execute("ALTER TABLE orgs_group ADD COLUMN motto text")
        connection.execute("CREATE TABLE diary (organisation_id uuid, page jsonb, face halfvec(3))")
        assert without_rule(connection) == [
            "diary.face has no erasure rule",
            "diary.page has no erasure rule",
            "orgs_group.motto has no erasure rule",
        ]


def test_the_worker_may_hide_names_where_a_rule_says_so(committed: None) -> None:
    hides = (MaskingRule.MASKED, MaskingRule.FOLDED, MaskingRule.KEY, MaskingRule.EMPTIED)
    with rolled_back_connection("owner") as connection:
        for table, columns in COLUMN_RULES.items():
            for column, rule in columns.items():
                if rule.rule in hides:
                    asked = ["commonmind_worker", table, column]
                    for right in ("SELECT", "UPDATE"):
                        row = connection.execute(
                            sql.SQL("SELECT has_column_privilege(%s, %s, %s, {})").format(
                                sql.Literal(right)
                            ),
                            asked,
                        ).fetchone()
                        assert row == (True,), (table, column, right)


def test_what_holds_no_words_says_what_it_holds() -> None:
    silent = [
        f"{table}.{column}"
        for table, columns in COLUMN_RULES.items()
        for column, rule in columns.items()
        if rule.rule == MaskingRule.NONE and not rule.why
    ]
    assert silent == []
