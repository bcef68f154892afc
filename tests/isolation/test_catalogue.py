"""Every tenant table and definer function is as the design says (T01, T09)."""

import pytest

from tests.databases import rolled_back_connection
from tests.isolation.catalogue import (
    definer_faults,
    definer_functions,
    non_tenant_table_faults,
    table_faults,
    tenant_tables,
    unindexed_references,
)

CARELESS = """
CREATE TABLE careless (
    id bigserial PRIMARY KEY, organisation_id uuid NOT NULL, audience_id uuid, name text UNIQUE,
    memory_id uuid REFERENCES memories_memory (id)
)
"""


@pytest.mark.conformance("T01")
def test_every_tenant_table_is_protected(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        tables = tenant_tables(connection)
        assert table_faults(connection) == []
    assert {"memories_memory", "orgs_member", "robots_key", "orgs_organisation"} <= set(tables)
    assert len(tables) >= 18


@pytest.mark.conformance("T01")
def test_tables_without_an_organisation_are_few_and_closed_to_worker_and_support(
    committed: None,
) -> None:
    with rolled_back_connection("owner") as connection:
        assert non_tenant_table_faults(connection) == []
        connection.execute("CREATE TABLE loose (id uuid PRIMARY KEY)")
        connection.execute("GRANT SELECT ON mfa_authenticator TO commonmind_support")
        assert non_tenant_table_faults(connection) == [
            "loose: belongs to no organisation, and nobody says why",
            "mfa_authenticator: commonmind_support may SELECT",
        ]


@pytest.mark.conformance("T01")
def test_a_new_table_without_protection_is_reported(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        before = table_faults(connection)
        connection.execute(CARELESS)
        found = set(table_faults(connection)) - set(before)
    assert {
        "careless: row-level security is off",
        "careless: row-level security is not forced",
        "careless: the application has no policy for SELECT",
        "careless: the application has no policy for INSERT",
        "careless: commonmind_app may SELECT: granted True, policy False",
        "careless: unique index careless_name_key starts with name",
        "careless: foreign key careless_memory_id_fkey does not carry the organisation",
        "careless: audience_id has no foreign key",
        "careless: id counts rows of all tenants",
    } <= found
    assert all(fault.startswith("careless: ") for fault in found)


@pytest.mark.conformance("T01")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("ALTER TABLE memories_text NO FORCE ROW LEVEL SECURITY", "is not forced"),
        ("ALTER TABLE robots_key DISABLE ROW LEVEL SECURITY", "security is off"),
        ("DROP POLICY orgs_group_app_delete ON orgs_group", "may DELETE: granted True"),
        ("GRANT UPDATE ON orgs_auditentry TO commonmind_app", "may UPDATE: granted True"),
        ("GRANT SELECT ON memories_text TO commonmind_support", "may SELECT: granted True"),
        (
            "CREATE POLICY p ON orgs_group FOR SELECT TO commonmind_app USING (true)",
            "policy p: USING",
        ),
        (
            "ALTER POLICY memories_memory_app_update ON memories_memory WITH CHECK (true)",
            "WITH CHECK does not hold to the audiences",
        ),
        ("CREATE POLICY p ON orgs_group FOR ALL TO PUBLIC USING (false)", "policy p: is"),
        ("CREATE VIEW every AS SELECT * FROM memories_memory", "reads past"),
        ("CREATE MATERIALIZED VIEW every AS SELECT * FROM memories_memory", "reads past"),
        ("CREATE UNIQUE INDEX u ON orgs_member (id, name)", "unique index u starts with id"),
    ],
)
def test_each_loosened_rule_is_reported(committed: None, change: str, fault: str) -> None:
    with rolled_back_connection("owner") as connection:
        connection.execute(change)
        found = table_faults(connection)
    assert any(fault in line for line in found), found


def test_every_reference_is_followed_back_by_an_index(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        assert unindexed_references(connection) == []
        connection.execute("DROP INDEX memories_memory_author_id_back")
        assert len(unindexed_references(connection)) == 1


@pytest.mark.conformance("T09")
def test_every_definer_function_is_narrow(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        assert definer_functions(connection), "there is something to judge"
        assert definer_faults(connection) == []


@pytest.mark.conformance("T09")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            "GRANT EXECUTE ON FUNCTION search.support_account(text) TO commonmind_app",
            "search.support_account(text): others than support may execute it",
        ),
        (
            "GRANT EXECUTE ON FUNCTION search.deposited(bytea[], text[]) TO commonmind_support",
            "search.deposited(bytea[],text[]): support may execute it",
        ),
    ],
)
def test_support_has_its_own_function_and_no_other(
    committed: None, change: str, fault: str
) -> None:
    with rolled_back_connection("owner") as connection:
        connection.execute("SET LOCAL ROLE commonmind_searcher")
        connection.execute(change)
        connection.execute("RESET ROLE")
        assert definer_faults(connection) == [fault]


@pytest.mark.conformance("T09")
def test_a_careless_definer_function_is_reported(committed: None) -> None:
    with rolled_back_connection("owner") as connection:
        connection.execute(
            "CREATE FUNCTION search.careless(organisation uuid) RETURNS SETOF uuid LANGUAGE sql "
            "SECURITY DEFINER AS 'SELECT id FROM public.memories_memory'"
        )
        found = [f.partition(": ")[2] for f in definer_faults(connection)]
    assert set(found) == {
        "its search_path is not fixed",
        "PUBLIC may execute it",
        "it is owned by commonmind_owner",
        "it does not hold to the organisation",
        "it takes the tenant as an argument",
        "it may write",
        "it is written in sql",
    }
