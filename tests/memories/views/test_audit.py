"""The audit trail: append-only for everybody, for admins alone, without a memory's text (T18)."""

from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.services.forgetting import forget_memory
from orgs import audit
from orgs.models import AuditEntry
from orgs.rls import organisation_scope
from orgs.services import change_role
from tests.databases import tell, undone
from tests.people import signed_in, text
from tests.world import PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("T18")


def done(tenant: Tenant, count: int, action: str = "group.created") -> None:
    with organisation_scope(tenant.id):
        for _ in range(count):
            audit.record(action, actor=tenant.person("chidi"), now=timezone.now())


@pytest.mark.parametrize("role", ["default", "worker", "support", "owner"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE orgs_auditentry SET action = 'x'",
        "DELETE FROM orgs_auditentry",
        "TRUNCATE orgs_auditentry",
    ],
)
def test_no_role_changes_or_deletes_an_entry(lasting_world: World, role: str, change: str) -> None:
    done(lasting_world.here, 1)
    with undone(role) as connected:
        tell(connected, organisation=lasting_world.here.id)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connected.execute(change)


@pytest.mark.parametrize("name", PEOPLE)
def test_admins_alone_read_it(world: World, name: str) -> None:
    done(world.here, 1)
    response = signed_in(world.here, name).get("/audit/")
    assert response.status_code == (200 if name == "ada" else 404)


def test_it_says_who_did_what_to_which_memory_but_not_its_text(world: World) -> None:
    here, now = world.here, timezone.now()
    open_ = here.remember(here.robot("aria"), "Zanzibar is open.").id
    hidden = here.remember(here.person("bob"), "Zanzibar is mine.", visibility="private").id
    forget_memory(here.person("chidi"), open_, now=now)
    forget_memory(here.person("bob"), hidden, now=now)
    done(world.there, 1)
    page = text(signed_in(here, "ada").get("/audit/"))
    assert f'href="/memories/{open_}/"' in page
    assert "a memory that is gone or not yours to read" in page
    assert "Zanzibar" not in page
    assert str(hidden) not in page
    assert page.count("<tr>") == 3, "the head, and one row for each act here"


def test_filters_stand_in_the_address(world: World) -> None:
    here = world.here
    mine = here.remember(here.robot("aria"), "One.").id
    theirs = here.remember(here.person("bob"), "Two.", visibility="private").id
    forget_memory(here.person("chidi"), mine, now=timezone.now())
    forget_memory(here.person("bob"), theirs, now=timezone.now())
    change_role(
        here.person("ada"), member_id=here.members["bob"].id, role="viewer", now=timezone.now()
    )
    ada = signed_in(here, "ada")

    def shown(query: str) -> list[tuple[str, str]]:
        return [(e["who"], e["action"]) for e in ada.get(f"/audit/?{query}").context["entries"]]

    assert shown("kind=member") == [("Ada", "member.role")]
    assert shown(f"who={here.members['chidi'].id}") == [("Chidi", "memory.forgotten")]
    assert shown(f"memory={mine}") == [("Chidi", "memory.forgotten")]
    assert shown(f"memory={theirs}") == shown(f"memory={here.id}") == []
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    assert shown(f"since={tomorrow}") == []
    assert "No match" in text(ada.get(f"/audit/?since={tomorrow}"))
    assert len(shown("since=nonsense&who=nonsense")) == len(shown(""))
    # A member in another organisation: nothing of theirs, and the words of no match.
    assert shown(f"who={world.there.members['bob'].id}") == []


def test_pages_and_queries_do_not_grow(world: World) -> None:
    here, ada = world.here, signed_in(world.here, "ada")

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert ada.get("/audit/").status_code == 200
        return len(asked)

    done(here, 3)
    few = queries()
    done(here, 120)
    assert queries() <= few
    url, seen = "/audit/", 0
    while url:
        page = ada.get(url).context
        seen += len(page["entries"])
        url = page["page"]["next_url"]
    with organisation_scope(here.id):
        assert seen == AuditEntry.objects.filter(organisation_id=here.id).count()
