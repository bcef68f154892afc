"""The names by which a text addresses somebody. Pure."""

import re

MAX_MENTIONS = 10_000
_AT_NAME = re.compile(r"(?<![\w.])@([\w][\w.\-]{0,79})")
_LEADING_NAME = re.compile(r"^\s*([^\s:,@]{1,80})[:,]\s")
BROADCAST_NAMES = frozenset({"all", "everyone", "here", "channel", "room", "group"})


def parse_mentions(text: str) -> list[str]:
    """Names after an @, and a name at the start as in `ann: look`; each once."""
    first = _LEADING_NAME.match(text)
    names = [first[1]] if first else []
    names += [name.rstrip(".-") for name in _AT_NAME.findall(text)]
    return [n for n in dict.fromkeys(names) if n.casefold() not in BROADCAST_NAMES][:MAX_MENTIONS]
