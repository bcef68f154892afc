"""Handles of personas: `<industry>_<role>`. Pure."""

from dataclasses import dataclass

from personas.models.personas import MAX_HANDLE_LENGTH

_HANDLE_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
HANDLE_FORMAT = (
    "A handle is `<industry>_<role>`: small letters and digits, parts joined by single "
    f"underscores, at least one underscore, at most {MAX_HANDLE_LENGTH} characters."
)


class InvalidHandleError(ValueError):
    """It is not formed like a handle, or names somebody."""

    def __init__(self, why: str = HANDLE_FORMAT) -> None:
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Handle:
    """industry: the part before the first underscore. role: all after it."""

    text: str
    industry: str
    role: str


def parse_handle(handle: str) -> Handle:
    """The parts of a handle. Raises InvalidHandleError."""
    parts = handle.split("_") if len(handle) <= MAX_HANDLE_LENGTH else []
    if len(parts) < 2 or not all(part and _HANDLE_CHARACTERS.issuperset(part) for part in parts):
        raise InvalidHandleError
    industry, _, role = handle.partition("_")
    return Handle(handle, industry, role)


def handle_part_label(key: str) -> str:
    """A part of a handle as words: `real_estate` is "Real estate"."""
    return key.replace("_", " ").capitalize()
