"""The public test of SCIM servers, on the whole server in this process."""

from collections.abc import Iterator
from typing import Annotated, Any
from uuid import uuid4

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from pydantic import Field
from scim2_client.engines.wsgi import WSGISCIMClient
from scim2_models import Mutability, Required, Returned, ScimProvider, Uniqueness
from scim2_tester import Status, check_server

from robots.api.scim import resources
from tests.robots.provisioning.scim_calls import manage_key
from tests.world import World

FAULTS = {Status.ERROR, Status.CRITICAL, Status.DEVIATION}


class NewAddresses(list[str]):
    """An address that nobody has, whenever one is drawn: no schema can say that a userName is an
    address, so the tester is told by these examples."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        return f"{uuid4()}@example.com"


class AddressedUser(resources.User):
    user_name: Annotated[
        str | None, Mutability.immutable, Required.true, Returned.always, Uniqueness.server
    ] = Field(None, examples=NewAddresses())
    # It puts whom it made into groups, and who has left is in none.
    active: Annotated[bool | None, Required.true, Returned.always] = Field(None, examples=[True])


AddressedUser.__name__ = "User"


@pytest.fixture(autouse=True)
def kept_connection() -> Iterator[None]:
    """A request ends without closing the connection, which is in the test's transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.slow
@pytest.mark.conformance("N23")
def test_the_public_tester_of_scim_servers_finds_no_fault(world: World) -> None:
    key = manage_key(world.here)
    client = WSGISCIMClient(
        get_wsgi_application(),
        base_url="http://testserver/scim/v2",
        environ={"HTTP_AUTHORIZATION": f"Bearer {key}"},
        provider=ScimProvider(models=[AddressedUser, resources.Group]),
    )
    results = check_server(client)
    faults = [one for one in results if one.status in FAULTS]
    assert not faults, "\n".join(f"{one.title}: {one.reason}" for one in faults)
    assert sum(one.status == Status.SUCCESS for one in results) > 40


@pytest.mark.conformance("N23")
def test_what_the_service_publishes_is_what_it_serves(world: World) -> None:
    """The tester's checks of discovery with nothing known before."""
    client = WSGISCIMClient(
        get_wsgi_application(),
        base_url="http://testserver/scim/v2",
        environ={"HTTP_AUTHORIZATION": f"Bearer {manage_key(world.here)}"},
    )
    results = check_server(client, include_tags={"discovery", "misc"})
    assert [one.reason for one in results if one.status in FAULTS] == []
