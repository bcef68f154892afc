"""`commonmind setup`: a coding agent's file gets our server, and keeps all else (N26)."""

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commonmind.cli import hosts, session
from commonmind.cli.hook import HOSTS_OF_PARTS
from commonmind.cli.hosts import HOSTS

from tests.architecture.source import ROOT
from tests.clients.command_shell import OK, STOPPED, USAGE, Shell

pytestmark = pytest.mark.conformance("N26")
KEY = "cmk_secret"
URL = "https://memory.example"
HOST_NAMES = pytest.mark.parametrize("name", list(HOSTS))
OTHERS = '{\n\t"theme": "Ä",\n\t"%s": {\n\t\t"other": {\n\t\t\t"url": "http://x"\n\t\t}\n\t}\n}\n'


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home", COMMONMIND_URL=URL, COMMONMIND_KEY=KEY)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def file_of(project: Path, name: str, text: str | None = None) -> Path:
    path = project / HOSTS[name].path
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def documented(title: str) -> Any:
    page = (ROOT / "docs/agents/mcp.md").read_text(encoding="utf-8")
    [(kind, text)] = re.findall(
        rf"\*\*{title}\*\*: in .*?```(json|toml)\n(.*?)```", page, re.DOTALL
    )
    text = text.replace("http://127.0.0.1:8000", URL)
    return json.loads(text) if kind == "json" else tomllib.loads(text)


def documented_hooks(title: str) -> Any:
    page = (ROOT / "docs/agents/mcp.md").read_text(encoding="utf-8")
    [text] = re.findall(rf"{title} runs them with .*?```json\n(.*?)```", page, re.DOTALL)
    return json.loads(text)


def parsed(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


@HOST_NAMES
def test_a_new_file_is_that_of_the_document(shell: Shell, project: Path, name: str) -> None:
    done = shell("setup", name, "--folder", str(project), "--yes", "--no-hooks")
    assert done.returncode == OK, done.stderr
    path = file_of(project, name)
    assert parsed(path) == documented(HOSTS[name].title)
    said = path.read_bytes() + done.stdout + done.stderr
    assert KEY.encode() not in said, "the key is never written"
    assert b"+" in done.stderr
    assert HOSTS[name].servers.encode() in done.stderr
    [again] = shell.json("setup", name, "--folder", str(project), "--yes", "--no-hooks")
    files = [{"file": str(path), "changed": False}]
    assert again == {"host": name, "changed": False, "files": files}
    assert shell("setup", name, "--folder", str(project), "--undo", "--yes").returncode == OK
    assert not path.exists(), "there was none before"


@pytest.mark.parametrize("name", [name for name, host in HOSTS.items() if host.hooks])
def test_the_hooks_are_those_of_the_document(shell: Shell, project: Path, name: str) -> None:
    chosen = HOSTS[name].hooks
    assert chosen is not None
    path = project / chosen.path
    path.parent.mkdir(parents=True)
    theirs = {"hooks": [{"type": "command", "command": "theirs"}]}
    before = {"hooks": {"Stop": [theirs], "Other": [theirs]}, "model": "x"}
    path.write_text(json.dumps(before))
    assert shell("setup", name, "--folder", str(project), "--yes").returncode == OK
    written = json.loads(path.read_text())
    expected = documented_hooks(HOSTS[name].title)
    for event, groups in expected["hooks"].items():
        assert written["hooks"][event] == [*before["hooks"].get(event, []), *groups]
    assert written["hooks"]["Other"] == [theirs]
    assert written.get("statusLine") == expected.get("statusLine")
    assert "version" not in written, "the file has a form already"
    known = shell("hook", "--help").stdout.decode()
    for ours in chosen.events.values():
        command, *options = ours.split()
        assert f"  {command} " in known
        # Those whose form is the first one need not be named.
        assert options == (["--host", name] if name in HOSTS_OF_PARTS else [])
    [again] = shell.json("setup", name, "--folder", str(project), "--yes")
    assert not again["changed"]
    assert shell("setup", name, "--folder", str(project), "--undo", "--yes").returncode == OK
    assert json.loads(path.read_text()) == before


@pytest.mark.parametrize("name", [name for name, host in HOSTS.items() if host.hooks])
def test_a_new_file_of_hooks_is_that_of_the_document_and_goes_again(
    shell: Shell, project: Path, name: str
) -> None:
    chosen = HOSTS[name].hooks
    assert chosen is not None
    path = project / chosen.path
    assert shell("setup", name, "--folder", str(project), "--yes").returncode == OK
    expected = documented_hooks(HOSTS[name].title)
    written = json.loads(path.read_text())
    assert {part: written.get(part) for part in expected} == expected
    assert shell("setup", name, "--folder", str(project), "--undo", "--yes").returncode == OK
    assert not path.exists()
    assert [one for one in project.rglob("*") if one.is_file()] == []


def test_a_status_line_of_somebody_stays(shell: Shell, project: Path) -> None:
    path = project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"statusLine": {"command": "theirs"}}')
    for undo in ((), ("--undo",)):
        done = shell("setup", "claude-code", "--folder", str(project), "--yes", *undo)
        assert done.returncode == OK
        assert json.loads(path.read_text())["statusLine"] == {"command": "theirs"}


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}'])
def test_hooks_of_another_kind_are_left(shell: Shell, project: Path, text: str) -> None:
    path = project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    done = shell("setup", "claude-code", "--folder", str(project), "--yes")
    assert done.returncode == USAGE
    assert path.read_text() == text
    assert not (project / ".mcp.json").exists(), "all or nothing"


def test_comments_and_order_of_toml_stay(shell: Shell, project: Path) -> None:
    before = "# a\nmodel = 'x'  # why\n\n[mcp_servers.other]\ncommand = \"a\"\n\n[tui]\ntheme='b'\n"
    path = file_of(project, "codex", before)
    assert shell("setup", "codex", "--folder", str(project), "--yes").returncode == OK
    written = path.read_text(encoding="utf-8")
    for line in before.splitlines():
        assert line in written.splitlines()
    servers = tomllib.loads(written)["mcp_servers"]
    assert servers == {
        "other": {"command": "a"},
        "commonmind": {"url": f"{URL}/mcp", "bearer_token_env_var": "COMMONMIND_KEY"},
    }
    assert shell("setup", "codex", "--folder", str(project), "--undo", "--yes").returncode == OK
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2\n", "mcp_servers = 5\n", "\x00"])
def test_toml_that_cannot_be_kept_is_left(shell: Shell, project: Path, text: str) -> None:
    path = file_of(project, "codex", text)
    done = shell("setup", "codex", "--folder", str(project), "--yes")
    assert done.returncode == USAGE
    assert path.read_text(encoding="utf-8") == text


JSON_HOSTS = pytest.mark.parametrize("name", [n for n, h in HOSTS.items() if ".json" in h.path])


@JSON_HOSTS
def test_all_else_stays_as_it_was(shell: Shell, project: Path, name: str) -> None:
    """Also the indentation, the mode of the file and the link that leads to it."""
    before = OTHERS % HOSTS[name].servers
    real = project / "shared.json"
    real.write_text(before, encoding="utf-8")
    real.chmod(0o640)
    path = file_of(project, name)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(real)
    assert shell("setup", name, "--folder", str(project), "--yes").returncode == OK
    written = real.read_text(encoding="utf-8")
    servers = json.loads(written)[HOSTS[name].servers]
    assert list(servers) == ["other", "commonmind"]
    assert written.startswith(before[: before.index("http://x")])
    assert (path.is_symlink(), real.stat().st_mode & 0o777) == (True, 0o640)
    assert shell("setup", name, "--folder", str(project), "--undo", "--yes").returncode == OK
    assert real.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {}} // a comment', '{"servers": 1}', '{"servers": null}', "[]", "7", "{",
        '{"a": 1, "a": 2}', '{"inputs": {}}', '{"servers": []}', "[" * 100_000, "\ufeff{}",
        '{"a": 1e400}', '{"a": NaN}', '{"a": 1.10}', '{"a": "\\ud800"}',
    ],
    ids=range(15),
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_and_left(shell: Shell, project: Path, text: str) -> None:
    path = file_of(project, "vscode", text)
    done = shell("setup", "vscode", "--folder", str(project), "--yes")
    assert done.returncode == USAGE
    assert str(path) in done.stderr.decode()
    assert path.read_text(encoding="utf-8") == text


def test_line_ends_and_numbers_stay(shell: Shell, project: Path) -> None:
    before = b'{\r\n  "zoom": 1.5,\r\n  "inputs": []\r\n}\r\n'
    path = file_of(project, "cursor", "")
    path.write_bytes(before)
    assert shell("setup", "cursor", "--folder", str(project), "--yes").returncode == OK
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n") > 4
    assert shell("setup", "cursor", "--folder", str(project), "--undo", "--yes").returncode == OK
    assert path.read_bytes() == before


def test_no_text_and_no_file_are_refused(shell: Shell, project: Path) -> None:
    path = file_of(project, "vscode", "")
    path.write_bytes(b"\xff\xfe{")
    assert shell("setup", "vscode", "--folder", str(project), "--yes").returncode == USAGE
    assert path.read_bytes() == b"\xff\xfe{"
    path.unlink()
    path.mkdir()
    assert shell("setup", "vscode", "--folder", str(project), "--yes").returncode == USAGE
    assert shell("setup", "emacs", "--folder", str(project), "--yes").returncode == USAGE


def test_nothing_is_written_unasked(shell: Shell, project: Path) -> None:
    path = file_of(project, "cursor")
    done = shell("setup", "cursor", "--folder", str(project))
    assert done.returncode == USAGE
    assert b"--yes" in done.stderr
    assert b"+" in done.stderr, "what would change is shown all the same"
    assert not path.exists()


@pytest.mark.parametrize(("given", "code"), [(b"y\n", OK), (b"n\n", STOPPED), (b"", STOPPED)])
def test_on_a_terminal_it_asks(
    shell: Shell, project: Path, monkeypatch: pytest.MonkeyPatch, given: bytes, code: int
) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(session, "sys", terminal)
    assert shell("setup", "cursor", "--folder", str(project), given=given).returncode == code
    assert file_of(project, "cursor").exists() == (code == OK)


def test_what_somebody_changed_meanwhile_is_not_overwritten(
    shell: Shell, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(project, "gemini", "{}")
    monkeypatch.setattr(hosts, "show_difference", lambda *_: path.write_text('{"theirs": 1}'))
    done = shell("setup", "gemini", "--folder", str(project), "--yes")
    assert done.returncode == USAGE
    assert b"meanwhile" in done.stderr
    assert path.read_text() == '{"theirs": 1}'


def test_only_our_own_entry_is_taken_out(shell: Shell, project: Path) -> None:
    text = '{"inputs": [{"id": "x"}, 5], "servers": {"other": {}}}'
    path = file_of(project, "vscode", text)
    done = shell("setup", "vscode", "--folder", str(project), "--undo", "--yes")
    assert (done.returncode, path.read_text()) == (OK, text)
    assert shell("setup", "vscode", "--folder", str(project), "--yes").returncode == OK
    assert shell("setup", "vscode", "--folder", str(project), "--undo", "--yes").returncode == OK
    assert json.loads(path.read_text()) == json.loads(text)


def test_the_server_is_that_of_the_last_login(shell: Shell, project: Path) -> None:
    shell.environment["COMMONMIND_URL"] = ""
    done = shell("setup", "cursor", "--folder", str(project), "--yes")
    assert done.returncode == USAGE
    assert b"Which server?" in done.stderr
    config = Path(shell.environment["XDG_CONFIG_HOME"]) / "commonmind" / "config.ini"
    config.parent.mkdir(parents=True)
    config.write_text("[current]\nurl = https://other.example\n")
    config.chmod(0o600)
    assert shell("setup", "cursor", "--folder", str(project), "--yes").returncode == OK
    assert "https://other.example/mcp" in file_of(project, "cursor").read_text()
