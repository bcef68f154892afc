"""What the roles of the application, the worker and support cannot do to the database (T02)."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connections
from psycopg import sql

from config.embedded.servers import provisioning
from orgs.database import role_checks
from tests.databases import autocommit_connection, rolled_back_connection

pytestmark = pytest.mark.conformance("T02")
ALIASES = ("default", "worker", "support")
ROLES = {
    "default": "commonmind_app",
    "worker": "commonmind_worker",
    "support": "commonmind_support",
}
REFUSED = [
    # Large objects lie outside every policy.
    "SELECT lo_create(0)",
    "SELECT lo_creat(-1)",
    "SELECT lo_from_bytea(0, 'text')",
    "SELECT lo_open(1, 131072)",
    "SELECT lo_get(1)",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'y', now())",
    "DELETE FROM django_migrations",
    "SELECT nextval('django_migrations_id_seq')",
    "UPDATE auth_permission SET codename = codename",
    "DELETE FROM django_content_type",
    "SELECT query FROM pg_stat_statements",
    "SELECT * FROM pg_stat_statements_info",
    "SELECT pg_stat_statements_reset()",
    "SELECT * FROM pg_stat_statements(true)",
    "ALTER ROLE {role} BYPASSRLS",
    "ALTER ROLE {role} CONNECTION LIMIT 1",
    "ALTER ROLE {role} SET app.organisation = 'x'",
    "ALTER ROLE {role} SET session_preload_libraries = 'x'",
    "ALTER DATABASE {database} SET row_security = off",
    "CREATE TEMP TABLE t ()",
    "CREATE TABLE public.t ()",
    "CREATE SCHEMA s",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql RETURN 1",
    "CREATE FUNCTION search.f() RETURNS int LANGUAGE sql RETURN 1",
    "CREATE EXTENSION dblink",
    "CREATE PUBLICATION p",
    "DO $$ BEGIN END $$",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_cancel_backend(1)",
    "SELECT pg_export_snapshot()",
    "SELECT pg_logical_emit_message(false, 'a', 'b')",
    "SELECT pg_reload_conf()",
    "SELECT rolpassword FROM pg_authid",
    "SET ROLE commonmind_owner",
    "SET ROLE commonmind_searcher",
    "SET session_replication_role = replica",
    "TRUNCATE memories_memory",
    "ALTER TABLE memories_memory DISABLE ROW LEVEL SECURITY",
    # It makes queries fail where policies would have hidden rows.
    "SET row_security = off; SELECT count(*) FROM orgs_member",
]


@pytest.mark.parametrize("statement", REFUSED)
@pytest.mark.parametrize("alias", ALIASES)
def test_a_role_cannot(committed: None, alias: str, statement: str) -> None:
    with rolled_back_connection(alias) as connection:
        database = connection.info.dbname
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.format(role=ROLES[alias], database=database))


def test_what_the_definers_need_still_works(committed: None) -> None:
    with rolled_back_connection("default") as connection:
        rows = connection.execute(
            "SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
            "WHERE n.nspname = 'search' AND has_function_privilege(p.oid, 'EXECUTE')"
        ).fetchall()
    assert rows


def test_the_server_brings_nothing_else_along(committed: None) -> None:
    with rolled_back_connection("admin") as connection:
        found = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
        wanted = {*provisioning.EXTENSIONS, *provisioning.OPTIONAL_EXTENSIONS, "plpgsql"}
        assert found <= wanted
        for relation in ("pg_foreign_server", "pg_foreign_data_wrapper", "pg_largeobject_metadata"):
            query = sql.SQL("SELECT 1 FROM {}").format(sql.Identifier(relation))
            assert connection.execute(query).fetchall() == [], relation
        assert connection.execute("SELECT parname FROM pg_parameter_acl").fetchall() == []
        members = connection.execute(
            "SELECT member::regrole::text, roleid::regrole::text FROM pg_auth_members "
            "WHERE member::regrole::text = ANY (%s)",
            [list(ROLES.values())],
        )
        assert members.fetchall() == []


@pytest.fixture
def plain(committed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A log-in role of the test's own on the connection of the application: its name."""
    name, password = f"commonmind_plain_{secrets.token_hex(4)}", secrets.token_hex(16)
    used = connections["default"].settings_dict
    monkeypatch.setitem(used, "USER", name)
    monkeypatch.setitem(used, "PASSWORD", password)
    role, database = sql.Identifier(name), sql.Identifier(used["NAME"])
    with autocommit_connection("admin") as admin:
        admin.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(password))
        )
        admin.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, role))
        yield name
        admin.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(role))
        admin.execute(sql.SQL("DROP ROLE {}").format(role))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ALTER ROLE {role} SET row_security = off", "the role brings a default for row_security"),
        ("ALTER ROLE {role} IN DATABASE {database} SET row_security = off", "row_security"),
        ("ALTER ROLE {role} SET search_path = 'x'", "a default for search_path"),
        ("ALTER ROLE {role} SET default_transaction_read_only = on", "read_only"),
        ("ALTER ROLE {role} SET app.organisation = 'x'", "a default for app.organisation"),
        ("GRANT pg_read_all_data TO {role}", "may become pg_read_all_data"),
        ("GRANT pg_monitor TO {role} WITH INHERIT FALSE", "may become pg_monitor"),
        ("GRANT TEMP ON DATABASE {database} TO {role}", "may make temporary tables"),
        ("GRANT CREATE ON DATABASE {database} TO {role}", "may make schemas"),
        ("GRANT CREATE ON SCHEMA public TO {role}", "may make tables"),
        ("GRANT UPDATE ON django_migrations TO {role}", "may write django_migrations"),
    ],
)
def test_a_process_refuses_what_cannot_be_forbidden(plain: str, change: str, words: str) -> None:
    assert role_checks.list_unsafe_connections() == []
    with autocommit_connection("admin") as admin:
        admin.execute(change.format(role=plain, database=admin.info.dbname))
        (error,) = role_checks.list_unsafe_connections()
        assert words in error.msg
        with pytest.raises(SystemCheckError, match=r"orgs\.E001"):
            call_command("check")


def test_the_whole_database_brings_no_such_default(plain: str) -> None:
    with autocommit_connection("admin") as admin:
        name = sql.Identifier(admin.info.dbname)
        admin.execute(sql.SQL("ALTER DATABASE {} SET search_path = 'x'").format(name))
        try:
            errors = role_checks.list_unsafe_connections()
        finally:
            admin.execute(sql.SQL("ALTER DATABASE {} RESET search_path").format(name))
    assert [e.msg.partition(" is not safe: ")[2] for e in errors] == [
        "the database brings a default for search_path."
    ] * 3


@pytest.mark.parametrize("name", ["statement_timeout", "work_mem", "application_name"])
def test_an_operator_may_set_what_harms_nobody(plain: str, name: str) -> None:
    with autocommit_connection("admin") as admin:
        admin.execute(f"ALTER ROLE {plain} SET {name} = '1000'")
    assert role_checks.list_unsafe_connections() == []
    assert provisioning.ALLOWED_DEFAULTS == role_checks.ALLOWED_DEFAULTS


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("GRANT EXECUTE ON FUNCTION lo_create(oid) TO {role}", "make large objects"),
        ("GRANT SELECT ON pg_stat_statements TO {role}", "read pg_stat_statements"),
        (
            "GRANT EXECUTE ON FUNCTION pg_terminate_backend(int, bigint) TO {role}",
            "end sessions of its own role",
        ),
        ("GRANT USAGE ON LANGUAGE plpgsql TO {role}", "run blocks of plpgsql"),
    ],
)
def test_rights_that_some_servers_cannot_take_are_warned_of(
    plain: str, change: str, words: str
) -> None:
    assert role_checks.list_excess_rights() == []
    with autocommit_connection("admin") as admin:
        admin.execute(change.format(role=plain))
    (warning,) = role_checks.list_excess_rights()
    assert (warning.id, words in warning.msg) == ("orgs.W001", True)
