"""Finding a part of a text in the database, in any normal form and letter case.

PostgreSQL sorts the marks behind a letter in time quadratic in their number. So a run of marks that
is longer than any language has is broken up first, as `normalise_unicode` does it.
"""

import unicodedata
from functools import cache
from itertools import groupby
from typing import Any

from django.db.models import BooleanField, Case, F, Func, IntegerField, TextField, Value, When
from django.db.models.functions import Collate, Length, Lower, Replace, StrIndex
from django.db.models.lookups import Exact, GreaterThan, Regex

from orgs.names.unicode_normalisation import JOINER, MAX_MARKS

# Small letters by the tables of Unicode, in whatever locale the database is.
_COLLATION = "pg_c_utf8"
# Letters with several small forms, or whose capital is that of another: one form each. In Turkish
# "İ" is the capital of "i", and "I" that of the letter without a dot; what small letters other
# programs make of "İ" has a dot of its own.
_LETTER_FORMS = (("ı", "i"), ("i\u0307", "i"), ("ς", "σ"), ("ß", "ss"))  # noqa: RUF001
_LAST_MARK = 0x1E94B


def contains_text(column: str, text: str) -> GreaterThan:
    """The condition that a column has this text, literally, in any normal form (NFKC) and letter
    case; "ß" is "ss", and the Turkish letters are "i". The text must not be blank.

    It reads each row, and of a text in ASCII only its small letters.
    """
    place = StrIndex(_fold(F(column)), _fold(Value(text, output_field=TextField())))
    return GreaterThan(place, 0)


def _fold(text: Any) -> Case:
    """The form in which parts are compared."""
    size = Func(text, function="octet_length", output_field=IntegerField())
    run = _long_run()
    broken = Func(
        text,
        Value(f"({run})(?={_marks()})"),
        Value(rf"\1{JOINER}"),
        Value("g"),
        function="regexp_replace",
        output_field=TextField(),
    )
    is_normal = Func(
        text, template="(%(expressions)s IS NFKC NORMALIZED)", output_field=BooleanField()
    )
    return Case(
        When(Exact(size, Length(text)), then=_small(text)),
        When(Regex(text, f"{run}{_marks()}"), then=_fold_letters(_normal(broken))),
        # The test is four times as fast as the form itself.
        When(is_normal, then=_fold_letters(text)),
        default=_fold_letters(_normal(text)),
        output_field=TextField(),
    )


def _fold_letters(text: Any) -> Any:
    found: Any = _small(text)
    for letter, form in _LETTER_FORMS:
        found = Replace(found, Value(letter), Value(form))
    return found


def _normal(text: Any) -> Func:
    return Func(text, template="normalize(%(expressions)s, NFKC)", output_field=TextField())


def _small(text: Any) -> Lower:
    return Lower(Collate(text, _COLLATION))


def _long_run() -> str:
    """The pattern of as many marks in a row as a normal form is made of."""
    return f"{_marks()}{{{MAX_MARKS}}}"


@cache
def _marks() -> str:
    """The pattern of a mark that follows a letter."""
    marks = [code for code in range(0x300, _LAST_MARK) if unicodedata.combining(chr(code))]
    runs = [
        [code for _, code in run]
        for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])
    ]
    ranges = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)
    return f"[{ranges}]"
