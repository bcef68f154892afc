"""What the rules know of one language. Pure data types.

Words stand in one string, with blanks between them; "_" joins what are several words in a text
("fin_de_semana"). A phrase is a row of words in which "a/b" are alternatives, "word?" may be left
out, and words in capitals stand for what the tables hold:

COUNT a number in digits or words, UNIT a unit in the singular, UNITS in any number, WEEKDAY, MONTH,
MON (also a short month), DAY 1 to 31, MM a month in digits, YEAR 1900 to 2200.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Phrases = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeWords:
    """Words of time.

    months, weekdays: from January and from Monday, each with all its forms. short_months: twelve
    words. units: by their English names, "singular | other forms". numbers: by value. day_parts:
    morning, afternoon, evening, night.

    times: (phrase, what it means): "day -1" is yesterday, "UNIT -1" the last one, "WEEKDAY 1" the
    next, "WEEKDAY" one that is not told ("WEEKDAY =0" is Monday), "MONTH -1" the last one, "DATE"
    a written date. "AGO" and "AHEAD" are a distance ("AGO week" is one week), "AHEAD?" one that
    beside a past verb is a duration, "LASTING" is a time up to now. "!" marks a form that only a
    bound can follow. bare_times: what is a time only beside a bound. not_after, not_before:
    neighbours beside which a word is no time. bounds: since, before, after, until, due: phrases
    that lead a time; bounds_after: those that follow it. ranges: (before the first time, between,
    after the second). endings: what may follow a time behind an apostrophe; attached: what may
    follow a weekday, month or unit directly. Such a form is a time only beside a bound.

    written: how a day, week, weekend, month and year are written into a text. past: words that say
    that a sentence is about the past. more_words: what else is a word of time in `has_time_word`.
    """

    months: Phrases
    short_months: str
    weekdays: Phrases
    units: Mapping[str, str]
    numbers: Mapping[int, str]
    day_parts: Mapping[str, str]
    times: tuple[tuple[str, str], ...]
    bare_times: tuple[tuple[str, str], ...]
    bounds: Mapping[str, Phrases]
    ranges: tuple[tuple[str, str, str], ...]
    written: Mapping[str, str]
    bounds_after: Mapping[str, Phrases] = field(default_factory=dict)
    not_after: Mapping[str, str] = field(default_factory=dict)
    not_before: Mapping[str, str] = field(default_factory=dict)
    endings: str = ""
    attached: str = ""
    past: str = ""
    more_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuestionWords:
    """when: phrases with which a question for a time begins; anywhere: or that stand anywhere in
    it. first_person: I, me, my."""

    when: Phrases
    first_person: str
    anywhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonWords:
    """Words by which two texts are compared.

    negation: words that negate; negated: the ends of words that do. opposites: "side / side". stem:
    alternatives of what a stem loses; the words of verbs, attributes and names are stemmed with it.
    be, have, object_verbs, verbs: of which a subject has one object, or one for each purpose.
    attributes: what has one value; possessives: my and our. named: called, named. fillers: words
    beside the matter; now: words beside a new value; we: more of the first person. states: kinds of
    states that exclude each other. capital_nouns: whether nouns that are no names have capitals;
    verb_final: whether the verb stands last.

    change, uncertain, opinion, history, scope: alternatives of a pattern over the text in small
    letters, with blanks around apostrophes: what says that something changed, what is a doubt, a
    plan or hearsay, what somebody likes, what is over, for when or for whom it holds.
    """

    negation: str
    negated: str = ""
    opposites: Phrases = ()
    stem: str
    be: str
    have: str
    object_verbs: str
    verbs: str
    attributes: str
    possessives: str
    named: str
    place_words: str
    fillers: str
    now: str
    we: str
    change: str
    uncertain: str
    opinion: str
    history: str = ""
    scope: str = ""
    states: Phrases = ()
    capital_nouns: bool = False
    verb_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DutyWords:
    """Words that say who is to do something.

    own, named, shared: phrases before the verb, of who speaks, after a name, of several people or
    of nobody. The endings say the same at the end of a sentence. not_after: words after which it is
    no duty.
    """

    own: Phrases = ()
    named: Phrases = ()
    shared: Phrases = ()
    own_endings: str = ""
    named_endings: str = ""
    shared_endings: str = ""
    not_after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vocabulary:
    """One language. code: ISO 639-1. name: in English. function_words: frequent words by which a
    text shows its language; spelling: a pattern of words in small letters that no other has;
    plain_part: what such a word has if all its letters are English."""

    code: str
    name: str
    function_words: str
    spelling: str = ""
    plain_part: str = ""
    times: TimeWords
    questions: QuestionWords
    comparison: ComparisonWords
    duties: DutyWords
