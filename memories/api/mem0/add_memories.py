"""What an add of mem0 keeps: memories of its turns, with the ids of mem0 in their source."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.utils.crypto import constant_time_compare, salted_hmac
from rest_framework.exceptions import ValidationError

from memories.access.visibility import Visibility
from memories.api.mem0.filters import ENTITIES, SOURCE
from memories.api.mem0.reach import ensure_user, user_reference
from memories.ingestion.drafts import Draft, DraftRefusal, RememberResult
from memories.ingestion.remember import remember_many
from memories.language.propositions import iter_sentences, rejection_reason, strip_markup
from memories.language.text_limits import MAX_CHARACTERS_TO_EXCERPT
from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.access.writer_identity import check_own_robot
from robots.conversations.chatter import is_chatter
from robots.people.directory import find_known_groups

# As many as a batch of the API has items.
MAX_TEXTS = 1_000
TOO_MANY_TEXTS = f"A call keeps at most {MAX_TEXTS:,} sentences. Send fewer messages at once."
USER, ASSISTANT, SYSTEM = "user", "assistant", "system"
ROLES = (USER, ASSISTANT, SYSTEM)
# A sentence that only leans on its speaker, or is short, says enough beside whose words it gives.
_KEPT_ALL_THE_SAME = ("", "pronoun", "too-few-words", "too-short")


@dataclass(frozen=True, slots=True)
class AddResult:
    """event: the id under which the memories are found. kept: with their texts, in order. refused:
    how many texts were not taken although others were."""

    event: UUID
    kept: list[tuple[RememberResult, str]]
    refused: int

    def rendered(self) -> list[dict[str, str]]:
        """The memories as a self-hosted server answers an add."""
        return [
            {"id": str(result.id), "memory": text, "event": "ADD"} for result, text in self.kept
        ]


def select_texts(messages: Iterable[Mapping[str, str]], *, infer: bool) -> list[tuple[str, str]]:
    """(role, text) of what is kept. infer: of the user's turns the sentences that say something;
    else every turn as it stands, without those of the system. Raises ValidationError for more than
    MAX_TEXTS."""
    if not infer:
        return [(one["role"], one["content"]) for one in messages if one["role"] != SYSTEM]
    found: dict[str, str] = {}
    for message in messages:
        if message["role"] != USER:
            continue
        for sentence in iter_sentences(message["content"][:MAX_CHARACTERS_TO_EXCERPT]):
            plain = strip_markup(sentence)
            if rejection_reason(plain) in _KEPT_ALL_THE_SAME and not is_chatter(plain):
                found.setdefault(plain, USER)
                if len(found) > MAX_TEXTS:
                    raise ValidationError({"messages": [TOO_MANY_TEXTS]})
    return [(role, text) for text, role in found.items()]


def add_memories(actor: Actor, given: Mapping[str, Any], *, now: datetime) -> AddResult:
    """Remember the turns of a call. given: messages, infer, metadata, the ids of mem0, timestamp
    and expires_at.

    Raises what `ensure_user` raises, ImpersonationError for another agent, and the refusal of the
    first text if none was taken.
    """
    labels = {name: given[name] for name in ENTITIES if given.get(name)}
    if agent_id := labels.get("agent_id"):
        check_own_robot(actor, agent_id)
    if user_id := labels.get("user_id"):
        ensure_user(actor, user_id, now)
    event = new_event_id(actor, now)
    texts = select_texts(given["messages"], infer=given["infer"])
    audience = _audience_of(actor, labels)
    speaker = user_reference(user_id) if user_id else ""
    drafts = [
        Draft(
            content=text,
            speaker=speaker if role == USER else "",
            conversation=labels.get("run_id"),
            metadata=given.get("metadata", {}),
            source={SOURCE: {**labels, "event": str(event)}},
            occurred_at=given.get("timestamp"),
            expires_at=given.get("expires_at"),
            **audience,
        )
        for role, text in texts
    ]
    outcomes = remember_many(actor, drafts, now=now) if drafts else []
    kept = [
        (outcome, text)
        for outcome, (_, text) in zip(outcomes, texts, strict=True)
        if not isinstance(outcome, DraftRefusal)
    ]
    refusals = [outcome.error for outcome in outcomes if isinstance(outcome, DraftRefusal)]
    if refusals and not kept:
        raise refusals[0]
    return AddResult(event, kept, len(refusals))


def _audience_of(actor: Actor, labels: Mapping[str, str]) -> dict[str, Any]:
    """For whom it is: with a user that user alone and this robot, whatever else is named; else the
    group that the app_id names, if the robot sits in it, or the robot's own notes."""
    if user_id := labels.get("user_id"):
        member = user_reference(user_id)
        return {"visibility": Visibility.PROTECTED.value, "member": member, "told": True}
    if app_id := labels.get("app_id"):
        with organisation_scope(actor.organisation_id):
            group = find_known_groups(actor, [app_id]).get(app_id)
        if group is not None:
            return {"visibility": Visibility.GROUP.value, "group": group.id}
    return {"visibility": Visibility.INTERNAL.value}


# An event is no row: its memories name it. Its id is a UUID of version 8 that only this server
# makes for this robot: 48 bits of time in ms, 12 drawn ones, and 62 bits of a keyed digest.
_LOW_BITS = 62


def new_event_id(actor: Actor, now: datetime) -> UUID:
    """The id of an event of this robot."""
    head = (int(now.timestamp() * 1000) & (2**48 - 1)) << 12 | secrets.randbits(12)
    return _event_of(actor, head)


def is_event_of(actor: Actor, event: UUID) -> bool:
    """Whether the id is that of an event of this robot."""
    head = (event.int >> 80) << 12 | (event.int >> 64) & 0xFFF
    return constant_time_compare(str(_event_of(actor, head)), str(event))


def event_time(event: UUID) -> datetime:
    """When the event was."""
    return datetime.fromtimestamp((event.int >> 80) / 1000, UTC)


def _event_of(actor: Actor, head: int) -> UUID:
    mac = salted_hmac("mem0.event", f"{actor.organisation_id}{actor.robot_id}{head}")
    low = int.from_bytes(mac.digest()[:8]) & (2**_LOW_BITS - 1)
    return UUID(int=(head >> 12) << 80 | 8 << 76 | (head & 0xFFF) << 64 | 2 << _LOW_BITS | low)
