"""What a start prints: passwords and keys once, afterwards where they stand."""

import json
import subprocess
from pathlib import Path

import pytest

from config.embedded.startup_message import print_startup_message

KEY = "cmk_" + "0" * 32 + "_0123456789ab_" + "s" * 43
DEMO = {
    "organisation": "Halyard",
    "owner": {"role": "admin", "email": "you@example.org", "password": "tall-owl"},
    "users": [{"role": "viewer", "email": "vi@halyard.example", "password": "wet-fox"}],
    "robots": [{"name": "Aria", "key": KEY}, {"name": "Bolt", "key": KEY.replace("s", "t")}],
}


def printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    print_startup_message("http://127.0.0.1:8000", folder, ready=True)
    return capsys.readouterr().out


def write(folder: Path, demo: object) -> None:
    (folder / "demo.json").write_text(json.dumps(demo))


def test_secrets_are_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, DEMO)
    first, second = printed(tmp_path, capsys), printed(tmp_path, capsys)
    for secret in ("tall-owl", "wet-fox", KEY):
        assert secret in first
        assert secret not in second
    for told in ("you@example.org", "vi@halyard.example", "/api/v1/recall"):
        assert told in first
        assert told in second
    assert str(tmp_path / "demo.json") in second
    assert (tmp_path / "shown.json").stat().st_mode & 0o777 == 0o600
    assert "wet-fox" not in (tmp_path / "shown.json").read_text()


def test_new_log_ins_are_printed_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, DEMO)
    printed(tmp_path, capsys)
    write(tmp_path, DEMO | {"users": [DEMO["users"][0] | {"password": "new-elk"}]})
    assert "new-elk" in printed(tmp_path, capsys)


def test_a_site_that_is_not_ready_shows_nothing_and_counts_as_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, DEMO)
    print_startup_message("http://127.0.0.1:8000", tmp_path, ready=False)
    assert "wet-fox" not in capsys.readouterr().out
    assert "wet-fox" in printed(tmp_path, capsys)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_printed_request_has_the_first_robots_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], indent: int | None
) -> None:
    (tmp_path / "demo.json").write_text(json.dumps(DEMO, indent=indent))
    for _ in range(2):
        request = printed(tmp_path, capsys).split("Ask it something:")[1].split("\n\n")[0]
        # `curl` is replaced by a function that prints what it was given.
        script = f'curl() {{ printf "%s\\n" "$@"; }}\n{request}'
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        assert f"Authorization: Bearer {KEY}" in done.stdout.splitlines()
