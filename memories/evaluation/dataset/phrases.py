"""The texts and questions of the generated groups, from the files in data/."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

DATA = Path(__file__).parent / "data"
SLOT = re.compile(r"\{(\w+)\}")
NUMBERS = (12, 990)


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept: texts with slots, and a question in two wordings.

    says: one text, or all that belong to the answer. other: a wording without any content word of
    these.
    """

    name: str
    says: tuple[str, ...]
    asks: str
    other: str


@cache
def _load_file(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def load_concepts(family: str) -> tuple[Concept, ...]:
    """The concepts of a family, in the order of the file."""
    found = []
    for index, row in enumerate(_load_file("facts")[family]):
        says = (row["says"],) if isinstance(row["says"], str) else tuple(row["says"])
        found.append(Concept(f"{family}/{index}", says, row["asks"], row["other"]))
    return tuple(found)


def slot_words(slot: str) -> list[str]:
    """All words for a slot; numbers are random instead."""
    found: list[str] = _load_file("words")[slot]
    return found


def chatter_templates(kind: str) -> list[str]:
    """The templates of other talk, by kind: alone, to (somebody), mention."""
    found: list[str] = _load_file("chatter")[kind]
    return found


def fill_template(template: str, rng: Random, **given: str) -> str:
    """The template with each slot drawn anew, its first letter a capital."""

    def draw(match: re.Match[str]) -> str:
        slot = match[1]
        if slot in given:
            return given[slot]
        return str(rng.randint(*NUMBERS)) if slot == "number" else rng.choice(slot_words(slot))

    text = SLOT.sub(draw, template)
    return text[0].upper() + text[1:]
