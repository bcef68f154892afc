"""The columns of the list of memories: which are shown, and what sorts by them.

Which are shown is kept by the browser, like the height of the rows.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memories.views.forms.search_forms import ColumnsForm, MemoryFilterForm
from orgs.views.page_access import members_only

COOKIE = "columns"
YEAR_SECONDS = 60 * 60 * 24 * 365


@dataclass(frozen=True, slots=True)
class Column:
    """first and then: the orders that its head gives at the first press and at the second."""

    name: str
    label: str
    first: str
    then: str
    always: bool = False
    # Whether "first" is the rising one.
    rises: bool = True


COLUMNS = (
    Column("text", "Memory", "text", "-text", always=True),
    Column("readers", "Readers", "readers", "-readers"),
    Column("by", "By", "", ""),
    Column("category", "Category", "category", "-category"),
    Column("age", "Age", "-age", "age", rises=False),
    Column("use", "Used", "-use", "use", rises=False),
)
OPTIONAL_COLUMNS = tuple(one for one in COLUMNS if not one.always)
NO_COLUMNS = "none"


def selected_columns(request: HttpRequest) -> frozenset[str]:
    """The names of the columns that this browser shows; all where it has chosen none."""
    known = {one.name for one in OPTIONAL_COLUMNS}
    chosen = request.COOKIES.get(COOKIE, "")[:200]
    return frozenset(known & set(chosen.split("."))) if chosen else frozenset(known)


def column_heads(order: str, address: Any, *, sortable: bool) -> list[dict[str, Any]]:
    """For the head of the table. address: from an order to the address of the list."""
    found = []
    for one in COLUMNS:
        sorts = sortable and one.first != one.then
        current = sorts and order in (one.first, one.then)
        rising = one.rises == (order == one.first)
        to = one.then if current and order == one.first else one.first
        found.append(
            {
                "name": one.name,
                "label": one.label,
                "url": address(to) if sorts else "",
                "sorted": ("ascending" if rising else "descending") if current else "",
            }
        )
    return found


def column_choices(request: HttpRequest) -> list[dict[str, Any]]:
    """For the menu of columns."""
    now = selected_columns(request)
    return [{"name": c.name, "label": c.label, "checked": c.name in now} for c in OPTIONAL_COLUMNS]


@require_POST
@members_only()
def choose_columns(request: HttpRequest) -> HttpResponse:
    """Keep which columns this browser shows, and go back to the list."""
    form = ColumnsForm(request.POST, columns=[one.name for one in OPTIONAL_COLUMNS])
    form.is_valid()
    address = MemoryFilterForm(form.address())
    address.is_valid()
    query = address.query()
    response = redirect(f"{reverse('library')}?{query}" if query else "library")
    kept = ".".join(form.cleaned_data.get("column") or [NO_COLUMNS])
    response.set_cookie(
        COOKIE, kept, max_age=YEAR_SECONDS, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
    return response
