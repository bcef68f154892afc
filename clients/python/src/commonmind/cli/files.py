"""What the key reads as files: `commonmind files pull`."""

from __future__ import annotations

from pathlib import Path

import click

from commonmind.cli.session import Session, command_options

PAGE = 1000


@click.group()
def files() -> None:
    """What the key reads as markdown files in a folder."""


@files.command("pull")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@command_options
def pull(session: Session, folder: Path) -> None:
    """Write what the key reads into FOLDER, a markdown file for each memory and block.

    Files of what is gone are removed at the next pull. A file that is not of a pull, or was changed
    since, is left as it is. Sensitive memories are left out. What was interrupted goes on with the
    next pull.
    """
    try:
        from commonmind.cli.markdown_files import block_file, memory_file, open_folder
    except ImportError as error:  # pragma: no cover - Windows has no fcntl
        raise click.UsageError("This system has no folders that are safe from links.") from error
    with session.client() as client, session.output.progress("Pull", None) as tell:
        caller = client.me()
        owner = {"server": client.target.url, "caller": str(caller["id"])}
        try:
            with open_folder(folder, owner) as target:
                count = 0
                for count, row in enumerate(client.memories.list(page_size=PAGE), 1):
                    if not row["sensitive"]:
                        target.put(*memory_file(row))
                    tell(count)
                for block in client.blocks.list()["results"]:
                    target.put(*block_file(block))
                # Only now is it known what is gone.
                target.remove_others()
        except OSError as error:
            raise click.UsageError(f"{folder} cannot be written: {error.strerror}.") from error
    for path in target.left:
        session.failed = True
        session.output.problem(f"{path} is not of a pull or was changed here; it is left as it is.")
    session.output.value(
        target.counts, ", ".join(f"{number:,} {name}" for name, number in target.counts.items())
    )
