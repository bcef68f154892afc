"""Sign in, find out what is wrong, complete words in the shell: login, doctor, completion."""

from __future__ import annotations

import contextlib
import email.utils
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import click
import httpx
from click.shell_completion import get_completion_class

from commonmind.cli.input import stdin
from commonmind.cli.session import AWAY, REFUSED, USAGE, Session, command_options
from commonmind.configuration import (
    URL_VARIABLE,
    StoredLogins,
    Target,
    clean_key,
    clean_url,
    config_path,
    find_target,
    readable_by_others,
    user_agent,
)
from commonmind.errors import (
    CommonmindError,
    ConfigurationError,
    RefusedError,
    ServerError,
)

MAX_KEY_BYTES = 4096
# Times of the server and of this machine may differ by so much, in seconds.
CLOCK_TOLERANCE = 60


@click.command()
@click.argument("url")
@command_options
def login(session: Session, url: str) -> None:
    """Store a robot's key for the server at URL.

    The key is asked for, or read from stdin if that is no terminal. It is tried before it is
    stored, in a file that only you can read.
    """
    url = clean_url(url)
    key = clean_key(read_key())
    with session.client(url, key) as client:
        caller = client.me()
    stored = StoredLogins.load()
    stored.keys[url], stored.current = key, url
    path = stored.save()
    said = {"url": url, "name": caller["name"], "organisation": caller["organisation"]["name"]}
    text = f"You are {said['name']} of {said['organisation']} at {url}. The key is in {path}."
    session.output.value({**said, "file": str(path)}, text)
    if (other := os.environ.get(URL_VARIABLE)) and clean_url(other) != url:
        session.output.warn(f"{URL_VARIABLE} names another server, and comes first.")


def read_key() -> str:
    """The key, without an echo on a terminal. Raises ConfigurationError for what is no text."""
    if sys.stdin.isatty():
        return str(click.prompt("Key", hide_input=True, err=True))
    raw = stdin().read(MAX_KEY_BYTES)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError("What was given as the key is no text.") from error


@click.command()
@command_options
def doctor(session: Session) -> None:
    """Look whether configuration, server and key are as they should be."""
    worst = 0
    rows = []
    for what, state, said in examine(session):
        rows.append({"check": what, "state": state, "detail": said})
        worst = max(worst, {"away": AWAY, "refused": REFUSED, "usage": USAGE}.get(state, 0))
        if not session.output.as_json:
            mark = {"ok": "ok", "warn": "look"}.get(state, "bad")
            session.output.text(f"{mark:<5}{what}: {said}")
    if session.output.as_json:
        session.output.rows(rows, ())
    if worst:
        click.get_current_context().exit(worst)


def examine(session: Session) -> Iterator[tuple[str, str, str]]:
    """(what was looked at, ok, warn, usage, refused or away, what was found), one after the other.

    Ends at the first that makes the others pointless.
    """
    path = config_path()
    if readable_by_others(path):
        yield "file", "warn", f"Others can read {path}: chmod 600 it."
    else:
        yield "file", "ok", f"{path}{'' if path.exists() else ' (there is none)'}"
    try:
        target = find_target()
    except ConfigurationError as error:
        yield "address and key", "usage", str(error)
        return
    insecure = " Others on the way can read the key: use https." if target.is_insecure else ""
    yield "address", "warn" if insecure else "ok", f"{target.url}.{insecure}"
    answered = False
    for found in examine_server(target, session.timeout):
        answered = found[1] != "away"
        yield found
        if not answered:
            return
    yield from examine_key(session)


def examine_server(target: Target, timeout: float) -> Iterator[tuple[str, str, str]]:
    """Whether the server lives and is ready. The key is not sent."""
    local = target.is_local and target.url.startswith("http:")
    try:
        with httpx.Client(
            timeout=timeout, headers={"User-Agent": user_agent()}, trust_env=not local
        ) as http:
            began = time.monotonic()
            health = http.get(f"{target.url}/healthz")
            took = time.monotonic() - began
            ready = http.get(f"{target.url}/readyz")
    except httpx.HTTPError as error:
        yield "server", "away", f"It cannot be reached: {error or type(error).__name__}"
        return
    state = _json(ready).get("status")
    if health.status_code != 200 or not isinstance(state, str):
        what = health.headers.get("content-type", "an answer without a type")
        yield (
            "server",
            "away",
            f"What answers there ({health.status_code}, {what}) is no Commonmind.",
        )
        return
    yield "server", "ok", f"It answers in {took * 1000:.0f} ms."
    if ready.status_code != 200:
        yield "ready", "away", f"It is not ready: {state}."
        return
    yield "ready", "ok" if state == "ok" else "warn", state
    with contextlib.suppress(TypeError, ValueError):
        told = email.utils.parsedate_to_datetime(health.headers.get("date", ""))
        off = abs(told.timestamp() - time.time())
        near = off < CLOCK_TOLERANCE
        said = "It is that of the server." if near else f"It is off by {off:.0f} seconds."
        yield "clock", "ok" if near else "warn", said


def examine_key(session: Session) -> Iterator[tuple[str, str, str]]:
    """Who the key is and what it may."""
    try:
        with session.client() as client:
            caller = client.me()
            scopes = caller["scopes"]
            organisation = caller["organisation"]["name"]
            yield "key", "ok", f"{caller['name']} of {organisation}; it may {', '.join(scopes)}."
            if "read" not in scopes:
                yield "memories", "warn", "The key may not read."
                return
            waiting = client.stats()["embedding_pending"]
            yield "memories", "ok", f"{waiting} wait to be found by meaning."
    except RefusedError as error:
        yield "key", "away" if isinstance(error, ServerError) else "refused", error.detail
    except CommonmindError as error:
        yield "key", "away", str(error)


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        value = response.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what completes the command in SHELL, to be read by its start file."""
    root = click.get_current_context().find_root().command
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not known.")
    click.echo(kind(root, {}, "commonmind", "_COMMONMIND_COMPLETE").source())
