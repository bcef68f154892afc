"""What bare SQL gets from the database, past every line of Python (H41, T03, T08, T09)."""

from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from memories.access.references import ReaderReferences
from memories.action_items.add_task import TaskDraft, add_task, update_task
from memories.browsing.saved_views import set_saved_view
from memories.context.connectors.accounts import add_account, resolve_member_principal
from memories.context.working_memory import add_to_working_memory
from memories.curation.bulk_change import BulkChange, change_memories
from memories.curation.decision_records.debates import close_debate, open_debate
from memories.curation.decision_records.decision_queries import get_decision
from memories.curation.decision_records.dissents import (
    DissentAnswer,
    DissentDraft,
    add_dissent,
    answer_dissent,
)
from memories.curation.decision_records.record_decision import ClaimDraft, DecisionDraft
from memories.curation.edit_memory import edit_memory
from memories.embedding import encoder_loading
from memories.indexing import model_choice, model_switch
from memories.indexing.organisation_indexes import enable_projection
from memories.ingestion.folder_import.models import FolderFile, ImportSubscription
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.forget import forget_memory
from memories.lifecycle.llm_checks.stored_answers import store_answer
from memories.lifecycle.tier_schedule import move_due_tiers
from memories.privacy.break_glass import open_disclosure
from memories.privacy.erasure.begin_erasure import record_erased_memories
from memories.privacy.erasure.erasure_run import ErasureStep
from memories.retrieval.feedback import record_feedback
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.safety.gate_policy import set_gate_policy
from memories.safety.names.known_names import add_term
from memories.store.deduplication import content_hash
from memories.store.models.memory import Memory
from memories.store.models.reader_use import ReaderUse
from memories.store.organisation_models import find_organisation_models
from memories.webhooks.delivery_log import enqueue_test
from memories.webhooks.endpoints import create_endpoint
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audit import AuditCursor
from orgs.models.base import new_id
from orgs.models.idempotency import IdempotencyRecord
from orgs.models.organisations import Projection
from orgs.models.quotas import Quota
from orgs.models.users import User
from orgs.organisations.references import link_identity
from orgs.principals import Principal, resolve_principal
from robots.access.acting_for_members import create_delegation
from robots.access.enrolment import create_enrolment_key
from robots.access.keys import authenticate_key
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from robots.identities import identity_links
from robots.models.keys import Key
from robots.models.oauth import OAuthGrant
from tests.databases import rolled_back_connection, set_scope_settings
from tests.isolation.catalogue import ACCOUNT_FUNCTIONS, definer_functions, tenant_tables
from tests.memories.context.test_connector_files import calendar, event
from tests.memories.indexing.second_model import OTHER, OtherEncoder
from tests.memories.questions.asking import agree, ask
from tests.personas.persona_helpers import fill_blocks
from tests.world import NOW, Tenant, World

ROLES = ("default", "worker", "support")
Refused = psycopg.errors.InsufficientPrivilege
INSERT = """
INSERT INTO memories_memory (id, organisation_id, audience_id, robot_id, kind, type, category,
    first_tier, status, content, content_hash, topic, tags, metadata, source, speaker, listeners,
    position, importance, confidence, sensitive, shareable, red_line, red_line_reason,
    remember_count, created_at, updated_at, forgotten_by_subject, version)
VALUES (%s, %s, %s, %s, 'organisation', 'fact', '', 'slow', 'active', 'x', %s, '', '{}', '{}',
    '{}', '', '{}', 0, .5, 1, false, false, false, '', 1, now(), now(), false, 1)
"""


def readable(connection: psycopg.Connection, table: str, alias: str) -> int:
    """How many rows a role sees; None of its columns may be open to it at all."""
    columns = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
        "AND NOT attisdropped AND has_column_privilege(attrelid, attname::text, 'SELECT')",
        [table],
    ).fetchall()
    if not columns:
        return 0
    row = connection.execute(f"SELECT count({columns[0][0]}) FROM {table}").fetchone()
    assert row is not None
    return row[0]


def memory(tenant: Tenant, principal: Principal, **other: UUID) -> list[object]:
    return [
        new_id(),
        other.get("organisation", tenant.id),
        other.get("audience", principal.organisation_audience),
        other.get("robot", tenant.robots["bolt"].id),
        new_id().bytes * 2,
    ]


@pytest.mark.conformance("H41", "T03")
@pytest.mark.parametrize("alias", ROLES)
@pytest.mark.parametrize("context", ["none", "empty", "foreign"])
def test_without_the_right_organisation_every_table_is_empty(
    lasting_world: World, alias: str, context: str
) -> None:
    here = lasting_world.here
    here.remember(here.robot("bolt"), "The office closes at six.")
    with rolled_back_connection("owner") as owner:
        tables = tenant_tables(owner)
    with rolled_back_connection(alias) as connection:
        if context == "empty":
            set_scope_settings(connection, organisation="", audiences="", user="")
        if context == "foreign":
            set_scope_settings(
                connection, organisation=new_id(), audiences=[new_id()], user=new_id()
            )
        seen = {t: readable(connection, t, alias) for t in tables}
    # The sweeper asks for the ids of all tenants, support staff choose one of them by name; of
    # what belongs to a tenant they read nothing.
    expected_open = {"orgs_organisation"} if alias in ("worker", "support") else set()
    assert {t for t, n in seen.items() if n} == expected_open


@pytest.mark.conformance("H41")
def test_the_right_organisation_opens_its_rows_and_no_others(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    principal = resolve_principal(here.robot("bolt"))
    kept = here.remember(here.robot("bolt"), "The office closes at six.").id
    there.remember(there.robot("bolt"), "The office closes at six.")
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=here.id, audiences=principal.audiences)
        assert connection.execute("SELECT id FROM memories_memory").fetchall() == [(kept,)]
        set_scope_settings(connection, organisation=here.id, audiences=[])
        assert connection.execute("SELECT id FROM memories_memory").fetchall() == []
        # The right audiences under the wrong organisation.
        set_scope_settings(connection, organisation=there.id, audiences=principal.audiences)
        assert connection.execute("SELECT id FROM memories_memory").fetchall() == []


@pytest.mark.conformance("H41", "T03")
@pytest.mark.parametrize("case", ["no context", "wrong organisation", "unreadable audience"])
def test_inserts_outside_the_scope_are_refused(lasting_world: World, case: str) -> None:
    here, there = lasting_world.here, lasting_world.there
    principal = resolve_principal(here.robot("bolt"))
    row = memory(here, principal)
    with rolled_back_connection("default") as connection:
        if case == "wrong organisation":
            set_scope_settings(connection, organisation=there.id, audiences=principal.audiences)
        if case == "unreadable audience":
            set_scope_settings(connection, organisation=here.id, audiences=[new_id()])
        with pytest.raises(Refused, match="row-level security"):
            connection.execute(INSERT, row)
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=here.id, audiences=principal.audiences)
        assert connection.execute(INSERT, row).rowcount == 1, "the same row is taken in its scope"


@pytest.mark.conformance("H41", "T03")
def test_rows_are_neither_moved_out_nor_changed_from_outside(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    principal, other = resolve_principal(here.robot("bolt")), resolve_principal(there.robot("bolt"))
    kept = here.remember(here.robot("bolt"), "The office closes at six.").id
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=here.id, audiences=principal.audiences)
        with pytest.raises(Refused):
            connection.execute(
                "UPDATE memories_memory SET audience_id = %s WHERE id = %s",
                [resolve_principal(here.person("mina")).own_audience, kept],
            )
    for command in ("UPDATE memories_memory SET content = 'x'", "DELETE FROM memories_memory"):
        with rolled_back_connection("default") as connection:
            set_scope_settings(connection, organisation=there.id, audiences=other.audiences)
            assert connection.execute(f"{command} WHERE id = %s", [kept]).rowcount == 0
    with rolled_back_connection("default") as connection:
        set_scope_settings(connection, organisation=here.id, audiences=principal.audiences)
        connection.execute("DELETE FROM memories_memory WHERE id = %s", [kept])
        with pytest.raises(Refused):
            connection.execute("DELETE FROM orgs_auditentry")


@pytest.mark.conformance("H41")
def test_a_deposit_is_written_and_not_read(lasting_world: World) -> None:
    here = lasting_world.here
    principal, hers = (
        resolve_principal(here.robot("bolt")),
        resolve_principal(here.person("mina")).own_audience,
    )
    row = memory(here, principal, audience=hers)
    with rolled_back_connection("default") as connection:
        set_scope_settings(
            connection,
            organisation=here.id,
            audiences=principal.audiences,
            deposit_audiences=[hers],
        )
        assert connection.execute(INSERT, row).rowcount == 1
        seen = connection.execute("SELECT 1 FROM memories_memory WHERE id = %s", [row[0]])
        assert seen.fetchall() == []
        changed = connection.execute("DELETE FROM memories_memory WHERE id = %s", [row[0]])
        assert changed.rowcount == 0
        with pytest.raises(Refused):
            connection.execute(INSERT + " RETURNING id", memory(here, principal, audience=hers))


@pytest.mark.conformance("T08")
def test_no_reference_leads_into_another_organisation(lasting_world: World) -> None:
    """Every foreign key between tenant tables, tried with a real id of the other organisation."""
    with rolled_back_connection("owner") as owner:
        pairs = owner.execute(
            "SELECT c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text "
            "FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid "
            "AND a.attnum = ANY (c.conkey) WHERE c.contype = 'f' AND a.attname <> "
            "'organisation_id' AND a.atttypid = 'uuid'::regtype "
            "AND c.confrelid <> 'orgs_user'::regclass"  # accounts belong to no organisation
        ).fetchall()
    assert len(pairs) >= 25
    fill(lasting_world)
    with rolled_back_connection("admin") as admin:
        # The keys alone shall refuse, and at once: without the checks that would be faster.
        admin.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("memories_memory", "robots_message"):
            admin.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for name, table in admin.execute(
            "SELECT conname, conrelid::regclass::text FROM pg_constraint "
            "WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0"
        ).fetchall():
            admin.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for table, column, target in pairs:
            theirs = admin.execute(
                f"SELECT id FROM {target} WHERE organisation_id = %s LIMIT 1",
                [lasting_world.there.id],
            ).fetchone()
            mine = admin.execute(
                f"SELECT tableoid, ctid FROM {table} WHERE organisation_id = %s LIMIT 1",
                [lasting_world.here.id],
            ).fetchone()
            assert theirs, f"the world has no {target}"
            assert mine, f"the world has no {table}"
            with (
                pytest.raises(psycopg.errors.ForeignKeyViolation),
                admin.transaction(),
            ):
                # The superuser: no policy is in the way, the key alone refuses.
                admin.execute(
                    f"UPDATE {table} SET {column} = %s WHERE tableoid = %s AND ctid = %s::tid",
                    [theirs[0], *mine],
                )


def erase_something(tenant: Tenant) -> None:
    """A receipt with a step and a tombstone; and a memory that left its readers."""
    mina = tenant.person("mina")
    forget_memory(mina, tenant.remember(mina, "Forgotten.", visibility="private").id, now=NOW)
    ada = resolve_principal(tenant.person("ada"))
    with ada.scope():
        erasure = record_erased_memories(ada, [new_id()], target=new_id(), now=NOW)
    with organisation_scope(tenant.id):
        step = ErasureStep(organisation_id=tenant.id, erasure_id=erasure.id, name="settle", at=NOW)
        step.save(force_insert=True)


def decide(tenant: Tenant) -> None:
    """A debate with all that a decision may name."""
    aria, hers = tenant.robot("aria"), str(tenant.members["mina"].id)
    robot = f"robot:{tenant.robots['bolt'].id}"
    debate = open_debate(aria, "Which room", member=hers, group="launch", now=NOW).debate
    draft = DecisionDraft(
        topic="",
        conclusion="The large one.",
        participants=(hers, robot),
        claims=(ClaimDraft(text="It is free.", by=hers), ClaimDraft(text="So.", by=robot)),
        dissents=tuple(
            DissentDraft(kind="abstention", content="I do not mind.", by=by) for by in (hers, robot)
        ),
    )
    made = close_debate(aria, debate.id, draft, member=hers, group="launch", now=NOW).decision.id
    mina, fine = tenant.person("mina"), DissentAnswer(acknowledged=True)
    own = add_dissent(mina, made, DissentDraft(kind="abstention", content="No."), now=NOW)
    answer_dissent(mina, made, own.id, fine, now=NOW)
    found = get_decision(mina, made).dissents[0]
    answer_dissent(aria, made, found.id, fine, now=NOW)


def fill_group(tenant: Tenant) -> None:
    """What robots and members keep in a group, and a task there."""
    mina = tenant.person("mina")
    hers, his = (str(tenant.members[name].id) for name in ("mina", "bob"))
    whose: list[dict[str, Any]] = [{}, {"member": hers}, {"member": hers, "listeners": (his,)}]
    for number, among in enumerate(whose):
        tenant.remember(
            tenant.robot("aria"), f"Something in a group, {number}.", group="launch", **among
        )
    done = add_task(
        mina, TaskDraft(content="Book a room", group="launch", assignee=hers), now=NOW
    ).task
    assert done is not None
    update_task(tenant.robot("aria"), done.id, {"done": True}, member=hers, group="launch", now=NOW)


def fill_kept_answers(tenant: Tenant) -> None:
    """What calls with an idempotency key were answered, of each whose uses are counted."""
    with organisation_scope(tenant.id, using="worker"):
        readers = set(ReaderUse.objects.using("worker").values_list("reader", flat=True))
    digests = dict.fromkeys(("call", "request", "standing"), b"0" * 32)
    for reader in readers:
        kept = IdempotencyRecord(
            organisation_id=tenant.id, caller=reader, status=201, created_at=NOW, **digests
        )
        with scope(Scope(organisation=tenant.id, reader=reader)):
            kept.save(force_insert=True)


def fill_second_model(tenant: Tenant) -> None:
    """A vector of another model beside the narrow rows."""
    encoder_loading._encoders.setdefault(OTHER, OtherEncoder())
    model_choice.add_model(tenant.id, OTHER, now=NOW)
    models = find_organisation_models(tenant.id, using="worker")
    portion = model_switch.fill_portion(tenant.id, models, UUID(int=0))
    assert portion
    assert portion.stored


def fill_grants(tenant: Tenant) -> None:
    """What a member allowed an assistant, whose key is that of a robot; and the quota."""
    with organisation_scope(tenant.id):
        Quota(organisation_id=tenant.id, memories=1_000_000).save(force_insert=True)
        AuditCursor(organisation_id=tenant.id, told_at=timezone.now()).save(force_insert=True)
        key = Key.objects.filter(organisation_id=tenant.id, robot=tenant.robots["aria"]).first()
        assert key is not None
        OAuthGrant(
            organisation_id=tenant.id,
            member_id=tenant.members["mina"].id,
            client="https://assistant.example/client",
            client_host="assistant.example",
            resource="https://memory.example/mcp",
            code_digest="0" * 64,
            code_expires_at=NOW,
            robot_id=key.robot_id,
            key_id=key.id,
        ).save(force_insert=True)
    fill_webhooks(tenant)
    fill_questions(tenant)
    fill_folders(tenant)


def fill_folders(tenant: Tenant) -> None:
    """A folder of a robot, for a group, with a file."""
    robot = tenant.robots["aria"]
    with organisation_scope(tenant.id):
        whose = {"organisation_id": tenant.id, "key": Key.objects.filter(robot=robot).first()}
        made = ImportSubscription(
            **whose, robot=robot, readers="group", group=tenant.groups["launch"], created_at=NOW
        )
        made.save(force_insert=True)
        file = FolderFile(subscription=made, path="a", size=1, changed_ns=1, looked_at=NOW)
        file.organisation_id = tenant.id
        file.save(force_insert=True)


def fill_questions(tenant: Tenant) -> None:
    """Questions by each consent, of a member, and of a robot for them."""
    agree(tenant, "mina", "aria", "bolt")
    ask(tenant.person("mina"), "Where is the spare projector?")
    ask(tenant.robot("bolt"), "Where is the spare projector?")
    mina = str(tenant.members["mina"].id)
    ask(tenant.robot("aria"), "Where is the spare projector?", member=mina, group="launch")


def fill_webhooks(tenant: Tenant) -> None:
    """An endpoint of a robot, and a message for it."""
    caller = authenticate_key(tenant.keys["aria"], timezone.now())
    assert caller is not None
    robot, url = caller.actor(), "https://hooks.example.org/"
    made = create_endpoint(robot, url=url, events=["memory.gone"], with_text=False, now=NOW)
    enqueue_test(robot, made.endpoint.id, now=NOW)


def fill(world: World) -> None:
    """At least one row a tenant in each table that refers to another."""
    for tenant in (world.here, world.there):
        mina, aria = tenant.person("mina"), tenant.robots["aria"]
        create_delegation(
            organisation_id=tenant.id,
            member_id=tenant.members["mina"].id,
            robot_id=aria.id,
            actor=mina,
            now=NOW,
        )
        link_identity(
            organisation_id=tenant.id,
            platform="chat",
            identifier="mina",
            member_id=tenant.members["mina"].id,
            confirmed_at=NOW,
        )
        enable_projection(tenant.id, Projection.PARTITIONS)
        create_enrolment_key(
            tenant.person("ada"), label="Fleet", scopes=("read",), groups=(), most=2,
            lifetime=timedelta(days=7), now=NOW,
        )  # fmt: skip
        fill_grants(tenant)
        fill_group(tenant)
        decide(tenant)
        tenant.remember(
            mina,
            "Something for Bob.",
            readers=ReaderReferences(members=("chat:mina",)),
            visibility="shared",
        )
        erase_something(tenant)
        add_term(tenant.person("ada"), kind="client", term="Zebra Holding", now=NOW)
        set_gate_policy(tenant.person("ada"), "about_somebody", now=NOW)
        told = "Write to mina@zebra.example."
        tenant.remember(
            tenant.robot("aria"),
            told,
            member=str(tenant.members["mina"].id),
            visibility="organisation",
        )
        known = {"identity": "chat:mina"}
        identity_links.link_member_identity(
            tenant.robot("aria"), str(tenant.members["mina"].id), known, now=NOW
        )
        tenant.remember(mina, "I meet Bob tomorrow.", visibility="private", occurred_at=NOW)
        tenant.remember(mina, "Kim works at Zorblax.", visibility="private")
        tenant.embed()
        with override_settings(LLM_URL="http://127.0.0.1:9", LLM_MODEL="none"):
            tenant.remember(mina, "A turn.", group="launch", conversation="monday")
        owed = tenant.remember(tenant.robot("bolt"), "Something still owed.").id
        edit_memory(tenant.robot("bolt"), owed, {"content": "Something owed."}, now=NOW)
        tenant.remember(mina, "Made from it.", source={"memories": [str(owed)]})
        told = tenant.remember(mina, "Something for everyone.", visibility="organisation").id
        add_to_working_memory(tenant.robot("bolt"), str(tenant.robots["bolt"].id), owed, now=NOW)
        tenant.add_team("pair", "aria", "bolt")
        fill_blocks(tenant)
        set_saved_view(mina, name="Mine", query="")
        meeting = calendar(event(":20260303T090000Z"))
        add_account(
            resolve_member_principal(mina),
            kind="calendar",
            name="Work",
            file=BytesIO(meeting),
            size=len(meeting),
            now=NOW,
        )
        chat, _ = ensure_conversation(mina, {}, now=NOW)
        post_messages(mina, chat.id, [NewMessage(content="Something said.")], now=NOW)
        tenant.read()
        change_memories(mina, [owed], BulkChange(action="archive"), now=NOW)
        answer = recall(mina, Query(text="something"), now=NOW)
        hit = answer.hits[0][0].id
        record_feedback(mina, recall_id=answer.recall_id, memory_id=hit, usefulness=1, now=NOW)
        edit_memory(mina, told, {"tier": "glacial"}, now=NOW)
        move_due_tiers(tenant.id, now=NOW)
        create_run_once(tenant.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
        with organisation_scope(tenant.id, using="worker"):
            row = Memory.objects.using("worker").get(id=told)
            about = (tenant.id, row.id, row.audience_id, row.kind)
            store_answer(*about, question=b"0" * 32, answer="same", now=NOW)
        update_policy(tenant.person("ada"), {"capacities": "large"}, now=NOW)
        fill_kept_answers(tenant)
        fill_second_model(tenant)
        open_disclosure(
            organisation_id=tenant.id,
            memory_id=told,
            staff=User.objects.create_user(f"{new_id().hex}@support.example", is_staff=True),
            reason="A test.",
            now=NOW,
        )


# They tell no rows but counts of an organisation; tests/personas/learning/test_metrics.py calls it.
COUNTERS = {"search.conversation_lengths(timestamp with time zone)"}
# It tells a writer of an audience that is not open; tests/isolation/test_writer_rights.py calls it.
WRITERS = {"search.written_protected(uuid,uuid)"}


@pytest.mark.conformance("T09")
def test_definer_functions_tell_only_of_open_audiences(lasting_world: World) -> None:
    """Each one finds a row of Mina's alone when her audience is open to it, and not otherwise."""
    here, there = lasting_world.here, lasting_world.there
    hers = resolve_principal(here.person("mina")).own_audience
    kept = here.remember(here.person("mina"), "A private thing.", visibility="private").id
    digest = content_hash("A private thing.", speaker="", subject=here.members["mina"].id)
    calls: dict[str, tuple[str, str, list[object]]] = {
        "search.deposited(bytea[],text[])": (
            "deposit_audiences",
            "SELECT id FROM search.deposited(%s, '{}')",
            [[digest]],
        ),
        "search.word_candidates(text[],integer,double precision)": (
            "audiences",
            "SELECT memory_id FROM search.word_candidates(%s, 10, 100)",
            [["privat", "thing"]],
        ),
    }
    with rolled_back_connection("owner") as owner:
        every = set(calls) | COUNTERS | WRITERS | ACCOUNT_FUNCTIONS
        assert set(definer_functions(owner)) == every, "each definer function is called here"
    for setting, call, arguments in calls.values():
        other = {"audiences", "deposit_audiences"} - {setting}
        cases: list[tuple[dict[str, object], list[tuple[UUID]]]] = [
            ({}, []),
            ({"organisation": here.id}, []),
            ({"organisation": here.id, setting: []}, []),
            ({"organisation": here.id, setting: [new_id()]}, []),
            ({"organisation": here.id, other.pop(): [hers]}, []),
            ({"organisation": there.id, setting: [hers]}, []),
            ({setting: [hers]}, []),
            ({"organisation": here.id, setting: [hers]}, [(kept,)]),
        ]
        for context, expected in cases:
            with rolled_back_connection("default") as connection:
                set_scope_settings(connection, **context)
                assert connection.execute(call, arguments).fetchall() == expected, context
        for alias in ("worker", "support"):
            with rolled_back_connection(alias) as connection, pytest.raises(Refused):
                connection.execute(call, arguments)


@pytest.mark.conformance("T03")
def test_the_context_ends_with_the_transaction(lasting_world: World) -> None:
    here = lasting_world.here
    principal = resolve_principal(here.robot("bolt"))
    here.remember(here.robot("bolt"), "The office closes at six.")
    settings_dict = settings.DATABASES["default"]
    assert settings_dict["USER"] == "commonmind_app"
    count = "SELECT count(*) FROM memories_memory"
    with rolled_back_connection("default") as connection:
        with connection.transaction():
            set_scope_settings(connection, organisation=here.id, audiences=principal.audiences)
            inside = connection.execute(count).fetchone()
        connection.commit()
        assert (inside, connection.execute(count).fetchone()) == ((1,), (0,))
