"""The memory tool of Anthropic's SDK, kept in Commonmind. Needs
`pip install 'commonmind[anthropic]'`.

`client.beta.messages.run_tools(..., tools=[MemoryTool(Client())])` gives Claude its own notes and
blocks as files (`commonmind.files`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from commonmind.errors import FileError
from commonmind.files import MemoryFiles

if TYPE_CHECKING:
    from commonmind.client import Client

_FIELDS = (
    "command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line",
    "insert_text", "old_path", "new_path",
)  # fmt: skip


class MemoryTool(BetaAbstractMemoryTool):
    """`memory_20250818` over the notes and blocks of the robot whose key the client has.

    name, member: as of `commonmind.files.MemoryFiles`. What was not done is a ToolError with a
    sentence for the model.
    """

    def __init__(
        self,
        client: Client,
        *,
        name: str = "memory",
        member: str | None = None,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(client, name=name, member=member)

    def execute(self, command: Any) -> str:
        return _run(self.files, command)

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        """Forget all files of the robot; blocks stay."""
        return self.files.clear()


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the async client of the SDK; commands run in threads."""

    def __init__(
        self,
        client: Client,
        *,
        name: str = "memory",
        member: str | None = None,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(client, name=name, member=member)

    async def execute(self, command: Any) -> str:
        return await asyncio.to_thread(_run, self.files, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Forget all files of the robot; blocks stay."""
        return await asyncio.to_thread(self.files.clear)


def _run(files: MemoryFiles, command: Any) -> str:
    # A model may leave out what it has to give; the SDK lets that through.
    given = {name: getattr(command, name, None) for name in _FIELDS}
    try:
        return files.run(given)
    except FileError as error:
        raise ToolError(str(error)) from error
