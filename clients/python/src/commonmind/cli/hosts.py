"""Tell a coding agent where the server is: the file of its project that names MCP servers."""

from __future__ import annotations

import copy
import difflib
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from commonmind.cli.session import USAGE, Session, command_options
from commonmind.configuration import KEY_VARIABLE, find_url, replace_file
from commonmind.errors import ConfigurationError

NAME = "commonmind"
# What VS Code asks for once and keeps in its own store.
VSCODE_INPUT = {
    "type": "promptString",
    "id": "commonmind-key",
    "description": "Key",
    "password": True,
}
Document = dict[str, Any]


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


def _headers(variable: str) -> Document:
    return {"Authorization": f"Bearer ${{{variable}}}"}


HOSTS = {
    "claude-code": Host(
        "Claude Code",
        ".mcp.json",
        "mcpServers",
        lambda url: {"type": "http", "url": url, "headers": _headers(KEY_VARIABLE)},
    ),
    "cursor": Host(
        "Cursor",
        ".cursor/mcp.json",
        "mcpServers",
        lambda url: {"url": url, "headers": _headers(f"env:{KEY_VARIABLE}")},
    ),
    "vscode": Host(
        "VS Code",
        ".vscode/mcp.json",
        "servers",
        lambda url: {"type": "http", "url": url, "headers": _headers("input:commonmind-key")},
        needs_key=False,
    ),
    "gemini": Host(
        "Gemini CLI",
        ".gemini/settings.json",
        "mcpServers",
        lambda url: {"httpUrl": url, "headers": _headers(KEY_VARIABLE)},
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
@click.option("--undo", is_flag=True, help="Take it out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@command_options
def setup(session: Session, host: str, folder: Path, *, undo: bool, yes: bool) -> None:
    """Tell the coding agent HOST in this project where the server is, by MCP.

    Shows what changes in its file before anything is written. The key is never written: the agent
    reads it from COMMONMIND_KEY, or asks for it.
    """
    chosen = HOSTS[host]
    # What a link leads to is written, and the link stays.
    path = Path(os.path.realpath(folder / chosen.path))
    before = read_text(path)
    after = without_server(before, chosen, path) if undo else with_server(before, chosen, path)
    result = {"host": host, "file": str(path), "changed": before != after}
    if before == after:
        session.output.value(result, f"Nothing to do in {path}.")
        return
    show_difference(session, path, before, after)
    if not yes:
        if not sys.stdin.isatty():
            session.output.problem("Nothing is written. Say --yes to write it.")
            click.get_current_context().exit(USAGE)
        click.confirm("Write it?", abort=True, err=True)
    if read_text(path) != before:
        raise ConfigurationError(f"{path} was changed meanwhile. Nothing is written.")
    write_text(path, after)
    session.output.value(result, f"{path} is written." if after else f"{path} is gone.")
    if chosen.needs_key and not undo:
        session.output.note(f"{chosen.title} reads the key from {KEY_VARIABLE}.")


def show_difference(session: Session, path: Path, before: str, after: str) -> None:
    """On stderr, so that stdout holds the result alone."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2
    )
    for line in lines:
        style = {"+": "green", "-": "red"}.get(line[:1], "")
        session.output.note(line, style=style)


def with_server(text: str, host: Host, path: Path) -> str:
    """The file's text with our server in it, all else as it was. Raises ConfigurationError."""
    document = parse(text, path)
    changed = copy.deepcopy(document)
    servers = member(changed, host.servers, dict, path)
    servers[NAME] = host.entry(f"{find_url()}/mcp")
    if not host.needs_key:
        inputs = member(changed, "inputs", list, path)
        if VSCODE_INPUT["id"] not in [_id_of(one) for one in inputs]:
            inputs.append(dict(VSCODE_INPUT))
    return text if changed == document else render(changed, text)


def without_server(text: str, host: Host, path: Path) -> str:
    """The file's text without our server; empty if nothing else was in it. Raises
    ConfigurationError."""
    document = parse(text, path)
    changed = copy.deepcopy(document)
    servers = member(changed, host.servers, dict, path)
    if servers.pop(NAME, None) is None:
        return text
    touched = [host.servers]
    if not host.needs_key:
        inputs = member(changed, "inputs", list, path)
        inputs[:] = [one for one in inputs if _id_of(one) != VSCODE_INPUT["id"]]
        touched.append("inputs")
    for name in touched:
        if not changed[name]:
            del changed[name]
    return render(changed, text) if changed else ""


def member(document: Document, name: str, kind: type[Any], path: Path) -> Any:
    """A member of the file, made where there is none. Raises ConfigurationError."""
    found = document.setdefault(name, kind())
    if not isinstance(found, kind):
        raise ConfigurationError(f"{name!r} in {path} is not what was expected there.")
    return found


def _id_of(one: Any) -> Any:
    return one.get("id") if isinstance(one, dict) else None


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
