"""Split a memory into propositions: facts of one sentence, for the same readers, beside it.

A proposition has its memory as source and follows it: it is forgotten when the memory is forgotten,
archived, edited or given other readers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.consent import LearningPausedError, filter_paused_members
from memories.access.permissions import (
    ChangeForbiddenError,
    lock_changeable_memory,
    may_publish,
    may_restore,
    record_memory_audit,
)
from memories.curation.edit_memory import A_CURATOR_DECIDES
from memories.ingestion import memory_writes
from memories.jobs.worker_hints import notify_embedding_worker
from memories.language.propositions import RejectedText, extract_propositions, parse_propositions
from memories.lifecycle.llm_checks.llm_propositions import ModelUnavailableError, ask_propositions
from memories.llm import client
from memories.restatement.llm_windows import fetch_showable
from memories.restatement.restate import find_restatement
from memories.review.changes import SPLIT, Approval, propose_change
from memories.review.models import Proposal
from memories.safety.gate_refusals import record_refusals
from memories.safety.memory_submissions import pass_gates
from memories.state.transitions import restore_propositions
from memories.store.deduplication import content_hash
from memories.store.dependents import is_proposition, propositions_of
from memories.store.encryption.texts import check_not_sensitive
from memories.store.lineage import to_source_memory
from memories.store.models.choices import Status
from memories.store.models.memory import PROPOSITION_OF, SOURCE_IDS_KEY, Memory
from memories.store.models.version import Version
from memories.store.speakers.attribution import with_marked_speaker
from memories.store.speakers.authorship import Words, words_by
from orgs.errors import AlreadyExistsError
from orgs.models.base import id_like
from orgs.models.organisations import Organisation
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.writer_identity import may_speak_for
from robots.models.robots import Robot
from robots.registry.robots import WEB, ensure_builtin_robot

ALREADY_EXISTS, WAS_FORGOTTEN = "known", "forgotten"
_INHERITED_COLUMNS = (
    "organisation_id", "audience_id", "kind", "category", "first_tier", "topic", "group_id",
    "member_id", "speaker", "speaker_member_id", "listeners", "position", "importance",
    "confidence", "sensitive", "shareable", "occurred_at", "expires_at", "valid_from",
    "valid_until",
)  # fmt: skip


@dataclass(slots=True)
class SplitResult:
    """The present propositions of a memory, and the texts that were refused."""

    rows: list[Memory] = field(default_factory=list)
    refused: list[RejectedText] = field(default_factory=list)


def split_memory(
    actor: Actor,
    memory_id: UUID,
    *,
    given: Sequence[str] = (),
    now: datetime,
    version: int | None = None,
) -> SplitResult | Proposal:
    """Store the propositions of a memory; the same again changes nothing. An asker who may not
    publish to the memory's readers proposes them, and gets the queue item.

    given: propositions that the caller has found; by default the sentences of the memory, or of its
    restatement, that stand on their own. version: the one that was read to find them. Raises
    NotFoundError, ChangeForbiddenError, LearningPausedError, GateRefusedError for words that a gate
    refuses, and AlreadyExistsError for a memory that is not active, has changed or is a proposition
    itself.
    """
    principal = resolve_principal(actor)
    with record_refusals(actor, now, target=memory_id), principal.scope():
        memory, made, refused = _prepare_split(principal, memory_id, given, now)
        if version not in (None, memory.version):
            raise AlreadyExistsError("The memory was changed meanwhile; nothing was made of it.")
        if made and not may_publish(actor, memory):
            sentences = {"propositions": [row.content for row in made]}
            return propose_change(principal, memory, SPLIT, sentences, now)
        if made:
            _store(principal, memory, made, now)
        rows = propositions_of([memory]).filter(status=Status.ACTIVE).with_names().order_by("id")
        return SplitResult(list(rows), refused)


def _store(principal: Principal, memory: Memory, made: Sequence[Memory], now: datetime) -> None:
    """Store new propositions, and bring those back that an edit removed."""
    organisation = Organisation.objects.get(id=memory.organisation_id)
    back = [row for row in made if row.status == Status.FORGOTTEN]
    restore_propositions(memory, back, now)
    new = [row for row in made if row not in back]
    of = {row.id: [to_source_memory(memory)] for row in new}
    memory_writes.insert_derived_memories(new, of, organisation=organisation, now=now)
    notify_embedding_worker(memory.organisation_id)
    record_memory_audit(principal, "memory.divided", memory, now, propositions=len(made))


def apply_approved_split(change: Approval) -> dict[str, Any]:
    """Split a memory as proposed, in the decider's name."""
    given = change.given["propositions"]
    made = split_memory(change.decider, change.memory.id, given=given, now=change.now)
    if isinstance(made, Proposal):
        raise ChangeForbiddenError(A_CURATOR_DECIDES)
    return {"stays": SPLIT}


def split_memory_by_model(
    actor: Actor, memory_id: UUID, *, now: datetime
) -> SplitResult | Proposal:
    """`split_memory` with the propositions that a language model finds, which are checked like any
    caller's.

    A text with a number, a name, a link or words that the memory does not have, or without its
    "not", is refused before. The model is asked outside of transactions. Raises what
    `split_memory` raises, ModelUnavailableError if none is configured or the memory may not be
    shown to one, and ModelAnswerError.
    """
    if not client.is_configured():
        raise ModelUnavailableError(
            "No language model is set up here. Send propositions or let rules split."
        )
    principal = resolve_principal(actor)
    with principal.scope():
        memory, _, _ = _prepare_split(principal, memory_id, (), now)
        shown = fetch_showable(memory.organisation_id, [memory.id], using="default")
    if not shown:
        raise ModelUnavailableError("This memory is never shown to a language model.")
    found, refused = ask_propositions(shown[0].text)
    if not found:
        return SplitResult([], refused)
    done = split_memory(actor, memory_id, given=found, now=now, version=shown[0].version)
    if isinstance(done, Proposal):
        return done
    return SplitResult(done.rows, [*refused, *done.refused])


def preview_split(actor: Actor, memory_id: UUID, *, now: datetime) -> SplitResult:
    """What `split_memory` would add and refuse; nothing is stored."""
    principal = resolve_principal(actor)
    with principal.scope():
        _, made, refused = _prepare_split(principal, memory_id, (), now)
        return SplitResult(made, refused)


def _prepare_split(
    principal: Principal, memory_id: UUID, given: Sequence[str], now: datetime
) -> tuple[Memory, list[Memory], list[RejectedText]]:
    """The memory, the propositions to add as rows, and the refused texts."""
    memory = lock_changeable_memory(principal, memory_id)
    if memory.status != Status.ACTIVE:
        raise AlreadyExistsError(f"The memory is {memory.status}, not active.")
    check_not_sensitive(memory)
    if is_proposition(memory):
        raise AlreadyExistsError("This is a proposition already; none is made of it.")
    _check_learning_allowed(principal.actor, memory)
    own = _source_text(memory)
    texts, refused = parse_propositions(given) if given else extract_propositions(own)
    if given:
        _check_gates(principal.actor, memory, texts)
    said = _attribution_rule(principal.actor, memory, own)
    return memory, _build_propositions(principal, memory, texts, said, refused, now), refused


def _source_text(memory: Memory) -> str:
    """The restatement of a memory if it rests on its own words alone, else its content.

    A name from another turn would stay in the propositions when that turn is forgotten. A speaker
    who is a mere name is marked, since a proposition stands without them.
    """
    beside = find_restatement(memory)
    if beside and beside.text and not beside.lent:
        return with_marked_speaker(memory, beside.text)
    content: str = memory.content
    return content


def _check_gates(actor: Actor, memory: Memory, texts: Sequence[str]) -> None:
    """Raise GateRefusedError for texts that the memory does not have and that may not reach its
    readers."""
    there = " ".join(memory.content.split())
    if fresh := [text for text in texts if text not in there]:
        pass_gates(memory, {"content": "\n".join(fresh)}, words_by(actor))


def _check_learning_allowed(actor: Actor, memory: Memory) -> None:
    """Raise LearningPausedError if the subject or speaker has paused learning and is not the
    actor."""
    mine = actor.member_id if actor.is_person else None
    about = {id_ for id_ in (memory.member_id, memory.speaker_member_id) if id_ and id_ != mine}
    if filter_paused_members(memory.organisation_id, about):
        raise LearningPausedError


def _build_propositions(
    principal: Principal,
    memory: Memory,
    texts: Sequence[str],
    said: Callable[[str], Words | None],
    refused: list[RejectedText],
    now: datetime,
) -> list[Memory]:
    """Rows of propositions that these readers do not have yet: new ones, and those that an edit of
    the memory removed although their text is still in it. What somebody forgot stays forgotten.
    Refused texts are added to `refused`."""
    actor = principal.actor
    hashes = {
        content_hash(
            text, speaker="" if said(text) is None else memory.speaker, subject=memory.member_id
        ): text
        for text in texts
        if text != memory.content.strip()
    }
    there = Memory.objects.filter(
        organisation_id=memory.organisation_id,
        audience_id=memory.audience_id,
        content_hash__in=list(hashes),
    )
    back: list[Memory] = []
    for row in there:
        if _was_removed_by_edit(row, memory):
            hashes.pop(bytes(row.content_hash), None)
            back.append(row)
            continue
        text = hashes.pop(bytes(row.content_hash), None)
        if text is not None and not (
            row.status == Status.ACTIVE and _is_proposition_of(row, memory)
        ):
            # Only those who may restore it learn that it was forgotten.
            gone = row.status == Status.FORGOTTEN and may_restore(principal, row)
            refused.append(RejectedText(text, WAS_FORGOTTEN if gone else ALREADY_EXISTS))
    if not hashes:
        return back
    robot = (
        Robot.objects.get(organisation_id=actor.organisation_id, id=actor.robot_id)
        if actor.robot_id
        else ensure_builtin_robot(actor.organisation_id, WEB, now)
    )
    new = [
        _build_row(memory, text, digest, robot, actor, now, said=said(text))
        for digest, text in hashes.items()
    ]
    return [*back, *new]


def _attribution_rule(actor: Actor, memory: Memory, own: str) -> Callable[[str], Words | None]:
    """A function from a text to who reworded it, if it may count as the speaker's words; else to
    None.

    Sentences of the memory, and of what the product made of it, may, with the memory's own
    rewording; other sentences only if the actor may speak for the speaker.
    """
    there = " ".join(f"{memory.content} {own}".split())
    may = memory.speaker_member_id is not None and may_speak_for(
        actor, memory.speaker_member_id, memory.group_id
    )
    words: Words = (memory.reworded_by_id, memory.reworded_by_robot_id)

    def said(text: str) -> Words | None:
        if " ".join(text.split()) in there:
            return words
        return (None, None) if may else None

    return said


def _was_removed_by_edit(row: Memory, memory: Memory) -> bool:
    """Whether a proposition was removed by an edit of its memory, not forgotten by somebody."""
    forgotten = row.status == Status.FORGOTTEN and not row.forgotten_by_subject
    if not forgotten or row.forgotten_at is None or not _is_proposition_of(row, memory):
        return False
    return Version.objects.filter(
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        replaced_at=row.forgotten_at,
    ).exists()


def _is_proposition_of(row: Memory, memory: Memory) -> bool:
    return bool(row.source.get(PROPOSITION_OF) == str(memory.id))


def _build_row(
    memory: Memory,
    text: str,
    digest: bytes,
    robot: Robot,
    actor: Actor,
    now: datetime,
    *,
    said: Words | None,
) -> Memory:
    if said is None:
        whose: dict[str, Any] = {"speaker": "", "speaker_member_id": None}
    else:
        whose = dict(zip(("reworded_by_id", "reworded_by_robot_id"), said, strict=True))
    taken = {name: getattr(memory, name) for name in _INHERITED_COLUMNS}
    return Memory(
        id=id_like(memory.id, now),
        content=text,
        content_hash=digest,
        source={SOURCE_IDS_KEY: [str(memory.id)], PROPOSITION_OF: str(memory.id)},
        robot_id=robot.id,
        author_id=actor.member_id if actor.is_person else None,
        created_at=now,
        updated_at=now,
        **{**taken, **whose},
    )
