"""Files that the server imports and exports by a job: conversations, and whole snapshots."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from commonmind.cli.session import Session
from commonmind.client import Client

Command = TypeVar("Command", bound=Callable[..., Any])
OPEN_STATES = ("waiting", "running")
# Seconds between two looks at a job; the server answers earlier if it is over.
LOOK_SECONDS = 2
# What is read of a file to see what it is.
HEAD_BYTES = 256 * 1024
GZIP_MAGIC, BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
COUNTS = ("imported", "already", "skipped", "groups", "members")
UNCONFIRMED = "Nothing is imported. Say --yes to import, or --dry-run to see what it would bring."


def check_readers(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str | None:
    """private, organisation, or a group by its id or external id. Raises BadParameter."""
    kind, _, group = (value or "").partition(":")
    if value in (None, "private", "organisation") or (kind == "group" and group):
        return value
    raise click.BadParameter("Say private, organisation, or group: with its id or external id.")


def conversation_options(command: Command) -> Command:
    """The options of a file of conversations."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Only say what it would bring."),
        click.option(
            "--readers", metavar="private|organisation|group:ID", callback=check_readers,
            help="Who reads lines that name no reader and no group.  [default: private]",
        ),
        click.option(
            "--speaker-scope", type=click.Choice(["organisation", "group"]),
            help="Whether a name in two groups is one person.  [default: organisation]",
        ),
        click.option("--format", help="How the server reads the file: jsonl, auto."),
    ):  # fmt: skip
        command = option(command)
    return command


def holds_conversations(path: Path) -> bool:
    """Whether a file is a list, packed, or has lines with a text and not with a content. Raises
    OSError."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(GZIP_MAGIC):
        return True
    head = head.removeprefix(BOM).lstrip()
    if head.startswith(b"["):
        return True
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "text" in first and "content" not in first


def import_conversations(
    session: Session, path: Path, *, dry_run: bool, yes: bool, **chosen: Any
) -> None:
    """Preview a file, ask, and have it imported; waits for the end of the job. Raises OSError."""
    fields: Any = {name: value for name, value in chosen.items() if value is not None}
    if group := fields.get("readers", "").partition(":")[2]:
        fields |= {"readers": "group", "group": group}
    with session.client() as client:
        if dry_run:
            plan = client.imports.preview(path, **fields)
            session.output.value(plan, "\n".join(plan_lines(plan)))
            for one in plan["first_problems"]:
                session.output.problem(f"line {one['line']}: {one['reason']}")
            return

        def question() -> str:
            plan = client.imports.preview(path, **fields)
            return "\n".join([*plan_lines(plan), f"Import {path.name}?"])

        session.confirm(question, yes=yes, otherwise=UNCONFIRMED)
        job = follow(session, client, client.imports.create(path, **fields), "Import")
        counts = job["counts"]
        said = ", ".join(f"{counts[name]:,} {name}" for name in COUNTS if name in counts)
        session.output.value(job, said or "Nothing was imported.")
        for one in job["first_problems"]:
            session.failed = True
            session.output.problem(f"line {one.get('line')}: {one['reason']}")
        if (more := counts.get("skipped", 0) - len(job["first_problems"])) > 0:
            session.output.problem(f"and {more:,} more lines")
        check_done(session, job)


def plan_lines(plan: Any) -> list[str]:
    """What a file would bring, in words."""
    counts = plan["counts"]
    part = "" if plan["whole"] else " of its beginning"
    said = {name: f"{count:,}" for name, count in counts.items()}
    lines = [
        f"{said['lines']} lines{part}: {said['new_memories']} new, {said['already']} there already",
        f"{said['skipped']} refused",
        f"{said['groups']} groups, {said['new_groups']} of them new",
        f"{said['people']} people, {said['new_people']} of them new",
    ]
    for one in plan["readers"][:10]:
        who = one["group"] or ", ".join(one["names"][:5]) or one["audience"]
        able = "" if one["can_read_now"] is None else f"; {one['can_read_now']:,} can sign in"
        lines.append(f"{one['lines']:,} lines for {who} ({one['audience']}){able}")
    if (more := len(plan["readers"]) - 10) > 0:
        lines.append(f"and {more:,} more kinds of readers")
    if plan["broken"]:
        lines.append("The file breaks off.")
    return lines


def export_by_job(session: Session, path: Path, filters: Any) -> None:
    """Have a snapshot made, wait for it, and write it to a file."""
    with session.client() as client:
        job = follow(session, client, client.exports.create(**filters), "Export")
        if not check_done(session, job):
            return
        try:
            size = client.exports.download(job["id"], path)
        except OSError as error:
            raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from error
        session.output.note(f"{job['done']:,} memories, {size:,} bytes.")


def follow(session: Session, client: Client, job: Any, what: str) -> Any:
    """Wait until a job is over, with its progress on stderr; returns it."""
    if job["state"] in OPEN_STATES:
        session.output.note(f"Job {job['id']}; it goes on also if you stop waiting.")
    with session.output.progress(what, job["total"] or None) as tell:
        while job["state"] in OPEN_STATES:
            asked = time.monotonic()
            job = client.jobs.get(job["id"], wait=LOOK_SECONDS)
            tell(job["done"])
            # A server that is asked by many does not wait.
            if job["state"] in OPEN_STATES and time.monotonic() - asked < LOOK_SECONDS / 2:
                time.sleep(LOOK_SECONDS / 2)
    return job


def check_done(session: Session, job: Any) -> bool:
    """Whether a job did all; else it is said why not."""
    if job["state"] == "done":
        return True
    session.failed = True
    reason = job["reason"] or "It was cancelled."
    session.output.problem(f"Job {job['id']} is {job['state']}: {reason}")
    return False
