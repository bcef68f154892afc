"""Support finds one account by its exact address, ends its sign-ins, resets its second step."""

import re
import secrets
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.db import ProgrammingError, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from orgs.database.rls import Scope, scope
from orgs.models.memberships import Member
from orgs.models.sign_ins import SignIn
from orgs.models.support import SupportAct
from orgs.models.users import User
from orgs.support import accounts
from tests.databases import rolled_back_connection
from tests.orgs.support.support_staff import (
    REASON,
    find_member,
    look_up_account,
    make_staff,
    staff_audit_entries,
    support_audit_text,
)
from tests.page_client import SCOPE_STATEMENTS, get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, Tenant, World

pytestmark = pytest.mark.conformance("W20")
PROOF = "I rang the number in the contract."
NONE = "No account that you may look at has this address."
MOST_QUERIES = 12


def browsers(tenant: Tenant, name: str, *agents: str) -> list[Client]:
    """The person signs in from each of these browsers."""
    found = []
    for agent in agents:
        client = Client(headers={"user-agent": agent})
        sent = {"email": get_user(tenant, name).email, "password": PASSWORD}
        assert client.post("/accounts/login/", sent).status_code == 302
        found.append(client)
    return found


def lock(user: User) -> None:
    """Give them an app and recovery codes."""
    TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(user)


def reset(client: Client, email: str, proof: str = PROOF) -> object:
    return client.post("/admin/account/second-step/", {"email": email, "proof": proof})


def test_an_account_is_found_by_its_exact_address(lasting_world: World) -> None:
    here = lasting_world.here
    _, client = make_staff()
    assert client.get("/admin/account/")["Location"] == "/admin/"
    mina = find_member(client, here, "mina")
    shown = response_text(client.get("/admin/account/"))
    assert mina.email in shown
    assert here.organisation.name in shown
    assert "30 minutes left" in shown
    assert "Firefox" not in shown
    assert look_up_account(client, f"  {mina.email.upper()} ").status_code == 302
    with time_machine.travel(timezone.now() + timedelta(minutes=30, seconds=1)):
        assert client.get("/admin/account/").status_code == 302


def test_nothing_less_than_the_whole_address_finds_anybody(lasting_world: World) -> None:
    mina = get_user(lasting_world.here, "mina").email
    _, client = make_staff()
    for part in (mina[1:], mina[:-1], f"%{mina[1:]}", f"_{mina[1:]}", "nobody@nowhere.example"):
        answer = look_up_account(client, part)
        assert answer.status_code == 422
        assert NONE in response_text(answer)
        assert client.get("/admin/account/").status_code == 302
    for sent in ({}, {"account-email": mina}, {"account-email": mina, "account-reason": "x"}):
        assert client.post("/admin/account/find/", sent).status_code == 422


def test_colleagues_and_oneself_look_like_nobody(lasting_world: World) -> None:
    """The same words, the same status, as many statements: nothing tells them apart."""
    me, client = make_staff()
    root, above = make_staff(superuser=True)
    other, _ = make_staff()
    seen = set()
    client.get("/admin/")
    for email in (me.email, other.email, root.email, f"{secrets.token_hex(6)}@support.example"):
        with (
            CaptureQueriesContext(connections["default"]) as own,
            CaptureQueriesContext(connections["support"]) as theirs,
        ):
            answer = look_up_account(client, email)
        page = response_text(answer).replace(email, "").replace(me.email, "")
        page = re.sub(r'value="[\w-]{64}"|"X-CSRFToken": "\w+"|data-csrf="\w+"', "", page)
        seen.add((answer.status_code, page, len(own), len(theirs)))
    assert len(seen) == 1
    assert look_up_account(above, other.email).status_code == 302
    assert "Support accounts" in response_text(above.get("/admin/account/"))
    assert look_up_account(above, root.email).status_code == 422, (
        "one's own, on the page of one's own"
    )


def test_only_a_member_of_staff_is_answered_by_the_database(lasting_world: World) -> None:
    mina, ada = get_user(lasting_world.here, "mina"), get_user(lasting_world.here, "ada")
    sam, _ = make_staff()
    off, _ = make_staff()
    User.objects.filter(pk=off.pk).update(is_active=False)
    assert accounts.find_account(sam, mina.email) is not None
    for asker in (ada, off, User(pk=lasting_world.here.id)):
        assert accounts.find_account(asker, mina.email) is None
    statement = "SELECT search.support_account('x@y.example')"
    for role in ("default", "worker"):
        with (
            rolled_back_connection(role) as connection,
            pytest.raises(Exception, match="permission denied"),
        ):
            connection.execute(statement)


@pytest.mark.parametrize(
    "table", ["orgs_user", "orgs_signin", "mfa_authenticator", "django_session", "orgs_supportact"]
)
def test_the_role_reads_no_table_of_accounts(committed: None, table: str) -> None:
    with (
        rolled_back_connection("support") as connection,
        pytest.raises(Exception, match="permission denied"),
    ):
        connection.execute(f"SELECT * FROM {table}")


def test_a_secret_is_not_among_what_is_told(lasting_world: World) -> None:
    mina = get_user(lasting_world.here, "mina")
    lock(mina)
    browsers(lasting_world.here, "mina", "Firefox Linux")
    sam, _ = make_staff()
    with scope(Scope(user=sam.pk), using="support"), connections["support"].cursor() as cursor:
        cursor.execute("SELECT search.support_account(%s)::text", [mina.email])
        ((told,),) = cursor.fetchall()
    keys = SignIn.objects.filter(user=mina).values_list("session_key", flat=True)
    secrets_of_mina = [mina.password, *keys]
    assert not [one for one in secrets_of_mina if one in told]
    assert "password" not in told
    assert "secret" not in told


def test_look_ups_are_counted(lasting_world: World, settings: LazySettings) -> None:
    settings.LIMITS = settings.LIMITS | {"support-look-ups": 3}
    mina = get_user(lasting_world.here, "mina").email
    _, client = make_staff()
    statuses = [
        look_up_account(client, email).status_code for email in (mina, "no@x.example", mina, mina)
    ]
    assert statuses == [302, 422, 302, 429]
    _, other = make_staff()
    assert look_up_account(other, mina).status_code == 302, "each member of staff has their own"


def test_one_sign_in_is_ended_or_all(lasting_world: World) -> None:
    here = lasting_world.here
    agents = ("Firefox Linux", "Chrome Windows", "Safari iPhone")
    clients = browsers(here, "mina", *agents)
    bob = browsers(here, "bob", "Firefox Linux")[0]
    sam, client = make_staff()
    mina = find_member(client, here, "mina")
    page = response_text(client.get("/admin/account/"))
    assert [w for w in ("Firefox on Linux", "Chrome on Windows") if w not in page] == []
    firefox = SignIn.objects.get(user=mina, browser="Firefox on Linux")
    others = SignIn.objects.get(user=get_user(here, "bob"))
    assert client.post(f"/admin/account/sign-ins/{others.id}/end/").status_code == 404
    assert bob.get("/accounts/").status_code == 200
    assert client.post(f"/admin/account/sign-ins/{firefox.id}/end/").status_code == 302
    assert [c.get("/accounts/").status_code for c in clients] == [302, 200, 200]
    assert client.post("/admin/account/sign-ins/end/").status_code == 302
    assert [c.get("/accounts/").status_code for c in clients] == [302, 302, 302]
    assert not Session.objects.filter(session_key=firefox.session_key).exists()
    assert client.post("/admin/account/sign-ins/end/").status_code == 404
    told = [(e.action, e.detail, e.target) for e in staff_audit_entries(here, sam)]
    member = here.members["mina"].id
    assert told == [
        ("support.account_found", {}, member),
        ("support.signed_out", {"ended": 1, "browser": "Firefox on Linux"}, member),
        ("support.signed_out", {"ended": 2}, member),
    ]


def test_the_second_step_is_reset_after_the_address_was_typed(lasting_world: World) -> None:
    here = lasting_world.here
    mina = get_user(here, "mina")
    there = browsers(here, "mina", "Firefox Linux")[0]
    lock(mina)
    lock(get_user(here, "bob"))
    sam, client = make_staff()
    find_member(client, here, "mina")
    assert "Authenticator app" in response_text(client.get("/admin/account/"))
    for email, proof in (("", PROOF), (get_user(here, "bob").email, PROOF), (mina.email, "yes")):
        assert reset(client, email, proof).status_code == 422
    assert Authenticator.objects.filter(user=mina).count() == 2
    assert there.get("/accounts/").status_code == 200
    assert reset(client, mina.email).status_code == 302
    assert not Authenticator.objects.filter(user=mina).exists()
    assert Authenticator.objects.filter(user=get_user(here, "bob")).count() == 2
    assert there.get("/accounts/").status_code == 302
    assert reset(client, mina.email).status_code == 404, "there is none any more"
    (_, last) = staff_audit_entries(here, sam)
    assert (last.action, last.target) == ("support.second_step_reset", here.members["mina"].id)
    assert PROOF not in str(last.detail)


def test_the_person_reads_what_was_done_and_is_told_at_the_next_sign_in(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    mina = get_user(here, "mina")
    lock(mina)
    _, client = make_staff()
    find_member(client, here, "mina")
    reset(client, mina.email)
    back = Client()
    answer = back.post("/accounts/login/", {"email": mina.email, "password": PASSWORD}, follow=True)
    assert "Support took away your second step" in response_text(answer)
    page = response_text(back.get("/accounts/"))
    for words in ("Sam of support", "took away the second step", REASON, PROOF):
        assert words in page, words
    bob = make_signed_in_client(here, "bob")
    assert "What support did" not in response_text(bob.get("/accounts/"))
    lock(mina)
    again = make_signed_in_client(here, "mina")
    assert "Support took away your second step" not in response_text(again.get("/accounts/"))


def test_each_organisation_reads_its_own_part_and_no_reason(lasting_world: World) -> None:
    """Mina is in both, invited to neither more: each trail has her by its own id."""
    here, there = lasting_world.here, lasting_world.there
    mina = get_user(here, "mina")
    with scope(Scope(organisation=there.id)):
        Member.objects.filter(id=there.members["mina"].id).update(user=mina)
    sam, client = make_staff()
    look_up_account(client, mina.email, f"The admin of {there.organisation.name} asked for it.")
    shown = response_text(client.get("/admin/account/"))
    assert here.organisation.name in shown
    assert there.organisation.name in shown
    for tenant in (here, there):
        (entry,) = staff_audit_entries(tenant, sam)
        assert (entry.action, entry.target) == (
            "support.account_found",
            tenant.members["mina"].id,
        )
        assert entry.detail == {}
    page = response_text(make_signed_in_client(here, "ada").get("/audit/?kind=support"))
    assert "looked up the account of" in page
    assert there.organisation.name not in page


def test_what_keeps_somebody_out_is_said(lasting_world: World) -> None:
    here = lasting_world.here
    mina = get_user(here, "mina")
    User.objects.filter(pk=mina.pk).update(is_active=False, last_login=None)
    with scope(Scope(organisation=here.id)):
        Member.objects.filter(id=here.members["mina"].id).update(
            joined_at=None, invite_expires_at=timezone.now() - timedelta(days=1)
        )
    sam, client = make_staff()
    find_member(client, here, "mina")
    assert staff_audit_entries(here, sam) == [], "who has not joined is nobody's member yet"
    page = response_text(client.get("/admin/account/"))
    for words in (
        "The account is switched off",
        "Nobody has signed in with it yet",
        "It is in no organisation",
        f"The invitation to {here.organisation.name} has ended",
    ):
        assert words in page, words


def test_a_look_up_is_kept_for_good_and_without_the_address_that_found_nobody(
    lasting_world: World,
) -> None:
    mina = get_user(lasting_world.here, "mina")
    sam, client = make_staff()
    look_up_account(client, mina.email)
    look_up_account(client, "nobody@nowhere.example")
    with rolled_back_connection("admin") as connection:
        rows = connection.execute(
            "SELECT account_id, kind, reason, detail FROM orgs_supportact "
            "WHERE staff = %s ORDER BY at",
            [sam.pk],
        ).fetchall()
    assert [row[:3] for row in rows] == [
        (mina.pk, "looked_up", REASON),
        (None, "looked_up", ""),
    ]
    assert "nowhere" not in str(rows)
    for change in (SupportAct.objects.all().delete, lambda: SupportAct.objects.update(reason="")):
        with pytest.raises(ProgrammingError, match="permission denied"):
            change()
    for other in (sam, get_user(lasting_world.here, "bob")):
        with scope(Scope(user=other.pk)):
            assert not SupportAct.objects.exists()
    with scope(Scope(user=mina.pk)):
        assert SupportAct.objects.count() == 1
        with pytest.raises(ProgrammingError, match="row-level security"):
            SupportAct.objects.create(at=timezone.now(), staff=sam.pk, reason="", staff_name="")
    assert not SupportAct.objects.exists(), "outside a scope the table is empty"


def test_what_support_did_goes_with_the_account(lasting_world: World) -> None:
    mina = get_user(lasting_world.here, "mina")
    _, client = make_staff()
    look_up_account(client, mina.email)
    with scope(Scope(organisation=lasting_world.here.id)):
        Member.objects.filter(id=lasting_world.here.members["mina"].id).update(user=None)
    mina.delete()
    with rolled_back_connection("admin") as connection:
        rows = connection.execute("SELECT 1 FROM orgs_supportact WHERE account_id = %s", [mina.pk])
        assert rows.fetchall() == []


def test_the_page_asks_few_questions(lasting_world: World) -> None:
    lock(get_user(lasting_world.here, "mina"))
    browsers(lasting_world.here, "mina", "Firefox Linux", "Chrome Windows")
    _, client = make_staff()
    find_member(client, lasting_world.here, "mina")
    for url in ("/admin/account/", "/admin/account/second-step/"):
        with (
            CaptureQueriesContext(connections["default"]) as own,
            CaptureQueriesContext(connections["support"]) as theirs,
        ):
            assert client.get(url).status_code == 200
        asked = [q["sql"] for q in (*own, *theirs) if not q["sql"].startswith(SCOPE_STATEMENTS)]
        assert len(asked) <= MOST_QUERIES


def test_what_a_superuser_changes_is_read_by_the_person_and_the_organisation(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    mina = get_user(here, "mina")
    user, root = make_staff(superuser=True)
    change = f"/admin/orgs/user/{mina.pk}/change/"
    assert root.post(change, {"email": mina.email, "name": "Mina M.", "is_active": "on"})[
        "Location"
    ]
    words = "four odd words here"
    sent = {"usable_password": "true", "password1": words, "password2": words}
    assert root.post(f"/admin/orgs/user/{mina.pk}/password/", sent).status_code == 302
    told = [(e.action, e.target) for e in staff_audit_entries(here, user)]
    assert told == [("support.account_changed", here.members["mina"].id)] * 2
    assert "Sam (support) changed the account of Mina" in support_audit_text(here)
    page = response_text(make_signed_in_client(here, "mina").get("/accounts/"))
    assert page.count("changed the account: its name") == 2


def test_nobody_of_support_raises_their_own_rights(committed: None) -> None:
    sam, plain = make_staff()
    sent = {"email": sam.email, "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    for url in (f"/admin/orgs/user/{sam.pk}/change/", "/admin/orgs/user/add/"):
        assert plain.post(url, sent).status_code == 403
    assert not User.objects.get(pk=sam.pk).is_superuser


def test_accounts_are_changed_by_superusers_and_listed_for_nobody(lasting_world: World) -> None:
    mina = get_user(lasting_world.here, "mina")
    _, plain = make_staff()
    _, root = make_staff(superuser=True)
    listed = response_text(root.get("/admin/orgs/user/"))
    assert "@support.example" in listed
    for query in ("", "?q=mina", f"?email={mina.email}", "?is_staff__exact=0", "?all="):
        assert mina.email not in response_text(
            root.get(f"/admin/orgs/user/{query}", follow=True)
        ), query
    assert plain.get(f"/admin/orgs/user/{mina.pk}/change/").status_code == 403
    find_member(plain, lasting_world.here, "mina")
    assert f"/admin/orgs/user/{mina.pk}/" not in response_text(plain.get("/admin/account/"))
    find_member(root, lasting_world.here, "mina")
    assert f"/admin/orgs/user/{mina.pk}/change/" in response_text(root.get("/admin/account/"))
    email = f"{secrets.token_hex(6)}@new.example"
    words = "four odd words here"
    data = {"email": email, "name": "New", "usable_password": "true"}
    data |= {"password1": words, "password2": words}
    assert root.post("/admin/orgs/user/add/", data).status_code == 302
    made = User.objects.get(email=email)
    assert root.get(f"/admin/orgs/user/{made.pk}/change/").status_code == 200
    assert root.get(f"/admin/orgs/user/{made.pk}/delete/").status_code == 403
