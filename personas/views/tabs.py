"""The parts of Personas, for who curates."""

from typing import Any

from django.urls import reverse


def persona_tabs(current: str) -> list[dict[str, Any]]:
    """The tabs, for components/tabs.html."""
    parts = {
        "personas-page": "Personas",
        "suggestions-page": "Suggestions",
        "persona-figures": "Figures",
    }
    return [
        {"label": label, "url": reverse(name), "current": name == current}
        for name, label in parts.items()
    ]
