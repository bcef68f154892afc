"""What is validated field by field is what the framework validates, to the error."""

from typing import Any

import pytest
from rest_framework import serializers

from memories.api.decisions.serializers import RecordDecisionSerializer
from memories.api.serializers.memories import PatchSerializer, RememberSerializer
from memories.api.serializers.recall import RecallSerializer
from orgs.api.serializers import StrictSerializer

BODIES: list[dict[str, Any]] = [
    {},
    {"content": "Tea."},
    {"content": ""},
    {"content": None},
    {"content": 5, "importance": "high", "tags": "a", "key": None},
    {"content": "Tea.", "tags": ["a", "A b"], "importance": 0.5, "metadata": {"a": [1, "\x00"]}},
    {"content": "Tea.", "readers": {"members": ["x"]}, "occurred_at": "2026-01-01T00:00:00Z"},
    {"content": "Tea.", "readers": {"people": []}, "occurred_at": "yesterday", "kind": "no"},
    {"content": "Tea.", "on_personal_data": "sanitise", "sensitive": "yes", "red_line": True},
    {"query": "When?", "limit": 5, "filters": {"tags": ["a"]}},
    {"query": "When?", "limit": "5", "filters": {"colour": 1}, "strategy": "none"},
    {"topic": "Leases", "conclusion": "Renew.", "claims": [{"text": "Quiet."}, {"text": 1}]},
]
KINDS: list[type[StrictSerializer]] = [
    RememberSerializer,
    PatchSerializer,
    RecallSerializer,
    RecordDecisionSerializer,
]


def answered(validate: Any, body: dict[str, Any]) -> Any:
    try:
        return validate(body)
    except serializers.ValidationError as error:
        return error.get_full_details()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
def test_the_values_and_errors_are_the_frameworks(
    kind: type[StrictSerializer], body: dict[str, Any]
) -> None:
    one = kind()
    known = {name: value for name, value in body.items() if name in one.fields}
    framework = super(StrictSerializer, one).to_internal_value
    assert answered(one.to_internal_value, known) == answered(framework, known)


def test_a_partial_body_asks_for_nothing() -> None:
    one = RememberSerializer(partial=True)
    assert one.run_validation({"topic": "Tea"}) == {"topic": "Tea"}


def test_what_is_unknown_is_named() -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        RememberSerializer().run_validation({"content": "Tea.", "colour": "green"})
    assert list(refused.value.detail) == ["colour"]
