"""Roles, grants and extensions as the design wants them."""

from collections.abc import Iterator

import psycopg
import pytest

from config.embedded.errors import EmbeddedError
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import (
    APP,
    EXTENSIONS,
    LOGIN_ROLES,
    OWNER,
    SEARCHER,
    SUPPORT,
    WORKER,
    DatabaseUrls,
    provision,
    role_url,
)

PASSWORDS = {role: f"{role}-p@ss:word/é" for role in LOGIN_ROLES}


@pytest.fixture
def urls(postgres: Postgres) -> DatabaseUrls:
    """A provisioned database."""
    return provision(postgres.url, "shared memory", PASSWORDS)


@pytest.fixture
def admin(postgres: Postgres, urls: DatabaseUrls) -> Iterator[psycopg.Connection]:
    """The superuser inside the provisioned database."""
    url = role_url(postgres.url, database="shared memory")
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_roles_have_exactly_the_rights_of_the_design(admin: psycopg.Connection) -> None:
    rows = admin.execute(
        "SELECT rolname, rolcanlogin, rolbypassrls, rolsuper OR rolcreatedb OR rolcreaterole "
        "OR rolreplication, coalesce(rolconfig, '{}') FROM pg_roles WHERE rolname LIKE %s",
        ["commonmind_%"],
    ).fetchall()
    plan = ["plan_cache_mode=force_custom_plan"]
    assert sorted(rows) == [
        (APP, True, False, False, plan),
        (OWNER, True, False, False, []),
        (SEARCHER, False, True, False, []),
        (SUPPORT, True, False, False, plan),
        (WORKER, True, False, False, plan),
    ]
    members = admin.execute(
        "SELECT roleid::regrole::text, member::regrole::text, inherit_option, set_option, "
        "admin_option FROM pg_auth_members WHERE member::regrole::text LIKE 'commonmind_%'"
    ).fetchall()
    assert members == [(SEARCHER, OWNER, False, True, False)]


def test_only_the_application_gets_rights_on_new_tables(
    urls: DatabaseUrls, admin: psycopg.Connection
) -> None:
    with psycopg.connect(urls.owner) as owner:
        owner.execute("DROP TABLE IF EXISTS note")
        owner.execute("CREATE TABLE note (id int GENERATED ALWAYS AS IDENTITY, body text)")
    rows = admin.execute(
        "SELECT grantee, string_agg(privilege_type, ' ' ORDER BY privilege_type) "
        "FROM information_schema.role_table_grants WHERE table_name = 'note' "
        "AND grantee <> %s GROUP BY grantee",
        [OWNER],
    ).fetchall()
    assert rows == [(APP, "DELETE INSERT SELECT UPDATE")]
    for url in (urls.app, urls.worker, urls.support):
        with (
            psycopg.connect(url) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute("CREATE TABLE public.mine (id int)")


def test_nobody_else_may_connect(urls: DatabaseUrls, admin: psycopg.Connection) -> None:
    admin.execute("DROP ROLE IF EXISTS stranger")
    admin.execute("CREATE ROLE stranger LOGIN PASSWORD 'stranger'")
    rows = admin.execute(
        "SELECT rolname FROM pg_roles WHERE rolcanlogin AND NOT rolsuper "
        "AND has_database_privilege(rolname, current_database(), 'CONNECT')"
    ).fetchall()
    assert {name for (name,) in rows} == set(LOGIN_ROLES)


def test_owner_makes_functions_that_the_searcher_owns(urls: DatabaseUrls) -> None:
    with psycopg.connect(urls.owner) as owner:
        owner.execute("CREATE FUNCTION search.one() RETURNS int LANGUAGE sql RETURN 1")
        owner.execute(f"ALTER FUNCTION search.one() OWNER TO {SEARCHER}")
    with psycopg.connect(urls.app) as app:
        assert app.execute("SELECT search.one()").fetchone() == (1,)


def test_repeating_it_is_harmless_and_resets_passwords(
    postgres: Postgres, urls: DatabaseUrls, admin: psycopg.Connection
) -> None:
    renewed = provision(postgres.url, "shared memory", dict.fromkeys(LOGIN_ROLES, "renewed!"))
    psycopg.connect(renewed.worker).close()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(urls.worker)
    rows = admin.execute("SELECT extname FROM pg_extension").fetchall()
    assert {name for (name,) in rows} >= {*EXTENSIONS, "pg_stat_statements"}
    assert admin.execute(
        "SELECT datlocprovider, datlocale, datcollate, pg_get_userbyid(datdba) "
        "FROM pg_database WHERE datname = current_database()"
    ).fetchone() == ("b", "C.UTF-8", "C.UTF-8", OWNER)


def test_a_server_that_does_not_answer_is_one_line(postgres: Postgres) -> None:
    postgres.stop()
    with pytest.raises(EmbeddedError, match=r"^cannot provision the database: [^\n]+$"):
        provision(postgres.url, "any", PASSWORDS)


@pytest.mark.parametrize(
    ("admin_url", "expected"),
    [
        (
            "postgresql://u:p@db:5/postgres?sslmode=require",
            "postgresql://r:a%40b@db:5/d?sslmode=require",
        ),
        ("postgres://u@a:1,b:2/x", "postgres://r:a%40b@a:1,b:2/d"),
        ("postgresql:///x?host=/run/pg&user=u", "postgresql://r:a%40b@/d?host=/run/pg"),
    ],
)
def test_role_url_keeps_hosts_and_options(admin_url: str, expected: str) -> None:
    assert role_url(admin_url, "r", "a@b", "d") == expected


def test_what_a_role_gave_itself_and_everybody_has_is_taken_back_at_the_next_start(
    postgres: Postgres, urls: DatabaseUrls, admin: psycopg.Connection
) -> None:
    everybody = [
        "GRANT EXECUTE ON FUNCTION lo_create(oid) TO PUBLIC",
        "GRANT SELECT ON pg_stat_statements TO PUBLIC",
        "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC",
    ]
    for statement in everybody:
        admin.execute(statement)
    for url, role in ((urls.app, APP), (urls.worker, WORKER), (urls.support, SUPPORT)):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {role} SET row_security = off")
            connection.execute(f'ALTER ROLE {role} IN DATABASE "shared memory" SET search_path = x')
            connection.execute(f"ALTER ROLE {role} SET statement_timeout = '1h'")
    renewed = provision(postgres.url, "shared memory", PASSWORDS)
    rows = admin.execute(
        "SELECT setrole::regrole::text, setdatabase, setconfig FROM pg_db_role_setting ORDER BY 1"
    ).fetchall()
    plan = ["plan_cache_mode=force_custom_plan", "statement_timeout=1h"]
    assert [(role, base, sorted(config)) for role, base, config in rows] == [
        (role, 0, plan) for role in sorted((APP, SUPPORT, WORKER))
    ]
    for role in (APP, WORKER, SUPPORT):  # the server is shared with other tests
        admin.execute(f"ALTER ROLE {role} RESET statement_timeout")
    for statement in ("SELECT lo_create(0)", "SELECT 1 FROM pg_stat_statements", "DO 'BEGIN END'"):
        with (
            psycopg.connect(renewed.app) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(statement)


def test_data_of_before_the_first_release_is_refused_in_one_sentence(
    postgres: Postgres, urls: DatabaseUrls, admin: psycopg.Connection
) -> None:
    """A later start finds it as it was, and one with the tables of today goes on."""
    admin.execute("CREATE TABLE django_migrations (app text, name text)")
    provision(postgres.url, "shared memory", PASSWORDS)
    admin.execute("INSERT INTO django_migrations VALUES ('orgs', '0001_initial'), ('auth', 'x')")
    admin.execute("DROP SCHEMA search CASCADE")
    with pytest.raises(EmbeddedError, match=r"before 0\.1\.0 .*DATA_DIR.*nothing was changed$"):
        provision(postgres.url, "shared memory", PASSWORDS)
    assert admin.execute("SELECT to_regnamespace('search')").fetchone() == (None,)
    admin.execute("INSERT INTO django_migrations VALUES ('orgs', '0001_tables')")
    provision(postgres.url, "shared memory", PASSWORDS)
    assert admin.execute("SELECT to_regnamespace('search')::text").fetchone() == ("search",)
    admin.execute("DROP TABLE django_migrations")
