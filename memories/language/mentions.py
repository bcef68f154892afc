"""The people and things that a text mentions, by its wording alone. Pure, English."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memories.language.gazetteers.brands import FIRMS
from memories.language.gazetteers.first_names import EITHER, FEMALE, MALE
from memories.language.gazetteers.places import PLACES

MAX_NAME_CHARACTERS = 60
MAX_PERSONS = 20
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_NAME = re.compile(rf"(?<![\w/.-])({_CAPITAL}[\w-]*)((?: {_CAPITAL}[\w-]+){{0,2}})")
_NICK = re.compile(r"(?<![\w/.])(@?)([^\W\d_][\w.|^`\[\]-]{2,59})(?<![.-])")
_NAME_BEFORE_VERB = re.compile(
    r"(?<![\w@/.'’-])([A-Z][a-zà-ÿ]{2,}(?: [A-Z][a-zà-ÿ]{2,})?) "
    r"(?:says?|said|tells?|told|thinks?|thought"
    r"|wants?|wanted|asked|asks|called|lives|lived|likes|liked|loves|prefers|met|meets|works|worked"
    r"|lost|forgot|promised|mentioned|wrote|moved|went|came|left|arrived|agreed|decided|joined|quit)\b"
)
# The last word of the name of a firm or an institution.
_FIRM_ENDING_WORDS = """
Inc Ltd Limited LLC LLP Corp Corporation Co GmbH AG SE KG PLC plc S.A SA S.L SL B.V BV N.V NV Oy AB
AS ApS SpA Company Holding Holdings Group Lab Labs Laboratories Technologies Systems Software
Solutions Services Consulting Partners Associates Industries Manufacturing Motors Airlines Airways
Logistics Shipping Insurance Energy Electric Electronics Pharma Pharmaceuticals Foods Farms Brewery
Brewing Bakery Restaurant Hotel Hotels Media Press Publishing Records Studio Studios Pictures Games
Network Networks Telecom Mobile Capital Ventures Investments Bank Trust Union Council Ministry
Department Agency Authority Commission Association Foundation Federation Society Institute
University College School Academy Hospital Clinic Museum Library Church Airport Supplies Robotics
Analytics Digital Interactive Construction Properties Store Stores Market
"""
_FIRM_ENDINGS = frozenset(_FIRM_ENDING_WORDS.split())
# Words that begin sentences before such verbs and are no names.
_NON_NAME_WORDS = """
the this that these those there here what who which when where why how she he they you we it i
everyone everybody someone somebody nobody people monday tuesday wednesday thursday friday
saturday sunday january february march april may june july august september october november
december today tomorrow yesterday support team customer customers client clients nothing something
anything one two both all some many most and but then also yes never always i'm management
marketing sales engineering legal finance company server
"""
_NON_NAMES = frozenset(_NON_NAME_WORDS.split())
_FIRST_NAMES = FEMALE | MALE | EITHER
_NON_PERSON_NAMES = _NON_NAMES | PLACES
_LOCATION = re.compile(
    r"\b(?:in|near|from|to|at|around|outside|visit(?:ing|ed)?|leav(?:e|ing)|towards?) "
    r"((?:the )?[A-ZÀ-Ý][\w-]+(?: (?:de )?[A-ZÀ-Ý][\w-]+){0,2})"
)
_TOKEN = re.compile(r"[^\W_][\w.+#/@'’-]*[\w+#]|[^\W\d_]{2,}")
_COMMON_WORDS = """
a about above after again all almost also always am an and any anybody anyone anything are as ask
at away back be because been before being best better both but by call came can can't come could
day days did didn't do does doesn't doing don't done down each else even ever every everyone
everything few find first for from get gets getting give go goes going gone good got great had has
have haven't having he hello her here hers hi him his how however i if i'm in into is isn't it its
i've just keep kind know last least less let like little long look looks lot made make makes many
may maybe me mean might mine more most much must my need needs never new next no nobody none nor
not nothing now of off often oh ok okay on once one only or other our ours out over own people
perhaps please pretty put quite rather really right said same saw say says see seem seems she
should show since so some somebody someone something sometimes soon still such sure take tell than
thank thanks that that's the their theirs them then there these they thing things think this those
though thought time to today told tomorrow tonight too took try trying two under until up us use
used using very want wants was wasn't way we well went were what what's when where whether which
while who why will with without won't work works would yes yesterday yet you your yours
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody named in a text, and where the name starts."""

    name: str
    at: int

    @property
    def first(self) -> str:
        return next(iter(self.name.split()), "").casefold()

    def may_be(self, pronoun: str) -> bool:
        """Whether the pronoun "he" or "she" can mean this person; an unknown name can be either."""
        return self.first not in (FEMALE if pronoun == "he" else MALE)


def find_persons(text: str, known: Collection[str] = ()) -> list[Person]:
    """The people whom the text names, in order, each once.

    known: names of people nearby, which count even if no list of first names has them.
    """
    # Sorted, so that of two names that differ only in letter case the same one is chosen each time.
    here = {name.casefold(): name for name in sorted(known) if 2 < len(name) <= MAX_NAME_CHARACTERS}
    found = [*_iter_known_names(text, here), *_iter_names_before_verbs(text)]
    kept: dict[str, Person] = {}
    for person in sorted(found, key=lambda p: (p.at, -len(p.name))):
        kept.setdefault(person.first, person)
    return list(kept.values())[:MAX_PERSONS]


def _iter_known_names(text: str, here: dict[str, str]) -> Iterator[Person]:
    for match in _NAME.finditer(text):
        first, more = match[1], match[2]
        whole = here.get(f"{first}{more}".casefold()) or here.get(first.casefold())
        if whole:
            yield Person(whole, match.start())
        elif first.casefold() in _FIRST_NAMES and not is_firm(f"{first}{more}"):
            rest = [w for w in more.split() if w.casefold() not in _NON_NAMES][:1]
            yield Person(" ".join([first, *rest]), match.start())
    # A name without a capital counts after an @, or if it has other characters than letters.
    if any(not name[0].isupper() for name in here.values()):
        for match in _NICK.finditer(text):
            if (nick := here.get(match[2].casefold())) and (match[1] or not match[2].isalpha()):
                yield Person(nick, match.start())


def _iter_names_before_verbs(text: str) -> Iterator[Person]:
    for match in _NAME_BEFORE_VERB.finditer(text):
        words = match[1].split()
        if (
            words[0].casefold() not in _NON_PERSON_NAMES
            and words[-1].casefold() not in _NON_NAMES
            and not is_firm(match[1])
        ):
            yield Person(match[1], match.start())


def is_firm(name: str) -> bool:
    """Whether a name in capitals is that of a firm or an institution, and so no person's."""
    last = name.rpartition(" ")[2].rpartition("-")[2].rstrip(".")
    return name.casefold() in FIRMS or last in _FIRM_ENDINGS


def find_location(text: str) -> str:
    """The first place that the text says something is in, from or near; of a short list."""
    for match in _LOCATION.finditer(text):
        words = match[1].removeprefix("the ").removeprefix("The ").split()
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            if name.casefold() in PLACES:
                return name
    return ""


def extract_keywords(text: str, most: int) -> list[str]:
    """Up to `most` keywords of the text: names, numbers and marked words first."""
    return list(_rank_keywords(text)[:most])


# Cached: one turn is read several times, for its keywords and for topics.
@lru_cache(maxsize=16)
def _rank_keywords(text: str) -> tuple[str, ...]:
    words = [w.strip(".-/") for w in _TOKEN.findall(text[:5_000])]
    telling = dict.fromkeys(
        w for w in words if len(w) > 2 and w.casefold() not in _COMMON and not w.startswith("http")
    )
    firsts: dict[str, str] = {}
    for word in telling:
        firsts.setdefault(word.casefold(), word)
    return tuple(sorted(firsts.values(), key=lambda w: (not _is_distinctive(w), -len(w))))


# Cached: a turn is in the windows of all turns after it.
@lru_cache(maxsize=256)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _TOKEN.findall(text))


def _is_distinctive(word: str) -> bool:
    return any(c.isdigit() or c in "._/+#-" for c in word) or word[0].isupper() or word.isupper()


def find_shared_topic(text: str, before: Sequence[str], enough: int = 3) -> str:
    """The word of the text that most turns of the window share, if at least `enough` do; else
    empty."""
    own = {w.casefold(): w for w in extract_keywords(text, 12)}
    if not own:
        return ""
    counts = Counter(word for turn in before for word in own.keys() & _word_set(turn[:2_000]))
    best = [(count, word) for word, count in counts.items() if count + 1 >= enough]
    return own[max(best)[1]] if best else ""
