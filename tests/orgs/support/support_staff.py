"""Support staff at the console, with Django's test client."""

import re
import secrets

from django.test import Client

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.users import User
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, Tenant, World

REASON = "Ticket 4711: somebody cannot sign in."


def make_staff(*, superuser: bool = False) -> tuple[User, Client]:
    """Somebody of support who has signed in."""
    email = f"{secrets.token_hex(6)}@support.example"
    user = User.objects.create_user(
        email, PASSWORD, is_staff=True, is_superuser=superuser, name="Sam"
    )
    client = Client()
    client.force_login(user)
    return user, client


def open_organisation(client: Client, world: World) -> None:
    """Look at the first organisation."""
    sent = {"organisation": str(world.here.id), "reason": REASON}
    assert client.post("/admin/organisation/", sent).status_code == 302


def look_up_account(client: Client, email: str, reason: str = REASON) -> object:
    """Look up an account."""
    return client.post("/admin/account/find/", {"account-email": email, "account-reason": reason})


def find_member(client: Client, tenant: Tenant, name: str) -> User:
    """Look up the account of a member, who is found."""
    user = get_user(tenant, name)
    answer = look_up_account(client, user.email)
    assert (answer.status_code, answer["Location"]) == (302, "/admin/account/")
    return user


def staff_audit_entries(tenant: Tenant, user: User) -> list[AuditEntry]:
    """What an organisation's trail has of this member of staff, the oldest first."""
    with organisation_scope(tenant.id):
        return list(AuditEntry.objects.filter(staff=user.pk).order_by("id"))


def support_audit_text(tenant: Tenant) -> str:
    """What an admin of the organisation reads of support, without the markup."""
    page = response_text(make_signed_in_client(tenant, "ada").get("/audit/?kind=support"))
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
