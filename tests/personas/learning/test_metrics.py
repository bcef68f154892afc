"""Figures about personas, each beside SQL that was written for the test alone."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.members.member_settings import set_sharing_opt_out
from orgs.models.base import day_of
from orgs.models.memberships import Role
from orgs.principals import resolve_principal
from personas.associations.association_changes import delete_association
from personas.block_writes.block_updates import confirm_entry
from personas.learning.metrics import PersonaMetrics, compute_persona_metrics
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from tests.databases import autocommit_connection, rolled_back_connection
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

WEEK, DAY = timedelta(days=7), timedelta(days=1)
SINCE = NOW - 8 * WEEK


@pytest.fixture
def database(committed: None) -> Iterator[psycopg.Connection[Any]]:
    """As the administrator of the server, whom no policy binds."""
    with autocommit_connection("admin") as connection:
        yield connection


def talk(here: Tenant, name: str, *words: str) -> None:
    """A conversation of a member with so many messages."""
    chat, _ = ensure_conversation(here.person(name), {}, now=NOW)
    post_messages(here.person(name), chat.id, [NewMessage(content=one) for one in words], now=NOW)


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    """Four members have a persona, one of them two; their robots learned and were asked."""
    here = lasting_world.here
    with organisation_scope(here.id):
        here.members["cleo"], _ = create_member(
            organisation_id=here.id, name="Cleo", email="", role=Role.MEMBER, now=NOW
        )
    for name in ("mina", "bob", "cleo"):
        make_association(here, name)
    make_association(here, "ada", RETAIL)
    second = make_association(here, "mina", RETAIL).association
    make_entries(here, "cleo", "They call before they come.", now=NOW - 9 * WEEK)
    first, _ = make_entries(
        here, "mina", "They look at places.", "They want maps.", now=NOW - 3 * WEEK
    )
    place = get_block_by_label(make_owner_actor(here, "bob")).block.id
    confirm_entry(make_owner_actor(here, "bob"), place, first, now=NOW - WEEK)
    make_entries(here, "bob", "They read the rent roll first.", now=NOW - DAY)
    make_entries(here, "ada", "They plan by centre.", handle=RETAIL, now=NOW - 9 * WEEK)
    here.embed()
    for name in ("mina", "bob", "bob"):
        recall(make_owner_actor(here, name), Query(text="Do they look at places or maps?"), now=NOW)
    set_sharing_opt_out(here.person("vera"), out=True, now=NOW)
    talk(here, "mina", "one", "two", "three")
    talk(here, "bob", "one")
    talk(here, "ada", "one", "two")
    delete_association(here.person("mina"), second.id, now=NOW)
    return here


def figures(here: Tenant) -> PersonaMetrics:
    return compute_persona_metrics(here.person("chidi"), now=NOW)


def block_of(here: Tenant, handle: str = QSR) -> Any:
    return next(one for one in figures(here).blocks if one.persona == handle)


AUDIENCE = """
SELECT a.id FROM orgs_audience a JOIN personas_persona p ON a.key = p.id::text
WHERE p.organisation_id = %s AND p.handle = %s AND a.kind = 'persona'
"""


@pytest.mark.conformance("P29")
def test_each_figure_is_what_plain_sql_says(
    here: Tenant, database: psycopg.Connection[Any]
) -> None:
    def one(statement: str, *values: Any) -> Any:
        return database.execute(statement, values).fetchall()

    found = figures(here)
    # Personas a member.
    people = one(
        "SELECT id FROM orgs_member WHERE organisation_id = %s AND sharing_off_at IS NULL", here.id
    )
    pairs = one(
        "SELECT member_id FROM personas_association WHERE organisation_id = %s "
        "AND confirmed_at IS NOT NULL",
        here.id,
    )
    each = [sum(whose == id_ for (whose,) in pairs) for (id_,) in people]
    assert found.members == {n: each.count(n) for n in set(each)} == {0: 1, 1: 4}
    assert found.personas_each == pytest.approx(sum(each) / len(each)) == pytest.approx(4 / 5)

    # Reads and writes. Few people read this persona, so nobody learns of others' reads; of many
    # they would learn what was published.
    [(audience,)] = one(AUDIENCE, here.id, QSR)
    counted = dict(
        one(
            "SELECT verb, count(*) FROM memories_operation WHERE audience_id = %s "
            "AND at BETWEEN %s AND %s GROUP BY verb",
            audience, SINCE, NOW,
        )
    )  # fmt: skip
    told = block_of(here)
    assert (told.reads, told.writes) == (0, counted["remember"]) == (0, 4)
    assert counted["recall"] == 12
    assert not told.few_teachers
    [(used,)] = one(
        "WITH used AS (UPDATE memories_use SET access_count = 4 WHERE audience_id = %s "
        "RETURNING 4) SELECT count(*) FROM used",
        audience,
    )
    told = block_of(here)
    assert told.reads == 4 * used > 0
    assert told.reads_a_write == told.reads / 4

    # Growth, week by week.
    versions = one(
        "SELECT v.made_at, jsonb_array_length(v.lines), v.characters FROM personas_blockversion v "
        "JOIN personas_block b ON b.id = v.block_id JOIN personas_persona p ON p.id = b.persona_id "
        "WHERE b.organisation_id = %s AND p.handle = %s ORDER BY v.number",
        here.id,
        QSR,
    )
    for week in block_of(here).weeks:
        held = [row for row in versions if row[0] <= week.at]
        assert (week.entries, week.characters) == (held[-1][1:] if held else (0, 0))
    assert [week.entries for week in block_of(here).weeks] == [1, 1, 1, 1, 3, 3, 3, 4]
    assert block_of(here).weeks[-1].characters == len(
        get_block_by_label(make_owner_actor(here, "bob")).text
    )

    # Gates and associations, out of the trail.
    trail = dict(
        one(
            "SELECT action, count(*) FROM orgs_auditentry WHERE organisation_id = %s "
            "AND at BETWEEN %s AND %s GROUP BY action",
            here.id, SINCE, NOW,
        )
    )  # fmt: skip
    assert found.gate == {
        word: trail.get(f"gate.{word}", 0)
        for word in ("passed", "sanitised", "held", "quarantined")
    }
    assert found.gate["passed"] == 3
    assert found.associations == {
        word: trail.get(f"association.{word}", 0) for word in ("made", "confirmed", "removed")
    }
    assert (found.associations["made"], found.associations["removed"]) == (5, 1)


def test_what_happened_before_is_not_counted(here: Tenant) -> None:
    assert block_of(here).weeks[0].entries == 1
    later = compute_persona_metrics(here.person("ada"), now=NOW + 9 * WEEK)
    assert (later.gate["passed"], later.associations["made"]) == (0, 0)
    assert {one.reads for one in later.blocks} == {0, None}


def test_the_day_since_which_is_counted_is_counted_whole(here: Tenant) -> None:
    before, chidi = figures(here), here.person("chidi")
    day = day_of(NOW - 8 * WEEK)
    with organisation_scope(here.id):
        for at in (day, day - timedelta(seconds=1)):
            audit.record_entry("gate.passed", actor=chidi, now=at)
    found = figures(here)
    assert found.since == day
    assert found.gate["passed"] == before.gate["passed"] + 1


def test_of_what_fewer_than_three_people_taught_there_are_no_figures(here: Tenant) -> None:
    """Ada alone taught the second one, however much others asked of it."""
    told = block_of(here, RETAIL)
    assert told.few_teachers
    assert (told.reads, told.writes, told.reads_a_write, told.weeks) == (None, None, None, ())
    make_association(here, "cleo", RETAIL)
    make_entries(here, "cleo", "They plan by street.", handle=RETAIL)
    assert block_of(here, RETAIL).few_teachers, "two are few"
    make_association(here, "bob", RETAIL)
    place = get_block_by_label(make_owner_actor(here, "bob"), f"{RETAIL}_service_experience")
    confirm_entry(make_owner_actor(here, "bob"), place.block.id, place.entries[0].id, now=NOW)
    told = block_of(here, RETAIL)
    assert not told.few_teachers, "who confirms teaches too"
    assert told.weeks[-1].entries == 2


@pytest.mark.conformance("P29")
def test_lengths_of_conversations_are_told_of_three_members(
    here: Tenant, database: psycopg.Connection[Any]
) -> None:
    def told(handle: str = QSR) -> tuple[Any, ...]:
        one = next(one for one in figures(here).conversations if one.persona == handle)
        return one.members, one.conversations, one.messages_each

    assert told() == told(RETAIL) == (None, None, None), "two members talked, and one"
    talk(here, "cleo", "one", "two")
    talk(here, "cleo", "one", "two", "three", "four")
    [(members, chats, messages)] = database.execute(
        "SELECT count(DISTINCT c.member_id), count(DISTINCT c.id), count(*) "
        "FROM robots_message w JOIN robots_conversation c ON c.id = w.conversation_id "
        "WHERE c.member_id = ANY(%s)",
        [[here.members[name].id for name in ("mina", "bob", "cleo")]],
    )
    assert told() == (members, chats, messages / chats) == (3, 4, 10 / 4)
    assert told(RETAIL) == (None, None, None)
    # The database itself tells nothing of fewer, whoever asks it.
    with resolve_principal(here.person("mina")).scope():
        from orgs.database.prepared_statements import fetch_all

        rows = fetch_all("SELECT * FROM search.conversation_lengths(%(since)s)", {"since": SINCE})
    assert [row[1:] for row in rows] == [(3, 4, 10)]
    call = "SELECT * FROM search.conversation_lengths('2020-01-01')"
    with rolled_back_connection("default") as connection:
        assert connection.execute(call).fetchall() == [], "without an organisation nothing"
    for alias in ("worker", "support"):
        with (
            rolled_back_connection(alias) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(call)
    set_sharing_opt_out(here.person("bob"), out=True, now=NOW)
    assert told() == (None, None, None)


def test_only_who_curates_is_told(here: Tenant) -> None:
    address = "/api/v1/personas/metrics"
    body = here.browser("chidi").get(address)
    assert body.status_code == 200
    told = body.json()
    assert set(told) == {
        "since", "personas_each", "members", "blocks", "gate", "associations", "conversations",
            "tools",
    }  # fmt: skip
    ids = {str(member.id) for member in here.members.values()}
    names = {member.name for member in here.members.values()}
    assert not any(one in body.content.decode() for one in ids | names)
    assert here.browser("mina").get(address).status_code == 403
    assert here.api("aria").get(address).status_code == 403
    with pytest.raises(PermissionError):
        compute_persona_metrics(make_owner_actor(here, "mina"), now=NOW)


def test_nothing_of_another_organisation_is_counted(here: Tenant, lasting_world: World) -> None:
    there = lasting_world.there
    before: dict[UUID, PersonaMetrics] = {here.id: figures(here)}
    for name in ("mina", "bob", "ada", "chidi"):
        make_association(there, name)
        talk(there, name, "one", "two")
    make_entries(there, "mina", "They ask about leases.", now=NOW)
    assert figures(here) == before[here.id]
