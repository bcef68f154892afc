"""The forms that find memories."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

from django import forms
from django.http import QueryDict

from memories.access.reader_list.reader_list import SECTIONS
from memories.browsing.selection import NEWEST_FIRST, READER_FILTERS, SORT_KEYS
from memories.store.models.choices import Category, Kind, Level, Status, Tier, Type
from memories.views.forms.memory_forms import MAX_QUERY_CHARACTERS, _optional_choice
from orgs.languages.page_text import lazy_text

SORT_VALUES = (NEWEST_FIRST, *SORT_KEYS, *(f"-{key}" for key in SORT_KEYS))


class RecallForm(forms.Form):
    """A question, and where it is asked."""

    q = forms.CharField(required=False, max_length=MAX_QUERY_CHARACTERS)
    group = forms.CharField(required=False, max_length=200)
    before = forms.UUIDField(required=False)


class MemoryFilterForm(RecallForm):
    """The filters in the address of the page of memories."""

    member = forms.UUIDField(required=False)
    robot = forms.UUIDField(required=False)
    kind = _optional_choice(Kind)
    type = _optional_choice(Type)
    category = _optional_choice(Category)
    tier = _optional_choice(Tier)
    status = _optional_choice(Status)
    level = _optional_choice(Level)
    tag = forms.CharField(required=False, max_length=100)
    person = forms.CharField(required=False, max_length=300)
    keyword = forms.CharField(required=False, max_length=100)
    topic = forms.CharField(required=False, max_length=300)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    brought = forms.UUIDField(required=False)
    readers = forms.ChoiceField(required=False, choices=[(name, name) for name in READER_FILTERS])
    came = forms.DateField(required=False)
    as_of = forms.DateField(required=False)
    sort = forms.ChoiceField(required=False, choices=[(order, order) for order in SORT_VALUES])
    # Whether each turn of a chat has a line of its own.
    each = forms.BooleanField(required=False)
    open = forms.UUIDField(required=False)

    def kept(self) -> dict[str, str]:
        """The valid parts of the address, without the open memory."""
        set_ = {k: v for k, v in self.cleaned_data.items() if v and k != "open"}
        return {k: "1" if v is True else str(v) for k, v in set_.items()}

    def query(self) -> str:
        """The same as the query of an address."""
        return urlencode(self.kept(), quote_via=quote)


class ColumnsForm(forms.Form):
    """Which columns the list of memories has, and the query of the list to go back to."""

    column = forms.MultipleChoiceField(required=False)
    query = forms.CharField(required=False, max_length=4000)

    def __init__(self, *args: Any, columns: Sequence[str]) -> None:
        super().__init__(*args)
        self.fields["column"].choices = [(name, name) for name in columns]

    def address(self) -> QueryDict:
        return QueryDict(self.cleaned_data.get("query", ""))


class ConversationCursorForm(forms.Form):
    """Before or after which turn a conversation goes on."""

    before = forms.UUIDField(required=False)
    after = forms.UUIDField(required=False)


class VersionCursorForm(forms.Form):
    """Where a list of versions goes on."""

    before = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class ReaderListForm(forms.Form):
    """Which part of a sheet of readers, and after how many."""

    only = forms.ChoiceField(required=False, choices=[(name, name) for name in SECTIONS])
    after = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


class SeenVersionForm(forms.Form):
    """The version that was on the screen when something was decided."""

    seen = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class SharedKnowledgeForm(forms.Form):
    """Which shared knowledge."""

    category = forms.ChoiceField(
        required=False, choices=[*Category.choices, ("none", lazy_text("Without a category"))]
    )
    before = forms.UUIDField(required=False)
