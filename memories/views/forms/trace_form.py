"""The filters of the list of recalls."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext

from memories.insights.recall_traces import SLOW, SLOW_MS, UNANSWERED
from orgs.languages.page_text import lazy_text

ASKED_BY_ME = "me"


class TracesForm(forms.Form):
    """who: a robot's id, or MINE; only: see `TraceFilter`; before: where a page begins."""

    who = forms.ChoiceField(label=lazy_text("Who asked"), required=False)
    day = forms.DateField(
        label=lazy_text("Day"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    only = forms.ChoiceField(
        label=lazy_text("Which"),
        required=False,
        choices=[
            ("", lazy_text("All")),
            (UNANSWERED, lazy_text("Without an answer")),
            (SLOW, lazy_text("Slower than %(limit)s ms", limit=SLOW_MS)),
        ],
    )
    before = forms.DateTimeField(required=False)

    def __init__(self, robots: Sequence[tuple[UUID, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = [(str(id_), name) for id_, name in robots]
        self.fields["who"].choices = [
            ("", gettext("Every robot")),
            (ASKED_BY_ME, gettext("You")),
            *named,
        ]  # type: ignore[attr-defined]
