"""A condition for rows of the database, asked of one row that is loaded.

A permission is written once, as a Q that a list is filtered by. Whoever has the row in hand asks
the same Q here, without a query.
"""

from typing import Any

from django.db.models import Model, Q

ANY_ROW, NO_ROW = ~Q(pk__in=[]), Q(pk__in=[])


def matches(condition: Q, row: Model) -> bool:
    """Whether the row fulfils the condition, as the database would say.

    It knows comparisons with values, also of rows that this one leads to, `__in` and `__isnull`.
    Raises TypeError for anything else, such as a subquery, so nothing is allowed by mistake.
    """
    if condition.connector not in (Q.AND, Q.OR):
        raise TypeError(f"not evaluated: {condition.connector}")
    if not condition.children:
        # As in the database, also where it is negated.
        return True
    parts = (
        matches(part, row) if isinstance(part, Q) else _compare(row, part)
        for part in condition.children
    )
    found = any(parts) if condition.connector == Q.OR else all(parts)
    return found is not condition.negated


def _compare(row: Model, part: Any) -> bool:
    if not isinstance(part, tuple) or hasattr(part[1], "resolve_expression"):
        raise TypeError(f"not evaluated: {part!r}")
    path, wanted = part
    steps = path.split("__")
    lookup = steps.pop() if steps[-1] in ("in", "isnull") else "exact"
    value: Any = row
    for step in steps:
        # An unknown look-up, such as `gt`, is no attribute: AttributeError.
        value = None if value is None else getattr(value, step)
    if isinstance(value, Model):
        raise TypeError(f"not evaluated: {path}; compare its id")
    if lookup == "isnull":
        return (value is None) is wanted
    for one in wanted if lookup == "in" else (wanted,):
        # Python finds an id and its text unequal, where the database finds them equal.
        if None not in (value, one) and not (
            isinstance(value, type(one)) or isinstance(one, type(value))
        ):
            raise TypeError(f"not evaluated: {path} is compared with {one!r}")
    if lookup == "in":
        return value is not None and value in wanted
    return bool(value == wanted)
