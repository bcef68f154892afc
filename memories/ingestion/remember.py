"""Remember memories: one path for one or a thousand."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError

from memories.access.consent import LearningPausedError, SharingOptOutError
from memories.access.permissions import (
    ChangeForbiddenError,
    RedLineError,
    get_readable_memory,
)
from memories.access.visibility import MemoryRequestError
from memories.ingestion import memory_writes
from memories.ingestion.build_memory import ResolvedDraft, build_memory
from memories.ingestion.draft_gates import (
    DraftGates,
    GateResult,
    TooLongToCheck,
    record_gate_results,
    review_details,
    store_originals,
)
from memories.ingestion.drafts import (
    Draft,
    DraftRefusal,
    RememberOutcome,
    RememberResult,
    check_content_size,
)
from memories.ingestion.existing_memories import (
    ExistingMemories,
    ExistingMemory,
    fetch_deposits,
    get_subject_id,
    load_existing,
)
from memories.ingestion.placement import PlacementResolver
from memories.jobs.worker_hints import notify_embedding_worker
from memories.review.protect import PROTECTION, apply_protection_requests, protect_memory
from memories.state.supersede_memory import (
    SUPERSEDES,
    InvalidValidityError,
    check_no_cycle,
    check_validity,
)
from memories.state.supersede_requests import (
    OlderMemories,
    check_supersedes,
    load_older_memories,
    supersede_memories,
)
from memories.state.supersede_wishes import add_wishes
from memories.store.conversation_turns import source_message_id
from memories.store.deduplication import find_repeat
from memories.store.encryption.keys import MissingEncryptionKeyError
from memories.store.encryption.texts import content_hashes
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import two_facts
from memories.store.tag_names import InvalidTagError, normalise_tags
from orgs import audit
from orgs.database.rls import Scope, scope_sequence
from orgs.errors import AlreadyExistsError, NotFoundError, existing_members
from orgs.models.base import day_of
from orgs.organisations.audience_rows import ensure_explicit_audience
from orgs.principals import Actor, Principal
from orgs.wired_functions import wired
from robots.access.spoken_for import note_spoken_for
from robots.errors import ImpersonationError, MissingScopeError
from robots.registry.activity import record_activity

# How many memories the drafts of one call supersede at most, all together.
MAX_SUPERSEDED = 1_000
TOO_MANY_SUPERSEDED = (
    f"One call supersedes at most {MAX_SUPERSEDED:,} memories in all. Send this in another call."
)
REFUSAL_ERRORS = (
    InvalidTagError,
    NotFoundError,
    MemoryRequestError,
    ImpersonationError,
    MissingScopeError,
    PermissionError,
    LearningPausedError,
    SharingOptOutError,
    MissingEncryptionKeyError,
    TooLongToCheck,
    ChangeForbiddenError,
    RedLineError,
)


@wired
def on_remembered_by_team(
    organisation_id: UUID, teams: Sequence[UUID], found: Sequence[RememberResult], now: datetime
) -> None:
    """Called in the transaction for what a robot of these teams remembered; not for messages."""
    raise NotImplementedError


class KeyConflictError(Exception):
    """The key belongs to another text in the same audience; nothing was changed."""

    def __init__(self, existing: UUID | None = None) -> None:
        super().__init__(
            "This key already names a memory with another text. Choose another key, or change "
            "the memory that has it."
        )
        self.existing, self.more = existing, existing_members(existing)


def remember(actor: Actor, draft: Draft, *, now: datetime) -> RememberResult:
    """Remember one memory. Raises the error that `remember_many` would put into its outcome."""
    outcome = remember_many(actor, [draft], now=now)[0]
    if isinstance(outcome, DraftRefusal):
        raise outcome.error
    return outcome


def remember_many(actor: Actor, drafts: Sequence[Draft], *, now: datetime) -> list[RememberOutcome]:
    """Remember drafts; returns their outcomes in order. A refused draft does not affect the
    others."""
    try:
        return _remember_all(actor, drafts, now)
    except IntegrityError:
        # Another request wrote the same first; its row is visible now.
        return _remember_all(actor, drafts, now)


def _remember_all(actor: Actor, drafts: Sequence[Draft], now: datetime) -> list[RememberOutcome]:
    """Place all drafts in the organisation's scope, then write them in the scope of each
    principal."""
    outcomes: dict[int, RememberOutcome] = {}
    batches: dict[tuple[object, ...], list[ResolvedDraft]] = defaultdict(list)
    named = 0
    with scope_sequence(Scope(organisation=actor.organisation_id)) as turn_to:
        placer = PlacementResolver(actor, now)
        placer.foresee(drafts)
        gates = DraftGates(placer)
        for index, given in enumerate(drafts):
            try:
                check_content_size(given.content)
                named += len(given.supersedes)
                if given.supersedes and named > MAX_SUPERSEDED:
                    raise InvalidValidityError(SUPERSEDES, TOO_MANY_SUPERSEDED)
                if given.valid_from and given.valid_until:
                    check_validity(given.valid_from, given.valid_until)
                asked = _normalise_tags(given)
                draft, placement, gated = gates.judge(asked, placer.place(asked))
                teaches = placement.teaches
                if teaches and draft.occurred_at is not None:
                    draft = replace(draft, occurred_at=day_of(draft.occurred_at))
                digest, *older = content_hashes(
                    draft.content,
                    speaker=placement.speaker,
                    subject=placement.member_id,
                    organisation_id=actor.organisation_id,
                    sensitive=draft.sensitive,
                )
            except REFUSAL_ERRORS as error:
                outcomes[index] = DraftRefusal(error)
                continue
            whose = (placement.principal.actor.member_id, placement.principal.actor.group_id)
            batches[whose].append(
                ResolvedDraft(index, draft, placement, digest, tuple(older), gated, teaches=teaches)
            )
        for items in batches.values():
            deposits = {i.placement.audience_id for i in items if i.placement.is_deposit}
            turn_to(items[0].placement.principal.opens(tuple(sorted(deposits))))
            outcomes.update(_write_batch(placer, items, now))
        _notify_teams(placer, drafts, outcomes, now)
        if batches:
            record_activity(
                organisation_id=actor.organisation_id, robot_id=placer.robot.id, now=now
            )
            notify_embedding_worker(actor.organisation_id)
    return [outcomes[index] for index in range(len(drafts))]


def _notify_teams(
    placer: PlacementResolver,
    drafts: Sequence[Draft],
    outcomes: dict[int, RememberOutcome],
    now: datetime,
) -> None:
    """Tell the teams of the robot that wrote. Messages are skipped, because others said them, and
    so are sensitive memories, which no working memory has."""
    found = [
        outcome
        for index, outcome in sorted(outcomes.items())
        if isinstance(outcome, RememberResult)
        and drafts[index].heard is None
        and not drafts[index].sensitive
    ]
    if placer.teams and found:
        on_remembered_by_team(placer.organisation.id, placer.teams, found, now)


def _normalise_tags(draft: Draft) -> Draft:
    """The draft with its tags in the stored form. Raises InvalidTagError."""
    return replace(draft, tags=tuple(normalise_tags(draft.tags))) if draft.tags else draft


def _write_batch(
    placer: PlacementResolver, items: list[ResolvedDraft], now: datetime
) -> dict[int, RememberOutcome]:
    outcomes: dict[int, RememberOutcome] = {}
    earlier = load_existing(items, placer.robot.id)
    fresh: list[Memory] = []
    wishes: list[tuple[Memory, str]] = []
    gated: list[tuple[Memory, GateResult]] = []
    repeats: dict[UUID, list[ResolvedDraft]] = defaultdict(list)
    principal = items[0].placement.principal
    wanted = {id_ for item in items for id_ in item.supersedes}
    older = load_older_memories(principal, wanted)
    for item in items:
        outcome, row = _resolve_draft(placer, item, earlier, now)
        if refused := _refuse_supersedes(principal, item, outcome, older):
            outcome, row = refused, None
        outcomes[item.index] = outcome
        if isinstance(outcome, DraftRefusal):
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
    details = {row.id: review_details(one) for row, one in gated if one.verdict.held}
    _add_supersede_wishes(details, items, outcomes)
    for row, _ in wishes:
        details[row.id] = {**details.get(row.id, {}), PROTECTION: True}
    memory_writes.insert_memories(
        fresh,
        organisation=placer.organisation,
        now=now,
        said=True,
        key_id=key,
        import_job=items[0].draft.import_job,
        details=details,
    )
    store_originals(gated, now)
    judged = [(outcomes[item.index], item.gated) for item in items if item.gated is not None]
    record_gate_results(
        [(one.id, said) for one, said in judged if isinstance(one, RememberResult)], actor, now
    )
    _record_attributions(actor, fresh, now)
    # Whose words messages give was noted where they came in.
    spoken = [row.speaker_member_id for row in fresh if source_message_id(row) is None]
    note_spoken_for(actor, [*spoken, actor.member_id] if fresh else [], now=now)
    apply_protection_requests(principal, wishes, now)
    author = placer.actor.member_id if placer.actor.is_person else None
    repeated = memory_writes.record_repeats(repeats, placer.robot.id, author, now, key_id=key)
    for id_, same in repeats.items():
        for item in same:
            _protect_repeated(item, id_, now)
            outcomes[item.index] = _build_repeat(item, id_, repeated.get(id_))
    stored = {row.id: row for row in fresh}
    for item in items:
        if item.supersedes:
            outcomes[item.index] = _supersede(item, outcomes[item.index], stored, older, now)
    return outcomes


def _refuse_supersedes(
    principal: Principal,
    item: ResolvedDraft,
    outcome: RememberOutcome,
    older: OlderMemories,
) -> DraftRefusal | None:
    """Why a draft is refused for what it supersedes, if it is; before anything is written.

    older: what the drafts of the call say is over.
    """
    if not item.supersedes or isinstance(outcome, DraftRefusal):
        return None
    try:
        check_supersedes(principal, item.supersedes, older)
        if outcome.deduplicated:
            check_no_cycle(principal.organisation_id, outcome.id, item.supersedes)
    except REFUSAL_ERRORS as error:
        return DraftRefusal(error)
    return None


def _add_supersede_wishes(
    details: dict[UUID, dict[str, Any]],
    items: Sequence[ResolvedDraft],
    outcomes: Mapping[int, RememberOutcome],
) -> None:
    """Note in the details of what waits which memories it supersedes once it is published."""
    for item in items:
        outcome = outcomes[item.index]
        if item.supersedes and isinstance(outcome, RememberResult):
            add_wishes(details, outcome.id, item.supersedes)


def _supersede(
    item: ResolvedDraft,
    outcome: RememberOutcome,
    stored: Mapping[UUID, Memory],
    older: OlderMemories,
    now: datetime,
) -> RememberOutcome:
    """Supersede the older memories of a draft that was stored, or propose it. For what waits it is
    done with the approval."""
    if isinstance(outcome, DraftRefusal):
        return outcome
    principal = item.placement.principal
    newer = stored.get(outcome.id)
    if newer is None and outcome.deduplicated:
        newer = get_readable_memory(principal, outcome.id)
    if newer is None or newer.status != Status.ACTIVE:
        return outcome
    try:
        done = supersede_memories(principal, newer, item.supersedes, older, now)
    except InvalidValidityError as error:
        # Two drafts of one call name each other.
        return DraftRefusal(error)
    waiting = tuple(one.id for one in done.waiting)
    return replace(outcome, superseded=done.superseded, waiting=waiting)


def _record_attributions(actor: Actor, fresh: Sequence[Memory], now: datetime) -> None:
    """Record in the audit trail who gave a memory as another's words; messages have their own
    record."""
    told = {row.id: two_facts(row) for row in fresh if source_message_id(row) is None}
    audit.record_entries(
        "memory.attributed",
        actor=actor,
        now=now,
        target_type="memory",
        targets={id_: facts for id_, facts in told.items() if facts},
    )


def _protect_repeated(item: ResolvedDraft, id_: UUID, now: datetime) -> None:
    """If a repeat asks for protection, protect the existing memory or propose that, if the writer
    reads it."""
    if item.draft.red_line and not item.placement.is_deposit:
        actor, reason = item.placement.principal.actor, item.draft.red_line_reason
        with suppress(AlreadyExistsError, NotFoundError, MemoryRequestError):
            protect_memory(actor, id_, reason=reason, now=now)


def _resolve_draft(
    placer: PlacementResolver, item: ResolvedDraft, earlier: ExistingMemories, now: datetime
) -> tuple[RememberOutcome, Memory | None]:
    placement = item.placement
    keyed = earlier.by_key(placement.audience_id, item.key)
    if keyed is not None and keyed.content_hash not in item.hashes:
        if not placement.is_deposit:
            return DraftRefusal(KeyConflictError(_readable_id(item, keyed))), None
        # A deposit must not reveal a conflict; it is written without the key.
        keyed, item = None, item.without_key()
    same = [row for one in item.hashes for row in earlier.by_hash(placement.audience_id, one)]
    withdrawn = next((row for row in same if row.forgotten_by_subject), None)
    if withdrawn is not None:
        return _propose_to_subject(placer, item.without_key(), earlier, withdrawn, now)
    depositor = placer.robot.id if placement.is_deposit else None
    found = keyed or find_repeat(item, [row for row in same if row.deposited_by == depositor])
    if found is None:
        row = build_memory(placer, item, now)
        return _build_result(item, row.id), row
    return _build_result(item, found.id, deduplicated=not placement.is_deposit), None


def _readable_id(item: ResolvedDraft, keyed: ExistingMemory) -> UUID | None:
    """The id of a memory that exists already, if the writer may see it."""
    with suppress(NotFoundError):
        return get_readable_memory(item.placement.principal, keyed.id).id
    return None


def _propose_to_subject(
    placer: PlacementResolver,
    item: ResolvedDraft,
    earlier: ExistingMemories,
    withdrawn: ExistingMemory,
    now: datetime,
) -> tuple[RememberOutcome, Memory | None]:
    """A memory that its subject forgot comes back only with their consent: it waits where only they
    read.

    `held_for` is cleared here: if a gate held it, approval by the subject sends it back to the
    gate.
    """
    placement = item.placement
    subject = placement.member_id or placement.speaker_member_id or get_subject_id(withdrawn.id)
    audience_id = ensure_explicit_audience(
        placer.organisation.id,
        [("member", subject)],  # type: ignore[list-item]  # what a subject forgot has one
    )
    known = [*earlier.by_hash(audience_id, item.hash), *fetch_deposits(audience_id, item.hash)]
    fresh = build_memory(placer, item, now)
    fresh.proposed_audience_id, fresh.audience_id = fresh.audience_id, audience_id
    fresh.status, fresh.deposited_by = Status.PENDING_REVIEW, placer.robot.id
    fresh.held_for = ""
    waiting = next((row for row in known if row.stands_for(fresh)), None)
    outcome = _build_result(item, waiting.id if waiting else fresh.id)
    if not placement.is_deposit:
        outcome = replace(outcome, status=Status.PENDING_REVIEW)
    return outcome, None if waiting else fresh


def _build_repeat(
    item: ResolvedDraft, id_: UUID, memory: memory_writes.RepeatedMemory | None
) -> RememberResult:
    """The result of a draft whose memory was there; None if its writer does not reach it now."""
    result = _build_result(item, id_, deduplicated=True)
    if memory is None:
        return result
    ready = result.embedding == "pending" and not memory.owed
    return replace(
        result,
        remember_count=memory.remember_count,
        embedding="ready" if ready else result.embedding,
    )


def _build_result(item: ResolvedDraft, id_: UUID, **known: object) -> RememberResult:
    placement = item.placement
    return RememberResult(
        id=id_,
        status=placement.status,
        audience_kind=placement.audience_kind,
        audience_id=placement.audience_id,
        audience_label=placement.audience_label,
        embedding="none" if item.draft.sensitive else "pending",
        proposed=placement.proposed_audience_id is not None and not placement.held_for,
        **known,  # type: ignore[arg-type]
    )
