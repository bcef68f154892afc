"""What a node's Patroni is asked and told over its REST interface."""

import base64
import contextlib
import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from config.cluster.errors import ClusterError

# Seconds: a question, and a switchover, which waits for the new primary.
ASK_SECONDS, SWITCH_SECONDS = 3.0, 60.0
PRIMARY_ROLES = frozenset({"primary", "master"})


@dataclass(frozen=True, slots=True)
class NodeState:
    """What a node says of itself. port: of its PostgreSQL. role: primary, replica or away.

    lag_bytes: how far a standby is behind, None if nobody knows. loses_etcd: whether it works
    without etcd at the moment.
    """

    name: str
    port: int
    role: str
    state: str = ""
    timeline: int = 0
    system_id: str = ""
    lag_bytes: int | None = None
    is_synchronous: bool = False
    loses_etcd: bool = False

    @property
    def is_primary(self) -> bool:
        """Whether it takes writes."""
        return self.role == "primary"


class PatroniApi:
    """One node's Patroni by its port on 127.0.0.1. database_port: of its PostgreSQL."""

    def __init__(self, name: str, port: int, database_port: int, user: str, password: str) -> None:
        self.name, self.port, self.database_port = name, port, database_port
        secret = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {secret}", "Content-Type": "application/json"}

    def ask(self, path: str) -> tuple[int, Any]:
        """(status, answer) of a GET; (0, None) if it does not answer."""
        try:
            return self._send("GET", path, None, ASK_SECONDS)
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None

    def change_settings(self, settings: dict[str, Any]) -> None:
        """Merge these into the settings of the whole cluster. Raises ClusterError."""
        self._order("PATCH", "/config", settings, ASK_SECONDS * 3)

    def switch_over(self, leader: str, candidate: str) -> None:
        """Have the candidate become the primary in order. Returns when it is. Raises
        ClusterError."""
        order = {"leader": leader, "candidate": candidate}
        self._order("POST", "/switchover", order, SWITCH_SECONDS)

    def read_state(self) -> NodeState:
        """What the node says of itself."""
        _, told = self.ask("/patroni")
        if not isinstance(told, dict):
            return NodeState(self.name, self.database_port, "away")
        role = "primary" if told.get("role") in PRIMARY_ROLES else "replica"
        running = told.get("state") == "running"
        return NodeState(
            name=self.name,
            port=self.database_port,
            role=role if running else "away",
            state=str(told.get("state", "")),
            timeline=int(told.get("timeline") or 0),
            system_id=str(told.get("database_system_identifier") or ""),
            is_synchronous=bool(told.get("sync_standby")),
            loses_etcd=bool(told.get("failsafe_mode_is_active")),
        )

    def _order(self, method: str, path: str, body: dict[str, Any], seconds: float) -> None:
        try:
            status, told = self._send(method, path, body, seconds)
        except (OSError, http.client.HTTPException) as error:
            raise ClusterError(f"{self.name} does not answer ({error})") from None
        if status != 200:
            raise ClusterError(f"{self.name} refuses: {told}")

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, seconds: float
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        with contextlib.closing(connection):
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, self._headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            with contextlib.suppress(ValueError):
                return answer.status, json.loads(text)
            return answer.status, text


def read_states(nodes: Sequence[PatroniApi]) -> list[NodeState]:
    """The state of each node, with how far the standbys are behind."""
    states = [node.read_state() for node in nodes]
    lags: dict[str, int] = {}
    for node in nodes:
        _, told = node.ask("/cluster")
        if isinstance(told, dict):
            members = told.get("members", ())
            lags = {one["name"]: one["lag"] for one in members if type(one.get("lag")) is int}
            break
    return [replace(one, lag_bytes=lags.get(one.name)) for one in states]


def list_faults(states: Sequence[NodeState]) -> list[str]:
    """What is wrong with a cluster, as sentences; empty if nothing."""
    faults = []
    primaries = [one for one in states if one.is_primary]
    if not primaries:
        faults.append("No node is the primary: nothing is written.")
    if len(primaries) > 1:
        names = " and ".join(f"{one.name} (timeline {one.timeline})" for one in primaries)
        faults.append(f"Several nodes take writes: {names}. Stop the one with the lower timeline.")
    if len({one.system_id for one in states if one.system_id}) > 1:
        faults.append("The nodes are not copies of one database.")
    faults += [f"{one.name} does not run." for one in states if one.role == "away"]
    if any(one.loses_etcd for one in states):
        faults.append("etcd does not answer. The primary goes on, and nobody can replace it.")
    elif primaries and not any(one.is_synchronous for one in states):
        faults.append("No standby is synchronous: what is written now is on one server alone.")
    return faults
