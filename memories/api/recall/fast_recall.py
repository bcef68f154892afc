"""The short way of a recall, from bytes to bytes, for the plain bodies that most robots send.

Every other body, and every faulty one, goes the usual way and is answered or refused there.
"""

from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone

from memories.api.recall.recall_views import render_recall
from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from memories.retrieval.fast_recall import can_recall_fast, recall_fast
from memories.retrieval.recall import FUSIONS, Query
from memories.retrieval.strategies.registry import STRATEGY_NAMES
from orgs.api.renderers import JSONRenderer
from orgs.api.serializers import MAX_ITEMS
from robots.access.keys import PresentedKey

# The text fields that are read here, each with its most characters.
_TEXT_LIMITS = {"query": MAX_QUERY_CHARACTERS, "group": 300, "member": 400}
_CHOICES = {"strategy": frozenset(STRATEGY_NAMES), "fusion": frozenset(FUSIONS)}
_FIELDS = {*_TEXT_LIMITS, *_CHOICES, "limit", "explain", "working"}
_renderer = JSONRenderer()


def parse_plain_query(body: bytes) -> Query | None:
    """The query in a plain body, as the serializer would read it; None for any other body."""
    if len(body) > settings.REQUEST_BODY_MAX_BYTES:
        return None
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(data, dict) or not data.keys() <= _FIELDS or "query" not in data:
        return None
    fields = {name: _parse_value(name, value) for name, value in data.items()}
    if any(value is None for value in fields.values()):
        return None
    query = Query(text=fields.pop("query"), **fields)
    return query if can_recall_fast(query) else None


def _parse_value(name: str, value: Any) -> Any:
    """The value of a field as its serializer's field reads it; None if that might refuse it."""
    if name in _TEXT_LIMITS:
        return _parse_text(value, _TEXT_LIMITS[name])
    if name in _CHOICES:
        return value if isinstance(value, str) and value in _CHOICES[name] else None
    if name == "limit":
        return value if type(value) is int and 1 <= value <= MAX_ITEMS else None
    return value if type(value) is bool else None


def _parse_text(value: Any, most: int) -> str | None:
    """A text as TextField reads it; None if that might refuse it."""
    if not isinstance(value, str) or "\x00" in value:
        return None
    read = value.strip()
    return read if read and len(read) <= most else None


def render_fast_answer(key: PresentedKey, query: Query) -> bytes | None:
    """The body of the answer; None if the key may not ask this."""
    found = recall_fast(key, query, now=timezone.now())
    return None if found is None else _renderer.render(render_recall(found))
