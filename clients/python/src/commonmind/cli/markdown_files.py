"""Memories and blocks as markdown files in a folder: what `commonmind files pull` writes.

The files are in the Open Knowledge Format: front matter with a `type`, then the text. A journal in
the folder says which files are the folder's own. No other file is written over or deleted, and
nothing outside the folder is touched, whatever links lie in it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from commonmind.cli.output import safe
from commonmind.errors import CommonmindError

JOURNAL = ".commonmind-files.jsonl"
FORMAT = "commonmind-files"
SLUG_MAX = 48
TITLE_MAX = 80
# A folder for each kind of readers, and in it files; the only paths that are written or deleted.
_PATH = re.compile(r"[a-z0-9-]+/[a-z0-9-]+\.md")
_MODE, _FOLDER_MODE = 0o600, 0o700
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW


class FolderError(CommonmindError):
    """The folder cannot be used: it belongs to another key, or another pull is at work there."""


class MarkdownFolder:
    """A folder with the files of one key. counts: what became of files, by `written`, `unchanged`,
    `removed` and `left`."""

    def __init__(self, root: int, journal: int, known: dict[str, set[str]]) -> None:
        self._root, self._journal, self._known = root, journal, known
        self._seen: set[str] = set()
        self.counts = {"written": 0, "unchanged": 0, "removed": 0, "left": 0}
        # Files that are not the folder's own or were changed here, so they were left as they are.
        self.left: list[str] = []

    def put(self, path: str, text: str) -> None:
        """Write a file unless it is there as it should be. Whole or not at all."""
        content = text.encode()
        wanted = _digest(content)
        self._seen.add(path)
        name = path.partition("/")[2]
        with self._folder(path, make=True) as folder:
            own = self._known.get(path, set())
            found = "" if folder is None else _read_digest(folder, name)
            if folder is None or (found is not None and found not in own):
                self._leave(path)
                return
            if found == wanted:
                self.counts["unchanged"] += 1
                return
            # Said before it is done: what is interrupted here is the folder's own all the same.
            self._record(path, wanted)
            draft = _draft_name(name)
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=folder)
            with os.fdopen(os.open(draft, _NEW, _MODE, dir_fd=folder), "wb") as file:
                file.write(content)
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        self.counts["written"] += 1

    def remove_others(self) -> None:
        """Delete the own files that were not put this time, and folders that are empty then."""
        for path in sorted(set(self._known) - self._seen):
            top, _, name = path.partition("/")
            with self._folder(path) as folder:
                found = _read_digest(folder, name) if folder is not None else None
                if found is not None and found not in self._known[path]:
                    self._leave(path)
                    continue
                if folder is not None:
                    with suppress(FileNotFoundError):
                        os.unlink(_draft_name(name), dir_fd=folder)
                    if found is not None:
                        os.unlink(name, dir_fd=folder)
                        self.counts["removed"] += 1
            self._record(path, None)
            with suppress(OSError):
                os.rmdir(top, dir_fd=self._root)

    def _leave(self, path: str) -> None:
        self.left.append(path)
        self.counts["left"] += 1

    def _record(self, path: str, digest: str | None) -> None:
        if digest is None:
            self._known.pop(path, None)
        else:
            self._known.setdefault(path, set()).add(digest)
        line = json.dumps({"path": path, "sha256": digest}).encode() + b"\n"
        os.write(self._journal, line)

    @contextmanager
    def _folder(self, path: str, *, make: bool = False) -> Iterator[int | None]:
        """The folder of a file; None if it is not there, or is a link or a file."""
        top = path.partition("/")[0]
        if make:
            with suppress(FileExistsError):
                os.mkdir(top, _FOLDER_MODE, dir_fd=self._root)
        try:
            folder = os.open(top, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_RDONLY, dir_fd=self._root)
        except OSError:
            yield None
            return
        try:
            yield folder
        finally:
            os.close(folder)


@contextmanager
def open_folder(path: Path, owner: Mapping[str, str]) -> Iterator[MarkdownFolder]:
    """Open or make a folder for the files of a key; owner: its server and whose key it is.

    Raises FolderError, and OSError for what the disk refuses.
    """
    path.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    root = os.open(path, os.O_DIRECTORY | os.O_RDONLY)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        journal = os.open(JOURNAL, flags, _MODE, dir_fd=root)
        try:
            try:
                fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise FolderError(f"Another pull is at work in {path}.") from error
            yield MarkdownFolder(root, journal, _read_journal(path, journal, owner))
        finally:
            os.close(journal)
    finally:
        os.close(root)


def _read_journal(path: Path, journal: int, owner: Mapping[str, str]) -> dict[str, set[str]]:
    """The own files of a folder with the digests of what was written to each since it was last
    removed; a new journal is begun."""
    with os.fdopen(os.dup(journal), "rb") as file:
        file.seek(0)
        lines = file.read().split(b"\n")
    head = {"format": FORMAT, **owner}
    if lines == [b""]:
        os.write(journal, json.dumps(head).encode() + b"\n")
        return {}
    if _parse_line(lines[0]) != head:
        raise FolderError(
            f"{path} has the files of another server or key, or {JOURNAL} is damaged. Choose "
            "another folder."
        )
    if lines[-1]:
        # The last line was cut off; what is written next stands on a line of its own.
        os.write(journal, b"\n")
    known: dict[str, set[str]] = {}
    for line in map(_parse_line, lines[1:]):
        name, digest = line.get("path"), line.get("sha256")
        if not isinstance(name, str) or not _PATH.fullmatch(name):
            continue
        if isinstance(digest, str):
            known.setdefault(name, set()).add(digest)
        else:
            known.pop(name, None)
    return known


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _draft_name(name: str) -> str:
    return f".{name}.part"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_digest(folder: int, name: str) -> str | None:
    """The digest of a file; None without one, and empty for what is no plain file."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        return ""
    with os.fdopen(os.dup(handle), "rb") if _is_file(handle) else nullcontext() as file:
        os.close(handle)
        return "" if file is None else _digest(file.read())


def _is_file(handle: int) -> bool:
    return stat.S_ISREG(os.fstat(handle).st_mode)


def memory_file(row: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the text of a memory's file."""
    audience = row["audience"]
    folder = _slug(audience["kind"])
    if audience["kind"] not in ("organisation", "robot"):
        folder = "-".join(filter(None, (folder, _slug(audience["label"]))))
    first = row["content"].strip().partition("\n")[0]
    fields = {
        "type": row["type"] or "memory",
        "title": first[:TITLE_MAX],
        "id": row["id"],
        "key": row["key"],
        "readers": audience["label"],
        "speaker": row["speaker"],
        "about": (row["member"] or {}).get("name"),
        "group": (row["group"] or {}).get("name"),
        "robot": (row["robot"] or {}).get("name"),
        "author": (row["author"] or {}).get("name"),
        "category": row["category"],
        "topic": row["topic"],
        "tags": row["tags"],
        "importance": row["importance"],
        "occurred_at": row["occurred_at"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
        "valid_from": row["valid_from"],
        "valid_until": row["valid_until"],
        "superseded_by": row["superseded_by"],
    }
    # The whole id: no other name is equal to it, and none is one that a system keeps for itself.
    name = "-".join(filter(None, (_slug(first), _slug(row["id"]))))
    return f"{folder}/{name}.md", _render(fields, row["content"])


def block_file(block: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the text of a block's file."""
    fields = {
        "type": "block",
        "title": block["label"],
        "id": block["id"],
        "description": block["description"],
        "persona": block["persona"],
        "version": block["version"],
    }
    return f"blocks/{_slug(block['label'])}-{_slug(block['id'])}.md", _render(fields, block["text"])


def _slug(text: str) -> str:
    """Small letters, digits and hyphens of ASCII; empty if nothing of the text is one."""
    plain = unicodedata.normalize("NFKD", text[: 4 * SLUG_MAX]).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower())[:SLUG_MAX].strip("-")


def _render(fields: Mapping[str, Any], text: str) -> str:
    lines = ["---"]
    for name, value in fields.items():
        if value is None or value in ("", []):
            continue
        if isinstance(value, list):
            lines.append(f"{name}: [{', '.join(map(_quote, value))}]")
        else:
            lines.append(f"{name}: {value if isinstance(value, (int, float)) else _quote(value)}")
    body = safe(text.replace("\r\n", "\n")).rstrip("\n")
    return "\n".join((*lines, "---", "", body, ""))


def _quote(value: object) -> str:
    """A text of YAML in double quotes, on one line."""
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(one if one.isprintable() else _write_out(one) for one in text) + '"'


def _write_out(sign: str) -> str:
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
