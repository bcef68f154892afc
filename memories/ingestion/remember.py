"""Remember memories: one path for one or a thousand."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError

from memories.access.consent import LearningPaused, SharingOff
from memories.access.visibility import Misplaced
from memories.ingestion import write
from memories.ingestion.compose import Item, compose
from memories.ingestion.drafts import Draft, Outcome, Refused, Remembered
from memories.ingestion.gates import (
    DraftGates,
    Gated,
    TooLongToCheck,
    details_of,
    keep_originals,
    record,
)
from memories.ingestion.placement import DraftPlacer
from memories.ingestion.repeats import Earlier, EarlierRow, deposits, earlier_rows, subject_of
from memories.jobs.hints import hint_embedding
from memories.review.red_line import protect_memory, settle_wishes
from memories.store.conversation_turns import message_of
from memories.store.deduplication import find_repeat
from memories.store.encryption.keys import NoEncryptionKey
from memories.store.encryption.texts import row_hashes
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import two_facts
from memories.store.tag_names import BadTag, attached
from orgs import audit
from orgs.database.rls import Scope, scopes
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import day_of
from orgs.organisations.audiences import ensure_explicit_audience
from orgs.principals import Actor
from robots.access.spoken_for import note_spoken_for
from robots.errors import IdentityClaim, MissingScope
from robots.registry.robots import stamp_activity

REFUSALS = (
    BadTag,
    NotFound,
    Misplaced,
    IdentityClaim,
    MissingScope,
    PermissionError,
    LearningPaused,
    SharingOff,
    NoEncryptionKey,
    TooLongToCheck,
)


# hook(organisation, teams of the robot that wrote, what it remembered, now); in the transaction.
TeamHook = Callable[[UUID, Sequence[UUID], Sequence[Remembered], datetime], None]
_told: list[TeamHook] = []


def tells_teams(hook: TeamHook) -> TeamHook:
    """Register a hook for memories that a robot of a team remembered; not for messages."""
    _told.append(hook)
    return hook


class KeyTaken(Exception):
    """The key belongs to another text in the same audience; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(
            "This key already names a memory with another text. Choose another key, or change "
            "the memory that has it."
        )


def remember(actor: Actor, draft: Draft, *, now: datetime) -> Remembered:
    """Remember one memory. Raises the error that `remember_many` would put into its outcome."""
    outcome = remember_many(actor, [draft], now=now)[0]
    if isinstance(outcome, Refused):
        raise outcome.error
    return outcome


def remember_many(actor: Actor, drafts: Sequence[Draft], *, now: datetime) -> list[Outcome]:
    """Remember drafts; returns their outcomes in order. A refused draft does not affect the
    others."""
    try:
        return _remember_all(actor, drafts, now)
    except IntegrityError:
        # Another request wrote the same first; its row is visible now.
        return _remember_all(actor, drafts, now)


def _remember_all(actor: Actor, drafts: Sequence[Draft], now: datetime) -> list[Outcome]:
    """Place all drafts in the organisation's scope, then write them in the scope of each
    principal."""
    outcomes: dict[int, Outcome] = {}
    batches: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    with scopes(Scope(organisation=actor.organisation_id)) as turn_to:
        placer = DraftPlacer(actor, now)
        placer.foresee(drafts)
        gates = DraftGates(placer)
        for index, given in enumerate(drafts):
            try:
                asked = _with_tags(given)
                draft, placement, gated = gates.judge(asked, placer.place(asked))
                teaches = placement.teaches
                if teaches and draft.occurred_at is not None:
                    draft = replace(draft, occurred_at=day_of(draft.occurred_at))
                digest, *older = row_hashes(
                    draft.content,
                    speaker=placement.speaker,
                    subject=placement.member_id,
                    organisation_id=actor.organisation_id,
                    sensitive=draft.sensitive,
                )
            except REFUSALS as error:
                outcomes[index] = Refused(error)
                continue
            whose = (placement.principal.actor.member_id, placement.principal.actor.group_id)
            batches[whose].append(
                Item(index, draft, placement, digest, tuple(older), gated, teaches=teaches)
            )
        for items in batches.values():
            deposits = {i.placement.audience_id for i in items if i.placement.is_deposit}
            turn_to(items[0].placement.principal.opens(tuple(sorted(deposits))))
            outcomes.update(_write(placer, items, now))
        _tell_teams(placer, drafts, outcomes, now)
        if batches:
            stamp_activity(organisation_id=actor.organisation_id, robot_id=placer.robot.id, now=now)
            hint_embedding(actor.organisation_id)
    return [outcomes[index] for index in range(len(drafts))]


def _tell_teams(
    placer: DraftPlacer, drafts: Sequence[Draft], outcomes: dict[int, Outcome], now: datetime
) -> None:
    """Call the team hooks. Messages are skipped, because others said them, and so are sensitive
    memories, which no working memory has."""
    found = [
        outcome
        for index, outcome in sorted(outcomes.items())
        if isinstance(outcome, Remembered)
        and drafts[index].heard is None
        and not drafts[index].sensitive
    ]
    if placer.teams and found:
        for hook in _told:
            hook(placer.organisation.id, placer.teams, found, now)


def _with_tags(draft: Draft) -> Draft:
    """The draft with its tags in the stored form. Raises BadTag."""
    return replace(draft, tags=tuple(attached(draft.tags))) if draft.tags else draft


def _write(placer: DraftPlacer, items: list[Item], now: datetime) -> dict[int, Outcome]:
    outcomes: dict[int, Outcome] = {}
    earlier = earlier_rows(items, placer.robot.id)
    fresh: list[Memory] = []
    wishes: list[tuple[Memory, str]] = []
    gated: list[tuple[Memory, Gated]] = []
    repeats: dict[UUID, list[Item]] = defaultdict(list)
    for item in items:
        outcome, row = _decide(placer, item, earlier, now)
        outcomes[item.index] = outcome
        if isinstance(outcome, Refused):
            continue
        if outcome.deduplicated:
            repeats[outcome.id].append(item)
        elif row is not None:
            fresh.append(row)
            earlier.add(row)
            if item.gated is not None:
                gated.append((row, item.gated))
            if item.draft.red_line:
                wishes.append((row, item.draft.red_line_reason))
    key, actor = placer.actor.key_id, items[0].placement.principal.actor
    details = {row.id: details_of(one) for row, one in gated if one.verdict.held}
    write.insert(
        fresh, organisation=placer.organisation, now=now, said=True, key_id=key, details=details
    )
    keep_originals(gated, now)
    judged = [(outcomes[item.index], item.gated) for item in items if item.gated is not None]
    record([(one.id, said) for one, said in judged if isinstance(one, Remembered)], actor, now)
    _note_speakers(actor, fresh, now)
    # Whose words messages give was noted where they came in.
    spoken = [row.speaker_member_id for row in fresh if message_of(row) is None]
    note_spoken_for(actor, [*spoken, actor.member_id] if fresh else [], now=now)
    settle_wishes(items[0].placement.principal, wishes, now)
    author = placer.actor.member_id if placer.actor.is_person else None
    counts = write.repeat(repeats, placer.robot.id, author, now, key_id=key)
    for id_, same in repeats.items():
        for item in same:
            _wish_again(item, id_, now)
            outcomes[item.index] = _remembered(
                item, id_, deduplicated=True, remember_count=counts.get(id_, 1)
            )
    return outcomes


def _note_speakers(actor: Actor, fresh: Sequence[Memory], now: datetime) -> None:
    """Record in the audit trail who gave a memory as another's words; messages have their own
    record."""
    told = {row.id: two_facts(row) for row in fresh if message_of(row) is None}
    audit.record_each(
        "memory.attributed",
        actor=actor,
        now=now,
        target_type="memory",
        targets={id_: facts for id_, facts in told.items() if facts},
    )


def _wish_again(item: Item, id_: UUID, now: datetime) -> None:
    """If a repeat asks for protection, protect the existing memory or propose that, if the writer
    reads it."""
    if item.draft.red_line and not item.placement.is_deposit:
        actor, reason = item.placement.principal.actor, item.draft.red_line_reason
        with suppress(AlreadyExists, NotFound, Misplaced):
            protect_memory(actor, id_, reason=reason, now=now)


def _decide(
    placer: DraftPlacer, item: Item, earlier: Earlier, now: datetime
) -> tuple[Outcome, Memory | None]:
    placement = item.placement
    keyed = earlier.by_key(placement.audience_id, item.key)
    if keyed is not None and keyed.content_hash not in item.hashes:
        if not placement.is_deposit:
            return Refused(KeyTaken()), None
        # A deposit must not reveal a conflict; it is written without the key.
        keyed, item = None, item.without_key()
    same = [row for one in item.hashes for row in earlier.by_hash(placement.audience_id, one)]
    withdrawn = next((row for row in same if row.forgotten_by_subject), None)
    if withdrawn is not None:
        return _ask_subject(placer, item.without_key(), earlier, withdrawn, now)
    depositor = placer.robot.id if placement.is_deposit else None
    found = keyed or find_repeat(item, [row for row in same if row.deposited_by == depositor])
    if found is None:
        row = compose(placer, item, now)
        return _remembered(item, row.id), row
    return _remembered(item, found.id, deduplicated=not placement.is_deposit), None


def _ask_subject(
    placer: DraftPlacer, item: Item, earlier: Earlier, withdrawn: EarlierRow, now: datetime
) -> tuple[Outcome, Memory | None]:
    """A memory that its subject forgot comes back only with their consent: it waits where only they
    read.

    `held_for` is cleared here: if a gate held it, approval by the subject sends it back to the
    gate.
    """
    placement = item.placement
    subject = placement.member_id or placement.speaker_member_id or subject_of(withdrawn.id)
    audience_id = ensure_explicit_audience(
        placer.organisation.id,
        [("member", subject)],  # type: ignore[list-item]  # what a subject forgot has one
    )
    known = [*earlier.by_hash(audience_id, item.hash), *deposits(audience_id, item.hash)]
    fresh = compose(placer, item, now)
    fresh.proposed_audience_id, fresh.audience_id = fresh.audience_id, audience_id
    fresh.status, fresh.deposited_by = Status.PENDING_REVIEW, placer.robot.id
    fresh.held_for = ""
    waiting = next((row for row in known if row.stands_for(fresh)), None)
    outcome = _remembered(item, waiting.id if waiting else fresh.id)
    if not placement.is_deposit:
        outcome = replace(outcome, status=Status.PENDING_REVIEW)
    return outcome, None if waiting else fresh


def _remembered(item: Item, id_: UUID, **known: object) -> Remembered:
    placement = item.placement
    return Remembered(
        id=id_,
        status=placement.status,
        audience_kind=placement.audience_kind,
        audience_id=placement.audience_id,
        audience_label=placement.audience_label,
        embedding="none" if item.draft.sensitive else "pending",
        proposed=placement.proposed_audience_id is not None and not placement.held_for,
        **known,  # type: ignore[arg-type]
    )
