"""Blocks as files: what `commonmind.files` shows in its folder of blocks.

A file has a line for each entry, without the text that an empty block begins with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from commonmind.errors import ChangedError, ConflictError, FileError, ForbiddenError

if TYPE_CHECKING:
    from commonmind.client import Client

BLOCKS = ("blocks",)
ENDING = ".md"
_UNUSUAL = re.compile(r"[^\w.-]+")


class BlockFiles:
    """The blocks that a robot reads, by the names of their files. member: for whom it asks."""

    def __init__(self, client: Client, member: str | None) -> None:
        self.client = client
        self.member = member

    def by_name(self) -> dict[str, Any]:
        """Each block under its label; of several with one label all but the first have a part of
        their id in the name."""
        named: dict[str, Any] = {}
        for block in self.client.blocks.list(member=self.member)["results"]:
            label = _UNUSUAL.sub("_", block["label"]).lstrip(".")
            name = label + ENDING
            named[f"{label}-{block['id'][:8]}{ENDING}" if name in named else name] = block
        return named

    def find(self, parts: Sequence[str]) -> Any:
        """The block of a path; None if there is none."""
        if len(parts) != len(BLOCKS) + 1:
            return None
        return self.by_name().get(parts[-1])

    @staticmethod
    def content(block: Any) -> str:
        """The text of its file."""
        if block["layer"] == "agent_persona":
            text: str = block["text"]
            return text and text + "\n"
        return "".join(entry["text"] + "\n" for entry in block["entries"])

    def refuse_new(self, path: str, parts: Sequence[str]) -> None:
        """Raise the FileError of a file that was to be made."""
        if self.find(parts) is not None:
            raise FileError(f"File {path} already exists")
        raise FileError(
            f"No file can be made at {path}: each block is a file there, and the server makes "
            "them. Edit one of them, or make a file elsewhere."
        )

    def edit(
        self, path: str, parts: Sequence[str], edit: Callable[[str], str], *, added: str | None
    ) -> tuple[str, list[str]]:
        """Write what `edit` makes of the text. added: the lines of an edit that only adds some.

        Returns the text as it is then, and remarks for the model. Raises ChangedError if the block
        was changed meanwhile.
        """
        block = self.find(parts)
        if block is None:
            if tuple(parts) == BLOCKS:
                raise FileError(f"The path {path} is not a file.")
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        before = self.content(block)
        text = edit(before)
        if text == before:
            return text, []
        more: Any = {"member": self.member} if self.member else {}
        try:
            done = self.client.blocks.write(block["id"], text, version=block["version"], **more)
        except ForbiddenError as error:
            if error.code != "read-only":
                raise
            if added is None:
                raise FileError(f"No edit was made: {path} is read-only. {error.detail}") from error
            return text, self._add(path, block, added, more)
        except ConflictError as error:
            if error.code != "outdated":
                raise
            raise ChangedError(error.status, error.problem) from error
        return self.content(done), _review_warnings(len(done["held"]))

    def _add(self, path: str, block: Any, added: str, more: Any) -> list[str]:
        """Add lines to a block whose other lines are not the robot's to change."""
        held = 0
        for line in filter(str.strip, added.splitlines()):
            try:
                held += self.client.blocks.add(block["id"], line, **more)["status"] != "active"
            except ForbiddenError as error:
                raise FileError(f"No edit was made: {path} is read-only. {error.detail}") from error
        return ["Its lines have an order of their own.", *_review_warnings(held)]


def _review_warnings(count: int) -> list[str]:
    if not count:
        return []
    return [f"{count} of the new lines wait for a review and are not in the file yet."]
