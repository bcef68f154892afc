"""Mailbox files (mbox, RFC 4155): sender, time, subject and the beginning of each mail.

Only the beginning of each mail is read, so the size of a mail does not matter. Only text is kept:
no attachment, no address of a recipient.
"""

import time
from collections import deque
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from html.parser import HTMLParser
from mmap import ACCESS_READ, mmap
from pathlib import Path

from memories.context.connectors.parse_result import (
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    ParsedEntry,
    ParseResult,
    UnreadableFileError,
    clean_text,
    format_count,
)

MAX_BYTES = 100_000_000
MAX_MAIL_BYTES, MAX_HEADER_CHARACTERS, MAX_PARTS = 256_000, 1_000, 50
# The last READ mails of the file are read, and the newest MOST_MAILS of these are kept.
MAX_PARSED_MAILS, MAX_MAILS = 5_000, 500
# Of the processor, for the whole file.
MAX_SECONDS = 2.0
# A mail dated outside these years has a wrong date.
EARLIEST, MAX_CLOCK_SKEW = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=1)


def parse_mails(path: Path, *, now: datetime) -> ParseResult:
    """The newest MOST_MAILS of the last READ mails, oldest first. Raises UnreadableImportError."""
    with path.open("rb") as file:
        if not file.read(5).startswith(b"From "):
            raise UnreadableFileError(
                "This is no mailbox file (mbox): it does not begin with “From ”."
            )
        with mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            return _parse_newest(whole, now)


def _parse_newest(whole: mmap, now: datetime) -> ParseResult:
    starts, count = _find_mail_starts(whole)
    ends = [*starts[1:], len(whole)]
    entries: list[ParsedEntry] = []
    unread = 0
    until = time.process_time() + MAX_SECONDS
    for start, end in zip(reversed(starts), reversed(ends), strict=True):
        entry = None
        if time.process_time() <= until:
            entry = _to_entry(whole[start : min(end, start + MAX_MAIL_BYTES)], now)
        if entry is None:
            unread += 1
        else:
            entries.append(entry)
    entries.sort(key=lambda one: one.at)
    older = count - unread - min(len(entries), MAX_MAILS)
    problems = []
    if unread:
        problems.append(f"{format_count(unread, 'mail', 'mails')} could not be read.")
    if older > 0:
        problems.append(f"{format_count(older, 'older mail', 'older mails')} left out.")
    return ParseResult(entries=entries[-MAX_MAILS:], problems=problems)


def _find_mail_starts(whole: mmap) -> tuple[list[int], int]:
    """(where the last READ mails begin, how many there are)."""
    last, count, at = deque([0], maxlen=MAX_PARSED_MAILS), 1, whole.find(b"\nFrom ")
    while at >= 0:
        last.append(at + 1)
        count += 1
        at = whole.find(b"\nFrom ", at + 1)
    return list(last), count


def _to_entry(data: bytes, now: datetime) -> ParsedEntry | None:
    """The entry of a mail; None without a plausible date, or if the mail cannot be parsed."""
    try:
        mail = message_from_bytes(data.partition(b"\n")[2])
        at = parsedate_to_datetime(str(mail.get("Date", ""))[:MAX_HEADER_CHARACTERS])
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        if not EARLIEST <= at <= now + MAX_CLOCK_SKEW:
            return None
        name, address = parseaddr(_header(mail, "From"))
        return ParsedEntry(
            at=at,
            title=clean_text(_header(mail, "Subject"), MAX_TITLE_CHARACTERS) or "Without a subject",
            person=clean_text(
                f"{name} <{address}>" if name and address else name or address, MAX_TITLE_CHARACTERS
            ),
            text=clean_text(_plain_text(mail), MAX_TEXT_CHARACTERS),
        )
    except Exception:  # one bad mail must not stop the others
        return None


def _header(mail: Message, name: str) -> str:
    raw = str(mail.get(name, ""))[:MAX_HEADER_CHARACTERS]
    try:
        return str(make_header(decode_header(raw)))
    except (HeaderParseError, LookupError, ValueError):
        return raw


def _plain_text(mail: Message) -> str:
    """The first part in plain text, else the first in HTML, without tags."""
    pages: list[str] = []
    for number, part in enumerate(mail.walk()):
        if number >= MAX_PARTS:
            break
        if part.is_multipart() or part.get_filename():
            continue
        if part.get_content_type() == "text/plain":
            return _decode_part(part)
        if part.get_content_type() == "text/html":
            pages.append(_decode_part(part))
    return _strip_tags(pages[0]) if pages else ""


def _decode_part(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload[: 10 * MAX_TEXT_CHARACTERS] if isinstance(payload, bytes) else b""
    try:
        return data.decode(str(part.get_content_charset("utf-8")), errors="replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", errors="replace")


class _TextExtractor(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in ("script", "style")))

    def handle_data(self, data: str) -> None:
        if not self.silent and (words := data.strip()):
            self.found.append(words)


def _strip_tags(page: str) -> str:
    words = _TextExtractor()
    words.feed(page)
    return "\n".join(words.found)
