"""A plugin of pytest for the tests of the memory tool that Anthropic's SDK has for a folder: they
meet the one of Commonmind.

`test_anthropic_suite.py` writes an import of these names at the end of the file that it takes from
the sdist. COMMONMIND_URL and COMMONMIND_KEY say where the server is.
"""

import os
import pathlib
import uuid
from typing import Any

from commonmind import Client
from commonmind.anthropic import AsyncMemoryTool, MemoryTool
from commonmind.files import MemoryFiles
from commonmind.notes import Draft

CLIENTS: list[Client] = []
# The files of each tool by its folder, in which it has none.
TOOLS: dict[str, MemoryFiles] = {}


def client() -> Client:
    if not CLIENTS:
        CLIENTS.append(Client(timeout=60))
    return CLIENTS[0]


class NotePath:
    """What the tests use of a path, for a file of a tool."""

    def __init__(self, base_path: str, *names: str) -> None:
        self.base_path, self.names = base_path, names

    def __truediv__(self, name: str) -> "NotePath":
        return NotePath(self.base_path, *self.names, name)

    def __str__(self) -> str:
        return "/".join((self.base_path, "memories", *self.names))

    def mkdir(self, **_: Any) -> None:
        assert self.names == ()

    def is_dir(self) -> bool:
        return "Here're the files" in TOOLS[self.base_path].view("/memories")

    def write_bytes(self, content: bytes) -> None:
        text = content.decode()
        TOOLS[self.base_path].notes.put([Draft(self.names, text, text)])

    def read_bytes(self) -> bytes:
        note = TOOLS[self.base_path].notes.find(self.names)
        assert note is not None
        return note.value.encode()


class AsyncRoot(NotePath):
    async def is_dir(self) -> bool:  # type: ignore[override]
        return super().is_dir()


def Path(path: object) -> Any:  # noqa: N802
    """In the place of pathlib's."""
    base, found, _ = str(path).rpartition("/memories")
    return NotePath(base) if found and base in TOOLS else pathlib.Path(os.fspath(path))  # type: ignore[call-overload]


def get_directory_snapshot(base_path: str) -> dict[str, str]:
    """All files of a tool, as a function of theirs says what is in a folder."""
    return {
        "/".join(("memories", *note.path)): note.value for note in TOOLS[base_path].notes.list()
    }


class BetaLocalFilesystemMemoryTool(MemoryTool):
    """With notes of its own for each test."""

    def __init__(self, base_path: str) -> None:
        super().__init__(client(), name=uuid.uuid4().hex)
        self.base_path, self.memory_root = base_path, NotePath(base_path)
        TOOLS[base_path] = self.files


class BetaAsyncLocalFilesystemMemoryTool(AsyncMemoryTool):
    """The same for the tests of the other class."""

    def __init__(self, base_path: str) -> None:
        super().__init__(client(), name=uuid.uuid4().hex)
        self.base_path, self.memory_root = base_path, AsyncRoot(base_path)
        TOOLS[base_path] = self.files
