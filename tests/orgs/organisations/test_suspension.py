"""A suspended organisation is closed by every door, and opens again as it was."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.organisations.suspension import set_suspended
from tests.config.mcp.mcp_site import McpSite, message, with_site
from tests.fast_path import FastPathSite
from tests.isolation.api_surface import (
    ABSENT_FILLER,
    Operation,
    api_operations,
    iter_url_patterns,
    mem0_operations,
    openapi_path,
)
from tests.isolation.comparable_responses import send
from tests.page_client import make_signed_in_client
from tests.robots.access.test_enrolment import enrol, make
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("W23")
REASON = "The invoice of May is open."
CODE = "urn:commonmind:problem:suspended"
# What anybody may ask who calls nobody's memory.
OPEN = {"/api/v1/schema", "/api/v1/docs"}


def suspend(here: Tenant, *, ends: bool = False, reason: str = REASON) -> bool:
    now = timezone.now()
    return set_suspended(here.id, suspended=not ends, reason=reason, now=now)


def place(operation: Operation) -> str:
    address = operation.address
    for slot in operation.slots:
        if slot.where == "path":
            address = address.replace(f"{{{slot.path[0]}}}", ABSENT_FILLER)
    return address


@pytest.mark.parametrize("who", ["robot", "session"])
def test_every_call_of_the_api_is_refused(lasting_world: World, who: str) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The canteen closes at two.")
    client = here.api("aria") if who == "robot" else here.browser("ada")
    assert client.get("/api/v1/memories").json()["results"]
    suspend(here)
    refused = 0
    for operation in [*api_operations(), *(mem0_operations() if who == "robot" else [])]:
        answer = send(client, operation, place(operation), {}, operation.body)
        text = answer.content.decode()
        assert "canteen" not in text, operation
        if operation.address in OPEN:
            continue
        assert answer.status_code in (401, 403), (operation, text)
        refused += CODE in text or REASON.rstrip(".") in text
    assert refused >= 180
    told = client.get("/api/v1/memories").json()
    assert (told["type"], REASON.rstrip(".") in told["detail"]) == (CODE, True)


def test_every_page_leads_to_the_choice_of_organisations(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.person("ada"), "The canteen closes at two.")
    client = make_signed_in_client(here, "ada")
    assert "canteen" in client.get("/memories/").content.decode()
    suspend(here)
    closed = 0
    for route, pattern in iter_url_patterns():
        address = "/" + openapi_path(route).lstrip("/")
        if address.startswith(("/api/", "/mem0/", "/accounts/", "/admin/", "/operate/")):
            continue
        if "{" in address or getattr(pattern.callback, "view_class", None):
            continue
        answer = client.get(address)
        assert "canteen" not in answer.content.decode(errors="replace"), address
        closed += answer.status_code == 302 and answer["Location"] == "/organisations/"
    assert closed >= 40
    page = client.get("/organisations/").content.decode()
    assert REASON in page
    assert f'href="/organisations/{here.organisation.slug}/"' not in page
    assert client.get("/memories/", headers={"HX-Request": "true"})["HX-Redirect"] == (
        "/organisations/"
    )


def test_the_straight_way_is_closed_as_well(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The canteen closes at two.")
    here.embed()
    site, body = FastPathSite(), {"query": "When does the canteen close?"}
    assert [site.post(here.keys["aria"], body)[0] for _ in range(2)] == [200, 200]
    assert site.went == [False, True]
    suspend(here)
    status, _, told = site.post(here.keys["aria"], body)
    assert (status, told["type"], site.went[-1]) == (403, CODE, False)
    suspend(here, ends=True)
    assert site.post(here.keys["aria"], body)[0] == 200


def test_assistants_and_newcomers_are_refused(lasting_world: World) -> None:
    here = lasting_world.here
    secret = make(here)
    suspend(here)
    status, told = enrol(secret, name="Nova")
    assert (status, told["type"]) == (403, CODE)

    async def ask(site: McpSite) -> Any:
        return await site.post(here.keys["aria"], message("tools/list"))

    answer = with_site(ask)
    assert answer.status_code == 403
    assert REASON.rstrip(".") in answer.text
    suspend(here, ends=True)
    assert enrol(secret, name="Nova")[0] == 201


def test_others_notice_nothing_and_it_opens_again_as_it_was(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    here.remember(here.robot("aria"), "The canteen closes at two.")
    before = here.api("aria").get("/api/v1/memories").content
    assert suspend(here)
    assert not suspend(here), "it is already"
    assert there.api(next(iter(there.keys))).get("/api/v1/me").status_code == 200
    assert suspend(here, ends=True)
    assert not suspend(here, ends=True)
    assert here.api("aria").get("/api/v1/memories").content == before
    with organisation_scope(here.id):
        acts = list(AuditEntry.objects.filter(action__startswith="organisation."))
    assert [one.action for one in sorted(acts, key=lambda one: one.id)][-2:] == [
        "organisation.suspended",
        "organisation.resumed",
    ]


def test_what_the_workers_have_to_do_goes_on(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The canteen closes at two.")
    suspend(here)
    here.embed()
    suspend(here, ends=True)
    found = here.api("aria").post("/api/v1/recall", {"query": "canteen"}, format="json").json()
    assert found["results"][0]["content"] == "The canteen closes at two."


def command(*words: str) -> Any:
    out = io.StringIO()
    call_command("organisations", "--json", *words, stdout=out)
    return json.loads(out.getvalue())


def test_the_command_lists_suspends_and_resumes(lasting_world: World) -> None:
    here = lasting_world.here
    slug = here.organisation.slug
    here.remember(here.robot("aria"), "The canteen closes at two.")
    kept = command("list")[slug]
    assert (kept["memories"], kept["suspended_at"]) == (1, None)
    done = command("suspend", slug, "--reason", REASON)
    assert done == {"organisation": slug, "state": "suspended", "changed": True}
    assert command("list")[slug]["suspended_at"]
    refused = APIClient().get(
        "/api/v1/memories", headers={"Authorization": f"Bearer {here.keys['aria']}"}
    )
    assert refused.status_code == 403
    assert command("resume", slug) == {"organisation": slug, "state": "open", "changed": True}
    with pytest.raises(CommandError, match="at most 200"):
        command("suspend", slug, "--reason", "x" * 201)
    with pytest.raises(CommandError):
        command("suspend", "nowhere")
