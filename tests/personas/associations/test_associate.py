"""Who says which persona a member has, and what follows."""

import logging
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import DatabaseError

from memories.access.consent import SharingOptOutError
from memories.privacy.opt_out import set_sharing
from memories.safety import detectors
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.principals import Actor
from personas.associations.association_changes import (
    confirm_association,
    delete_association,
    ensure_association,
    visible_associations,
)
from personas.block_writes.attachments import attach_blocks
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.errors import BlockReadOnlyError, PersonalDataError
from personas.models.blocks import Block, BlockRobot
from personas.models.personas import Association, Persona
from personas.registry.handles import InvalidHandleError
from robots.access.personal_robot_actor import resolve_owner_actor
from robots.errors import ImpersonationError, MissingScopeError
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    block_labels,
    get_block_by_label,
    make_association,
    make_owner_actor,
    make_personal_robot,
    make_robot_client,
)
from tests.world import NOW, Tenant, World

SHARED = f"{QSR}_service_experience"
LATER = NOW + timedelta(days=3)


def rows(tenant: Tenant) -> list[Association]:
    with organisation_scope(tenant.id):
        return list(Association.objects.select_related("persona").order_by("id"))


def attached(tenant: Tenant) -> int:
    with organisation_scope(tenant.id):
        return BlockRobot.objects.count()


@pytest.mark.conformance("P03")
def test_said_again_it_is_the_same_row_and_last_confirmed_moves(world: World) -> None:
    first = make_association(world.here, "mina")
    again = make_association(world.here, "mina", confidence=0.4, now=LATER)
    (row,) = rows(world.here)
    assert (first.new, again.new, row.id) == (True, False, first.association.id)
    assert (row.discovered_at, row.last_confirmed_at, row.confidence) == (
        day_of(NOW),
        day_of(LATER),
        0.4,
    )
    assert first.association.confidence == 1.0
    # Said again without a number it keeps the one it has; an older clock moves nothing back.
    make_association(world.here, "mina", now=NOW)
    (row,) = rows(world.here)
    assert (row.last_confirmed_at, row.confidence) == (day_of(LATER), 0.4)


@pytest.mark.conformance("P03")
def test_it_goes_with_the_member_and_with_the_persona(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    make_association(here, "bob", "food_quality")
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=NOW)
    assert [row.member_id for row in rows(here)] == [here.members["bob"].id]
    with organisation_scope(here.id):
        assert not Block.objects.filter(member_id=here.members["mina"].id).exists()
        Persona.objects.get(handle="food_quality").delete()
    assert rows(here) == []
    assert attached(here) == 0


@pytest.mark.conformance("P12")
def test_an_unknown_handle_makes_the_persona_and_its_block(world: World) -> None:
    done = make_association(world.here, "mina", "food_quality")
    assert (done.made, done.association.persona.role) == (True, "Quality")
    assert "food_quality_service_experience" in block_labels(make_owner_actor(world.here, "mina"))
    assert make_association(world.here, "bob", "food_quality").made is False


@pytest.mark.conformance("P12")
def test_a_handle_that_names_somebody_is_refused(world: World) -> None:
    """Everybody in the organisation reads handles."""
    for handle in ("john_smith", "mina_sales", "walmart_buyer"):
        with pytest.raises(InvalidHandleError, match="names an industry"):
            make_association(world.here, "bob", handle)
    for handle in ("food_quality", "hotel_revenue_management", "b2b_sales", "health_nursing"):
        assert make_association(world.here, "bob", handle).made


def test_a_new_handle_that_nobody_could_check_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_given: object) -> Any:
        raise RecursionError

    monkeypatch.setattr(detectors, "detect_personal_data", breaks)
    with pytest.raises(InvalidHandleError, match="names an industry"):
        make_association(world.here, "bob", "food_quality")
    assert not make_association(world.here, "bob", QSR).made


@pytest.mark.conformance("P12")
def test_another_robot_waits_and_reads_nothing(world: World) -> None:
    here = world.here
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    with pytest.raises(MissingScopeError):
        ensure_association(
            here.robot("aria", "write"), member=mina, handle=QSR, confidence=None, now=NOW
        )
    done = ensure_association(aria, member=mina, handle=QSR, confidence=0.7, now=NOW)
    assert done.association.confirmed_at is None
    robot = make_personal_robot(here, "mina")
    assert SHARED not in block_labels(resolve_owner_actor(robot))
    assert attached(here) == 0
    # It says so again: still nothing, and not another confidence.
    ensure_association(aria, member=mina, handle=QSR, confidence=1, now=LATER)
    (row,) = rows(here)
    assert (row.confirmed_at, row.confidence, row.last_confirmed_at) == (None, 0.7, day_of(LATER))
    with pytest.raises(NotFoundError):
        confirm_association(here.person("bob"), row.id, now=NOW)
    with pytest.raises(PermissionError):
        confirm_association(resolve_owner_actor(robot), row.id, now=NOW)
    confirm_association(here.person("mina"), row.id, now=LATER)
    assert SHARED in block_labels(resolve_owner_actor(robot))
    assert attached(here) == 1


@pytest.mark.conformance("P12")
def test_who_curates_confirms_and_says_so_of_anybody(world: World) -> None:
    here = world.here
    bob = str(here.members["bob"].id)
    ensure_association(here.robot("aria"), member=bob, handle=QSR, confidence=None, now=NOW)
    (row,) = rows(here)
    confirm_association(here.person("chidi"), row.id, now=NOW)
    (row,) = rows(here)
    assert row.confirmed_by_id == here.members["chidi"].id
    done = ensure_association(
        here.person("chidi"), member=bob, handle=RETAIL, confidence=None, now=NOW
    )
    assert done.association.confirmed_at == day_of(NOW)


@pytest.mark.conformance("P12")
def test_a_personal_robot_speaks_for_its_own_member_alone(world: World) -> None:
    here = world.here
    robot = make_personal_robot(here, "mina")
    for other in (str(here.members["bob"].id), "chat:nobody", str(world.there.members["bob"].id)):
        with pytest.raises(ImpersonationError):
            ensure_association(robot, member=other, handle=QSR, confidence=None, now=NOW)
    with pytest.raises(ImpersonationError):
        ensure_association(
            here.person("mina"),
            member=str(here.members["bob"].id),
            handle=QSR,
            confidence=None,
            now=NOW,
        )
    with pytest.raises(NotFoundError):
        ensure_association(here.robot("aria"), member=None, handle=QSR, confidence=None, now=NOW)
    with pytest.raises(PermissionError):
        ensure_association(here.person("vera"), member=None, handle=QSR, confidence=None, now=NOW)
    assert rows(here) == []
    client = make_robot_client(here, "mina")
    body = {"member": str(here.members["bob"].id), "handle": QSR}
    assert client.post("/api/v1/personas/associations", body, format="json").status_code == 403


@pytest.mark.conformance("P10")
def test_the_block_is_attached_to_every_personal_robot_once(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    make_association(here, "bob")
    assert attached(here) == 2
    make_association(here, "mina", now=LATER)
    assert attached(here) == 2
    with organisation_scope(here.id):
        # Ada has the persona and, as yet, no robot.
        persona = Persona.objects.get(handle=QSR)
        Association.objects.create(
            organisation_id=here.id, member=here.members["ada"], persona=persona,
            discovered_at=NOW, last_confirmed_at=NOW, confirmed_at=NOW,
        )  # fmt: skip
        assert attach_blocks(here.id, now=NOW, persona_id=persona.id) == 0
    # Her robot comes later, and with it the block.
    make_personal_robot(here, "ada")
    assert attached(here) == 3
    shown = make_robot_client(here, "ada").get("/api/v1/blocks").json()["results"]
    assert [one["attached"] for one in shown if one["label"] == SHARED] == [True]


@pytest.mark.conformance("P30")
def test_a_failed_attach_is_a_warning_and_the_association_stands(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        patch("personas.block_writes.attachments.fetch_all", side_effect=DatabaseError("no room")),
    ):
        done = make_association(world.here, "mina")
    assert done.association.confirmed_at == day_of(NOW)
    assert {r.levelname for r in caplog.records if "could not be attached" in r.message} == {
        "WARNING"
    }
    assert attached(world.here) == 0
    # The block is read all the same, and attached the next time.
    assert SHARED in block_labels(make_owner_actor(world.here, "mina"))
    robot = make_personal_robot(world.here, "mina")
    ensure_association(robot, member=None, handle=QSR, confidence=None, now=LATER)
    assert attached(world.here) == 1


@pytest.mark.conformance("P30")
def test_what_happens_to_personas_and_blocks_is_a_line_of_the_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Associated, made, attached, refused, detached: which persona and how many, never of whom."""
    here = world.here
    with caplog.at_level(logging.INFO, logger="commonmind.personas"):
        done = make_association(here, "mina", "airline_ground_staff")
        mina = make_owner_actor(here, "mina")
        shared = get_block_by_label(mina, "airline_ground_staff_service_experience")
        with pytest.raises(PersonalDataError):
            add_entry(
                mina, get_block_by_label(mina, "user_persona_profile").block.id,
                "Write to jane.roe@example.org.", wanted=WriteOptions(), now=NOW,
            )  # fmt: skip
        with pytest.raises(BlockReadOnlyError):
            add_entry(here.person("mina"), shared.block.id, "Tea.", wanted=WriteOptions(), now=NOW)
        delete_association(here.person("mina"), done.association.id, now=NOW)
    lines = [one for one in caplog.records if one.name == "commonmind.personas"]
    said = [one.getMessage() for one in lines]
    assert [one for one in said if one != "blocks made"] == [
        "block made", "blocks attached", "persona associated", "block write refused",
        "block write refused", "blocks detached",
    ]  # fmt: skip
    assert said.count("blocks made") == 1
    persona = str(done.association.persona_id)
    about = {one.getMessage(): vars(one) for one in lines}
    assert {one["organisation"] for one in about.values()} == {str(here.id)}
    for name in ("block made", "blocks attached", "persona associated", "blocks detached"):
        assert about[name]["persona"] == persona, name
    assert (about["blocks attached"]["count"], about["blocks detached"]["count"]) == (1, 1)
    refused = [(one.layer, one.reason) for one in lines if "refused" in one.getMessage()]
    assert refused == [
        ("user_persona_profile", "PersonalData"), ("service_experience", "BlockReadOnly"),
    ]  # fmt: skip
    member = str(here.members["mina"].id)
    for one in lines:
        assert member not in str(vars(one))
        assert "jane" not in str(vars(one))


@pytest.mark.conformance("P22")
def test_taken_back_it_opens_nothing_and_the_others_keep_it(world: World) -> None:
    here = world.here
    done = make_association(here, "mina")
    make_association(here, "bob")
    for who in ("bob", "vera"):
        with pytest.raises(NotFoundError):
            delete_association(here.person(who), done.association.id, now=NOW)
    delete_association(here.person("mina"), done.association.id, now=NOW)
    assert SHARED not in block_labels(make_owner_actor(here, "mina"))
    assert SHARED not in block_labels(here.person("mina"))
    assert SHARED in block_labels(make_owner_actor(here, "bob"))
    assert attached(here) == 1
    with organisation_scope(here.id):
        kept = AuditEntry.objects.get(action="association.removed")
    assert kept.detail["member"] == str(here.members["mina"].id)


def test_a_robot_with_leave_cannot_take_a_persona_away(world: World) -> None:
    here = world.here
    done = make_association(here, "mina")
    trusted = Actor(
        organisation_id=here.id, robot_id=here.robots["aria"].id,
        member_id=here.members["mina"].id, delegated=True,
    )  # fmt: skip
    with pytest.raises(PermissionError):
        delete_association(trusted, done.association.id, now=NOW)
    assert len(rows(here)) == 1


@pytest.mark.conformance("P19")
def test_who_opts_out_reads_nothing_and_gets_no_persona(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    set_sharing(here.person("mina"), out=True, now=NOW)
    for who in (
        here.person("mina"),
        make_owner_actor(here, "mina"),
        make_personal_robot(here, "mina"),
    ):
        assert SHARED not in block_labels(who)
    with pytest.raises(SharingOptOutError):
        ensure_association(
            make_personal_robot(here, "mina"), member=None, handle=RETAIL, confidence=None, now=NOW
        )
    set_sharing(here.person("mina"), out=False, now=LATER)
    assert SHARED in block_labels(make_owner_actor(here, "mina"))


def test_each_sees_their_own_and_who_curates_sees_all(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    make_association(here, "bob", RETAIL)

    def seen(actor: Actor) -> set[str]:
        with organisation_scope(here.id):
            return {one.persona.handle for one in visible_associations(actor)}

    assert seen(here.person("mina")) == seen(make_owner_actor(here, "mina")) == {QSR}
    assert seen(make_personal_robot(here, "bob")) == {RETAIL}
    assert seen(here.person("chidi")) == {QSR, RETAIL}
    assert seen(here.robot("aria")) == seen(here.person("vera")) == set()


@pytest.mark.conformance("P18")
def test_every_step_is_in_the_audit_trail(world: World) -> None:
    here = world.here
    done = make_association(here, "mina", "food_quality")
    make_association(here, "mina", "food_quality")
    delete_association(here.person("mina"), done.association.id, now=NOW)
    with organisation_scope(here.id):
        found = AuditEntry.objects.filter(action__regex="^(association|persona|robot)\\.")
        actions = list(found.order_by("id").values_list("action", flat=True))
    assert actions == [
        "robot.personal", "persona.made", "association.made", "association.repeated",
        "association.removed",
    ]  # fmt: skip
