"""In which language a text is, and how its words are written for the word index. Pure.

PostgreSQL stems words and drops stop words, by the configuration of a language. Before that the
text is prepared here: one form for each sign, pairs of signs for scripts without blanks, and the
parts of file names, versions and identifiers. A question is prepared in the same way, but that a
memory also has the other spelling of a name: Müller and Mueller. See
docs/adr/0052-words-of-every-language.md.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from typing import Any

from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY
from orgs.names.unicode_normalisation import normalise_unicode

# Languages that are told apart, by ISO code, each with its text-search configuration. PostgreSQL
# ships none for the last ones.
CONFIGURATIONS: Mapping[str, str] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
    "cs": "simple",
    "fa": "simple",
    "he": "simple",
    "ja": "simple",
    "ko": "simple",
    "pl": "simple",
    "th": "simple",
    "uk": "simple",
    "vi": "simple",
    "zh": "simple",
}
# From this probability on the guess counts; below it the organisation's language does. Of 18,000
# lines of English chats and meetings 41 are taken for another language, most of them rightly.
MIN_PROBABILITY = 0.7
# Languages with many endings and without a stemmer: the first letters of a word stand for it.
_BY_BEGINNING = frozenset({"cs", "pl", "uk"})
WORD_BEGINNING_LETTERS = 5
# Of one text: parts of names, and characters that are handed to PostgreSQL, whose index of one text
# holds 1 MiB. Of one version: numbers. Of one sign: marks.
MAX_PARTS, MAX_PREPARED_CHARACTERS = 500, 100_000
MAX_VERSION_NUMBERS, MAX_MARKS = 6, 8

_WORD = re.compile(r"[^\W\d_]+")
# Scripts without blanks between words, and Hangul, whose words take endings without a blank.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
# Left out: the stretched line and joiners of Arabic, the soft hyphen, signs of direction, marks
# that no letter takes in, and the marks of vowels in Arabic and Hebrew.
_LEFT_OUT = [0x0640, 0x00AD, *range(0x200B, 0x2010), 0x2060, 0xFEFF]
_LOOSE_MARKS = [*range(0x0300, 0x0363), *range(0x20DD, 0x20E5)]
_VOWEL_MARKS = [*range(0x064B, 0x0660), 0x0670, *range(0x0591, 0x05BE), *range(0x05BF, 0x05C8)]
# Letters that are written in several ways: signs like an apostrophe; forms of alef; alef maksura
# and Persian yeh as yeh; Persian kaf as kaf; yo as ye.
_ONE_FORM: Mapping[int, int | None] = {
    **dict.fromkeys([*_LEFT_OUT, *_LOOSE_MARKS, *_VOWEL_MARKS]),
    **dict.fromkeys([*range(0x02B9, 0x02C2), *range(0x02C8, 0x02D0)], 0x0027),
    **dict.fromkeys([0x0622, 0x0623, 0x0625, 0x0671], 0x0627),
    **dict.fromkeys([0x0649, 0x06CC], 0x064A),
    0x06A9: 0x0643,
    0x0401: 0x0415,
    0x0451: 0x0435,
}
# Letters that are written as two where a keyboard has none, and the pairs as one plain letter.
_SPELT_OUT = str.maketrans(
    {"ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"}
    | {"Ä": "Ae", "Ö": "Oe", "Ø": "Oe", "Ü": "Ue", "Å": "Aa"}
)
_PAIR = re.compile(r"([AOUaou])e|([Aa])a")
_CAPITALISED = re.compile(r"(?<![^\W\d_])[A-Z][^\W\d_]+")
_NAME = re.compile(r"[A-Za-z0-9._/\\]+")
_SEPARATORS = re.compile(r"[._/\\]+")
# From the first digit of a run on: from each of them it would take the square of its length.
_VERSION = re.compile(r"(?<!\d)[vV]?(\d+(?:\.\d+)+)")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A text as the word index takes it.

    configuration: that of its language; None where the language is not sure, so that the
    organisation's counts. own: for that configuration; shared: for the organisation's.
    """

    configuration: str | None
    own: str
    shared: str


def detect_language(text: str) -> str | None:
    """The ISO code of the text's language, one of CONFIGURATIONS; None where it is not sure.

    Only the first 2,000 characters count.
    """
    code, probability = _identifier().classify(text[:MAX_CHARACTERS_TO_CLASSIFY])
    return str(code) if probability >= MIN_PROBABILITY else None


@cache
def _identifier() -> Any:
    # Imported here: the model takes .7 s and 40 MB.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(CONFIGURATIONS))
    # The model of all 139 languages, from which another choice could be made: 27 MB.
    identifier._full_model = None
    return identifier


def prepare_text(text: str, *, is_query: bool = False) -> PreparedText:
    """A memory's text or a question for the word index."""
    shared = prepare_words(text, is_query=is_query)
    language = detect_language(text)
    configuration = None if language is None else CONFIGURATIONS[language]
    own = _WORD.sub(_beginning, shared) if language in _BY_BEGINNING else shared
    return PreparedText(configuration, own, shared)


def prepare_words(text: str, *, is_query: bool = False) -> str:
    """The text with one form for each sign, pairs of signs and parts of names, and unless it is a
    question other spellings; at most 100,000 characters of it."""
    text = text[:MAX_PREPARED_CHARACTERS]
    if not text.isascii():
        text = normalise_unicode(text, "NFKC").translate(_ONE_FORM)
        text = _UNSPACED.sub(_pairs, text)
    spellings = () if is_query else islice(_iter_spellings(text), MAX_PARTS)
    return " ".join((text, *_iter_parts(text), *spellings))[:MAX_PREPARED_CHARACTERS]


def _beginning(word: re.Match[str]) -> str:
    return word[0][:WORD_BEGINNING_LETTERS]


def _pairs(run: re.Match[str]) -> str:
    """Each sign with the next one, as words: abc as " ab bc "; a sign by itself stays one."""
    signs = list(_iter_signs(run[0]))
    pairs = [a + b for a, b in pairwise(signs)] or signs
    return f" {' '.join(pairs)} "


def _iter_signs(run: str) -> Iterator[str]:
    """Each sign together with the marks that belong to it."""
    sign = ""
    for character in run:
        marked = unicodedata.category(character).startswith("M")
        if sign and marked and len(sign) <= MAX_MARKS:
            sign += character
            continue
        if sign:
            yield sign
        sign = character
    yield sign


def _iter_spellings(text: str) -> Iterator[str]:
    """The words with ä as ae and the like, and names with ae as a: who asks may write either."""
    if not text.isascii():
        words = (match[0] for match in _WORD.finditer(text))
        spelt = ((word, word.translate(_SPELT_OUT)) for word in words)
        yield from (other for word, other in spelt if other != word)
    names = (match[0] for match in _CAPITALISED.finditer(text))
    plain = ((name, _PAIR.sub(r"\1\2", name)) for name in names)
    yield from (other for name, other in plain if other != name)


def _iter_parts(text: str) -> Iterator[str]:
    """The parts of file names, versions and identifiers, which PostgreSQL takes for one word."""
    names = (match[0].strip("._/\\") for match in _NAME.finditer(text))
    parts = (part for name in names for part in _iter_name_parts(name))
    return islice(parts, MAX_PARTS)


def _iter_name_parts(name: str) -> Iterator[str]:
    if version := _VERSION.fullmatch(name):
        numbers = version[1].split(".")[:MAX_VERSION_NUMBERS]
        whole = (".".join(numbers[:length]) for length in range(2, len(numbers) + 1))
        yield from (one for one in whole if one != name)
        return
    pieces = _SEPARATORS.split(name)
    parts = pieces if len(pieces) > 1 else []
    yield from (piece for piece in parts if len(piece) > 1)
    for piece in pieces:
        # Only where a capital stands behind a small letter: parseHTML, not HTML.
        if not piece.islower() and not piece.isupper() and not piece.istitle():
            yield from (part[0] for part in _HUMP.finditer(piece) if len(part[0]) > 1)
