"""Write the graph of who knows what when memories are read, and delete it with them.

For each memory: its entities, its speaker, whom it addresses, what it answers, what its speaker
shows to know, what it states of two entities, and memories with similar tags. Every row is an
observation in the memory's own audience, and none rests on a memory of another audience.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.knowledge_graph.action_item_tasks import (
    ActionItem,
    delete_stale_tasks,
    participant_ids,
    upsert_tasks,
)
from memories.knowledge_graph.dialogue import DialogueBatch, load_dialogue
from memories.knowledge_graph.expertise_signals import DialogueTurn, RecentTurns, compute_signals
from memories.knowledge_graph.models import (
    Edge,
    Entity,
    EntitySource,
    EntityType,
    Relation,
    StatedRelation,
)
from memories.knowledge_graph.node_ids import COMPUTED_VERSION, compute_node_id, strip_platform
from memories.knowledge_graph.tag_similarity import fetch_similar_by_tags
from memories.language import entities
from memories.language.stated_relations import SPEAKER_KEY, extract_relations
from memories.language.terms import strip_addressee
from memories.store.conversation_turns import MESSAGE_KEY_PREFIX, source_message_id
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.models.base import id_like
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation, Projection

# From the published rules: an observation of knowledge has half the weight of a plain fact.
FACT_WEIGHT, KNOWLEDGE_WEIGHT = 1.0, 0.5

# Sources that do not come from the memories alone, so rows of them are not rebuilt.
_NOT_REBUILT_RELATIONS = (Relation.SUPPORTS, Relation.CONTRADICTS)

# A rebuild of the graph may have written a memory before it is read.
_INSERT_ENTITIES_SQL = """
INSERT INTO memories_entity (id, organisation_id, memory_id, audience_id, kind, node, type, name,
                             key, member_id, source, confidence, extracted_at)
SELECT given.id, %(organisation)s, m.id, m.audience, m.kind, given.node, given.type, given.name,
       given.key, given.member, 'rules', given.confidence, %(now)s
FROM unnest(%(ids)s::uuid[], %(places)s::int[], %(nodes)s::uuid[], %(types)s::text[],
            %(names)s::text[], %(keys)s::text[], %(members)s::uuid[], %(sure)s::float8[])
    AS given (id, place, node, type, name, key, member, confidence)
JOIN unnest(%(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[]) WITH ORDINALITY
    AS m (id, audience, kind, place) ON m.place = given.place
ON CONFLICT DO NOTHING
"""
_INSERT_EDGES_SQL = """
INSERT INTO memories_edge (id, organisation_id, memory_id, audience_id, kind, relation, source,
                           target, other_id, weight, inferred, observed_at)
SELECT given.id, %(organisation)s, m.id, m.audience, m.kind, given.relation, given.source,
       given.target, given.other, given.weight, given.inferred, m.at
FROM unnest(%(ids)s::uuid[], %(places)s::int[], %(relations)s::text[], %(sources)s::uuid[],
            %(targets)s::uuid[], %(others)s::uuid[], %(weights)s::float8[], %(inferred)s::bool[])
    AS given (id, place, relation, source, target, other, weight, inferred)
JOIN unnest(%(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(times)s::timestamptz[]) WITH ORDINALITY
    AS m (id, audience, kind, at, place) ON m.place = given.place
ON CONFLICT DO NOTHING
"""
_INSERT_STATED_SQL = """
INSERT INTO memories_statedrelation (id, organisation_id, memory_id, audience_id, kind, relation,
                                     subject, object, source, confidence, stated_at)
SELECT given.id, %(organisation)s, m.id, m.audience, m.kind, given.relation, given.subject,
       given.object, 'rules', given.confidence, m.at
FROM unnest(%(ids)s::uuid[], %(places)s::int[], %(relations)s::text[], %(subjects)s::uuid[],
            %(objects)s::uuid[], %(sure)s::float8[])
    AS given (id, place, relation, subject, object, confidence)
JOIN unnest(%(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(times)s::timestamptz[]) WITH ORDINALITY
    AS m (id, audience, kind, at, place) ON m.place = given.place
ON CONFLICT DO NOTHING
"""
# Moving such a memory waits until this is committed, and then moves the observation too.
_LOCK_MEMORIES_SQL = """
SELECT id, audience_id FROM memories_memory
WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s::uuid[]) AND status = 'active'
ORDER BY id FOR KEY SHARE
"""
_GIVEN_ENTITIES_SQL = """
SELECT memory_id, node FROM memories_entity
WHERE organisation_id = %(organisation)s AND memory_id = ANY(%(ids)s::uuid[])
"""
# Replies to restored memories.
_REPLIES_SQL = f"""
SELECT m.* FROM robots_message of
JOIN robots_message reply ON reply.organisation_id = of.organisation_id
    AND reply.conversation_id = of.conversation_id AND reply.reply_to_id = of.id
JOIN memories_memory m ON m.organisation_id = of.organisation_id
    AND m.key = '{MESSAGE_KEY_PREFIX}' || reply.id
    AND m.audience_id = of.audience_id AND m.status = 'active'
WHERE of.organisation_id = %s AND of.id = ANY(%s::uuid[]) LIMIT 1000
"""


@dataclass(slots=True)
class _GraphBatch:
    """The rows to write, as columns; each observation once."""

    rows: Sequence[Memory]
    named: dict[tuple[int, UUID], tuple[str, str, str, UUID | None, float]] = field(
        default_factory=dict
    )
    edges: dict[tuple[int, str, UUID, UUID], tuple[UUID | None, float, bool]] = field(
        default_factory=dict
    )
    tags: list[tuple[int, UUID]] = field(default_factory=list)
    stated: dict[tuple[int, str, UUID, UUID], float] = field(default_factory=dict)

    def name(
        self, place: int, node: UUID, one: entities.NamedEntity, member: UUID | None = None
    ) -> None:
        """Note what a memory names; of two readings of one node the surer one stays."""
        known = self.named.get((place, node))
        if known is None or known[-1] < one.confidence:
            self.named[place, node] = (one.type, one.name[:200], one.key, member, one.confidence)

    def connect(
        self,
        place: int,
        relation: str,
        source: UUID,
        target: UUID,
        *,
        other: UUID | None = None,
        weight: float = FACT_WEIGHT,
        inferred: bool = False,
    ) -> None:
        if source != target:
            self.edges.setdefault((place, relation, source, target), (other, weight, inferred))


class GraphProjection:
    """What memories show, as entities and edges."""

    def write(self, rows: Sequence[Memory], now: datetime, *, fresh: bool) -> None:
        """Write the observations of memories."""
        if not rows:
            return
        self._note(rows, now, fresh=fresh)
        if not fresh:
            self.renew(_fetch_replies(rows), now)

    def renew(self, rows: Sequence[Memory], now: datetime) -> None:
        """Write the observations of memories anew: their tags changed, or their reply target has
        arrived."""
        if not rows:
            return
        here, ids = {"organisation_id": rows[0].organisation_id}, [row.id for row in rows]
        Edge.objects.filter(**here, memory_id__in=ids).exclude(
            relation__in=_NOT_REBUILT_RELATIONS
        ).delete()
        Edge.objects.filter(**here, other_id__in=ids, relation=Relation.RELATED_TO).delete()
        StatedRelation.objects.filter(**here, memory_id__in=ids).delete()
        found = Entity.objects.filter(**here, memory_id__in=ids)
        found.exclude(source=EntitySource.GIVEN).delete()
        self._note(rows, now, fresh=False)

    def _note(self, rows: Sequence[Memory], now: datetime, *, fresh: bool) -> None:
        made = load_dialogue(rows)
        batch = _GraphBatch(rows)
        places = {row.id: place for place, row in enumerate(rows, start=1)}
        self._name(batch, made, places)
        for turn in made.turns.values():
            self._observe(batch, made, turn, places[turn.id])
        if not fresh:
            self._leave_given(batch)
        self._drop_cross_audience_edges(batch, made)
        self._insert(batch, now)
        upsert_tasks(_action_items(batch), now)
        if not fresh:
            delete_stale_tasks(rows)
        self._relate_alike(batch, places, now)

    def remove(self, organisation_id: UUID, ids: Sequence[UUID]) -> None:
        """Delete all observations except entities given by hand, which are not shown while the
        memory is not active."""
        of = {"organisation_id": organisation_id}
        Edge.objects.filter(**of, memory_id__in=ids).delete()
        Edge.objects.filter(**of, other_id__in=ids).delete()
        StatedRelation.objects.filter(**of, memory_id__in=ids).delete()
        Entity.objects.filter(**of, memory_id__in=ids).exclude(source=EntitySource.GIVEN).delete()

    def _name(self, batch: _GraphBatch, made: DialogueBatch, places: dict[UUID, int]) -> None:
        tenant, people = batch.rows[0].organisation_id, _load_people_names(batch.rows)
        nodes: dict[tuple[str, str], UUID] = {}

        def node(type_: str, key: str) -> UUID:
            if (type_, key) not in nodes:
                nodes[type_, key] = compute_node_id(tenant, type_, key)
            return nodes[type_, key]

        for row in batch.rows:
            place = places[row.id]
            turn = made.turns[row.id]
            for term in turn.concepts:
                what = node(EntityType.CONCEPT, term.key)
                batch.named[place, what] = ("concept", term.name[:200], term.key, None, 1.0)
                if row.tags and term.proper and term.name in row.tags:
                    batch.tags.append((place, what))
            if turn.credit and turn.credited and turn.credited.version == COMPUTED_VERSION:
                # The name under which the expert is shown, if they are no member.
                name = turn.credit.name[:200]
                batch.named[place, turn.credited] = ("person", name, name.casefold(), None, 0.95)
            here = {people[id_].casefold(): id_ for id_ in participant_ids(row) if id_ in people}
            said = strip_addressee(row.content)
            found = entities.extract_entities(said, [people[i] for i in here.values()])
            for one in found:
                member = here.get(one.key) if one.type == entities.PERSON else None
                batch.name(place, member or node(one.type, one.key), one, member)
            for stated in extract_relations(said, found):
                ends = []
                for one in (stated.subject, stated.object):
                    if one.key == SPEAKER_KEY:
                        member, end = _speaker_entity(row, people)
                    else:
                        member = here.get(one.key) if one.type == entities.PERSON else None
                        end = one
                    if end is not None:
                        ends.append((member or node(end.type, end.key), end, member))
                if len(ends) == 2 and ends[0][0] != ends[1][0]:
                    for what, end, member in ends:
                        batch.name(place, what, end, member)
                    batch.stated[place, stated.relation, ends[0][0], ends[1][0]] = stated.confidence

    def _observe(
        self, batch: _GraphBatch, made: DialogueBatch, turn: DialogueTurn, place: int
    ) -> None:
        heard = made.heard[turn.conversation, turn.audience] if turn.conversation else RecentTurns()
        if turn.speaker is not None:
            batch.connect(place, Relation.SAID, turn.speaker, turn.id)
        for person in turn.addressed:
            batch.connect(place, Relation.MENTIONS, turn.id, person)
        found = compute_signals(turn, heard, made.quoted)
        for answered in found.answers:
            batch.connect(
                place,
                Relation.REPLIED_TO,
                turn.id,
                answered,
                other=answered,
                inferred=found.inferred,
            )
        knows = [
            *((turn.speaker, term, None) for term in found.own),
            *((turn.speaker, *lent) for lent in found.lent),
            *((turn.credited, *credit) for credit in found.credits),
        ]
        for expert, term, other in knows:
            about = compute_node_id(batch.rows[0].organisation_id, EntityType.CONCEPT, term.key)
            batch.connect(
                place,
                Relation.KNOWS_ABOUT,
                expert or turn.id,
                about,
                other=other,
                weight=KNOWLEDGE_WEIGHT,
                inferred=True,
            )
        if turn.conversation:
            heard.add(turn)

    def _leave_given(self, batch: _GraphBatch) -> None:
        """Leave out entities that were given by hand."""
        values = {
            "organisation": batch.rows[0].organisation_id,
            "ids": [row.id for row in batch.rows],
        }
        places = {row.id: place for place, row in enumerate(batch.rows, start=1)}
        for memory_id, node in fetch_all(_GIVEN_ENTITIES_SQL, values):
            batch.named.pop((places[memory_id], node), None)

    def _drop_cross_audience_edges(self, batch: _GraphBatch, made: DialogueBatch) -> None:
        """Keep only rows that rest on memories of the same audience, and lock these memories in
        their audience."""
        audiences = {row.id: row.audience_id for row in batch.rows}
        others = {o for o, _, _ in batch.edges.values() if o and o not in audiences}
        held = dict(audiences)
        if others:
            values = {"organisation": batch.rows[0].organisation_id, "ids": list(others)}
            held |= dict(fetch_all(_LOCK_MEMORIES_SQL, values))
        for edge, (other, _, _) in list(batch.edges.items()):
            if other and held.get(other) != batch.rows[edge[0] - 1].audience_id:
                del batch.edges[edge]

    def _insert(self, batch: _GraphBatch, now: datetime) -> None:
        rows = batch.rows
        shared: dict[str, Any] = {
            "organisation": rows[0].organisation_id,
            "now": now,
            "memories": [row.id for row in rows],
            "audiences": [row.audience_id for row in rows],
            "kinds": [row.kind for row in rows],
        }
        if batch.named:
            fetch_all(_INSERT_ENTITIES_SQL, shared | _entity_columns(batch, now))
        times = [row.occurred_at or row.created_at for row in rows]
        if batch.edges:
            fetch_all(_INSERT_EDGES_SQL, shared | {"times": times} | _edge_columns(batch, now))
        if batch.stated:
            stated = shared | {"times": times} | _stated_columns(batch, now)
            fetch_all(_INSERT_STATED_SQL, stated)

    def _relate_alike(self, batch: _GraphBatch, places: dict[UUID, int], now: datetime) -> None:
        rows = batch.rows
        tagged = [(rows[place - 1].id, node) for place, node in batch.tags]
        more = _GraphBatch(rows)
        for source, target, weight in fetch_similar_by_tags(rows[0].organisation_id, tagged):
            more.connect(
                places[source],
                Relation.RELATED_TO,
                source,
                target,
                other=target,
                weight=weight,
                inferred=True,
            )
        self._insert(more, now)


def _action_items(batch: _GraphBatch) -> list[ActionItem]:
    return [
        ActionItem(batch.rows[place - 1], node, name)
        for (place, node), (type_, name, *_) in batch.named.items()
        if type_ == EntityType.ACTION_ITEM
    ]


def _entity_columns(batch: _GraphBatch, now: datetime) -> dict[str, Any]:
    types, names, keys, members, sure = zip(*batch.named.values(), strict=True)
    return {
        "ids": [id_like(batch.rows[place - 1].id, now) for place, _ in batch.named],
        "places": [place for place, _ in batch.named],
        "nodes": [node for _, node in batch.named],
        "types": list(types),
        "names": list(names),
        "keys": list(keys),
        "members": list(members),
        "sure": list(sure),
    }


def _edge_columns(batch: _GraphBatch, now: datetime) -> dict[str, Any]:
    others, weights, inferred = zip(*batch.edges.values(), strict=True)
    return {
        "ids": [id_like(batch.rows[edge[0] - 1].id, now) for edge in batch.edges],
        "places": [edge[0] for edge in batch.edges],
        "relations": [str(edge[1]) for edge in batch.edges],
        "sources": [edge[2] for edge in batch.edges],
        "targets": [edge[3] for edge in batch.edges],
        "others": list(others),
        "weights": list(weights),
        "inferred": list(inferred),
    }


def _stated_columns(batch: _GraphBatch, now: datetime) -> dict[str, Any]:
    return {
        "ids": [id_like(batch.rows[one[0] - 1].id, now) for one in batch.stated],
        "places": [one[0] for one in batch.stated],
        "relations": [one[1] for one in batch.stated],
        "subjects": [one[2] for one in batch.stated],
        "objects": [one[3] for one in batch.stated],
        "sure": list(batch.stated.values()),
    }


def _speaker_entity(
    row: Memory, people: dict[UUID, str]
) -> tuple[UUID | None, entities.NamedEntity | None]:
    """(the member, the entity) who says "I" in a memory: its speaker, or the member who wrote it.
    A mere name is nobody's, also if a member has it; None if nobody knows."""
    member = row.speaker_member_id
    if member is None and not row.speaker and row.author_id == row.member_id:
        member = row.author_id
    name = people.get(member, "") if member else row.speaker
    name = " ".join(strip_platform(name).split())[:200]
    if not name:
        return None, None
    return member, entities.NamedEntity(entities.PERSON, name, name.casefold(), 0.95)


def _load_people_names(rows: Sequence[Memory]) -> dict[UUID, str]:
    """Names by id of the people whom a text may name."""
    wanted: dict[UUID, set[UUID]] = defaultdict(set)
    for row in rows:
        if not row.content.islower():
            wanted[row.organisation_id] |= set(participant_ids(row))
    found: dict[UUID, str] = {}
    for organisation_id, ids in wanted.items():
        if ids:
            members = Member.objects.filter(organisation_id=organisation_id, id__in=ids)
            found |= dict(members.values_list("id", "name"))
    return found


def _fetch_replies(rows: Sequence[Memory]) -> list[Memory]:
    messages = [message for row in rows if (message := source_message_id(row))]
    if not messages:
        return []
    return list(Memory.objects.raw(_REPLIES_SQL, [rows[0].organisation_id, messages]))


GRAPH_PROJECTION = GraphProjection()


def write_graph(
    organisation: Organisation, rows: Sequence[Memory], now: datetime, *, fresh: bool
) -> None:
    """Write findable memories, without sensitive ones, if the organisation has a graph. fresh: they
    are new, so nothing of them is written yet."""
    if Projection.GRAPH in organisation.projections:
        GRAPH_PROJECTION.write([row for row in rows if not row.sensitive], now, fresh=fresh)


def rewrite_graph(organisation: Organisation, rows: Sequence[Memory], now: datetime) -> None:
    """Rewrite memories that are written already, without sensitive ones, if the organisation has a
    graph."""
    if Projection.GRAPH in organisation.projections:
        GRAPH_PROJECTION.renew([row for row in rows if not row.sensitive], now)
