"""The page for whoever runs the server: true numbers, no text of a tenant, superusers alone."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.core.cache import cache
from django.db import ProgrammingError, connections
from django.test import Client
from django.utils import timezone

from config.archive.status import ArchiveStatus, note_rehearsal, write_status
from config.monitoring.diagnosis import OK, diagnose
from config.monitoring.server_overview import (
    get_organisation_size,
    get_server_totals,
    list_organisation_sizes,
)
from memories.indexing.models import Pending
from memories.jobs.leases import PendingState
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.organisation_run import build_job
from orgs.accounts.login_attempt_cache import count_failed_sign_ins
from orgs.database import erasure_ledger
from orgs.database.backup import create
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Organisation
from orgs.models.users import User
from orgs.organisations.quotas import set_quota
from orgs.organisations.suspension import set_suspended
from orgs.principals import resolve_principal
from robots.models.keys import Key
from tests.isolation.canaries import plant_canaries
from tests.orgs.support.support_staff import make_staff
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("W23")
PAGE = "/operate/"


@pytest.fixture
def operator(lasting_world: World) -> tuple[User, Client]:
    return make_staff(superuser=True)


def page_of(here: Tenant) -> str:
    return f"/operate/organisations/{here.id}/"


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def count_in(organisation_id: UUID, statement: str) -> Any:
    """By another way than the page: as the worker, in the scope of one organisation."""
    with (
        organisation_scope(organisation_id, using="worker"),
        connections["worker"].cursor() as cursor,
    ):
        cursor.execute(statement)
        return cursor.fetchone()[0]


def test_the_numbers_are_those_of_the_rows(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    here, (user, client) = lasting_world.here, operator
    texts = ["The canteen closes at two.", "Tomás schreibt das Angebot."]
    for text in texts:
        here.remember(here.robot("aria"), text)
    with organisation_scope(here.id, using="worker"):
        rows = Pending.objects.using("worker").filter(organisation_id=here.id)
        dead = rows.order_by("id").first()
        rows.filter(id=dead.id).update(state=PendingState.DEAD)
    set_quota(here.id, {"memories": 8}, now=timezone.now())
    one = get_organisation_size(user, here.id)
    assert one.memories == count_in(here.id, "SELECT count(*) FROM memories_memory")
    assert one.bytes == sum(len(text.encode()) for text in texts)
    joined = [name for name, member in here.members.items() if member.joined_at]
    assert (one.members, one.groups) == (len(joined), len(here.groups))
    assert one.robots == len(here.robots)
    assert (one.waiting, one.given_up, one.most_memories) == (1, 1, 8)
    shown = plain(response_text(client.get(page_of(here))))
    for words in ("Memories 2 25% of what it may keep", "Wait to be indexed 1", "Given up 1"):
        assert words in shown, words
    assert f"manage.py set_quota {here.organisation.slug}" in shown


def test_what_was_given_up_is_counted(lasting_world: World, operator: tuple[User, Client]) -> None:
    """By how much it grows: what earlier tests left in this database is counted as well."""
    here, (_, client) = lasting_world.here, operator

    def told() -> list[int]:
        page = plain(response_text(client.get(PAGE)))
        [counts] = re.findall(r"Given up ([\d,]+) vectors, ([\d,]+) jobs", page)
        return [int(one.replace(",", "")) for one in counts]

    before = told()
    for text in ("The canteen closes at two.", "The canteen opens at nine."):
        here.remember(here.robot("aria"), text)
    with organisation_scope(here.id, using="worker"):
        rows = Pending.objects.using("worker").filter(organisation_id=here.id)
        assert rows.update(state=PendingState.DEAD) == 2
        Job.objects.using("worker").bulk_create(
            [build_job(here.id, JobType.AGE, one.organisation_audience, timezone.now())
             for one in [resolve_principal(here.person("ada"))]]
        )  # fmt: skip
        Job.objects.using("worker").filter(organisation_id=here.id).update(state=JobState.DEAD)
    assert [new - old for new, old in zip(told(), before, strict=True)] == [2, 1]


def test_all_organisations_are_listed_and_found(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    here, there, (user, client) = lasting_world.here, lasting_world.there, operator
    there.remember(there.robot(next(iter(there.robots))), "x" * 5_000)
    for words in (here.organisation.slug, here.organisation.name.upper(), str(here.id)):
        found, more = list_organisation_sizes(user, words=words)
        assert ([one.id for one in found], more) == ([here.id], False)
    everyone, _ = list_organisation_sizes(user)
    sizes = [one.bytes for one in everyone]
    assert sizes == sorted(sizes, reverse=True)
    assert {here.id, there.id} <= {one.id for one in everyone} or len(everyone) == 50
    first, _ = list_organisation_sizes(user, after=1)
    assert first[0].id == everyone[1].id
    page = response_text(client.get(PAGE, {"q": here.organisation.slug}))
    assert (here.organisation.name in page, there.organisation.name in page) == (True, False)
    nobody = plain(response_text(client.get(PAGE, {"q": "%_nobody"})))
    assert "No organisation is called so." in nobody
    for after in ("-1", "x", "99999999999999999999"):
        assert client.get(PAGE, {"after": after}).status_code == 200
    totals = get_server_totals(user)
    assert totals.organisations >= 2
    assert totals.memories >= sum(one.memories for one in everyone[:2])


def test_an_id_finds_no_organisation_that_is_only_called_so(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    """Else whoever names theirs like another's id could have it suspended in its place."""
    here, there, (user, client) = lasting_world.here, lasting_world.there, operator
    there.remember(there.robot(next(iter(there.robots))), "x" * 5_000)
    with organisation_scope(there.id):
        Organisation.objects.filter(id=there.id).update(name=f"Of {here.id}")
    found, _ = list_organisation_sizes(user, words=str(here.id))
    assert [one.id for one in found] == [here.id]
    assert get_organisation_size(user, here.id).id == here.id
    client.post(f"{page_of(here)}suspend/", {"reason": ""})
    suspended = get_organisation_size(user, here.id).suspended_at
    assert suspended
    assert get_organisation_size(user, there.id).suspended_at is None


def test_each_figure_of_all_grows_with_its_rows(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    here, (user, client) = lasting_world.here, operator
    text, now = "Zwölf Köpfe", timezone.now()

    def told() -> dict[str, int]:
        found = get_server_totals(user)
        kept = {"memories": found.memories, "bytes": found.bytes, "accounts": found.accounts}
        queue = {"vectors": found.vectors.get("waiting", 0), "jobs": found.jobs.get("waiting", 0)}
        return kept | queue | {"suspended": found.suspended, "organisations": found.organisations}

    before = told()
    here.remember(here.robot("aria"), text)
    grown = {name: new - before[name] for name, new in told().items()}
    assert grown == {
        "memories": 1, "bytes": len(text.encode()), "accounts": 0, "vectors": 1, "jobs": 0,
        "suspended": 0, "organisations": 0,
    }  # fmt: skip
    everyone = resolve_principal(here.person("ada")).organisation_audience
    with organisation_scope(here.id, using="worker"):
        job = build_job(here.id, JobType.AGE, everyone, now - timedelta(days=9_000))
        Job.objects.using("worker").bulk_create([job])
    make_staff()
    set_suspended(here.id, suspended=True, now=now)
    grown = {name: new - before[name] for name, new in told().items()}
    assert grown == {
        "memories": 1, "bytes": len(text.encode()), "accounts": 1, "vectors": 1, "jobs": 1,
        "suspended": 1, "organisations": 0,
    }  # fmt: skip
    assert get_server_totals(user).oldest_at == job.queued_at, "it waits longest"
    page = plain(response_text(client.get(PAGE)))
    assert re.search(r"Organisations [\d,]+ [\d,]+ suspended", page), page


def test_no_text_of_a_tenant_is_on_it(lasting_world: World, operator: tuple[User, Client]) -> None:
    """Of all that is planted in every table, only the names of organisations are shown."""
    here, (_, client) = lasting_world.here, operator
    plant_canaries(lasting_world)
    for address in (PAGE, page_of(here)):
        page = response_text(client.get(address))
        assert here.organisation.name in page
        assert "canary" not in page
        for name in ("Mina", "Chidi", "launch"):
            assert name not in page, name


@pytest.mark.parametrize("who", ["nobody", "member", "admin", "support"])
def test_nobody_else_finds_it(lasting_world: World, who: str) -> None:
    here = lasting_world.here
    clients = {
        "nobody": Client,
        "member": lambda: make_signed_in_client(here, "mina"),
        "admin": lambda: make_signed_in_client(here, "ada"),
        "support": lambda: make_staff()[1],
    }
    client = clients[who]()
    status = 302 if who == "nobody" else 404
    for address in (PAGE, "/operate/checks/", page_of(here)):
        answer = client.get(address)
        assert answer.status_code == status, address
        assert who != "nobody" or "/accounts/login/" in answer["Location"]
    for address in (f"{page_of(here)}suspend/", "/operate/keys/revoke/"):
        assert client.post(address, {"key": here.keys["aria"]}).status_code == status
    assert here.api("aria").get("/api/v1/me").status_code == 200


def test_the_database_answers_a_superuser_alone(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    staff, _ = make_staff()
    for user in (staff, get_user(lasting_world.here, "ada")):
        with pytest.raises(PermissionError):
            get_server_totals(user)
        with pytest.raises(PermissionError):
            list_organisation_sizes(user)
    for call in ("server_totals()", "server_organisations('', 0, 9)"):
        for role in ("default", "worker"):
            with pytest.raises(ProgrammingError, match="permission denied"):
                fetch_in_scope(Scope(user=operator[0].pk), f"SELECT search.{call}", {}, using=role)


def test_suspending_closes_and_is_recorded(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    here, (user, client) = lasting_world.here, operator
    done = client.post(f"{page_of(here)}suspend/", {"reason": "  The invoice\n is open. "})
    assert (done.status_code, done["Location"]) == (302, page_of(here))
    refused = here.api("aria").get("/api/v1/me")
    assert (refused.status_code, "The invoice is open" in refused.json()["detail"]) == (403, True)
    page = response_text(client.get(page_of(here)))
    assert "nobody reads or writes in it" in page
    assert "“The invoice is open.”" in page
    found = plain(response_text(client.get(PAGE, {"q": here.organisation.slug})))
    assert "Suspended" in found
    assert client.post(f"{page_of(here)}suspend/", {"resume": "1"}).status_code == 302
    assert here.api("aria").get("/api/v1/me").status_code == 200
    with organisation_scope(here.id):
        acts = AuditEntry.objects.filter(staff=user.pk).order_by("id")
        assert [one.action for one in acts] == ["organisation.suspended", "organisation.resumed"]
    trail = plain(response_text(make_signed_in_client(here, "ada").get("/audit/")))
    assert "ended the suspension of" in trail
    assert client.post(f"{page_of(here)}suspend/", {"reason": "x" * 201}).status_code == 422
    assert here.api("aria").get("/api/v1/me").status_code == 200


def test_a_leaked_key_is_revoked_by_its_beginning(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    here, (user, client) = lasting_world.here, operator
    whole = here.keys["aria"]
    other = whole[:48] + ("1" if whole[48] == "0" else "0")
    for wrong in ("cmk_", whole[:44], f"cmk_{'0' * 32}_{'0' * 12}", "nonsense", other):
        answer = client.post("/operate/keys/revoke/", {"key": wrong})
        assert answer.status_code == 422, wrong
        assert "No robot here has a key that begins so." in response_text(answer)
        assert f'value="{wrong}"' not in response_text(answer)
    assert here.api("aria").get("/api/v1/me").status_code == 200
    beginning = whole.rpartition("_")[0] if whole.count("_") == 3 else whole[:49]
    assert client.post("/operate/keys/revoke/", {"key": f" {beginning} "}).status_code == 302
    assert here.api("aria").get("/api/v1/me").status_code == 401
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(staff=user.pk)
        assert entry.action == "key.revoked"
        assert Key.objects.get(id=entry.target).revoked_at is not None


def test_backups_erasures_and_failed_sign_ins_are_told(
    lasting_world: World,
    operator: tuple[User, Client],
    tmp_path: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, (_, client) = lasting_world.here, operator
    settings.DATA_DIR = tmp_path
    assert create.find_last_backup() is None
    shown = plain(response_text(client.get(PAGE)))
    assert "Last backup from here none by manage.py backup" in shown
    assert "Last erasure none" in shown
    made = create.create_backup(tmp_path / "first")
    noted = create.find_last_backup()
    assert noted == create.LastBackup(made.manifest.taken_at, made.manifest.bytes)
    (tmp_path / create.LAST_BACKUP_FILE).write_text("{torn")
    assert create.find_last_backup() is None
    at = timezone.now() - timedelta(days=3)
    own = {"id": here.id, "organisation": here.id, "target": here.id}
    erasure_ledger.append_entries(
        [{**own, "what": "member", "at": at - timedelta(days=n)} for n in (9, 0)]
    )
    with (tmp_path / erasure_ledger.FILE_NAME).open("a") as file:
        file.write('{"torn')
    last = erasure_ledger.find_last_entry()
    assert last is not None
    assert last["at"] == at.isoformat()
    cache.clear()
    assert count_failed_sign_ins() == 0
    wrong = {"email": "nobody@example.com", "password": "wrong"}
    for _ in range(2):
        assert Client().post("/accounts/login/", wrong).status_code == 200
    assert count_failed_sign_ins() == 2
    shown = plain(response_text(client.get(PAGE)))
    assert "Sign-ins that failed in 24 hours 2" in shown


def test_how_far_the_archive_reaches_is_told(
    operator: tuple[User, Client], tmp_path: Path, settings: Any
) -> None:
    _, client = operator
    settings.DATA_DIR = tmp_path
    assert "Archived up to" not in plain(response_text(client.get(PAGE)))
    settings.ARCHIVE_DIR = "/archive"
    assert "Archived up to" not in plain(response_text(client.get(PAGE))), "nothing is known"
    noon = timezone.now().replace(hour=12)
    at = noon - timedelta(hours=3)
    written = ArchiveStatus(
        written_at=at, until=at, base_at=at, base_kind="incremental", base_bytes=2048,
        failures=3, failed_at=at, failure="<No room>", has_offsite=True,
    )  # fmt: skip
    write_status(tmp_path, written)
    # A time of the day before would be "yesterday".
    with time_machine.travel(noon, tick=False):
        shown = plain(response_text(client.get(PAGE)))
    for words in (
        "Archived up to 3 hours ago",
        "incremental, 2.0",
        "Failures of the archive 3 last 3 hours ago : &lt;No room&gt;",
        "Copied off-site up to nothing yet",
        "Last rehearsed restore none by make archive ARGS=rehearse",
    ):
        assert words in shown, shown
    note_rehearsal(tmp_path, at)
    with time_machine.travel(noon, tick=False):
        assert "Last rehearsed restore 3 hours ago" in plain(response_text(client.get(PAGE)))


@pytest.mark.slow
def test_the_checks_are_those_of_the_doctor(operator: tuple[User, Client]) -> None:
    _, client = operator
    page = plain(response_text(client.get("/operate/checks/")))
    assert "Row-level security binds every role of the service." in page
    fine = [one for one in diagnose() if one.state == OK]
    assert f"{len(fine)} parts are in order" in page
    part = response_text(client.get("/operate/checks/", headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert "Broken" in part, "no worker answers here"


def test_it_takes_few_statements_however_many_there_are(
    lasting_world: World, operator: tuple[User, Client]
) -> None:
    _, client = operator
    assert count_queries(client, PAGE) <= 8
    set_suspended(lasting_world.there.id, suspended=True, now=timezone.now())
    assert count_queries(client, PAGE) <= 8
