"""Sentences, numbers and lists on pages, in the language of who reads.

A sentence inside a function is `gettext("...")`. A table of a module is built before anybody reads,
so its sentences are `lazy_text("...")`. Both are found by `python -m tools.messages`.
"""

from collections.abc import Sequence
from typing import Any, cast

from django.utils.formats import get_format, number_format
from django.utils.functional import lazy
from django.utils.translation import get_language, gettext

_lazy = lazy(lambda text, values: gettext(text) % values if values else gettext(text), str)


def lazy_text(text: str, **values: Any) -> str:
    """A sentence that is translated whenever it is shown. values: for its `%(name)s`."""
    return cast("str", _lazy(text, values))


def format_number(number: float) -> str:
    """ "12,345"; in German "12.345"."""
    return str(number_format(number, use_l10n=True, force_grouping=True))


def format_decimal(number: float, spec: str) -> str:
    """The number by a format specification, with the decimal sign of the language."""
    return format(number, spec).replace(".", get_format("DECIMAL_SEPARATOR"))


def join_names(names: Sequence[str]) -> str:
    """ "Ada", "Ada and Bo", "Ada, Bo and Cy"."""
    if len(names) < 2:
        return "".join(str(name) for name in names)
    return gettext("%(names)s and %(last)s") % {
        "names": ", ".join(str(name) for name in names[:-1]),
        "last": names[-1],
    }


def inside_sentence(label: str) -> str:
    """A label as it stands inside a sentence: small in English. German nouns stay as they are."""
    return label.lower() if (get_language() or "en").startswith("en") else str(label)
