"""A copied organisation is like one that the product makes, and shares nothing with another."""

import json
import re
from typing import Any

from orgs.principals import resolve_principal
from tests.databases import autocommit_connection
from tests.world import Tenant, World, make_tenant
from tests.world_copies import ID, tenant_rows

# What is drawn for each organisation or is the moment of the making.
DRAWN = ("prefix", "digest", "password")
MOMENT = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+\+00:00")


def content(tenant: Tenant) -> dict[str, Any]:
    """Its rows by table, in the order of their making, with ids as their place in it."""
    with autocommit_connection("admin") as connection:
        rows = tenant_rows(connection, tenant)
    mark = tenant.organisation.slug.rpartition("-")[2]
    places = {
        id_: f"id {n}" for n, id_ in enumerate(sorted(set(ID.findall(" ".join(rows.values())))))
    }
    found = {}
    for table, listed in rows.items():
        text = ID.sub(lambda m: places[m[0]], listed.replace(mark, "mark"))
        kept = json.loads(MOMENT.sub("moment", text))
        for row in kept:
            row.update({name: "drawn" for name in DRAWN if name in row})
        found[table] = sorted(kept, key=lambda row: int(row["id"].removeprefix("id ")))
    return found


def test_it_has_the_rows_of_one_that_was_made(lasting_world: World) -> None:
    assert content(lasting_world.here) == content(make_tenant("Here"))
    assert content(lasting_world.there) == content(make_tenant("There"))


def test_two_copies_share_nothing(lasting_world: World, kept_world: World) -> None:
    def told(tenant: Tenant) -> set[str]:
        with autocommit_connection("admin") as connection:
            text = " ".join(tenant_rows(connection, tenant).values())
        digests = re.findall(r'"digest":"(\w{64})"', text)
        assert len(digests) == len(tenant.keys) == 3
        return {*ID.findall(text), *digests, *tenant.keys.values(), tenant.organisation.slug}

    here, there, kept = map(told, (lasting_world.here, lasting_world.there, kept_world.here))
    assert not here & there
    assert not here & kept


def test_what_is_in_memory_is_what_is_stored(lasting_world: World) -> None:
    for tenant in (lasting_world.here, lasting_world.there):
        said = tenant.remember(tenant.robot("aria"), "The launch is near.", group="launch").id
        for name, status in (("aria", 200), ("bolt", 404), ("clio", 404)):
            assert tenant.api(name).get(f"/api/v1/memories/{said}").status_code == status
        assert tenant.browser("mina").get(f"/memories/{said}/").status_code == 200
        assert tenant.browser("ada").get(f"/memories/{said}/").status_code == 404
        for member in tenant.members.values():
            assert member.user.email.endswith(f"@{tenant.organisation.slug}.example")
            assert (
                resolve_principal(tenant.person(member.name.lower())).organisation_id == tenant.id
            )
