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
from django.db import OperationalError, connections
from django.db.utils import ConnectionHandler

HOME = ""
SEPARATOR = "@"

_current: ContextVar[str] = ContextVar("database_server", default=HOME)
current_server = _current.get
# The organisation whose server was chosen.
_chosen: ContextVar[UUID | None] = ContextVar("database_server_of", default=None)
_find_server: Callable[[UUID], str] | None = None
_forget_server: Callable[[UUID], None] | None = None


class WrongServerError(RuntimeError):
    """Code that would use a server on which the organisation does not lie, or two servers in one
    transaction: a fault of ours, refused before anything is sent."""


class OrganisationMovingError(OperationalError):
    """The organisation is sealed for the last seconds of a move: it is read, and nothing is
    written. The transaction is undone."""

    def __init__(self) -> None:
        super().__init__(
            "This organisation moves to another server and takes no changes for some seconds. "
            "Nothing was changed. Try again."
        )


class OrganisationMovedError(OperationalError):
    """The organisation lies on another server than the one that was asked; nothing was done
    there."""

    def __init__(self) -> None:
        super().__init__(
            "This organisation has just moved to another server. Nothing was changed. Try again."
        )


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


def switch_on(find_server: Callable[[UUID], str], forget_server: Callable[[UUID], None]) -> None:
    """From now on the scope chooses the server. find_server: where an organisation lies; HOME for
    one that is nowhere, of which nothing is found there. forget_server: look it up anew the next
    time."""
    global _find_server, _forget_server
    _find_server, _forget_server = find_server, forget_server
    django.db.connections.__class__ = _ServerConnections


def switch_off() -> None:
    """As before `switch_on`; for tests."""
    global _find_server, _forget_server  # noqa: PLW0603
    _find_server = _forget_server = None
    django.db.connections.__class__ = ConnectionHandler


def is_switched_on() -> bool:
    """Whether there are several servers."""
    return _find_server is not None


def require_server_of(organisation: UUID | None) -> None:
    """Raises WrongServerError unless the connections are those of the organisation's server. One
    that was chosen for it counts: if it has moved since, that server says so itself."""
    if _find_server is None or organisation is None or _chosen.get() == organisation:
        return
    if _find_server(organisation) != _current.get():
        raise WrongServerError("The scope is of an organisation that lies on another server.")


@contextmanager
def server_of(organisation: UUID | None) -> Iterator[None]:
    """Use the connections of the server on which the organisation lies. None: of the current one.

    Inside a transaction for the same organisation that is the server on which it was begun.
    """
    if _find_server is None or organisation is None:
        yield
        return
    server = _find_server(organisation)
    if server != _current.get() and _chosen.get() == organisation and _has_open_transaction():
        server = _current.get()
    with on_server(server):
        token = _chosen.set(organisation)
        try:
            yield
        except (OrganisationMovedError, OrganisationMovingError):
            _forget_server_of(organisation)
            raise
        finally:
            _chosen.reset(token)


def _forget_server_of(organisation: UUID) -> None:
    """Its server has told that it moves or moved: it is looked up anew the next time."""
    if _forget_server is not None:
        _forget_server(organisation)


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
def switched_to_server(server: str) -> Iterator[None]:
    """Use the connections of this server, whatever is open on another one: what is done here is
    committed for itself, and has to be sound also if the other transaction is undone. On the
    current server it is part of what is open there."""
    with _unchecked(server):
        yield


@contextmanager
def _unchecked(server: str) -> Iterator[None]:
    token, chosen = _current.set(server), _chosen.set(None)
    try:
        yield
    finally:
        _current.reset(token)
        _chosen.reset(chosen)


def _refuse_open_transaction() -> None:
    if _has_open_transaction():
        raise WrongServerError("A transaction is open on another server.")


def _has_open_transaction() -> bool:
    """On the current server. What Django's own test cases open is none of ours."""
    return any(
        not block._from_testcase  # type: ignore[attr-defined]
        for role in ("default", "worker")
        if has_role(role, _current.get())
        for block in connections[role].atomic_blocks
    )
