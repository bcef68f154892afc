"""What the description allows is answered as described and not refused as badly formed (T25)."""

import json
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode

from tests.api.test_schema import CHECKS, robot, session
from tests.sampling import run_seed
from tests.world import World

# Problems that say: this is not what the description describes.
FORM = ("urn:commonmind:problem:invalid", "urn:commonmind:problem:bad-json")
# What no schema can say: a cursor is signed for its caller.
SIGNED = {"cursor"}
# Nor that one date lies before another, that 3.0 is not meant where it says `integer`, which words
# are a time, which characters nobody sees, nor that a field depends on another one.
UNSAYABLE = (
    "a character that nobody sees",
    "Enter a valid email address",
    "This is no base64",
    "Give topic_hash or topic, not both",
    "Give `about` or `filters.members`, not both",
    "Not a choice; one of 0, 24",
    "Say why you force it",
    "Send propositions or let a model find them",
    "Send it without recipient and cursor",
    "Either a timeframe or since and until",
    "Ask one at a time",
    "It is needed: a hit has `recall_id` and `memory`",
    "Give feedback on a hit or on a call of a tool",
    "Give one of member, group and topic",
    "It says how `q` is compared",
    "Give at least one filter",
    "Say what to set",
    "Only `set` takes it",
    "`from` lies after `to`",
    "A whole number is required",
    "is no timeframe that is understood",
    "The robot does not sit in this group",
    # To which addresses a webhook may lead is decided by the settings of the server.
    "Not an address",
    "It has to begin with http",
    "It names a user or a password",
    "It does not lead to a host of the public internet",
    # An empty part of a form is none; and what a column may be called is not known.
    "No file was submitted",
    "Write the columns as",
)


def refused(
    caller: dict[str, str], examples: int, number: int, *, whole: bool = True
) -> tuple[int, dict[str, str]]:
    """(calls sent, by operation the first that is as described and yet badly formed for us).

    Not whole: one operation of each method and part of the API, for making the texts of one costs
    more than many calls. Each answer keeps to the description, or this raises.
    """
    found: dict[str, str] = {}
    kinds: set[tuple[str, str]] = set()
    sent = 0
    schema = schemathesis.openapi.from_wsgi(
        "/api/v1/schema", WSGIHandler(), headers={"Accept": "application/json"}
    )
    for result in schema.get_all_operations():
        operation = result.ok()
        kind = (operation.method, operation.path.split("/")[3])
        if not whole and kind in kinds:
            continue
        kinds.add(kind)

        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
        def attempt(case: Any) -> None:
            nonlocal sent
            sent += 1
            case.headers.pop("Authorization", None)
            case.cookies.clear()
            case.query = {k: v for k, v in (case.query or {}).items() if k not in SIGNED}
            answer = case.call_and_validate(headers=caller, checks=CHECKS)
            if answer.status_code == 400:
                problem = json.loads(answer.content)
                if problem["type"] in FORM and not any(w in problem["detail"] for w in UNSAYABLE):
                    said = f"{problem['detail']} {problem['errors'][:2]} {case.query} {case.body!r}"
                    found.setdefault(case.operation.label, said[:700])

        attempt()
    return sent, found


def report(found: dict[str, str]) -> str:
    return "\n".join(f"{label}: {said}" for label, said in found.items())


@pytest.mark.slow
@pytest.mark.conformance("N01")
@pytest.mark.conformance("T25")
@pytest.mark.timeout(600)
def test_the_description_says_what_is_refused(lasting_world: World) -> None:
    """The same few calls each time, to each method of each part of the API; all operations, with
    other calls, are the slow tests' matter."""
    sent, found = refused(robot(lasting_world), 2, 1, whole=False)
    assert sent >= 60
    assert not found, report(found)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("caller", [robot, session])
def test_the_description_says_what_is_refused_for_long(
    lasting_world: World, caller: Any, request: pytest.FixtureRequest
) -> None:
    number = run_seed(request)
    _, found = refused(caller(lasting_world), 50, number)
    assert not found, report(found)
