"""Texts that would make a model act against the people it serves. Pure, linear in the text.

Where the line lies: advice on the work passes, also in the form of an order ("always answer in the
user's language", "when the user asks about visits, offer the cannibalisation check", "run make test
before pushing", "ignore the first row"). A text is poison when a reader that followed it would

- set aside what its operator, its user or its rules want (order, role, authority);
- hide from the people it serves what it does, or tell them something fixed or false (order,
  trigger);
- carry out what was said to it (exfiltration), or use a tool for another end than the task (call);
- be told so in a way that no person can read (hidden signs, payloads in a code).

A quotation of such an order as a warning is found as well, because a model reads the quotation too.
The wordings are English, and the most common German, French and Spanish ones; the concepts are in
nine languages. The rules only find what they know: an order in new words, or one that is wrong only
in its context, passes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memories.safety.findings import Finding, Kind, Poison
from memories.safety.likely import Likely
from memories.safety.plain_text import PlainText, readings
from memories.safety.poisoning import (
    addressed,
    authority,
    exfiltration,
    hidden,
    orders,
    roles,
    tool_calls,
    triggers,
)
from memories.safety.poisoning.concepts.concept_rules import found_concepts
from memories.safety.poisoning.concepts.lexicon import LEXICON
from memories.safety.poisoning.disguises.ciphers import BACKWARDS, CipheredWords
from memories.safety.poisoning.disguises.letters import forms, replaced, small
from memories.safety.poisoning.disguises.payloads import payloads
from memories.safety.poisoning.notation import Rulebook, When, rules

# A payload inside a payload is decoded, a third level is not.
_DEPTH = 2
_TOKEN = re.compile(r"[^\W_]+")

_MARKS = (
    (Poison.ROLE, roles.MARKS),
    (Poison.ROLE, roles.WRITTEN_TURNS),
    (Poison.TOOL_CALL, tool_calls.WRITTEN_CALLS),
    (Poison.EXFILTRATION, exfiltration.LOADED),
    (Poison.HIDDEN, hidden.UNSEEN_MARKUP),
)
# Wordings without gaps, for words that are broken in unexpected places.
_UNBROKEN = (
    (
        Poison.ORDER,
        Likely(
            re.compile(
                r"(?:ignor(?:e|ing)|disregard|forget|override)(?:all|any|the|of|your|my){0,3}"
                r"(?:(?:previous|prior|above|earlier|preceding|system)(?:and\w{5,8})?|your)"
                r"(?:instructions|rules|guidelines|directives|prompt)"
                r"|donottelltheuser(?:about|of|that)"
                r"|ignorier\w{1,3}(?:alle)?(?:vorherigen|bisherigen)anweisungen"
                r"|(?:ignor|vergiss|oubli|olvida|dimentica|esquec|negeer|zapomn|unut)[a-z]{0,20}?"
                r"(?:instruction|consigne|regle|instruccione|regla|istruzion|regol|instrucoe|regra"
                r"|instructie|regel|instrukcj|zasad|talimat)[a-z]{1,8}?(?:precedent|anterior|previa"
                r"|poprzedn)"
            ),
            (
                *("ignor", "disregard", "forget", "overrid", "donottell"),
                *("vergiss", "oubli", "olvida", "dimentica", "esquec", "negeer", "zapomn", "unut"),
            ),
        ),
    ),
    (
        Poison.ROLE,
        Likely(re.compile(r"youarenowan?(?:unrestricted|unfiltered|uncensored)"), ("youarenow",)),
    ),
)
_BARE = re.compile(r"[^\W_]")
_CODED = rules(
    {
        "decode decoding decrypt unscramble dekodiere entschlussele decodez decodifica": (
            r" ... (?:(?:and|then|und|et|y) (?:then )?(?:follow|obey|execute|carry out|do (?:what"
            r"|as)|act on|comply|befolge|fuhre|suis|suivez|sigue|ejecuta)\b"
            r"|what (?:it|you) (?:says|find)|next step)"
        ),
        "read": r" ... (?:backwards|in reverse|from the end) ... (?:and|then) (?:do|follow|obey)\b",
    }
)


def _rulebook() -> Rulebook:
    book = Rulebook()
    book.add(Poison.ORDER, When.ANYWHERE, orders.ORDERS)
    book.add(Poison.ORDER, When.UNLESS_DENIED, orders.ORDERS_UNLESS_DENIED)
    book.add(Poison.ROLE, When.ANYWHERE, roles.ROLES)
    book.add(Poison.ROLE, When.AT_START, roles.ROLES_AT_START)
    book.add(Poison.TOOL_CALL, When.ANYWHERE, tool_calls.TOOL_CALLS)
    book.add(Poison.EXFILTRATION, When.ANYWHERE, exfiltration.EXFILTRATION)
    book.add(Poison.EXFILTRATION, When.UNLESS_DENIED, exfiltration.EXFILTRATION_UNLESS_DENIED)
    book.add(Poison.ENCODED, When.ANYWHERE, _CODED)
    book.add(Poison.AUTHORITY, When.ANYWHERE, authority.AUTHORITY)
    book.add(Poison.AUTHORITY, When.UNLESS_DENIED, authority.AUTHORITY_UNLESS_DENIED)
    book.add(Poison.DELAYED, When.ANYWHERE, triggers.TIMED)
    book.add(Poison.DELAYED, When.ON_CONDITION, triggers.TRIGGERED)
    book.add(Poison.DELAYED, When.ON_ANYBODY, triggers.ON_ANYBODY)
    book.add(Poison.DELAYED, When.ON_KEYWORD, triggers.ON_KEYWORD)
    return book


_BOOK = _rulebook()
_CIPHERED = CipheredWords((*sorted(_BOOK.first_words), *LEXICON.long_words))


@dataclass(frozen=True, slots=True)
class _Read:
    """A text, the same in lower case without accents, and the words of that: made once for all
    rules."""

    text: str
    small: str
    words: list[str]


def _read(text: str) -> _Read:
    low = small(text)
    return _Read(text, low, _TOKEN.findall(low))


def find_poison(text: PlainText) -> list[Finding]:
    """The parts of a text that would steer a reading model, in order, with offsets in the original.
    Findings of one kind do not overlap."""
    found = [Finding(*place, Poison.HIDDEN) for place in hidden.hidden_signs(text)]
    for seen in readings(text):
        read = _read(seen.text)
        for kind, start, end in _said(read):
            found.append(Finding(*seen.span(start, end), kind))
        for start, end in _meant(read, _DEPTH):
            found.append(Finding(*seen.span(start, end), Poison.ENCODED))
    return _merged(found)


def _said(read: _Read) -> Iterator[tuple[Poison, int, int]]:
    """Findings in the words, also with disguised letters."""
    for form in forms(read.text, read.small, read.words):
        words = read.words if form.text is read.small else _TOKEN.findall(form.text)
        for kind, start, end in _ordered(form.text, words):
            yield kind, *form.span(start, end)
        for kind, pattern in _MARKS:
            for mark in pattern.found(form.text):
                yield kind, *form.span(*mark.span())
        for start, end in roles.torn_frames(form.text):
            yield Poison.ROLE, *form.span(start, end)
        for start, end in addressed.addressed(form.text, words):
            yield Poison.ORDER, *form.span(start, end)
    yield from _unbroken(read)


def _ordered(text: str, words: Sequence[str]) -> Iterator[tuple[Poison, int, int]]:
    """Findings of the wordings and of the concepts."""
    for kind, start, end in _BOOK.found(text):
        yield Poison(kind), start, end
    yield from found_concepts(text, words)


def _unbroken(read: _Read) -> Iterator[tuple[Poison, int, int]]:
    bare = "".join(read.words)
    places: list[int] = []
    for kind, pattern in _UNBROKEN:
        for found in pattern.found(bare):
            places = places or [sign.start() for sign in _BARE.finditer(read.small)]
            yield kind, places[found.start()], places[found.end() - 1] + 1


def _meant(read: _Read, depth: int) -> Iterator[tuple[int, int]]:
    """The places of encoded texts that decode to an order."""
    for start, end, words in payloads(read.text):
        if _is_order(_read(words), depth - 1):
            yield start, end
    low = read.small
    for cipher in _CIPHERED.likely(read.words):
        form = replaced(low, {word: cipher.read(word) for word in read.words})
        for _, start, end in _ordered(form.text, _TOKEN.findall(form.text)):
            yield form.span(start, end)
        if cipher is BACKWARDS:
            turned = low[::-1]
            for _, start, end in _ordered(turned, _TOKEN.findall(turned)):
                yield len(low) - end, len(low) - start


def _is_order(read: _Read, depth: int) -> bool:
    if next(_said(read), None):
        return True
    return depth > 0 and next(_meant(read, depth), None) is not None


def _merged(findings: Iterable[Finding]) -> list[Finding]:
    """The findings sorted, with overlaps of one kind joined."""
    last: dict[Kind, Finding] = {}
    found: list[Finding] = []
    for one in sorted(findings):
        before = last.get(one.kind)
        if before and one.start < before.end:
            last[one.kind] = Finding(before.start, max(before.end, one.end), one.kind)
        else:
            if before:
                found.append(before)
            last[one.kind] = one
    return sorted([*found, *last.values()])
