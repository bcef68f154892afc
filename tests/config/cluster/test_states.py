"""What the nodes say of themselves, and what is wrong with a cluster (O19)."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from config.cluster.__main__ import main
from config.cluster.errors import ClusterError
from config.cluster.patroni_api import NodeState, PatroniApi, list_faults, read_states
from config.cluster.patroni_settings import list_accounts
from config.embedded.private_files import write_json
from config.embedded.servers.ports import choose_port

PRIMARY = NodeState("node1", 1, "primary", "running", 3, "7")
STANDBY = NodeState("node2", 2, "replica", "running", 3, "7", 0, is_synchronous=True)
PATRONI = {"state": "running", "role": "primary", "timeline": 3, "database_system_identifier": "7"}
REPLICA = PATRONI | {"role": "replica", "sync_standby": True}


def test_a_whole_cluster_has_no_fault() -> None:
    assert list_faults([PRIMARY, STANDBY]) == []


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ([STANDBY], "No node is the primary"),
        (
            [PRIMARY, replace(STANDBY, role="primary", timeline=4)],
            "node1 (timeline 3) and node2 (t",
        ),
        ([PRIMARY, replace(STANDBY, system_id="8")], "not copies of one database"),
        ([PRIMARY, replace(STANDBY, role="away", system_id="")], "node2 does not run"),
        ([replace(PRIMARY, loses_etcd=True), STANDBY], "etcd does not answer"),
        ([PRIMARY, replace(STANDBY, is_synchronous=False)], "on one server alone"),
    ],
)
def test_what_is_wrong(states: list[NodeState], words: str) -> None:
    assert any(words in one for one in list_faults(states))


def test_without_etcd_nobody_knows_who_is_synchronous() -> None:
    away = [replace(one, loses_etcd=True, is_synchronous=False) for one in (PRIMARY, STANDBY)]
    assert len(list_faults(away)) == 1


@contextmanager
def patroni(answers: dict[str, Any], orders: list[Any], status: int = 200) -> Iterator[int]:
    """Something that answers like Patroni's REST interface. Its port."""

    class Handler(BaseHTTPRequestHandler):
        def _send(self, status: int, body: Any) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def do_GET(self) -> None:
            self._send(200, answers.get(self.path, b"no json"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            orders.append((self.path, body, self.headers["Authorization"]))
            self._send(status, b"done" if status == 200 else b"no candidate")

        do_PATCH = do_POST  # noqa: N815 - the name that http.server looks for

        def log_message(self, *ignored: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_states_are_read() -> None:
    members = {"members": [{"name": "node1"}, {"name": "node2", "lag": 512}]}
    with (
        patroni({"/patroni": PATRONI, "/cluster": members}, []) as one,
        patroni({"/patroni": REPLICA | {"failsafe_mode_is_active": True}}, []) as two,
    ):
        nodes = [
            PatroniApi(name, port, database, "user", "password")
            for name, port, database in (
                ("node1", one, 11),
                ("node2", two, 12),
                ("node3", choose_port(), 13),
            )
        ]
        first, second, third = read_states(nodes)
    assert (first.is_primary, first.port, first.timeline, first.lag_bytes) == (True, 11, 3, None)
    assert (second.role, second.lag_bytes) == ("replica", 512)
    assert second.is_synchronous
    assert second.loses_etcd
    assert (third.role, third.port) == ("away", 13)


def test_a_node_that_starts_or_answers_nonsense_is_away() -> None:
    for answer in (PATRONI | {"state": "starting"}, b"nonsense", [1], {}):
        with patroni({"/patroni": answer}, []) as port:
            assert PatroniApi("node1", port, 1, "u", "p").read_state().role == "away"


def test_orders_carry_the_password() -> None:
    orders: list[Any] = []
    with patroni({}, orders) as port:
        PatroniApi("node1", port, 1, "u", "p").switch_over("node1", "node2")
    assert orders == [("/switchover", {"leader": "node1", "candidate": "node2"}, "Basic dTpw")]
    with patroni({}, [], status=412) as port, pytest.raises(ClusterError, match="no candidate"):
        PatroniApi("node1", port, 1, "u", "p").switch_over("node1", "node2")
    with pytest.raises(ClusterError, match="does not answer"):
        PatroniApi("node1", choose_port(), 1, "u", "p").change_settings({})


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a cluster was started once."""
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    write_json(tmp_path / "cluster.json", dict.fromkeys(list_accounts(), "secret"))
    return tmp_path


def start_nodes(folder: Path, *ports: int) -> None:
    for number, port in enumerate(ports, 1):
        write_json(folder / f"node{number}.json", {"port": 5400 + number, "api_port": port})


def test_commands_say_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    for command in ("status", "switchover", "env"):
        assert main([command]) == 1
        assert "`make cluster` starts one" in capsys.readouterr().err
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["run"]) == 1
    assert "etcd is missing" in capsys.readouterr().err


def test_status_and_switchover(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    orders: list[Any] = []
    with (
        patroni({"/patroni": REPLICA}, []) as one,
        patroni({"/patroni": PATRONI}, orders) as two,
    ):
        start_nodes(known, one, two)
        assert main(["status"]) == 0
        told = capsys.readouterr().out
        assert "node2 on port 5402: primary, timeline 3" in told
        assert "node1 on port 5401: replica, timeline 3, synchronous" in told
        assert main(["switchover", "--to", "node2"]) == 1
        assert "node2 is no standby" in capsys.readouterr().err
        assert orders == []
        assert main(["switchover"]) == 0
        assert orders[0][1] == {"leader": "node2", "candidate": "node1"}
        assert main(["env"]) == 0
        told = capsys.readouterr().out
        assert "@127.0.0.1:5401,127.0.0.1:5402/postgres?target_session_attrs=read-write" in told
    assert main(["status", "--json"]) == 1
    assert "No node is the primary" in json.loads(capsys.readouterr().out)["faults"][0]
    assert main(["switchover"]) == 1
