"""The configuration of a cluster on machines of one's own, from the description of the loopback.

Pure. `python -m config.cluster templates` writes it for the addresses that it is given;
docs/deploy/cluster is what it writes for three that are made up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from config.cluster.patroni_settings import (
    CLUSTER_NAME,
    Certificates,
    NodeSettings,
    build_configuration,
    build_environment,
    list_accounts,
)

DATABASE_PORT, API_PORT, ETCD_PORT, ETCD_PEER_PORT = 5432, 8008, 2379, 2380
# Ports of HAProxy: to the primary, and to a standby.
PRIMARY_PORT, STANDBY_PORT = 5000, 5001
FOLDER = "/etc/commonmind"
TLS = Certificates(f"{FOLDER}/tls/node.pem", f"{FOLDER}/tls/node.key", f"{FOLDER}/tls/ca.pem")
ETCD_TLS = Certificates("/etc/etcd/tls/node.pem", "/etc/etcd/tls/node.key", "/etc/etcd/tls/ca.pem")
DATA_DIR, BIN_DIR = "/var/lib/postgresql/18/commonmind", "/usr/lib/postgresql/18/bin"
PASSWORD_FILE = "/var/lib/postgresql/pgpass"  # noqa: S105 - its path
HEAD = "# Written by `python -m config.cluster templates`; docs/scaling.md tells how to use it.\n"
# Clients' certificates prove who asks etcd, so it needs no password.
PASSWORDS = tuple(part for part in list_accounts() if part != "ETCD3")
PLACEHOLDER = "CHANGE-ME"


@dataclass(frozen=True)
class Machine:
    """A machine with etcd, Patroni and PostgreSQL. host: its address in the network of the
    databases."""

    name: str
    host: str


EXAMPLE = (
    Machine("db1", "10.0.0.11"),
    Machine("db2", "10.0.0.12"),
    Machine("db3", "10.0.0.13"),
)
EXAMPLE_NETWORK = "10.0.0.0/24"


def build_files(machines: Sequence[Machine], networks: Sequence[str]) -> dict[str, str]:
    """Every file by its name. networks: from which databases and site connect, as CIDR."""
    files = {
        "patroni.env": _patroni_environment(machines),
        "patroni.service": UNIT,
        "haproxy.cfg": _haproxy(machines),
    }
    for machine in machines:
        files[f"{machine.name}/patroni.yml"] = _patroni(machine, networks)
        files[f"{machine.name}/etcd.env"] = _etcd(machine, machines)
    return files


def _patroni(machine: Machine, networks: Sequence[str]) -> str:
    settings = NodeSettings(
        name=machine.name,
        host=machine.host,
        port=DATABASE_PORT,
        api_port=API_PORT,
        data_dir=DATA_DIR,
        bin_dir=BIN_DIR,
        networks=networks,
        password_file=PASSWORD_FILE,
        certificates=TLS,
        watchdog=True,
    )
    return HEAD + yaml.safe_dump(build_configuration(settings), sort_keys=False)


def _patroni_environment(machines: Sequence[Machine]) -> str:
    passwords = dict.fromkeys(PASSWORDS, PLACEHOLDER)
    hosts = [f"{machine.host}:{ETCD_PORT}" for machine in machines]
    lines = [f"{name}={value}" for name, value in build_environment(passwords, hosts).items()]
    return "\n".join([f"{HEAD}# The same on every machine, with mode 600.", *lines, ""])


def _etcd(machine: Machine, machines: Sequence[Machine]) -> str:
    own, peer = f"https://{machine.host}:{ETCD_PORT}", f"https://{machine.host}:{ETCD_PEER_PORT}"
    members = ",".join(f"{one.name}=https://{one.host}:{ETCD_PEER_PORT}" for one in machines)
    settings = {
        "NAME": machine.name,
        "DATA_DIR": f"/var/lib/etcd/{CLUSTER_NAME}",
        "LISTEN_CLIENT_URLS": own,
        "ADVERTISE_CLIENT_URLS": own,
        "LISTEN_PEER_URLS": peer,
        "INITIAL_ADVERTISE_PEER_URLS": peer,
        "INITIAL_CLUSTER": members,
        "INITIAL_CLUSTER_STATE": "new",
        "INITIAL_CLUSTER_TOKEN": CLUSTER_NAME,
        "AUTO_COMPACTION_RETENTION": "1",
        "CLIENT_CERT_AUTH": "true",
        "PEER_CLIENT_CERT_AUTH": "true",
    }
    for prefix in ("", "PEER_"):
        settings[f"{prefix}CERT_FILE"] = ETCD_TLS.certificate
        settings[f"{prefix}KEY_FILE"] = ETCD_TLS.key
        settings[f"{prefix}TRUSTED_CA_FILE"] = ETCD_TLS.authority
    lines = [f"ETCD_{name}={value}" for name, value in settings.items()]
    return "\n".join([f"{HEAD}# Debian's service reads it as /etc/default/etcd.", *lines, ""])


def _haproxy(machines: Sequence[Machine]) -> str:
    sections = [HAPROXY]
    for name, port, question in (
        ("primary", PRIMARY_PORT, "/primary"),
        ("standby", STANDBY_PORT, "/replica"),
    ):
        servers = [
            f"    server {one.name} {one.host}:{DATABASE_PORT} check port {API_PORT} check-ssl "
            f"verify required ca-file {TLS.authority}"
            for one in machines
        ]
        lines = [
            f"listen {name}",
            f"    bind 127.0.0.1:{port}",
            f"    option httpchk OPTIONS {question}",
            "    http-check expect status 200",
            # A server that is no primary any more keeps no connection.
            "    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
            *servers,
        ]
        sections.append("\n".join([*lines, ""]))
    return "\n".join(sections)


HAPROXY = f"""{HEAD}\
# Instead of several servers in DATABASE_URL: HAProxy beside each web and worker host, which asks
# Patroni who the primary is.
global
    maxconn 2000

defaults
    mode tcp
    timeout connect 3s
    timeout client 30m
    timeout server 30m
    timeout check 3s
"""
UNIT = f"""{HEAD}\
[Unit]
Description=PostgreSQL under Patroni
After=network-online.target etcd.service
Wants=network-online.target

[Service]
Type=exec
User=postgres
Group=postgres
EnvironmentFile={FOLDER}/patroni.env
ExecStart=/opt/commonmind/.venv/bin/patroni {FOLDER}/patroni.yml
ExecReload=/bin/kill -HUP $MAINPID
# Patroni and its PostgreSQL live and die together. In order Patroni alone gets SIGTERM and stops
# PostgreSQL; when Patroni has ended, however it did, all that is left of the unit is killed.
# `KillMode=process`, as in Patroni's own unit, would leave a primary that nobody watches.
KillMode=mixed
TimeoutStopSec=60
Restart=always
RestartSec=1

[Install]
WantedBy=multi-user.target
"""
