"""A member's preferences: listed, searched by meaning, written, edited, forgotten.

They are private: only the member's own audience is read and what they told robots in direct
conversations, so a preference that was shared later is none here. A robot needs the member's
delegation; without one it has those that it was told itself. A deposit of a robot is no preference,
whatever it says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.access.permissions import ChangeForbiddenError
from memories.access.visibility import MemoryRequestError, Visibility
from memories.curation.edit_memory import edited_memory
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.preferences import preference_details
from memories.preferences.alerts import decide_alert
from memories.retrieval.recall import recall_as_principal
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import SearchFilters
from memories.state.supersede_memory import holds_q
from memories.store.models.choices import PREFERENCE_METADATA_KEY, Category, Status, Type
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.audiences import AudienceEntry, AudienceType, ReaderType
from orgs.models.memberships import Member
from orgs.organisations.audience_rows import direct_audience_key
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

MEMBER_REQUIRED_MESSAGE = "A preference is somebody's: say for which member."
RECIPIENT_FIXED_MESSAGE = "The recipient stays; write a style for the other one."
FORGOTTEN_BY_MEMBER_MESSAGE = "The member took this preference away; they alone bring it back."


@dataclass(frozen=True, slots=True)
class PreferenceOwner:
    """The asker and the owner of preferences.

    audiences: where preferences are; new ones come into the first. told: a robot without delegation
    asks; then it is the audience of what the member told it, or none before it was told anything.
    """

    principal: Principal
    member_id: UUID
    audiences: tuple[UUID, ...]
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One preference. details: empty if somebody changed them by hand into invalid ones.

    score: 0-1, if it was searched by meaning.
    """

    memory: Memory
    kind: str
    details: dict[str, Any]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """preference: None if it waits for the member, who forgot the same before."""

    preference: Preference | None
    new: bool


def find_owner(actor: Actor, member: str | None) -> PreferenceOwner | None:
    """The owner whose preferences the caller may see; None for a robot that acts for nobody.

    Raises NotFoundError for a member who has a log-in, has not given the robot a delegation and has
    not talked to it, as for an unknown one.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, told=True))
    member_id = principal.actor.member_id
    if member_id is None:
        return None
    told = tuple(_direct_audiences(principal, member_id))
    if principal.actor.sees_own:
        own = principal.named[(AudienceType.MEMBER, str(member_id))]
        return PreferenceOwner(principal, member_id, (own, *told))
    if not principal.actor.told or not (told or _has_no_account(principal, member_id)):
        raise ReferenceNotFoundError("member", member)
    return PreferenceOwner(principal, member_id, told, told=True)


def _direct_audiences(principal: Principal, member_id: UUID) -> list[UUID]:
    """The audiences of what the member told the asking robot, for a person of what they told any
    robot."""
    lists = {
        key: id_ for (kind, key), id_ in principal.named.items() if kind == AudienceType.EXPLICIT
    }
    if robot_id := principal.actor.robot_id:
        key = direct_audience_key(robot_id, member_id)
        return [lists[key]] if key in lists else []
    if not lists:
        return []
    with principal.scope():
        rows = AudienceEntry.objects.filter(
            organisation_id=principal.organisation_id,
            audience_id__in=lists.values(),
            kind=ReaderType.DIRECT,
        )
        return sorted(rows.values_list("audience_id", flat=True))


def _has_no_account(principal: Principal, member_id: UUID) -> bool:
    with principal.scope():
        rows = Member.objects.filter(organisation_id=principal.organisation_id, id=member_id)
        return rows.filter(user=None).exists()


def select_preferences(
    owner: PreferenceOwner, *, kind: str | None = None, recipient: str | None = None, now: datetime
) -> MemoryQuerySet:
    """The memories that are preferences; evaluate in the owner's scope. recipient: only writing
    styles for them."""
    rows = Memory.objects.active(now).filter(
        holds_q(now),
        organisation_id=owner.principal.organisation_id,
        audience_id__in=owner.audiences,
        deposited_by=None,
        superseded_by=None,
        metadata__preference__kind__in=[kind]
        if kind
        else list(preference_details.PREFERENCE_TYPES),
    )
    if recipient is not None:
        rows = rows.filter(
            key=preference_details.preference_key(
                preference_details.WRITING_STYLE, {"recipient": recipient}
            )
        )
    return rows


def to_preference(memory: Memory, score: float | None = None) -> Preference:
    """The preference of a memory, from its metadata."""
    form = memory.metadata.get(PREFERENCE_METADATA_KEY)
    given = dict(form) if isinstance(form, dict) else {}
    kind = given.pop("kind", "")
    try:
        known = preference_details.normalise_details(kind, given) if isinstance(kind, str) else {}
    except preference_details.InvalidPreferenceError:
        known = {}
    if "text" in known:
        # Its text is that of the memory, which may have been edited.
        known["text"] = memory.content
    return Preference(memory=memory, kind=kind, details=known, score=score)


def recall_preferences(
    owner: PreferenceOwner, text: str, *, kind: str | None = None, limit: int = 10, now: datetime
) -> list[Preference]:
    """The preferences that answer a question, best first. A look: nothing is recorded."""
    form = {"kind": kind} if kind else {}
    alone = owner.principal.narrowed(frozenset(owner.audiences))
    own = SearchFilters(metadata={PREFERENCE_METADATA_KEY: form}, deposits=False)
    query = Query(text=text, limit=limit, narrow=own)
    found = recall_as_principal(alone, query, now=now, recorded=False)
    ours = [(hit, row) for hit, row in found.hits if row.superseded_by_id is None and hit.holds]
    made = [to_preference(row, round(hit.score, 6)) for hit, row in ours]
    return [one for one in made if one.kind in preference_details.PREFERENCE_TYPES]


def get_preference(
    actor: Actor, preference_id: UUID, *, member: str | None, now: datetime
) -> Preference:
    """One preference. Raises NotFoundError."""
    owner = _get_owner(actor, member)
    with owner.principal.scope():
        return _get_preference(owner, preference_id, now)


def write_preference(
    actor: Actor,
    kind: str,
    given: Mapping[str, Any],
    *,
    member: str | None = None,
    importance: float | None = None,
    now: datetime,
) -> PreferenceResult:
    """Write a preference. A second one with the same key, such as the writing style for a
    recipient, edits the first. A forgotten one is restored when the member writes it again.

    Raises InvalidPreferenceError, MemoryRequestError, NotFoundError, and what remembering and
    editing raise: a robot may not rewrite what somebody else wrote or the member forgot.
    """
    known = preference_details.normalise_details(kind, given)
    owner = find_owner(actor, member)
    if owner is None:
        raise MemoryRequestError(MEMBER_REQUIRED_MESSAGE)
    with transaction.atomic():
        with owner.principal.scope():
            there = _find_repeated(owner, kind, known)
            if there is not None:
                _restore_if_gone(owner, there, now)
                return PreferenceResult(
                    _edit(owner, there, kind, known, importance, now), new=False
                )
        made = _create(owner, kind, known, importance, now)
        # The first thing that the member told the robot made the audience of it.
        owner = _get_owner(actor, member) if owner.told and not owner.audiences else owner
        with owner.principal.scope():
            found = select_preferences(owner, now=now).filter(id=made.id).with_names().first()
            return PreferenceResult(
                to_preference(found) if found else None, new=not made.deduplicated
            )


def update_preference(
    actor: Actor,
    preference_id: UUID,
    changes: Mapping[str, Any],
    *,
    member: str | None = None,
    importance: float | None = None,
    now: datetime,
) -> Preference:
    """Replace some details; None removes one. The recipient of a writing style cannot change.

    Raises NotFoundError, ChangeForbiddenError, InvalidPreferenceError, and OutdatedVersionError if
    somebody changed it meanwhile.
    """
    owner = _get_owner(actor, member)
    with owner.principal.scope():
        before = _get_preference(owner, preference_id, now)
        known = preference_details.normalise_details(before.kind, {**before.details, **changes})
        key = preference_details.preference_key(before.kind, known)
        if before.memory.key and key != before.memory.key:
            raise preference_details.InvalidPreferenceError(RECIPIENT_FIXED_MESSAGE)
        version = before.memory.version
        return _edit(owner, before.memory, before.kind, known, importance, now, version)


def forget_preference(
    actor: Actor, preference_id: UUID, *, member: str | None = None, now: datetime
) -> None:
    """Forget a preference; it is in the trash like any memory.

    Raises NotFoundError, ChangeForbiddenError and RedLineError.
    """
    owner = _get_owner(actor, member)
    with owner.principal.scope():
        _get_preference(owner, preference_id, now)
        forget_memory(owner.principal.actor, preference_id, now=now)


def check_alert(
    actor: Actor, *, sender: str, at: datetime, member: str | None = None, now: datetime
) -> tuple[bool, str]:
    """(whether the member wants an alert at that time, why); see `alerts.alert`.

    Raises NotFoundError, also for a robot that names no member.
    """
    owner = _get_owner(actor, member)
    with owner.principal.scope():
        row = (
            select_preferences(owner, kind=preference_details.ALERT, now=now)
            .order_by("-id")
            .first()
        )
        known = to_preference(row).details if row else {}
        members = Member.objects.filter(organisation_id=owner.principal.organisation_id)
        zone = members.get(id=owner.member_id).zone
    return decide_alert(known, sender, at, zone)


def _get_owner(actor: Actor, member: str | None) -> PreferenceOwner:
    owner = find_owner(actor, member)
    if owner is None:
        raise NotFoundError("no such preference")
    return owner


def _get_preference(owner: PreferenceOwner, preference_id: UUID, now: datetime) -> Preference:
    row = select_preferences(owner, now=now).filter(id=preference_id).with_names().first()
    if row is None:
        raise NotFoundError("no such preference")
    return to_preference(row)


def _find_repeated(owner: PreferenceOwner, kind: str, known: Mapping[str, Any]) -> Memory | None:
    """The memory that a new preference repeats: the one with its key, else a forgotten one with its
    text."""
    rows = Memory.objects.filter(
        organisation_id=owner.principal.organisation_id, audience_id__in=owner.audiences[:1]
    )
    if key := preference_details.preference_key(kind, known):
        return rows.filter(key=key, deposited_by=None).first()
    text = preference_details.render_content(kind, known)
    gone = rows.filter(
        content=text, status=Status.FORGOTTEN, member_id=owner.member_id, deposited_by=None
    )
    return gone.filter(metadata__preference__kind=kind).order_by("-id").first()


def _restore_if_gone(owner: PreferenceOwner, there: Memory, now: datetime) -> None:
    actor = owner.principal.actor
    if there.forgotten_by_subject and not actor.is_person:
        raise ChangeForbiddenError(FORGOTTEN_BY_MEMBER_MESSAGE)
    if there.status in (Status.FORGOTTEN, Status.ARCHIVED):
        restore_memory(actor, there.id, now=now)


def _edit(
    owner: PreferenceOwner,
    memory: Memory,
    kind: str,
    known: Mapping[str, Any],
    importance: float | None,
    now: datetime,
    version: int | None = None,
) -> Preference:
    changes: dict[str, Any] = {
        "content": preference_details.render_content(kind, known),
        "metadata": {**memory.metadata, PREFERENCE_METADATA_KEY: {"kind": kind, **known}},
        "expires_at": None,
    }
    if importance is not None:
        changes["importance"] = importance
    edited_memory(owner.principal.actor, memory.id, changes, now=now, version=version)
    return _get_preference(owner, memory.id, now)


def _create(
    owner: PreferenceOwner,
    kind: str,
    known: Mapping[str, Any],
    importance: float | None,
    now: datetime,
) -> RememberResult:
    is_fact = kind == preference_details.RESEARCH_FINDING
    actor = owner.principal.actor
    return remember(
        actor,
        Draft(
            content=preference_details.render_content(kind, known),
            visibility=Visibility.PROTECTED if owner.told else Visibility.PRIVATE,
            told=owner.told,
            member=owner.member_id,
            type=Type.FACT if is_fact else Type.PREFERENCE,
            category=Category.FACT if is_fact else Category.PREFERENCE,
            importance=preference_details.DEFAULT_IMPORTANCE[kind]
            if importance is None
            else importance,
            key=preference_details.preference_key(kind, known),
            metadata={PREFERENCE_METADATA_KEY: {"kind": kind, **known}},
        ),
        now=now,
    )
