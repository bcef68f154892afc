"""The JSON in a language model's answer. Pure."""

import json
from typing import Any

_FENCE = "```"


class Nonsense(ValueError):
    """The answer does not have the required shape."""


def unwrapped(text: str) -> str:
    """The answer without the code fence that models often put around JSON."""
    plain = text.strip()
    fenced = plain.startswith(_FENCE) and plain.endswith(_FENCE) and len(plain) >= 2 * len(_FENCE)
    return plain[3:-3].removeprefix("json").strip() if fenced else text


def document(answer: str) -> Any:
    """The JSON of an answer. Raises Nonsense."""
    try:
        return json.loads(unwrapped(answer))
    except (ValueError, RecursionError):
        raise Nonsense("no JSON") from None
