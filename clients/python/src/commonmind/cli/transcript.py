"""What was said in a coding agent's session: its event, and its file of the conversation."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

# Of the file its end is read; the beginning of a longer one was read after earlier turns.
MAX_FILE_BYTES = 4 * 1024 * 1024
# What is longer is mostly a file or a log; its beginning says what it is about.
MAX_TEXT_CHARACTERS = 8_000
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
# What hosts put into a prompt beside the person's words, and what we do.
_INSERTED = (
    ("<system-reminder>", "</system-reminder>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
    ("<command-name>", "</command-name>"),
    ("<command-message>", "</command-message>"),
    ("<command-args>", "</command-args>"),
    ("<bash-stdout>", "</bash-stdout>"),
    ("<bash-stderr>", "</bash-stderr>"),
)
_OUR_MARK = re.compile(r"\[begin ([0-9a-f]{16}): remembered data")


@dataclass(frozen=True)
class Message:
    """One side of a turn. id: the same each time that it is read. sent_at: in RFC 3339, or None."""

    id: str
    role: str
    text: str
    sent_at: str | None


def read_turns(event: dict[str, Any], most: int) -> list[Message]:
    """The last turns of the session, oldest first: of each what the person asked and what the agent
    said at its end. Empty for what cannot be read. most: how many turns."""
    turns = list(_turns(_read_lines(event.get("transcript_path"))))[-most:]
    answer, prompt = _first_text(event, _ANSWERS), _first_text(event, ("prompt",))
    if prompt and not (turns and turns[-1].prompt == prompt):
        # A host that tells the turn itself; the time tells two equal turns apart.
        digest = hashlib.sha256(prompt.encode(errors="surrogatepass")).hexdigest()[:32]
        told_at = _moment(event.get("timestamp")) or ""
        turns = [*turns, _Turn(f"{told_at}:{digest}", prompt)][-most:]
    if answer and turns:
        # The file may not have it yet.
        turns[-1].answer = answer
    return [one for turn in turns for one in turn.messages()]


# Claude Code and Codex; Gemini CLI.
_ANSWERS = ("last_assistant_message", "prompt_response")


@dataclass
class _Turn:
    id: str
    prompt: str
    sent_at: str | None = None
    answer: str = ""
    answered_at: str | None = None

    def messages(self) -> Iterator[Message]:
        yield Message(self.id, "user", self.prompt, self.sent_at)
        if self.answer:
            yield Message(f"{self.id}:answer", "agent", self.answer, self.answered_at)


def _turns(lines: Iterator[dict[str, Any]]) -> Iterator[_Turn]:
    current: _Turn | None = None
    for line in lines:
        message = line.get("message")
        # Of another agent that was asked, of the host itself, or a summary of what went before.
        if (
            not isinstance(message, dict)
            or line.get("isSidechain")
            or line.get("isMeta")
            or line.get("isCompactSummary")
        ):
            continue
        text, moment = clean(_text_of(message.get("content"))), _moment(line.get("timestamp"))
        if not text:
            continue
        if message.get("role") == "user" and isinstance(line.get("uuid"), str):
            if current is not None:
                yield current
            current = _Turn(line["uuid"][:200], text, moment)
        elif message.get("role") == "assistant" and current is not None:
            # The last text of a turn says what came of it; those before say what is tried.
            current.answer, current.answered_at = text, moment
    if current is not None:
        yield current


def _read_lines(path: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(path, str) or not path:
        return
    with contextlib.suppress(OSError, ValueError), _open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - MAX_FILE_BYTES))
        for line in file.read(MAX_FILE_BYTES).split(b"\n"):
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value


def _open_file(path: str) -> BinaryIO:
    """Raises OSError, also for a pipe or device, which would be waited for."""
    if not Path(path).is_file():
        raise FileNotFoundError(path)
    return Path(path).open("rb")


def _text_of(content: Any) -> str:
    """The text of a message: a string, or the parts of a list that are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [one for one in content if isinstance(one, dict)]
    if any(one.get("type") == "tool_result" for one in parts):
        return ""
    return "\n".join(
        one["text"]
        for one in parts
        if one.get("type") == "text" and isinstance(one.get("text"), str)
    )


def _first_text(event: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((clean(event[name]) for name in names if isinstance(event.get(name), str)), "")


def _moment(value: Any) -> str | None:
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def clean(text: str) -> str:
    """The words of whoever wrote it, without what a host or `commonmind hook` put in; at most
    MAX_TEXT_CHARACTERS. What we remembered for a prompt is not remembered again."""
    for begin, end in _INSERTED:
        text = _without(text, begin, end)
    return _without_ours(text).strip()[:MAX_TEXT_CHARACTERS].strip()


def _without_ours(text: str) -> str:
    kept, begin = [], 0
    while mark := _OUR_MARK.search(text, begin):
        kept.append(text[begin : mark.start()])
        end = f"[end {mark[1]}]"
        found = text.find(end, mark.end())
        begin = len(text) if found < 0 else found + len(end)
    return "".join([*kept, text[begin:]])


def _without(text: str, begin: str, end: str) -> str:
    """The text without what stands between these; what never ends goes to the end."""
    first, *others = text.split(begin)
    return "".join([first, *(one.partition(end)[2] for one in others)])
