"""Short texts as statements: what each sentence says, for when, and how surely. Pure, English.

It serves for comparing two texts of one matter (`changed_facts`) and concludes nothing from one
text alone.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memories.language.gazetteers.stopwords import STOPWORDS
from memories.language.query_cues import ends_with_question_mark
from memories.language.terms import is_quantity
from memories.language.verbs import PAST
from orgs.names.unicode_normalisation import normalise_unicode

# Longer texts say more than one thing; of the others the first sentences are read.
MAX_CHARACTERS, MAX_SENTENCES = 400, 4

_WORD = re.compile(r"[€$£]?[^\W_](?:[\w'.,:/@&+-]*[^\W_])?[%€$£]?")
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
            r"^(?:minutes|decision|agreed|notes?|update|fyi|btw|ps|heads up|reminder|news)[:,] ",
            "",
        ),
        (": ", r": ", " equals "),
        ("=", r" = ", " equals "),
        (" o", r"\b(is|are) (on|off)(?= for| now| again|[.,;!]|$)", r"\1 turned\2"),
    )
)


_STEM_END = re.compile(r"(?<=\w\w\w)(?:ings?|ied|ies|ed|es|e|s|y)$")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A crude stem, which serves for comparing alone."""
    return _STEM_END.sub("", word)


def words_of(text: str) -> frozenset[str]:
    """The words between the blanks of a list."""
    return frozenset(text.split())


def stems(text: str) -> frozenset[str]:
    """The stems of the words of a list."""
    return frozenset(stem(word) for word in text.split())


_FIRST_PERSON = words_of("i me my mine myself")
# Words that say nothing about the matter.
_FILLERS = words_of(
    "a an the our my your his her its their this that these those very still just already so also "
    "please ok okay fyi btw hi hello well there really currently actually of s i we you he she it "
    "they me us him them had been being do does did"
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_TIME_WORDS = words_of(
    f"{_DAYS} january february march april june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun noon midnight "
    "morning afternoon evening night am pm weekly daily monthly spring summer autumn winter"
)
# What is uncertain, planned, wished, to be done, or said by somebody else.
_UNCERTAIN = re.compile(
    r"\b(?:might|maybe|perhaps|probably|possibly|could|would|thinking|guess|supposed?"
    r"|wonder(?:s|ing)?|hopes?|hoping|hoped|wish(?:es|ed)?|wants? to|wanted to|needs? to"
    r"|plans? (?:to|on)|(?:is|are|am) planning|contrary|consider(?:s|ing)?|intends?|dreams?"
    r"|imagines?|suggest(?:s|ed)?|propose[sd]?|rumou?rs?|apparently|supposedly|allegedly"
    r"|reportedly|if|unless|whether|seems?|someday|one day|exception|going to|gonna|about to"
    r"|not sure|unsure|says|said|heard|claims?|claimed|told|doubts?|convinced|telling|tells"
    r"|read (?:in|that)|wrote|posted|not true|remind|should|let's"
    r"|good (?:morning|evening|afternoon)|to-?do|to do"
    r"|(?:shopping|household|packing|wish|job) list|may (?!no\b|not\b|now\b|\d))\b"
)
# What somebody likes or thinks.
_OPINION = re.compile(
    r"!\s*$|\b(?:thanks|wow|congrats|great|awesome|amazing|inspiring|cool|looking forward"
    r"|thinks?|believes?|in my opinion|imo|best|worst|nicest|love[sd]?|likes?|hates?|enjoys?"
    r"|finds|feels?)\b"
)
# What happened once, or is over.
_HISTORY = re.compile(
    r"\b(?:was|were|got|went|met|bought|visited|ate|saw|had|took|came|back in"
    r"|last (?:week|month|year)|yesterday|today|tonight|tomorrow|previously|formerly"
    r"|this (?:week|year|month)"
    r"|in (?:19|20)\d\d|until (?:19|20)\d\d)\b"
    r"|^(?:bought|to-?do|action|task|shopping|agenda|lunch|dinner)s? (?:list )?equals"
)
# What holds only at a time or for some.
_SCOPE = re.compile(
    rf"\b(?:(?P<day>{'|'.join(f'{day}s' for day in _DAYS.split())})|weekends?|weekdays?"
    r"|holidays?|during|except|only"
    r"|(?:for|to) (?:students|guests|visitors|kids|children|members|staff|adults|seniors|customers"
    r"|beginners|employees|women|men|teams|others|new \w+)|when|while"
    r"|in (?:winter|summer|spring|autumn)|(?:under|over|between) \d|aged)\b"
)
# Words of time and change beside a value.
_BESIDE_VALUE = words_of("now since effective starting updated update new correction")
# Stems of verbs of which a subject has one object at a time.
BE = stems("is are am be equals")
# Those whose object is one for each purpose or kind only.
HAVE = stems("has have")
OBJECT_VERBS = HAVE | stems("want use prefer take wear need allow keep kept store own get")
SINGLE_VALUED = (
    BE
    | OBJECT_VERBS
    | stems(
        "live work start open close cost run report belong stand sit park begin end last "
        "weigh stay reside hang locate lead manage chair host listen deploy ship pay charge "
        "meet drive serve expire arrive leave call name base teach study set go goes rehearse "
        "submit submitted register approve sleep train land depart finish happen come talk "
        "chat bank commute travel deliver collect sit post publish release build print back "
        "sync connect point bill renew rotate lock practise practice rent"
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

    @cached_property
    def plain(self) -> str:
        """The text in lower case, without short forms."""
        plain = self.text.lower()
        for sign, pattern, form in _SHORT_FORMS:
            if sign in plain:
                plain = pattern.sub(form, plain)
        return plain

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words that say something about the matter."""
        names = {stem(match[0].lower()) for match in _NAME.finditer(self.text)}
        return tuple(
            Word(word, stem(word), _kind(word) or ("name" if stem(word) in names else ""))
            for word in _WORD.findall(self.plain)
            if word not in _FILLERS and word not in _BESIDE_VALUE
        )

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of the words that say what it is about, without numbers and times."""
        return frozenset(
            stem(word)
            for word in _WORD.findall(self.plain)
            if word not in STOPWORDS and word not in _BESIDE_VALUE and not _kind(word)
        )

    @cached_property
    def own(self) -> bool:
        """Whether it is about who says it: the first person stands before the first verb."""
        words = _WORD.findall(self.plain)
        verb = next((at for at, one in enumerate(words) if stem(one) in SINGLE_VALUED), len(words))
        return not _FIRST_PERSON.isdisjoint(words[: verb + 1])

    @cached_property
    def opinion(self) -> bool:
        """Whether it asks, exclaims, or says what somebody thinks or likes."""
        return bool(ends_with_question_mark(self.text) or _OPINION.search(self.plain))

    @cached_property
    def certain(self) -> bool:
        """Whether it is no doubt, plan, wish, task or hearsay."""
        return not _UNCERTAIN.search(self.plain)

    @cached_property
    def past(self) -> bool:
        """Whether it tells what happened or held once: by its words, or by a past verb beside none
        of the present."""
        words = _WORD.findall(self.plain)
        if _HISTORY.search(self.plain):
            return "now" not in words
        verbs = [word.endswith("ed") for word in words if stem(word) in SINGLE_VALUED]
        past = any(word in PAST or (len(word) > 4 and word.endswith("ed")) for word in words)
        return past and all(verbs)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """For when or for whom it holds. All days of the week are one: the day may be what
        changed."""
        found = _SCOPE.finditer(self.plain)
        return frozenset("day" if one["day"] else one[0] for one in found)

    @property
    def verb(self) -> int | None:
        """The place of the first verb of which a subject has one object; None without any."""
        return next(
            (at for at, one in enumerate(self.words) if at and one.stem in SINGLE_VALUED), None
        )


@dataclass(frozen=True, slots=True)
class Statement:
    """A text for comparing. content: the stems of all its sentences."""

    sentences: tuple[Sentence, ...]
    content: frozenset[str]

    @property
    def own(self) -> bool:
        """Whether its first sentence is about who says it."""
        return self.sentences[0].own


def read_statement(text: str) -> Statement | None:
    """The statement of a text; None for long ones and for those without content words."""
    if len(text) > MAX_CHARACTERS:
        return None
    plain = normalise_unicode(_ASIDE.sub("", text)).translate(_APOSTROPHES)
    parts = _SENTENCE_END.split(plain)
    read = [Sentence(part) for part in parts[:MAX_SENTENCES] if part.strip()]
    sentences = tuple(one for one in read if one.content)
    if not sentences:
        return None
    return Statement(sentences, frozenset().union(*(one.content for one in sentences)))


@lru_cache(maxsize=50_000)
def _kind(word: str) -> str:
    if any(letter.isdigit() for letter in word) or is_quantity(word):
        return "number"
    return "time" if word in _TIME_WORDS or word.removesuffix("s") in _TIME_WORDS else ""
