"""Many memories at once, by what they have in common; and what has changed since the last time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from commonmind.cli.ask import given
from commonmind.cli.manage import JOB_COLUMNS
from commonmind.cli.session import Session, command_options, yes_option
from commonmind.client import Client
from commonmind.errors import CursorTooOldError

filter_option = click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAME=VALUE",
    help="What they have in common; the value is JSON or a text: tag=old.",
)
UNCONFIRMED = "Nothing is forgotten. Say --yes to forget, or --dry-run to see what would be."


@click.command()
@click.argument("memories", nargs=-1, metavar="[MEMORY]...")
@filter_option
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@yes_option
@command_options
def forget(
    session: Session,
    memories: tuple[str, ...],
    filters: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> None:
    """Forget each MEMORY (its id), or all that match every --filter.

    Asks before on a terminal; elsewhere it needs --yes. Filters are a job, which goes on by itself;
    what is forgotten can be restored for a while.
    """
    if bool(memories) == bool(filters):
        raise click.UsageError("Name memories, or say with --filter what they have in common.")
    with session.client() as client:
        if memories:
            forget_each(session, client, memories, dry_run=dry_run, yes=yes)
        else:
            forget_matches(session, client, given(filters), dry_run=dry_run, yes=yes)


def forget_each(
    session: Session, client: Client, memories: tuple[str, ...], *, dry_run: bool, yes: bool
) -> None:
    """One after the other. What is refused ends the command: the rest would be refused as well, or
    was named by mistake."""
    if not dry_run:
        number = len(memories)
        named = "this memory" if number == 1 else f"these {number:,} memories"
        session.confirm(lambda: f"Forget {named}?", yes=yes, otherwise=UNCONFIRMED)
    for memory in memories:
        if dry_run:
            found = client.memories.get(memory)
            session.output.value(found, f"{memory}\twould be forgotten\t{found['content']}")
            continue
        client.memories.forget(memory)
        session.output.value({"id": memory, "forgotten": True}, f"{memory}\tforgotten")


def forget_matches(
    session: Session, client: Client, filters: dict[str, Any], *, dry_run: bool, yes: bool
) -> None:
    """By one call; the question names what a dry run counts."""
    named: Any = filters
    if not dry_run:

        def question() -> str:
            found = client.memories.preview_matches("forget", named)
            return f"{found['matches']:,} match, {found['changes']:,} would be forgotten. Forget?"

        session.confirm(question, yes=yes, otherwise=UNCONFIRMED)
        job = client.memories.change_matches("forget", named)
        session.output.rows([job], JOB_COLUMNS)
        return
    found = client.memories.preview_matches("forget", named)
    if session.output.as_json:
        session.output.value(found)
        return
    columns = (("id", lambda row: row["id"]), ("text", lambda row: row["content"]))
    session.output.rows(found["first"], columns, nothing="Nothing would be forgotten.")
    session.output.note(
        f"{found['matches']} match, {found['changes']} would be forgotten, "
        f"{found['waiting']} of them when somebody agrees."
    )
    for one in found["skipped"]:
        session.output.note(f"{one['memories']} would stay: {one['reason']}")


@click.command()
@click.option("--cursor", help="Since when: what an earlier call ended with.")
@click.option(
    "--cursor-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the cursor is read, if the file is there, and kept after each page.",
)
@command_options
def changes(session: Session, cursor: str | None, cursor_file: Path | None) -> None:
    """What was made, changed, forgotten and erased since a cursor, and the cursor to go on with.

    Without a cursor everything that the key reads is `made`.
    """
    if cursor is not None and cursor_file is not None:
        raise click.UsageError("Give --cursor or --cursor-file, not both.")
    if cursor_file is not None and cursor_file.exists():
        cursor = cursor_file.read_text(encoding="utf-8").strip() or None
    columns = (
        ("change", lambda one: one["change"]),
        ("memory", lambda one: one["id"]),
        ("readers", lambda one: one["audience"]),
        ("text", lambda one: (one["memory"] or {}).get("content")),
    )
    with session.client() as client:
        try:
            for page in client.changes(cursor=cursor):
                session.output.rows(page["results"], columns)
                cursor = page["cursor"]
                if cursor_file is not None:
                    save_cursor(cursor_file, cursor)
        except CursorTooOldError:
            session.output.note("Begin the copy anew, without a cursor.")
            raise
    if cursor_file is None:
        session.output.note(f"Go on with --cursor {cursor}")


def save_cursor(path: Path, cursor: str) -> None:
    """Write the cursor as a whole, for oneself alone: it says how far one has read."""
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{cursor}\n")
    fresh.replace(path)
