"""The trail at a syslog server: all of it, at least once, and no private words."""

import json
import re
import socket
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.utils import timezone

from memories.audit_stream import stream_entries as stream
from memories.tasks import sweep_audit_stream
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditCursor
from orgs.models.base import new_id
from orgs.organisations.organisations import create_organisation
from orgs.outbound.syslog import SyslogServer, parse_server
from orgs.principals import Actor
from tests.databases import autocommit_connection, database_url
from tests.orgs.outbound.syslog_listener import Listener, listening_by_tcp, listening_by_udp
from tests.world import Tenant, World

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """An organisation whose trail is told from now on; others of the database are left alone."""
    tenant = lasting_world.here
    monkeypatch.setattr(stream, "list_organisation_ids", lambda: [tenant.id])
    with listening_by_udp() as listener:
        tell(parse_server(listener.address))
    assert listener.messages == [], "what was there before is not told"
    return tenant


def tell(server: SyslogServer) -> int:
    return stream.stream_entries(server, now=timezone.now())


def write(tenant: Tenant, number: int, **detail: Any) -> UUID:
    """An entry of the trail; returns the id of what it is about."""
    target = UUID(int=number)
    with organisation_scope(tenant.id):
        audit.record_entry(
            "group.renamed",
            actor=tenant.person("ada"),
            now=timezone.now(),
            target=target,
            target_type="group",
            **detail,
        )
    return target


def bodies(listener: Listener) -> list[dict[str, Any]]:
    return [
        json.loads(message.partition(b" - ")[2].partition(b" - ")[2])
        for message in listener.messages
    ]


def targets(listener: Listener) -> list[UUID]:
    return [UUID(one["target"]) for one in bodies(listener)]


@pytest.mark.usefixtures("committed")
def test_a_new_organisation_is_told_of_from_its_first_entry(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what was written before a worker looked."""
    name = f"Trail {new_id().hex[-8:]}"
    settings.AUDIT_SYSLOG_SERVER = parse_server("udp://127.0.0.1:9")
    made = create_organisation(name=name, now=timezone.now())
    settings.AUDIT_SYSLOG_SERVER = None
    other = create_organisation(name=f"{name} b", now=timezone.now())
    for one in (made, other):
        with organisation_scope(one.id):
            actor = Actor(organisation_id=one.id)
            audit.record_entry("group.renamed", actor=actor, now=timezone.now())
    monkeypatch.setattr(stream, "list_organisation_ids", lambda: [made.id, other.id])
    with listening_by_tcp() as listener:
        tell(parse_server(listener.address))
    told = bodies(listener)
    assert {one["organisation"] for one in told} == {str(made.id)}
    assert told[-1]["action"] == "group.renamed"


def test_each_entry_is_told_once_with_ids_and_fixed_words(here: Tenant) -> None:
    written = [write(here, n, to="Secret Project") for n in range(5)]
    with listening_by_tcp() as listener:
        assert tell(parse_server(listener.address)) == 5
        assert tell(parse_server(listener.address)) == 0
    assert targets(listener) == written
    [first, *_] = bodies(listener)
    assert first == {
        "id": first["id"],
        "organisation": str(here.id),
        "action": "group.renamed",
        "member": str(here.members["ada"].id),
        "target_type": "group",
        "target": str(written[0]),
    }
    assert re.match(rb"<110>1 \S+Z \S+ commonmind - group\.renamed - \{", listener.messages[0])
    assert b"Secret" not in b"".join(listener.messages)


def test_nothing_is_lost_while_the_server_is_away(here: Tenant) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = parse_server(f"tcp://127.0.0.1:{port}")
    failures = stream.FAILED._value.get()
    written = []
    for n in range(3):
        written.append(write(here, n))
        assert tell(server) == 0
    assert stream.FAILED._value.get() == failures + 3
    with organisation_scope(here.id, using="worker"):
        AuditCursor.objects.using("worker").filter(organisation_id=here.id).update(
            told_at=timezone.now() - timedelta(hours=1)
        )
    tell(server)
    assert 3_500 < stream.BEHIND._value.get() < 3_700
    with listening_by_tcp(port=port) as listener:
        assert tell(server) == 3
    assert targets(listener) == written
    assert stream.BEHIND._value.get() == 0


def test_what_a_server_did_not_take_whole_is_told_again(here: Tenant) -> None:
    written = [write(here, n) for n in range(20)]
    with listening_by_tcp(breaks_after=500) as broken:
        assert tell(parse_server(broken.address)) == 0
    with listening_by_tcp() as listener:
        assert tell(parse_server(listener.address)) == 20
    assert targets(listener) == written


def test_what_commits_late_is_told_late(here: Tenant) -> None:
    """A transaction that wrote before others and ends after the cursor has passed them."""
    insert = (
        "INSERT INTO orgs_auditentry (id, organisation_id, at, action, target_type, target, detail)"
        " VALUES (%s, %s, now(), 'group.renamed', 'group', %s, '{}')"
    )
    late = UUID(int=1)
    with psycopg.connect(database_url("default")) as slow:
        slow.execute("SELECT set_config('app.organisation', %s, true)", [str(here.id)])
        slow.execute(insert, [audit.new_id(), here.id, late])
        soon = write(here, 2)
        with listening_by_tcp() as listener:
            tell(parse_server(listener.address))
            assert late not in targets(listener)
            slow.commit()
            for _ in range(3):
                tell(parse_server(listener.address))
    assert sorted(targets(listener)) == [late, soon]


def test_a_long_trail_goes_by_pages(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PAGE_SIZE", 7)
    monkeypatch.setattr(stream, "MOST_MESSAGES", 10)
    written = [write(here, n) for n in range(40)]
    with listening_by_tcp() as listener:
        assert tell(parse_server(listener.address)) == 40
    assert targets(listener) == written


def test_a_turn_that_is_over_goes_on_with_the_next(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "PAGE_SIZE", 7)
    monkeypatch.setattr(stream, "MOST_MESSAGES", 7)
    clock = iter(range(1_000))
    monkeypatch.setattr(stream.time, "monotonic", lambda: 15.0 * next(clock))
    written = [write(here, n) for n in range(10)]
    with listening_by_tcp() as listener:
        assert tell(parse_server(listener.address)) == 7
        assert tell(parse_server(listener.address)) == 3
    assert targets(listener) == written


def test_after_a_restore_it_tells_again_rather_than_nothing(here: Tenant) -> None:
    written = [write(here, n) for n in range(3)]
    with listening_by_tcp() as listener:
        assert tell(parse_server(listener.address)) == 3
        with organisation_scope(here.id, using="worker"):
            row = AuditCursor.objects.using("worker").get(organisation_id=here.id)
            row.place |= {"epoch": "another", "position": 2**40}
            row.save(using="worker")
        later = write(here, 9)
        tell(parse_server(listener.address))
    assert targets(listener)[:3] == written
    assert set(targets(listener)[3:]) >= {later}


def test_whoever_acted_through_a_robot_is_named_only_for_acts_that_never_teach(
    here: Tenant,
) -> None:
    robot = here.robot("aria")
    with organisation_scope(here.id):
        for action in ("memory.edited", "key.created"):
            audit.record_entry(action, actor=robot, now=timezone.now(), target=UUID(int=1))
    with listening_by_tcp() as listener:
        tell(parse_server(listener.address))
    named = {one["action"]: "robot" in one for one in bodies(listener)}
    with autocommit_connection("admin") as database:
        never = dict(
            database.execute(
                "SELECT a, never_teaches(a) FROM unnest(%s::text[]) AS a", [list(named)]
            ).fetchall()
        )
    assert named == never
    assert set(named.values()) == {True, False}


def test_without_a_server_nothing_is_read(here: Tenant, settings: Any) -> None:
    settings.AUDIT_SYSLOG_SERVER = ""
    write(here, 1)
    assert sweep_audit_stream() == 0
    with listening_by_udp() as listener:
        settings.AUDIT_SYSLOG_SERVER = parse_server(listener.address)
        assert sweep_audit_stream() == 1
    assert len(listener.messages) == 1
