"""The sentences of the scripts (static/js), which find them at `<body data-words>`."""

import json
from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils import translation

from orgs.languages.page_text import lazy_text

SCRIPT_WORDS = (
    lazy_text("Copied"),
    lazy_text("Dismiss"),
    lazy_text("Open it again to leave without what you typed."),
    lazy_text("Page"),
    lazy_text("Press Esc again to leave without what you typed."),
    lazy_text("Press it again to leave without what you typed."),
    lazy_text("Search memories for “{text}”"),
    lazy_text("That did not work, and nothing was changed."),
    lazy_text("That did not work, and nothing was changed. Request {id}."),
    lazy_text("The server cannot be reached. What you see is what was loaded before."),
    lazy_text("The time is over."),
    lazy_text("Theme: dark"),
    lazy_text("Theme: light"),
    lazy_text("Theme: system"),
    lazy_text("Undo"),
    lazy_text("Who can read it"),
    lazy_text("{count} found"),
    lazy_text("{left} minute left."),
    lazy_text("{left} minutes left."),
)


def script_words_context(request: HttpRequest) -> dict[str, Any]:
    """`script_words`: as JSON, empty where the page is English."""
    return {"script_words": _as_json(translation.get_language() or "en")}


@cache
def _as_json(language: str) -> str:
    with translation.override("en"):
        english = [str(words) for words in SCRIPT_WORDS]
    with translation.override(language):
        told = dict(zip(english, map(str, SCRIPT_WORDS), strict=True))
    changed = {words: other for words, other in told.items() if words != other}
    return json.dumps(changed, ensure_ascii=False) if changed else ""
