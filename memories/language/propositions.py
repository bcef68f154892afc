"""Propositions: sentences that each state one fact and need no context. Pure, English.

A proposition has 10 to 1,000 characters, at least five words and no pronoun, and is no question and
no heading. Every other text is refused with a reason. Quotations, code and addresses are found as
verbatim spans.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from memories.language.comparison.text_comparison import normalise_text
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_TO_EXCERPT

MIN_CHARACTERS, MAX_CHARACTERS, MIN_WORDS, MAX_PROPOSITIONS = 10, 1_000, 5, 50

_PRONOUN_WORDS = """
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it
its itself we us our ours ourselves they them their theirs themselves this these those
who whom whose someone somebody something anyone anybody anything
i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll it'd
we're we've we'll we'd they're they've they'll they'd that's who's there's let's
"""
PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,3}[.)]|[a-z][.)])\s+")
# A full stop ends a sentence before a capital, a digit or the end, not inside "e.g." or "4.2"; that
# of a script without blanks always does.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?P<closed>[\"'”’)]*)\s+(?=[\"'“(]?[A-ZÀ-ÞА-Я0-9])|;\s+|\n+"
    r"|(?<=[。！？।])(?P<ended>[」』”’）]*)(?![。！？।」』”’）])"  # noqa: RUF001
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|mr|mrs|ms|dr|prof|st|vs|no|approx|etc|[A-Z])\.)$", re.I
)


@dataclass(frozen=True, slots=True)
class RejectedText:
    """A text that is no proposition, and why."""

    text: str
    reason: str


def rejection_reason(text: str) -> str:
    """Why a text is no proposition; empty for a proposition."""
    words = [w.replace("’", "'").casefold() for w in _WORD.findall(text)]
    if len(text) < MIN_CHARACTERS:
        return "too-short"
    if len(text) > MAX_CHARACTERS:
        return "too-long"
    if len(words) < MIN_WORDS:
        return "too-few-words"
    if not PRONOUNS.isdisjoint(words):
        return "pronoun"
    if text.rstrip("\"'”’)").endswith("?"):
        return "question"
    return "heading" if text.endswith(":") else ""


def strip_markup(text: str) -> str:
    """The text without a bullet, without quotation marks around the whole, and with single
    spaces."""
    plain = " ".join(_BULLET.sub("", text).split())
    if len(plain) > 2 and (plain[0], plain[-1]) in (('"', '"'), ("“", "”")):
        plain = plain[1:-1].strip()
    return plain


def iter_sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text, in order."""
    for start, end in iter_sentence_spans(text):
        yield text[start:end]


def iter_sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences and lines of a text begin and end, in order, in characters."""
    first = last = place = 0
    ends = ((max(m.start(), m.end(1), m.end(2)), m.end()) for m in _SENTENCE_END.finditer(text))
    for end, following in chain(ends, [(len(text), len(text))]):
        if part := text[place:end].strip():
            start = text.index(part, place)
            first, last = (first if last else start), start + len(part)
        place = following
        tail = text[max(first, last - 12) : last]
        waits = last - first <= MAX_CHARACTERS and _ABBREVIATION.search(tail)
        if last and (place == len(text) or not waits):
            yield first, last
            last = 0


def is_divisible(text: str) -> bool:
    """Whether the text has more than one sentence, so that it can be split."""
    return sum(1 for _ in islice(iter_sentences(text[:MAX_CHARACTERS_PER_TEXT]), 2)) > 1


def parse_propositions(given: Iterable[str]) -> tuple[list[str], list[RejectedText]]:
    """(the given texts that are propositions, each once; the refused ones)."""
    kept: dict[str, str] = {}
    refused = []
    for text in given:
        plain = strip_markup(text)
        if not plain:
            continue
        why = rejection_reason(plain) or ("too-many" if len(kept) >= MAX_PROPOSITIONS else "")
        if why:
            refused.append(RejectedText(text, why))
        else:
            kept.setdefault(normalise_text(plain), plain)
    return list(kept.values()), refused


def extract_propositions(text: str) -> tuple[list[str], list[RejectedText]]:
    """(the sentences of a text that are propositions; the refused ones)."""
    return parse_propositions(iter_sentences(text[:MAX_CHARACTERS_TO_EXCERPT]))


# Verbatim spans: the parts of a text that are not the speaker's own wording. One pass from left to
# right; for a mark that is never closed the end is searched once, not for each opening mark.

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
