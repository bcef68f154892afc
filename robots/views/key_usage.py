"""A new key: the first calls to make with it, and whether it was used yet."""

import json
import shlex
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from orgs.languages.page_text import lazy_text
from orgs.views.page_access import ADMINS, members_only
from robots.access.robot_administration import get_key_usage
from robots.models.keys import Key

# The page asks again every two seconds, for five minutes.
MAX_POLLS = 150
EXAMPLE_MEMORY = "The office closes at six on Fridays."
EXAMPLE_ROBOT = "Scribe"
EXAMPLE_QUERY = "When does the office close?"
FROM_ENVIRONMENT = lazy_text("It reads the key from the environment each time that it starts.")
KEEP_OUT = lazy_text("Save it in this file of your project, and keep the file out of repositories.")


def ways_to_connect(key: Key, secret: str) -> list[dict[str, Any]]:
    """[{title, note, blocks: [{title, code}]}] for the page of a key: what it may do, with the key
    in it, so that each block works as it is copied."""
    reads, writes = ("read" in key.scopes), ("write" in key.scopes)
    ways = []
    if commands := _commands(reads, writes, secret):
        ways.append({"title": gettext("A terminal"), "note": "", "blocks": commands})
    if reads:
        ways += [
            {"title": host, "note": KEEP_OUT, "blocks": [{"title": path, "code": _json(config)}]}
            for host, path, config in _mcp_configurations(secret)
        ]
        ways.append({
            "title": "Codex", "note": FROM_ENVIRONMENT,
            "blocks": [{"title": gettext("A terminal"), "code": _codex_commands(secret)}],
        })  # fmt: skip
    if reads or writes:
        program = _program(reads, writes, secret)
        ways.append({
            "title": "Python", "note": "",
            "blocks": [{"title": gettext("A program"), "code": program}],
        })  # fmt: skip
    return ways


def _commands(reads: bool, writes: bool, secret: str) -> list[dict[str, str]]:
    calls = []
    if writes:
        calls.append((gettext("Remember something"), "memories", {"content": EXAMPLE_MEMORY}))
    if reads:
        calls.append((gettext("Recall it"), "recall", {"query": EXAMPLE_QUERY}))
    return [{"title": title, "code": _curl(path, body, secret)} for title, path, body in calls]


def _mcp_configurations(secret: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(host, file, what stands in it), as docs/agents/mcp.md has them."""
    server = {
        "url": f"{settings.PUBLIC_URL}/mcp",
        "headers": {"Authorization": f"Bearer {secret}"},
    }
    yield "Claude Code", ".mcp.json", {"mcpServers": {"commonmind": {"type": "http"} | server}}
    yield "Cursor", ".cursor/mcp.json", {"mcpServers": {"commonmind": server}}
    yield "VS Code", ".vscode/mcp.json", {"servers": {"commonmind": {"type": "http"} | server}}
    # Its `url` is the older transport.
    gemini = {"httpUrl": server["url"], "headers": server["headers"]}
    yield "Gemini CLI", ".gemini/settings.json", {"mcpServers": {"commonmind": gemini}}


def _codex_commands(secret: str) -> str:
    return (
        f"export COMMONMIND_KEY='{secret}'\n"
        f"codex mcp add commonmind --url {settings.PUBLIC_URL}/mcp \\\n"
        "  --bearer-token-env-var COMMONMIND_KEY"
    )


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)


def _program(reads: bool, writes: bool, secret: str) -> str:
    lines = ["# pip install ./clients/python", "from commonmind import Client", ""]
    lines.append(f'with Client("{settings.PUBLIC_URL}", "{secret}") as client:')
    if writes:
        lines.append(f'    client.remember("{EXAMPLE_MEMORY}")')
    if reads:
        lines.append(f'    print(client.context("{EXAMPLE_QUERY}")["text"])')
    return "\n".join(lines)


def enrolment_command(secret: str) -> str:
    """The command by which a robot registers itself."""
    return _curl("enrol", {"name": EXAMPLE_ROBOT}, secret)


def _curl(path: str, body: dict[str, str], secret: str) -> str:
    return (
        f"curl -s {settings.PUBLIC_URL}/api/v1/{path} \\\n"
        f"  -H 'Authorization: Bearer {secret}' \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(orjson.dumps(body).decode())}"
    )


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@members_only(*ADMINS)
def key_usage(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Whether a key was used yet; the page asks again until it was, for five minutes at most."""
    now = timezone.now()
    found = get_key_usage(request.actor, key_id=key_id, now=now)
    asked = _parse_count(request.GET.get("asked", ""))
    again = found.at is None and not found.over and asked < MAX_POLLS
    context = {
        "robot": found.robot,
        "robot_id": found.robot_id,
        "at": found.at,
        "ago": _format_age((now - found.at).total_seconds()) if found.at else "",
        "over": found.over,
        "heard_url": reverse("key-heard", args=[key_id]),
        "again_url": f"{reverse('key-heard', args=[key_id])}?asked={asked + 1}" if again else "",
    }
    part = "#heard" if request.htmx else ""
    return render(request, f"robots/heard.html{part}", context)


def _parse_count(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _format_age(seconds: float) -> str:
    """3 s ago, 2 min ago, 5 h ago; never of the future."""
    whole = max(0, int(seconds))
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if whole >= 2 * size:
            return gettext("%(whole)s %(unit)s ago") % {"whole": whole // size, "unit": unit}
    return gettext("%(whole)s s ago") % {"whole": whole}
