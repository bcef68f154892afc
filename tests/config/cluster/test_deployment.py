"""The configuration for three machines says what the cluster on loopback runs (O19)."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from config.cluster.__main__ import main
from config.cluster.deployment import (
    DATABASE_PORT,
    EXAMPLE,
    EXAMPLE_NETWORK,
    PASSWORDS,
    PRIMARY_PORT,
    TLS,
    build_files,
)
from config.cluster.patroni_settings import (
    NodeSettings,
    build_configuration,
    build_environment,
    dynamic_settings,
    list_accounts,
)
from config.embedded.servers.postgres import SETTINGS

FOLDER = Path(__file__).resolve().parents[3] / "docs/deploy/cluster"
LOOPBACK = NodeSettings(
    name="node1", host="127.0.0.1", port=1, api_port=2, data_dir="/d", bin_dir="/b",
    networks=["127.0.0.1/32"], password_file="/p",
)  # fmt: skip


def written() -> dict[str, str]:
    files = (path for path in FOLDER.rglob("*") if path.is_file())
    return {str(path.relative_to(FOLDER)): path.read_text() for path in files}


def variables(text: str) -> dict[str, str]:
    """The settings of a file for systemd's EnvironmentFile."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_the_files_are_what_the_command_writes(tmp_path: Path) -> None:
    assert main(["templates", str(tmp_path)]) == 0
    again = {
        str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()
    }
    assert written() == again == build_files(EXAMPLE, [EXAMPLE_NETWORK])


def test_three_machines_run_what_the_loopback_runs() -> None:
    loopback = build_configuration(LOOPBACK)
    for machine in EXAMPLE:
        found = yaml.safe_load(written()[f"{machine.name}/patroni.yml"])
        assert found["name"] == machine.name
        assert found["bootstrap"] == loopback["bootstrap"]
        assert found["bootstrap"]["dcs"] == dynamic_settings()
        assert found.keys() - {"ctl"} == loopback.keys()
        assert found["postgresql"].keys() == loopback["postgresql"].keys()
        assert found["postgresql"]["connect_address"] == f"{machine.host}:{DATABASE_PORT}"


def test_what_keeps_acknowledged_writes() -> None:
    told = dynamic_settings()
    assert told["synchronous_mode"] is True
    assert told["failsafe_mode"] is True
    assert told["postgresql"]["use_pg_rewind"] is True
    # Patroni raises a shorter one, and lets a primary without etcd go on for so long.
    assert told["ttl"] >= 20
    assert told["loop_wait"] + 2 * told["retry_timeout"] <= told["ttl"]
    parameters = told["postgresql"]["parameters"]
    assert SETTINGS.items() - parameters.items() == {("listen_addresses", "127.0.0.1")}
    assert parameters["wal_log_hints"] == "on"


def test_nobody_is_let_in_without_a_password_or_unencrypted() -> None:
    for machine in EXAMPLE:
        found = yaml.safe_load(written()[f"{machine.name}/patroni.yml"])
        for line in found["postgresql"]["pg_hba"]:
            assert re.fullmatch(r"hostssl (all|replication) all 10\.0\.0\.0/24 scram-sha-256", line)
        assert found["etcd3"]["protocol"] == "https"
        assert found["restapi"]["certfile"]
        etcd = variables(written()[f"{machine.name}/etcd.env"])
        assert etcd["ETCD_CLIENT_CERT_AUTH"] == etcd["ETCD_PEER_CLIENT_CERT_AUTH"] == "true"
        assert all(not value.startswith("http:") for value in etcd.values())
    loopback = build_configuration(LOOPBACK)["postgresql"]["pg_hba"]
    assert all(line.endswith(" 127.0.0.1/32 scram-sha-256") for line in loopback)


def test_no_password_lies_in_a_file_of_the_repository() -> None:
    environment = variables(written()["patroni.env"])
    given = {name: value for name, value in environment.items() if name.endswith("PASSWORD")}
    assert set(given.values()) == {"CHANGE-ME"}
    assert len(given) == len(PASSWORDS)
    assert "password:" not in "".join(text for name, text in written().items() if "yml" in name)


def test_the_environment_of_patroni() -> None:
    passwords = {part: part.lower() for part in list_accounts()}
    found = build_environment(passwords, ["a:1", "b:2"])
    assert found["PATRONI_ETCD3_HOSTS"] == "a:1,b:2"
    assert found["PATRONI_SUPERUSER_USERNAME"] == "postgres"
    assert found["PATRONI_REWIND_PASSWORD"] == "rewind"


def test_patroni_and_its_database_end_together() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(written()["patroni.service"])
    service = unit["Service"]
    # `process`, as Patroni ships it, leaves a primary that nobody watches.
    assert service["KillMode"] == "mixed"
    assert service["Restart"] == "always"
    assert service["User"] == "postgres"
    assert service["EnvironmentFile"].endswith("patroni.env")
    assert yaml.safe_load(written()["db1/patroni.yml"])["watchdog"]["mode"] == "automatic"


def test_haproxy_asks_patroni_who_the_primary_is() -> None:
    text = written()["haproxy.cfg"]
    primary, standby = text.split("listen ")[1:]
    assert f"bind 127.0.0.1:{PRIMARY_PORT}" in primary
    assert "option httpchk OPTIONS /primary" in primary
    assert "option httpchk OPTIONS /replica" in standby
    for section in (primary, standby):
        assert "on-marked-down shutdown-sessions" in section
        assert (
            len(re.findall(r"server db\d .* check port 8008 check-ssl verify required", section))
            == 3
        )


def test_haproxy_takes_its_file(tmp_path: Path) -> None:
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if program is None:
        pytest.skip("HAProxy is not installed; its file is not checked by it.")
    authority, file = tmp_path / "ca.pem", tmp_path / "haproxy.cfg"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-subj", "/CN=ca", "-keyout", str(tmp_path / "key"), "-out", str(authority)],
        check=True, capture_output=True,
    )  # fmt: skip
    file.write_text(written()["haproxy.cfg"].replace(TLS.authority, str(authority)))
    command = [program, "-c", "-f", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--machine", "db1"],
        ["--machine", "../up=10.0.0.1"],
        ["--machine", "db1=10.0.0.256"],
        ["--network", "10.0.0.1/24"],
        ["--machine", "a=10.0.0.1", "--machine", "b=10.0.0.2", "--network", "10.0.0.0/24"],
        ["--machine", "a=1.1.1.1", "--machine", "b=1.1.1.2", "--machine", "c=1.1.1.3"],
    ],
)
def test_machines_that_make_no_cluster(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["templates", str(tmp_path / "new"), *words]) == 1
    assert capsys.readouterr().err.startswith("commonmind: ")
    assert not (tmp_path / "new").exists()
