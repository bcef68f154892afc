"""Query parameters of every address: one value each. Choices are named where another was sent."""

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework import serializers

from orgs.api.serializers import ChoiceField, StrictSerializer
from tests.architecture.source import ROOT
from tests.isolation.api_surface import ABSENT_FILLER, openapi_schema
from tests.world import World


def reading_parameters() -> Iterator[tuple[str, str, str]]:
    """(method, address, a query parameter) of every operation that takes one."""
    for address, methods in openapi_schema()["paths"].items():
        for method, operation in methods.items():
            for one in operation.get("parameters", []):
                if one["in"] == "query":
                    yield method, address, one["name"]


PARAMETERS = list(reading_parameters())

# tests/orgs/support/test_superuser_keys.py asks these with a key that opens them.
SUPERUSERS = "/api/v1/organisations"


@pytest.mark.conformance("X10")
def test_a_parameter_that_is_given_twice_is_refused_at_every_address(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    callers = [here.api("dora"), here.browser("ada")]
    real = {"{reference}": "launch", "{robot}": "dora"}
    kept = here.remember(here.robot("aria"), "Tea at four.").id
    wrong, refused = [], 0
    for method, address, name in PARAMETERS:
        if address.startswith(SUPERUSERS):
            continue
        path = address.replace("{memory_id}", str(kept))
        if "/robots/{reference}" in path:
            path = path.replace("{reference}", here.robots["dora"].public_id)
        for slot, value in real.items():
            path = path.replace(slot, value)
        path = "/".join(ABSENT_FILLER if part.startswith("{") else part for part in path.split("/"))
        for caller in callers:
            answer = caller.generic(method.upper(), f"{path}?{name}=1&{name}=1")
            body = answer.json() if answer.content else {}
            fields = [error["field"] for error in body.get("errors", [])]
            refused += answer.status_code == 400 and fields == [name]
            # What only the other kind of caller may ask, and what is not there, is refused before.
            if answer.status_code not in (403, 404) and (answer.status_code, fields) != (
                400,
                [name],
            ):
                wrong.append((method, path, name, answer.status_code, body))
    assert wrong == []
    assert refused > 200


def test_no_view_reads_parameters_by_another_way() -> None:
    views = [
        path
        for app in ("memories", "robots", "personas")
        for path in (ROOT / app).rglob("api/**/*.py")
        # SCIM has parameters of its own standard, which its library reads.
        if path.parent.name != "scim"
    ]
    assert len(views) > 40
    assert [p for p in views if "query_params" in p.read_text(encoding="utf-8")] == []


def kinds(base: type = StrictSerializer) -> Iterator[type[StrictSerializer]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def parts(field: Any) -> Iterator[Any]:
    yield field
    if child := getattr(field, "child", None):
        yield from parts(child)


@pytest.mark.conformance("X10")
def test_every_choice_of_a_body_or_query_names_the_choices() -> None:
    looked = 0
    for kind in set(kinds()):
        for name, declared in kind().fields.items():
            for field in parts(declared):
                if not isinstance(field, serializers.ChoiceField):
                    continue
                looked += 1
                assert isinstance(field, ChoiceField), (kind, name)
                with pytest.raises(serializers.ValidationError) as refused:
                    field.run_validation("none of these")
                told = str(refused.value.detail[0])
                assert all(str(word) in told for word in field.choices), (kind, name, told)
    assert looked > 40


@pytest.mark.parametrize("value", [True, 1, None, ["fact"], {"fact": 1}, "Fact", " fact"])
def test_a_choice_is_a_word_and_nothing_like_it(value: Any) -> None:
    with pytest.raises(serializers.ValidationError):
        ChoiceField(["fact", "1", "True"]).run_validation(value)
