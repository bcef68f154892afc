"""Short texts as statements: what each sentence says, for when, and how surely. Pure.

It serves for comparing two texts of one matter (`changed_facts`) and concludes nothing from one
text alone.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memories.language.comparison.statement_words import (
    ENGLISH,
    StatementWords,
    statement_words,
)
from memories.language.query_cues import ends_with_question_mark
from memories.language.terms import is_quantity
from memories.language.vocabularies.languages import select_vocabularies
from memories.language.vocabularies.words import fold_text
from orgs.names.unicode_normalisation import normalise_unicode

# Longer texts say more than one thing; of the others the first sentences are read.
MAX_CHARACTERS, MAX_SENTENCES = 400, 4
# Headlines have few words that show their language, and one alone may be a name.
_TELLING_WORDS = 2

WORD = re.compile(r"[€$£]?[^\W_](?:[\w'.,:/@&+-]*[^\W_])?[%€$£]?")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w-]+")
_APOSTROPHES = str.maketrans("’", "'")
# What stands in brackets was not said: "[shared image: ...]". A greeting negates nothing.
_ASIDE = re.compile(r"\[[^\[\]]*\]|\b[Ll]ong time no (?:see|talk|chat|speak)\b")
# Where a sentence ends, or a remark follows that is no part of what it says.
_SENTENCE_END = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\b[A-Z])[.!?;]\s+|\n+|\s[–—-]\s"
    r"|,\s(?=(?:pls|please|so|shout|ping|let me|if|don't|feel free|because)\b)"
)
# A sign without which the form cannot occur, the form, and what it stands for.
_SHORT_FORMS = tuple(
    (sign, re.compile(pattern), form)
    for sign, pattern, form in (
        ("can", r"\b(?:can't|cannot)\b", "can not"),
        ("'", r"\bwon't\b", "will not"),
        ("'", r"n't\b", " not"),
        ("'", r"\bi'm\b", "i am"),
        ("im", r"\bim\b", "i am"),
        ("'", r"\b(we|you|they)'re\b", r"\1 are"),
        ("'", r"\b(it|he|she|that|there|here)'s\b", r"\1 is"),
        ("'", r"\b(i|we|you|they)'ve\b", r"\1 have"),
        (" got", r"\b(have|has) got\b", r"\1"),
        ("'", r"'ll\b", " will"),
        ("'", r"'d\b", " would"),
        (
            "'",
            r"(?<=\w)'s (?=(?:at|in|on|now|not|with|by|the|a|an|off|down|up|out|back|being)\b)",
            " is ",
        ),
        ("'", r"'s\b", " 's"),
        (
            "",
            (
                r"^(?:minutes|decision|agreed|notes?|update|fyi|btw|ps|heads up|reminder|news"
                r"|for the record)[:,] "
            ),
            "",
        ),
        (": ", r": ", " equals "),
        ("=", r" = ", " equals "),
        (" o", r"\b(is|are) (on|off)(?= for| now| again|[.,;!]|$)", r"\1 turned\2"),
    )
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case, its stem, and its kind: number, time, name or empty."""

    word: str
    stem: str
    kind: str


@dataclass(frozen=True)
class Sentence:
    """One sentence of a text. Each part is read when it is asked for, because most sentences are
    compared by their content alone."""

    text: str
    language: str | None = None

    @property
    def tables(self) -> StatementWords:
        """The words of its language."""
        return statement_words(self.language)

    @cached_property
    def plain(self) -> str:
        """The text in lower case, without short forms."""
        if self.tables is not ENGLISH:
            # What is elided stands as a word of its own: "j'habite", "İzmir'de".
            return fold_text(self.text).replace("'", " ' ").replace(": ", " equals ")
        plain = self.text.lower()
        for sign, pattern, form in _SHORT_FORMS:
            if sign in plain:
                plain = pattern.sub(form, plain)
        return plain

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words that say something about the matter."""
        tables = self.tables
        stem = tables.stem
        capitals = () if tables.capital_nouns else _NAME.finditer(self.text)
        fold = str.lower if tables is ENGLISH else fold_text
        names = {stem(fold(match[0])) for match in capitals}
        return tuple(
            Word(word, stem(word), self._kind(word) or ("name" if stem(word) in names else ""))
            for word in WORD.findall(self.plain)
            if word not in tables.fillers and word not in tables.beside_value
        )

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of the words that say what it is about, without numbers and times."""
        tables = self.tables
        return frozenset(
            tables.stem(word)
            for word in WORD.findall(self.plain)
            if word not in tables.content_stopwords
            and word not in tables.beside_value
            and not self._kind(word)
        )

    @cached_property
    def own(self) -> bool:
        """Whether it is about who says it: the first person stands before the first verb."""
        words = WORD.findall(self.plain)
        verbs, stem = self.tables.single_valued, self.tables.stem
        verb = next((at for at, one in enumerate(words) if stem(one) in verbs), len(words))
        return not self.tables.first_person.isdisjoint(words[: verb + 1])

    @cached_property
    def opinion(self) -> bool:
        """Whether it asks, exclaims, or says what somebody thinks or likes."""
        return bool(ends_with_question_mark(self.text) or self.tables.opinion.search(self.plain))

    @cached_property
    def certain(self) -> bool:
        """Whether it is no doubt, plan, wish, task or hearsay."""
        return not self.tables.uncertain.search(self.plain)

    @cached_property
    def past(self) -> bool:
        """Whether it tells what happened or held once: by its words, or by a past verb beside none
        of the present."""
        words = WORD.findall(self.plain)
        tables = self.tables
        if tables.history.search(self.plain):
            return tables.now.isdisjoint(words)
        if tables is not ENGLISH:
            return False
        verbs = [word.endswith("ed") for word in words if tables.stem(word) in tables.single_valued]
        past = any(word in tables.past or (len(word) > 4 and word.endswith("ed")) for word in words)
        return past and all(verbs)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """For when or for whom it holds. All days of the week are one: the day may be what
        changed."""
        found = self.tables.scope.finditer(self.plain)
        return frozenset("day" if one.lastgroup == "day" else one[0] for one in found)

    @cached_property
    def verb(self) -> int | None:
        """The place of the first verb of which a subject has one object; None without any. At the
        beginning it takes an object: "use gate 4", and no other verb comes next."""
        tables = self.tables
        verbs = (at for at, one in enumerate(self.words) if one.stem in tables.single_valued)
        first, second = next(verbs, None), next(verbs, None)
        if first == 0 and (self.words[0].stem not in tables.imperatives or second == 1):
            return second
        return first

    def _kind(self, word: str) -> str:
        if _is_number(word):
            return "number"
        return "time" if word in self.tables.time_words else ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A text for comparing. content: the stems of all its sentences. language: the ISO code of the
    vocabulary with which it was read; None for English."""

    sentences: tuple[Sentence, ...]
    content: frozenset[str]
    text: str = ""
    language: str | None = None

    @property
    def own(self) -> bool:
        """Whether its first sentence is about who says it."""
        return self.sentences[0].own


def read_statement(text: str, language: str | None = None) -> Statement | None:
    """The statement of a text; None for long ones and for those without content words.

    language: its ISO code where it is known.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    found = select_vocabularies(text, language, least=_TELLING_WORDS)
    return _read(text, found[0].code if found else None)


def in_one_language(older: Statement, newer: Statement) -> tuple[Statement, Statement] | None:
    """Two statements read with the words of one language, which both together show best; None if
    one has nothing to say in it."""
    found = select_vocabularies(f"{older.text}\n{newer.text}", least=_TELLING_WORDS)
    code = found[0].code if found else None
    before, after = (
        one if one.language == code else _read(one.text, code) for one in (older, newer)
    )
    return (before, after) if before and after else None


def _read(text: str, language: str | None) -> Statement | None:
    plain = normalise_unicode(_ASIDE.sub("", text)).translate(_APOSTROPHES)
    parts = _SENTENCE_END.split(plain)
    read = [Sentence(part, language) for part in parts[:MAX_SENTENCES] if part.strip()]
    sentences = tuple(one for one in read if one.content)
    if not sentences:
        return None
    content = frozenset[str]().union(*(one.content for one in sentences))
    return Statement(sentences, content, text, language)


@lru_cache(maxsize=50_000)
def _is_number(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or is_quantity(word)
