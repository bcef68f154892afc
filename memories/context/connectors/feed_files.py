"""Feeds (RSS and Atom): title, author, time and the beginning of each entry.

A feed may be hostile XML, so it is read in a process of its own (`sandboxed_parser`). The library
resolves no entity that the file declares, and opens no address.
"""

from calendar import timegm
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from typing import Any

import feedparser

from memories.context.connectors.mail_files import EARLIEST, MAX_CLOCK_SKEW, strip_tags
from memories.context.connectors.parse_result import (
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    ParsedEntry,
    ParseResult,
    UnreadableFileError,
    clean_line,
    clean_text,
    format_count,
)

MAX_BYTES = 2_000_000
MAX_ENTRIES = 500
# Of the markup of an entry; its text is cut to MAX_TEXT_CHARACTERS afterwards.
MAX_MARKUP_CHARACTERS = 50_000


def parse_feed(data: bytes, *, now: datetime) -> ParseResult:
    """The newest MAX_ENTRIES entries, oldest first. now: for entries without a plausible time.

    Raises UnreadableFileError.
    """
    feed = feedparser.parse(BytesIO(data), sanitize_html=False, resolve_relative_uris=False)
    if not feed.get("version"):
        raise UnreadableFileError("This is no feed (RSS or Atom).")
    found = [_to_entry(one, now) for one in feed.entries]
    # Of two with one id the first stands: feeds begin with the newest.
    by_uid = {one.uid: one for one in reversed(found) if one is not None}
    entries = sorted(by_uid.values(), key=lambda one: (one.at, one.uid))
    problems = []
    if empty := found.count(None):
        problems.append(f"{format_count(empty, 'entry', 'entries')} without a text left out.")
    if (older := len(entries) - MAX_ENTRIES) > 0:
        problems.append(f"{format_count(older, 'older entry', 'older entries')} left out.")
    return ParseResult(entries=entries[-MAX_ENTRIES:], problems=problems)


def _to_entry(given: Any, now: datetime) -> ParsedEntry | None:
    """The entry, or None without a title and a text."""
    title = clean_line(
        _plain(given.get("title_detail"), MAX_TITLE_CHARACTERS), MAX_TITLE_CHARACTERS
    )
    whole = next(iter(given.get("content") or []), given.get("summary_detail"))
    text = _plain(whole, MAX_TEXT_CHARACTERS)
    if not title and not text:
        return None
    named = str(given.get("id") or given.get("link") or f"{title}\0{text}")
    return ParsedEntry(
        at=_time_of(given, now) or now,
        title=title or "Without a title",
        person=clean_line(str(given.get("author", "")), MAX_TITLE_CHARACTERS),
        text=text,
        uid=sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32],
    )


def _plain(detail: Any, most: int) -> str:
    """The text of a part of an entry, which says whether it is markup."""
    value = str((detail or {}).get("value", ""))[:MAX_MARKUP_CHARACTERS]
    is_text = (detail or {}).get("type") == "text/plain"
    return clean_text(value if is_text else strip_tags(value), most)


def _time_of(given: Any, now: datetime) -> datetime | None:
    # Not by the library's own `get`, which warns where one of them is missing.
    parsed = dict.get(given, "published_parsed") or dict.get(given, "updated_parsed")
    try:
        at = datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return at if at and EARLIEST <= at <= now + MAX_CLOCK_SKEW else None
