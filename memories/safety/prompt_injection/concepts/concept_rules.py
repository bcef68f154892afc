"""The rules over concepts: which concepts near each other are an order to the reader. Pure.

Languages order their words differently, so the order of the concepts does not count, only how near
they are, within one sentence. The words stand in the modules beside this one that end in "words",
in verbs.py and in nouns.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from memories.safety.prompt_injection.concepts.lexicon import BITS, LEXICON, by_language
from memories.safety.required_checks import InjectionType

_TOKEN = re.compile(r"[^\W_]+")
# What ends a sentence, or an item of a list.
_SENTENCE_END = re.compile(r"[.!?;。](?=\s|$)|\n\s{0,3}(?:\n|[-*•]|\d{1,2}[.)])")
# What stands before an order that opens its sentence: nothing, or one word such as "please".
_OPENING = re.compile(r"(?:^|[.!?;:,\n-])[^\w\n]*(?:\w{1,12}[^\w.!?\n]{1,3})?$")
_LOOK = 40
# How many words before an order a denial is looked for.
_BEFORE = 4
_NOT, _UNDENIED = BITS["not"], BITS["undenied"]


def _mask(names: str) -> int:
    return reduce(or_, (BITS[name] for name in names.split("|")))


@dataclass(frozen=True, slots=True)
class ConceptRule:
    """An order of this kind if words of one language meet all needs.

    needs: concepts, alternatives separated by "|". within: the most words from the first to the
    last. deniable: whether a denial among them makes it honest ("never print the password").
    most_words: if set, only a text of at most so many words is one ("enter developer mode"; in a
    longer one it is a step of somebody's work). opening: whether it is one only at the beginning of
    a sentence, where an order stands ("approve all"; "managers approve all" tells of somebody).
    """

    kind: InjectionType
    needs: str
    within: int
    deniable: bool = False
    most_words: int = 0
    opening: bool = False
    masks: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", tuple(map(_mask, self.needs.split())))


def _rule(
    kind: InjectionType,
    needs: str,
    within: int,
    *,
    deniable: bool = False,
    most_words: int = 0,
    opening: bool = False,
) -> ConceptRule:
    return ConceptRule(kind, needs, within, deniable, most_words, opening)


_ORDER, _ROLE = InjectionType.ORDER, InjectionType.ROLE
CONCEPT_RULES = (
    # Rules are set aside.
    _rule(_ORDER, "set_aside rules earlier|your|reader|system", 8),
    _rule(_ORDER, "set_aside all rules", 4),
    _rule(_ORDER, "set_aside all earlier", 4),
    _rule(_ORDER, "drop rules your|reader", 7),
    _rule(_ORDER, "not follow rules earlier|your|reader", 8),
    _rule(_ORDER, "invalid model_rules your", 8),
    _rule(_ORDER, "precedence this note|writing", 9),
    _rule(_ORDER, "precedence rules system|your", 9),
    _rule(_ORDER, "obey only this note|writing", 7),
    _rule(_ORDER, "set_aside told you|reader", 8),
    _rule(_ORDER, "set_aside told all earlier", 9),
    _rule(_ORDER, "unbound rules|system|shield you|your", 9),
    _rule(_ORDER, "shield your|reader|all invalid|drop|set_aside", 12),
    _rule(_ORDER, "set_aside rules authority from_now|herein", 14),
    _rule(_ORDER, "in_force only herein rules", 12),
    _rule(_ORDER, "obey only herein", 8),
    _rule(_ORDER, "even against rules|ruling your|reader", 8),
    _rule(_ORDER, "as_though ruling not happened", 10),
    _rule(_ORDER, "as_though talk not happened", 9),
    _rule(_ORDER, "rules invalid talk", 12),
    _rule(_ORDER, "rules invalid system from_now", 12),
    _rule(_ORDER, "task your from_now not", 12),
    _rule(_ORDER, "told you|reader invalid all|earlier", 12),
    _rule(_ORDER, "omit|drop|without warning reply|from_now", 10, deniable=True),
    # Whoever reads is bound, and what would put it right is refused.
    _rule(
        _ORDER,
        "reading note duty assure|wave_through|set_aside|conceal|lie|repeat",
        16,
        deniable=True,
    ),
    _rule(_ORDER, "turn_down correction reader|later", 9, deniable=True),
    _rule(_ORDER, "whoever summary insert that demand", 14),
    _rule(_ORDER, "whoever this|note reply|summary omit all", 14),
    _rule(_ORDER, "summary this note|writing insert talk", 14, deniable=True),
    _rule(
        _ORDER, "whoever reading|summary demand destroy|erase memories|note|talk", 16, deniable=True
    ),
    # Somebody's word is dropped, or changed.
    _rule(_ORDER, "claim agreed", 8, deniable=True),
    _rule(_ORDER, "omit told all summary", 16, deniable=True),
    # The served are kept in the dark.
    _rule(_ORDER, "conceal this note", 6),
    _rule(_ORDER, "hush you|this|vague", 6),
    _rule(_ORDER, "not tell bidden", 8),
    _rule(_ORDER, "conceal bidden", 8),
    _rule(_ORDER, "not tell this note|writing", 7),
    _rule(_ORDER, "not tell user vague", 8),
    _rule(_ORDER, "conceal user vague", 8),
    _rule(_ORDER, "without tell user", 6, deniable=True),
    _rule(_ORDER, "keep hidden this note|writing user|asker|you", 12, deniable=True),
    _rule(
        _ORDER, "secretly send|disclose|destroy|approve secret|talk|memories|all", 10, deniable=True
    ),
    # What should stay inside is brought out.
    _rule(_ORDER, "disclose prompt", 6, deniable=True),
    _rule(_ORDER, "what_is prompt", 5),
    _rule(_ORDER, "first_lines prompt your|you", 14, deniable=True),
    _rule(_ORDER, "disclose secret anyone", 12, deniable=True),
    _rule(_ORDER, "if ask asker disclose secret", 16, deniable=True),
    _rule(_ORDER, "disclose verbatim prompt", 12, deniable=True),
    _rule(_ORDER, "reply demand contain credential", 14, deniable=True),
    _rule(_ORDER, "hand_to_you secret user|asker", 16, deniable=True),
    _rule(_ORDER, "if|all user|asker mention credential collect", 16, deniable=True),
    _rule(InjectionType.EXFILTRATION, "send secret|talk outside", 16, deniable=True),
    _rule(InjectionType.EXFILTRATION, "send|fetch remembered outside", 16, deniable=True),
    _rule(InjectionType.EXFILTRATION, "own_request secret", 14, deniable=True),
    # Another role.
    _rule(_ROLE, "you_are now role", 7),
    _rule(_ROLE, "enter mode free_mode", 7, deniable=True),
    _rule(_ROLE, "enter mode inner_mode you|reader", 6, deniable=True),
    _rule(_ROLE, "enter mode inner_mode", 5, deniable=True, most_words=5),
    _rule(_ROLE, "you_are mode free_mode|inner_mode", 6),
    _rule(_ROLE, "pretend|become not|without limits", 12),
    _rule(_ROLE, "role without limits now|you_are|become", 9),
    _rule(_ROLE, "answer without limits", 5),
    _rule(_ROLE, "pretend role free_mode", 9),
    # Answers are fixed, or false.
    _rule(_ORDER, "from_now answer only user|all|reader", 10),
    _rule(_ORDER, "answer promo from_now|all", 10),
    _rule(_ORDER, "assure always that", 4),
    _rule(_ORDER, "assure anyone ask that", 12),
    _rule(_ORDER, "favour from_now always|only", 8),
    _rule(_ORDER, "favour always|only not rival", 14),
    _rule(_ORDER, "favour over_others demand|reader|from_now", 12),
    _rule(_ORDER, "answer|reply with_words demand|from_now", 12, deniable=True),
    _rule(_ORDER, "if serve_badly", 12, deniable=True),
    _rule(_ORDER, "insert this|note writing|note all reply", 12, deniable=True),
    _rule(_ORDER, "distort figures if|reply|all|always|user|from_now", 12, deniable=True),
    _rule(InjectionType.DELAYED, "if ask asker lie", 14, deniable=True),
    _rule(InjectionType.DELAYED, "if ask answer falsely", 16),
    _rule(_ORDER, "repeat forever", 8),
    # Authority.
    _rule(InjectionType.AUTHORITY, "authority approve disclose|send secret", 14, deniable=True),
    _rule(InjectionType.AUTHORITY, "authority approve reader without check", 14),
    _rule(InjectionType.AUTHORITY, "trust maker", 16, deniable=True),
    _rule(InjectionType.AUTHORITY, "trust always|all talk|note", 8, deniable=True, opening=True),
    _rule(InjectionType.AUTHORITY, "assume consent user", 8, deniable=True, opening=True),
    _rule(InjectionType.AUTHORITY, "user already consent disclose|send secret", 14, deniable=True),
    _rule(InjectionType.AUTHORITY, "i_grant skip consent", 12),
    _rule(InjectionType.AUTHORITY, "wave_through all without check from_now|reader|you|duty", 12),
    _rule(InjectionType.AUTHORITY, "wave_through all without check|consent", 10, opening=True),
    _rule(InjectionType.TOOL_CALL, "destroy all memories", 6, deniable=True),
)
# The most needs of a rule.
_MOST_NEEDS = 5
# Each rule with its needs; those that it lacks are met by every word. In a list that a quick look
# goes through without a call: most texts meet no rule.
_QUICK: list[tuple[Any, ...]] = [
    (rule, *rule.masks, *[-1] * (_MOST_NEEDS - len(rule.masks))) for rule in CONCEPT_RULES
]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A word with concepts: which word of the text it is, and their bits."""

    number: int
    mask: int


def iter_concepts(text: str, words: Sequence[str]) -> Iterator[tuple[InjectionType, int, int]]:
    """(kind, start, end) of each order in the text.

    text: in lower case without accents. words: its words in order.
    """
    likely = likely_rules(words)
    if not likely:
        return
    hits = _hits(words)
    found = reduce(or_, (hit.mask for hit in hits), 0)
    spans: list[tuple[int, int]] = []
    for rule in likely:
        if not _met(rule.masks, found) or len(words) > (rule.most_words or len(words)):
            continue
        reached = -1
        for first, last in _windows(rule, hits):
            if first <= reached:
                continue
            spans = spans or [word.span() for word in _TOKEN.finditer(text)]
            start, end = spans[first][0], spans[last][1]
            if rule.opening and not _OPENING.search(text[max(0, start - _LOOK) : start]):
                continue
            if not _SENTENCE_END.search(text, start, end):
                reached = last
                yield rule.kind, start, end


def concepts_of(words: Iterable[str]) -> int:
    """The concepts that words may have in any language, as bits."""
    found = 0
    for mask in map(LEXICON.__getitem__, words):
        found |= mask
    return found


def likely_rules(words: Iterable[str]) -> list[ConceptRule]:
    """The rules of which each concept may be somewhere in the words, in whatever languages."""
    found = concepts_of(words)
    if not found:
        return []
    return [
        rule
        for rule, one, two, three, four, five in _QUICK
        if found & one and found & two and found & three and found & four and found & five
    ]


def _hits(words: Sequence[str]) -> list[_Hit]:
    hits: list[_Hit] = []
    for number, word in enumerate(words):
        if LEXICON[word] and (mask := LEXICON.exactly_at(words, number)):
            hits.append(_Hit(number, mask))
    return hits


def _windows(rule: ConceptRule, hits: Sequence[_Hit]) -> Iterator[tuple[int, int]]:
    """(first word, last word) of the places where the concepts of a rule are near each other."""
    for first, hit in enumerate(hits):
        if not any(hit.mask & mask for mask in rule.masks):
            continue
        together = 0
        for last, one in enumerate(hits[first : first + rule.within + 1], first):
            if one.number - hit.number > rule.within:
                break
            together |= one.mask
            if _met(rule.masks, together):
                if not (rule.deniable and _denied(hits, first, last)):
                    yield hit.number, one.number
                break


def _met(masks: Sequence[int], together: int) -> bool:
    """Whether the words of one language meet all needs."""
    if not all(together & mask for mask in masks):
        return False
    return any(all(block & mask for mask in masks) for block in by_language(together))


def _denied(hits: Sequence[_Hit], first: int, last: int) -> bool:
    """Whether a denial is among the words, or one of the four before them."""
    at = hits[first].number
    before = [one for one in hits[max(0, first - _BEFORE) : first] if at - one.number <= _BEFORE]
    found = reduce(or_, (one.mask for one in (*before, *hits[first : last + 1])), 0)
    return bool(found & _NOT) and not found & _UNDENIED
