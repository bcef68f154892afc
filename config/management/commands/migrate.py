"""Django's `migrate`, which waits only a moment for a lock, and refuses a newer database."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from config.releases.database_release import refuse_newer_database
from config.releases.lock_limits import limited_lock_waits, retry_when_locked
from orgs.database.driver.servers import list_servers, on_server


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """The owner's database is that of each server, the home server first. Raises CommandError
        if one is of a newer release."""
        self._migrate(*args, **options)
        for server in list_servers()[1:] if options["database"] == "owner" else ():
            self.stdout.write(f"The server {server}:")
            with on_server(server):
                self._migrate(*args, **options)

    def _migrate(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if reason := refuse_newer_database(connection):
            raise CommandError(f"Nothing was done: {reason}")

        def work() -> None:
            with limited_lock_waits(connection), _no_collector():
                super(Command, self).handle(*args, **options)

        retry_when_locked(work, self.stdout.write)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Django draws every model anew between two statements, while a table may be locked: the
    collector would walk over them for a third of that time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
