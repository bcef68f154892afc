"""Numbers in words: "oh one seven six, five five ..." is a telephone number. Pure."""
# ruff: noqa: RUF001

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memories.safety.personal_data.payment_numbers import is_luhn_valid
from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import Finding, PersonalDataType

# 0 to 9, in their order; "/" separates two words for one.
_DIGITS = (
    "zero/oh/nought one two three four five six seven eight nine",
    "null eins/ein zwei/zwo drei vier fünf sechs sieben acht neun",
    "zéro un/une deux trois quatre cinq six sept huit neuf",
    "cero uno/una dos tres cuatro cinco seis siete ocho nueve",
    "zero uno/una due tre quattro cinque sei sette otto nove",
    "zero um/uma dois/duas três quatro cinco seis/meia sete oito nove",
    "nul een/één twee drie vier vijf zes zeven acht negen",
    "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć",
    "sıfır bir iki üç dört beş altı yedi sekiz dokuz",
)
_TWICE = {"double": 2, "doppel": 2, "doble": 2, "doppio": 2, "dubbel": 2, "triple": 3}
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _values() -> dict[str, str]:
    found: dict[str, str] = {}
    for row in _DIGITS:
        for digit, words in enumerate(row.split()):
            for word in words.split("/"):
                # Also as `plain` shows it, which folds a letter like ł.
                found.setdefault(word, str(digit))
                found.setdefault(to_plain_text(word).text, str(digit))
    for number, word in enumerate(_TEENS.split(), 10):
        found[word] = str(number)
    for number, word in enumerate(_TENS.split(), 2):
        found[word] = f"{number}0"
    return found


NUMBER_WORDS = _values()
# So many digits are a telephone number, so many a card; so many words make somebody's secret code.
_LEAST, _MOST, _CARD, _CODE = 7, 15, range(13, 20), 4
_WORD = re.compile(r"[^\W_]+")
# Words for a dash between two numbers.
_DASHES = frozenset(
    {"dash", "hyphen", "minus", "slash", "strich", "bindestrich", "tiret", "guion", "guión"}
    | {"trattino", "traço", "streepje", "kreska", "tire"}
)
# Between two numbers: blanks, commas, dashes, also in words.
_GAP = re.compile(rf"[\s,;.\-/]{{1,3}}(?:(?:{'|'.join(sorted(_DASHES))})\s{{1,2}})?")
_CODE_CUE = re.compile(
    r"\b(?:pin|passcode|code|password|combination|kennwort|geheimzahl|passwort|contraseña|clave"
    r"|senha|codice|hasło|şifre)\b[^\n.]{0,30}$",
    re.IGNORECASE,
)
_BEFORE = 50


def spelt_numbers(text: str, words: Sequence[str]) -> Iterator[Finding]:
    """Telephone numbers, cards and codes in words. words: those of the text in lower case.

    A row in which each number is one more than the last is counting.
    """
    if sum(word in NUMBER_WORDS for word in words) < _CODE:
        return
    for run in _runs(text):
        digits = _digits([one[0].casefold() for one in run])
        start, end = run[0].start(), run[-1].end()
        if len(digits) < _CODE or _counts(digits):
            continue
        if len(digits) in _CARD and is_luhn_valid(digits):
            yield Finding(start, end, PersonalDataType.CARD, sure=False)
        elif _LEAST <= len(digits) <= _MOST:
            yield Finding(start, end, PersonalDataType.PHONE, sure=False)
        elif len(digits) < _LEAST and _CODE_CUE.search(text[max(0, start - _BEFORE) : start]):
            yield Finding(start, end, PersonalDataType.API_KEY, sure=False)


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Number words next to each other; digits between them count as well."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        low = word[0].casefold()
        if run and low in _DASHES:
            continue
        is_number = low in NUMBER_WORDS or low in _TWICE or (low.isdecimal() and len(low) < 4)
        joined = not run or _GAP.fullmatch(text, run[-1].end(), word.start())
        if run and not (is_number and joined):
            if sum(one[0].casefold() in NUMBER_WORDS for one in run) >= _CODE:
                yield run
            run = []
        if is_number:
            run.append(word)
    if sum(one[0].casefold() in NUMBER_WORDS for one in run) >= _CODE:
        yield run


def _digits(words: Sequence[str]) -> str:
    found: list[str] = []
    times = 1
    for word in words:
        if word in _TWICE:
            times = _TWICE[word]
            continue
        value = NUMBER_WORDS.get(word, word)
        before = found[-1] if found else ""
        if len(before) == 2 and before[1] == "0" and before[0] not in "01" and len(value) == 1:
            found[-1] = before[0] + value  # twenty one
        else:
            found.append(value * times)
        times = 1
    return "".join(found)


def _counts(digits: str) -> bool:
    """Whether it is 1234567, or one digit again and again."""
    steps = {int(two) - int(one) for one, two in pairwise(digits)}
    return steps <= {1, -9} or steps in ({0}, {-1})
