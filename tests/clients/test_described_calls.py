"""The client keeps to the description of the API: its types, and the addresses that it calls."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from commonmind import api, resources, transfers
from commonmind.calls import Call, Resource, one_call, row_flow

from tests.architecture.source import ROOT
from tests.isolation.api_surface import METHODS, openapi_schema
from tools.client_types import OPERATIONS, TARGET, Writer, build_types

pytestmark = pytest.mark.conformance("N11")
GIVEN: dict[str, Any] = {
    "items": [{"content": "x"}],
    "lines": [{"content": "x"}],
    "head": {},
    "file": b"x",
    "version": 1,
}
# Their address is said by whoever calls.
ANY_ADDRESS = {"request", "rows"}


def test_the_types_are_those_of_the_description() -> None:
    written = (ROOT / TARGET.relative_to(ROOT)).read_text(encoding="utf-8")
    assert written == build_types(), "run: .venv/bin/python -m tools.client_types"


def described_methods() -> Iterator[tuple[str, Any]]:
    """Every method that describes a call or a flow of calls."""
    for module in (api, resources, transfers):
        for kind in vars(module).values():
            if not (inspect.isclass(kind) and issubclass(kind, Resource)):
                continue
            for name, found in vars(kind).items():
                if isinstance(found, one_call | row_flow) and name not in ANY_ADDRESS:
                    yield f"{kind.__name__}.{name}", found._describe


def first_call(describe: Any) -> Call[Any]:
    """What it sends first, with a made-up value for each argument that it needs."""
    needed = {
        name: GIVEN.get(name, "x")
        for name, parameter in inspect.signature(describe).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is not parameter.VAR_KEYWORD
        and name != "self"
    }
    found = describe(None, **needed)
    return found if isinstance(found, Call) else next(found)


def operation_of(call: Call[Any]) -> str:
    """The operation of the description at this address; empty if there is none."""
    for path, operations in openapi_schema()["paths"].items():
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))
        if re.fullmatch(pattern, f"/api/v1/{call.path}") and call.method.lower() in operations:
            if "{" in path and f"/api/v1/{call.path}" in openapi_schema()["paths"]:
                continue
            return str(operations[call.method.lower()]["operationId"])
    return ""


METHODS_OF_CLIENT = dict(described_methods())


@pytest.mark.parametrize("name", METHODS_OF_CLIENT)
def test_each_call_is_in_the_description(name: str) -> None:
    call = first_call(METHODS_OF_CLIENT[name])
    operation = operation_of(call)
    assert operation in OPERATIONS, f"{call.method} {call.path}"
    described = Writer(openapi_schema()).operations[operation]
    taken = {one["name"] for one in described.get("parameters", ())}
    assert {one for one, value in call.query.items() if value is not None} <= taken
    assert call.changes == ("Idempotency-Key" in taken)
    assert inspect.getdoc(METHODS_OF_CLIENT[name])


def test_each_operation_is_called() -> None:
    called = {operation_of(first_call(one)) for one in METHODS_OF_CLIENT.values()}
    assert called == set(OPERATIONS)
    assert len(called) >= 30
    assert set(METHODS) >= {"get", "post", "put", "patch", "delete"}


def test_the_keywords_of_a_method_are_those_of_its_operation() -> None:
    """A class of keywords is used by the method of its operation, and by no other."""
    used: dict[str, set[str]] = {}
    for describe in METHODS_OF_CLIENT.values():
        for parameter in inspect.signature(describe).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                [name] = re.findall(r"Unpack\[s?\.?(\w+)\]", parameter.annotation)
                used.setdefault(name, set()).add(operation_of(first_call(describe)))
    expected = {name: {operation} for operation, (name, _) in OPERATIONS.items() if name}
    expected["SnapshotFilters"] = {"snapshots_read"}
    assert used == expected
