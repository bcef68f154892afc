"""The server whose connections this code uses: the home server, or another one by its name.

Django's aliases name a role (`default`, `worker`, `owner`); those of another server have its name
behind them (`default@north`). Code names the role alone, and the scope chooses the server, because
an organisation lies whole on one. Without `DATABASE_SERVERS` nothing here is switched on.

`orgs.placement` says where an organisation lies, and registers itself here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import UUID

import django.db
from django.conf import settings
from django.db import connections
from django.db.utils import ConnectionHandler

HOME = ""
SEPARATOR = "@"

_current: ContextVar[str] = ContextVar("database_server", default=HOME)
current_server = _current.get
_find_server: Callable[[UUID], str] | None = None


class WrongServerError(RuntimeError):
    """Code that would use a server on which the organisation does not lie, or two servers in one
    transaction: a fault of ours, refused before anything is sent."""


class _ServerConnections(ConnectionHandler):
    """Django's connections, by role: of the current server, unless the alias names one."""

    def __getitem__(self, alias: str) -> Any:
        server = _current.get()
        if server and SEPARATOR not in alias:
            alias = f"{alias}{SEPARATOR}{server}"
        return super().__getitem__(alias)


def list_servers() -> list[str]:
    """The names of all servers, the home server first."""
    named = (alias.partition(SEPARATOR) for alias in settings.DATABASES)
    return [HOME, *sorted({server for _, _, server in named if server})]


def has_role(role: str, server: str) -> bool:
    """Whether this process can reach a server in a role, which is an alias of the home server."""
    return (f"{role}{SEPARATOR}{server}" if server else role) in settings.DATABASES


def switch_on(find_server: Callable[[UUID], str]) -> None:
    """From now on the scope chooses the server. find_server: where an organisation lies; HOME for
    one that is nowhere, of which nothing is found there."""
    global _find_server  # noqa: PLW0603 - one for the process, set when it starts
    _find_server = find_server
    django.db.connections.__class__ = _ServerConnections


def switch_off() -> None:
    """As before `switch_on`; for tests."""
    global _find_server  # noqa: PLW0603
    _find_server = None
    django.db.connections.__class__ = ConnectionHandler


def require_server_of(organisation: UUID | None) -> None:
    """Raises WrongServerError unless the connections are those of the organisation's server."""
    if _find_server is None or organisation is None:
        return
    if _find_server(organisation) != _current.get():
        raise WrongServerError("The scope is of an organisation that lies on another server.")


@contextmanager
def server_of(organisation: UUID | None) -> Iterator[None]:
    """Use the connections of the server on which the organisation lies. None: of the current
    one."""
    if _find_server is None or organisation is None:
        yield
        return
    with on_server(_find_server(organisation)):
        yield


@contextmanager
def on_server(server: str) -> Iterator[None]:
    """Use the connections of this server. Raises WrongServerError inside a transaction on another
    one, which could not be undone together with what follows."""
    if server == _current.get():
        yield
        return
    _refuse_open_transaction()
    with _unchecked(server):
        yield


@contextmanager
def reading_on_server(server: str) -> Iterator[None]:
    """The same for one statement that only reads, whatever transactions are open."""
    with _unchecked(server):
        yield


@contextmanager
def _unchecked(server: str) -> Iterator[None]:
    token = _current.set(server)
    try:
        yield
    finally:
        _current.reset(token)


def _refuse_open_transaction() -> None:
    """What Django's own test cases open is none of ours."""
    for role in ("default", "worker"):
        if has_role(role, _current.get()) and any(
            not block._from_testcase  # type: ignore[attr-defined]
            for block in connections[role].atomic_blocks
        ):
            raise WrongServerError("A transaction is open on another server.")
