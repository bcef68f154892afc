"""What pg_catalog says about tenant tables and definer functions, as a list of faults.

Nothing here names a table of the product but for the exceptions, each with its reason: a table
that is added later is judged by itself.
"""

from typing import Any

import psycopg

Rows = list[tuple[Any, ...]]
Connection = psycopg.Connection[tuple[Any, ...]]

# The tenant itself: it has no organisation_id, and its slug is unique among tenants.
TENANT = "orgs_organisation"
# Policies that let a role see every tenant: ids for the sweeper, names for the machine's owner
# and for support staff, who choose one.
TENANT_LIST_POLICIES = {
    "orgs_organisation_owner_select",
    "orgs_organisation_worker_select",
    "orgs_organisation_support_choose",
}
# It names an audience without being content that the audience reads.
AUDIENCE_REGISTRY_TABLES = {"orgs_audienceentry"}
# Tables that belong to no organisation, each with its reason. An account may be a member of
# several organisations and is looked up before one is known; its rows hold how a person proves
# who they are, never what anybody remembers, and the application's role alone may read them.
TABLES_WITHOUT_TENANT = {
    "orgs_user": "the account",
    "orgs_user_groups": "permissions of support accounts; unused",
    "orgs_user_user_permissions": "permissions of support accounts; unused",
    "orgs_signin": "in which browsers a person is signed in",
    "orgs_accountcopy": "which other servers have a copy of an account; on the home server",
    "orgs_placement": "on which server an organisation lies; shown by its id alone",
    "orgs_organisationfence": "whether an organisation moves; shown in its own scope alone",
    "orgs_organisationmove": "moves between servers; no role of the service reads it",
    "orgs_superuserkey": "digests of keys by which superusers make and remove organisations",
    "orgs_supportact": "what support did with an account, read under the account's own scope",
    "account_emailaddress": "whether the address of an account is proven",
    "account_emailconfirmation": "of allauth; unused, no mail is sent",
    "allauth_idp_oidc_client": "programs that registered themselves; nothing of who uses them",
    "allauth_idp_oidc_token": "of allauth; unused, tokens belong to an organisation",
    "mfa_authenticator": "second factors and passkeys, their secrets encrypted",
    "socialaccount_socialaccount": "which single sign-on opens an account",
    "socialaccount_socialapp": "of allauth; unused, the environment names the provider",
    "socialaccount_socialtoken": "of allauth; unused, tokens are not kept",
    "django_session": "sessions, by a random key",
    "auth_group": "of Django; unused",
    "auth_group_permissions": "of Django; unused",
    "auth_permission": "of Django; unused",
    "django_admin_log": "of Django's admin: changes of accounts by superusers",
    "django_content_type": "of Django: names of models",
    "django_migrations": "of Django",
}
# What every role is told when it opens a scope, of the organisation of that scope.
READ_BY_EACH_ROLE = {"orgs_organisationfence"}
ROLES = ("commonmind_app", "commonmind_worker", "commonmind_support")
CHECKED = ("INSERT", "UPDATE")

_TABLES = """
SELECT c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, r.rolname
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public' AND (c.relname = %s OR EXISTS (
    SELECT 1 FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = 'organisation_id' AND NOT a.attisdropped))
ORDER BY 2
"""
_POLICIES = """
SELECT policyname, permissive, roles::text[], cmd, qual, with_check FROM pg_policies
WHERE schemaname = 'public' AND tablename = %s
"""
_UNIQUE = """
SELECT i.indexrelid::regclass::text, i.indisprimary, a.attname
FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
WHERE i.indrelid = %s AND i.indisunique
"""
_REFERENCES = """
SELECT c.conname, c.confrelid::regclass::text,
    ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k (n, i)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY k.i),
    ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY AS k (n, i)
          JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.n ORDER BY k.i)
FROM pg_constraint c WHERE c.conrelid = %s AND c.contype = 'f'
"""
_COLUMNS = """
SELECT attname, atttypid::regtype::text, attidentity, pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped
"""


def tenant_tables(connection: Connection) -> list[str]:
    """Every table that belongs to organisations, and their own."""
    return [row[1] for row in connection.execute(_TABLES, [TENANT])]


def non_tenant_table_faults(connection: Connection) -> list[str]:
    """Tables that are neither an organisation's nor named above, and who may read those."""
    tenants = set(tenant_tables(connection))
    rows = connection.execute(
        "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public'"
    )
    others = {name for (name,) in rows} - tenants
    found = [f"{name}: belongs to no organisation, and nobody says why" for name in others]
    found = [f for f in found if f.partition(":")[0] not in TABLES_WITHOUT_TENANT]
    found += [
        f"{name}: {role} may {command}"
        for name in others
        for role in ROLES[1:]
        for command in ("SELECT", "INSERT", "UPDATE", "DELETE")
        if not (command == "SELECT" and name in READ_BY_EACH_ROLE)
        and _has_grant(connection, role, name, command)
    ]
    return sorted(found)


def table_faults(connection: Connection) -> list[str]:
    """What is wrong with any tenant table; empty when all is well."""
    tables: Rows = connection.execute(_TABLES, [TENANT]).fetchall()
    names = {name for _, name, *_ in tables}
    found = []
    for oid, name, enabled, forced, owner in tables:
        columns: Rows = connection.execute(_COLUMNS, [oid]).fetchall()
        wrong = [
            *([] if enabled else ["row-level security is off"]),
            *([] if forced else ["row-level security is not forced"]),
            *([] if owner == "commonmind_owner" else [f"is owned by {owner}"]),
            *_policy_faults(connection, name, {c[0] for c in columns}),
            *_unique_faults(connection, oid, name),
            *_reference_faults(connection, oid, names, columns),
        ]
        found += [f"{name}: {fault}" for fault in wrong]
    return found + _view_faults(connection)


def _has_grant(connection: Connection, role: str, table: str, command: str) -> bool:
    function = "has_table_privilege" if command == "DELETE" else "has_any_column_privilege"
    row = connection.execute(f"SELECT {function}(%s, %s, %s)", [role, table, command]).fetchone()
    return bool(row and row[0])


def _policy_faults(connection: Connection, table: str, columns: set[str]) -> list[str]:
    """Grants and policies say the same, and each policy holds to the settings of the scope."""
    policies: Rows = connection.execute(_POLICIES, [table]).fetchall()
    found = []
    for role in ROLES:
        for command in ("SELECT", "INSERT", "UPDATE", "DELETE"):
            has = any(role in p[2] and p[3] == command for p in policies)
            granted = _has_grant(connection, role, table, command)
            if has != granted:
                found.append(f"{role} may {command}: granted {granted}, policy {has}")
            if role == ROLES[0] and command in ("SELECT", "INSERT") and not has:
                found.append(f"the application has no policy for {command}")
    for name, permissive, roles, command, using, check in policies:
        if name in TENANT_LIST_POLICIES:
            continue
        parts = {"USING": using if command != "INSERT" else None}
        if command in CHECKED:
            parts["WITH CHECK"] = check or "nothing"
        for part, expression in parts.items():
            if expression is not None and "app.organisation" not in expression:
                found.append(f"policy {name}: {part} does not hold to the organisation")
            by_audience = "audience_id" in columns and table not in AUDIENCE_REGISTRY_TABLES
            needs = by_audience and "commonmind_app" in roles and expression is not None
            if needs and "app.audiences" not in expression:
                found.append(f"policy {name}: {part} does not hold to the audiences")
        if permissive != "PERMISSIVE" or not set(roles) <= set(ROLES) or command == "ALL":
            found.append(f"policy {name}: is {permissive} for {roles} on {command}")
    return found


def _unique_faults(connection: Connection, oid: int, table: str) -> list[str]:
    """A unique index of the database tells across tenants what exists."""
    rows: Rows = connection.execute(_UNIQUE, [oid]).fetchall()
    return [
        f"unique index {index} starts with {first}"
        for index, primary, first in rows
        if not primary and first != "organisation_id" and table != TENANT
    ]


def _reference_faults(
    connection: Connection, oid: int, tenants: set[str], columns: Rows
) -> list[str]:
    """References between tenant tables carry the organisation; every id is a reference."""
    found, held = [], set()
    references: Rows = connection.execute(_REFERENCES, [oid]).fetchall()
    for name, target, own, theirs in references:
        held |= set(own)
        pairs = dict(zip(own, theirs, strict=True))
        if target == TENANT:
            composite = pairs == {"organisation_id": "id"}
        else:
            composite = pairs.get("organisation_id") == "organisation_id"
        if target in tenants and not composite:
            found.append(f"foreign key {name} does not carry the organisation")
    for name, kind, identity, default in columns:
        if name.endswith("_id") and kind == "uuid" and name not in held:
            found.append(f"{name} has no foreign key")
        if identity or "nextval" in (default or ""):
            found.append(f"{name} counts rows of all tenants")
    return found


# Deleting one of an organisation's few robots may look longer.
SMALL_TABLES = {TENANT, "robots_robot"}
_BACKWARDS = """
SELECT c.conrelid::regclass::text, c.conname FROM pg_constraint c
WHERE c.contype = 'f' AND c.conrelid::regclass::text = ANY (%(tenants)s)
AND NOT c.confrelid::regclass::text = ANY (%(few)s) AND NOT EXISTS (
    SELECT 1 FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    JOIN pg_attribute b ON b.attrelid = i.indrelid AND b.attnum = i.indkey[1]
    WHERE i.indrelid = c.conrelid AND i.indisvalid AND a.attname = 'organisation_id'
    AND b.attnum = ANY (c.conkey)
    -- Many memories share an audience: it does not find one of them.
    AND (cardinality(c.conkey) = 2 OR b.attname <> 'audience_id')
    AND (i.indpred IS NULL
        OR pg_get_expr(i.indpred, i.indrelid) = format('(%%I IS NOT NULL)', b.attname)))
ORDER BY 1, 2
"""


def unindexed_references(connection: Connection) -> list[str]:
    """References between tenant tables that a deletion could follow back only by reading all."""
    values = {"tenants": tenant_tables(connection), "few": list(SMALL_TABLES)}
    rows = connection.execute(_BACKWARDS, values)
    return [f"{table}: {name} has no index to find who names a row" for table, name in rows]


def _view_faults(connection: Connection) -> list[str]:
    """A view reads as its owner unless told otherwise; a materialised one always."""
    rows: Rows = connection.execute(
        "SELECT c.relname, c.relkind, "
        "coalesce('security_invoker=true' = ANY (c.reloptions), false) "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname IN ('public', 'search') AND c.relkind IN ('v', 'm') AND NOT EXISTS ("
        "SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
    ).fetchall()
    return [
        f"{name}: the view reads past row-level security"
        for name, kind, invoker in rows
        if kind == "m" or not invoker
    ]


_DEFINERS = """
SELECT p.oid::regprocedure::text, p.proconfig, r.rolname, pg_get_functiondef(p.oid), p.proargnames,
    coalesce(array_to_string(p.proacl, ','), 'PUBLIC by default'), p.provolatile, l.lanname
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles r ON r.oid = p.proowner
JOIN pg_language l ON l.oid = p.prolang
WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
"""
# What support, and who runs the server, ask before an organisation is known: it holds to who asks.
ACCOUNT_FUNCTIONS = {
    "search.support_account(text)",
    "search.server_organisations(text,integer,integer)",
    "search.server_totals()",
}
SUPPORT_ALONE = "commonmind_searcher=X/commonmind_searcher,commonmind_support=X/commonmind_searcher"
FIXED_PATH = "search_path=pg_catalog, pg_temp"


def definer_functions(connection: Connection) -> list[str]:
    """The signature of every SECURITY DEFINER function."""
    return [row[0] for row in connection.execute(_DEFINERS)]


def organisation_functions(connection: Connection) -> list[str]:
    """The names, with their schema, of those that read rows of the organisation of the scope."""
    signatures = set(definer_functions(connection)) - ACCOUNT_FUNCTIONS
    return sorted({signature.partition("(")[0] for signature in signatures})


def definer_faults(connection: Connection) -> list[str]:
    """What is wrong with any SECURITY DEFINER function."""
    found = []
    for name, config, owner, body, arguments, grants, volatile, language in connection.execute(
        _DEFINERS
    ):
        wrong = {
            "its search_path is not fixed": FIXED_PATH not in (config or []),
            "PUBLIC may execute it": "PUBLIC" in grants or grants.startswith("=") or ",=" in grants,
            f"it is owned by {owner}": owner != "commonmind_searcher",
            "it does not hold to the organisation": name not in ACCOUNT_FUNCTIONS
            and (
                "organisation_id = " not in body or "current_setting('app.organisation'" not in body
            ),
            "it does not hold to who asks": name in ACCOUNT_FUNCTIONS
            and ("u.id = asker" not in body or "current_setting('app.user'" not in body),
            "others than support may execute it": name in ACCOUNT_FUNCTIONS
            and grants != SUPPORT_ALONE,
            "support may execute it": name not in ACCOUNT_FUNCTIONS
            and "commonmind_support" in grants,
            "it takes the tenant as an argument": any(
                word in argument
                for argument in arguments or []
                for word in ("organisation", "tenant", "audiences")
            ),
            "it may write": volatile == "v",
            f"it is written in {language}": language != "plpgsql",
        }
        found += [f"{name}: {fault}" for fault, true in wrong.items() if true]
    return found
