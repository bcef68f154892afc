"""Whom a text names as somebody who knows, instead of its speaker. Pure, English.

"Marek knows it best" shows what Marek knows and nothing of the speaker. A firm that "knows" or
"owns" something is no expert: what is said of it is credited to nobody.
"""

import re
from dataclasses import dataclass

from memories.language.gazetteers.first_names import EITHER, FEMALE, MALE
from memories.language.gazetteers.stopwords import CONTENTLESS_WORDS, STOPWORDS
from memories.language.gazetteers.world_first_names import WORLD_FIRST_NAMES
from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY

FIRST_NAMES = FEMALE | MALE | EITHER | WORLD_FIRST_NAMES
_NO_NAMES = STOPWORDS | CONTENTLESS_WORDS
_PRONOUNS = frozenset({"he", "she", "they", "him", "her", "them"})
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W_]{1,40}(?:[-'’][^\W_]{2,40})?"
_SOMEBODY = (
    rf"(?P<name>@[\w.\-]{{1,60}}\w|(?:{_CAPITAL})(?: {_CAPITAL}){{0,2}}"
    r"|\b(?:[Hh]e|[Ss]he|[Tt]hey|him|her|them)\b)"
)
_ADVERBS = r"(?:(?:really|certainly|probably|definitely|surely|also|always|still|clearly|by far) )?"
_CREDITS = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<![\w@]){_SOMEBODY} {_ADVERBS}(?:knows?|understands?|masters) "
            r"(?!that\b|if\b|where\b|whether\b|what\b|who\b|when\b|why\b|nothing\b|no\b|little\b)"
        ),
        (
            rf"(?<![\w@]){_SOMEBODY}(?:['’](?:s|re)| is| are| was) (?:[\w-]{{1,20}} ){{0,3}}?"
            r"(?:experts?|specialists?|authority|guru|wizard|maintainers?|go-to|person (?:for|to)"
            r"|one to ask|in charge of|responsible for|(?:good|great|best|brilliant) (?:at|with)"
            r"|skilled|experienced|knowledgeable|familiar with)\b"
        ),
        (
            rf"(?<![\w@]){_SOMEBODY} {_ADVERBS}(?:maintains?|owns?|wrote|built|designed"
            r"|looks? after|takes? care of|can (?:help|explain|answer|show))\b"
        ),
        (
            rf"(?<![\w@]){_SOMEBODY} (?:has|have|had|brings) (?:[\w-]{{1,20}} ){{0,4}}?"
            r"(?:experience|expertise|knowledge)\b"
        ),
        (
            r"\b(?:[Aa]sk|[Pp]ing|[Cc]ontact|[Cc]onsult|[Tt]alk to|[Ss]peak (?:to|with)|[Gg]o to"
            rf"|[Tt]urn to|[Cc]heck with) {_SOMEBODY}"
            r"(?= (?:about|for|on|with|if|when|how|who|first))"
        ),
        (
            r"\b(?:expert|specialist|authority|guru|maintainer|owner|contact|(?:person|one) to ask)"
            rf"\b[^.!?\n]{{0,60}}? (?:is|was) {_SOMEBODY}"
        ),
        rf"\b(?:[Nn]obody|[Nn]o one) knows [^.!?\n]{{1,80}}? (?:than|as well as|like) {_SOMEBODY}",
    )
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Credit:
    """name: who is said to know, without "@"; empty for a pronoun, or if several are named. said:
    the sentences that say so; rest: the others."""

    name: str
    said: str
    rest: str


def find_credit(text: str) -> Credit | None:
    """Whom the text credits, or None if it credits nobody but its speaker."""
    said, rest, names = [], [], {}
    for sentence in _SENTENCE.split(text[:MAX_CHARACTERS_TO_CLASSIFY]):
        name = _credited_name(sentence)
        if name is None:
            rest.append(sentence)
        else:
            said.append(sentence)
            names[name.casefold()] = name
    if not said:
        return None
    one = next(iter(names.values())) if len(names) == 1 else ""
    return Credit(one, "\n".join(said), "\n".join(rest))


def _credited_name(sentence: str) -> str | None:
    for pattern in _CREDITS:
        for found in pattern.finditer(sentence):
            words = found["name"].removeprefix("@").split()
            if words[0].casefold() in _PRONOUNS:
                return ""
            # "Yes Marek knows": what begins the sentence may be no part of the name.
            while words and words[0].casefold() in _NO_NAMES:
                words = words[1:]
            if words:
                return " ".join(words)
    return None


def is_likely_person(name: str) -> bool:
    """Whether a name begins with a first name of the lists."""
    return next(iter(name.split()), "").casefold() in FIRST_NAMES
