"""The session of the OpenAI Agents SDK, kept in Commonmind. Needs
`pip install 'commonmind[openai-agents]'`.

An item of the history is a robot's own note (`commonmind.notes`) by which no recall finds it, so
what several people said does not mix.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from agents import SessionSettings

from commonmind.errors import CommonmindError
from commonmind.notes import PAGE, VALUE_MAX_BYTES, Draft, Note, Notes, check_path

if TYPE_CHECKING:
    from agents import TResponseInputItem

    from commonmind.client import Client

# No JSON has a line end, and no sentence goes on after a semicolon.
LINE_END = ";\n"
# A longer item is kept in several notes.
MAX_PARTS = 64
# The numbers of items are as long, so that they are in order as texts.
DIGITS = 12
# Among so many of the latest notes the one with the highest number is looked for.
LATEST = 2 * MAX_PARTS


class ItemTooLargeError(CommonmindError, ValueError):
    """An item has more than a session keeps. Nothing of the call was kept."""


class CommonmindSession:
    """The history of one session, for the robot whose key the client has.

    session_id: any text that says which session; whoever has the key and this text reads it.
    name: of the store; the sessions of two stores are apart. session_settings: `limit`, how many of
    the latest items `get_items` gives.

    An item comes back exactly. It has at most 2 MB in ASCII, and a quarter of it otherwise; more is
    an ItemTooLargeError. A text that a gate of the server holds is a NoteHeldError. Of a call to
    `add_items` that fails nothing stays. Errors of the client are raised.
    """

    def __init__(
        self,
        session_id: str,
        client: Client,
        *,
        name: str = "openai-agents",
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        if not session_id:
            raise ValueError("A session has an id.")
        check_path((session_id, ""))
        if isinstance(session_settings, dict):
            # `resolve` raises TypeError for a name that it does not know.
            session_settings = SessionSettings().resolve(session_settings)
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self.notes = Notes(client, name)
        # What one process adds at the same time stays together.
        self._lock = threading.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items, the oldest first; with a limit the latest. Below 0 is no limit."""
        return await asyncio.to_thread(self._get, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the end."""
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item out; None if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Forget all items."""
        await asyncio.to_thread(self._clear)

    def _get(self, limit: int | None) -> list[Any]:
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = limit if limit is not None and limit >= 0 else None
        latest = islice(self._latest(PAGE if most is None else min(PAGE, most + LATEST)), most)
        return [item for _, item, _ in sorted(latest, key=itemgetter(0))]

    def _add(self, items: Sequence[Any]) -> None:
        parts = [_split(item) for item in items]
        if not parts:
            return
        with self._lock:
            first = self._next_number()
            drafts = []
            for number, texts in enumerate(parts, first):
                # Another process may have taken the number meanwhile; both items stay.
                name = f"{number:0{DIGITS}}-{uuid.uuid4().hex}"
                for part, text in enumerate(texts):
                    path = (self.session_id, name, f"{part}of{len(texts)}")
                    # Without a text to search it is found by its name alone.
                    drafts.append(Draft(path, text, ""))
            try:
                self.notes.put(drafts)
            except BaseException:
                self._withdraw(drafts)
                raise

    def _pop(self) -> Any:
        with self._lock:
            for _, item, notes in self._latest(LATEST):
                self._forget(notes)
                return item
        return None

    def _clear(self) -> None:
        with self._lock:
            self._forget(list(self.notes.list((self.session_id,))))

    def _next_number(self) -> int:
        latest = self.notes.list((self.session_id,), page_size=LATEST)
        return 1 + max((_number(note) for note in islice(latest, LATEST)), default=0)

    def _latest(self, page_size: int) -> Iterator[tuple[str, Any, list[Note]]]:
        """(name, item, its notes) of all that are whole, the latest first."""
        parts: dict[str, dict[str, Note]] = {}
        for note in self.notes.list((self.session_id,), page_size=page_size):
            _, name, part = note.path
            notes = parts.setdefault(name, {})
            notes[part] = note
            # Something of an item is missing while it is written, or taken out.
            names = [f"{number}of{len(notes)}" for number in range(len(notes))]
            if set(names) == set(notes):
                item = load_item("".join(notes[part].value for part in names))
                yield name, item, list(parts.pop(name).values())

    def _forget(self, notes: Sequence[Note]) -> None:
        for note in notes:
            self.notes.delete(note)

    def _withdraw(self, drafts: Sequence[Draft]) -> None:
        """Forget what of these was written."""
        names = {draft.path[1] for draft in drafts}
        notes = self.notes.list((self.session_id,), page_size=LATEST)
        self._forget([note for note in islice(notes, len(drafts)) if note.path[1] in names])


def _split(item: Any) -> list[str]:
    """An item in parts. Raises ItemTooLargeError, and TypeError for what is no JSON."""
    text = dump_item(item)
    size = len(text) if text.isascii() else 4 * len(text)
    if size > MAX_PARTS * VALUE_MAX_BYTES:
        raise ItemTooLargeError(
            f"An item has at most {MAX_PARTS * VALUE_MAX_BYTES:,} bytes, and this one has {size:,}."
        )
    step = VALUE_MAX_BYTES if text.isascii() else VALUE_MAX_BYTES // 4
    return [text[at : at + step] for at in range(0, len(text), step)]


def dump_item(item: Any) -> str:
    """A line for each text in an item, in order, and one with the form of the item, as JSON.

    A gate takes `"role": "assistant"` and a written call of a tool for words that somebody puts
    into the mouth of the model. So the form stands apart from the texts, each of which it reads.
    """
    texts: list[str] = []
    form = json.dumps(_take_texts(item, texts))
    try:
        lines = [json.dumps(text, ensure_ascii=False) for text in texts]
        "".join(lines).encode()
    except UnicodeEncodeError:
        # Half characters are escaped, so that they come back.
        lines = [json.dumps(text) for text in texts]
    return LINE_END.join([*lines, form])


def load_item(text: str) -> Any:
    """What `dump_item` made a text of."""
    *texts, form = text.split(LINE_END)
    return _put_texts(json.loads(form), map(json.loads, texts))


def _take_texts(value: Any, texts: list[str]) -> Any:
    """The same with an empty text for each text, which is added to `texts`."""
    if isinstance(value, str):
        texts.append(value)
        return ""
    if isinstance(value, Mapping):
        return {name: _take_texts(part, texts) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_take_texts(part, texts) for part in value]
    return value


def _put_texts(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        return {name: _put_texts(part, texts) for name, part in value.items()}
    return [_put_texts(part, texts) for part in value] if isinstance(value, list) else value


def _number(note: Note) -> int:
    return int(note.path[1][:DIGITS])
