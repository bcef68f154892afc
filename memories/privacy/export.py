"""Export what is stored about a member or by them, and what they said, as JSON lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Q

from memories.access.audience_labels import audience_label
from memories.context.connectors.accounts import accounts
from memories.context.connectors.models import AccountEntry
from memories.curation.decisions.taken_along import own_words, records
from memories.privacy.my_memories import about, readable
from memories.safety.stored import originals_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.principals import Actor, Principal, resolve
from robots.conversations.withdraw_messages import said_by
from robots.models.conversations import Message

EXPORTED = 500
# The attribute of a memory with the record of its decision.
_RECORD = "decision_record"
# The attribute with the original words of a memory held by a gate.
_ORIGINAL = "held_original"
_PLAIN = (
    "id", "key", "content", "status", "speaker", "kind", "type", "category", "topic", "tags",
    "metadata", "source", "importance", "confidence", "occurred_at", "created_at",
    "updated_at", "expires_at",
)  # fmt: skip
_SAID = (
    "id", "conversation_id", "role", "content", "speaker", "mentions", "metadata", "sent_at",
    "received_at",
)  # fmt: skip
_KEPT = ("at", "until", "all_day", "title", "person", "place", "text")
_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z

Part = Callable[[Principal], Iterable[Mapping[str, Any]]]
_parts: list[Part] = []


def adds_to_export(part: Part) -> Part:
    """Register what an upper app adds: one object for each line.

    It is called and consumed in the member's scope.
    """
    _parts.append(part)
    return part


def lines(portion: Sequence[Memory]) -> bytes:
    """Memories as JSON lines: text, audience, writing robot and sources."""
    return b"".join(
        orjson.dumps(
            {
                **{name: getattr(row, name) for name in _PLAIN},
                "audience": {"kind": row.audience.kind, "label": audience_label(row)},
                "robot": row.teller.name if row.teller else None,
                "member": row.member.name if row.member else None,
                "author": row.author.name if row.author else None,
                "group": row.place.name if row.place else None,
                "conversation": row.open_conversation,
                **({"decision": record} if (record := _record(row)) else {}),
                **({"original": text} if (text := getattr(row, _ORIGINAL, None)) else {}),
            },
            option=_OPTIONS,
        )
        for row in portion
    )


def export(actor: Actor) -> Iterator[list[Memory]]:
    """All memories about the member or by them, in portions, the oldest first.

    Each portion is read in a scope of its own, with the rights of that time: a queryset that runs
    after its scope would be empty.
    """
    after: UUID | None = None
    while True:
        portion = export_after(actor, after)
        if not portion:
            return
        yield portion
        after = portion[-1].id


def export_after(actor: Actor, after: UUID | None) -> list[Memory]:
    """One portion of the export."""
    principal = resolve(actor)
    with principal.scope():
        rows = readable(principal).filter(about(actor) | Q(author_id=actor.member_id))
        rows = rows.exclude(status=Status.FORGOTTEN)
        if after:
            rows = rows.filter(id__gt=after)
        portion = list(rows.with_names().order_by("id")[:EXPORTED])
        found = records(principal, portion)
        for row in portion:
            setattr(row, _RECORD, found.get(row.id))
        held = [row.id for row in portion if row.held_for]
        texts = originals_of(actor.organisation_id, held)
        for row in portion:
            setattr(row, _ORIGINAL, texts.get(row.id))
        return portion


def _record(row: Memory) -> dict[str, Any] | None:
    """The decision record that `export_after` read; None for other memories."""
    record: dict[str, Any] | None = getattr(row, _RECORD, None)
    return record


def decision_lines(actor: Actor) -> bytes:
    """The member's part in decisions, also of others, as JSON lines; `decision` is the id."""
    principal = resolve(actor)
    with principal.scope():
        return b"".join(orjson.dumps(line, option=_OPTIONS) for line in own_words(principal))


def message_lines(portion: Sequence[Message]) -> bytes:
    """Messages as JSON lines; the field `message` marks them."""
    return b"".join(
        orjson.dumps(
            {"message": True} | {name: getattr(row, name) for name in _SAID}, option=_OPTIONS
        )
        for row in portion
    )


def messages(actor: Actor) -> Iterator[list[Message]]:
    """The member's messages that were not withdrawn, in portions, the oldest first."""
    after: UUID | None = None
    while True:
        with resolve(actor).scope():
            rows = said_by(actor).filter(withdrawn_at=None)
            rows = rows.filter(id__gt=after) if after else rows
            portion = list(rows.order_by("id")[:EXPORTED])
        if not portion:
            return
        yield portion
        after = portion[-1].id


def account_lines(actor: Actor) -> Iterator[bytes]:
    """The entries of their calendars and mailboxes as JSON lines, an account at a time; `account`
    is its name."""
    principal = resolve(actor)
    with principal.scope():
        known = list(accounts(principal).order_by("name"))
    for one in known:
        with principal.scope():
            rows = AccountEntry.objects.filter(
                organisation_id=actor.organisation_id, account_id=one.id
            )
            kept = list(rows.order_by("at", "id").values("kind", *_KEPT))
        yield b"".join(orjson.dumps({"account": one.name} | row, option=_OPTIONS) for row in kept)


def everything(actor: Actor) -> Iterator[bytes]:
    """The whole export, in portions of lines."""
    for portion in export(actor):
        yield lines(portion)
    for said in messages(actor):
        yield message_lines(said)
    yield from account_lines(actor)
    if decisions := decision_lines(actor):
        yield decisions
    yield from part_lines(actor)


def part_lines(actor: Actor) -> Iterator[bytes]:
    """The parts of upper apps, each as JSON lines."""
    principal = resolve(actor)
    for part in _parts:
        with principal.scope():
            found = b"".join(orjson.dumps(line, option=_OPTIONS) for line in part(principal))
        if found:
            yield found
