"""The filters of mem0 as conditions of the product. What cannot be said so is refused.

A filter never opens anything: it narrows what the caller reads anyhow (`reach.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q
from rest_framework.exceptions import ValidationError

from orgs.api.serializers import check_json_object
from orgs.database.text_match import contains_text
from orgs.iso_times import InvalidTimeError, parse_time

# Under this name the `source` of a memory says with which ids of mem0 it came.
SOURCE = "mem0"
ENTITIES = ("user_id", "agent_id", "app_id", "run_id")
MAX_DEPTH, MAX_CONDITIONS, MAX_VALUES, MAX_VALUE_LENGTH = 10, 100, 100, 500
# Values of ids and of metadata in all conditions together: the database compares each by itself.
MAX_COMPARISONS = 200
_TIMES = ("created_at", "updated_at")
_JUNCTIONS = ("AND", "OR", "NOT")
_COMPARISONS = ("gt", "gte", "lt", "lte")
_FIELDS = (*ENTITIES, *_TIMES, "categories", "keywords", "metadata", "memory_ids")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a call asks for.

    users, agents: the ids that it names, outside of NOT. condition: all of it. plain: the ids by
    name where nothing else is asked, else None.
    """

    users: tuple[str, ...]
    agents: tuple[str, ...]
    apps: tuple[str, ...]
    condition: Q
    plain: dict[str, str] | None
    names_entity: bool


def labels_q(labels: Mapping[str, str]) -> Q:
    """The memories that came with these ids."""
    return Q(source__contains={SOURCE: dict(labels)})


def parse_filters(given: Any, ids: Mapping[str, str] | None = None) -> Filters:
    """The filters of a body, and the ids that stand beside them. Raises ValidationError."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise _refusal("Not an object.")
    reader = _Reader()
    condition = reader.read(given)
    for name, value in (ids or {}).items():
        condition &= reader.read({name: value})
    every = {**given, **(ids or {})}
    agree = all(given.get(name, value) == value for name, value in (ids or {}).items())
    is_plain = agree and all(
        name in ENTITIES and isinstance(value, str) and value != "*"
        for name, value in every.items()
    )
    return Filters(
        users=tuple(dict.fromkeys(reader.named["user_id"])),
        agents=tuple(dict.fromkeys(reader.named["agent_id"])),
        apps=tuple(dict.fromkeys(reader.named["app_id"])),
        condition=condition,
        plain=dict(every) if is_plain else None,
        names_entity=any(reader.named.values()),
    )


def _refusal(text: str, field: str = "filters") -> ValidationError:
    return ValidationError({field: [text]})


class _Reader:
    """Reads one filter; counts its conditions and comparisons, and keeps which ids it names."""

    def __init__(self) -> None:
        self.named: dict[str, list[str]] = {name: [] for name in ENTITIES}
        self._conditions = self._comparisons = 0

    def _compare(self, values: int) -> None:
        self._comparisons += values
        if self._comparisons > MAX_COMPARISONS:
            raise _refusal(f"More than {MAX_COMPARISONS} values of ids and metadata.")

    def read(self, node: Any, depth: int = 0, *, negated: bool = False) -> Q:
        if not isinstance(node, Mapping):
            raise _refusal("A condition is an object.")
        if depth > MAX_DEPTH:
            raise _refusal(f"Nested deeper than {MAX_DEPTH} levels.")
        found = Q()
        for name, value in node.items():
            self._conditions += 1
            if self._conditions > MAX_CONDITIONS:
                raise _refusal(f"More than {MAX_CONDITIONS} conditions.")
            if name in _JUNCTIONS:
                found &= self._junction(name, value, depth, negated)
            else:
                found &= self._field(name, value, negated)
        return found

    def _junction(self, name: str, value: Any, depth: int, negated: bool) -> Q:
        parts = [value] if name == "NOT" and isinstance(value, Mapping) else value
        if not isinstance(parts, list) or not parts:
            raise _refusal(f"{name} takes a list of conditions.")
        inside = negated or name == "NOT"
        read = [self.read(part, depth + 1, negated=inside) for part in parts]
        if not all(read):
            raise _refusal(f"{name} has an empty condition.")
        found = Q()
        for part in read:
            found = found & part if name == "AND" else found | part
        return ~found if name == "NOT" else found

    def _field(self, name: Any, value: Any, negated: bool) -> Q:
        if name not in _FIELDS:
            raise _refusal(f"No filter has the name {str(name)[:100]!r}; {', '.join(_FIELDS)}.")
        if name == "metadata":
            return _metadata(value, self._compare)
        if value == "*" and name in ENTITIES:
            if not negated:
                self.named[name].append("*")
            return Q(**{f"source__{SOURCE}__has_key": name})
        operators = value if isinstance(value, Mapping) else {_plain_operator(value): value}
        if not operators:
            raise _refusal(f"{name} has no condition.")
        found = Q()
        for operator, operand in operators.items():
            found &= self._operation(name, str(operator), operand, negated)
        return found

    def _operation(self, name: str, operator: str, operand: Any, negated: bool) -> Q:
        if name in ENTITIES:
            return self._entity(name, operator, operand, negated)
        if name in _TIMES:
            return _time(name, operator, operand)
        if name == "memory_ids":
            return _memory_ids(operator, operand)
        return _words(name, operator, operand)

    def _entity(self, name: str, operator: str, operand: Any, negated: bool) -> Q:
        values = _values(name, operator, operand, {"eq", "ne", "in"})
        self._compare(len(values))
        if operator != "ne" and not negated:
            self.named[name] += values
        found = Q()
        for value in values:
            found |= labels_q({name: value})
        return ~found if operator == "ne" else found


def _plain_operator(value: Any) -> str:
    return "in" if isinstance(value, list) else "eq"


def _values(name: str, operator: str, operand: Any, known: set[str]) -> list[str]:
    """The texts of an operand. Raises ValidationError for another operator or another value."""
    if operator not in known:
        raise _refusal(f"{name} has no operator {operator[:100]!r}; {', '.join(sorted(known))}.")
    values = operand if operator == "in" else [operand]
    if not isinstance(values, list) or not values or len(values) > MAX_VALUES:
        raise _refusal(f"{name}: `in` takes a list of 1 to {MAX_VALUES} texts.")
    for value in values:
        if not isinstance(value, str) or not 0 < len(value) <= MAX_VALUE_LENGTH:
            raise _refusal(f"{name}: a text of 1 to {MAX_VALUE_LENGTH} characters is needed.")
    _check_storable(values)
    return values


def _check_storable(value: Any) -> None:
    try:
        check_json_object(value)
    except ValidationError as error:
        raise ValidationError({"filters": error.detail}) from error


def _time(name: str, operator: str, operand: Any) -> Q:
    if operator not in _COMPARISONS:
        raise _refusal(f"{name} has no operator {operator[:100]!r}; {', '.join(_COMPARISONS)}.")
    if not isinstance(operand, str):
        raise _refusal(f"{name}: a time in ISO 8601 is needed.")
    try:
        at = parse_time(operand, upper=operator in ("lte", "gt"))
    except InvalidTimeError as error:
        raise _refusal(f"{name}: {error}") from error
    return Q(**{f"{name}__{operator}": at})


def _memory_ids(operator: str, operand: Any) -> Q:
    values = _values("memory_ids", operator, operand, {"in", "eq"})
    try:
        return Q(id__in=[UUID(value) for value in values])
    except ValueError as error:
        raise _refusal("memory_ids: not an id.") from error


def _words(name: str, operator: str, operand: Any) -> Q:
    """Conditions on categories and on the text."""
    if name == "categories":
        values = _values(name, operator, operand, {"in", "eq", "ne", "contains"})
        found = Q(category__in=values)
        return ~found if operator == "ne" else found
    [text] = _values(name, operator, operand, {"contains", "icontains"})
    found = Q(contains_text("content", text))
    return found & Q(content__contains=text) if operator == "contains" else found


def _metadata(value: Any, compare: Callable[[int], None]) -> Q:
    """Conditions on metadata: of each name a value, or one of `eq`, `ne`, `in` and `*`. compare:
    called with the number of values before they are compared."""
    if not isinstance(value, Mapping) or not value:
        raise _refusal("metadata takes an object.")
    _check_storable(dict(value))
    found = Q()
    for name, wanted in value.items():
        for part in _metadata_parts(name, wanted, compare):
            found &= part
    return found


_METADATA_OPERATORS: dict[str, Callable[[str, Any], Q]] = {
    "eq": lambda name, wanted: Q(metadata__contains={name: wanted}),
    "ne": lambda name, wanted: ~Q(metadata__contains={name: wanted}),
}


def _metadata_parts(name: str, wanted: Any, compare: Callable[[int], None]) -> Iterator[Q]:
    if not isinstance(wanted, Mapping):
        compare(1)
    if wanted == "*":
        yield Q(metadata__has_key=name)
        return
    if not isinstance(wanted, Mapping):
        yield _METADATA_OPERATORS["eq"](name, wanted)
        return
    for operator, operand in wanted.items():
        compare(len(operand) if operator == "in" and isinstance(operand, list) else 1)
        if operator == "in" and isinstance(operand, list) and 0 < len(operand) <= MAX_VALUES:
            found = Q()
            for one in operand:
                found |= _METADATA_OPERATORS["eq"](name, one)
            yield found
        elif operator in _METADATA_OPERATORS:
            yield _METADATA_OPERATORS[operator](name, operand)
        else:
            raise _refusal("metadata compares by `eq`, `ne`, `in` (a list) and `*`.")
