"""The JSON in a language model's answer. Pure."""

import json
from typing import Any

_FENCE = "```"


class InvalidAnswerError(ValueError):
    """The answer does not have the required shape."""


def strip_code_fence(text: str) -> str:
    """The answer without the code fence that models often put around JSON."""
    plain = text.strip()
    fenced = plain.startswith(_FENCE) and plain.endswith(_FENCE) and len(plain) >= 2 * len(_FENCE)
    return plain[3:-3].removeprefix("json").strip() if fenced else text


def parse_json(answer: str) -> Any:
    """The JSON of an answer. Raises InvalidAnswerError."""
    try:
        return json.loads(strip_code_fence(answer))
    except (ValueError, RecursionError):
        raise InvalidAnswerError("no JSON") from None
