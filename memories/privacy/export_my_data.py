"""Export what is stored about a member or by them, and what they said, as JSON lines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Q
from django.utils import timezone

from memories.access.audience_labels import memory_audience_label
from memories.context.connectors.accounts import member_accounts
from memories.context.connectors.models import AccountEntry
from memories.curation.decision_records.export_decisions import export_records, iter_own_parts
from memories.ingestion.folder_import.models import ImportSubscription
from memories.privacy.my_memories import concerning_q, readable_memories
from memories.questions.work_list import list_own_questions
from memories.safety.memory_submissions import load_originals
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.webhooks.endpoints import own_endpoints
from orgs.database.rls import organisation_scope
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired
from robots.access.delegations import load_member_robots
from robots.conversations.message_withdrawal import messages_by_speaker
from robots.models.conversations import Message
from robots.oauth.grants import list_assistants

BATCH_SIZE = 500
# The attribute of a memory with the record of its decision.
_DECISION_RECORD_ATTRIBUTE = "decision_record"
# The attribute with the original words of a memory held by a gate.
_ORIGINAL_ATTRIBUTE = "held_original"
_MEMORY_FIELDS = (
    "id", "key", "content", "status", "speaker", "kind", "type", "category", "topic", "tags",
    "metadata", "importance", "confidence", "occurred_at", "created_at",
    "updated_at", "expires_at", "valid_from", "valid_until",
)  # fmt: skip
_MESSAGE_FIELDS = (
    "id", "conversation_id", "role", "content", "speaker", "mentions", "metadata", "sent_at",
    "received_at",
)  # fmt: skip
_ACCOUNT_ENTRY_FIELDS = ("at", "until", "all_day", "title", "person", "place", "text")
_JSON_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


@wired
def iter_own_associations(principal: Principal) -> Iterator[Mapping[str, Any]]:
    """The personas of the member, one object for each line. Called and consumed in their scope."""
    raise NotImplementedError


def render_memories(portion: Sequence[Memory]) -> bytes:
    """Memories as JSON lines: text, audience, writing robot and sources."""
    return b"".join(
        orjson.dumps(
            {
                **{name: getattr(row, name) for name in _MEMORY_FIELDS},
                "source": row.open_source,
                "audience": {"kind": row.audience.kind, "label": memory_audience_label(row)},
                "robot": row.teller.name if row.teller else None,
                "member": row.member.name if row.member else None,
                "author": row.author.name if row.author else None,
                "group": row.place.name if row.place else None,
                "conversation": row.open_conversation,
                **({"decision": record} if (record := _decision_record(row)) else {}),
                **({"original": text} if (text := getattr(row, _ORIGINAL_ATTRIBUTE, None)) else {}),
            },
            option=_JSON_OPTIONS,
        )
        for row in portion
    )


def iter_memory_batches(actor: Actor) -> Iterator[list[Memory]]:
    """All memories about the member or by them, in portions, the oldest first.

    Each portion is read in a scope of its own, with the rights of that time: a queryset that runs
    after its scope would be empty.
    """
    after: UUID | None = None
    while True:
        portion = load_memory_batch(actor, after)
        if not portion:
            return
        yield portion
        after = portion[-1].id


def load_memory_batch(actor: Actor, after: UUID | None) -> list[Memory]:
    """One portion of the export."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = readable_memories(principal).filter(
            concerning_q(actor) | Q(author_id=actor.member_id)
        )
        rows = rows.exclude(status=Status.FORGOTTEN)
        if after:
            rows = rows.filter(id__gt=after)
        portion = list(rows.with_names().order_by("id")[:BATCH_SIZE])
        found = export_records(principal, portion)
        for row in portion:
            setattr(row, _DECISION_RECORD_ATTRIBUTE, found.get(row.id))
        held = [row.id for row in portion if row.held_for]
        texts = load_originals(actor.organisation_id, held)
        for row in portion:
            setattr(row, _ORIGINAL_ATTRIBUTE, texts.get(row.id))
        return portion


def _decision_record(row: Memory) -> dict[str, Any] | None:
    """The decision record that `load_memory_batch` read; None for other memories."""
    record: dict[str, Any] | None = getattr(row, _DECISION_RECORD_ATTRIBUTE, None)
    return record


def render_decisions(actor: Actor) -> bytes:
    """The member's part in decisions, also of others, as JSON lines; `decision` is the id."""
    principal = resolve_principal(actor)
    with principal.scope():
        return b"".join(
            orjson.dumps(line, option=_JSON_OPTIONS) for line in iter_own_parts(principal)
        )


def render_messages(portion: Sequence[Message]) -> bytes:
    """Messages as JSON lines; the field `message` marks them."""
    return b"".join(
        orjson.dumps(
            {"message": True} | {name: getattr(row, name) for name in _MESSAGE_FIELDS},
            option=_JSON_OPTIONS,
        )
        for row in portion
    )


def iter_message_batches(actor: Actor) -> Iterator[list[Message]]:
    """The member's messages that were not withdrawn, in portions, the oldest first."""
    after: UUID | None = None
    while True:
        with resolve_principal(actor).scope():
            rows = messages_by_speaker(actor).filter(withdrawn_at=None)
            rows = rows.filter(id__gt=after) if after else rows
            portion = list(rows.order_by("id")[:BATCH_SIZE])
        if not portion:
            return
        yield portion
        after = portion[-1].id


def iter_account_lines(actor: Actor) -> Iterator[bytes]:
    """The entries of their calendars and mailboxes as JSON lines, an account at a time; `account`
    is its name."""
    principal = resolve_principal(actor)
    with principal.scope():
        known = list(member_accounts(principal).order_by("name"))
    for one in known:
        with principal.scope():
            rows = AccountEntry.objects.filter(
                organisation_id=actor.organisation_id, account_id=one.id
            )
            kept = list(rows.order_by("at", "id").values("kind", *_ACCOUNT_ENTRY_FIELDS))
        yield b"".join(
            orjson.dumps({"account": one.name} | row, option=_JSON_OPTIONS) for row in kept
        )


def iter_export(actor: Actor) -> Iterator[bytes]:
    """The whole export, in portions of lines."""
    for portion in iter_memory_batches(actor):
        yield render_memories(portion)
    for said in iter_message_batches(actor):
        yield render_messages(said)
    yield from iter_account_lines(actor)
    if decisions := render_decisions(actor):
        yield decisions
    if personas := _render_associations(actor):
        yield personas
    if assistants := _render_assistants(actor):
        yield assistants
    if webhooks := _render_webhooks(actor):
        yield webhooks
    if folders := _render_folders(actor):
        yield folders
    if questions := _render_questions(actor):
        yield questions


def _render_associations(actor: Actor) -> bytes:
    principal = resolve_principal(actor)
    with principal.scope():
        return b"".join(
            orjson.dumps(line, option=_JSON_OPTIONS) for line in iter_own_associations(principal)
        )


def _render_assistants(actor: Actor) -> bytes:
    """The assistants that the member let in and that can come back, by host."""
    found = list_assistants(load_member_robots(actor, others=False, now=timezone.now()).access)
    return b"".join(
        orjson.dumps(
            {
                "assistant": one.host,
                "name": one.name,
                "since": one.since,
                "last_used_at": one.last_used_at,
                "scopes": sorted(one.scopes),
            },
            option=_JSON_OPTIONS,
        )
        for one in found
    )


def _render_webhooks(actor: Actor) -> bytes:
    """Where the member had events sent, without secrets and deliveries."""
    with resolve_principal(actor).scope():
        found = list(own_endpoints(actor).order_by("id"))
    return b"".join(
        orjson.dumps(
            {
                "webhook": one.url,
                "events": one.events,
                "with_text": one.with_text,
                "created_at": one.created_at,
                "disabled_at": one.disabled_at,
            },
            option=_JSON_OPTIONS,
        )
        for one in found
    )


def _render_folders(actor: Actor) -> bytes:
    """The folders on the server from which the member had files imported."""
    if actor.member_id is None:
        return b""
    fields = ("folder", "readers", "period_minutes", "created_at", "paused_for")
    with organisation_scope(actor.organisation_id):
        rows = ImportSubscription.objects.filter(
            organisation_id=actor.organisation_id, member_id=actor.member_id
        )
        found = list(rows.order_by("id").values(*fields))
    return b"".join(
        orjson.dumps({"import_folder": one.pop("folder"), **one}, option=_JSON_OPTIONS)
        for one in found
    )


def _render_questions(actor: Actor) -> bytes:
    """The questions of the member that are kept for curators."""
    return b"".join(
        orjson.dumps(
            {"question": one.text, "asked_on": one.asked_on, "curators_see_it": one.seen},
            option=_JSON_OPTIONS,
        )
        for one in list_own_questions(actor)
    )
