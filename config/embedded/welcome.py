"""The text after a start: where the site is, how to sign in, an example request."""

import json
import shlex
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from config.embedded.private_files import read_json
from config.embedded.processes.logs import say

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


def announce(url: str, data_dir: Path, ready: bool) -> None:
    """Print the address, and the log-ins, a key and a curl from DATA_DIR/demo.json."""
    if not ready:
        say(f"\n{url}/readyz does not answer 200 yet; the logs are in {data_dir / 'log'}\n")
        return
    say("\n".join(["", *_lines(url, read_json(data_dir / "demo.json"), data_dir), ""]))


def _lines(url: str, demo: dict[str, Any], data_dir: Path) -> list[str]:
    lines = [f"Commonmind is ready: {url}"]
    if owner := demo.get("owner"):
        lines += ["", "Your own account, admin of everything here:"]
        lines += [f"  {owner['role']:<9} {owner['email']:<34} {owner['password']}"]
    if demo.get("users"):
        lines += ["", f"Sign in as somebody of the organisation {demo.get('organisation', '')}:"]
        lines += [
            f"  {user['role']:<9} {user['email']:<34} {user['password']}" for user in demo["users"]
        ]
    if demo.get("robots"):
        robot = demo["robots"][0]
        lines += ["", f"Key of the robot {robot['name']}:", f"  {robot['key']}"]
        lines += ["", "Ask it something:", *_curl(url, robot["key"], demo.get("question"))]
    return [*lines, "", f"Logs: {data_dir / 'log'}   Stop: Ctrl-C"]


def _curl(url: str, key: str, question: str | None) -> list[str]:
    body = json.dumps({"query": question or DEFAULT_QUESTION, "limit": 3}, ensure_ascii=False)
    return [
        f"  curl -s {url}/api/v1/recall \\",
        f"    -H {shlex.quote(f'Authorization: Bearer {key}')} \\",
        "    -H 'Content-Type: application/json' \\",
        f"    -d {shlex.quote(body)}",
    ]
