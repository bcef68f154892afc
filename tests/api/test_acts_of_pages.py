"""What the pages do to an organisation, its groups, members, robots and keys, the API does too."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from orgs.urls import pages as pages_of_orgs
from robots.urls import pages as pages_of_robots
from tests.isolation.api_surface import ABSENT_FILLER, iter_url_patterns, openapi_schema
from tests.world import World

# Pages of other apps that change what belongs to the organisation and is no memory.
ALSO = ("review/gates/", "tiers/policy/", "overview/demo/", "me/robot/")
# Below accounts/ a person changes their own account, which belongs to no organisation.
# By the name of the page that takes a form: the calls that do the same.
CALLS = {
    "group-add": ["POST /groups"],
    "group-confidential": ["PATCH /groups/{reference}"],
    "group-contradictions": ["PATCH /groups/{reference}"],
    "group-profile": ["PATCH /groups/{reference}"],
    "group-seat": ["POST /groups/{reference}/members"],
    "group-unseat": ["POST /groups/{reference}/members"],
    "invite": ["POST /invitations"],
    "uninvite": ["DELETE /invitations/{member_id}"],
    "person-role": ["PATCH /members/{reference}"],
    "person-remove": ["DELETE /members/{reference}"],
    "person-link": ["POST /members/{reference}/identities"],
    "identity-confirm": ["POST /members/{reference}/identities/{identity}/confirm"],
    "identity-unlink": ["DELETE /members/{reference}/identities/{identity}"],
    "robot-add": ["POST /robots"],
    "robot-describe": ["PATCH /robots/{reference}"],
    "robot-seats": ["POST /groups/{reference}/robots"],
    "key-add": ["POST /robots/{reference}/keys"],
    "key-limits": ["PATCH /robots/{reference}/keys/{key_id}"],
    "key-renew": ["POST /robots/{reference}/keys/{key_id}/renew"],
    "key-revoke": ["DELETE /robots/{reference}/keys/{key_id}"],
    "enrolment-add": ["POST /enrolment-keys"],
    "enrolment-revoke": ["DELETE /enrolment-keys/{key_id}"],
    "me-robot": ["POST /me/robot/keys"],  # the first key makes the robot
    "me-robot-key": ["POST /me/robot/keys"],
    "me-robot-key-revoke": ["DELETE /me/robot/keys/{key_id}"],
    "team-add": ["POST /teams"],
    "team-change": ["PATCH /teams/{reference}"],
    "team-remove": ["DELETE /teams/{reference}"],
    "team-robot-add": ["POST /teams/{reference}/robots"],
    "team-robot-remove": ["DELETE /teams/{reference}/robots/{robot}"],
    "team-promote-page": ["POST /teams/{reference}/promote"],
    "team-demote-page": ["POST /teams/{reference}/demote"],
    "gates": ["POST /gate/terms"],
    "gates-remove": ["DELETE /gate/terms/{term_id}"],
    "gates-policy": ["PUT /organisation/gate-policy"],
    "tier-policy": ["PATCH /organisation/ageing-policy"],
}
# Forms without a call of their own, and why.
PAGES_ALONE = {
    "oauth-authorize": "a person lets an assistant in, in the browser that it sent there",
    "oauth-token": "OAuth, for assistants alone",
    "oauth-revoke": "OAuth, for assistants alone",
    "oauth-register": "OAuth, for assistants alone",
    "invitation": "a person joins with a password or as the account that is signed in",
    "organisation-join": "a person joins as the account that single sign-on has verified",
    "organisations": "it changes nothing: the list of the person's organisations",
    "organisation": "which organisation the browser shows",
    "tier-policy-preview": "it changes nothing: what a policy would do, in words",
    "demo-remove": "the demo was made for the browser, and its removal signs people out",
}
IDS = {"uuid": ABSENT_FILLER, "int": "1"}


def forms(client: Client) -> Iterator[str]:
    """The names of the pages about the organisation that take a form."""
    own_patterns = [*pages_of_orgs, *pages_of_robots]
    for route, pattern in iter_url_patterns():
        ours = pattern in own_patterns or route.startswith(ALSO)
        if ours:
            path = re.sub(r"<(\w+):\w+>", lambda found: IDS.get(found[1], "x"), f"/{route}")
            if client.post(path).status_code != 405:
                yield str(pattern.name)


@pytest.mark.conformance("D01")
def test_every_form_about_the_organisation_has_a_call(world: World) -> None:
    """A new form is in the table, with its call or with a reason; the calls exist."""
    found = set(forms(Client()))
    assert found == CALLS.keys() | PAGES_ALONE.keys()
    assert not CALLS.keys() & PAGES_ALONE.keys()
    paths = openapi_schema()["paths"]
    for name, calls in CALLS.items():
        for call in calls:
            method, _, address = call.partition(" ")
            assert method.lower() in paths.get(f"/api/v1{address}", {}), (name, call)
