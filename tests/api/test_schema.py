"""The OpenAPI description is valid, its page works offline, and the API keeps to it (N01)."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
import schemathesis
from django.contrib.staticfiles import finders
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from drf_spectacular.checks import schema_check
from hypothesis import HealthCheck, Phase, given, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as openapi_checks

from tests.world import World

CHECKS = (
    not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
)
CSRF = "c" * 32


@pytest.mark.conformance("N01")
def test_the_description_is_valid_openapi_3_1(client: Client) -> None:
    answer = client.get("/api/v1/schema", headers={"accept": "application/json"})
    description = answer.json()
    assert description["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(description).validate()
    operations = [
        operation
        for path in description["paths"].values()
        for method, operation in path.items()
        if method in {"get", "post", "put", "patch", "delete"}
    ]
    assert len(operations) >= 24
    known = [{"key": []}, {"session": []}]
    superusers = {o["operationId"] for o in operations if o["security"] == [{"superuser_key": []}]}
    assert superusers == {"organisations_create", "organisations_remove"}
    enrolling = {o["operationId"] for o in operations if o["security"] == [{"enrolment_key": []}]}
    assert enrolling == {"enrol"}
    others = [o for o in operations if o["operationId"] not in superusers | enrolling]
    assert all(o["security"] == known for o in others)
    assert all(o["operationId"] and o["description"] for o in operations)


@pytest.mark.conformance("N01")
def test_the_description_is_made_without_a_warning() -> None:
    """A choice of two names, or a name made of a digest, would change with the next field."""
    assert schema_check(None) == []


class Addresses(HTMLParser):
    """What a page loads: src and href of everything that is not a link to follow."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inline = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.found += [v for k, v in attrs if k in ("src", "href") and v and tag != "a"]
        self.inline += tag == "script" and "src" not in values


@pytest.mark.conformance("N01")
def test_the_documentation_page_works_offline(client: Client) -> None:
    answer = client.get("/api/v1/docs")
    page = Addresses()
    page.feed(answer.content.decode())
    assert answer.status_code == 200
    assert page.inline == 0, "the content security policy stops a script inside the page"
    assert page.found
    for address in page.found:
        assert re.match(r"/[^/]", address), f"{address} leads elsewhere"
        if address.startswith("/static/"):
            assert finders.find(address.removeprefix("/static/")), address
        else:
            assert client.get(address).status_code == 200, address
    script = next(a for a in page.found if "script" in a)
    text = client.get(script).content.decode()
    assert "/api/v1/schema" in text
    assert not re.findall(r"https?://(?!localhost|testserver)", text)


def robot(world: World) -> dict[str, str]:
    world.here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    return {"Authorization": f"Bearer {world.here.keys['dora']}"}


def session(world: World) -> dict[str, str]:
    cookie = world.here.browser("ada").cookies["sessionid"].value
    return {"Cookie": f"sessionid={cookie}; csrftoken={CSRF}", "X-CSRFToken": CSRF}


def exercise(headers: dict[str, str], mode: GenerationMode, examples: int) -> int:
    """Send generated calls to every operation; returns how many were sent."""
    app = WSGIHandler()
    schema = schemathesis.openapi.from_wsgi(
        "/api/v1/schema", app, headers={"Accept": "application/json"}
    )
    sent = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def attempt(case: Any) -> None:
            nonlocal sent
            sent += 1
            # What the schema's security schemes would make up is replaced by a real caller.
            case.headers.pop("Authorization", None)
            case.cookies.clear()
            case.call_and_validate(headers=headers, checks=CHECKS)

        attempt()
    return sent


@pytest.mark.slow
@pytest.mark.conformance("N01")
@pytest.mark.timeout(300)
def test_the_api_keeps_to_its_description(lasting_world: World) -> None:
    """Calls that are not as described; those that are: tests/api/test_description_complete.py."""
    assert exercise(session(lasting_world), GenerationMode.NEGATIVE, examples=1) >= 60


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("caller", [robot, session])
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_the_api_keeps_to_its_description_for_long(
    lasting_world: World, caller: Any, mode: GenerationMode
) -> None:
    assert exercise(caller(lasting_world), mode, examples=200) >= 4000
