"""A new key: the first calls to make with it, and whether it was used yet."""

import shlex
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from orgs.views.page_access import ADMINS, members_only
from robots.access.robot_administration import get_key_usage
from robots.models.keys import Key

# The page asks again every two seconds, for five minutes.
MAX_POLLS = 150
EXAMPLE_MEMORY = "The office closes at six on Fridays."
EXAMPLE_ROBOT = "Scribe"
EXAMPLE_QUERY = "When does the office close?"


def example_commands(key: Key, secret: str) -> dict[str, Any]:
    """{commands: [{title, code}], heard_url} for the page of a key: commands that it may use."""
    calls = []
    if "write" in key.scopes:
        calls.append(("Remember something", "memories", {"content": EXAMPLE_MEMORY}))
    if "read" in key.scopes:
        calls.append(("Recall it", "recall", {"query": EXAMPLE_QUERY}))
    return {
        "commands": [
            {"title": title, "code": _curl(path, body, secret)} for title, path, body in calls
        ],
        "heard_url": reverse("key-heard", args=[key.id]) if calls else "",
    }


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
            return f"{whole // size} {unit} ago"
    return f"{whole} s ago"
