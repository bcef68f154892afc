"""What a tag is: `root:level:...`, at most four levels of [a-z0-9-], each in the singular. Pure.

A memory that has a tag has those above it as well: project:apollo comes with project.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memories.language.cues import possible_names
from memories.language.terms import key_of

BETWEEN = ":"
LEVELS = 4
LONGEST = 100
# The most tags of one memory, including the levels above; the same limit as in the API.
MOST = 1000
QUOTED = 40
# Where a memory keeps what cannot be brought to the form.
OLD = "old_tags"

_LEVEL = re.compile(r"[a-z0-9-]+")
# A tag, for the description of the API; a level of hyphens alone is none.
PATTERN = rf"^-*[a-z0-9][a-z0-9-]*({BETWEEN}-*[a-z0-9][a-z0-9-]*){{0,{LEVELS - 1}}}$"
_OTHER = re.compile(r"[^a-z0-9-]+")


class BadTag(ValueError):
    """Why a tag is refused; the message names it."""


def attached(tags: Iterable[str]) -> list[str]:
    """The tags in the singular and what is above each, once, the upper ones first.

    Raises BadTag.
    """
    found = dict.fromkeys(one for tag in tags for one in with_ancestors(checked(tag)))
    if len(found) > MOST:
        raise BadTag(f"With the tags above them these are more than {MOST:,} tags.")
    return list(found)


def checked(tag: str) -> str:
    """One tag with each level in the singular. Raises BadTag."""
    named = f"The tag “{tag[:QUOTED]}{'…' if len(tag) > QUOTED else ''}”"
    if len(tag) > LONGEST:
        raise BadTag(f"{named} is longer than {LONGEST} characters.")
    if not tag:
        raise BadTag(f"{named} is empty.")
    levels = tag.split(BETWEEN)
    if not all(levels):
        raise BadTag(f"{named} has an empty level.")
    if len(levels) > LEVELS:
        raise BadTag(f"{named} has {len(levels)} levels; a tag has at most {LEVELS}.")
    if not all(map(_is_level, levels)):
        form = "a-z, 0-9 and hyphens, with a colon between levels"
        raise BadTag(f"{named} is not written as tags are: {form}.")
    return BETWEEN.join(map(_singular, levels))


def with_ancestors(tag: str) -> list[str]:
    """a:b:c as a, a:b, a:b:c; no more than four levels of it."""
    levels = tag.split(BETWEEN)[:LEVELS]
    return [BETWEEN.join(levels[: n + 1]) for n in range(len(levels))]


def in_form(text: str) -> str | None:
    """What somebody wrote as a tag in its form, or None where that cannot be.

    In lower case without accents, empty levels left out, everything else as hyphens. More than four
    levels, more than 100 characters and a text without a letter of a-z or a digit cannot be brought
    to the form.
    """
    if len(text) > LONGEST:
        return None
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    levels = [_OTHER.sub("-", level).strip("-") for level in plain.split(BETWEEN)]
    try:
        return checked(BETWEEN.join(filter(None, levels)))
    except BadTag:
        return None


def brought(tags: Iterable[str]) -> tuple[list[str], list[str]]:
    """(tags of an older time in their form, attached; those that cannot be brought to it)."""
    found: dict[str, None] = {}
    left: list[str] = []
    for tag in tags:
        formed = in_form(tag)
        above = with_ancestors(formed) if formed else []
        if formed and len(found | dict.fromkeys(above)) <= MOST:
            found |= dict.fromkeys(above)
        else:
            left.append(tag)
    return list(found), left


def with_old_tags(metadata: Mapping[str, Any], left: Sequence[str]) -> dict[str, Any]:
    """The metadata with tags that have no form under `old_tags`, beside what is there already."""
    known = metadata.get(OLD, [])
    known = known if isinstance(known, list) else [known]
    return {**metadata, OLD: [*known, *(tag for tag in left if tag not in known)]}


def looked_for(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags of a query in their form; one that cannot be brought to it stays, and matches
    nothing."""
    return tuple(dict.fromkeys(in_form(tag) or tag for tag in tags))


def spelt(question: str) -> list[str]:
    """The tags that the words of a question may mean: up to three words in a row, with hyphens or
    colons between them, and whatever is written as a tag."""
    names = [name.split() for name in possible_names(question)]
    said = [between.join(name) for name in names for between in ("-", BETWEEN)]
    said += [word for word in question.split() if BETWEEN in word]
    return sorted({tag for tag in map(in_form, said) if tag})


def _singular(level: str) -> str:
    """The level under `key_of`, applied until it no longer changes."""
    key = key_of(level)
    while _is_level(key) and key != level:
        level, key = key, key_of(key)
    return level


def _is_level(text: str) -> bool:
    return _LEVEL.fullmatch(text) is not None and text.strip("-") != ""
