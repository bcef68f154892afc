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

from memories.safety.plain_text import PlainText, readings
from memories.safety.prefilter import PrefilteredPattern
from memories.safety.prompt_injection import (
    addressed,
    authority,
    exfiltration,
    hidden_characters,
    orders,
    roles,
    tool_calls,
    triggers,
)
from memories.safety.prompt_injection.concepts.concept_rules import iter_concepts
from memories.safety.prompt_injection.concepts.lexicon import LEXICON
from memories.safety.prompt_injection.disguises.ciphers import BACKWARDS, CipheredWords
from memories.safety.prompt_injection.disguises.letters import forms, replaced, small
from memories.safety.prompt_injection.disguises.payloads import payloads
from memories.safety.prompt_injection.disguises.unreadable_prose import (
    find_unreadable_words,
    find_written_letters,
    is_unreadable_prose,
)
from memories.safety.prompt_injection.rulebook import Rulebook, RuleCondition, compile_rules
from memories.safety.required_checks import Finding, FindingType, InjectionType

# A payload inside a payload is decoded, a third level is not.
_MAX_DECODE_DEPTH = 2
_TOKEN = re.compile(r"[^\W_]+")

_MARK_PATTERNS = (
    (InjectionType.ROLE, roles.TURN_MARKERS),
    (InjectionType.ROLE, roles.WRITTEN_TURNS),
    (InjectionType.TOOL_CALL, tool_calls.WRITTEN_CALLS),
    (InjectionType.EXFILTRATION, exfiltration.LOADED_MARKUP),
    (InjectionType.HIDDEN, hidden_characters.INVISIBLE_MARKUP),
)
# Wordings without gaps, for words that are broken in unexpected places.
_UNSPACED_PATTERNS = (
    (
        InjectionType.ORDER,
        PrefilteredPattern(
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
        InjectionType.ROLE,
        PrefilteredPattern(
            re.compile(r"youarenowan?(?:unrestricted|unfiltered|uncensored)"), ("youarenow",)
        ),
    ),
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_DECODE_ORDERS = compile_rules(
    {
        "decode decoding decrypt unscramble dekodiere entschlussele decodez decodifica": (
            r" ... (?:(?:and|then|und|et|y) (?:then )?(?:follow|obey|execute|carry out|do (?:what"
            r"|as)|act on|comply|befolge|fuhre|suis|suivez|sigue|ejecuta)\b"
            r"|what (?:it|you) (?:says|find)|next step)"
        ),
        "read": r" ... (?:backwards|in reverse|from the end) ... (?:and|then) (?:do|follow|obey)\b",
    }
)


def _build_rulebook() -> Rulebook:
    book = Rulebook()
    book.add(InjectionType.ORDER, RuleCondition.ANYWHERE, orders.ORDERS)
    book.add(InjectionType.ORDER, RuleCondition.UNLESS_DENIED, orders.ORDERS_UNLESS_DENIED)
    book.add(InjectionType.ROLE, RuleCondition.ANYWHERE, roles.ROLES)
    book.add(InjectionType.ROLE, RuleCondition.AT_START, roles.ROLES_AT_START)
    book.add(InjectionType.TOOL_CALL, RuleCondition.ANYWHERE, tool_calls.TOOL_CALLS)
    book.add(InjectionType.EXFILTRATION, RuleCondition.ANYWHERE, exfiltration.EXFILTRATION)
    book.add(
        InjectionType.EXFILTRATION,
        RuleCondition.UNLESS_DENIED,
        exfiltration.EXFILTRATION_UNLESS_DENIED,
    )
    book.add(InjectionType.ENCODED, RuleCondition.ANYWHERE, _DECODE_ORDERS)
    book.add(InjectionType.AUTHORITY, RuleCondition.ANYWHERE, authority.AUTHORITY)
    book.add(
        InjectionType.AUTHORITY, RuleCondition.UNLESS_DENIED, authority.AUTHORITY_UNLESS_DENIED
    )
    book.add(InjectionType.DELAYED, RuleCondition.ANYWHERE, triggers.TIME_TRIGGERS)
    book.add(InjectionType.DELAYED, RuleCondition.ON_CONDITION, triggers.CONDITIONAL)
    book.add(InjectionType.DELAYED, RuleCondition.ON_ANYBODY, triggers.ON_ANYBODY)
    book.add(InjectionType.DELAYED, RuleCondition.ON_KEYWORD, triggers.ON_KEYWORD)
    return book


_RULEBOOK = _build_rulebook()
_CIPHERED = CipheredWords((*sorted(_RULEBOOK.first_words), *LEXICON.long_words))


@dataclass(frozen=True, slots=True)
class _ReadText:
    """A text, the same in lower case without accents, and the words of that: made once for all
    rules."""

    text: str
    small: str
    words: list[str]


def _prepare(text: str) -> _ReadText:
    low = small(text)
    return _ReadText(text, low, _TOKEN.findall(low))


def find_injections(text: PlainText) -> list[Finding]:
    """The parts of a text that would steer a reading model, in order, with offsets in the original.
    Findings of one kind do not overlap."""
    found = [
        Finding(*place, InjectionType.HIDDEN)
        for place in hidden_characters.find_hidden_characters(text)
    ]
    for seen in readings(text):
        read = _prepare(seen.text)
        for kind, start, end in _find_in_words(read):
            found.append(Finding(*seen.span(start, end), kind))
        for start, end in _find_encoded(read, _MAX_DECODE_DEPTH):
            found.append(Finding(*seen.span(start, end), InjectionType.ENCODED))
    return _merge_overlaps(found)


def _find_in_words(read: _ReadText) -> Iterator[tuple[InjectionType, int, int]]:
    """Findings in the words, also with disguised letters."""
    for form in forms(read.text, read.small, read.words):
        words = read.words if form.text is read.small else _TOKEN.findall(form.text)
        for kind, start, end in _ordered(form.text, words):
            yield kind, *form.span(start, end)
        for kind, pattern in _MARK_PATTERNS:
            for mark in pattern.found(form.text):
                yield kind, *form.span(*mark.span())
        for start, end in roles.torn_frames(form.text):
            yield InjectionType.ROLE, *form.span(start, end)
        for start, end in addressed.addressed(form.text, words):
            yield InjectionType.ORDER, *form.span(start, end)
    yield from _find_unspaced(read)


def _ordered(text: str, words: Sequence[str]) -> Iterator[tuple[InjectionType, int, int]]:
    """Findings of the wordings and of the concepts."""
    for kind, start, end in _RULEBOOK.found(text):
        yield InjectionType(kind), start, end
    yield from iter_concepts(text, words)


def _find_unspaced(read: _ReadText) -> Iterator[tuple[InjectionType, int, int]]:
    bare = "".join(read.words)
    places: list[int] = []
    for kind, pattern in _UNSPACED_PATTERNS:
        for found in pattern.found(bare):
            places = places or [sign.start() for sign in _LETTER_OR_DIGIT.finditer(read.small)]
            yield kind, places[found.start()], places[found.end() - 1] + 1


def _find_encoded(read: _ReadText, depth: int) -> Iterator[tuple[int, int]]:
    """The places of encoded texts that decode to an order, or to a sentence that nobody sees."""
    for start, end, words in payloads(read.text):
        if is_unreadable_prose(read.text[start:end], words) or _is_order(
            _prepare(words), depth - 1
        ):
            yield start, end
    yield from find_written_letters(read.text)
    yield from find_unreadable_words(
        [(word[0], *word.span()) for word in _TOKEN.finditer(read.small)]
    )
    low = read.small
    for cipher in _CIPHERED.likely(read.words):
        form = replaced(low, {word: cipher.read(word) for word in read.words})
        for _, start, end in _ordered(form.text, _TOKEN.findall(form.text)):
            yield form.span(start, end)
        if cipher is BACKWARDS:
            turned = low[::-1]
            for _, start, end in _ordered(turned, _TOKEN.findall(turned)):
                yield len(low) - end, len(low) - start


def _is_order(read: _ReadText, depth: int) -> bool:
    if next(_find_in_words(read), None):
        return True
    return depth > 0 and next(_find_encoded(read, depth), None) is not None


def _merge_overlaps(findings: Iterable[Finding]) -> list[Finding]:
    """The findings sorted, with overlaps of one kind joined."""
    last: dict[FindingType, Finding] = {}
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
