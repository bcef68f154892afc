"""What coding agents run by themselves: recall on the prompt. Never in their way."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import click

from commonmind.cli.input import stdin
from commonmind.cli.output import safe
from commonmind.client import Client
from commonmind.errors import CommonmindError

# Everything together has two seconds; Python itself takes its part of them.
TIMEOUT_SECONDS = 1.4
MAX_INPUT_BYTES = 4 * 1024 * 1024
# The beginning says what it is about; the rest is often a file or a log.
MAX_QUERY_CHARACTERS = 2_000
MAX_TOKENS = 400
MAX_ANSWER_BYTES = 2_048
# Gemini CLI reads JSON and names the event so; the others read what is printed.
READS_JSON = "BeforeAgent"


@click.group()
def hook() -> None:
    """What a coding agent runs at its events. It reads the agent's JSON from stdin, and ends with 0
    in silence when there is nothing to say or nobody answers."""


@hook.command("user-prompt")
def user_prompt() -> None:
    """Print what is known that matters to the prompt, for the agent to read beside it."""
    given = read_event()
    known = find_known(given.get("prompt"))
    if not known:
        return
    event = given.get("hook_event_name")
    if event == READS_JSON:
        told = {"hookEventName": event, "additionalContext": known}
        click.echo(json.dumps({"hookSpecificOutput": told}))
    else:
        click.echo(known.encode(errors="backslashreplace"))


def read_event() -> dict[str, Any]:
    """What the agent says; empty for what cannot be read."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(stdin().read(MAX_INPUT_BYTES))
        if isinstance(value, dict):
            return value
    return {}


def find_known(prompt: Any) -> str:
    """A context for the prompt, of at most MAX_ANSWER_BYTES; empty if nothing here answers it, if
    the prompt is a command of the agent, or if the server cannot be asked."""
    if not isinstance(prompt, str) or not prompt.strip() or prompt.lstrip().startswith("/"):
        return ""
    query = prompt.strip()[:MAX_QUERY_CHARACTERS]
    # Whatever is wrong, the person's own work goes on; `commonmind doctor` says what it is.
    with (
        contextlib.suppress(CommonmindError, ValueError),
        Client(timeout=TIMEOUT_SECONDS, retries=0) as client,
    ):
        answer = client.context(query, max_tokens=MAX_TOKENS, include_recent=False)
        if isinstance(answer, dict) and answer.get("answered") in ("yes", "unsure"):
            return shorten(safe(answer.get("text") or ""))
    return ""


def shorten(text: str) -> str:
    """The text without its last entries, so that it fits; both marks stay. Empty if none fits.

    Without the marks it is no context: an agent would read a JSON object as orders to itself.
    """
    lines = text.splitlines()
    if not text.startswith("[begin ") or not lines[-1].startswith("[end "):
        return ""
    while len(lines) > 2 and len("\n".join(lines).encode()) > MAX_ANSWER_BYTES:
        # Further lines of an entry go with it, and a heading with its last entry.
        while lines.pop(-2).startswith("  | ") and len(lines) > 2:
            pass
    while len(lines) > 2 and lines[-2].startswith("## "):
        lines.pop(-2)
    return "\n".join(lines) if len(lines) > 2 else ""
