"""Strict fields: a value of the wrong type is refused, never converted."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import serializers
from rest_framework.fields import SkipField, get_error_detail
from rest_framework.request import Request
from rest_framework.utils.html import is_html_input

from orgs.iso_times import InvalidTimeError, parse_time

MAX_ITEMS = 1000
# Of one kind in one list: members, groups, robots, teams, memories. Each is looked up.
MAX_REFERENCES = 50
MAX_DEPTH = 20
# A number of more than 64 bits would not come back as it was sent.
MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1


class StrictSerializer(serializers.Serializer[Any]):
    """Unknown fields are refused (400 `invalid`).

    What is left out costs nothing: DRF raises and catches an exception for each such field, which
    for a batch took longer than storing it.
    """

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.fields)

    @cached_property
    def _named(self) -> dict[str, tuple[Any, Callable[[Any], Any] | None, bool]]:
        """By name: the field, its `validate_<name>`, and whether it may be left out."""
        return {
            name: (
                field,
                getattr(self, f"validate_{name}", None),
                not field.required and field.default is serializers.empty,
            )
            for name, field in self.fields.items()
            if not field.read_only
        }

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        if unknown := sorted(map(str, data.keys() - self._known)):
            raise serializers.ValidationError(
                {name[:100]: ["This field does not exist."] for name in unknown[:20]}
            )
        # A form has values of its own kinds.
        return super().to_internal_value(data) if is_html_input(data) else self._given(data)

    def _given(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the fields; as in DRF, but for what is left out."""
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, (field, check, optional) in self._named.items():
            if optional and name not in data:
                continue
            try:
                value = field.run_validation(data.get(name, serializers.empty))
                if check is not None:
                    value = check(value)
            except serializers.ValidationError as error:
                errors[name] = error.detail
            except DjangoValidationError as error:
                errors[name] = get_error_detail(error)
            except SkipField:
                continue
            else:
                self.set_value(values, field.source_attrs, value)
        if errors:
            raise serializers.ValidationError(errors)
        return values


def validate_data(serializer: type[Any], data: Any) -> dict[str, Any]:
    """The validated data of a serializer class. Raises ValidationError."""
    validated: dict[str, Any] = _cached_serializer(serializer).run_validation(data)
    return validated


@cache
def _cached_serializer(serializer: type[Any]) -> Any:
    """One instance for all requests: making its fields costs more than checking with them, and
    checking does not change it."""
    return serializer()


def query_values(request: Request) -> dict[str, str]:
    """The query parameters of a call. Raises ValidationError for one that is given more than once:
    all but one of its values would be lost without a word."""
    values = request.query_params
    if repeated := sorted(name for name in values if len(values.getlist(name)) > 1):
        raise serializers.ValidationError(
            {name[:100]: ["Given more than once; it takes one value."] for name in repeated[:20]}
        )
    return values.dict()


class TextField(serializers.CharField):
    """A string and nothing else; NUL and lone surrogates are refused.

    pattern: a regular expression of what else is validated, for the OpenAPI description.
    """

    def __init__(self, *, pattern: str = "", **kwargs: Any) -> None:
        self.pattern = pattern
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("Not a string.")
        return super().to_internal_value(data)


class AnyField(serializers.Field[Any, Any, Any, Any]):
    """A JSON value as it came, for what is validated later."""

    def to_internal_value(self, data: Any) -> Any:
        return data


class ChoiceField(serializers.ChoiceField):
    """One of several values. The refusal of another one names them. Organisation may be spelt with
    a z."""

    def to_internal_value(self, data: Any) -> Any:
        if data == "" and self.allow_blank:
            return ""
        # DRF takes also what only reads like one of them: true for "True".
        is_value = isinstance(data, str | int) and not isinstance(data, bool)
        if data == "organization" and "organisation" in self.choices:
            data = "organisation"
        if not is_value or data not in self.choices:
            words = ", ".join(str(word) or '""' for word in self.choices)
            raise serializers.ValidationError(f"Not a choice; one of {words}.", "invalid_choice")
        return self.choice_strings_to_values[str(data)]


class FlagField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("Must be true or false.")
        return data


class NumberField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("A number is required.")
        return super().to_internal_value(data)


class CountField(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("A whole number is required.")
        return super().to_internal_value(data)


class TimeField(serializers.DateTimeField):
    """A time strictly in ISO 8601; without a time zone in UTC."""

    upper = False

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, datetime):
            return super().to_internal_value(data)
        if not isinstance(data, str):
            raise serializers.ValidationError("A time is a string in ISO 8601.")
        try:
            return parse_time(data, upper=self.upper)
        except InvalidTimeError as error:
            raise serializers.ValidationError(str(error)) from error


class UpperTimeField(TimeField):
    """An upper bound: a date alone includes its day."""

    upper = True


class TextListField(serializers.ListField):
    """At most 1,000 strings."""

    def __init__(
        self, *, max_length: int = MAX_ITEMS, item_length: int = 300, **kwargs: Any
    ) -> None:
        super().__init__(child=TextField(max_length=item_length), max_length=max_length, **kwargs)


class ReferenceListField(TextListField):
    """At most 50 references to members, groups, robots or teams."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_REFERENCES, **kwargs)


class SupersedesField(serializers.ListField):
    """The ids of at most 50 memories, or one id; as a tuple."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=serializers.UUIDField(),
            max_length=MAX_REFERENCES,
            help_text="The memories, by id, that are true no more because this one is; one id or "
            "a list. What is not the caller's to change is proposed.",
            **kwargs,
        )

    def to_internal_value(self, data: Any) -> tuple[UUID, ...]:
        found = super().to_internal_value([data] if isinstance(data, str) else data)
        return tuple(dict.fromkeys(found))


def valid_from_field(**kwargs: Any) -> TimeField:
    return TimeField(
        required=False, help_text="From when it is true, if not since it was said.", **kwargs
    )


def valid_until_field(**kwargs: Any) -> UpperTimeField:
    return UpperTimeField(
        required=False,
        help_text="Until when it is true; a date includes its day. Later it is still served, but "
        "lower and marked.",
        **kwargs,
    )


class DocumentField(serializers.DictField):
    """A JSON object whose strings Postgres can hold and whose depth is bounded."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Not an object.")
        check_json_object(data)
        return data


def check_json_object(value: Any, depth: int = 0) -> None:
    """Raises ValidationError for NUL, lone surrogates, huge numbers, and too deep or too long
    JSON."""
    if depth > MAX_DEPTH:
        raise serializers.ValidationError(f"Nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, str):
        if "\x00" in value:
            raise serializers.ValidationError("Null characters are not allowed.")
        if any(0xD800 <= ord(c) <= 0xDFFF for c in value) if not value.isascii() else False:
            raise serializers.ValidationError("Surrogate characters are not allowed.")
    elif isinstance(value, int | float):
        if not MIN_INTEGER <= value <= MAX_INTEGER:
            raise serializers.ValidationError("Numbers must fit into 64 bits.")
    elif isinstance(value, dict | list):
        if len(value) > MAX_ITEMS:
            raise serializers.ValidationError(f"More than {MAX_ITEMS} entries.")
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            check_json_object(key, depth + 1)
            check_json_object(item, depth + 1)


# For the description of a robot that may be hidden from the asker
# (`robots.registry.personal_robot_privacy`).
HIDDEN_ROBOT_HELP = (
    "The robot that wrote it. Null for the personal robot of another member, if the readers are "
    "the people of a persona, an industry or a role."
)


class AnswerSerializer(serializers.Serializer[Any]):
    # The one definition of an answer: it describes it for OpenAPI, and `render` makes it. DRF's own
    # `to_representation` takes tens of microseconds for a memory. This comment is no docstring,
    # because that would become the description of every answer without one.

    @classmethod
    def render(cls, row: Any, /, **values: Any) -> Any:
        """The answer for a row, as a dict for JSON; None and a dict stay as they are.

        The value of a field is the keyword of its name; else what the static method `get_<name>`
        returns for the row; else the attribute that its `source` names, by default the one of its
        name. An optional field (`required=False`) has only the keyword, and is left out without
        it. Values of nested answers, and lists of them, are rendered in the same way. Raises
        TypeError for a keyword that is no field.
        """
        if row is None or type(row) is dict:
            return row
        plan = _rendering_plan(cls, tuple(values))
        body = dict(zip(plan.plain_names, plan.read_plain(row), strict=True))
        for name, read in plan.computed:
            body[name] = read(row)
        for name, read, render in plan.nested:
            body[name] = render(read(row))
        if values:
            body |= values
            for name, render in plan.given:
                body[name] = render(values[name])
        return body


_Render = Callable[[Any], Any]


class _RenderingPlan(NamedTuple):
    """How a class renders a row with some keywords: attributes as they are, read at once; what
    methods return; values that are rendered, of the row and of keywords."""

    plain_names: tuple[str, ...]
    read_plain: Callable[[Any], tuple[Any, ...]]
    computed: tuple[tuple[str, Callable[[Any], Any]], ...]
    nested: tuple[tuple[str, Callable[[Any], Any], _Render], ...]
    given: tuple[tuple[str, _Render], ...]


@cache
def _rendering_plan(kind: type[AnswerSerializer], keywords: tuple[str, ...]) -> _RenderingPlan:
    fields = kind().fields
    if unknown := set(keywords) - set(fields):
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
    plain: dict[str, str] = {}
    computed, nested, given = [], [], []
    for name, field in fields.items():
        method = None
        if not hasattr(AnswerSerializer, f"get_{name}"):
            method = getattr(kind, f"get_{name}", None)
        render = _nested_render(field)
        if name in keywords:
            given += [(name, render)] if render else []
        elif not field.required:
            continue
        elif render is not None:
            nested.append((name, method or _attribute(field.source), render))
        elif method is not None:
            computed.append((name, method))
        else:
            plain[name] = field.source
    return _RenderingPlan(
        tuple(plain), _attributes(*plain.values()), tuple(computed), tuple(nested), tuple(given)
    )


def _nested_render(field: Any) -> _Render | None:
    """What renders a value of a field; None if it stays as it is."""
    if isinstance(field, AnswerSerializer):
        return type(field).render
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        one = _nested_render(field.child)
        return one and (lambda rows: None if rows is None else [one(row) for row in rows])
    return None


def _attribute(source: str) -> Callable[[Any], Any]:
    """Reads an attribute, or with `*`, as in DRF, the row itself."""
    return (lambda row: row) if source == "*" else attrgetter(source)


def _attributes(*sources: str) -> Callable[[Any], tuple[Any, ...]]:
    """Reads several attributes at once; attrgetter gives a tuple only for more than one."""
    if len(sources) > 1:
        return attrgetter(*sources)
    return lambda row: tuple(attrgetter(source)(row) for source in sources)


class NamedSerializer(AnswerSerializer):
    id = serializers.CharField()
    name = serializers.CharField()

    @staticmethod
    def get_id(row: Any) -> str:
        """The id under which the API knows it; of robots and teams that may be their external
        one."""
        return getattr(row, "public_id", None) or str(row.id)


def id_and_name(id_: Any, name: str | None) -> dict[str, Any] | None:
    """The answer of `NamedSerializer` for an id and a name; None without an id."""
    return None if id_ is None else {"id": id_, "name": name}
