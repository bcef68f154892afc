"""The words of a text, their possible kinds, and their context. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from memories.language.gazetteers.capitalised_non_names import ORDINARY_WORDS
from memories.language.gazetteers.common_names import PLACE_WORDS, WORD_NAMES
from memories.language.gazetteers.first_names import EITHER, FEMALE, MALE
from memories.language.gazetteers.last_names import LAST_NAMES
from memories.language.gazetteers.places import PLACES
from memories.language.gazetteers.stopwords import CONTENTLESS_WORDS, STOPWORDS
from memories.language.gazetteers.world_first_names import WORLD_FIRST_NAMES
from memories.safety.personal_data.name_cues import TITLES


class WordClass:
    """The possible kinds of a word, as bits. SHARED: a name that is also a word.

    Plain numbers, because each capitalised word is tested several times.
    """

    UNKNOWN = 0
    FIRST = 1
    LAST = 2
    ORDINARY = 4
    PLACE = 8
    SHARED = 16


NAME = WordClass.FIRST | WordClass.LAST
NOT_ONLY_NAME = WordClass.ORDINARY | WordClass.PLACE | WordClass.SHARED
_FIRST_ONLY, _LAST_ONLY = WordClass.FIRST | NOT_ONLY_NAME, WordClass.LAST | NOT_ONLY_NAME


# Names of three letters that are no word in a language of the lists.
_SHORT_NAMES = """
abe amy ben bob dan deb eva gus ian ida ivo jed jen jim joe jon ken kim leo liz lou luc meg mia
ned noa pam pia reg ron sam sid sue ted tim tom ugo uli ute uwe viv zac zoe zak ole liv bea ava
ana ann lea
"""
_COMMON_FIRST_NAMES = FEMALE | MALE | EITHER | frozenset(_SHORT_NAMES.split())
# Nearly every combination of two or three letters is a word in some language.
_MIN_NAME_CHARACTERS = 4
# No name is longer. Without this limit many marks on one letter would take quadratic time.
_MAX_NAME_CHARACTERS = 40


def strip_accents(word: str) -> str:
    """A word without marks on its letters, as in "Jose" for "José"; word: in lower case."""
    if word.isascii() or len(word) > _MAX_NAME_CHARACTERS:
        return word
    apart = unicodedata.normalize("NFKD", word)
    plain = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return plain.replace("ł", "l").replace("ø", "o").replace("æ", "ae").replace("đ", "d")


def _build_word_classes() -> dict[str, int]:
    found: dict[str, int] = {}
    for names, kind in (
        (_COMMON_FIRST_NAMES | WORLD_FIRST_NAMES, WordClass.FIRST),
        (LAST_NAMES, WordClass.LAST),
        (WORD_NAMES, WordClass.SHARED),
        (ORDINARY_WORDS | STOPWORDS | CONTENTLESS_WORDS, WordClass.ORDINARY),
        (PLACE_WORDS, WordClass.PLACE),
        (frozenset(word for place in PLACES for word in place.split()), WordClass.PLACE),
    ):
        for name in names:
            for form in {name, strip_accents(name)} if kind & NAME else (name,):
                found[form] = found.get(form, WordClass.UNKNOWN) | kind
    for name, kind in found.items():
        if len(name) < _MIN_NAME_CHARACTERS and kind & NAME and name not in _COMMON_FIRST_NAMES:
            found[name] = kind | WordClass.SHARED
    return found


_WORD_CLASSES = _build_word_classes()
# Words that are first names and nothing else, for a quick look at words in lower case.
FIRST_NAMES_ONLY = frozenset(
    name
    for name, kind in _WORD_CLASSES.items()
    if kind & WordClass.FIRST
    and not kind & (WordClass.ORDINARY | WordClass.PLACE)
    and len(name) >= _MIN_NAME_CHARACTERS - 1
)
# Words with these endings are English, German or French words and no names, unless a list has them.
_WORD_ENDINGS = tuple(
    """
tion tions sion sions ment ments ness ing ings ity ities ology ics ism able ible ful less ship
ously ively ally ical ware wise ised ized ated ifed cted nted lled pped tted cked izes ises ates
ting ency ancy graphy metry wards self selves thing where body ung ungen heit keit schaft lich
isch ismus tät ieren ement eux isme ción sión mente dad zione zioni ità ção ly ous ive n't
""".split()  # noqa: SIM905
)


def word_class(word: str) -> int:
    """The possible kinds of a word. word: in any letter case, without an ending such as 's."""
    low = word[:_MAX_NAME_CHARACTERS].casefold()
    known = _WORD_CLASSES.get(low)
    if known is None and not low.isascii():
        known = _WORD_CLASSES.get(strip_accents(low))
    if known is not None:
        return known
    if "-" in low:
        parts = [_WORD_CLASSES.get(part, WordClass.UNKNOWN) for part in low.split("-")]
        if parts[0] & WordClass.FIRST and not parts[0] & NOT_ONLY_NAME:
            return WordClass.FIRST
        if all(part & WordClass.LAST for part in parts):
            return WordClass.LAST
        if any(part & NOT_ONLY_NAME for part in parts):
            return WordClass.ORDINARY
    if len(low) > _MIN_NAME_CHARACTERS and low.endswith("s"):
        # Annas Auto, Webers: a genitive.
        stem = _WORD_CLASSES.get(low[:-1])
        if stem is not None:
            return stem
    return WordClass.ORDINARY if low.endswith(_WORD_ENDINGS) else WordClass.UNKNOWN


@dataclass(slots=True)
class CapitalisedWord:
    """A capitalised word, at [start, end) without an ending such as 's.

    kind: its possible kinds. begins: whether it begins a sentence or a line. opens: whether it
    begins one or a part of one, after a comma or a quotation mark.
    """

    word: str
    start: int
    end: int
    kind: int
    begins: bool
    opens: bool

    @property
    def is_first(self) -> bool:
        """Whether it is a first name and nothing else."""
        return self.kind & _FIRST_ONLY == WordClass.FIRST

    @property
    def is_last(self) -> bool:
        """Whether it is a last name and nothing else."""
        return self.kind & _LAST_ONLY == WordClass.LAST

    @property
    def is_unknown(self) -> bool:
        """Whether no list has it, and it is written like a name: Xxxx."""
        word = self.word
        if self.kind or len(word) < 3:
            return False
        return word[1:].islower() or _NAME_SHAPE.match(word) is not None

    @property
    def is_initial(self) -> bool:
        """Whether it is one letter, as in J. Weber."""
        return len(self.word) == 1


_NAME_SHAPE = re.compile(
    r"(?:Mc|Mac|O'|D'|De|Di|La|Le|Van|Al-|El-)?[^\W\d_a-z][^\W\d_A-Z]+"
    r"(?:-[^\W\d_][^\W\d_A-Z]+)?$"
)
# Not a part of an identifier, a path or a tag.
_CAPITAL = re.compile(
    r"(?<![\w/\\#=$%&<~@])[^\W\d_a-zß-öø-ÿ][^\W\d_]*+(?:['-][^\W\d_]++)*+(?![\w/\\=<]|\.\w)"
)
_SENTENCE_ENDS = frozenset([*".!?\n\r*>|-", ""])
_CLAUSE_MARKS = frozenset(":;,\"([{'")


def iter_capitalised(text: str) -> Iterator[CapitalisedWord]:
    """The words that begin with a capital, in order."""
    for match in _CAPITAL.finditer(text):
        word, start = match[0], match.start()
        if len(word) > _MAX_NAME_CHARACTERS or not word[0].isupper():
            continue
        if word[-2:] in ("'s", "'S"):
            word = word[:-2]
        before = _char_before(text, start)
        begins, opens = before in _SENTENCE_ENDS, before in _CLAUSE_MARKS
        yield CapitalisedWord(
            word, start, start + len(word), word_class(word), begins, begins or opens
        )


def _char_before(text: str, start: int) -> str:
    """The character before a word and its preceding spaces; empty at the beginning of the text."""
    at = start - 1
    while at >= 0 and text[at] in " \t":
        at -= 1
    return text[at] if at >= 0 else ""


# What may be between two parts of one name.
_PARTICLES = (
    "de|del|de la|de las|de los|da|do|dos|das|di|du|della|van|van der|van den|van de|vander|von"
    "|von der"
    "|vom|zu|zur|der|den|ter|ten|bin|ibn|bint|abu|al|el|la|le|y|e|af|av"
)
_NAME_GAPS = frozenset(
    {" ", "  ", ". ", "."} | {f" {particle} " for particle in _PARTICLES.split("|")}
)


def iter_runs(text: str, words: list[CapitalisedWord]) -> Iterator[list[CapitalisedWord]]:
    """Adjacent capitalised words, with particles such as "van der" between them."""
    run: list[CapitalisedWord] = []
    for one in words:
        gap = text[run[-1].end : one.start] if run and one.start - run[-1].end < 10 else None
        joined = gap in _NAME_GAPS and (gap not in (". ", ".") or _is_abbreviation(run[-1]))
        if run and not joined:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _is_abbreviation(one: CapitalisedWord) -> bool:
    """Whether a full stop after this word does not end a sentence."""
    return one.is_initial or (len(one.word) < 5 and one.word.casefold() in TITLES)
