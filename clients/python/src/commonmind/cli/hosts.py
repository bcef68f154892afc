"""Tell a coding agent where the server is, and what to run at its events: files of its project."""

from __future__ import annotations

import copy
import difflib
import json
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import tomlkit
from tomlkit.exceptions import TOMLKitError

from commonmind.cli.session import Session, command_options, yes_option
from commonmind.configuration import KEY_VARIABLE, find_url, replace_file
from commonmind.errors import ConfigurationError

NAME = "commonmind"
# How each command that `setup` writes begins.
OURS = "commonmind hook "
# What VS Code asks for once and keeps in its own store.
VSCODE_INPUT = {
    "type": "promptString",
    "id": "commonmind-key",
    "description": "Key",
    "password": True,
}
Document = dict[str, Any]
# Puts ours into a file, or takes it out; it says where the file does not fit.
Change = Callable[[Document], None]


@dataclass(frozen=True)
class Hooks:
    """What runs at the events of an agent. path: of the file that says so, in a project. events:
    the name of ours for each of the agent's. timeout: in the agent's unit. status_line: whether the
    agent shows one. grouped: whether commands stand in groups, each with a list. typed: whether a
    command has a type. version: of the form of a new file, where the agent asks for one."""

    path: str
    events: dict[str, str]
    timeout: int
    status_line: bool = False
    grouped: bool = True
    typed: bool = True
    version: int | None = None

    def entry(self, name: str) -> Document:
        """What stands at an event that runs this hook."""
        command: Document = {"type": "command"} if self.typed else {}
        command |= {"command": f"{OURS}{name}", "timeout": self.timeout}
        return {"hooks": [command]} if self.grouped else command


@dataclass(frozen=True)
class Host:
    """A coding agent. title: its name. path: of its file, in a project. servers: the member of the
    file that holds the servers. entry: ours in it, from the address of MCP. needs_key: whether the
    agent reads the key from the environment."""

    title: str
    path: str
    servers: str
    entry: Callable[[str], Document]
    needs_key: bool = True
    hooks: Hooks | None = None


def _headers(variable: str) -> Document:
    return {"Authorization": f"Bearer ${{{variable}}}"}


HOSTS = {
    "claude-code": Host(
        "Claude Code",
        ".mcp.json",
        "mcpServers",
        lambda url: {"type": "http", "url": url, "headers": _headers(KEY_VARIABLE)},
        hooks=Hooks(
            ".claude/settings.json",
            {
                "SessionStart": "session-start",
                "UserPromptSubmit": "user-prompt",
                "Stop": "stop",
                "PreCompact": "pre-compact",
            },
            timeout=5,
            status_line=True,
        ),
    ),
    "codex": Host(
        "Codex",
        ".codex/config.toml",
        "mcp_servers",
        lambda url: {"url": url, "bearer_token_env_var": KEY_VARIABLE},
        hooks=Hooks(
            ".codex/hooks.json",
            {
                "SessionStart": "session-start --host codex",
                "UserPromptSubmit": "user-prompt --host codex",
                "Stop": "stop --host codex",
            },
            timeout=5,
        ),
    ),
    "cursor": Host(
        "Cursor",
        ".cursor/mcp.json",
        "mcpServers",
        lambda url: {"url": url, "headers": _headers(f"env:{KEY_VARIABLE}")},
        hooks=Hooks(
            ".cursor/hooks.json",
            {
                "sessionStart": "session-start --host cursor",
                "beforeSubmitPrompt": "user-prompt --host cursor",
                "afterAgentResponse": "stop --host cursor",
                "stop": "stop --host cursor",
            },
            timeout=5,
            grouped=False,
            typed=False,
            version=1,
        ),
    ),
    "vscode": Host(
        "VS Code",
        ".vscode/mcp.json",
        "servers",
        lambda url: {"type": "http", "url": url, "headers": _headers("input:commonmind-key")},
        needs_key=False,
        hooks=Hooks(
            ".github/hooks/commonmind.json",
            {
                "SessionStart": "session-start --host vscode",
                "UserPromptSubmit": "user-prompt --host vscode",
                "Stop": "stop --host vscode",
            },
            timeout=5,
            grouped=False,
        ),
    ),
    "gemini": Host(
        "Gemini CLI",
        ".gemini/settings.json",
        "mcpServers",
        lambda url: {"httpUrl": url, "headers": _headers(KEY_VARIABLE)},
        hooks=Hooks(
            ".gemini/settings.json",
            {"SessionStart": "session-start", "BeforeAgent": "user-prompt", "AfterAgent": "stop"},
            timeout=5_000,
        ),
    ),
}


@click.command()
@click.argument("host", type=click.Choice(list(HOSTS)))
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The project's folder; by default this one.",
)
@click.option(
    "--hooks/--no-hooks",
    default=True,
    help="Whether it also recalls on each prompt and remembers what was said, where it can.",
)
@click.option("--undo", is_flag=True, help="Take it out again.")
@yes_option
@command_options
def setup(session: Session, host: str, folder: Path, *, hooks: bool, undo: bool, yes: bool) -> None:
    """Tell the coding agent HOST in this project where the server is, by MCP, and what to run at
    its events.

    Shows what changes in its files before anything is written. The key is never written: the agent
    reads it from COMMONMIND_KEY, or asks for it.
    """
    chosen = HOSTS[host]
    planned = plan(chosen, folder, hooks=hooks or undo, undo=undo)
    files = [
        {"file": str(path), "changed": before != after} for path, (before, after) in planned.items()
    ]
    result = {"host": host, "changed": any(one["changed"] for one in files), "files": files}
    changed = {path: texts for path, texts in planned.items() if texts[0] != texts[1]}
    if not changed:
        session.output.value(result, f"Nothing to do in {', '.join(map(str, planned))}.")
        return
    for path, (before, after) in changed.items():
        show_difference(session, path, before, after)
    refusal = "Nothing is written. Say --yes to write it."
    session.confirm(lambda: "Write it?", yes=yes, otherwise=refusal)
    for path, (before, _) in changed.items():
        if read_text(path) != before:
            raise ConfigurationError(f"{path} was changed meanwhile. Nothing is written.")
    for path, (_, after) in changed.items():
        write_text(path, after)
    told = [f"{path} is {'written' if after else 'gone'}." for path, (_, after) in changed.items()]
    session.output.value(result, "\n".join(told))
    if chosen.needs_key and not undo:
        session.output.note(f"{chosen.title} reads the key from {KEY_VARIABLE}.")


def plan(host: Host, folder: Path, *, hooks: bool, undo: bool) -> dict[Path, tuple[str, str]]:
    """Of each file of the host the text now, and the text to be. Raises ConfigurationError."""
    changes: dict[Path, list[Change]] = {}

    def add(name: str, change: Change) -> None:
        # What a link leads to is written, and the link stays.
        changes.setdefault(Path(os.path.realpath(folder / name)), []).append(change)

    if undo:
        add(host.path, lambda document: remove_server(document, host))
    else:
        entry = host.entry(f"{find_url()}/mcp")
        add(host.path, lambda document: put_server(document, host, entry))
    if host.hooks is not None and hooks:
        chosen = host.hooks
        if undo:
            add(chosen.path, remove_hooks)
        else:
            add(chosen.path, lambda document: put_hooks(document, chosen))
    planned = {}
    for path, steps in changes.items():
        before = read_text(path)
        planned[path] = (before, change_text(before, path, steps))
    return planned


def show_difference(session: Session, path: Path, before: str, after: str) -> None:
    """On stderr, so that stdout holds the result alone."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2
    )
    for line in lines:
        style = {"+": "green", "-": "red"}.get(line[:1], "")
        session.output.note(line, style=style)


def change_text(text: str, path: Path, steps: list[Change]) -> str:
    """The file's text after these changes, all else as it was; empty if nothing is left in it.
    Raises ConfigurationError."""
    is_toml = path.suffix == ".toml"
    document = parse_toml(text, path) if is_toml else parse(text, path)
    changed = copy.deepcopy(document)
    try:
        for step in steps:
            step(changed)
    except UnexpectedShapeError as error:
        raise ConfigurationError(f"{error} in {path} is not what was expected there.") from None
    if changed == document:
        return text
    if is_toml:
        # A comment is somebody's own.
        return tomlkit.dumps(changed) if changed or "#" in text else ""
    return render(changed, text) if changed else ""


class UnexpectedShapeError(Exception):
    """A member of the file is of another kind; the message names it."""


def member(document: Document, name: str, kind: type[Any]) -> Any:
    """A member of the file, made where there is none. Raises UnexpectedShapeError."""
    found = document.setdefault(name, kind())
    if not isinstance(found, kind):
        raise UnexpectedShapeError(repr(name))
    return found


def put_server(document: Document, host: Host, entry: Document) -> None:
    member(document, host.servers, dict)[NAME] = entry
    if not host.needs_key:
        inputs = member(document, "inputs", list)
        if VSCODE_INPUT["id"] not in [_id_of(one) for one in inputs]:
            inputs.append(dict(VSCODE_INPUT))


def remove_server(document: Document, host: Host) -> None:
    if host.servers not in document or NAME not in member(document, host.servers, dict):
        return
    del document[host.servers][NAME]
    touched = [host.servers]
    if not host.needs_key:
        inputs = member(document, "inputs", list)
        inputs[:] = [one for one in inputs if _id_of(one) != VSCODE_INPUT["id"]]
        touched.append("inputs")
    for name in touched:
        if not document[name]:
            del document[name]


def _id_of(one: Any) -> Any:
    return one.get("id") if isinstance(one, dict) else None


def put_hooks(document: Document, hooks: Hooks) -> None:
    """Ours at each event, once, behind those of others."""
    if hooks.version is not None and not document:
        document["version"] = hooks.version
    events = member(document, "hooks", dict)
    for event, name in hooks.events.items():
        entries = member(events, event, list)
        if not any(_is_ours(one) for one in entries):
            entries.append(hooks.entry(name))
    if hooks.status_line:
        document.setdefault("statusLine", dict(STATUS_LINE))


STATUS_LINE = {"type": "command", "command": "commonmind hook status-line"}


def remove_hooks(document: Document) -> None:
    """Ours from every event; what others have at it stays."""
    if document.get("statusLine") == STATUS_LINE:
        del document["statusLine"]
    if "hooks" not in document:
        return
    events = member(document, "hooks", dict)
    for event in list(events):
        if not isinstance(events[event], list) or not any(map(_is_ours, events[event])):
            continue
        events[event] = [one for one in events[event] if not _is_ours(one)]
        if not events[event]:
            del events[event]
    if not events:
        del document["hooks"]
    if document.keys() == {"version"}:
        # Without hooks it says nothing.
        document.clear()


def _is_ours(entry: Any) -> bool:
    """Whether all that runs there is ours: a command, or a group of them."""
    commands = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
    return (
        isinstance(commands, list)
        and bool(commands)
        and all(
            isinstance(one, dict) and str(one.get("command")).startswith(OURS) for one in commands
        )
    )


def parse_toml(text: str, path: Path) -> Document:
    """The file as TOML, with its comments. Raises ConfigurationError."""
    try:
        document = tomlkit.parse(text)
        if tomlkit.dumps(document) == text:
            return document
    except (TOMLKitError, ValueError, RecursionError):
        pass
    raise ConfigurationError(
        f"{path} is no TOML that would come back as it is. Nothing is written."
    )


def parse(text: str, path: Path) -> Document:
    """The file as JSON. Raises ConfigurationError, also for what would not come back the same."""
    if not text.strip():
        return {}
    try:
        document = json.loads(
            text, object_pairs_hook=_unrepeated, parse_float=_unrounded, parse_constant=_unrounded
        )
        # Half a character may be written as \ud800, and cannot be written as itself.
        json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ConfigurationError(
            f"{path} would not come back as it is: it is no JSON, or has comments, a name twice, "
            "or a number or letter that changes. Nothing is written."
        ) from None
    if not isinstance(document, dict):
        raise ConfigurationError(f"{path} holds no object of JSON. Nothing is written.")
    return document


def _unrepeated(pairs: list[tuple[str, Any]]) -> Document:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A name stands twice.")
    return found


def _unrounded(text: str) -> float:
    if repr(float(text)) != text or text in ("NaN", "Infinity", "-Infinity"):
        raise ValueError("The number changes.")
    return float(text)


def render(document: Document, like: str) -> str:
    """JSON with the indentation and the line ends of the text that it takes the place of."""
    step = re.search(r"^([ \t]+)\S", like, re.MULTILINE)
    text = json.dumps(document, indent=step[1] if step else 2, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def read_text(path: Path) -> str:
    """Empty if there is no such file. Raises ConfigurationError."""
    try:
        # As it is: reading as text would change line ends.
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read ({type(error).__name__}).") from None


def write_text(path: Path, text: str) -> None:
    """Write the file with the mode that it had; without text remove it. Raises
    ConfigurationError."""
    if text:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        replace_file(path, text, mode=mode)
        return
    try:
        path.unlink()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be removed: {error.strerror}.") from error
