"""People whom a text names: by title, by known names, by what is said around a name. Pure.

A first name of the lists and what follows it is a name for sure. Two words with a capital that no
list knows are not sure. One word is a name where it is nothing else, or where the words around it say
so. What the organisation's own members are called is looked up elsewhere (known_terms).
"""

import re
from collections.abc import Iterator

from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.words import Capital, Kind, kind_of, runs

_TITLES = frozenset("""
mr mrs ms miss mx dr prof professor sir dame madam herr herrn frau fräulein m mme mlle monsieur madame
mademoiselle señor señora señorita sr sra srta don doña signor signora signorina sig dott dottor dottore dhr mevr
mevrouw meneer pan pani senhor senhora fru
""".split())  # noqa: SIM905
_SHORT_TITLES = frozenset({"m", "don", "pan", "sig", "sr", "miss", "dame"})
_OFFICES = frozenset("""
president senator judge justice captain officer sergeant lieutenant colonel general minister chancellor mayor
governor bishop father sister brother rabbi imam pastor reverend aunt auntie uncle grandma grandpa nurse detective
attorney inspector lord lady king queen prince princess
""".split())  # noqa: SIM905
# Words before a name, and whether they tell for sure.
_BEFORE = re.compile(
    r"(?:(?P<sure>my name is|my name's|name is|name:|named|i am called|call me|ich heiße|mein name ist|je m'appelle"
    r"|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|mijn naam is|ik heet|meu nome é|signed by|signed"
    r"|(?:my|his|her|our|their|your|the|a) (?:wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad|boss"
    r"|colleague|co-?worker|friend|neighbou?r|lawyer|partner|girlfriend|boyfriend|uncle|aunt|cousin|nephew|niece"
    r"|teacher|patient|tenant|assistant|landlord|nurse|fiancée?|roommate|flatmate|contact|account manager|supervisor)"
    r"|(?:meine?[mnr]?|ihre?[mnr]?|seine?[mnr]?|unsere?[mnr]?) (?:frau|mann|sohn|tochter|bruder|schwester|chef|chefin"
    r"|kolleg(?:e|en|in)|freund|freundin|nachbar|nachbarin)"
    r"|(?:mon|ma|son|sa) (?:femme|mari|fils|fille|frère|sœur|mère|père|collègue|ami|amie|voisin|voisine)"
    r"|(?:mi|su) (?:esposa|esposo|marido|hijo|hija|hermano|hermana|madre|padre|jefe|jefa|amigo|amiga|vecino|vecina))"
    r"|(?P<maybe>dear|hi|hello|liebe|lieber|cher|chère|querido|querida|caro|cara|beste|geachte|hola|ciao|bonjour"
    r"|regards|sincerely|yours|wishes|grüßen?|cordialement|saludos|attn|attention|met with|spoke (?:to|with)|talked to"
    r"|meeting with|married|interview(?:ed)? with|reports? to|on behalf of|assigned to|according to|cc|c/o))"
    r"[,:]?\s{1,3}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:'s)? (?:said|says|told|lives?|lived|replied|complained|emailed|e-mailed|phoned|married|and (?:his|her|i\b)"
    r"|sagte|sagt|meinte|wohnt|a dit|habite|dijo|vive en|ha detto|abita|was born|is my|is our|passed away|resigned"
    r"|(?:wife|husband|house|birthday|daughter|son|mother|father|salary|boss|family|home address|phone|mobile)\b)"
    r"|, (?:CEO|CFO|CTO|COO|PhD|MD|Esq|Jr|Sr|aged|who lives|born)\b"
)
_LOWER_CASE = re.compile(
    r"\b(?:my name is|name's|ich heiße|mein name ist|je m'appelle|me llamo|mi chiamo|mijn naam is|ik heet)"
    r" ([^\W\d_]{2,30})(?: ([^\W\d_]{2,30}))?",
    re.IGNORECASE,
)
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
        if Kind.ORDINARY in (kind := kind_of(match[1])) and not kind & Kind.FIRST:
            continue
        second = match[2] and not Kind.ORDINARY & kind_of(match[2])
        yield Finding(match.start(1), match.end(2 if second else 1), Personal.PERSON)


def _name(text: str, run: list[Capital], at: int) -> tuple[int, bool]:  # noqa: PLR0911
    """How many words of a run are one name from here on, and whether for sure; (0, False): none."""
    one, rest = run[at], run[at + 1 :]
    if (titled := _titled(text, run, at)) is not None:
        return titled
    if len(one.word) > 1 and one.word.isupper() and not one.is_initial:
        return _shouted(one, rest)
    if one.is_first:
        return 1 + _more(rest), True
    if Kind.FIRST in one.kind and rest:
        follows = _family(rest)
        if follows:
            second = rest[follows - 1]
            if second.is_last:
                return 1 + follows, True
            if Kind.LAST in second.kind or (second.is_unknown and not one.opens):
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
        if follows and rest[follows - 1].is_unknown and _stands_alone(run, at, follows):
            return 1 + follows, False
    return _alone(text, run, at)


def _stands_alone(run: list[Capital], at: int, follows: int) -> bool:
    """Whether the run has no other word than these two or three."""
    return len(run) == 1 + follows and at == 0


def _more(rest: list[Capital]) -> int:
    """How many words behind a first name belong to it."""
    taken = 0
    for number, one in enumerate(rest[: _MOST - 1]):
        shouted = len(one.word) > 1 and one.word.isupper()
        if shouted and not one.is_last:
            break
        if one.is_initial:
            continue
        if one.is_last or one.is_unknown or Kind.FIRST in one.kind or Kind.LAST in one.kind:
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
        if Kind.LAST in one.kind or one.is_unknown or one.is_first:
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
    if title not in _TITLES and title not in _OFFICES:
        return None
    rest = run[at + 1 :]
    if not rest and text[one.end : one.end + 2] == ". ":
        return None
    if not rest:
        return None
    first = rest[0]
    if first.word.isupper() and len(first.word) > 1 and not first.is_last:
        return None
    names = first.kind & (Kind.FIRST | Kind.LAST)
    if title in _OFFICES or title in _SHORT_TITLES:
        if not (names and not Kind.PLACE & first.kind) and not first.is_unknown:
            return None
        return 2 + _more(rest[1:]), bool(names)
    if Kind.ORDINARY in first.kind and not names:
        return None
    return 2 + _more(rest[1:]), True


def _alone(text: str, run: list[Capital], at: int) -> tuple[int, bool]:
    """One word that no neighbour makes a name."""
    one = run[at]
    named = one.kind & (Kind.FIRST | Kind.LAST)
    if (Kind.ORDINARY in one.kind or Kind.PLACE in one.kind) and not named:
        return 0, False
    if not named and not one.is_unknown:
        return 0, False
    if at == 0 and (told := _BEFORE.search(text, max(0, one.start - _LOOK), one.start)):
        return 1, told["sure"] is not None
    if at == len(run) - 1 and _AFTER.match(text, one.end):
        return 1, False
    if one.is_last and len(run) == 1 and not one.opens:
        return 1, False
    return 0, False
