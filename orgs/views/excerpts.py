"""`truncatechars` that reads only the part of a text that it shows.

Django's own normalises the whole text first, in time quadratic in the number of marks that follow a
letter: one memory of 500,000 marks delayed every page that lists it for minutes.
"""

from django import template
from django.template.defaultfilters import stringfilter
from django.utils.text import Truncator

register = template.Library()
# Some marks belong to the letter before and are not counted.
MARKS_PER_CHARACTER = 4


@register.filter(is_safe=True)
@stringfilter
def truncatechars(value: str, arg: str | int) -> str:
    """At most `arg` characters, with … if there are more. If `arg` is no number, the value as it
    is."""
    try:
        length = int(arg)
    except ValueError:
        return value
    begin = value[: MARKS_PER_CHARACTER * max(1, length)]
    cut = str(Truncator(begin).chars(length))
    return cut if len(begin) == len(value) or cut.endswith("…") else f"{cut}…"
