"""What becomes of webhooks with their owners (N08, T13, T14)."""

import pytest
from django.utils import timezone

from memories.privacy.export_my_data import iter_export
from memories.privacy.request_erasure import erase_member, erase_source, parse_source
from memories.webhooks.models import WebhookEndpoint
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.organisations.organisation_removal import close_organisation, remove_organisation
from tests.memories.privacy.erasure.test_erase_member import finish
from tests.memories.webhooks.receiver import (
    Receiver,
    by_key,
    deliveries,
    endpoint,
    pump,
    read,
    say,
)
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N08"), pytest.mark.usefixtures("lasting_world")]


def owners(here: Tenant) -> set[str]:
    with organisation_scope(here.id, using="worker"):
        rows = WebhookEndpoint.objects.using("worker").filter(organisation_id=here.id)
        found = rows.values_list("member_id", "robot_id")
        names = {one.id: name for name, one in (*here.members.items(), *here.robots.items())}
        return {names[member or robot] for member, robot in found}


def test_an_erased_member_leaves_none_behind(here: Tenant, receiver: Receiver) -> None:
    """Nor does their personal robot."""
    here.give_owner("clio", "ada")
    for who in (here.person("ada"), by_key(here, "clio"), by_key(here, "aria")):
        endpoint(who, receiver.url)
    say(here.person("ada"), "For all.", visibility="organisation")
    assert read(here) == 3
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["chidi"].id).update(role="admin")
    ada = here.members["ada"].id
    erasure = erase_member(here.person("ada"), ada, confirm=str(ada), now=timezone.now())
    finish(here, erasure)
    assert owners(here) == {"aria"}
    assert len(deliveries(here)) == 1


def test_an_erased_robot_leaves_none_behind(here: Tenant, receiver: Receiver) -> None:
    for name in ("aria", "bolt"):
        endpoint(by_key(here, name), receiver.url)
    source = f"robot:{here.robots['bolt'].id}"
    erasure = erase_source(
        here.person("ada"), parse_source(source), confirm=source, now=timezone.now()
    )
    finish(here, erasure)
    assert owners(here) == {"aria"}


def test_a_removed_organisation_leaves_nothing(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    say(here.person("mina"), "The launch is on Monday.", visibility="group", group="launch")
    read(here)
    close_organisation(here.id, now=timezone.now())
    assert pump(here) == 0
    assert receiver.requests == []
    while not remove_organisation(here.id, now=timezone.now(), seconds=60):
        pass
    assert deliveries(here) == []
    assert owners(here) == set()


def test_what_a_member_takes_along_names_their_webhooks(here: Tenant) -> None:
    ada = here.person("ada")
    made = endpoint(ada, "https://hooks.example.org/ada")
    endpoint(by_key(here, "aria"), "https://hooks.example.org/aria")
    taken = b"".join(iter_export(ada))
    assert b'"webhook":"https://hooks.example.org/ada"' in taken
    assert b"/aria" not in taken
    assert made.secret.encode() not in taken
    assert b'"webhook"' not in b"".join(iter_export(here.person("mina")))
