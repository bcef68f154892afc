"""The optional language model: any server that speaks the OpenAI chat API.

Nothing is sent unless LLM_URL and LLM_MODEL are set. Only this module talks to the server. Texts
pass through here, so nothing more than the class of an error is logged.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from orgs.trace_spans import span

# The JSON in a language model's answer. Pure.

_FENCE = "```"


class InvalidAnswerError(ValueError):
    """The answer does not have the required shape."""


def strip_code_fence(text: str) -> str:
    """The answer without the code fence that models often put around JSON."""
    plain = text.strip()
    fenced = plain.startswith(_FENCE) and plain.endswith(_FENCE) and len(plain) >= 2 * len(_FENCE)
    return plain[3:-3].removeprefix("json").strip() if fenced else text


def parse_json(answer: str) -> Any:
    """The JSON of an answer. Raises InvalidAnswerError."""
    try:
        return json.loads(strip_code_fence(answer))
    except (ValueError, RecursionError):
        raise InvalidAnswerError("no JSON") from None


MAX_ANSWER_BYTES = 4_000_000
# A whole answer may take this many times LLM_TIMEOUT, which limits each silence.
TOTAL_TIMEOUT_FACTOR = 2


class ModelAnswerError(Exception):
    """There was no valid answer; the message quotes nothing of it."""


def is_configured() -> bool:
    """Whether a language model is configured."""
    return bool(settings.LLM_URL and settings.LLM_MODEL)


class _NoRedirectHandler(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would send texts and the key to a server that nobody
    configured."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The tokens of one question and its answer, as the server counts them; 0 where it does not
    say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


def ask(system: str, user: str) -> str:
    """The text of the model's answer to a system and a user message. Raises ModelAnswerError."""
    return ask_with_usage(system, user)[0]


def ask_with_usage(
    system: str, user: str, *, seconds: float | None = None
) -> tuple[str, ModelUsage]:
    """(the text of the model's answer, its tokens). Raises ModelAnswerError.

    seconds: for somebody who waits, how long the whole may take, if that is less than LLM_TIMEOUT.
    """
    with _ask(system, user, seconds) as (answer, ends):
        return _parse_whole(b"".join(_iter_limited(answer, ends)))


def stream_answer(
    system: str, user: str, *, seconds: float
) -> Generator[str, None, tuple[str, ModelUsage]]:
    """The pieces of the model's answer as they come; it returns what `ask_with_usage` does. Raises
    ModelAnswerError. A server that sends no stream gives one piece."""
    pieces: list[str] = []
    usage = ModelUsage()
    with _ask(system, user, seconds, stream=True, stream_options={"include_usage": True}) as (
        answer,
        ends,
    ):
        if answer.headers.get_content_type() != "text/event-stream":
            whole = _parse_whole(b"".join(_iter_limited(answer, ends)))
            yield whole[0]
            return whole
        for line in _iter_lines(_iter_limited(answer, ends)):
            field, _, data = line.partition(b":")
            if field != b"data" or data.strip() == b"[DONE]":
                continue
            event = json.loads(data)
            if event.get("usage"):
                usage = _parse_usage(event["usage"])
            for choice in event["choices"][:1]:
                if isinstance(piece := choice["delta"].get("content"), str):
                    pieces.append(piece)
                    yield piece
    return "".join(pieces), usage


@contextmanager
def _ask(
    system: str, user: str, seconds: float | None, **more: Any
) -> Iterator[tuple[Any, float | None]]:
    """The server's answer, open, and when it has to be there by time.monotonic(). What goes wrong
    inside becomes a ModelAnswerError."""
    silence = settings.LLM_TIMEOUT if seconds is None else min(seconds, settings.LLM_TIMEOUT)
    ends = None if seconds is None else time.monotonic() + silence
    if urlsplit(settings.LLM_URL).scheme not in ("http", "https"):
        raise ModelAnswerError("no address of the web")
    question = {
        "model": settings.LLM_MODEL,
        "temperature": 0,
        "response_format": {"type": "json_object"},
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ],
        **more,
    }
    headers = {"Content-Type": "application/json"}
    if settings.LLM_KEY:
        headers["Authorization"] = f"Bearer {settings.LLM_KEY}"
    request = urllib.request.Request(  # noqa: S310 - the scheme is looked at above
        f"{settings.LLM_URL.rstrip('/')}/chat/completions",
        data=json.dumps(question).encode(),
        headers=headers,
    )
    opener = urllib.request.build_opener(_NoRedirectHandler)
    try:
        with span("language model"):
            opened = opener.open(request, timeout=silence)
        with opened as answer:
            yield answer, ends
    except urllib.error.HTTPError as error:
        raise ModelAnswerError(f"status {error.code}") from None
    except (OSError, HTTPException, *_MALFORMED) as error:
        raise ModelAnswerError(type(error).__name__) from None


# What reading an answer of another shape raises.
_MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def _parse_whole(raw: bytes) -> tuple[str, ModelUsage]:
    body = json.loads(raw)
    content = body["choices"][0]["message"]["content"]
    if not isinstance(content, str):
        raise ModelAnswerError("no text")
    return content, _parse_usage(body.get("usage"))


# No question and no answer has more; what is said beyond that is nonsense.
_MOST_TOKENS = 100_000_000


def _parse_usage(said: Any) -> ModelUsage:
    def count(name: str) -> int:
        value = said.get(name) if isinstance(said, dict) else None
        if not isinstance(value, int) or isinstance(value, bool):
            return 0
        return value if 0 <= value <= _MOST_TOKENS else 0

    return ModelUsage(count("prompt_tokens"), count("completion_tokens"))


def _iter_limited(answer: Any, ends: float | None) -> Iterator[bytes]:
    """The bytes of the answer as they come. Raises ModelAnswerError if it is too long or takes too
    long.

    ends: by time.monotonic(), if the whole has an end of its own.
    """
    ends = ends or time.monotonic() + TOTAL_TIMEOUT_FACTOR * settings.LLM_TIMEOUT
    size = 0
    while part := answer.read1(65_536):
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise ModelAnswerError("too long")
        if time.monotonic() > ends:
            raise ModelAnswerError("too slow")
        yield part


def _iter_lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without their ends."""
    waiting: list[bytes] = []
    for part in parts:
        *lines, rest = part.split(b"\n")
        for line in lines:
            yield b"".join([*waiting, line]).rstrip(b"\r")
            waiting.clear()
        waiting.append(rest)
    if waiting:
        yield b"".join(waiting)
