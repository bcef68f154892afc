"""The address of a database as Django takes it, with all that libpq understands.

An address may name several servers (`postgres://user:password@one:5432,two:5432/name`, or
`host=one,two dbname=name`), of which the one that takes writes is used.
"""

from typing import Any

import environ
import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

_PARTS = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
# Which of several servers: libpq asks each in order. Others would answer what a standby knows, and
# refuse every write.
WRITABLE = frozenset({"read-write", "primary"})
# With several servers a silent one is left soon: seconds for one attempt, milliseconds until what
# was sent is acknowledged, seconds of silence before the first and the next questions.
SEVERAL_SERVERS = {
    "target_session_attrs": "read-write",
    "connect_timeout": "3",
    "tcp_user_timeout": "10000",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
}


def parse_database_address(address: str, variable: str) -> dict[str, Any]:
    """NAME, USER, PASSWORD, HOST, PORT and OPTIONS. variable: what the address was read from.

    Raises ImproperlyConfigured, without the address, which holds a password.
    """
    if "://" in address and "," not in address.rpartition("@")[2]:
        return dict(environ.Env.db_url_config(address))
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    except psycopg.ProgrammingError:
        raise ImproperlyConfigured(
            f"{variable} cannot be read. Several servers are named as in "
            "postgres://USER:PASSWORD@one:5432,two:5432/NAME."
        ) from None
    found: dict[str, Any] = {part: given.pop(name, "") for name, part in _PARTS.items()}
    hosts, ports = found["HOST"].split(","), found["PORT"].split(",")
    if len(ports) not in (1, len(hosts)) or not all(hosts):
        raise ImproperlyConfigured(
            f"{variable} names {len(hosts)} hosts and {len(ports)} ports. Give each host its port."
        )
    if len(hosts) > 1:
        given = SEVERAL_SERVERS | given
        if given["target_session_attrs"] not in WRITABLE:
            raise ImproperlyConfigured(
                f"{variable} has target_session_attrs={given['target_session_attrs']}: the service "
                "writes, so it has to be read-write, which is the default."
            )
    return found | {"OPTIONS": given}


def has_several_servers(database: dict[str, Any]) -> bool:
    """Whether an entry of DATABASES names more than one server."""
    return "," in str(database.get("HOST", ""))
