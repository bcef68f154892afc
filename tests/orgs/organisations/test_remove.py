"""Removing an organisation: closed at once, deleted in batches, finished by the next run."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone
from psycopg import sql

from memories.indexing.organisation_indexes import list_indexes, maintain_indexes
from memories.tasks import sweep_removals
from orgs.accounts.sessions import list_memberships
from orgs.api.problems import describe_exception
from orgs.errors import NotFoundError
from orgs.models.organisations import Organisation
from orgs.organisations import organisation_removal
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation, get_organisation
from orgs.principals import resolve_principal
from robots.access.keys import authenticate_key
from tests.databases import rolled_back_connection
from tests.isolation.canaries import plant_canaries
from tests.isolation.catalogue import tenant_tables
from tests.world import Tenant, World


def rows_of(tenant: Tenant) -> dict[str, int]:
    """Every table of today and tomorrow that has rows of it, past row-level security."""
    found = {}
    with rolled_back_connection("admin") as connection:
        for table in tenant_tables(connection):
            column = "id" if table == "orgs_organisation" else "organisation_id"
            statement = sql.SQL("SELECT count(*) FROM {} WHERE {} = %s").format(
                sql.Identifier(table), sql.Identifier(column)
            )
            found[table] = connection.execute(statement, [tenant.id]).fetchone()[0]
    return {table: rows for table, rows in found.items() if rows}


def half_removed(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, who in (("Oslo", "mina"), ("Turin", "bob"), ("Quito", "ada")):
        for visibility in ("private", "organisation"):
            tenant.remember(tenant.robot("aria"), f"{who} likes {name}", visibility=visibility)
    monkeypatch.setattr(organisation_removal, "BATCH_ROWS", 2)
    monkeypatch.setattr(organisation_removal, "BATCH_AUDIENCES", 1)
    assert not remove_organisation(tenant.id, now=timezone.now(), seconds=0)


def test_what_is_half_deleted_is_closed_and_the_next_run_finishes_it(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = lasting_world.here, lasting_world.there
    user, slug = here.members["ada"].user, here.organisation.slug
    there.remember(there.robot("aria"), "The door code is new.", visibility="organisation")
    others = rows_of(there)
    half_removed(here, monkeypatch)
    assert rows_of(here)["orgs_organisation"] == 1
    assert rows_of(here)["orgs_member"] > 1

    assert authenticate_key(here.keys["aria"], timezone.now()) is None
    assert list_memberships(user) == []
    for who in (here.robot("aria"), here.person("ada")):
        with pytest.raises(Organisation.DoesNotExist) as gone:
            resolve_principal(who)
        assert describe_exception(gone.value)[0] == 404
    with pytest.raises(NotFoundError):
        get_organisation(slug)
    for role in ("worker", "support", "owner"):
        assert not Organisation.objects.using(role).filter(id=here.id).exists(), role
    again = create_organisation(name="Another", slug=slug, now=timezone.now())

    assert sweep_removals() >= 1
    assert rows_of(here) == {}
    assert rows_of(there) == others
    assert authenticate_key(there.keys["aria"], timezone.now())
    assert get_organisation(slug).id == again.id


def test_the_command_wants_the_slug_again(lasting_world: World) -> None:
    slug, printed = lasting_world.here.organisation.slug, StringIO()
    with pytest.raises(CommandError, match=f"--confirm {slug}"):
        call_command("remove_organisation", slug)
    assert rows_of(lasting_world.here)
    call_command("remove_organisation", slug, confirm=slug, json=True, stdout=printed)
    assert json.loads(printed.getvalue()) == {"removed": [str(lasting_world.here.id)]}
    assert rows_of(lasting_world.here) == {}


def test_its_own_indexes_go_with_the_next_run(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    for tenant in (here, there):
        for index in list_indexes(tenant.id):
            with connections["owner"].cursor() as cursor:
                cursor.execute(index.create())
    assert remove_organisation(here.id, now=timezone.now())
    gone, kept = ({index.name for index in list_indexes(tenant.id)} for tenant in (here, there))
    # Other tests leave indexes too, which go in the same run: only those of these two count.
    assert set(maintain_indexes()) & (gone | kept) == gone
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname = ANY(%s)", [list(kept)])
        assert cursor.fetchone() == (2,)
    assert remove_organisation(there.id, now=timezone.now())
    assert set(maintain_indexes()) & (gone | kept) == kept


def test_messages_that_go_with_their_conversation_stop_nothing(lasting_world: World) -> None:
    """They are deleted in the role of the tables' owner, which counts nothing."""
    here = lasting_world.here
    plant_canaries(lasting_world)
    assert remove_organisation(here.id, now=timezone.now())
