"""Acts are played, and the audit trail is read: who, what, on which thing, and never a text."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from memories.browsing.playground_recall import recall_as
from memories.context import team_working_memory
from memories.curation import review_decisions
from memories.curation.edit_memory import edit_memory, restore_version
from memories.curation.review_decisions import ReviewDecision
from memories.curation.share_memory import share_memory
from memories.curation.split_memory import split_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.knowledge_graph import entities
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.forget_all import forget_all, undo_forget_all
from memories.privacy.opt_out import make_shared_private, set_sharing
from memories.review.item_locks import assign_item
from memories.review.models import ProposalState
from memories.review.propose import propose_correction, report_memory
from memories.review.review_queue import filter_items
from memories.webhooks.endpoints import (
    create_endpoint,
    delete_endpoint,
    rotate_secret,
    update_endpoint,
)
from orgs.database.rls import organisation_scope
from orgs.members.invitations import invite_member, withdraw_invitation
from orgs.members.member_settings import set_learning_paused, set_time_zone
from orgs.members.members import change_role, remove_member
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id
from orgs.organisations.groups import set_confidential, set_contradiction_policy, set_profile
from orgs.organisations.organisations import update_organisation
from orgs.principals import resolve_principal
from robots.access import robot_administration
from robots.access.acting_for_members import create_delegation, revoke_delegation
from robots.access.key_limits import update_key_limits
from robots.identities.identity_links import confirm_identity, link_member_identity, unlink_identity
from robots.people.directory import (
    create_group_with_members,
    update_group,
    update_group_members,
)
from robots.people.members_without_account import create_member_without_account
from robots.people.people_administration import change_group_members, create_named_group
from robots.teams import failover, team_robots
from robots.teams.teams import create_team, remove_team, update_team
from tests.world import NOW, Tenant, World

SECRET = "The launch of Spinnaker moves to the third of June, said Mina in the kitchen."


def entries(here: Tenant) -> list[AuditEntry]:
    with organisation_scope(here.id):
        return list(AuditEntry.objects.order_by("id"))


def kept(here: Tenant, **fields: object) -> UUID:
    return here.remember(here.person("mina"), SECRET, **fields).id


def item(here: Tenant, who: str = "bob") -> UUID:
    here.remember(here.person(who), SECRET, visibility="organisation")
    principal = resolve_principal(here.person("ada"))
    with principal.scope():
        return filter_items(principal, {"state": ProposalState.OPEN})[0].id


def leave(here: Tenant) -> UUID:
    return create_delegation(
        organisation_id=here.id,
        member_id=here.members["mina"].id,
        robot_id=here.robots["bolt"].id,
        actor=here.person("mina"),
        now=NOW,
    ).id


def key(here: Tenant) -> UUID:
    made, _ = robot_administration.create_robot_key(
        here.person("ada"), robot_id=here.robots["bolt"].id, key_id=new_id(), label="x",
        scopes=("read",), lifetime=timedelta(days=9), now=timezone.now(),
    )  # fmt: skip
    return made.id


def webhook(here: Tenant) -> UUID:
    url, events = "https://hooks.example.org/", ["memory.created"]
    return create_endpoint(
        ADA(here), url=url, events=events, with_text=False, now=timezone.now()
    ).endpoint.id


def pair(here: Tenant) -> str:
    """Aria leads, Bolt waits."""
    return str(here.add_team("pair", "aria", "bolt").id)


def given(here: Tenant) -> UUID:
    who = here.person("mina")
    return entities.add_entity(who, memory=kept(here), type="company", name="Acme", now=NOW).id


def edited(here: Tenant) -> UUID:
    edit_memory(here.person("mina"), id_ := kept(here), {"content": "At six."}, now=NOW)
    return id_


def forgotten(here: Tenant) -> UUID:
    forget_memory(here.person("mina"), id_ := kept(here), now=NOW)
    return id_


def open_to_admins(here: Tenant) -> UUID:
    return create_named_group(here.person("ada"), name="sales", confidential=False, now=NOW).id


def known_as(here: Tenant) -> str:
    """A name of Bob's elsewhere that a robot has told of."""
    bob = str(here.members["bob"].id)
    link_member_identity(here.robot("aria"), bob, {"identity": "telegram:4711"}, now=NOW)
    return bob


Prepared = Callable[[Tenant], object]
Act = Callable[[Tenant, object], object]
ADA, MINA = (lambda t: t.person("ada")), (lambda t: t.person("mina"))
# The actions that an act records, what has to be there before, and the act.
ACTS: list[tuple[str, Prepared, Act]] = [
    ("memory.edited", kept, lambda t, id_: edit_memory(MINA(t), id_, {"importance": 1}, now=NOW)),
    ("memory.archived", kept, lambda t, id_: archive_memory(MINA(t), id_, now=NOW)),
    ("memory.forgotten", kept, lambda t, id_: forget_memory(MINA(t), id_, now=NOW)),
    ("memory.restored", forgotten, lambda t, id_: restore_memory(MINA(t), id_, now=NOW)),
    ("memory.shared", kept, lambda t, id_: share_memory(
        MINA(t), id_, visibility="group", readers={}, group="launch", now=NOW)),
    ("memory.divided", lambda t: t.remember(MINA(t), (
        "The launch of Spinnaker moves to June. The office in Rome opens on Monday.")).id,
     lambda t, id_: split_memory(MINA(t), id_, now=NOW)),
    ("memory.edited", edited,
     lambda t, id_: restore_version(MINA(t), id_, 1, version=2, now=NOW)),
    ("memories.forgotten", kept, lambda t, _: forget_all(MINA(t), now=NOW)),
    ("memories.restored", lambda t: (kept(t), forget_all(MINA(t), now=NOW)),
     lambda t, _: undo_forget_all(MINA(t), forgotten_at=NOW, now=NOW)),
    ("memory.shared", lambda t: kept(t, visibility="group", group="launch"),
     lambda t, _: make_shared_private(MINA(t), now=NOW)),
    ("proposal.correction", lambda t: t.remember(t.robot("bolt"), SECRET).id,
     lambda t, id_: propose_correction(MINA(t), id_, content="At eight.", now=NOW)),
    ("proposal.report", lambda t: t.remember(t.robot("bolt"), SECRET).id,
     lambda t, id_: report_memory(MINA(t), id_, reason="Wrong.", now=NOW)),
    # Widening by approval is an entry of its own.
    ("memory.shared proposal.approved", item,
     lambda t, id_: review_decisions.approve_item(ADA(t), id_, ReviewDecision(version=1), now=NOW)),
    ("proposal.rejected", item,
     lambda t, id_: review_decisions.reject_item(
         ADA(t), id_, ReviewDecision(reason="No."), now=NOW)),
    ("proposal.assigned", item,
     lambda t, id_: assign_item(ADA(t), id_, t.members["chidi"].id, now=NOW)),
    ("proposal.reopened", lambda t: review_decisions.reject_item(
        ADA(t), item(t), ReviewDecision(reason="No."), now=NOW).id,
     lambda t, id_: undo_review_decision(ADA(t), id_, now=NOW)),
    ("entity.given", lambda t: None, lambda t, _: given(t)),
    ("entity.changed", given,
     lambda t, id_: entities.update_entity(MINA(t), id_, {"name": "Acme Ltd"}, now=NOW)),
    ("entity.removed", given, lambda t, id_: entities.remove_entity(MINA(t), id_, now=NOW)),
    ("playground.asked", lambda t: None, lambda t, _: recall_as(
        ADA(t), "launch", member=t.members["vera"].id, organisation="Here", limit=5, now=NOW)),
    ("learning.paused", lambda t: None,
     lambda t, _: set_learning_paused(MINA(t), paused=True, now=NOW)),
    ("learning.resumed", lambda t: set_learning_paused(MINA(t), paused=True, now=NOW),
     lambda t, _: set_learning_paused(MINA(t), paused=False, now=NOW)),
    ("sharing.stopped", lambda t: None, lambda t, _: set_sharing(MINA(t), out=True, now=NOW)),
    ("sharing.allowed", lambda t: None, lambda t, _: set_sharing(MINA(t), out=False, now=NOW)),
    ("member.time_zone", lambda t: None,
     lambda t, _: set_time_zone(MINA(t), "Asia/Tokyo", now=NOW)),
    ("delegation.given", lambda t: None, lambda t, _: leave(t)),
    ("delegation.revoked", leave, lambda t, id_: revoke_delegation(
        organisation_id=t.id, delegation_id=id_, actor=MINA(t), now=NOW)),
    ("member.role", lambda t: None, lambda t, _: change_role(
        ADA(t), member_id=t.members["bob"].id, role="curator", now=NOW)),
    ("member.removed", lambda t: None, lambda t, _: remove_member(
        ADA(t), member_id=t.members["bob"].id, now=NOW)),
    ("member.invited", lambda t: None, lambda t, _: invite_member(
        ADA(t), email=f"new@{t.organisation.slug}.example", now=NOW)),
    ("member.uninvited", lambda t: invite_member(
        ADA(t), email=f"new@{t.organisation.slug}.example", now=NOW)[0].id,
     lambda t, id_: withdraw_invitation(ADA(t), member_id=id_, now=NOW)),
    ("member.created", lambda t: None,
     lambda t, _: create_member_without_account(ADA(t), {"name": "Zoe"}, NOW)),
    ("group.created", lambda t: None,
     lambda t, _: create_named_group(ADA(t), name="sales", confidential=True, now=NOW)),
    ("group.created", lambda t: None,
     lambda t, _: create_group_with_members(
         ADA(t), {"external_id": "sales", "name": "sales"}, NOW)),
    ("group.members", open_to_admins, lambda t, id_: change_group_members(
        ADA(t), group_id=id_, add=[t.members["vera"].id], now=NOW)),
    ("group.members", lambda t: None, lambda t, _: update_group_members(
        ADA(t), t.groups["launch"], [str(t.members["vera"].id)], [], NOW)),
    ("organisation.changed", lambda t: None, lambda t, _: update_organisation(
        ADA(t), {"language": "german"}, now=NOW).id),
    ("group.renamed", lambda t: None, lambda t, _: update_group(
        ADA(t), t.groups["launch"], {"name": "Lift-off"}, NOW)),
    ("group.confidential", lambda t: None, lambda t, _: set_confidential(
        actor=ADA(t), group=t.groups["launch"], confidential=False, now=NOW)),
    ("group.profile", lambda t: None, lambda t, _: set_profile(
        actor=ADA(t), group=t.groups["launch"], profile="strict", now=NOW)),
    ("group.contradiction_policy", lambda t: None, lambda t, _: set_contradiction_policy(
        actor=ADA(t), group=t.groups["launch"], policy="ask", now=NOW)),
    ("identity.linked", lambda t: None, lambda t, _: known_as(t)),
    ("identity.confirmed", known_as, lambda t, bob: confirm_identity(
        ADA(t), bob, "telegram:4711", now=NOW)),
    ("identity.unlinked", known_as,
     lambda t, bob: unlink_identity(ADA(t), bob, "telegram:4711", now=NOW)),
    ("robot.registered robot.seated", open_to_admins,
     lambda t, id_: robot_administration.create_robot(
        ADA(t), reference="dora", name="dora", purpose="", groups=[id_], now=NOW)),
    ("robot.changed", lambda t: None, lambda t, _: robot_administration.update_robot_description(
        ADA(t), robot_id=t.robots["bolt"].id, name="bolt", purpose="", personality="Dry.",
        now=NOW)),
    ("robot.seated", open_to_admins, lambda t, id_: robot_administration.set_robot_groups(
        ADA(t), robot_id=t.robots["bolt"].id, groups=[id_], now=NOW)),
    ("team.created", lambda t: None,
     lambda t, _: create_team(ADA(t), {"name": "pair"}, now=NOW)),
    ("team.changed", pair,
     lambda t, id_: update_team(ADA(t), id_, {"working_memory_tokens": 9}, now=NOW)),
    ("team.removed", pair, lambda t, id_: remove_team(ADA(t), id_, now=NOW)),
    ("team.robot_added", pair, lambda t, id_: team_robots.add_team_robot(
        ADA(t), id_, str(t.robots["clio"].id), now=NOW)),
    ("team.robot_removed", pair, lambda t, id_: team_robots.remove_team_robot(
        ADA(t), id_, str(t.robots["bolt"].id), now=NOW)),
    ("team.promoted", pair,
     lambda t, id_: failover.record_heartbeat(t.robot("bolt"), id_, now=timezone.now())),
    ("team.promoted", pair,
     lambda t, id_: failover.promote_robot(t.robot("bolt"), id_, now=timezone.now())),
    ("team.demoted", lambda t: (id_ := pair(t), failover.promote_robot(
        ADA(t), id_, str(t.robots["bolt"].id), now=NOW))[0],
     lambda t, id_: failover.demote_robot(ADA(t), id_, str(t.robots["aria"].id), now=NOW)),
    ("team.transferred", lambda t: (pair(t), t.add_team("other", "aria")),
     lambda t, _: team_working_memory.transfer_team_working_memory(
         ADA(t), "pair", "other", now=NOW)),
    ("key.created", lambda t: None, lambda t, _: key(t)),
    ("key.renewed", key,
     lambda t, id_: robot_administration.renew_key(ADA(t), key_id=id_, now=timezone.now())),
    ("key.limited", key,
     lambda t, id_: update_key_limits(
         ADA(t), key_id=id_, given={"networks": ["203.0.113.0/24"]}, now=timezone.now())),
    ("key.revoked", key,
     lambda t, id_: robot_administration.revoke_robot_key(ADA(t), key_id=id_, now=timezone.now())),
    ("webhook.created", lambda t: None, lambda t, _: webhook(t)),
    ("webhook.changed", webhook, lambda t, id_: update_endpoint(
        ADA(t), id_, {"enabled": False}, now=timezone.now())),
    ("webhook.changed", webhook, lambda t, id_: rotate_secret(
        ADA(t), id_, now=timezone.now()).endpoint.id),
    ("webhook.deleted", webhook, lambda t, id_: delete_endpoint(ADA(t), id_, now=timezone.now())),
]  # fmt: skip


@pytest.mark.conformance("T18")
@pytest.mark.parametrize(("actions", "prepared", "act"), ACTS)
def test_an_act_leaves_its_entry(world: World, actions: str, prepared: Prepared, act: Act) -> None:
    here = world.here
    before = prepared(here)
    known = len(entries(here))
    act(here, before)
    added = entries(here)[known:]
    assert sorted(entry.action for entry in added) == actions.split()
    for entry in added:
        assert entry.member or entry.robot, "somebody did it"
        assert entry.target or entry.detail, "to something"
        assert "Spinnaker" not in str(entry.detail), "no text"
