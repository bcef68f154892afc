"""An organisation with people who sign in moves there and back (O18)."""

import secrets

import pytest
from django.conf import settings
from django.utils import timezone

from orgs.accounts.sessions import list_memberships
from orgs.members.invitations import accept_invitation, create_member, invite_member
from orgs.members.members import remove_member
from orgs.members.settle_accounts import settle_due_copies
from orgs.models.users import User
from orgs.placement.account_copies import list_copies
from orgs.placement.moving import move_organisation as moves
from orgs.placement.placements import forget_placements
from tests.orgs.placement.test_people import copies
from tests.orgs.placement.two_servers import HOME, move, rows_of
from tests.world import PASSWORD, Tenant, World


def count_accounts(tenant: Tenant) -> int:
    """How many of its people have an account at home that opens by a password."""
    accounts = User.objects.filter(pk__in=[one.user_id for one in tenant.members.values()])
    return sum(one.has_usable_password() for one in accounts)


@pytest.mark.conformance("O18")
def test_its_people_go_along_and_stay_signed_in(
    lasting_world: World, admin: str, second_database: str
) -> None:
    here, home = lasting_world.here, settings.DATABASES["default"]["NAME"]
    mina = User.objects.get(pk=here.members["mina"].user_id)
    # One of two organisations stays at home.
    create_member(
        organisation_id=lasting_world.there.id, email=mina.email, name="M.", now=timezone.now()
    )
    browser = here.browser("ada")
    assert browser.get("/memories/").status_code == 200
    before, accounts = rows_of(here.id, home), len(here.members)
    move(here, admin)
    assert rows_of(here.id, second_database) == before
    assert count_accounts(here) == accounts, "accounts stay at home"
    assert browser.get("/memories/").status_code == 200
    assert browser.get("/people/").status_code == 200
    assert {o.id for _, o in list_memberships(mina)} == {here.id, lasting_world.there.id}
    for member in here.members.values():
        [(_, _, is_open, password, *rights)] = copies(second_database, member.user_id)
        assert (is_open, password, rights) == (True, "!", [False, False])
    # Both directions: roles and people change on the other server.
    remove_member(here.person("ada"), member_id=here.members["bob"].id, now=timezone.now())
    move(here, HOME)
    settle_due_copies(seconds=0)
    for member in here.members.values():
        assert copies(second_database, member.user_id) == []
        assert list_copies(member.user_id) == []
    assert browser.get("/memories/").status_code == 200
    bob = User.objects.get(pk=here.members["bob"].user_id)
    assert list_memberships(bob) == []
    assert count_accounts(here) == accounts


@pytest.mark.slow
def test_who_is_invited_while_it_moves_can_join(
    near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager, links = near.robot("rover", "read", "write", "manage"), {}

    def invite(name: str) -> None:
        if name in ("subscribed", "indexed"):
            email = f"{secrets.token_hex(6)}@example.org"
            _, links[email] = invite_member(manager, email=email, now=timezone.now())
            # What is due meanwhile is looked at, before the membership has arrived there.
            settle_due_copies(seconds=0)

    with monkeypatch.context() as patch:
        patch.setattr(moves, "log_step", invite)
        move(near, admin)
    assert len(links) == 2
    for email, secret in links.items():
        accept_invitation(
            organisation_id=near.id, secret=secret, password=PASSWORD, now=timezone.now()
        )
        account = User.objects.get(email=email)
        assert len(copies(second_database, account.pk)) == 1
        assert [o.id for _, o in list_memberships(account)] == [near.id]


@pytest.mark.slow
def test_a_move_that_is_cancelled_leaves_no_copy(
    lasting_world: World, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here

    def stop(name: str) -> None:
        if name == "indexed":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(moves, "log_step", stop)
        with pytest.raises(KeyboardInterrupt):
            move(here, admin)
    assert copies(second_database, here.members["ada"].user_id) != []
    moves.cancel_move(here.id)
    settle_due_copies(seconds=0)
    forget_placements()
    assert rows_of(here.id, second_database) == {}
    for member in here.members.values():
        assert copies(second_database, member.user_id) == []
    assert here.browser("ada").get("/memories/").status_code == 200
