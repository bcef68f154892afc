"""Tables of support's console: rows of cells, a page at a time.

A cell is a dict for support/cell.html: text, at (a moment), url, note, badge with tone.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict

Cell = dict[str, Any]
PAGE_SIZE = 50


class PageForm(forms.Form):
    before = forms.UUIDField(required=False)


def text_cell(words: object, *, url: str = "", note: str = "") -> Cell:
    return {"text": words, "url": url, "note": note}


def time_cell(moment: datetime | None, otherwise: str = "") -> Cell:
    return {"at": moment, "text": "" if moment else otherwise}


def badge_cell(label: str, tone: str = "", *, note: str = "") -> Cell:
    return {"badge": label, "tone": tone, "note": note}


@dataclass(frozen=True, slots=True)
class Table:
    """heads: one for each cell of a row. empty: the sentence shown without rows."""

    caption: str
    heads: tuple[str, ...]
    rows: list[list[Cell]]
    empty: str

    @property
    def lines(self) -> list[list[tuple[str, Cell]]]:
        """Each row with the head of every cell."""
        return [list(zip(self.heads, row, strict=True)) for row in self.rows]


def paginate(
    request: HttpRequest, rows: "QuerySet[Any]", **filters: str
) -> tuple[list[Any], dict[str, str]]:
    """(a page of rows, newest id first; the link to the next page).

    The address names the id before which the page begins. filters: query parameters to keep.
    """
    form = PageForm(request.GET)
    before: UUID | None = form.cleaned_data["before"] if form.is_valid() else None
    if before is not None:
        rows = rows.filter(id__lt=before)
    found = list(rows.order_by("-id")[: PAGE_SIZE + 1])
    kept = QueryDict(mutable=True)
    kept.update({name: value for name, value in filters.items() if value})
    page = {"first_url": f"{request.path}?{kept.urlencode()}" if before else "", "next_url": ""}
    if len(found) > PAGE_SIZE:
        kept["before"] = str(found[PAGE_SIZE - 1].id)
        page["next_url"] = f"{request.path}?{kept.urlencode()}"
    return found[:PAGE_SIZE], page
