"""The short way of a recall, from bytes to bytes, for the plain bodies that most robots send.

Every other body, and every faulty one, goes the usual way and is answered or refused there.
"""

from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone

from memories.api.recall.recall import body_of
from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from memories.retrieval.recall import FUSIONS, Query
from memories.retrieval.straight_recall import is_straight, straight_recall
from memories.retrieval.strategies.registry import NAMES
from orgs.api.renderers import JSONRenderer
from orgs.api.serializers import MAX_ITEMS
from robots.access.keys import PresentedKey

ROUTE = "api/v1/recall"
# The text fields that are read here, each with its most characters.
_TEXTS = {"query": MAX_QUERY_CHARACTERS, "group": 300, "member": 400}
_WORDS = {"strategy": frozenset(NAMES), "fusion": frozenset(FUSIONS)}
_FIELDS = {*_TEXTS, *_WORDS, "limit", "explain", "working"}
_renderer = JSONRenderer()


def read_query(body: bytes) -> Query | None:
    """The query in a plain body, as the serializer would read it; None for any other body."""
    if len(body) > settings.REQUEST_BODY_MAX_BYTES:
        return None
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(data, dict) or not data.keys() <= _FIELDS or "query" not in data:
        return None
    fields = {name: _value(name, value) for name, value in data.items()}
    if any(value is None for value in fields.values()):
        return None
    query = Query(text=fields.pop("query"), **fields)
    return query if is_straight(query) else None


def _value(name: str, value: Any) -> Any:
    """The value of a field as its serializer's field reads it; None if that might refuse it."""
    if name in _TEXTS:
        return _text(value, _TEXTS[name])
    if name in _WORDS:
        return value if isinstance(value, str) and value in _WORDS[name] else None
    if name == "limit":
        return value if type(value) is int and 1 <= value <= MAX_ITEMS else None
    return value if type(value) is bool else None


def _text(value: Any, most: int) -> str | None:
    """A text as TextField reads it; None if that might refuse it."""
    if not isinstance(value, str) or "\x00" in value:
        return None
    read = value.strip()
    return read if read and len(read) <= most else None


def answer(key: PresentedKey, query: Query) -> bytes | None:
    """The body of the answer; None if the key may not ask this."""
    found = straight_recall(key, query, now=timezone.now())
    return None if found is None else _renderer.render(body_of(found))
