"""Mailbox files (mbox, RFC 4155): sender, time, subject and the beginning of each mail.

Only the beginning of each mail is read, so the size of a mail does not matter. Only text is kept:
no attachment, no address of a recipient.
"""

import codecs
import re
import time
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
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
    clean_line,
    clean_text,
    format_count,
)

MAX_BYTES = 100_000_000
MAX_MAIL_BYTES, MAX_HEADER_CHARACTERS, MAX_PARTS = 256_000, 1_000, 50
# The last READ mails of the file are read, and the newest MOST_MAILS of these are kept.
MAX_PARSED_MAILS, MAX_MAILS = 5_000, 500
# Of the processor, for the whole file.
MAX_SECONDS = 2.0
# The first line of a mail: an address, and a day and time as `ctime` writes them.
# They are looked for one after the other, so that a hostile line costs no more than its length.
_START_PARTS = (
    re.compile(rb"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"),
    re.compile(rb"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b"),
    re.compile(rb"\d\d:\d\d"),
)
_FIRST_HEADER = re.compile(rb"From [^\n]{1,400}\n[!-9;-~]{1,100}:")
_MAX_START_BYTES = 1_000
# "From" at the beginning of a line of a text is kept as ">From".
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_FROM_LINE = re.compile(rb"^(>*From )", re.MULTILINE)
# What senders write, and what they mean.
_CHARSETS = {
    "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
    "ascii": "cp1252", "iso-8859-8-i": "iso-8859-8", "iso-8859-9": "cp1254", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949",
    "tis-620": "cp874", "iso-8859-11": "cp874", "unicode-1-1-utf-7": "utf-7",
}  # fmt: skip
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape"})
_WINDOWS_CHARSET = re.compile(r"(?:x-)?(?:windows|win|cp|ms)-?_?(\d{3,5})")
UNREADABLE = "\ufffd"
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


def build_mailbox_file(mails: Iterable[bytes]) -> bytes:
    """A mailbox file of mails, each of which stays one mail, whatever its lines say."""
    return b"".join(
        b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n" + _FROM_LINE.sub(rb">\1", mail) + b"\n\n"
        for mail in mails
    )


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
    if broken := sum(UNREADABLE in one.title + one.text for one in entries[-MAX_MAILS:]):
        problems.append(f"{format_count(broken, 'mail has', 'mails have')} unreadable letters.")
    if unread:
        problems.append(f"{format_count(unread, 'mail', 'mails')} could not be read.")
    if older > 0:
        problems.append(f"{format_count(older, 'older mail', 'older mails')} left out.")
    return ParseResult(entries=entries[-MAX_MAILS:], problems=problems)


def _find_mail_starts(whole: mmap) -> tuple[list[int], int]:
    """(where the last READ mails begin, how many there are)."""
    last, count, at = deque([0], maxlen=MAX_PARSED_MAILS), 1, whole.find(b"\nFrom ")
    while at >= 0:
        if _is_mail_start(whole[max(0, at - 1) : at + _MAX_START_BYTES], begins=min(at, 1)):
            last.append(at + 1)
            count += 1
        at = whole.find(b"\nFrom ", at + 1)
    return list(last), count


def _is_mail_start(around: bytes, *, begins: int) -> bool:
    """Whether a line that begins with "From " begins a mail, and is no sentence of one.

    around: the sign before the end of the line before, and what follows; begins: the place of that
    end.
    """
    line = begins + 1
    first, ended, _ = around[line:].partition(b"\n")
    at = 0
    for part in _START_PARTS:
        found = part.search(first, at)
        if found is None:
            break
        at = found.end()
    else:
        if ended:
            return True
    after_blank = around[:begins] in (b"", b"\n", b"\r")
    return after_blank and _FIRST_HEADER.match(around, line) is not None


def _to_entry(data: bytes, now: datetime) -> ParsedEntry | None:
    """The entry of a mail; None without a plausible date, or if the mail cannot be parsed."""
    try:
        mail = message_from_bytes(_QUOTED_FROM.sub(rb"\1", data.partition(b"\n")[2]))
        at = parsedate_to_datetime(str(mail.get("Date", ""))[:MAX_HEADER_CHARACTERS])
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        if not EARLIEST <= at <= now + MAX_CLOCK_SKEW:
            return None
        name, address = parseaddr(_header(mail, "From"))
        return ParsedEntry(
            at=at,
            title=clean_line(_header(mail, "Subject"), MAX_TITLE_CHARACTERS) or "Without a subject",
            person=clean_line(
                f"{name} <{address}>" if name and address else name or address, MAX_TITLE_CHARACTERS
            ),
            text=clean_text(_plain_text(mail), MAX_TEXT_CHARACTERS),
        )
    except Exception:  # one bad mail must not stop the others
        return None


def _header(mail: Message, name: str) -> str:
    given = (value for key, value in mail.raw_items() if key.lower() == name.lower())
    raw = str(next(given, ""))[:MAX_HEADER_CHARACTERS]
    if not raw.isascii():
        # Bytes that no charset announces.
        raw = decode_text(raw.encode("utf-8", "surrogateescape"), None)
    try:
        parts = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(
        part if isinstance(part, str) else decode_text(part, charset) for part, charset in parts
    )


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
    return strip_tags(pages[0]) if pages else ""


def _decode_part(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    most = 10 * MAX_TEXT_CHARACTERS
    return decode_text(data[:most], part.get_content_charset(), cut=len(data) > most)


def decode_text(data: bytes, charset: str | None, *, cut: bool = False) -> str:
    """The text of bytes in the charset that they name, else in the one that they fit.

    A charset under its Windows name is known, and ISO 8859-1 is read as Windows-1252, which most
    senders mean by it. Bytes that fit nothing become U+FFFD. cut: the last letter may be
    cut off.
    """
    wanted = (charset or "").strip().lower()
    if found := _WINDOWS_CHARSET.fullmatch(wanted):
        wanted = f"cp{found[1]}"
    named = _CHARSETS.get(wanted, wanted)
    guesses = ("utf-8", "cp1252") if named in ("", "cp1252") else (named, "utf-8", "cp1252")
    for name in guesses:
        try:
            decoder = _find_charset(name).incrementaldecoder("strict")
            return str(decoder.decode(data, not cut))
        except (LookupError, ValueError, TypeError):
            continue
    return data.decode("utf-8" if named == "utf-8" else "cp1252", errors="replace")


def _find_charset(name: str) -> codecs.CodecInfo:
    """The charset of this name. Raises LookupError and ValueError.

    Python calls some other things charsets too, such as "hex", and "bz2", which unpacks.
    """
    found = codecs.lookup(name)
    if not found._is_text_encoding or found.name.replace("-", "_") in _NO_CHARSETS:
        raise LookupError(name)
    return found


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


def strip_tags(page: str) -> str:
    """The text of HTML, a line for each piece between two tags."""
    words = _TextExtractor()
    words.feed(page)
    words.close()
    return "\n".join(words.found)
