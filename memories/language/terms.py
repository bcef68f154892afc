"""The terms of a text: its words without function words. Pure.

For chat, business prose and other scripts. A term has a name as it was written and a key for
comparing: in lower case, without a possessive or a simple plural. Words of one or two letters count
only as names in capitals. Scripts without spaces are cut: Han into pairs, Katakana into runs. A
chat line takes about 20 microseconds.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from memories.language.gazetteers.stopwords import CONTENTLESS_WORDS, STOPWORDS
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT
from orgs.names.unicode_normalisation import normalise_unicode

MAX_KEY_CHARACTERS = 60
# The most concepts of one memory; a page of prose has more words than subjects.
MAX_CONCEPTS = 16

_URL = re.compile(r"https?://\S+|www\.\S+")
_ADDRESSING = re.compile(r"^\s*[^\s:,@]{1,40}[:,]\s+|(?<!\S)@[\w.\-]+")
# A label is no name; `language.entities` reads it.
_ADDRESSEE_PREFIX = re.compile(
    r"^\s*(?!(?i:todo|action|re|topic|subject|about)s?:)[^\s:,@]{1,40}[:,]\s+(?=\S)"
)
# A word may hold dots, slashes and the like inside: libGL.so.1, apt-get, c++, AT&T.
_WORD = re.compile(r"[^\W_][\w.+#/&'’-]*[\w+#]|[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")
_TECHNICAL = re.compile(r"\d|[./_+#-]|[a-z][A-Z]")
_HAN = re.compile(r"[㐀-䶿一-鿿]{2,}")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")
_THAI = re.compile(r"[ก-๛ກ-ໟក-៿က-႟]{3,}")
_UNSPACED_SCRIPT = re.compile(r"[㐀-䶿一-鿿ぁ-ゟァ-ヺーก-๛ກ-ໟក-៿က-႟]+")
_PARTICLE = re.compile(r"(?<=..)(?:은|는|이|가|을|를|에|의|로|도|와|과|에서|으로)$")
_HAN_STOPWORDS = re.compile(
    r"[的了是在我你他她它们們和与與就都也不吗嗎呢吧啊这這那有个個请請会會要把被让讓从從到]+"
)


_NUMERIC = re.compile(r"[\d.,:/-]+(?:st|nd|rd|th|am|pm|h|%)?")
_NUMBER_WORD_LIST = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
thousand million first second third fourth fifth half quarter dozen
"""
_NUMBER_WORDS = frozenset(_NUMBER_WORD_LIST.split())


@dataclass(frozen=True, slots=True)
class Term:
    """name: as written. key: for comparing. proper: whether it is a name, by its capitals or its
    form."""

    name: str
    key: str
    proper: bool


@lru_cache(maxsize=50_000)
def term_key(word: str) -> str:
    """The key of a word: case-folded, without a possessive or a simple plural."""
    key = normalise_unicode(word, "NFKC")
    key = key.casefold().replace("’", "'").removesuffix("'s").strip("'.-/&")
    if len(key) > 3 and key.isascii() and key.endswith("s"):
        if key.endswith("ies") and len(key) > 4:
            return key[:-3] + "y"
        if key.endswith(("ches", "shes", "xes", "sses")):
            return key[:-2]
        if not key.endswith(("ss", "us", "is", "os")):
            return key[:-1]
    return key


@lru_cache(maxsize=50_000)
def _parse_term(word: str, opens: bool) -> Term | None:
    """The term of a word, or None. opens: it begins a sentence, so a capital is no evidence of a
    name."""
    key = term_key(word)
    if not key or len(key) > MAX_KEY_CHARACTERS or not _LETTER.search(key):
        return None
    shouted = len(word) > 1 and word.isupper()
    if key in STOPWORDS or word.casefold() in STOPWORDS:
        return None
    named, least = shouted or (word[0].isupper() and not opens), 3
    if word.isascii():
        word, least = word.rstrip(".-/&"), 1 if named and len(word) > 1 else 3
        named = named or bool(_TECHNICAL.search(word))
    elif "가" <= word[0] <= "힣":
        word = key = _PARTICLE.sub("", word)
        least = 2
    elif word.startswith("ال") and len(word) > 4:
        key = key[2:]
    return Term(word, key, named) if len(key) >= least else None


def extract_terms(text: str) -> list[Term]:
    """The terms of a text, each once, in their order. The name that a chat line addresses is left
    out."""
    text = _URL.sub(" ", _ADDRESSING.sub(" ", text[:MAX_CHARACTERS_PER_TEXT]))
    found: dict[str, Term] = {}
    if not text.isascii() and _UNSPACED_SCRIPT.search(text):
        found |= {term.key: term for term in _segment(text)}
        text = _UNSPACED_SCRIPT.sub(" ", text)
    last = 0
    for match in _WORD.finditer(text):
        start = match.start()
        opens = last == 0 or any(mark in ".!?\n:" for mark in text[last:start])
        last = match.end()
        term = _parse_term(match[0], opens)
        if term is None:
            continue
        known = found.get(term.key)
        if known is None or (term.proper and not known.proper):
            found[term.key] = term
    return list(found.values())


def is_quantity(name: str) -> bool:
    """Whether a name is only a number or a date: "thirty", "12th", "4410"."""
    word = name.casefold()
    return word in _NUMBER_WORDS or _NUMERIC.fullmatch(word) is not None


def strip_addressee(text: str) -> str:
    """The text without the name that it addresses at its beginning, as in `ann: look`."""
    return _ADDRESSEE_PREFIX.sub("", text, count=1)


def _segment(text: str) -> list[Term]:
    """The terms of a word in a script without spaces."""
    found = []
    for run in _HAN.findall(_HAN_STOPWORDS.sub(" ", text)):
        found += [run[i : i + 2] for i in range(len(run) - 1)]
    found += _KATAKANA.findall(text)
    found += [run[:MAX_KEY_CHARACTERS] for run in _THAI.findall(text)]
    return [Term(one, normalise_unicode(one, "NFKC").casefold(), False) for one in found]


def extract_concepts(text: str, most: int = MAX_CONCEPTS) -> list[Term]:
    """The terms that a text may be about: no general verbs, no small talk.

    Of a longer text the `most` most frequent ones, names before other words.
    """
    telling = [term for term in extract_terms(text) if term.key not in CONTENTLESS_WORDS]
    if len(telling) <= most:
        return telling
    counts = Counter(term_key(word) for word in _WORD.findall(text[:MAX_CHARACTERS_PER_TEXT]))
    rank = {term.key: (-counts[term.key] - term.proper, i) for i, term in enumerate(telling)}
    chosen = set(sorted(rank, key=lambda key: rank[key])[:most])
    return [term for term in telling if term.key in chosen]
