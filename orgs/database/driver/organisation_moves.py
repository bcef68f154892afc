"""Know from an error that an organisation is moving to another server, or lies there already.

The server itself says so, by its fence (`orgs/sql/organisation_move_v1.sql`), whatever a process
remembers of placements.
"""

from typing import Any

import psycopg
from django.db import OperationalError

from orgs.database.driver.lost_server import is_read_only
from orgs.database.driver.servers import (
    OrganisationMovedError,
    OrganisationMovingError,
    is_switched_on,
)

# The SQLSTATE with which a fence refuses a scope.
MOVED_SQLSTATE = "CM002"


def find_move_error(error: BaseException | None, driver: Any) -> OperationalError | None:
    """The error to raise for what a fence refused, or None. driver: psycopg's connection."""
    if not is_switched_on() or not isinstance(error, psycopg.Error):
        return None
    if error.sqlstate == MOVED_SQLSTATE:
        return OrganisationMovedError()
    if is_read_only(error) and _takes_writes(driver):
        return OrganisationMovingError()
    return None


def _takes_writes(driver: Any) -> bool:
    """Whether this server is no standby, so that the transaction alone is read-only. Both settings
    are reported by the server itself; a pooler that keeps them back makes it a standby."""
    status = driver.info.parameter_status if driver is not None else lambda name: None
    return all(
        status(name) == "off" for name in ("in_hot_standby", "default_transaction_read_only")
    )
