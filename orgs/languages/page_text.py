"""Sentences, numbers and lists on pages, in the language of who reads.

A sentence inside a function is `gettext("...")`. A table of a module is built before anybody reads,
so its sentences are `lazy_text("...")`. Both are found by `python -m tools.messages`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.utils.formats import get_format, number_format
from django.utils.functional import lazy
from django.utils.translation import get_language, gettext, gettext_noop

# Labels of choices that pages show, beside those that stand as sentences elsewhere.
CHOICE_WORDS = (
    gettext_noop("Admin"),
    gettext_noop("Curator"),
    gettext_noop("Member"),
    gettext_noop("Viewer"),
    gettext_noop("Preference"),
    gettext_noop("Fact"),
    gettext_noop("Event"),
    gettext_noop("Decision"),
    gettext_noop("Sentiment"),
    gettext_noop("Reminder"),
    gettext_noop("Relationship"),
    gettext_noop("Org Fact"),
    gettext_noop("Org Policy"),
    gettext_noop("Team Member"),
    gettext_noop("Project Info"),
    gettext_noop("Org Decision"),
    gettext_noop("Fast"),
    gettext_noop("Medium"),
    gettext_noop("Slow"),
    gettext_noop("Glacial"),
    gettext_noop("Conversation"),
    gettext_noop("Expertise"),
    gettext_noop("Announcement"),
    gettext_noop("Interaction"),
    gettext_noop("Direct"),
    gettext_noop("Group"),
    gettext_noop("User"),
    gettext_noop("Organisation"),
    gettext_noop("Internal"),
    gettext_noop("Minor quibble"),
    gettext_noop("Another approach"),
    gettext_noop("Fundamental disagreement"),
    gettext_noop("Concern about an edge case"),
    gettext_noop("Risk warning"),
    gettext_noop("Abstention"),
    gettext_noop("Client"),
    gettext_noop("Brand"),
    gettext_noop("Company"),
    gettext_noop("Calendar"),
    gettext_noop("Mail"),
    gettext_noop("made room"),
    gettext_noop("taken out by the robot"),
    gettext_noop("forgotten, archived or expired"),
    gettext_noop("Accepted"),
    gettext_noop("Stopped"),
)
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


def choice_label(choice: Any) -> str:
    """The label of a choice of a column (`TextChoices`); CHOICE_WORDS are those that pages show."""
    return gettext(str(choice.label))


def choice_options(choices: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    """The choices of a column for a field of a form."""
    return [(value, lazy_text(str(label))) for value, label in choices]


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
