"""People who sign in, in an organisation on another server (O15, O18)."""

import re
import secrets
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memories import tasks
from memories.jobs.run_jobs import run_job
from memories.privacy.request_erasure import erase_member_unchecked
from orgs.accounts.sessions import list_memberships
from orgs.database.driver.servers import WrongServerError, on_server
from orgs.database.rls import organisation_scope
from orgs.members import settle_accounts
from orgs.members.invitations import accept_invitation, create_member, invite_member
from orgs.members.member_erasure import erase_member
from orgs.members.members import change_role, remove_member
from orgs.members.settle_accounts import settle_due_copies
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.placement import account_copies, placements
from orgs.placement.all_organisations import list_memberships_ever
from tests.orgs.placement.two_servers import ROLES, admin_url
from tests.world import PASSWORD, Tenant, World


def copies(database: str, account: UUID) -> list[tuple[Any, ...]]:
    """(address, name, open, password, staff, superuser) of an account's copy."""
    with psycopg.connect(admin_url(database)) as connection:
        return connection.execute(
            "SELECT email, name, is_active, password, is_staff, is_superuser FROM orgs_user "
            "WHERE id = %s",
            [account],
        ).fetchall()


def named_copies(account: UUID) -> list[tuple[str, bool]]:
    """(server, whether it is due) of each copy."""
    return [(one.server, one.due_at is not None) for one in account_copies.list_copies(account)]


def enter(email: str, password: str = PASSWORD) -> Client:
    """A browser in which somebody signs in by the form."""
    browser = Client()
    answer = browser.post(reverse("account_login"), {"email": email, "password": password})
    assert answer.status_code == 302, answer.content
    return browser


def join(tenant: Tenant, email: str, **given: Any) -> Member:
    member, secret = invite_member(tenant.person("ada"), email=email, now=timezone.now(), **given)
    accept_invitation(
        organisation_id=tenant.id, secret=secret, password=PASSWORD, now=timezone.now()
    )
    return member


@pytest.fixture
def email() -> str:
    return f"{secrets.token_hex(6)}@example.org"


@pytest.mark.conformance("O15", open="tried on one machine alone, not on several hosts")
def test_who_signs_in_sees_the_organisation_and_what_is_remembered(
    town: Tenant, second_database: str
) -> None:
    mina = town.members["mina"]
    account = User.objects.get(pk=mina.user_id)
    stored = town.api("aria").post(
        "/api/v1/memories",
        {"content": "The pump in hall four runs at 40 bar.", "group": "launch"},
        format="json",
    )
    assert stored.status_code == 201, stored.content
    town.read()
    browser = enter(account.email)
    assert "hall four" in browser.get(f"/memories/{stored.json()['id']}/").content.decode()
    assert [o.id for _, o in list_memberships(account)] == [town.id]
    # The copy opens nothing, and the server of the organisation has no session.
    [(address, _, is_open, password, staff, superuser)] = copies(second_database, account.pk)
    assert (address, is_open, password, staff, superuser) == (
        account.email,
        True,
        "!",
        False,
        False,
    )
    with psycopg.connect(admin_url(second_database)) as connection:
        for table in ("django_session", "orgs_signin", "orgs_accountcopy", "account_emailaddress"):
            rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert rows == (0,), table


@pytest.mark.parametrize("name", ["ada", "vera"])
def test_every_page_that_a_link_leads_to_is_shown(name: str, town: Tenant) -> None:
    """Pages of accounts among them, which the home server alone knows."""
    for content in ("The pump runs at 40 bar.", "Bob owns the pump."):
        town.remember(town.robot("aria"), content, group="launch")
    browser, seen, waiting = town.browser(name), set[str](), ["/", "/accounts/"]
    while waiting and len(seen) < 150:
        address = waiting.pop(0)
        if address in seen or "logout" in address or address.startswith(("/static/", "/api/")):
            continue
        seen.add(address)
        answer = browser.get(address, follow=True)
        assert answer.status_code in (200, 404), (address, answer.status_code)
        if answer.headers["Content-Type"].startswith("text/html") and not answer.streaming:
            waiting += re.findall(r'href="(/[^"#]*)', answer.content.decode())
    assert len(seen) > 40


def test_an_invitation_is_made_and_accepted(town: Tenant, email: str, second_database: str) -> None:
    member, secret = invite_member(town.person("ada"), email=email, now=timezone.now())
    account = User.objects.get(email=email)
    assert not account.has_usable_password()
    assert list_memberships(account) == []
    browser, link = Client(), reverse("invitation", args=[town.id, secret])
    assert "Choose a password" in browser.get(link).content.decode()
    answer = browser.post(link, {"password": PASSWORD})
    assert answer.status_code == 302, answer.content
    assert [m.id for m, _ in list_memberships(account)] == [member.id]
    assert browser.get("/memories/").status_code == 200
    assert Client().get(link).status_code == 404, "a link works once"
    [(_, _, _, password, _, _)] = copies(second_database, account.pk)
    assert password == "!", "the password stays at home"


def test_who_has_a_password_signs_in_to_accept(
    town: Tenant, lasting_world: World, second_database: str
) -> None:
    ada = User.objects.get(pk=lasting_world.here.members["bob"].user_id)
    _, secret = invite_member(town.person("ada"), email=ada.email, now=timezone.now())
    link = reverse("invitation", args=[town.id, secret])
    assert "has an account here already" in Client().get(link).content.decode()
    with pytest.raises(PermissionError):
        accept_invitation(
            organisation_id=town.id, secret=secret, password="another one", now=timezone.now()
        )
    browser = Client()
    browser.force_login(ada)
    assert browser.post(link).status_code == 302
    assert {o.id for _, o in list_memberships(ada)} == {town.id, lasting_world.here.id}


def test_roles_change_and_who_leaves_reads_nothing(town: Tenant, email: str) -> None:
    ada, member = town.person("ada"), join(town, email)
    change_role(ada, member_id=member.id, role="curator", now=timezone.now())
    account = User.objects.get(email=email)
    [(found, _)] = list_memberships(account)
    assert found.role == "curator"
    browser = enter(email)
    assert browser.get("/memories/").status_code == 200
    remove_member(ada, member_id=member.id, now=timezone.now())
    assert list_memberships(account) == []
    assert browser.get("/memories/").status_code != 200
    assert Client().get("/memories/").status_code != 200


def test_who_is_erased_is_gone_from_both_servers(
    town: Tenant, email: str, second_database: str
) -> None:
    member = join(town, email)
    account = User.objects.get(email=email)
    enter(email)
    assert erase_member(town.id, member.id, now=timezone.now()) == 1
    assert not User.objects.filter(email=email).exists()
    assert copies(second_database, account.pk) == []
    assert named_copies(account.pk) == []
    assert erase_member(town.id, member.id, now=timezone.now()) == 0


def test_the_job_of_an_erasure_ends_the_account(
    town: Tenant, email: str, second_database: str
) -> None:
    member = join(town, email)
    account, browser = User.objects.get(email=email), enter(email)
    erasure = erase_member_unchecked(town.person("ada"), member.id, now=timezone.now())
    assert browser.get("/memories/").status_code != 200
    while run_job(town.id, erasure.job_id, None):
        pass
    assert not User.objects.filter(pk=account.pk).exists()
    assert copies(second_database, account.pk) == []


@pytest.mark.parametrize("first", ["town", "here"])
def test_a_person_of_two_servers_is_erased_in_one_and_then_in_the_other(
    first: str, town: Tenant, lasting_world: World, email: str, second_database: str
) -> None:
    here, now = lasting_world.here, timezone.now()
    there = join(town, email)
    account = User.objects.get(email=email)
    near, _ = create_member(organisation_id=here.id, email=email, name="Mina Two", now=now)
    assert near.user_id == account.pk
    assert {o.id for _, o in list_memberships(account)} == {town.id, here.id}
    order = [(town, there), (here, near)]
    if first == "here":
        order.reverse()
    (one, member), (other, left) = order
    assert erase_member(one.id, member.id, now=now) == 0
    assert [o.id for _, o in list_memberships(account)] == [other.id]
    assert bool(copies(second_database, account.pk)) == (other is town)
    assert erase_member(other.id, left.id, now=now) == 1
    assert not User.objects.filter(pk=account.pk).exists()
    assert copies(second_database, account.pk) == []
    assert named_copies(account.pk) == []


@pytest.mark.parametrize("erased_in", ["town", "here"])
def test_an_organisation_that_they_had_left_lets_go_of_the_account(
    erased_in: str, town: Tenant, lasting_world: World, email: str, second_database: str
) -> None:
    here, now = lasting_world.here, timezone.now()
    there = join(town, email)
    near, _ = create_member(organisation_id=here.id, email=email, name="Mina Two", now=now)
    account = User.objects.get(email=email)
    inside, left = (town, here) if erased_in == "town" else (here, town)
    ids = {town.id: there.id, here.id: near.id}
    remove_member(left.person("ada"), member_id=ids[left.id], now=now)
    assert erase_member(inside.id, ids[inside.id], now=now) == 1
    assert not User.objects.filter(pk=account.pk).exists()
    assert copies(second_database, account.pk) == []
    assert list_memberships_ever(account.pk) == []
    with organisation_scope(left.id):
        assert Member.objects.get(id=ids[left.id]).user_id is None


def test_an_account_that_is_closed_or_renamed_is_so_on_both_servers(
    town: Tenant, email: str, second_database: str
) -> None:
    join(town, email)
    account = User.objects.get(email=email)
    account.is_active, account.email = False, f"new-{email}"
    account.save()
    [(address, _, is_open, *_)] = copies(second_database, account.pk)
    assert (address, is_open) == (f"new-{email}", False)
    # The old address may be somebody else's by now.
    other = join(town, email)
    [(address, *_)] = copies(second_database, other.user_id)
    assert address == email


def test_what_a_server_that_was_away_missed_is_brought_to_it(
    town: Tenant, email: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    join(town, email)
    account = User.objects.get(email=email)
    settle_due_copies(seconds=0)
    assert named_copies(account.pk) == [("north", False)]

    def away(*given: Any, **named: Any) -> None:
        raise OperationalError("no such host")

    with monkeypatch.context() as patch:
        for role in ROLES:
            connections[f"{role}@north"].close()
            patch.setattr(connections[f"{role}@north"], "get_new_connection", away)
        account.is_active = False
        account.save()
        assert settle_due_copies(seconds=0) == 0
    assert [is_open for _, _, is_open, *_ in copies(second_database, account.pk)] == [True]
    assert named_copies(account.pk) == [("north", True)]
    assert tasks.sweep_account_copies() == 0, "what was just marked may be about to be used"
    assert settle_due_copies(seconds=0) >= 1
    assert [is_open for _, _, is_open, *_ in copies(second_database, account.pk)] == [False]


def test_an_invitation_that_breaks_off_leaves_no_account(
    town: Tenant, email: str, second_database: str
) -> None:
    def break_off() -> None:
        with organisation_scope(town.id):
            invite_member(town.person("ada"), email=email, now=timezone.now())
            raise LookupError

    with pytest.raises(LookupError):
        break_off()
    account = User.objects.get(email=email)
    assert copies(second_database, account.pk) == []
    settle_due_copies(seconds=0)
    assert not User.objects.filter(pk=account.pk).exists()
    assert named_copies(account.pk) == []


def test_an_erasure_that_is_killed_is_finished_by_the_sweep(
    town: Tenant, email: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = join(town, email)
    account = User.objects.get(email=email)

    class KilledError(BaseException):
        pass

    def kill(*given: Any) -> int:
        raise KilledError

    def erase_and_sweep() -> None:
        erase_member(town.id, member.id, now=timezone.now())
        settle_due_copies(seconds=0)

    for name in ("settle_copy", "_end_account"):
        with monkeypatch.context() as patch:
            patch.setattr(settle_accounts, name, kill)
            with pytest.raises(KilledError):
                erase_and_sweep()
        assert User.objects.filter(pk=account.pk).exists()
    settle_due_copies(seconds=0)
    assert not User.objects.filter(pk=account.pk).exists()
    assert copies(second_database, account.pk) == []


def test_a_server_that_is_away_is_said_to_its_people_alone(
    town: Tenant, lasting_world: World, email: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, now = lasting_world.here, timezone.now()
    member = join(town, email)
    create_member(organisation_id=here.id, email=email, name="Mina Two", now=now)
    inside, outside = enter(email), enter(email)
    inside.get(reverse("organisation", args=[town.organisation.slug]))
    outside.get(reverse("organisation", args=[here.organisation.slug]))
    assert inside.get("/memories/").status_code == outside.get("/memories/").status_code == 200

    def away(*given: Any, **named: Any) -> None:
        raise OperationalError("no such host")

    for role in ROLES:
        connections[f"{role}@north"].close()
        monkeypatch.setattr(connections[f"{role}@north"], "get_new_connection", away)
    assert outside.get("/memories/").status_code == 200
    assert inside.get("/memories/").status_code == 503
    account = User.objects.get(email=email)
    with pytest.raises(OperationalError):
        list_memberships_ever(account.pk)
    with organisation_scope(here.id):
        near = Member.objects.get(user_id=account.pk)
    with pytest.raises(OperationalError):
        erase_member(here.id, near.id, now=now)
    monkeypatch.undo()
    assert User.objects.filter(pk=account.pk).exists()
    assert member.user_id == account.pk


def test_what_a_restore_of_the_other_server_brings_back_is_mended(
    town: Tenant, email: str, second_database: str
) -> None:
    """A copy of somebody who was erased since, and one of before its account was closed."""
    join(town, email)
    account, gone = User.objects.get(email=email), uuid4()
    account.is_active = False
    account.save()
    settle_due_copies(seconds=0)
    with psycopg.connect(admin_url(second_database), autocommit=True) as there:
        there.execute(
            "UPDATE orgs_user SET is_active = true, password = 'x' WHERE id = %s", [account.pk]
        )
        there.execute(
            "INSERT INTO orgs_user (id, email, name, is_active, password, is_staff, is_superuser, "
            "created_at) VALUES (%s, 'gone@example.org', '', true, '!', false, false, now())",
            [gone],
        )
    assert tasks.compare_account_copies() >= 2
    settle_due_copies(seconds=0)
    [(_, _, is_open, password, *_)] = copies(second_database, account.pk)
    assert (is_open, password) == (False, "!")
    assert copies(second_database, gone) == []
    tasks.compare_account_copies()
    assert named_copies(account.pk) == [("north", False)]


def test_nobody_reads_accounts_on_another_server(town: Tenant) -> None:
    with organisation_scope(town.id), pytest.raises(WrongServerError):
        User.objects.count()
    with on_server("north"), pytest.raises(WrongServerError):
        User.objects.first()


def test_a_membership_that_lies_on_both_servers_counts_where_it_is_placed(
    town: Tenant, email: str, second_database: str
) -> None:
    """As between the flip of a move and the deletion of what was left behind."""
    member = join(town, email)
    account = User.objects.get(email=email)
    home = settings.DATABASES["default"]["NAME"]
    with psycopg.connect(admin_url(second_database)) as there:
        role = there.execute("SELECT role FROM orgs_member WHERE id = %s", [member.id]).fetchone()
        assert role == ("member",)
        names = [f.column for f in Member._meta.fields]
        row = there.execute(
            f"SELECT {', '.join(names)} FROM orgs_member WHERE id = %s", [member.id]
        ).fetchone()
    with psycopg.connect(admin_url(home), autocommit=True) as here:
        here.execute("SET session_replication_role = 'replica'")
        marks = ", ".join(["%s"] * len(names))
        here.execute(f"INSERT INTO orgs_member ({', '.join(names)}) VALUES ({marks})", row)
        here.execute("UPDATE orgs_member SET role = 'admin' WHERE id = %s", [member.id])
        try:
            # A process that remembers that it lay at home.
            placements._known[town.id] = ("", float("inf"))
            [(found, _)] = list_memberships(account)
            assert found.role == "member"
        finally:
            here.execute("DELETE FROM orgs_member WHERE id = %s", [member.id])
