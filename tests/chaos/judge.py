"""Compares the database with what was acknowledged, by SQL that has nothing of the product's."""

from typing import Any

from tests.chaos.chaos_site import ChaosSite
from tests.chaos.load import READS, Ledger
from tests.world import World

_AUDIENCES = """
SELECT m.id::text, o.slug, m.content, m.status, m.remember_count,
    a.kind || coalesce(' ' || coalesce(g.external_id, lower(p.name), lower(r.name)), '')
FROM memories_memory m
JOIN orgs_organisation o ON o.id = m.organisation_id
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
LEFT JOIN orgs_group g ON a.kind = 'group' AND g.id::text = a.key
LEFT JOIN orgs_member p ON a.kind = 'member' AND p.id::text = a.key
LEFT JOIN robots_robot r ON a.kind = 'robot' AND r.id::text = a.key
"""
_PARTS = """
SELECT c.table_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND c.column_name = 'memory_id' AND t.table_type = 'BASE TABLE'
ORDER BY 1
"""
# What there must be once, by what tells it from others; the database holds some of it by itself.
_ONCE = {
    "memory": "SELECT organisation_id, audience_id, content FROM memories_memory "
    "WHERE content LIKE '%%unit%%' OR content LIKE 'Line %%'",
    "contribution": "SELECT memory_id, robot_id FROM memories_contribution",
    "vector": "SELECT memory_id, model FROM memories_embedding",
    "searched row": "SELECT memory_id FROM memories_search",
    "part": "SELECT memory_id, model, part FROM memories_vector",
    "edge": "SELECT memory_id, relation, source, target FROM memories_edge",
    "restatement": "SELECT memory_id FROM memories_restatement",
    "message": "SELECT conversation_id, content FROM robots_message "
    "WHERE content LIKE 'He paints%%'",
    "audit entry": "SELECT action, target FROM orgs_auditentry "
    "WHERE action IN ('job.consolidate', 'job.change', 'job.import', 'erasure.asked', "
    "'erasure.done')",
}
_STUCK = {
    "waiting or leased": "SELECT state, reason FROM memories_pending",
    "unread": "SELECT state, reason FROM memories_pendingrestatement",
    "job": "SELECT kind, state, reason FROM memories_job WHERE state <> 'done'",
    "active without vector": "SELECT m.id FROM memories_memory m WHERE m.status = 'active' AND NOT "
    "EXISTS (SELECT 1 FROM memories_embedding e WHERE e.memory_id = m.id)",
    "active without words": "SELECT m.id FROM memories_memory m WHERE m.status = 'active' AND NOT "
    "EXISTS (SELECT 1 FROM memories_search s WHERE s.memory_id = m.id "
    "AND s.embedding IS NOT NULL)",
}


def is_quiet(site: ChaosSite) -> bool:
    """Whether nothing is owed any more. A row that was given up would be no quiet, but a fault."""
    owed = (
        "SELECT (SELECT count(*) FROM memories_pending WHERE state <> 'dead') + (SELECT count(*) "
        "FROM memories_job WHERE state IN ('waiting', 'running'))"
    )
    return site.rows(owed) == [(0,)]


def judge(site: ChaosSite, ledger: Ledger, world: World) -> list[str]:
    """Everything that is not as it was acknowledged."""
    slugs = {world.here.organisation.slug: "here", world.there.organisation.slug: "there"}
    found = {id_: row for id_, *row in site.rows(_AUDIENCES)}
    wrong = list(ledger.faults)
    for id_, told in ledger.memories.items():
        row = found.get(id_)
        if told.state == "erased":
            if row is not None:
                wrong.append(f"erased, and there: {told}")
            continue
        if row is None:
            wrong.append(f"lost: {told}")
            continue
        expected = [told.text, "active" if told.state == "active" else "forgotten", 1]
        slug, *held, audience = row
        if held != expected or (slugs.get(slug), audience) != (told.organisation, told.audience):
            wrong.append(f"is {row}, was acknowledged as {told}")
    wrong += _judge_messages(site, ledger)
    wrong += _judge_jobs(site, ledger)
    wrong += _judge_parts(site, ledger, found)
    for name, statement in _ONCE.items():
        doubled = f"SELECT t::text, count(*) FROM ({statement}) t GROUP BY t HAVING count(*) > 1"
        wrong += [f"{name} is there {count} times: {row}" for row, count in site.rows(doubled)]
    for name, statement in _STUCK.items():
        wrong += [f"{name}: {row}" for row in site.rows(statement)]
    return wrong + _judge_readers(ledger, found, slugs)


def _judge_messages(site: ChaosSite, ledger: Ledger) -> list[str]:
    held = dict(site.rows("SELECT id::text, content FROM robots_message"))
    return [
        f"lost message: {text}" for id_, text in ledger.messages.items() if held.get(id_) != text
    ]


def _judge_jobs(site: ChaosSite, ledger: Ledger) -> list[str]:
    held = dict(site.rows("SELECT id::text, kind FROM memories_job"))
    # The job of an import goes with what it brought.
    told = {id_: kind for id_, kind in ledger.jobs.items() if id_ not in ledger.erased_imports}
    wrong = [f"lost job: {kind}" for id_, kind in told.items() if held.get(id_) != kind]
    keys = {key for (key,) in site.rows("SELECT key FROM memories_memory WHERE key IS NOT NULL")}
    for job, lines in ledger.imports.items():
        there = {line for line in lines if any(key.endswith(line) for key in keys)}
        expected = set() if job in ledger.erased_imports else set(lines)
        if there != expected:
            wrong.append(f"import {job}: {len(there)} lines in the place of {len(expected)}")
    done = site.rows("SELECT target FROM orgs_auditentry WHERE action = 'erasure.done'")
    told = {str(target) for (target,) in done}
    return wrong + [f"erasure without its entry: {id_}" for id_ in ledger.erasures - told]


def _judge_parts(site: ChaosSite, ledger: Ledger, found: dict[str, Any]) -> list[str]:
    """Of what was erased nothing may be left in any table."""
    gone = [id_ for id_, told in ledger.memories.items() if told.state == "erased"]
    wrong = []
    for (table,) in site.rows(_PARTS):
        left = site.rows(f"SELECT count(*) FROM {table} WHERE memory_id = ANY(%s::uuid[])", gone)
        if left != [(0,)]:
            wrong.append(f"{table} keeps {left[0][0]} rows of what was erased")
    return wrong


def _judge_readers(ledger: Ledger, found: dict[str, Any], slugs: dict[str, str]) -> list[str]:
    wrong = []
    for organisation, reader, id_ in ledger.served:
        told = ledger.memories.get(id_)
        if told is not None:
            place = told.organisation, told.audience
        elif id_ in found:
            place = slugs.get(found[id_][0], "?"), found[id_][-1]
        else:
            continue  # an import that was erased since
        if place[0] != organisation or place[1] not in READS[organisation, reader]:
            wrong.append(f"{reader} of {organisation} was served {place}")
    return wrong
