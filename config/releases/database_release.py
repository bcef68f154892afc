"""Whether the database was migrated by a release that is newer than this one.

An older release does not know what a newer one stores: it would erase, export and protect less.
"""

import pkgutil
from importlib import import_module

import psycopg
from django.apps import apps
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.version import VERSION
from orgs.database.role_checks import abort_start

_DONE_SQL = "SELECT app, name FROM django_migrations WHERE app = ANY (%s) ORDER BY app, name"
_EXISTS_SQL = "SELECT to_regclass('public.django_migrations') IS NOT NULL"


def find_newer_migration(connection: BaseDatabaseWrapper | None = None) -> str | None:
    """The last migration, such as `memories 0060_dropped_work`, that this release does not have.

    None if it has all of them, or nothing was migrated yet. Raises psycopg.OperationalError if the
    database does not answer. connection: by default that of the application.
    """
    parameters = (connection or connections["default"]).get_connection_params()
    with psycopg.connect(**{"connect_timeout": 5} | parameters) as database:
        if database.execute(_EXISTS_SQL).fetchone() != (True,):
            return None
        ours = {config.label: config for config in apps.get_app_configs()}
        done = database.execute(_DONE_SQL, [list(ours)]).fetchall()
    known = {label: _names_on_disk(config.name, label) for label, config in ours.items()}
    unknown = [(app, name) for app, name in done if name not in known[app]]
    if unknown:
        unknown = _not_replaced(unknown)
    return " ".join(unknown[-1]) if unknown else None


def _names_on_disk(package: str, label: str) -> set[str]:
    """The names of an app's migrations, none of which is loaded."""
    place = settings.MIGRATION_MODULES.get(label, f"{package}.migrations")
    try:
        folder = import_module(place).__path__ if place else []
    except ModuleNotFoundError:
        return set()
    return {module.name for module in pkgutil.iter_modules(folder)}


def _not_replaced(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those that no migration of this release stands for."""
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(None)
    replaced = {one for migration in loader.disk_migrations.values() for one in migration.replaces}
    return [name for name in names if name not in replaced]


def refuse_newer_database(connection: BaseDatabaseWrapper | None = None) -> str:
    """Why this release may not work with the database, as a sentence; empty if it may."""
    if newer := find_newer_migration(connection):
        return (
            f"the database is of a newer release (it has {newer}) than this one, {VERSION}: "
            "run that release, or restore a backup of before the upgrade."
        )
    return ""


def abort_if_database_newer() -> None:
    """End the process with one sentence if the database is of a newer release."""
    try:
        reason = refuse_newer_database()
    except psycopg.OperationalError as error:
        reason = f"the database does not answer ({' '.join(str(error).split())})."
    if reason:
        abort_start(reason)
