"""The notation of the rules, and matching them in a text. Pure.

A rule begins with one of its first words, so a text is read word by word, and rules are compared
only at such a word. Each comparison reads a bounded number of characters, so the time is linear in
the text.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum

# Between words: spaces, line ends, marks of punctuation and of Markdown.
_GAP = r"(?:(?:[^\w?!;]|_){1,12}+)"
_WORD = r"[^\W_]{1,40}+"
# In the notation of a rule a space is a gap, and these marks are between two spaces.
_NOTATION = {
    " ... ": r"(?![^\W_])[^.!?;]{0,80}?(?<![^\W_])",  # the rest of a sentence, up to 80 characters
    " ++ ": rf"{_GAP}(?:{_WORD}{_GAP}){{0,4}}?",  # up to four words
    " + ": rf"{_GAP}(?:{_WORD}{_GAP}){{0,2}}?",  # up to two words
    " ": _GAP,
}
_NOTATION_MARK = re.compile(r" (?:(?:\.\.\.|\+\+|\+) )?")
_TOKEN = re.compile(r"[^\W_]+")
# How far a rule looks back.
_CLAUSE_CHARACTERS, _LINE_CHARACTERS = 160, 12
# The most characters of a rule, so that it stays readable.
_MAX_RULE_CHARACTERS = 3_000
# A negation applies up to the next "and": "never print or share keys".
_NEGATION = re.compile(
    r"\b(?:not(?! only)|never(?! mind)|cannot|don'?t|doesn'?t|mustn'?t|shouldn'?t|nobody|avoid"
    r"|instead of|no (?:one|robot|assistant|agent|member|user)|nie|nicht|keine?|jamais|pas|nunca"
    r"|no le)\b"
    r"(?![^\n]{0,160}(?:\b(?:and|but|then|so|und|et|y)\b|:))"
)
_IMPERATIVE = re.compile(
    r"(?:^|[,:\-\"'>)\n]|\b(?:then|and|must|should|will|shall|always|only|just|simply"
    r"|first|immediately|please|so|never|dann|und|alors|et|entonces|y))[\W_]*$"
)
_CONDITION = re.compile(
    r"\b(?:when|whenever|if|once|should|as soon as|(?:every|each|next|first|second|third) time"
    r"|after|upon|until|from|starting|on|in any|wenn|sobald|falls|ab|si|des que|quand|lorsque|apres"
    r"|cuando|en cuanto|cada vez)\b"
)
_ANYBODY = re.compile(
    r"\b(?:anybody|anyone|somebody|someone|whoever|jemand|irgendwer|irgendjemand|quelqu.un|alguien)\b"
)
_KEYWORD = re.compile(
    r"\b(?:says?|types?|writes?|enters?|mentions?|hears?|hearing|sees?|sends?|sagt|schreibt|diga"
    r"|escriba|dit|ecrit|phrase|word|keyword|passphrase|wort|mot|palabra)[\W_]{1,12}\"[^\"\n]{1,60}\""
    r"|\b(?:keyword|code ?word|magic word|secret word|trigger word|passphrase)\b"
)


class RuleCondition(Enum):
    """The condition on the text before the first word of a rule."""

    ANYWHERE = "anywhere"
    AT_START = "the beginning of a line or a sentence"
    UNLESS_DENIED = "no denial in the same sentence"
    ON_CONDITION = "a condition, and the word is an order"
    ON_ANYBODY = "a condition about anybody, and the word is an order"
    ON_KEYWORD = "a condition with a word to be said, and the word is an order"


def compile_rules(wordings: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    """Compiled patterns by their first words. wordings: {first words, separated by spaces:
    pattern}.

    A pattern is a regular expression over lower-case letters without accents, with the notation
    above. Raises ValueError with the name of an invalid rule.
    """
    return {first: _compile_rule(first, then) for first, then in wordings.items()}


def _compile_rule(first: str, then: str) -> re.Pattern[str]:
    if len(first) + len(then) > _MAX_RULE_CHARACTERS:
        raise ValueError(f"The rule of {first[:40]} is longer than {_MAX_RULE_CHARACTERS} signs.")
    words = "|".join(map(re.escape, first.split()))
    try:
        return re.compile(rf"(?:{words})(?![^\W_])(?:{_NOTATION_MARK.sub(_expand_notation, then)})")
    except re.error as fault:
        raise ValueError(f"The rule of {first[:40]}: {fault}") from fault


def _expand_notation(noted: re.Match[str]) -> str:
    return _NOTATION[noted.group()]


class Rulebook:
    """Rules of several kinds, looked up by their first words."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[tuple[str, RuleCondition, re.Pattern[str]]]] = {}

    def add(self, kind: str, when: RuleCondition, patterns: Mapping[str, re.Pattern[str]]) -> None:
        """Add rules for a kind."""
        for first, pattern in patterns.items():
            for word in first.split():
                self._by_word.setdefault(word, []).append((kind, when, pattern))

    @property
    def first_words(self) -> frozenset[str]:
        """All words with which a rule begins."""
        return frozenset(self._by_word)

    def found(self, text: str) -> Iterator[tuple[str, int, int]]:
        """(kind, start, end) of each match of a rule."""
        for word in _TOKEN.finditer(text):
            for kind, when, pattern in self._by_word.get(word.group(), ()):
                match = pattern.match(text, word.start())
                if match and _is_condition_met(when, text, word.start()):
                    yield kind, match.start(), match.end()


def _is_condition_met(when: RuleCondition, text: str, at: int) -> bool:
    if when is RuleCondition.ANYWHERE:
        return True
    if when is RuleCondition.AT_START:
        before = text[max(0, at - _LINE_CHARACTERS) : at].rstrip(" \t*#>-_\"'`([{<|")
        return not before or before[-1] in "\r\n.!?:;"
    clause = _clause_before(text, at)
    if when is RuleCondition.UNLESS_DENIED:
        return not _NEGATION.search(clause)
    if not (_IMPERATIVE.search(clause) and _CONDITION.search(clause)):
        return False
    if when is RuleCondition.ON_ANYBODY:
        return bool(_ANYBODY.search(clause))
    return when is RuleCondition.ON_CONDITION or bool(_KEYWORD.search(clause))


def _clause_before(text: str, at: int) -> str:
    """The text before a place in the same sentence."""
    before = text[max(0, at - _CLAUSE_CHARACTERS) : at]
    return before[max(before.rfind(end) + 1 for end in (". ", "! ", "? ", ";", "\n\n", ".\n")) :]
