"""The names by which a text addresses somebody. Pure."""

import re

MOST = 10_000
_AT = re.compile(r"(?<![\w.])@([\w][\w.\-]{0,79})")
_CALLED = re.compile(r"^\s*([^\s:,@]{1,80})[:,]\s")
EVERYONE = frozenset({"all", "everyone", "here", "channel", "room", "group"})


def called(text: str) -> list[str]:
    """Names after an @, and a name at the start as in `ann: look`; each once."""
    first = _CALLED.match(text)
    names = [first[1]] if first else []
    names += [name.rstrip(".-") for name in _AT.findall(text)]
    return [n for n in dict.fromkeys(names) if n.casefold() not in EVERYONE][:MOST]
