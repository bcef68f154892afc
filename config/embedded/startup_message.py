"""The text after a start: where the site is, how to sign in, an example request.

Passwords and keys are printed once, after the start that made them. A terminal is recorded, shared
and scrolled back to, so later starts say in which file they stand.
"""

import hashlib
import json
import shlex
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from config.embedded.private_files import read_json, write_json
from config.embedded.processes.logs import print_line

# Ignore proxies in the environment for 127.0.0.1.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

DEFAULT_QUESTION = "What did we decide?"


def is_ready(url: str) -> bool:
    """Whether the web server answers 200 at /readyz."""
    try:
        with _opener.open(f"{url}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def print_startup_message(url: str, data_dir: Path, ready: bool) -> None:
    """Print the address, and the log-ins, a key and a curl from DATA_DIR/demo.json."""
    if not ready:
        print_line(f"\n{url}/readyz does not answer 200 yet; the logs are in {data_dir / 'log'}\n")
        return
    demo = read_json(data_dir / "demo.json")
    print_line(
        "\n".join(["", *_message_lines(url, demo, data_dir, _were_shown(demo, data_dir)), ""])
    )


def _were_shown(demo: dict[str, Any], data_dir: Path) -> bool:
    """Whether these log-ins were printed before; from now on they were."""
    digest = hashlib.sha256(json.dumps(demo, sort_keys=True).encode()).hexdigest()
    shown = data_dir / "shown.json"
    before = read_json(shown).get("demo") == digest
    if demo and not before:
        write_json(shown, {"demo": digest})
    return before


def _message_lines(url: str, demo: dict[str, Any], data_dir: Path, were_shown: bool) -> list[str]:
    """The lines. were_shown: leave out passwords and keys."""
    file = data_dir / "demo.json"
    lines = [f"Commonmind is ready: {url}"]
    if owner := demo.get("owner"):
        lines += ["", "Your own account, admin of everything here:", _log_in(owner, were_shown)]
    if demo.get("users"):
        lines += ["", f"Sign in as somebody of the organisation {demo.get('organisation', '')}:"]
        lines += [_log_in(user, were_shown) for user in demo["users"]]
    if demo.get("robots"):
        robot = demo["robots"][0]
        key = f"\"$(grep -o 'cmk_[A-Za-z0-9_-]*' {shlex.quote(str(file))} | head -n 1)\""
        if not were_shown:
            key = shlex.quote(robot["key"])
            lines += ["", f"Key of the robot {robot['name']}:", f"  {robot['key']}"]
        lines += ["", "Ask it something:", *_curl(url, key, demo.get("question"))]
    if demo and were_shown:
        lines += ["", f"Passwords and keys were printed at the first start; they stand in {file}"]
    return [*lines, "", f"Logs: {data_dir / 'log'}   Stop: Ctrl-C"]


def _log_in(user: dict[str, Any], were_shown: bool) -> str:
    return (
        f"  {user['role']:<9} {user['email']:<34} {'' if were_shown else user['password']}".rstrip()
    )


def _curl(url: str, key: str, question: str | None) -> list[str]:
    """The lines of an example request. key: as a word of the shell."""
    body = json.dumps({"query": question or DEFAULT_QUESTION, "limit": 3}, ensure_ascii=False)
    return [
        f"  curl -s {url}/api/v1/recall \\",
        f"    -H 'Authorization: Bearer '{key} \\",
        "    -H 'Content-Type: application/json' \\",
        f"    -d {shlex.quote(body)}",
    ]
