"""Members who look at pages, with Django's test client."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.users import User
from tests.world import Tenant


def get_user(tenant: Tenant, name: str) -> User:
    with organisation_scope(tenant.id):
        return Member.objects.select_related("user").get(id=tenant.members[name].id).user


def make_signed_in_client(tenant: Tenant, name: str) -> Client:
    """A browser in which this member has signed in."""
    client = Client()
    tenant.sign_in(client, name)
    return client


def response_text(response: object) -> str:
    return response.content.decode()


SCOPE_STATEMENTS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SELECT set_config", "SET LOCAL")


def count_queries(client: Client, url: str) -> int:
    """Queries without those that only open and close transactions or set the scope."""
    with CaptureQueriesContext(connection) as found:
        assert client.get(url).status_code == 200
    return len([one for one in found if not one["sql"].startswith(SCOPE_STATEMENTS)])
