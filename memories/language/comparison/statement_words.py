"""The words by which sentences are compared, in English and in the other languages. Pure.

English stands here as it was measured; the others come from their vocabularies.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from memories.language.gazetteers.stopwords import STOPWORDS
from memories.language.verbs import PAST
from memories.language.vocabularies.languages import vocabulary_of
from memories.language.vocabularies.vocabulary import ComparisonWords, Vocabulary
from memories.language.vocabularies.words import fold_text, split_words

_STEM_END = re.compile(r"(?<=\w\w\w)(?:ings?|ied|ies|ed|es|e|s|y)$")


@lru_cache(maxsize=50_000)
def _stem(end: re.Pattern[str], word: str) -> str:
    return end.sub("", word, count=1)


def stem(word: str) -> str:
    """The stem of an English word."""
    return _stem(_STEM_END, word)


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
    r"|reportedly|if|unless|whether|seems?|someday|one day|exception|gonna|about to"
    r"|going to(?! (?:the|a|an|my|our|his|her|their)\b)"
    r"|not sure|unsure|says|said|heard|claims?|claimed|told|doubts?|convinced|telling|tells"
    r"|read (?:in|that)|wrote|posted|not true|remind|should|let's"
    r"|good (?:morning|evening|afternoon)|to-?do|to do"
    r"|(?:shopping|household|packing|wish|job) list"
    # What everybody or nobody may do is a rule.
    r"|(?<!body )(?<!anyone )(?<!everyone )(?<!no one )may (?!no\b|not\b|now\b|\d))\b"
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
OBJECT_VERBS = HAVE | stems("want use prefer take wear need allow keep kept store own get carry")
# Those of whose objects only a number is one.
COUNTED = HAVE | stems("stock hold seat employ contain count earn produce make")
# At the beginning of a sentence they are no nouns.
_IMPERATIVES = stems("use take wear keep carry get make hold")
SINGLE_VALUED = (
    BE
    | OBJECT_VERBS
    | COUNTED
    | stems(
        "live work start open close cost run report belong stand sit park begin end last "
        "weigh stay reside hang locate lead manage chair host listen deploy ship pay charge "
        "meet drive serve expire arrive leave call name base teach study set go goes rehearse "
        "submit submitted register approve sleep train land depart finish happen come talk "
        "chat bank commute travel deliver collect sit post publish release build print back "
        "sync connect point bill renew rotate lock practise practice rent answer"
    )
)

_NEGATIONS = words_of("not no never without nobody none")
# Words that say that something changed.
_CHANGE = re.compile(
    r"\b(?:no longer|not [^.,;]{0,40}?any ?more|any ?more|any longer|instead|rather than|moved"
    r"|moves from|switched|changed|replaced (?:by|with)|has replaced|replaces|renamed|became"
    r"|has become|nowadays|these days|from now on|cancell?ed|called off|postponed|rescheduled"
    r"|brought forward|pushed back|put off|stopped|quit|gave up|given up"
    r"|left (?!of\b|to\b|over\b|side\b|hand\b|door\b)|has left|retired|sold|took over"
    r"|taken over|takes over|(?:handed|passed) [^.,;]{0,40}?(?:over|on to)|bump(?:ed|ing)"
    r"|shift(?:ed|ing)|joined|upgraded|migrated|downgraded|used to|turned out|divorced|dropped"
    r"|back (?:up |down )?(?:to|from)|went up|gone up|rose|risen|fell to|increased|raised"
    r"|lowered|reduced"
    r"|extended|shortened|closed down|discontinued|elected|appointed|promoted|broke up"
    r"|change of plan|withdrawn|down from|up from|cut (?:from|to)|no more"
    r"|closed (?:our|my|the)|transferred|returned|lifted)\b"
)
_NEW = re.compile(r"\bnew (\w+)")
# What held before a change, if it is said, and what holds since: "moved from Oslo to Bergen", "now
# drives a van".
_ARRIVED = re.compile(
    r"\b(?:now|(?:moved|switched|changed|migrated|upgraded|shifted|transferred|promoted)\b"
    r"(?P<before>(?:[^.;]|\.(?=\w)){0,60}?)\bto) (?P<since>.{1,80})"
)
# Of what was to be at a time, said of it alone: "picnic's cancelled".
_CANCELLED = re.compile(r"(?:\b(?:is|are|was|were|been)|'s) (?:cancell?ed|called off)\b")
_NAMED = stems("called named name")
# Before what has one value: "is called Falcon", "is run by Oona".
_NAMING_WORDS = words_of("by called named set due")
_PLACE_WORDS = words_of("in at on under behind next near beside above below with inside by")
# What has one value: "the status of the order is".
_ATTRIBUTES = stems(
    "colour color name password code favourite favorite status size supplier provider contact "
    "address number price default format language framework lead owner manager leader boss doctor "
    "dentist vendor brand model title theme topic goal currency login emoji target limit budget "
    "venue label version port room floor channel accountant"
)
_ROLE_AFTER = re.compile(
    r"^(?:is|are|leads|runs|manages|handles|heads|chairs|owns|covers|looks after|takes care of"
    r"|gives|signs|takes|organises|edits|writes|approves|hosts|moderates|coaches|maintains|reviews|walks"
    r"|keeps|holds|has) (?:now |currently )?"
    r"(?:the|our|my|in charge|responsible|on call|on duty|acting|head|ahead)\b"
)
_STATES = tuple(
    words_of(states)
    for states in (
        "open closed shut",
        "done finished unfinished pending ready",
        "paid unpaid",
        "single married divorced engaged widowed",
        "approved rejected pending",
        "broken fixed working",
        "free busy taken",
        "full empty",
        "available unavailable",
        "active inactive",
        "enabled disabled",
        "vegan vegetarian",
        "signed unsigned",
        "turnedon turnedoff",
        "healthy sick ill",
        "public private",
        "mandatory optional",
        "allowed forbidden",
        "half all",
    )
)
_OTHER_PREPOSITIONS = words_of("through as via to from until before after")


@dataclass(frozen=True, eq=False)
class StatementWords:
    """The words of one language by which its sentences are compared.

    stem_end: what a stem loses. content_stopwords: what says nothing about the matter; fillers:
    what is left out of a frame; beside_value: words of time and change beside a value. Verbs,
    labels and attributes are stems. negated: forms of a word that negate it. own_attribute: what
    shows that the subject has one value. capital_nouns: whether a capital shows no name;
    verb_final: whether the verb stands last.
    """

    stem_end: re.Pattern[str]
    content_stopwords: frozenset[str]
    fillers: frozenset[str]
    beside_value: frozenset[str]
    first_person: frozenset[str]
    time_words: frozenset[str]
    uncertain: re.Pattern[str]
    opinion: re.Pattern[str]
    history: re.Pattern[str]
    scope: re.Pattern[str]
    past: frozenset[str]
    now: frozenset[str]
    be: frozenset[str]
    counted: frozenset[str]
    imperatives: frozenset[str]
    object_verbs: frozenset[str]
    single_valued: frozenset[str]
    negations: frozenset[str]
    negated: re.Pattern[str] | None
    change: re.Pattern[str]
    new: re.Pattern[str]
    arrived: re.Pattern[str]
    cancelled: re.Pattern[str]
    renamed: frozenset[str]
    named: frozenset[str]
    naming_words: frozenset[str]
    place_words: frozenset[str]
    other_prepositions: frozenset[str]
    attributes: frozenset[str]
    own_attribute: re.Pattern[str]
    role_after: re.Pattern[str]
    states: tuple[frozenset[str], ...]
    capital_nouns: bool = False
    verb_final: bool = False

    def stem(self, word: str) -> str:
        """A crude stem, which serves for comparing alone."""
        return _stem(self.stem_end, word)

    def negations_in(self, words: Iterable[str]) -> frozenset[str]:
        """The words that negate."""
        return frozenset(
            word
            for word in words
            if word in self.negations or (self.negated and self.negated.search(word))
        )


ENGLISH = StatementWords(
    stem_end=_STEM_END,
    content_stopwords=STOPWORDS,
    fillers=_FILLERS,
    beside_value=_BESIDE_VALUE,
    first_person=_FIRST_PERSON,
    time_words=_TIME_WORDS | frozenset(f"{word}s" for word in _TIME_WORDS),
    uncertain=_UNCERTAIN,
    opinion=_OPINION,
    history=_HISTORY,
    scope=_SCOPE,
    past=PAST,
    now=frozenset({"now"}),
    be=BE,
    counted=COUNTED,
    imperatives=_IMPERATIVES,
    object_verbs=OBJECT_VERBS,
    single_valued=SINGLE_VALUED,
    negations=_NEGATIONS,
    negated=None,
    change=_CHANGE,
    new=_NEW,
    arrived=_ARRIVED,
    cancelled=_CANCELLED,
    renamed=frozenset({"renam"}),
    named=_NAMED,
    naming_words=_NAMING_WORDS,
    place_words=_PLACE_WORDS,
    other_prepositions=_OTHER_PREPOSITIONS,
    attributes=_ATTRIBUTES,
    own_attribute=re.compile(r"my | 's "),
    role_after=_ROLE_AFTER,
    states=_STATES,
)
_NOTHING: frozenset[str] = frozenset()
_NEVER = re.compile(r"(?!)")


@cache
def statement_words(language: str | None) -> StatementWords:
    """The words of a language by its ISO code; those of English for None and for a language without
    a vocabulary."""
    vocabulary = vocabulary_of(language) if language else None
    return ENGLISH if vocabulary is None else _from_vocabulary(vocabulary, vocabulary.comparison)


def _from_vocabulary(vocabulary: Vocabulary, words: ComparisonWords) -> StatementWords:
    stem_end = re.compile(rf"(?<=\w\w\w)(?:{fold_text(words.stem)})$")

    def stemmed(text: str) -> frozenset[str]:
        return frozenset(_stem(stem_end, word) for word in _folded(text))

    times = vocabulary.times
    be, have, objects = (stemmed(one) for one in (words.be, words.have, words.object_verbs))
    times_of = " ".join((*times.months, *times.weekdays, *times.day_parts.values()))
    return StatementWords(
        stem_end=stem_end,
        content_stopwords=STOPWORDS | _folded(vocabulary.function_words),
        fillers=_folded(words.fillers) | {"'"},
        beside_value=_folded(words.now),
        first_person=_folded(vocabulary.questions.first_person) | _folded(words.we),
        time_words=frozenset(split_words(form)[-1] for form in times_of.split()),
        uncertain=_pattern(words.uncertain),
        opinion=_pattern(words.opinion, r"!\s*$|"),
        history=_pattern(words.history),
        scope=_pattern(words.scope),
        past=_NOTHING,
        now=_folded(words.now),
        be=be,
        counted=have,
        imperatives=_NOTHING,
        object_verbs=have | objects,
        single_valued=be | have | objects | stemmed(words.verbs),
        negations=_folded(words.negation),
        negated=re.compile(fold_text(words.negated)) if words.negated else None,
        change=_pattern(words.change),
        new=_NEVER,
        arrived=_NEVER,
        cancelled=_NEVER,
        renamed=_NOTHING,
        named=stemmed(words.named),
        naming_words=_folded(words.named),
        place_words=_folded(words.place_words),
        other_prepositions=_NOTHING,
        attributes=stemmed(words.attributes),
        own_attribute=_pattern(words.possessives.replace(" ", "|")),
        role_after=_NEVER,
        states=tuple(_folded(one) for one in words.states),
        capital_nouns=words.capital_nouns,
        verb_final=words.verb_final,
    )


def _folded(text: str) -> frozenset[str]:
    return frozenset(word for form in text.split() for word in split_words(form))


def _pattern(alternatives: str, lead: str = "") -> re.Pattern[str]:
    """The alternatives of a table as whole words of a folded text."""
    return re.compile(rf"{lead}\b(?:{fold_text(alternatives)})\b") if alternatives else _NEVER
