"""Handles of personas: `<industry>_<role>`. Pure."""

from dataclasses import dataclass

from personas.models.personas import LONGEST_HANDLE

_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
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
    """industry: the part before the first underscore. role: all after it."""

    text: str
    industry: str
    role: str


def parse(handle: str) -> Handle:
    """The parts of a handle. Raises BadHandle."""
    parts = handle.split("_") if len(handle) <= LONGEST_HANDLE else []
    if len(parts) < 2 or not all(part and _SIGNS.issuperset(part) for part in parts):
        raise BadHandle
    industry, _, role = handle.partition("_")
    return Handle(handle, industry, role)


def title(key: str) -> str:
    """A part of a handle as words: `real_estate` is "Real estate"."""
    return key.replace("_", " ").capitalize()
