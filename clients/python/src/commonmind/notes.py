"""A robot's own notes by name: what adapters of other interfaces store in.

A note is a memory with the visibility `internal`, which its robot alone reads, no person. Its key
is made of the store's name and its path; its metadata have both, and its value word for word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from commonmind.errors import CommonmindError, ConflictError, NotFoundError
from commonmind.exchange import etag_of

if TYPE_CHECKING:
    from commonmind.client import Client

VALUE_MAX_BYTES = 32 * 1024
PATH_MAX_PARTS = 20
PATH_MAX_CHARACTERS = 1000
KEY_MAX_CHARACTERS = 300
PAGE = 1000


class NoteHeldError(CommonmindError):
    """A gate of the server holds the note for a review, so it cannot be read (docs/safety.md)."""


class NoteExistsError(CommonmindError):
    """A new note was to have the name of one that is there."""


class NoteTooLargeError(CommonmindError, ValueError):
    """A value or a path is longer than a note may be. Nothing was sent."""


@dataclass(frozen=True)
class Note:
    """A note as the server has it. extra: its metadata, with what the adapter keeps beside."""

    id: str
    path: tuple[str, ...]
    value: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    extra: Mapping[str, Any]
    etag: str | None = None


@dataclass(frozen=True)
class Draft:
    """A note to write. text: what is searched; expires_at: None is never."""

    path: tuple[str, ...]
    value: str
    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None


def join_path(path: Sequence[str]) -> str:
    """The path in ASCII: no two paths are joined to one, whatever stands in their parts."""
    return "/".join(quote(part, safe="", errors="surrogatepass") for part in path)


def check_path(path: Sequence[str]) -> None:
    """Raises NoteTooLargeError."""
    if len(path) > PATH_MAX_PARTS:
        raise NoteTooLargeError(f"A name has at most {PATH_MAX_PARTS} parts, not {len(path)}.")
    length = len(join_path(path))
    if length > PATH_MAX_CHARACTERS:
        raise NoteTooLargeError(
            f"A name has at most {PATH_MAX_CHARACTERS:,} characters, percent-encoded, not "
            f"{length:,}."
        )


def check_value(value: str) -> None:
    """Raises NoteTooLargeError."""
    size = len(value.encode())
    if size > VALUE_MAX_BYTES:
        raise NoteTooLargeError(
            f"A value has at most {VALUE_MAX_BYTES:,} bytes, and this one has {size:,}."
        )


def cut_text(text: str, size: int = VALUE_MAX_BYTES) -> str:
    """The text up to so many bytes, without what the server takes in no text."""
    return text.replace("\x00", " ").encode(errors="replace")[:size].decode(errors="ignore")


class Notes:
    """The notes of one store of the robot that the client's key is of. Threads may share it."""

    def __init__(self, client: Client, store: str) -> None:
        if not store or len(quote(store, safe="")) > 64:
            raise ValueError("The name of a store has 1 to 64 characters.")
        self.client = client
        self.store = store

    def key(self, path: Sequence[str]) -> str:
        """The key of the memory: readable where it fits, else a digest."""
        joined = join_path(path)
        key = f"{quote(self.store, safe='')}/{joined}"
        if len(key) <= KEY_MAX_CHARACTERS:
            return key
        return f"{quote(self.store, safe='')}#{hashlib.sha256(joined.encode()).hexdigest()}"

    def find(self, path: Sequence[str], *, etag: bool = False) -> Note | None:
        """The note of a path. etag: also its ETag, which is one call more."""
        check_path(path)
        for row in self.client.memories.list(key=self.key(path), page_size=PAGE):
            note = self.read(row)
            if note is not None and note.path == tuple(path):
                return self.reread(note) if etag else note
        return None

    def reread(self, note: Note) -> Note | None:
        """The note as it is now, with its ETag; None if it is gone."""
        try:
            row = self.client.memories.get(note.id)
        except NotFoundError:
            return None
        return self.read(row, etag_of(row)) if row["status"] == "active" else None

    def list(
        self, prefix: Sequence[str] = (), *, page_size: int = PAGE, **extra: Any
    ) -> Iterator[Note]:
        """The note of a path and those below it whose metadata have `extra`, the newest first."""
        named = {**extra, **self._below(prefix)}
        for row in self.client.memories.list(metadata=named, page_size=page_size):
            note = self.read(row)
            if note is not None and note.path[: len(prefix)] == tuple(prefix):
                yield note

    def search(
        self, query: str, prefix: Sequence[str] = (), *, limit: int, **extra: Any
    ) -> Iterator[tuple[Note, float]]:
        """At most `limit` notes that match, with their scores (0-1), the best first.

        `updated_at` is not in a hit: `reread` gives it.
        """
        filters: Any = {
            "metadata": {**extra, **self._below(prefix)},
            "visibilities": ["internal"],
        }
        found = self.client.recall(query, limit=max(1, min(limit, PAGE)), filters=filters)
        for hit in found["results"]:
            # A hit leaves out long metadata.
            note = self.read(hit) if hit["metadata"] else self._reread_id(hit["id"])
            if note is not None and note.path[: len(prefix)] == tuple(prefix):
                yield note, hit["score"]

    def read(self, row: Any, etag: str | None = None) -> Note | None:
        """The note that a memory is; None for what is none of this store.

        Whoever writes for more readers may choose any key and any metadata, so only what this robot
        alone reads is a note.
        """
        data = row.get("metadata") or {}
        path, value = data.get("path"), data.get("value")
        if (
            row["audience"]["kind"] != "robot"
            or data.get("store") != self.store
            or not isinstance(path, str)
            or not isinstance(value, str)
        ):
            return None
        parts = split_path(path)
        if row["key"] != self.key(parts):
            return None
        made = _parse_time(row["created_at"])
        changed = _parse_time(row["updated_at"]) if row.get("updated_at") else made
        ends = _parse_time(row["expires_at"]) if row.get("expires_at") else None
        return Note(row["id"], parts, value, made, changed, ends, data, etag)

    def put(self, drafts: Sequence[Draft]) -> None:
        """Write notes, each in the place of the one of its path; a call or two for each.

        Raises NoteTooLargeError before anything is written, and NoteHeldError or a RefusedError
        for the first that was not; those before it have been written.
        """
        for body in [self._body(draft) for draft in drafts]:
            try:
                done = self._post(body)
            except ConflictError as error:
                if error.code != "key-taken" or not error.existing:
                    raise
                self._patch(error.existing, body, None)
                continue
            if done["deduplicated"]:
                # It has this text, and its metadata are still those of before.
                self._patch(done["id"], body, None)
            else:
                self._check_written(done)

    def create(self, draft: Draft) -> None:
        """Write a new note. Raises NoteExistsError if there is one of the path."""
        body = self._body(draft)
        if self.find(draft.path) is not None:
            raise NoteExistsError("There is a note of this name already.")
        try:
            done = self._post(body)
        except ConflictError as error:
            if error.code != "key-taken" or not error.existing:
                raise
            id_ = error.existing
        else:
            if not done["deduplicated"]:
                return self._check_written(done)
            id_ = done["id"]
        # One that was forgotten, in whose place this one comes, or that came between: with the
        # same text it is the same note.
        row: Any = self.client.memories.get(id_)
        note = self.read(row)
        if note is not None and row["status"] == "active" and row["content"] != body["content"]:
            raise NoteExistsError("There is a note of this name already.")
        return self._patch(id_, body, etag_of(row))

    def change(self, note: Note, draft: Draft) -> None:
        """Write another value. note: with its ETag. Raises ChangedError if it was changed since."""
        if note.etag is None:
            raise ValueError("The note was read without its ETag.")
        self._patch(note.id, self._body(draft), note.etag)

    def delete(self, note: Note) -> None:
        """Forget a note. Raises ChangedError if it was changed after `note` was read."""
        with suppress(NotFoundError):
            self.client.memories.forget(note.id, if_match=note.etag)

    def extend_expiry(self, note: Note, expires_at: datetime) -> None:
        """Put off when a note expires."""
        self.client.memories.change(note.id, expires_at=expires_at)

    def _reread_id(self, id_: str) -> Note | None:
        return self.reread(Note(id_, (), "", _NEVER, _NEVER, None, {}))

    def _below(self, prefix: Sequence[str]) -> dict[str, Any]:
        check_path(prefix)
        below = {f"below{len(prefix)}": join_path(prefix)} if prefix else {}
        return {"store": self.store, **below}

    def _body(self, draft: Draft) -> dict[str, Any]:
        check_path(draft.path)
        check_value(draft.value)
        text = cut_text(draft.text)
        return {
            "content": text if text.strip() else self.key(draft.path),
            "visibility": "internal",
            "key": self.key(draft.path),
            "metadata": {
                **draft.extra,
                **{f"below{n}": join_path(draft.path[:n]) for n in range(1, len(draft.path) + 1)},
                "store": self.store,
                "path": join_path(draft.path),
                "value": draft.value,
            },
            **({"expires_at": draft.expires_at} if draft.expires_at else {}),
        }

    def _post(self, body: Mapping[str, Any]) -> Any:
        return self.client.request("POST", "memories", body=body)

    def _patch(self, id_: str, body: Mapping[str, Any], etag: str | None) -> None:
        changes: Any = {
            "content": body["content"],
            "metadata": body["metadata"],
            "expires_at": body.get("expires_at"),
        }
        done: Any = self.client.memories.change(id_, if_match=etag, **changes)
        if done["status"] in ("forgotten", "archived"):
            path = f"memories/{id_}/restore"
            done = self.client.request("POST", path)
        self._check_written(done)

    @staticmethod
    def _check_written(result: Any) -> None:
        if result["status"] != "active":
            raise NoteHeldError(
                "A gate holds the text for a review, so it cannot be read: it has personal data or "
                f"orders to a model ({result['status']})."
            )


def split_path(path: str) -> tuple[str, ...]:
    """What `join_path` joined."""
    return tuple(unquote(part, errors="surrogatepass") for part in path.split("/"))


def _parse_time(text: str) -> datetime:
    # Python 3.10 knows no Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


_NEVER = datetime.fromtimestamp(0, timezone.utc)
