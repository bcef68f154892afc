"""On which server an organisation lies: looked up, reserved when it is made, released when it ends.

The table lies on the home server. A placement is remembered for the life of the process: an
organisation that has moved is refused by the server where it lay (`orgs_organisationfence`), and
then the process looks it up anew.
"""

import time
from uuid import UUID

from django.db import IntegrityError, transaction

from orgs.database.driver.servers import HOME, list_servers, reading_on_server
from orgs.database.driver.standby_reads import reading_from_primary
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.errors import AlreadyExistsError, PlacementPendingError, UnknownServerError
from orgs.models.placements import PlacementState

# One that was not found lies on the home server, for so many seconds without asking again.
HOME_SECONDS = 60.0
# Placements that this process remembers; then it begins anew.
MAX_KNOWN = 100_000
_NAME = "SELECT set_config('app.placement', %(id)s, true)"
_FIND = "SELECT server, state FROM orgs_placement WHERE id = %(id)s::text::uuid"
_RESERVE = """INSERT INTO orgs_placement (id, server, slug, state)
VALUES (%(id)s::text::uuid, %(server)s, %(slug)s, %(state)s)"""
_CONFIRM = "UPDATE orgs_placement SET state = %(state)s WHERE id = %(id)s::text::uuid"
_RELEASE = "DELETE FROM orgs_placement WHERE id = %(id)s::text::uuid"

# (server, until when by the monotonic clock), by organisation.
_known: dict[UUID, tuple[str, float]] = {}


def find_server(organisation_id: UUID) -> str:
    """The server on which an organisation lies; the home server for one that is not placed, and for
    one that does not exist, of which nothing is found there.

    Raises PlacementPendingError for one that is being made.
    """
    known = _known.get(organisation_id)
    if known is not None and time.monotonic() < known[1]:
        return known[0]
    values = {"id": str(organisation_id)}
    with reading_on_server(HOME), reading_from_primary():
        rows = fetch_last([(_NAME, values), (_FIND, values)])
    server, state = rows[0] if rows else (HOME, PlacementState.READY)
    if state != PlacementState.READY:
        raise PlacementPendingError
    _remember(organisation_id, server)
    return str(server)


def reserve_placement(organisation_id: UUID, slug: str, server: str) -> None:
    """Name the server of an organisation that is about to be made; this process may use it at once,
    others when it is confirmed. On the home server that is at once too: it is part of the
    transaction in which the organisation is made.

    Raises UnknownServerError, and AlreadyExistsError for a slug that another server has.
    """
    if server not in list_servers():
        raise UnknownServerError(server)
    state = PlacementState.MAKING if server else PlacementState.READY
    values = {"id": str(organisation_id), "server": server, "slug": slug, "state": str(state)}
    try:
        with transaction.atomic():
            fetch_all(_NAME, values)
            fetch_all(_RESERVE, values)
    except IntegrityError as error:
        raise AlreadyExistsError(f"an organisation with the slug {slug}") from error
    if server:
        _remember(organisation_id, server)


def confirm_placement(organisation_id: UUID) -> None:
    """The organisation is made: every process may use it."""
    values = {"id": str(organisation_id), "state": str(PlacementState.READY)}
    fetch_last([(_NAME, values), (_CONFIRM, values)])


def release_placement(organisation_id: UUID) -> None:
    """The organisation is gone, and its slug is free."""
    values = {"id": str(organisation_id)}
    fetch_last([(_NAME, values), (_RELEASE, values)])


def forget_placement(organisation_id: UUID) -> None:
    """Look it up anew the next time."""
    _known.pop(organisation_id, None)


def forget_placements() -> None:
    """Ask again for each; for tests."""
    _known.clear()


def _remember(organisation_id: UUID, server: str) -> None:
    if len(_known) >= MAX_KNOWN:
        _known.clear()
    until = float("inf") if server else time.monotonic() + HOME_SECONDS
    _known[organisation_id] = (server, until)
