"""What coding agents run by themselves: recall on the prompt, retain at the end of a turn.

Never in their way: whatever is wrong, a hook ends with 0 and says nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from commonmind.calls import Call, get, segment, write
from commonmind.cli.input import stdin
from commonmind.cli.output import safe
from commonmind.cli.transcript import Message, clean, read_turns
from commonmind.client import Client
from commonmind.configuration import find_target, replace_file
from commonmind.errors import CommonmindError, NotFoundError

# Everything together has two seconds; Python itself takes its part of them.
TIMEOUT_SECONDS = 1.4
MAX_INPUT_BYTES = 4 * 1024 * 1024
# The beginning says what it is about; the rest is often a file or a log.
MAX_QUERY_CHARACTERS = 2_000
MAX_TOKENS = 400
MAX_ANSWER_BYTES = 2_048
# At the end of a turn also those before it are sent: a server that was away has missed them.
TURNS_AT_STOP = 3
TURNS_BEFORE_COMPACTING = 20
OPENING_QUERY = "What is open, and what holds here?"
STATE_DAYS = 30


@click.group()
def hook() -> None:
    """What a coding agent runs at its events. It reads the agent's JSON from stdin, and ends with 0
    in silence when there is nothing to say or nobody answers."""


# Agents that hand over a turn in parts, and no file of the session that is read.
HOSTS_OF_PARTS = ("codex", "cursor", "vscode")
# Of these the ones that take nothing in at a prompt.
DEAF_AT_PROMPTS = ("cursor", "vscode")
host_option = click.option(
    "--host", type=click.Choice(HOSTS_OF_PARTS), help="The agent, where it has a form of its own."
)


# What Cursor and VS Code call what the others have under these names.
OTHER_NAMES = {
    "session_id": ("conversation_id", "sessionId"),
    "hook_event_name": ("hookEventName",),
}


@hook.command("session-start")
@host_option
def session_start(host: str | None) -> None:
    """Print what is always at hand: notes, preferences and open tasks."""
    event = read_event()
    prune_counts()
    with counts_of(event) as counts:
        known, counts.loaded = find_context(OPENING_QUERY, max_memories=0)
    print_context(event, known, host)


@hook.command("user-prompt")
@host_option
def user_prompt(host: str | None) -> None:
    """Print what is known that matters to the prompt, for the agent to read beside it."""
    event = read_event()
    prompt = event.get("prompt")
    given = prompt.strip() if isinstance(prompt, str) else ""
    is_asked = bool(given) and not given.startswith("/")
    if host is not None:
        with counts_of(event) as counts:
            counts.begin_turn(event, given if is_asked else "")
    if not isinstance(prompt, str) or not is_asked or host in DEAF_AT_PROMPTS:
        return
    known, entries = find_context(
        prompt.strip()[:MAX_QUERY_CHARACTERS], include_recent=False, only_answers=True
    )
    with counts_of(event) as counts:
        counts.recalled += entries
    print_context(event, known)


@hook.command()
@click.option("--group", default=None, help="Whose readers read it; by default nobody else.")
@host_option
def stop(group: str | None, host: str | None) -> None:
    """Remember what the turn that has ended said, once."""
    event = read_event()
    if event.get("hook_event_name") == "afterAgentResponse":
        # Cursor tells each text of a turn; the last one says what came of it.
        with counts_of(event) as counts:
            counts.answer = clean(str(event.get("text") or "")) or counts.answer
        return
    retain(event, TURNS_AT_STOP, group, in_parts=host is not None)


@hook.command("pre-compact")
@click.option("--group", default=None, help="Whose readers read it; by default nobody else.")
def pre_compact(group: str | None) -> None:
    """Remember what the session said, before the agent shortens it."""
    retain(read_event(), TURNS_BEFORE_COMPACTING, group)


@hook.command("status-line")
def status_line() -> None:
    """Print in one line what was loaded, recalled and captured in this session."""
    counts = load_counts(read_event().get("session_id"))
    click.echo(
        f"memory: {counts.loaded} loaded, {counts.recalled} recalled, {counts.captured} captured"
    )


def print_context(event: dict[str, Any], known: str, host: str | None = None) -> None:
    """Print a context as the agent reads it; nothing for an empty one."""
    if not known:
        return
    name = event.get("hook_event_name")
    if host == "cursor":
        click.echo(json.dumps({"additional_context": known}))
    elif host == "vscode" or name == "BeforeAgent" or (name == "SessionStart" and is_gemini(event)):
        told = {"hookEventName": name, "additionalContext": known}
        click.echo(json.dumps({"hookSpecificOutput": told}))
    else:
        click.echo(known.encode(errors="backslashreplace"))


def read_event() -> dict[str, Any]:
    """What the agent says; empty for what cannot be read."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(stdin().read(MAX_INPUT_BYTES))
        if isinstance(value, dict):
            for name, others in OTHER_NAMES.items():
                value.setdefault(name, next(filter(None, map(value.get, others)), None))
            return value
    return {}


def find_context(query: str, *, only_answers: bool = False, **fields: Any) -> tuple[str, int]:
    """(a context of at most MAX_ANSWER_BYTES, its number of entries); ("", 0) if there is none or
    the server cannot be asked. only_answers: none unless the memories may answer the query."""
    # Whatever is wrong, the person's own work goes on; `commonmind doctor` says what it is.
    with contextlib.suppress(CommonmindError, ValueError), open_client() as client:
        answer = client.context(query, max_tokens=MAX_TOKENS, **fields)
        if isinstance(answer, dict) and (
            not only_answers or answer.get("answered") in ("yes", "unsure")
        ):
            text = shorten(safe(answer.get("text") or ""))
            return text, sum(line.startswith("[") for line in text.splitlines()[1:-1])
    return "", 0


def is_gemini(event: dict[str, Any]) -> bool:
    """Gemini CLI reads JSON; the others read what is printed."""
    return "/.gemini/" in str(event.get("transcript_path")) or "GEMINI_SESSION_ID" in os.environ


def open_client() -> Client:
    return Client(timeout=TIMEOUT_SECONDS, retries=0)


def retain(event: dict[str, Any], turns: int, group: str | None, *, in_parts: bool = False) -> None:
    """Post the last turns as messages of a conversation: those that are there stay as they are, and
    each goes through what every message goes through. in_parts: the turn was handed over in parts,
    of which the counts of the session have those before."""
    session = event.get("session_id")
    said = load_counts(session).turn_said(event) if in_parts else read_turns(event, turns)
    if not said or not isinstance(session, str) or not session:
        return
    with (
        contextlib.suppress(CommonmindError, ValueError, KeyError, TypeError),
        open_client() as client,
        counts_of(event) as counts,
    ):
        ask = within(TIMEOUT_SECONDS, client)
        here = find_target()
        place = hashlib.sha256(f"{here.url}\n{here.key}\n{group or ''}".encode()).hexdigest()
        if not counts.conversation or counts.place != place:
            # A personal robot speaks for its member alone, if its key may, and keeps it between the
            # two. Without that leave it gives all as its own words.
            me = ask(get("me"))
            person = (me.get("member") or {}).get("id") or ""
            acts = person and "act_for" in me["scopes"]
            readers = {"group": group} if group else {"member": person} if acts else {}
            opening = {"external_id": f"session:{session[:250]}", **readers}
            counts.speaker = (person if acts else "") if person else "user"
            counts.conversation = ask(write("POST", "conversations", opening))["id"]
            counts.place = place
        items = [_item(one, counts.speaker) for one in said]
        path = f"conversations/{segment(counts.conversation)}/messages/batch"
        try:
            results = ask(write("POST", path, {"items": items}))["results"]
        except NotFoundError:
            # It was deleted, or this is another server: the next turn opens one anew.
            counts.conversation = ""
            return
        counts.captured += sum(one["status"] == "kept" and bool(one["memory"]) for one in results)
        counts.turn = counts.prompt = counts.answer = ""


def within(seconds: float, client: Client) -> Callable[[Call[Any]], Any]:
    """A function that sends calls, for all of which together there are so many seconds."""
    end = time.monotonic() + seconds

    def ask(call: Call[Any]) -> Any:
        left = max(end - time.monotonic(), 0.05)
        return client.with_options(timeout=left).run(call)

    return ask


def _item(one: Message, speaker: str) -> dict[str, Any]:
    item = {"external_id": one.id, "role": one.role, "content": one.text}
    if one.role == "user" and speaker:
        item["speaker"] = speaker
    if one.sent_at:
        item["sent_at"] = one.sent_at
    return item


@dataclass
class Counts:
    """What the hooks did in a session. loaded, recalled: entries that the agent was given;
    captured: memories that were made. conversation, speaker: where its turns are kept, and as whose
    words; place: a digest of server, key and group for which these two are right. turn, prompt,
    answer: of the turn that runs, where the agent hands it over in parts; none once it is kept."""

    loaded: int = 0
    recalled: int = 0
    captured: int = 0
    conversation: str = ""
    speaker: str = ""
    place: str = ""
    turn: str = ""
    prompt: str = ""
    answer: str = ""

    def begin_turn(self, event: dict[str, Any], prompt: str) -> None:
        """Note a prompt until its turn has ended; empty if there is nothing to keep of it."""
        named = next(filter(None, map(event.get, ("turn_id", "generation_id", "timestamp"))), None)
        self.turn = str(named or uuid.uuid4().hex)[:100]
        self.prompt, self.answer = clean(prompt), ""

    def turn_said(self, event: dict[str, Any]) -> list[Message]:
        """The turn that has ended with this event; empty without a prompt."""
        if not self.prompt:
            return []
        said = event.get("last_assistant_message")
        answer = clean(said) if isinstance(said, str) else self.answer
        messages = [Message(self.turn, "user", self.prompt, None)]
        if answer:
            messages.append(Message(f"{self.turn}:answer", "agent", answer, None))
        return messages


def counts_path(session: str) -> Path:
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    name = hashlib.sha256(session.encode(errors="surrogatepass")).hexdigest()[:32]
    return Path(base) / "commonmind" / "sessions" / f"{name}.json"


def load_counts(session: Any) -> Counts:
    """The counts of a session; zeros for what cannot be read."""
    if not isinstance(session, str):
        return Counts()
    with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
        counts = Counts(**json.loads(counts_path(session).read_text(encoding="utf-8")))
        if all(type(getattr(counts, n)) is type(v) for n, v in asdict(Counts()).items()):
            return counts
    return Counts()


@contextmanager
def counts_of(event: dict[str, Any]) -> Iterator[Counts]:
    """The counts of the event's session, stored again at the end."""
    session = event.get("session_id")
    counts = load_counts(session)
    before = asdict(counts)
    yield counts
    if isinstance(session, str) and asdict(counts) != before:
        with contextlib.suppress(CommonmindError):
            text = json.dumps(asdict(counts))
            replace_file(counts_path(session), text, mode=0o600, folder_mode=0o700)


def prune_counts() -> None:
    """Delete counts of sessions that nobody has gone on with for STATE_DAYS."""
    with contextlib.suppress(OSError):
        for path in counts_path("").parent.iterdir():
            if path.stat().st_mtime < time.time() - STATE_DAYS * 86_400:
                path.unlink(missing_ok=True)


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
