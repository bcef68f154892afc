"""What Patroni is told: one description for the loopback and for machines of one's own.

Pure: no file is read and nothing is started. Passwords are in no configuration file; Patroni takes
them from its environment (`build_environment`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.embedded.servers.postgres import SETTINGS

CLUSTER_NAME = "commonmind"
SUPERUSER, REPLICATION, REWIND = "postgres", "commonmind_replication", "commonmind_rewind"
API_USER, ETCD_USER = "commonmind", "root"
# The slot of the continuous archive (config/archive); Patroni drops slots that it does not know.
ARCHIVE_SLOT = "commonmind_archive"
# Patroni itself says where PostgreSQL listens.
_OF_PATRONI = ("listen_addresses",)
# Seconds. Patroni raises a shorter `ttl` to 20; a primary that died is replaced after that.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 20, 2, 3
# Who asks for a password, in the order of Patroni's variables.
_ACCOUNTS = {
    "SUPERUSER": SUPERUSER,
    "REPLICATION": REPLICATION,
    "REWIND": REWIND,
    "RESTAPI": API_USER,
    "ETCD3": ETCD_USER,
}


@dataclass(frozen=True)
class Certificates:
    """Paths of a node's certificate, its key and the authority that signed those of all nodes."""

    certificate: str
    key: str
    authority: str


@dataclass(frozen=True)
class NodeSettings:
    """One node. host: its address for the others. networks: who may connect, as CIDR. watchdog:
    whether the kernel resets the machine if Patroni dies or hangs."""

    name: str
    host: str
    port: int
    api_port: int
    data_dir: str
    bin_dir: str
    networks: Sequence[str]
    password_file: str
    certificates: Certificates | None = None
    watchdog: bool = False


def dynamic_settings() -> dict[str, Any]:
    """What holds for the whole cluster: it lies in etcd, and a change takes effect on all nodes."""
    parameters = {key: value for key, value in SETTINGS.items() if key not in _OF_PATRONI}
    return {
        "ttl": TTL,
        "loop_wait": LOOP_WAIT,
        "retry_timeout": RETRY_TIMEOUT,
        # A standby that is further behind never becomes the primary.
        "maximum_lag_on_failover": 1_048_576,
        # A commit is answered once a standby has it; without any standby writes go on.
        "synchronous_mode": True,
        # While etcd is away the primary stays one as long as it reaches all other nodes.
        "failsafe_mode": True,
        # Of the archive, and of organisations that move to another server.
        "ignore_slots": [
            {"name": ARCHIVE_SLOT, "type": "physical"},
            {"plugin": "pgoutput", "type": "logical"},
        ],
        "postgresql": {
            "use_pg_rewind": True,
            "use_slots": True,
            "parameters": {
                **parameters,
                "wal_level": "logical",
                "wal_log_hints": "on",
                "hot_standby": "on",
                "max_wal_senders": 10,
                "max_replication_slots": 10,
                # A standby that was away for long catches up from the primary's own log.
                "wal_keep_size": "256MB",
            },
        },
    }


def build_configuration(node: NodeSettings) -> dict[str, Any]:
    """The patroni.yml of a node, without passwords."""
    tls = node.certificates
    host_type = "hostssl" if tls else "host"
    local: dict[str, Any] = {}
    if tls:
        local = {"ssl": "on", "ssl_cert_file": tls.certificate, "ssl_key_file": tls.key}
    logins = [
        f"{host_type} {database} all {network} scram-sha-256"
        for network in node.networks
        for database in ("all", "replication")
    ]
    return {
        "scope": CLUSTER_NAME,
        "name": node.name,
        "restapi": {
            "listen": f"{node.host}:{node.api_port}",
            "connect_address": f"{node.host}:{node.api_port}",
            **(_certificates(tls, "certfile", "keyfile", "cafile") if tls else {}),
        },
        **({"ctl": _certificates(tls, "certfile", "keyfile", "cacert")} if tls else {}),
        "etcd3": {
            # The hosts are in the environment: Patroni reads the password there only beside them.
            "protocol": "https" if tls else "http",
            **(_certificates(tls, "cert", "key", "cacert") if tls else {}),
        },
        "bootstrap": {
            "dcs": dynamic_settings(),
            "initdb": [
                {"encoding": "UTF8"},
                {"locale-provider": "builtin"},
                {"locale": "C.UTF-8"},
                "data-checksums",
            ],
        },
        "postgresql": {
            "listen": f"{node.host}:{node.port}",
            "connect_address": f"{node.host}:{node.port}",
            "data_dir": node.data_dir,
            "bin_dir": node.bin_dir,
            "pgpass": node.password_file,
            "authentication": {
                "superuser": {"username": SUPERUSER},
                "replication": {"username": REPLICATION},
                "rewind": {"username": REWIND},
            },
            "pg_hba": logins,
            "parameters": local,
        },
        "watchdog": {"mode": "automatic" if node.watchdog else "off"},
        "tags": {"nofailover": False, "clonefrom": False},
    }


def _certificates(tls: Certificates, *names: str) -> dict[str, str]:
    return dict(zip(names, (tls.certificate, tls.key, tls.authority), strict=True))


def build_environment(passwords: Mapping[str, str], etcd_hosts: Sequence[str]) -> dict[str, str]:
    """Patroni's environment. passwords: by the names of `list_accounts`. etcd_hosts: HOST:PORT."""
    found = {"PATRONI_ETCD3_HOSTS": ",".join(etcd_hosts)}
    for part, password in passwords.items():
        found[f"PATRONI_{part}_USERNAME"] = _ACCOUNTS[part]
        found[f"PATRONI_{part}_PASSWORD"] = password
    return found


def list_accounts() -> list[str]:
    """The parts of Patroni's environment that need a password."""
    return list(_ACCOUNTS)
