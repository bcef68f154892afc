"""The parts of Personas, for who curates."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext


def persona_tabs(current: str) -> list[dict[str, Any]]:
    """The tabs, for components/tabs.html."""
    parts = {
        "personas-page": gettext("Personas"),
        "suggestions-page": gettext("Suggestions"),
        "persona-figures": gettext("Figures"),
    }
    return [
        {"label": label, "url": reverse(name), "current": name == current}
        for name, label in parts.items()
    ]
