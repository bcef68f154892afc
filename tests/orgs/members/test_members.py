"""Organisations and members: roles, one membership a user, and what goes when they go."""

import pytest
from django.db import IntegrityError, connection, transaction

from memories.store.models.memory import Memory
from orgs.accounts.sessions import list_memberships
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.members.invitations import create_member
from orgs.models.audiences import Audience
from orgs.models.memberships import ExternalIdentity, Member
from orgs.models.organisations import GroupMembership, Organisation
from orgs.models.users import User
from orgs.organisations.organisations import create_organisation
from orgs.organisations.references import get_member, link_identity
from robots.models.robots import Robot
from tests.world import NOW, World


@pytest.mark.conformance("Z01")
def test_there_are_four_roles_and_no_fifth(world: World) -> None:
    here = world.here
    assert {str(member.role) for member in here.members.values()} == {
        "admin", "curator", "member", "viewer"
    }  # fmt: skip
    for role in ("admin", "curator", "member", "viewer"):
        member, _ = create_member(organisation_id=here.id, name="New", role=role, now=NOW)
        assert member.role == role
    with pytest.raises(IntegrityError, match="member_role_known"), transaction.atomic():
        create_member(organisation_id=here.id, name="King", role="king", now=NOW)


@pytest.mark.conformance("Z01")
def test_a_user_is_a_member_once_in_each_organisation(world: World) -> None:
    here, there = world.here, world.there
    user = here.members["mina"].user
    with pytest.raises(AlreadyExistsError):
        create_member(organisation_id=here.id, email=user.email, now=NOW)
    # In any spelling of the address, and in the database itself.
    with pytest.raises(AlreadyExistsError):
        create_member(organisation_id=here.id, email=f" {user.email.upper()} ", now=NOW)
    with (
        organisation_scope(here.id),
        pytest.raises(IntegrityError, match="member_once"),
        transaction.atomic(),
    ):
        Member.objects.create(organisation_id=here.id, user=user, name="Mina again")
    elsewhere, _ = create_member(
        organisation_id=there.id, email=user.email, role="curator", now=NOW
    )
    assert elsewhere.user_id == user.pk
    assert {(o.id, m.role) for m, o in list_memberships(user)} == {
        (here.id, "member"), (there.id, "curator")
    }  # fmt: skip


@pytest.mark.conformance("Z01")
def test_members_are_made_read_changed_and_removed(world: World) -> None:
    here = world.here
    member, secret = create_member(
        organisation_id=here.id, email="nora@example.org", name="Nora", now=NOW
    )
    assert secret
    link_identity(
        organisation_id=here.id,
        platform="telegram",
        identifier="77",
        member_id=member.id,
        confirmed_at=NOW,
    )
    with organisation_scope(here.id):
        assert get_member(here.id, "telegram:77").id == member.id
        Member.objects.filter(id=member.id).update(role="viewer")
        assert get_member(here.id, str(member.id)).role == "viewer"
        GroupMembership.objects.create(
            organisation_id=here.id, group=here.groups["launch"], member=member
        )
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM orgs_member WHERE id = %s", [member.id])
        assert not ExternalIdentity.objects.filter(member_id=member.id).exists()
        assert not GroupMembership.objects.filter(member_id=member.id).exists()
        with pytest.raises(NotFoundError):
            get_member(here.id, "telegram:77")
    assert User.objects.filter(email="nora@example.org").exists()


@pytest.mark.conformance("Z01")
def test_an_organisation_takes_all_that_is_its_own_along(world: World) -> None:
    here, there = world.here, world.there
    for tenant in (here, there):
        tenant.remember(tenant.robot("aria"), "The office closes at six.", group="launch")
        tenant.remember(tenant.person("mina"), "Mine.")
    everything = (Organisation, Member, Robot, Audience, GroupMembership, Memory)

    def counted() -> list[int]:
        audiences = []
        for tenant in (here, there):
            with organisation_scope(tenant.id):
                audiences.append(tuple(Audience.objects.values_list("id", flat=True)))
        counts = []
        for tenant, readable in zip((here, there), audiences, strict=True):
            with scope(Scope(organisation=tenant.id, audiences=readable)):
                counts.append([model.objects.count() for model in everything])
        return counts

    before = counted()
    assert before[0] == before[1]
    assert all(before[0])
    with organisation_scope(here.id), connection.cursor() as cursor:
        cursor.execute("DELETE FROM orgs_organisation WHERE id = %s", [here.id])
        assert cursor.rowcount == 1
    gone, kept = counted()
    assert (gone, kept) == ([0] * len(everything), before[1])


@pytest.mark.conformance("Z01")
def test_a_slug_is_taken_once(world: World) -> None:
    with pytest.raises(AlreadyExistsError):
        create_organisation(name="Other", slug=world.here.organisation.slug, now=NOW)
