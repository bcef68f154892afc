"""Handles of personas: `<industry>_<role>`. Pure."""

import re
from dataclasses import dataclass

from personas.models.personas import LONGEST_HANDLE

FORM = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
FORMED = (
    "A handle is `<industry>_<role>`: small letters and digits, parts joined by single "
    f"underscores, at least one underscore, at most {LONGEST_HANDLE} characters."
)


class BadHandle(ValueError):
    """It is not formed like a handle, or names somebody."""

    def __init__(self, why: str = FORMED) -> None:
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Handle:
    """industry: up to the first underscore; role: all behind it."""

    text: str
    industry: str
    role: str


def parse(handle: str) -> Handle:
    """The parts of a handle. Raises BadHandle."""
    if len(handle) > LONGEST_HANDLE or not FORM.fullmatch(handle):
        raise BadHandle
    industry, _, role = handle.partition("_")
    return Handle(handle, industry, role)


def title(key: str) -> str:
    """A part of a handle as words: `real_estate` is "Real estate"."""
    return key.replace("_", " ").capitalize()
