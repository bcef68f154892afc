"""People whom a text names: by title, by known names, by what is said around a name. Pure.

A first name of the lists and what follows it is a name for sure. Two words with a capital that no
list knows are not sure. One word is a name where it is nothing else, or where the words around it say
so. What the organisation's own members are called is looked up elsewhere (known_terms).
"""

import re
from collections.abc import Iterator

from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.words import NAME, NOT_ONLY_NAME, TITLES, Capital, Kind, kind_of, runs

_SHORT_TITLES = frozenset({"m", "don", "pan", "sig", "sr", "miss", "dame"})
_OFFICES = frozenset("""
president senator judge justice captain officer sergeant lieutenant colonel general minister chancellor mayor
governor bishop father sister brother rabbi imam pastor reverend aunt auntie uncle grandma grandpa nurse detective
attorney inspector lord lady king queen prince princess
""".split())  # noqa: SIM905
# What is said before a name: these tell for sure.
_INTRODUCED = """
my name is|my name's|name is|name|named|i am called|call me|ich heiße|mein name ist|je m'appelle|mon nom est|me llamo
mi nombre es|mi chiamo|il mio nome è|mijn naam is|ik heet|meu nome é|signed by|signed|account manager|applicant
"""
_OWN = {
    "my his her our their your the a": (
        "wife husband son daughter brother sister mother father mum mom dad boss colleague coworker co-worker friend"
        " neighbour neighbor lawyer partner girlfriend boyfriend uncle aunt cousin nephew niece teacher patient tenant"
        " assistant landlord nurse fiancé fiancée roommate flatmate contact supervisor guide"
    ),
    "meine meiner meinem meinen ihre ihrem seine seiner seinem seinen unsere unserem unser mein sein ihr": (
        "frau mann sohn tochter bruder schwester chef chefin kollege kollegin kollegen freund freundin nachbar nachbarin"
    ),
    "mon ma son sa notre": (
        "femme mari fils fille frère sœur mère père collègue ami amie voisin voisine"
    ),
    "mi su nuestro nuestra": (
        "esposa esposo marido hijo hija hermano hermana madre padre jefe jefa amigo amiga vecino vecina"
    ),
    "mio mia suo sua": "moglie marito figlio figlia fratello sorella madre padre collega amico amica",
}
# And these may stand before other words, too.
_ADDRESSED = """
dear|hi|hello|hey|liebe|lieber|cher|chère|querido|querida|caro|cara|beste|geachte|hola|ciao|bonjour|happy birthday|tell|told
ask|asked|remind|thank you|thanks|email|e-mail|ping|call|called|phone|text|ask for|regards|sincerely|yours|wishes|grüße|grüßen
cordialement|saludos|attn|attention|met with|spoke to|spoke with|talked to|meeting with|married|interview with|interviewed
report to|reports to|on behalf of|assigned to|according to|cc|c/o|emailed|phoned|texted|invited|hired
"""


def _phrases(lines: str) -> frozenset[str]:
    return frozenset(one for line in lines.split("\n") for one in line.split("|") if one)


_SURE = _phrases(_INTRODUCED) | {
    f"{own} {one}" for owns, all_ in _OWN.items() for own in owns.split() for one in all_.split()
}
_MAYBE = _phrases(_ADDRESSED)
_PHRASE_WORDS = 4
_AFTER = re.compile(
    r"(?:'s)? (?:said|says|told|lives?|lived|replied|complained|emailed|e-mailed|phoned|married|and (?:his|her|i\b)"
    r"|sagte|sagt|meinte|wohnt|a dit|habite|dijo|vive en|ha detto|abita|(?:was|were) (?:born|founded)|announced|moved out|prefers?|is (?:my|our|allergic|out of office|on (?:leave|holiday))|laptop|is my|is our|passed away|resigned"
    r"|(?:wife|husband|house|birthday|daughter|son|mother|father|salary|boss|family|home address|phone|mobile)\b)"
    r"|, (?:CEO|CFO|CTO|COO|PhD|MD|Esq|Jr|Sr|aged|who lives|born)\b"
)
_LOWER_CASE = re.compile(
    r"\b(?:my name is|name's|ich heiße|mein name ist|je m'appelle|me llamo|mi chiamo|mijn naam is|ik heet)"
    r" ([^\W\d_]{2,30})(?: ([^\W\d_]{2,30}))?",
    re.IGNORECASE,
)
_TITLED = TITLES | _OFFICES
_LOOK = 40
_MOST = 5


def people(text: str, words: list[Capital]) -> Iterator[Finding]:
    """Names of people; words: the words of the text that have a capital."""
    for run in runs(text, words):
        at = 0
        while at < len(run):
            taken, sure = _name(text, run, at)
            if taken:
                last = run[at + taken - 1]
                yield Finding(run[at].start, last.end, Personal.PERSON, sure)
            at += max(1, taken)
    if "name" in text or "Name" in text or "h" in text:
        yield from _introduced(text)


def _introduced(text: str) -> Iterator[Finding]:
    """Who says what their name is, in any case."""
    for match in _LOWER_CASE.finditer(text):
        kind = kind_of(match[1])
        if kind & NOT_ONLY_NAME and not kind & Kind.FIRST:
            continue
        second = match[2] and (not (other := kind_of(match[2])) & NOT_ONLY_NAME or other & Kind.LAST)
        yield Finding(match.start(1), match.end(2 if second else 1), Personal.PERSON)


def _name(text: str, run: list[Capital], at: int) -> tuple[int, bool]:  # noqa: PLR0911
    """How many words of a run are one name from here on, and whether for sure; (0, False): none."""
    one = run[at]
    if one.kind & (Kind.ORDINARY | Kind.PLACE) and not one.kind & NAME and one.word.casefold() not in _TITLED:
        return 0, False
    rest = run[at + 1 : at + 1 + _MOST]
    if (titled := _titled(text, run, at)) is not None:
        return titled
    if len(one.word) > 1 and one.word.isupper() and not one.is_initial:
        return _shouted(one, rest)
    if one.is_first:
        return 1 + _more(rest), True
    if one.kind & Kind.FIRST and rest:
        follows = _family(rest)
        if follows:
            second = rest[follows - 1]
            if second.is_last:
                return 1 + follows, True
            if second.kind & Kind.LAST or (second.is_unknown and not one.begins):
                return 1 + follows, False
    if one.is_initial and rest:
        follows = _family(rest)
        if follows and (rest[follows - 1].is_last or text[one.end : one.end + 1] == "."):
            if one.word not in "IA" or text[one.end : one.end + 1] == ".":
                return 1 + follows, rest[follows - 1].is_last
    if one.is_last and rest and rest[0].is_first:
        return 2, True
    if one.is_unknown and rest:
        follows = _family(rest)
        if follows and rest[follows - 1].is_last:
            return 1 + follows, True
        if follows and _stands_alone(run, at, follows):
            return 1 + follows, False
    return _alone(text, run, at)


def _stands_alone(run: list[Capital], at: int, follows: int) -> bool:
    """Whether the run has no other word than these two or three, but one that begins a sentence."""
    leads = at == 0 or (at == 1 and run[0].begins and not run[0].kind & NAME)
    return leads and len(run) == at + 1 + follows


def _more(rest: list[Capital]) -> int:
    """How many words behind a first name belong to it."""
    taken = 0
    for number, one in enumerate(rest[: _MOST - 1]):
        shouted = len(one.word) > 1 and one.word.isupper()
        if shouted and not one.is_last:
            break
        if one.is_initial:
            continue
        if one.is_last or one.is_unknown or one.kind & NAME:
            taken = number + 1
            continue
        break
    return taken


def _family(rest: list[Capital]) -> int:
    """How many words reach to the last name: initials and one more name may stand before it."""
    for number, one in enumerate(rest[:3]):
        if one.is_initial or (one.is_first and number + 1 < len(rest[:3])):
            continue
        if len(one.word) > 1 and one.word.isupper():
            return 0
        if one.kind & Kind.LAST or one.is_unknown or one.is_first:
            return number + 1
        return 0
    return 0


def _shouted(one: Capital, rest: list[Capital]) -> tuple[int, bool]:
    """ANNA WEBER: both must be known, for much is written so that is no name."""
    if one.is_first and rest and rest[0].is_last:
        return 2, True
    if one.is_last and rest and rest[0].is_first:
        return 2, True
    return 0, False


def _titled(text: str, run: list[Capital], at: int) -> tuple[int, bool] | None:
    """A title, and what follows it; None where this is no title of somebody."""
    one = run[at]
    title = one.word.casefold()
    if title not in _TITLED:
        return None
    rest = run[at + 1 : at + 1 + _MOST]
    if not rest:
        return None
    first = rest[0]
    if first.word.isupper() and len(first.word) > 1 and not first.is_last:
        return None
    names = first.kind & NAME
    if title in _OFFICES or title in _SHORT_TITLES:
        if not (names and not Kind.PLACE & first.kind) and not first.is_unknown:
            return None
        return 2 + _more(rest[1:]), bool(names)
    if first.kind & (Kind.ORDINARY | Kind.SHARED) and not names:
        return None
    return 2 + _more(rest[1:]), True


def _said_before(text: str, start: int) -> bool | None:
    """Whether what stands before a name says for sure that it is one; None where nothing does."""
    said = text[max(0, start - _LOOK) : start].rstrip(" ,:\n\r\t").casefold().split()
    for length in range(min(_PHRASE_WORDS, len(said)), 0, -1):
        phrase = " ".join(said[-length:])
        if phrase in _SURE:
            return True
        if phrase in _MAYBE:
            return False
    return None


def _alone(text: str, run: list[Capital], at: int) -> tuple[int, bool]:
    """One word that no neighbour makes a name."""
    one = run[at]
    named = one.kind & NAME
    if (one.kind & NOT_ONLY_NAME or not one.is_unknown) and not named:
        return 0, False
    ordinary = one.kind & (Kind.ORDINARY | Kind.PLACE)
    if at == 0 and (told := _said_before(text, one.start)) is not None:
        return 1, told
    if at == len(run) - 1 and not ordinary and _AFTER.match(text, one.end):
        return 1, False
    if one.kind & Kind.FIRST and not ordinary and len(run) == 1 and not one.opens and len(one.word) > 3:
        return 1, False
    if one.is_last and "-" in one.word and len(run) == 1:
        return 1, False
    if one.is_last and len(run) == 1 and not one.opens:
        return 1, False
    return 0, False
