"""Proposals, keys that end and members who opt out: told once, and to whom (N08)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.curation.review_decisions import ReviewDecision, reject_item
from memories.privacy.opt_out import set_sharing
from memories.review.propose import report_memory
from memories.webhooks import read_acts
from orgs.database.rls import organisation_scope
from robots.access.keys import create_key, revoke_key
from robots.models.robots import RobotGroup
from tests.memories.webhooks.receiver import (
    Receiver,
    by_key,
    deliveries,
    endpoint,
    pump,
    read,
    say,
    send,
)
from tests.world import Tenant, World

pytestmark = [pytest.mark.conformance("N08"), pytest.mark.usefixtures("lasting_world")]
PROPOSALS = ["proposal.opened", "proposal.decided"]
LAUNCH: dict[str, Any] = {"visibility": "group", "group": "launch"}


def add_key(here: Tenant, robot: str, **ends: float) -> UUID:
    with organisation_scope(here.id):
        now = timezone.now()
        made, _ = create_key(
            organisation_id=here.id,
            robot_id=here.robots[robot].id,
            now=now,
            expires_at=now + timedelta(**ends),
        )
    return made.id


def test_a_proposal_is_told_as_it_opens_and_as_it_is_decided(
    here: Tenant, receiver: Receiver
) -> None:
    chidi = here.person("chidi")
    said = say(here.person("ada"), "The office closes at six.", visibility="organisation")
    endpoint(here.person("ada"), receiver.url, PROPOSALS, with_text=True)
    bob, why = here.person("bob"), "It is seven by now."
    item = report_memory(bob, said, reason=why, now=timezone.now())
    for _ in range(3):
        pump(here)
    reject_item(chidi, item.id, ReviewDecision(reason="It is six."), now=timezone.now())
    for _ in range(3):
        pump(here)
    opened, decided = (one.json for one in receiver.requests)
    assert opened["type"] == "proposal.opened"
    assert opened["data"] == {"id": str(item.id), "cause": "report"}
    assert decided["type"] == "proposal.decided"
    assert decided["data"] == {"id": str(item.id), "cause": "report", "state": "rejected"}
    assert b"six" not in b"".join(one.body for one in receiver.requests)


def test_a_proposal_is_told_to_who_reads_its_memory(
    lasting_world: World, here: Tenant, receiver: Receiver
) -> None:
    said = say(here.person("mina"), "The launch is on Monday.", **LAUNCH)
    aria = endpoint(by_key(here, "aria"), receiver.url, PROPOSALS)
    endpoint(by_key(here, "clio"), receiver.url, PROPOSALS)
    endpoint(here.person("ada"), receiver.url, PROPOSALS)
    endpoint(lasting_world.there.person("ada"), receiver.url, PROPOSALS)
    report_memory(here.person("bob"), said, reason="No.", now=timezone.now())
    for tenant in (here, lasting_world.there):
        read(tenant)
    assert deliveries(here, "endpoint_id") == [aria.endpoint.id]
    assert deliveries(lasting_world.there) == []
    # Who reads it no longer by then is not sent it.
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot_id=here.robots["aria"].id).delete()
    send(here)
    assert receiver.requests == []
    assert deliveries(here, "state") == ["withheld"]


def test_a_key_that_ends_within_a_week_is_told_once(here: Tenant, receiver: Receiver) -> None:
    own = add_key(here, "aria", days=6)
    other = add_key(here, "bolt", days=6)
    add_key(here, "aria", days=8)
    over = add_key(here, "aria", days=1)
    revoke_key(organisation_id=here.id, key_id=over, now=timezone.now())
    robot = endpoint(by_key(here, "aria"), receiver.url, ["key.expiring"])
    admin = endpoint(here.person("ada"), receiver.url, ["key.expiring"])
    for _ in range(3):
        pump(here)
    told = deliveries(here, "endpoint_id", "subject", "state")
    assert sorted(told, key=str) == sorted(
        [
            (robot.endpoint.id, own, "sent"),
            (admin.endpoint.id, own, "sent"),
            (admin.endpoint.id, other, "sent"),
        ],
        key=str,
    )
    assert {one.json["data"]["id"] for one in receiver.requests} == {str(own), str(other)}


def test_only_admins_are_told_who_opted_out(here: Tenant, receiver: Receiver) -> None:
    for who in (by_key(here, "aria"), by_key(here, "bolt"), here.person("ada")):
        endpoint(who, receiver.url, ["member.opted_out"])
    mina = here.person("mina")
    set_sharing(mina, out=True, now=timezone.now())
    for _ in range(2):
        pump(here)
    [request] = receiver.requests
    assert request.type == "member.opted_out"
    assert request.json["data"] == {"id": str(mina.member_id)}
    set_sharing(mina, out=False, now=timezone.now())
    pump(here)
    assert len(receiver.requests) == 1


def test_more_acts_than_fit_a_turn_are_told_in_the_next(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_acts, "MAX_ACTS", 2)
    monkeypatch.setattr(read_acts, "_OVERLAP", timedelta(0))
    endpoint(here.person("ada"), receiver.url, PROPOSALS)
    for text in ("One.", "Two.", "Three."):
        said = say(here.person("ada"), f"The office is on {text}", visibility="organisation")
        report_memory(here.person("bob"), said, reason="No.", now=timezone.now())
    assert read(here) == 2
    assert read(here) == 1
    assert read(here) == 0
