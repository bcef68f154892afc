"""Who holds a link joins the organisation that gave it, and gains nothing else (T17, W07)."""

import secrets
from datetime import timedelta
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.privacy.request_erasure import erase_member
from orgs.accounts.sessions import list_memberships
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.members.invitations import (
    INVITE_LIFETIME,
    accept_open_invitation,
    create_member,
    invite_member,
    list_open_invitations,
    withdraw_invitation,
)
from orgs.members.members import change_role, remove_member
from orgs.models.audit import AuditEntry
from orgs.models.users import User
from orgs.principals import resolve_principal
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, Tenant, World

pytestmark = pytest.mark.conformance("T17", "W07")


def invite(tenant: Tenant, email: str = "", role: str = "member") -> tuple[str, str]:
    email = email or f"{secrets.token_hex(6)}@new.example"
    _, secret = invite_member(
        tenant.person("ada"), email=email, name="Nora", role=role, now=timezone.now()
    )
    return email, f"/invite/{tenant.id}/{secret}"


def belongs_to(email: str) -> set[UUID]:
    return {o.id for _, o in list_memberships(User.objects.get(email=email))}


def test_a_new_address_chooses_a_password_and_the_link_is_spent(world: World) -> None:
    email, url = invite(world.here)
    client = Client()
    assert f"Join {world.here.organisation.name}" in response_text(client.get(url))
    assert belongs_to(email) == set()
    assert client.post(url, {"password": "12345678"}).status_code == 422
    assert client.post(url, {"password": "four odd words here"})["Location"] == "/"
    assert client.get("/memories/").status_code == 200
    for response in (client.get(url), Client().post(url, {"password": "another one entirely"})):
        assert response.status_code == 404
        assert "does not work any more" in response_text(response)


def test_a_link_never_opens_an_account_that_is_somebodys(world: World) -> None:
    mina = get_user(world.here, "mina")
    _, url = invite(world.there, mina.email)
    page = Client().get(url)
    assert "Sign in with it, then join" in response_text(page)
    thief = Client()
    thief.post(url, {"password": "taken over by me"})
    assert "_auth_user_id" not in thief.session
    assert User.objects.get(pk=mina.pk).check_password(PASSWORD)
    assert belongs_to(mina.email) == {world.here.id}
    # Somebody else who is signed in is told whose it is, and joins nothing.
    bob = make_signed_in_client(world.here, "bob")
    assert "for somebody else" in response_text(bob.post(url))
    assert world.there.id not in belongs_to(get_user(world.here, "bob").email)
    # Mina herself joins with one press.
    client = make_signed_in_client(world.here, "mina")
    assert client.post(url)["Location"] == "/"
    assert belongs_to(mina.email) == {world.here.id, world.there.id}


def test_who_seizes_an_address_in_one_organisation_gains_nothing_in_another(world: World) -> None:
    """Two organisations invite the same new address; the maker of one link uses it first."""
    email, theirs = invite(world.there)
    _, ours = invite(world.here, email)
    seizer = Client()
    assert seizer.post(theirs, {"password": "taken over by me"}).status_code == 302
    assert belongs_to(email) == {world.there.id}
    assert seizer.get(f"/organisations/{world.here.organisation.slug}/").status_code == 404
    assert world.here.organisation.name not in response_text(seizer.get("/organisations/"))
    # The other link does not set a second password; it wants the account.
    owner = Client()
    assert "somebody else may have made it" in response_text(owner.get(ours))
    owner.post(ours, {"password": "mine by right of mail"})
    assert "_auth_user_id" not in owner.session


def test_inviting_again_ends_the_old_link_and_withdrawing_ends_it_all(world: World) -> None:
    email, first = invite(world.here)
    _, second = invite(world.here, email, role="viewer")
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    member = invite_member(world.here.person("ada"), email=email, now=timezone.now())[0]
    withdraw_invitation(world.here.person("ada"), member_id=member.id, now=timezone.now())
    assert Client().get(second).status_code == 404
    with pytest.raises(AlreadyExistsError):
        invite(world.here, get_user(world.here, "bob").email)


def test_the_command_of_the_machine_vouches_for_accounts_that_exist(world: World) -> None:
    mina = get_user(world.here, "mina")
    member, secret = create_member(
        organisation_id=world.there.id, email=mina.email, now=timezone.now()
    )
    assert secret == ""
    assert member.joined_at
    assert belongs_to(mina.email) == {world.here.id, world.there.id}


def test_forged_invitations(world: World) -> None:
    _, url = invite(world.here)
    secret = url.split("/")[-1]
    for forged in (
        f"/invite/{world.there.id}/{secret}",
        f"/invite/{UUID(int=1)}/{secret}",
        f"/invite/{world.here.id}/x",
        f"/invite/{world.here.id}/%00",
    ):
        assert Client().get(forged).status_code == 404, forged


@pytest.mark.parametrize("end", ["role", "removed", "erased"])
def test_an_invitation_ends_with_the_rights_of_who_sent_it(world: World, end: str) -> None:
    """Else an admin who was shown out comes back by an invitation to another address of theirs."""
    here, now = world.here, timezone.now()
    ada, bob = here.person("ada"), here.members["bob"].id
    here.members["bob"] = change_role(ada, member_id=bob, role="admin", now=now)
    sent, kept = (
        invite_member(who, email=f"{name}@{secrets.token_hex(6)}.example", role="admin", now=now)
        for name, who in (("sent", here.person("bob")), ("kept", ada))
    )
    verified = sent[0].user
    verified.emailaddress_set.create(email=verified.email, verified=True)
    assert [member.id for member, _ in list_open_invitations(verified, now)] == [sent[0].id]
    match end:
        case "role":
            change_role(ada, member_id=bob, role="curator", now=now)
        case "removed":
            remove_member(ada, member_id=bob, now=now)
        case "erased":
            erase_member(ada, bob, confirm=str(bob), now=now)
    assert Client().get(f"/invite/{here.id}/{sent[1]}").status_code == 404
    assert list_open_invitations(verified, now) == []
    with pytest.raises(NotFoundError):
        accept_open_invitation(verified, organisation_id=here.id, now=now)
    assert Client().get(f"/invite/{here.id}/{kept[1]}").status_code == 200
    with resolve_principal(ada).scope():
        (entry,) = AuditEntry.objects.filter(action="member.uninvited")
        assert (entry.target, entry.member) == (sent[0].id, here.members["ada"].id)


def test_who_is_an_admin_no_more_invites_nobody_in_a_call_that_began_before(world: World) -> None:
    here, now = world.here, timezone.now()
    ada, bob = here.person("ada"), here.members["bob"].id
    here.members["bob"] = change_role(ada, member_id=bob, role="admin", now=now)
    began = here.person("bob")
    change_role(ada, member_id=bob, role="member", now=now)
    with pytest.raises(PermissionError):
        invite_member(began, email="late@new.example", role="admin", now=now)


def test_an_expired_invitation_is_over_for_who_can_sign_in_too(world: World) -> None:
    here, now = world.here, timezone.now()
    member, _ = invite_member(here.person("ada"), email="tardy@new.example", now=now)
    member.user.emailaddress_set.create(email=member.user.email, verified=True)
    late = now + INVITE_LIFETIME
    assert list_open_invitations(member.user, late - timedelta(seconds=1))
    assert list_open_invitations(member.user, late) == []
    with pytest.raises(NotFoundError):
        accept_open_invitation(member.user, organisation_id=here.id, now=late)


def test_the_link_of_a_closed_account_joins_nothing(world: World) -> None:
    """Support has closed it; a link must not give it a first password."""
    email, url = invite(world.here)
    User.objects.filter(email=email).update(is_active=False)
    assert Client().get(url).status_code == 404
    client = Client()
    assert client.post(url, {"password": "four odd words here"}).status_code == 404
    assert "_auth_user_id" not in client.session
    assert not User.objects.get(email=email).has_usable_password()
    assert belongs_to(email) == set()
