"""Memory as files: the commands of Anthropic's memory tool (`memory_20250818`) over what a robot
keeps.

`/memories/...` are the robot's own notes (`commonmind.notes`): it alone reads them. A file for each
block lies in `/memories/blocks`. The sentences are those of the tool that Anthropic's SDK has for a
folder, so that a model meets the same answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from commonmind.blocks import BLOCKS, BlockFiles
from commonmind.errors import (
    ChangedError,
    CommonmindError,
    FileError,
    ForbiddenError,
    UnavailableError,
)
from commonmind.notes import (
    Draft,
    Note,
    NoteExistsError,
    NoteHeldError,
    Notes,
    NoteTooLargeError,
    check_path,
    check_value,
)

if TYPE_CHECKING:
    from commonmind.client import Client

ROOT = "/memories"
DEPTH = 2
# As wide as 999,999.
NUMBER_WIDTH = 6
# How often an edit is made anew on what somebody else wrote meanwhile.
ATTEMPTS = 4
# What no name holds: control characters, what turns the direction of writing, what is invisible,
# half characters, and the separator of another system.
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f\\\\]"
)
_UNFIT_TEXT = re.compile("[\x00\ud800-\udfff]")
Path = tuple[str, ...]


class MemoryFiles:
    """The commands over the robot whose key the client has. Threads may share it.

    name: of the store of notes; one robot may have several. member: for whom the robot asks for
    blocks, by id or platform:identifier; a personal robot asks for its own member. A command
    returns what the model is told, or raises FileError with it.
    """

    def __init__(self, client: Client, *, name: str = "memory", member: str | None = None) -> None:
        self.notes = Notes(client, name)
        self.blocks = BlockFiles(client, member)

    def run(self, command: Mapping[str, Any]) -> str:
        """Carry out a command as the model gives it: `command`, and what that takes."""
        name = command.get("command")
        fields = _FIELDS.get(name) if isinstance(name, str) else None
        if fields is None:
            raise FileError(f"Unknown command: {_cut(str(name))}")
        given: dict[str, Any] = {}
        for field, kind in fields.items():
            value = command.get(field)
            if value is None and field in _MAY_BE_LEFT_OUT:
                continue
            if not isinstance(value, kind) or isinstance(value, bool):
                raise FileError(f"Invalid `{field}` parameter of {name}: it is left out or wrong.")
            given[field] = value
        return str(getattr(self, str(name))(**given))

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A file with the numbers of its lines, or what is in a folder up to two levels down.

        view_range: the first and the last line, from 1; the last may be -1, which is the end.
        """
        with _as_file_errors():
            parts = _parse(path)
            if self._is_root(parts) or parts == BLOCKS:
                return self._view_folder(path, parts)
            content = self._find_content(parts)
            if content is None:
                return self._view_folder(path, parts)
        lines = content.split("\n")
        first, last = 1, len(lines)
        if view_range:
            if len(view_range) != 2 or not all(isinstance(one, int) for one in view_range):
                raise FileError("Invalid `view_range` parameter: it has two numbers of lines.")
            first = max(1, view_range[0])
            last = len(lines) if view_range[1] == -1 else max(0, view_range[1])
        numbered = _numbered(lines[first - 1 : last], first)
        return f"Here's the content of {path} with line numbers:\n" + "\n".join(numbered)

    def create(self, path: str, file_text: str) -> str:
        """Make a new file."""
        with _as_file_errors():
            parts = _parse(path)
            if self._is_root(parts):
                raise FileError(f"The path {path} is a directory.")
            if _is_block(parts):
                self.blocks.refuse_new(path, parts)
            _check_text(path, file_text)
            self._check_room(path, parts)
            try:
                self.notes.create(self._draft(parts, file_text))
            except NoteExistsError as error:
                raise FileError(f"File {path} already exists") from error
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Write `new_str` in the place of `old_str`, which stands once in the file."""
        changed: list[int] = []

        def edit(content: str) -> str:
            at = _find_once(content, old_str, path)
            changed[:] = [content.count("\n", 0, at)]
            return content[:at] + new_str + content[at + len(old_str) :]

        content, remark = self._edit(path, edit)
        lines = content.split("\n")
        start = max(0, changed[0] - 2)
        snippet = _numbered(lines[start : changed[0] + 3], start + 1)
        head = (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            "numbers):"
        )
        return "\n".join((head, *snippet, *remark))

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put a text after a line; 0 is before the first."""

        def edit(content: str) -> str:
            lines = content.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= insert_line <= len(lines):
                raise FileError(
                    f"Invalid `insert_line` parameter: {insert_line}. It should be within the "
                    f"range [0, {len(lines)}]."
                )
            lines.insert(insert_line, insert_text.rstrip("\n"))
            text = "\n".join(lines)
            return text if text.endswith("\n") else text + "\n"

        _, remark = self._edit(path, edit, added=insert_text)
        return "\n".join((f"The file {path} has been edited.", *remark))

    def delete(self, path: str) -> str:
        """Forget a file, or a folder with all in it; both can be restored until they are erased."""
        with _as_file_errors():
            parts = _parse(path)
            if self._is_root(parts):
                raise FileError(f"Cannot delete the {ROOT} directory itself")
            self._refuse_blocks(path, parts)
            notes = self._below_or_itself(parts)
            if not notes:
                raise FileError(f"The path {path} does not exist")
            for note in notes:
                self.notes.delete(note)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Give a file or a folder another path. Every file is in its new place before it is taken
        from the old one, so what was interrupted is there twice and nothing is lost."""
        with _as_file_errors():
            old, new = _parse(old_path), _parse(new_path)
            if self._is_root(old):
                raise FileError(f"Cannot rename the {ROOT} directory itself")
            for path, parts in ((old_path, old), (new_path, new)):
                self._refuse_blocks(path, parts)
            if self._is_root(new) or self._exists(new):
                raise FileError(f"The destination {new_path} already exists")
            notes = self._below_or_itself(old)
            if not notes:
                raise FileError(f"The path {old_path} does not exist")
            if new[: len(old)] == old:
                raise FileError(f"Cannot rename {old_path} to a path inside itself")
            self._check_room(new_path, new)
            for note in notes:
                check_path((*new, *note.path[len(old) :]))
            for note in notes:
                self._move(note, (*new, *note.path[len(old) :]))
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Forget all own files; blocks stay."""
        with _as_file_errors():
            for note in list(self.notes.list()):
                self.notes.delete(note)
        return "All memory cleared"

    @staticmethod
    def _is_root(parts: Path) -> bool:
        return not parts

    def _find_content(self, parts: Path) -> str | None:
        """The text of a file; None if there is none of the path."""
        if _is_block(parts):
            block = self.blocks.find(parts)
            return None if block is None else self.blocks.content(block)
        note = self.notes.find(parts)
        return None if note is None else note.value

    def _exists(self, parts: Path) -> bool:
        return next(self.notes.list(parts, page_size=1), None) is not None

    def _below_or_itself(self, parts: Path) -> list[Note]:
        """The file of a path and those below it, each with its ETag."""
        known = [self.notes.reread(note) for note in self.notes.list(parts)]
        return [note for note in known if note is not None]

    def _check_room(self, path: str, parts: Path) -> None:
        """Raises FileError if a folder has this path, or a file that of one of its folders."""
        for length in range(1, len(parts)):
            if self.notes.find(parts[:length]) is not None:
                raise FileError(f"The path {_join(parts[:length])} is not a directory.")
        below = self.notes.list(parts, page_size=2)
        if any(note.path != parts for note in below):
            raise FileError(f"The path {path} is a directory.")

    def _view_folder(self, path: str, parts: Path) -> str:
        sizes = dict(self._sizes(parts))
        if not sizes and not self._is_root(parts):
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        shown: dict[str, int] = {}
        for file, size in sizes.items():
            below = file[len(parts) :]
            if any(name.startswith(".") for name in below[:DEPTH]):
                continue
            for depth in range(1, min(len(below), DEPTH) + 1):
                name = "/".join(below[:depth]) + ("/" if depth < len(below) else "")
                shown[name] = shown.get(name, 0) + size
        base = _join(parts)
        head = (
            f"Here're the files and directories up to {DEPTH} levels deep in {path}, excluding "
            "hidden items:"
        )
        lines = [f"{_format_size(sum(sizes.values()))}\t{path}"]
        # By parts: a folder stands before what is in it.
        for name in sorted(shown, key=lambda one: one.rstrip("/").split("/")):
            lines.append(f"{_format_size(shown[name])}\t{base}/{name}")
        return "\n".join((head, *lines))

    def _sizes(self, parts: Path) -> Iterator[tuple[Path, int]]:
        """The files below a folder and their bytes."""
        if not _is_block(parts):
            for note in self.notes.list(parts):
                yield note.path, len(note.value.encode())
        if parts in ((), BLOCKS):
            for name, block in self.blocks.by_name().items():
                yield (*BLOCKS, name), len(self.blocks.content(block).encode())

    def _edit(self, path: str, edit: Any, *, added: str | None = None) -> tuple[str, list[str]]:
        """Write what `edit` makes of the text, again if it was changed meanwhile.

        added: the lines of an edit that does nothing but add some. Returns the text and what the
        model is told beside it.
        """
        with _as_file_errors():
            parts = _parse(path)
            for _ in range(ATTEMPTS):
                try:
                    if _is_block(parts):
                        return self.blocks.edit(path, parts, edit, added=added)
                    return self._edit_note(path, parts, edit), []
                except ChangedError:
                    continue
        raise FileError(
            f"No edit was made: {path} is being changed by somebody else. View it again, then "
            "repeat the edit."
        )

    def _edit_note(self, path: str, parts: Path, edit: Any) -> str:
        note = None if self._is_root(parts) else self.notes.find(parts, etag=True)
        if note is None:
            if self._is_root(parts) or self._exists(parts):
                raise FileError(f"The path {path} is not a file.")
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        content: str = edit(note.value)
        _check_text(path, content)
        if content != note.value:
            self.notes.change(note, self._draft(parts, content))
        return content

    def _move(self, note: Note, parts: Path) -> None:
        self.notes.create(self._draft(parts, note.value))
        try:
            self.notes.delete(note)
        except ChangedError:
            # Somebody wrote to the old one: their words stay there, and the copy is taken back.
            copy = self.notes.find(parts)
            if copy is not None:
                self.notes.delete(copy)
            raise

    def _draft(self, parts: Path, text: str) -> Draft:
        return Draft(parts, text, text)

    def _refuse_blocks(self, path: str, parts: Path) -> None:
        if _is_block(parts):
            raise FileError(
                f"The path {path} belongs to the blocks, which are not made, deleted or renamed "
                "as files."
            )


_FIELDS: dict[str, dict[str, Any]] = {
    "view": {"path": str, "view_range": (list, tuple)},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}
_MAY_BE_LEFT_OUT = frozenset({"view_range", "new_str"})


class _as_file_errors:  # noqa: N801 - it is used as a function is
    """What the client raises becomes a sentence for the model."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        match error:
            case None | FileError():
                return
            case ChangedError():
                text = "It was changed by somebody else meanwhile. View it again, then repeat this."
            case NoteHeldError():
                text = (
                    "The text was not stored: it has personal data or orders to a model, and a "
                    "gate holds it for a review."
                )
            case NoteTooLargeError():
                text = str(error)
            case ForbiddenError():
                text = f"The key does not allow this: {error.detail}"
            case UnavailableError():
                text = (
                    "The memory does not answer, so it is not known whether this was done. View "
                    "it before you repeat it."
                )
            case CommonmindError():
                text = getattr(error, "detail", "") or str(error)
            case _:
                return
        raise FileError(text) from error


def _parse(path: str) -> Path:
    """The names of a path below /memories. Raises FileError for what leads out of it, and for
    names that look like another or that no file should have."""
    shown = _cut(path)
    first, *names = path.split("/")[1:] if path.startswith("/") else [""]
    if first != ROOT[1:]:
        raise FileError(f"Path must start with {ROOT}, got: {shown}")
    parts: list[str] = []
    for name in names:
        if name in ("", "."):
            continue
        if name == "..":
            if not parts:
                raise FileError(f"Path {shown} would escape {ROOT} directory")
            parts.pop()
            continue
        # What becomes a step up or a separator when it is decoded or made plain is none here, and
        # nobody who copies it to a folder should find out.
        for read in (unquote(name), unicodedata.normalize("NFKC", name)):
            if read in (".", "..") or (read != name and "/" in read):
                raise FileError(f"Path {shown} would escape {ROOT} directory")
        if _UNFIT.search(name):
            raise FileError(
                f"Path {shown} has a character that no name has: a control or invisible "
                "character, a backslash or half a character."
            )
        parts.append(unicodedata.normalize("NFC", name))
    check_path(parts)
    return tuple(parts)


def _is_block(parts: Path) -> bool:
    return parts[: len(BLOCKS)] == BLOCKS


def _join(parts: Iterable[str]) -> str:
    return "/".join((ROOT, *parts))


def _check_text(path: str, text: str) -> None:
    if _UNFIT_TEXT.search(text):
        raise FileError(f"{path} was not written: the text has a NUL or half a character.")
    try:
        check_value(text)
    except NoteTooLargeError as error:
        raise FileError(f"{path} was not written: {error} Divide it into several files.") from error


def _find_once(content: str, old: str, path: str) -> int:
    """Where the text stands. Raises FileError unless it stands there once."""
    if not old:
        raise FileError("No replacement was performed, old_str is empty.")
    found: list[int] = []
    line, before = 1, 0
    at = content.find(old)
    first = at
    while at != -1:
        line += content.count("\n", before, at)
        found.append(line)
        before = at
        at = content.find(old, at + 1)
    if not found:
        raise FileError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if content.count(old) > 1:
        raise FileError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{', '.join(map(str, found))}. Please ensure it is unique"
        )
    return first


def _numbered(lines: Iterable[str], first: int) -> list[str]:
    return [f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def _format_size(size: int) -> str:
    """As `du -h` says it: 0B, 512B, 1.5K."""
    amount, unit = float(size), "B"
    for unit in ("B", "K", "M", "G"):
        if amount < 1024 or unit == "G":
            break
        amount /= 1024
    return f"{int(amount)}{unit}" if amount == int(amount) else f"{amount:.1f}{unit}"


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."
