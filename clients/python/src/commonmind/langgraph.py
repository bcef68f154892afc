"""The store of LangGraph, kept in Commonmind. Needs `pip install 'commonmind[langgraph]'`.

An item is a robot's own note (`commonmind.notes`): its robot alone reads it, no person and no other
robot. Another key of the same robot reads the same items.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Literal

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from commonmind.notes import PAGE, Draft, Note, Notes

if TYPE_CHECKING:
    from commonmind.client import Client

# A read puts off the end of an item only where it gains this share of its time: that is a write.
REFRESH_SHARE = 0.1
# In characters. The server takes longer questions; more of it changes no answer.
QUERY_MAX = 2000
_COMPARISONS: Mapping[str, Any] = {
    "$eq": lambda value, wanted: value == wanted,
    "$ne": lambda value, wanted: value != wanted,
    "$gt": lambda value, wanted: float(value) > float(wanted),
    "$gte": lambda value, wanted: float(value) >= float(wanted),
    "$lt": lambda value, wanted: float(value) < float(wanted),
    "$lte": lambda value, wanted: float(value) <= float(wanted),
}


class CommonmindStore(BaseStore):
    """Items of LangGraph as the own notes of the robot whose key the client has.

    name: of the store; one robot may have several. fields: the paths of a value that `search` looks
    in, all of it by default. ttl: `default_ttl` in minutes, and `refresh_on_read`.

    A value is a JSON object of at most 32,768 bytes and comes back exactly. A namespace and a key
    have together at most 20 parts and 1,000 characters, percent-encoded. More of either is a
    NoteTooLargeError and nothing is written. A text that a gate of the server holds is a
    NoteHeldError. Errors of the client (429 after its retries, a server that is away) are raised.

    What was put is found by its words at once, by its meaning a second or two later. An item past
    its ttl is gone at once, whatever `omit_expired` says. `search` looks at the best 1,000 items
    that match a query. What is deleted is forgotten, as a memory is, and can be erased for good.
    """

    supports_ttl = True

    def __init__(
        self,
        client: Client,
        *,
        name: str = "langgraph",
        fields: list[str] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self.notes = Notes(client, name)
        self.fields = fields
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then puts; of several puts of one key the last counts."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    results.append(self._get(op))
                case SearchOp():
                    results.append(self._search(op))
                case ListNamespacesOp():
                    results.append(self._list_namespaces(op))
                case PutOp():
                    puts[tuple(op.namespace), op.key] = op
                    results.append(None)
                case _:
                    raise ValueError(f"Unknown operation type: {type(op)}")
        self._apply(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        note = self.notes.find((*op.namespace, op.key))
        if note is None:
            return None
        self._refresh([note], wanted=op.refresh_ttl)
        return Item(**_fields(note))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, limit, offset = tuple(op.namespace_prefix), op.limit, op.offset
        if limit < 0 or offset < 0:
            raise ValueError("limit and offset are not negative.")
        found: list[tuple[Note, float | None]] = []
        if op.query and op.query.strip():
            most = PAGE if op.filter else offset + limit
            hits = self.notes.search(op.query[:QUERY_MAX], prefix, limit=most, searched=True)
            found = [hit for hit in hits if _matches(hit[0], op.filter)]
        if len(found) < offset + limit:
            # As in LangGraph's own stores they come after those that match: with a score of 0 what
            # was looked through, without one what is not searched.
            known = {note.id for note, _ in found}
            rest = (
                (note, score)
                for note, score in self._unmatched(prefix, ranked=bool(op.query))
                if note.id not in known and _matches(note, op.filter)
            )
            found += islice(rest, offset + limit - len(found))
        items, notes = [], []
        for note, score in found[offset : offset + limit]:
            # A hit of a recall does not say when it was changed, nor until when it is kept.
            current = self.notes.reread(note) if score else note
            if current is not None:
                notes.append(current)
                items.append(SearchItem(**_fields(current), score=score))
        self._refresh(notes, wanted=op.refresh_ttl)
        return items

    def _unmatched(
        self, prefix: tuple[str, ...], *, ranked: bool
    ) -> Iterator[tuple[Note, float | None]]:
        if not ranked:
            yield from ((note, None) for note in self.notes.list(prefix))
            return
        yield from ((note, 0.0) for note in self.notes.list(prefix, searched=True))
        yield from ((note, None) for note in self.notes.list(prefix, searched=False))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        fixed = max((_fixed_prefix(one) for one in conditions), key=len, default=())
        namespaces = {
            note.path[:-1][: op.max_depth]
            for note in self.notes.list(fixed)
            if all(_matches_namespace(note.path[:-1], one) for one in conditions)
        }
        return sorted(namespaces)[op.offset : op.offset + op.limit]

    def _apply(self, ops: list[PutOp]) -> None:
        for op in ops:
            if op.value is None and (note := self.notes.find((*op.namespace, op.key))):
                self.notes.delete(note)
        if drafts := [self._draft(op, op.value) for op in ops if op.value is not None]:
            self.notes.put(drafts)

    def _draft(self, op: PutOp, value: Mapping[str, Any]) -> Draft:
        ttl = op.ttl if op.ttl is not None else (self.ttl_config or {}).get("default_ttl")
        texts = self._texts(op.index, dict(value))
        return Draft(
            (*op.namespace, op.key),
            dump_value(dict(value)),
            "\n".join(texts),
            # The server finds by these; `ttl` is in minutes.
            {"searched": bool(texts), "ttl": ttl},
            None if ttl is None else _from_now(ttl),
        )

    def _texts(self, index: Literal[False] | list[str] | None, value: dict[str, Any]) -> list[str]:
        """The texts by which an item is found."""
        if index is False:
            return []
        fields = self.fields if index is None else index
        if fields is None:
            return list(_texts_of(value))
        return [
            text for path in fields for text in get_text_at_path(value, tokenize_path(path)) if text
        ]

    def _refresh(self, notes: Iterable[Note], *, wanted: bool) -> None:
        """Put off the end of what was read."""
        if not wanted:
            return
        now = datetime.now(timezone.utc)
        for note in notes:
            ttl = note.extra.get("ttl")
            if note.expires_at is None or not isinstance(ttl, (int, float)):
                continue
            until = now + timedelta(minutes=ttl)
            if until - note.expires_at > timedelta(minutes=ttl * REFRESH_SHARE):
                self.notes.extend_expiry(note, until)


def dump_value(value: Mapping[str, Any]) -> str:
    """The JSON of a value. Raises TypeError or ValueError for what is no JSON, such as NaN or a
    name that is no text."""
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half characters are escaped, so that they come back.
        return json.dumps(_plain(value), allow_nan=False)
    return text


def _plain(value: Any) -> Any:
    """The same with dictionaries and lists alone."""
    if isinstance(value, Mapping):
        if wrong := [name for name in value if not isinstance(name, str)]:
            raise TypeError(f"The names in a value are texts, not {wrong[0]!r}.")
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _texts_of(value: Any, name: str = "") -> Iterator[str]:
    """A line for each text and number in a value, with the name that it has there."""
    if isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _texts_of(part, inner)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts_of(part, name)
    elif value is not None and value != "":
        yield f"{name}: {value}"


def _fields(note: Note) -> dict[str, Any]:
    return {
        "namespace": note.path[:-1],
        "key": note.path[-1],
        "value": json.loads(note.value),
        "created_at": note.created_at,
        "updated_at": note.updated_at,
    }


def _matches(note: Note, wanted: Mapping[str, Any] | None) -> bool:
    """Whether the value has what a filter asks for; a comparison of what has no order is none."""
    if not wanted:
        return True
    value = json.loads(note.value)
    return all(_compare(value.get(name), part) for name, part in wanted.items())


def _compare(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted):
        if unknown := set(wanted) - set(_COMPARISONS):
            raise ValueError(f"There is no operator {min(map(str, unknown))}.")
        try:
            return all(_COMPARISONS[name](value, part) for name, part in wanted.items())
        except (TypeError, ValueError):
            return False
    return bool(value == wanted)


def _fixed_prefix(condition: MatchCondition) -> tuple[str, ...]:
    """The parts of a prefix before its first wildcard, which the server compares."""
    if condition.match_type != "prefix":
        return ()
    return tuple(takewhile(lambda part: part != "*", condition.path))


def _matches_namespace(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[len(namespace) - len(path) :]
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    return all(wanted in ("*", given) for given, wanted in zip(part, path, strict=True))


def _from_now(minutes: float) -> datetime:
    return datetime.now(timezone.utc) + timedelta(minutes=minutes)
