"""Who could make Bob's name appear: attempts on every writing operation, and what they may leave.

The operations are read from the URL conf and the OpenAPI description, with all their fields filled,
so that what is added later is tried without anybody writing a test for it. What a personal robot
leaves is looked for in every column of every table that points to a member.
"""

import copy
import dataclasses
import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from rest_framework.test import APIClient

from memories.action_items.add_task import TaskDraft, add_task
from memories.curation.decision_records.debates import open_debate
from memories.curation.decision_records.dissents import DissentDraft, add_dissent
from memories.curation.decision_records.record_decision import DecisionDraft, record_decision
from memories.knowledge_graph.models import Edge
from memories.preferences.preferences import write_preference
from memories.review.models import Proposal
from memories.review.propose import propose_correction, report_memory
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution, Version
from memories.views.origin_presenter import speaker_name
from orgs.cohort_types import EVERY_INDUSTRY
from orgs.database.rls import Scope, scope
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.names.lookalikes import find_lookalike
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.references import link_identity
from personas.models.blocks import Block, Layer
from robots.access.keys import create_key
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from robots.models.conversations import Message
from tests.isolation.api_surface import (
    ABSENT_FILLER,
    Operation,
    Path,
    api_operations,
    body_slots,
    openapi_schema,
    page_operations,
    resolve_schema,
    set_value,
)
from tests.isolation.comparable_responses import send
from tests.world import NOW, Tenant, World

FORGED = "Forged: apples are blue, said nobody."
# What the API does not know and what would say who wrote something, were it taken.
CLAIMS = ("author", "author_id", "speaker_member", "speaker_member_id", "reworded_by", "editor")
FORM = {
    "content": FORGED, "version": "1", "into_version": "1", "reason": FORGED, "audience": "private",
    "category": "", "importance": "0.5", "action": "set", "confirm": "1", "text": FORGED,
    "organisation": "",
}  # fmt: skip
PLAIN = {
    "content": FORGED, "reason": FORGED, "text": FORGED, "title": "Title", "query": "apples",
    "visibility": "organisation", "group": "launch", "version": 1, "into_version": 1,
    "propositions": FORGED, "external_id": "thing", "platform": "chat", "identifier": "somebody",
    "identity": "chat:somebody", "conclusion": FORGED, "topic": "apples", "robot": "eve",
}  # fmt: skip


# The keys of Mina's personal robot.
OWN = ("own", "own-plain")
# The visibilities that mean everybody.
EVERYBODY = ("organisation", "organization", f"industry:{EVERY_INDUSTRY}")
CHOSEN = {("memories_task", "assignee_id")}
# Lists that are filled; others name readers and the like.
FILLED_LISTS = ("items", "messages", "propositions")


@dataclass
class ForgeryWorld:
    """Bob and what is his; who would write in his name; the ids that stand in addresses."""

    here: Tenant
    references: list[str]
    ids: dict[str, list[str]]
    callers: dict[str, APIClient]
    before: dict[Any, Any] = field(default_factory=dict)
    pointers: dict[str, int] = field(default_factory=dict)

    @property
    def bob(self) -> UUID:
        return self.here.members["bob"].id


def build_forgery_world(world: World) -> ForgeryWorld:
    """Mina is the subject of what Bob said, Chidi curates, eve is a plain robot that knows Bob, and
    aria's second key may not act for anybody. own and own-plain are keys of Mina's personal robot,
    of which the second may not act for anybody; it was seated in a group in which she is not."""
    here = world.here
    aria, bob, mina = here.robot("aria"), here.person("bob"), here.person("mina")
    here.add_robot("eve", groups=("launch",), scopes=("read", "write"))
    link_identity(
        organisation_id=here.id,
        platform="chat",
        identifier="bob",
        member_id=here.members["bob"].id,
    )
    seat_own_robot(here)
    bobs, minas = (str(here.members[name].id) for name in ("bob", "mina"))
    said = here.remember(
        aria, "Pears are green, and so on.", group="launch", member=minas, speaker=bobs
    )
    known = here.remember(aria, "Plums are red in June.", speaker=bobs)
    own = here.remember(mina, "Figs are sweet in May.", visibility="private")
    noted = here.remember(here.robot("eve"), "Nuts are hard as stone.", group="launch")
    proposed = here.remember(bob, "Kiwis grow on vines here.", visibility="organisation")
    chat, _ = ensure_conversation(aria, {"group": "launch", "external_id": "chat"}, now=NOW)
    post_messages(aria, chat.id, [NewMessage(content="Limes are sour.", speaker=bobs)], now=NOW)
    propose_correction(mina, known.id, content="Plums are red in July.", now=NOW)
    report_memory(here.person("vera"), known.id, reason="No.", now=NOW)
    with all_audiences_scope(here):
        items = [str(id_) for id_ in Proposal.objects.values_list("id", flat=True)]
    _, plain = create_key(
        organisation_id=here.id,
        robot_id=here.robots["aria"].id,
        scopes=("read", "write"),
        now=timezone.now(),
    )
    here.keys["aria-plain"] = plain
    task = add_task(aria, TaskDraft(content="Pick the pears", group="launch"), now=NOW).task
    liked = write_preference(mina, "preference", {"text": "Pears in May."}, now=NOW).preference
    draft = DecisionDraft(topic="Which pears", conclusion="Green.", group="launch")
    decision = record_decision(aria, draft, now=NOW).id
    against = DissentDraft(kind="risk_warning", content="They rot.")
    dissent = add_dissent(aria, decision, against, now=NOW).id
    debate = open_debate(aria, "More pears", group="launch", now=NOW).debate.id
    assert task is not None
    assert liked is not None
    helped = here.remember(here.robot("own"), "Dates are brown and soft.", group="launch")
    memories = [str(one.id) for one in (said, known, own, noted, proposed, helped)]
    ids = {
        "memory_id": memories,
        "item_id": items,
        "task_id": [str(task.id)],
        "preference_id": [str(liked.memory.id)],
        "decision_id": [str(decision)],
        "dissent_id": [str(dissent)],
        "debate_id": [str(debate)],
        "conversation_id": [str(chat.id)],
        "number": ["1"],
        "member_id": [bobs],
        "robot_id": [str(here.robots["eve"].id)],
        "group_id": [str(here.groups["launch"].id)],
        "reference": ["launch", bobs, "eve"],
        "handle": ["qsr_real_estate"],
        "block_id": [str(global_block(here))],
    }
    callers = {name: here.browser(name) for name in ("mina", "chidi")}
    callers |= {name: here.api(name) for name in ("eve", "aria-plain", *OWN)}
    looks = ["Bob", "bob ", "\u0412ob", "B\u200bob", "chat:bob"]
    scene = ForgeryWorld(here, [bobs, *looks], ids, callers)
    scene.before, scene.pointers = attributions(scene), pointers_to(scene)
    return scene


def global_block(here: Tenant) -> UUID:
    """The block of what was learned for everybody."""
    with all_audiences_scope(here):
        found: UUID = Block.objects.values_list("id", flat=True).get(layer=Layer.GLOBAL)
    return found


def seat_own_robot(here: Tenant) -> None:
    """Mina's personal robot, with two keys, in #launch and in #board, where Bob is and she is
    not."""
    here.groups["board"] = create_group(
        organisation_id=here.id, external_id="board", name="#board", now=NOW
    )
    bob = here.members["bob"].id
    add_to_group(organisation_id=here.id, group_id=here.groups["board"].id, member_ids=[bob])
    here.add_robot("own", groups=("launch", "board"), scopes=("read", "write", "act_for"))
    here.give_owner("own", "mina")
    _, here.keys["own-plain"] = create_key(
        organisation_id=here.id,
        robot_id=here.robots["own"].id,
        scopes=("read", "write"),
        now=timezone.now(),
    )


def pointers_to(scene: ForgeryWorld) -> dict[str, int]:
    """How many rows point to Bob, by table and column; but for lists of readers and assignees, whom
    whoever shares or hands over may choose."""
    columns = [
        (model._meta.db_table, one.column)
        for model in apps.get_models()
        for one in model._meta.concrete_fields
        if one.related_model is Member
    ]
    parts = [
        f"SELECT '{table}.{column}', count(*) FROM {table} WHERE {column} = %(bob)s"
        for table, column in columns
        if (table, column) not in CHOSEN
    ]
    parts += [
        f"SELECT '{table}.listeners', count(*) FROM {table} WHERE %(bob)s = ANY(listeners)"
        for table in (Memory._meta.db_table, Message._meta.db_table)
    ]
    with all_audiences_scope(scene.here), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), {"bob": scene.bob})
        return dict(cursor.fetchall())


def all_audiences_scope(here: Tenant) -> Any:
    """A scope in which each row of the organisation is readable."""
    with scope(Scope(organisation=here.id)):
        audiences = tuple(Audience.objects.values_list("id", flat=True))
    return scope(Scope(organisation=here.id, audiences=audiences))


def attributions(scene: ForgeryWorld) -> dict[Any, Any]:
    """Who wrote each memory and message, and whose words it gives."""
    columns = ("id", "robot_id", "author_id", "speaker", "speaker_member_id")
    with all_audiences_scope(scene.here):
        rows = [*Memory.objects.values_list(*columns), *Message.objects.values_list(*columns)]
    return {row[0]: row[1:] for row in rows}


@dataclass(frozen=True)
class Attempt:
    caller: str
    operation: Operation
    address: str
    whole: Any
    slot: Path
    reference: str

    def body(self) -> Any:
        """With Bob's name in its place; as it is where a word stands on the way to that."""
        made = copy.deepcopy(self.whole)
        if not self.slot:
            return made
        with suppress(AttributeError, TypeError):
            set_value(made, self.slot, self.reference)
        return made

    def __str__(self) -> str:
        return f"{self.caller}: {self.operation} at {self.address}, {self.slot} {self.reference!r}"


def writing_operations() -> list[Operation]:
    """Every operation that may write, but the pages that sign out or end the organisation."""
    every = [*api_operations(), *page_operations()]
    return [o for o in every if o.method != "get" and o.address not in ("/sign-out/",)]


def example_value(schema: dict[str, Any], name: str = "", memory: str = ABSENT_FILLER) -> Any:
    """A value for everything that a body can hold. memory: the id in each place that needs one."""
    schema = resolve_schema(schema)
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        needed = schema.get("required", [])
        known = {k: resolve_schema(v) for k, v in schema.get("properties", {}).items()}
        return {
            k: example_value(v, k, memory)
            for k, v in known.items()
            if k in needed or (k not in LEFT_OUT and v.get("format") not in ("date-time", "uuid"))
        }
    if kind == "array":
        filled = name in FILLED_LISTS or schema.get("minItems")
        return [example_value(schema["items"], name, memory)] if filled else []
    if name in PLAIN:
        return PLAIN[name]
    if schema.get("format") in ("date-time", "uuid"):
        return memory if schema["format"] == "uuid" else "2026-03-31"
    return {"integer": 1, "number": 0.5, "boolean": False}.get(kind, "words")


# With a value of no meaning these would have everything refused; each is tried as a slot.
LEFT_OUT = {
    "readers", "group", "member", "speaker", "robot", "key", "kind", "reply_to", "speaker_name",
    "external_id", "into", "source", "conversation", "listeners", "role", "mentions", "timeframe",
    "persona", "asker", "shareable_with", "as_of", "about", "assignee",
}  # fmt: skip
# Bodies to which the description alone does not lead.
WHOLE_BODIES: dict[str, Any] = {
    "POST /api/v1/personas/associations": {"handle": "qsr_real_estate"},
    "POST /api/v1/feedback": {"tool": "search_places", "outcome": "success"},
    "POST /api/v1/preferences": {"kind": "preference", "text": "Tea."},
    "PATCH /api/v1/preferences/{preference_id}": {"text": "Tea."},
    "POST /api/v1/memories/purge": {"confirm": True, "older_than": "2026-03-31"},
    "POST /api/v1/exports": {"type": "fact"},
    "PATCH /api/v1/accounts/{account_id}": {"paused": True, "period_minutes": 60},
    "POST /api/v1/accounts": {
        "kind": "calendar", "name": "Mine", "content": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
    },
}  # fmt: skip


def bodies(operation: Operation, memory: str = ABSENT_FILLER) -> Iterator[tuple[Any, list[Path]]]:
    """Bodies that could be taken, with the places where somebody can be named. memory: as in
    `example_value`."""
    if not operation.described:
        names = ("speaker", "author", "member", "robot", "speaker_member", "reworded_by")
        yield dict(FORM), [(name,) for name in names]
        return
    methods = openapi_schema()["paths"][operation.address]
    content = methods[operation.method].get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if schema is None:
        yield {}, [(name,) for name in CLAIMS]
        return
    whole = WHOLE_BODIES.get(str(operation)) or example_value(schema, memory=memory)
    slots = [way for way in body_slots(schema) if way[-1] not in ("content", "reason", "text")]
    slots += [(name,) for name in CLAIMS]
    actions = resolve_schema(resolve_schema(schema).get("properties", {}).get("action", {})).get(
        "enum", [""]
    )
    for action in actions:
        yield (whole | {"action": action} if action else whole), slots


def whole_query(operation: Operation) -> dict[str, str]:
    """A value for each parameter that the address needs."""
    parameters = openapi_schema()["paths"][operation.address][operation.method].get(
        "parameters", []
    )
    return {
        one["name"]: str(example_value(one["schema"], one["name"]))
        for one in parameters
        if one["in"] == "query" and one.get("required")
    }


def attempts(scene: ForgeryWorld, about: str = "") -> Iterator[Attempt]:
    """Each caller on each writing operation, Bob in each place by each of his names."""
    for operation in writing_operations():
        if about not in str(operation):
            continue
        names = [part.partition("}")[0] for part in operation.address.split("{")[1:]]
        for caller in scene.callers:
            if not operation.described and caller not in ("mina", "chidi"):
                continue
            for ids in itertools.product(*(scene.ids.get(name, [ABSENT_FILLER]) for name in names)):
                address = operation.address
                for name, id_ in zip(names, ids, strict=True):
                    address = address.replace(f"{{{name}}}", id_)
                for body, slots in bodies(operation, scene.ids["memory_id"][3]):
                    yield Attempt(caller, operation, address, body, (), "")
                    named = [*scene.references, *(["board"] if caller in OWN else [])]
                    for slot, reference in itertools.product(slots, named):
                        yield Attempt(caller, operation, address, body, slot, reference)


def published_attempts(scene: ForgeryWorld) -> list[Attempt]:
    """What would have the personal robot publish for everybody: each operation with a visibility
    that means so, and each that adds to a block which everybody reads."""
    found = []
    for one in attempts(scene, "/api/v1/"):
        wide = one.slot and one.slot[-1] == "visibility" and one.reference == scene.references[0]
        if one.caller in OWN and wide:
            found += [dataclasses.replace(one, reference=word) for word in EVERYBODY]
        elif one.caller in OWN and not one.slot and "{block_id}" in str(one.operation):
            found.append(one)
    return found


def run_attempt(scene: ForgeryWorld, attempt: Attempt) -> int:
    """Send it, judge what it left, undo it. Returns the status."""
    with transaction.atomic():
        client = scene.callers[attempt.caller]
        cookies = copy.deepcopy(client.cookies)
        answer = send(client, attempt.operation, attempt.address, {}, attempt.body())
        client.cookies = cookies
        assert answer.status_code < 500, (attempt, answer.content)
        if answer.status_code < 400:
            check_attempt(scene, attempt)
        transaction.set_rollback(True)
    return int(answer.status_code)


def check_attempt(scene: ForgeryWorld, attempt: Attempt) -> None:
    """Nothing that Bob did not write or say stands under his name, and nothing was rewritten."""
    # What the graph would note of it is judged as well.
    scene.here.read()
    after = attributions(scene)
    for id_, known in scene.before.items():
        assert after.get(id_, known) == known, f"{attempt} changed who said what"
    bob = scene.bob
    with all_audiences_scope(scene.here):
        rows = Memory.objects.filter(content__icontains="forged").with_names()
        forged = {row.id: row for row in rows}
        for row in forged.values():
            others = {row.reworded_by_id, row.reworded_by_robot_id} - {None, bob}
            assert others or bob not in (row.author_id, row.speaker_member_id), str(attempt)
            if find_lookalike(row.speaker, ["Bob"]) and not row.speaker_member_id:
                assert speaker_name(row).startswith("“"), f"{attempt}: a mere name passes for Bob"
                assert attempt.caller not in ("mina", "chidi", *OWN), str(attempt)
                assert (row.key or "").startswith("message:"), f"{attempt}: it knows Bob"
        messages = Message.objects.filter(content__icontains="forged")
        assert not messages.filter(author_id=bob).exists(), str(attempt)
        assert not messages.filter(speaker_member_id=bob).exists(), str(attempt)
        about = {"memory_id__in": list(forged)}
        assert not Edge.objects.filter(**about, source=bob).exists(), f"{attempt}: Bob knows it"
        made = [id_ for id_ in forged if id_ not in scene.before]
        noted = Contribution.objects.filter(memory_id__in=made, member_id=bob)
        assert all(forged[n.memory_id].author_id == bob for n in noted), str(attempt)
        assert not Version.objects.filter(content__icontains="forged", editor_id=bob).exists()
        asked = Proposal.objects.filter(content__icontains="forged", proposed_by_id=bob)
        assert not asked.exists(), str(attempt)
        assert not AuditEntry.objects.filter(member=bob).exists(), f"{attempt} acts as Bob"
    if attempt.caller in OWN:
        judge_own(scene, attempt)


def judge_own(scene: ForgeryWorld, attempt: Attempt) -> None:
    """Mina's robot named nobody else, and published nothing that she may only propose."""
    now = pointers_to(scene)
    more = {place: n for place, n in now.items() if n > scene.pointers[place]}
    if attempt.slot and "mentions" in attempt.slot:
        # Whom a message calls on is its addressee, as its owner could call on them.
        more = {place: n for place, n in more.items() if not place.endswith(".listeners")}
    assert not more, f"{attempt} names Bob: {more}"
    with all_audiences_scope(scene.here):
        # All industries are everybody.
        everybody = Q(audience__kind="organisation") | Q(audience__key=EVERY_INDUSTRY)
        wide = Memory.objects.filter(
            everybody | Q(audience__group=scene.here.groups["board"]),
            robot=scene.here.robots["own"],
            status="active",
        )
        assert not wide.exists(), f"{attempt} publishes"
        robot = scene.here.robots["own"]
        for rows in (Memory.objects, Message.objects):
            names = set(rows.filter(robot=robot).values_list("speaker", flat=True))
            assert names <= {"", "Mina", robot.name}, f"{attempt} names {names}"
