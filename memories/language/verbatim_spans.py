"""The parts of a text that are not the speaker's own wording: quotations, code, addresses. Pure.

One pass from left to right. For a mark that is never closed the end is searched once, not for each
opening mark.
"""

import re
from collections.abc import Iterator

_CLOSERS = {"`": "`", '"': '"', "“": "”", "«": "»"}
_FENCE = "```"
_OPENING = re.compile(r"[`\"“«]|^>|\b\w{1,40}://\S", re.MULTILINE)
_SPACE_OR_END = re.compile(r"\s|\Z")
_DOMAIN = re.compile(r"@[^\s@]{1,255}\.\S")
_MAILBOX = re.compile(r"[^\s@]{1,64}\Z")


class _ForwardFinder:
    """The next place of a string; call with ascending places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.known: dict[str, int] = {}

    def after(self, what: str, start: int) -> int:
        """The first place of `what` from `start` on; the length of the text if there is none."""
        found = self.known.get(what, -1)
        if found < start:
            found = self.text.find(what, start)
            found = len(self.text) if found < 0 else found
            self.known[what] = found
        return found


def iter_verbatim_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each part that must not be changed, in order: code in ``` and `, quotations
    in ", “ and « on one line, quoted lines, URLs and e-mail addresses."""
    ends, place = _ForwardFinder(text), 0
    mail = _next_email(text, 0, 0)
    while place < len(text):
        opens = _OPENING.search(text, place)
        while mail and mail[0] < place:
            mail = _next_email(text, place, max(place, mail[2]))
        start = opens.start() if opens else len(text)
        if mail and mail[0] < start:
            start, end = mail[0], mail[1]
        elif opens is None:
            return
        else:
            end = _span_end(text, start, ends)
            if not end and mail and mail[0] == start:
                end = mail[1]
        if end:
            yield start, end
        place = end or start + 1


def _span_end(text: str, start: int, ends: _ForwardFinder) -> int:
    """The end of the part that opens here, 0 if it is not closed."""
    mark = text[start]
    if mark == ">":
        return ends.after("\n", start)
    if mark not in _CLOSERS:
        return _next_space(text, start)
    if text.startswith(_FENCE, start):
        closed = ends.after(_FENCE, start + 3)
        if closed < len(text):
            return closed + 3
    closed = ends.after(_CLOSERS[mark], start + 1)
    return closed + 1 if closed < ends.after("\n", start + 1) else 0


def _next_space(text: str, start: int) -> int:
    found = _SPACE_OR_END.search(text, start)
    return found.start() if found else len(text)


def _next_email(text: str, least: int, after: int) -> tuple[int, int, int] | None:
    """(start, end, place of the @) of the next e-mail address whose @ is at `after` or later."""
    at = text.find("@", after)
    while at >= 0:
        mailbox = _MAILBOX.search(text, max(least, at - 64), at)
        if mailbox and _DOMAIN.match(text, at):
            return mailbox.start(), _next_space(text, at), at
        at = text.find("@", at + 1)
    return None
