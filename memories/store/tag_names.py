"""What a tag is: `root:level:...`, at most four levels of [a-z0-9-], as it was written. Pure.

A memory that has a tag has those above it as well: project:apollo comes with project.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memories.language.query_cues import possible_speaker_names
from memories.language.terms import term_key

LEVEL_SEPARATOR = ":"
MAX_LEVELS = 4
MAX_TAG_CHARACTERS = 100
# The most tags of one memory, including the levels above; the same limit as in the API.
MAX_TAGS = 1000
MAX_QUOTED_CHARACTERS = 40
# Where a memory keeps what cannot be brought to the form.
OLD_TAGS_KEY = "old_tags"

_LEVEL = re.compile(r"[a-z0-9-]+")
# A tag, for the description of the API; a level of hyphens alone is none.
TAG_PATTERN = (
    rf"^-*[a-z0-9][a-z0-9-]*({LEVEL_SEPARATOR}-*[a-z0-9][a-z0-9-]*){{0,{MAX_LEVELS - 1}}}$"
)
_NON_TAG_CHARACTERS = re.compile(r"[^a-z0-9-]+")


class InvalidTagError(ValueError):
    """Why a tag is refused; the message names it."""


def normalise_tags(tags: Iterable[str]) -> list[str]:
    """The tags and what is above each, once, the upper ones first.

    Raises InvalidTagError.
    """
    found = dict.fromkeys(one for tag in tags for one in with_ancestors(check_tag(tag)))
    if len(found) > MAX_TAGS:
        raise InvalidTagError(f"With the tags above them these are more than {MAX_TAGS:,} tags.")
    return list(found)


def check_tag(tag: str) -> str:
    """The tag, if it is one. Raises InvalidTagError."""
    named = (
        f"The tag “{tag[:MAX_QUOTED_CHARACTERS]}{'…' if len(tag) > MAX_QUOTED_CHARACTERS else ''}”"
    )
    if len(tag) > MAX_TAG_CHARACTERS:
        raise InvalidTagError(f"{named} is longer than {MAX_TAG_CHARACTERS} characters.")
    if not tag:
        raise InvalidTagError(f"{named} is empty.")
    levels = tag.split(LEVEL_SEPARATOR)
    if not all(levels):
        raise InvalidTagError(f"{named} has an empty level.")
    if len(levels) > MAX_LEVELS:
        raise InvalidTagError(f"{named} has {len(levels)} levels; a tag has at most {MAX_LEVELS}.")
    if not all(map(_is_level, levels)):
        form = "a-z, 0-9 and hyphens, with a colon between levels"
        raise InvalidTagError(f"{named} is not written as tags are: {form}.")
    return tag


def with_ancestors(tag: str) -> list[str]:
    """a:b:c as a, a:b, a:b:c; no more than four levels of it."""
    levels = tag.split(LEVEL_SEPARATOR)[:MAX_LEVELS]
    return [LEVEL_SEPARATOR.join(levels[: n + 1]) for n in range(len(levels))]


def coerce_tag(text: str) -> str | None:
    """What somebody wrote as a tag in its form, or None where that cannot be.

    In lower case without accents, empty levels left out, everything else as hyphens. More than four
    levels, more than 100 characters and a text without a letter of a-z or a digit cannot be brought
    to the form.
    """
    if len(text) > MAX_TAG_CHARACTERS:
        return None
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    levels = [
        _NON_TAG_CHARACTERS.sub("-", level).strip("-") for level in plain.split(LEVEL_SEPARATOR)
    ]
    try:
        return check_tag(LEVEL_SEPARATOR.join(filter(None, levels)))
    except InvalidTagError:
        return None


def coerce_tags(tags: Iterable[str]) -> tuple[list[str], list[str]]:
    """(tags of an older time in their form, attached; those that cannot be brought to it)."""
    found: dict[str, None] = {}
    left: list[str] = []
    for tag in tags:
        formed = coerce_tag(tag)
        above = with_ancestors(formed) if formed else []
        if formed and len(found | dict.fromkeys(above)) <= MAX_TAGS:
            found |= dict.fromkeys(above)
        else:
            left.append(tag)
    return list(found), left


def with_old_tags(metadata: Mapping[str, Any], left: Sequence[str]) -> dict[str, Any]:
    """The metadata with tags that have no form under `old_tags`, beside what is there already."""
    known = metadata.get(OLD_TAGS_KEY, [])
    known = known if isinstance(known, list) else [known]
    return {**metadata, OLD_TAGS_KEY: [*known, *(tag for tag in left if tag not in known)]}


def coerce_query_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags of a query in their form; one that cannot be brought to it stays, and matches
    nothing."""
    return tuple(dict.fromkeys(coerce_tag(tag) or tag for tag in tags))


def possible_query_tags(question: str) -> list[str]:
    """The tags that the words of a question may mean: up to three words in a row, with hyphens or
    colons between them, and whatever is written as a tag; as written, and in the singular."""
    names = [name.split() for name in possible_speaker_names(question)]
    said = [between.join(name) for name in names for between in ("-", LEVEL_SEPARATOR)]
    said += [word for word in question.split() if LEVEL_SEPARATOR in word]
    found = {tag for tag in map(coerce_tag, said) if tag}
    one = (LEVEL_SEPARATOR.join(map(term_key, tag.split(LEVEL_SEPARATOR))) for tag in found)
    return sorted(found.union(filter(None, map(coerce_tag, one))))


def _is_level(text: str) -> bool:
    return _LEVEL.fullmatch(text) is not None and text.strip("-") != ""
