"""Support staff at the console, with Django's test client."""

import re
import secrets

from django.test import Client

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.users import User
from tests.people import signed_in, text, user_of
from tests.world import PASSWORD, Tenant, World

REASON = "Ticket 4711: somebody cannot sign in."


def staff(*, superuser: bool = False) -> tuple[User, Client]:
    """Somebody of support who has signed in."""
    email = f"{secrets.token_hex(6)}@support.example"
    user = User.objects.create_user(
        email, PASSWORD, is_staff=True, is_superuser=superuser, name="Sam"
    )
    client = Client()
    client.force_login(user)
    return user, client


def choose(client: Client, world: World) -> None:
    """Look at the first organisation."""
    sent = {"organisation": str(world.here.id), "reason": REASON}
    assert client.post("/admin/organisation/", sent).status_code == 302


def find(client: Client, email: str, reason: str = REASON) -> object:
    """Look up an account."""
    return client.post("/admin/account/find/", {"account-email": email, "account-reason": reason})


def find_member(client: Client, tenant: Tenant, name: str) -> User:
    """Look up the account of a member, who is found."""
    user = user_of(tenant, name)
    answer = find(client, user.email)
    assert (answer.status_code, answer["Location"]) == (302, "/admin/account/")
    return user


def trail(tenant: Tenant, user: User) -> list[AuditEntry]:
    """What an organisation's trail has of this member of staff, the oldest first."""
    with organisation_scope(tenant.id):
        return list(AuditEntry.objects.filter(staff=user.pk).order_by("id"))


def sentences(tenant: Tenant) -> str:
    """What an admin of the organisation reads of support, without the markup."""
    page = text(signed_in(tenant, "ada").get("/audit/?kind=support"))
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
