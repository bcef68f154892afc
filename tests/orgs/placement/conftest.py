"""Organisations on another server."""

import copy
import json
import secrets
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connections, router
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from memories import tasks
from orgs.database.driver import servers
from orgs.members.settle_accounts import on_account_saved
from orgs.models.users import User
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation
from orgs.placement.home_tables import HomeTablesRouter
from orgs.placement.moving import move_organisation as moves
from orgs.placement.placements import find_server, forget_placement, forget_placements
from tests.databases import create_from_template, database_url
from tests.orgs.placement.two_servers import ROLES, remember
from tests.world import Tenant, make_tenant


@pytest.fixture(scope="session")
def second_database(django_db_setup: None) -> str:
    name = f"{settings.DATABASES['default']['NAME']}_north"
    create_from_template(database_url("admin"), name)
    return name


@pytest.fixture
def north(second_database: str, committed: None) -> Iterator[str]:
    """A second server, as DATABASE_SERVERS would name it."""
    names = [f"{role}@north" for role in ROLES]
    for role, name in zip(ROLES, names, strict=True):
        settings.DATABASES[name] = copy.deepcopy(settings.DATABASES[role])
        settings.DATABASES[name]["NAME"] = second_database
    routed = HomeTablesRouter()
    router.routers.append(routed)
    for changed in (post_save, post_delete):
        changed.connect(on_account_saved, User, dispatch_uid="orgs.account-copies")
    servers.switch_on(find_server, forget_placement)
    forget_placements()
    yield "north"
    for name in names:
        connections[name].close()
        delattr(connections._connections, name)
        del settings.DATABASES[name]
    servers.switch_off()
    for changed in (post_save, post_delete):
        changed.disconnect(sender=User, dispatch_uid="orgs.account-copies")
    router.routers.remove(routed)
    forget_placements()


@pytest.fixture
def far(north: str) -> Iterator[Tenant]:
    """An organisation on the second server, with a robot."""
    made = create_organisation(name=f"Far {secrets.token_hex(4)}", server=north, now=timezone.now())
    tenant = Tenant(made)
    tenant.add_robot("rover", scopes=("read", "write", "manage"))
    yield tenant
    remove_organisation(tenant.id, now=timezone.now())


@pytest.fixture
def town(north: str) -> Iterator[Tenant]:
    """An organisation on the second server, with the people, groups and robots of every world."""
    tenant = make_tenant("Town", server=north)
    yield tenant
    remove_organisation(tenant.id, now=timezone.now())


@pytest.fixture
def admin(north: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The second server, and the superuser's address of each."""
    monkeypatch.setenv("DATABASE_ADMIN_URL", database_url("admin"))
    monkeypatch.setenv("DATABASE_SERVERS_ADMIN", json.dumps({north: database_url("admin")}))
    return north


@pytest.fixture
def near(admin: str) -> Iterator[Tenant]:
    """An organisation of robots on the home server, with a memory."""
    made = create_organisation(name=f"Near {secrets.token_hex(4)}", now=timezone.now())
    tenant = Tenant(made)
    tenant.add_robot("rover", scopes=("read", "write", "manage"))
    remember(tenant, "The pump in hall four runs at 40 bar.")
    tasks.sweep_embeddings()
    tenant.embed()
    yield tenant
    for found in moves.describe_moves():
        assert found["organisation"] != tenant.id, "a test left a move"
    remove_organisation(tenant.id, now=timezone.now())
