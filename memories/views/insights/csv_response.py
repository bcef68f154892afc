"""Numbers as a file for a spreadsheet."""

import csv
from collections.abc import Iterable

from django.http import HttpResponse

# A cell that begins like this is a formula to a spreadsheet, and names are chosen by people.
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


def csv_response(name: str, rows: Iterable[Iterable[object]]) -> HttpResponse:
    """An answer that is saved under the name; no text in it is read as a formula."""
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(answer).writerows([_cell(value) for value in row] for row in rows)
    return answer


def _cell(value: object) -> object:
    harmful = isinstance(value, str) and value.startswith(FORMULA_PREFIXES)
    return f"'{value}" if harmful else value
