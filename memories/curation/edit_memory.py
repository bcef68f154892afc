"""Edit a memory; an edit of an outdated version is refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    check_red_line,
    get_readable_memory,
    lock_changeable_memory,
    may_change,
    may_publish,
    record_memory_audit,
)
from memories.access.writer_rights import (
    CORRECTABLE_FIELDS,
    NOT_A_READER,
    check_still_written,
    enter_own_space,
    resolve_row_principal,
)
from memories.browsing.memory_versions import MemoryVersion, load_versions
from memories.encryption.sensitive_memories import decrypt_memory, encrypt_memory
from memories.indexing import search_index
from memories.ingestion.drafts import (
    check_content_size,
)
from memories.jobs.worker_hints import notify_pattern_worker
from memories.review.changes import (
    MEMORY,
    WITHOUT_WORDS,
    Approval,
    as_json,
    from_json,
    propose_change,
)
from memories.review.models import Proposal
from memories.review.propose import withdraw_found_pairs
from memories.safety.gate_refusals import record_refusals
from memories.safety.memory_submissions import pass_gates
from memories.state.supersede_memory import (
    SUPERSEDE_FIELDS,
    SUPERSEDES,
    VALIDITY_FIELDS,
    assign_validity,
    check_changed_validity,
    mark_current,
)
from memories.state.supersede_requests import (
    check_supersedes,
    load_older_memories,
    supersede_memories,
)
from memories.state.transitions import unindex_with_derived, update_derived
from memories.store.encryption.texts import (
    EncryptedTextError,
    UndecryptableText,
    check_not_sensitive,
    content_hashes,
)
from memories.store.models.choices import Status, Tier
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import REWORDED, Words, reword, words_by
from memories.store.tag_names import coerce_tags, normalise_tags
from memories.store.use import MOVE_REQUESTED, move_to_tier
from memories.store.version_stamp import VERSION_FIELDS, stamp_version
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, Principal, resolve_principal

EDITABLE_FIELDS = (
    *("content", "category", "importance", "tags", "metadata", "expires_at", "shareable"),
    *("sensitive", "tier", *VALIDITY_FIELDS),
)
# What anybody who reads a memory proposes of it: until when it holds, and what it replaces.
PROPOSED_BY_READERS = frozenset({SUPERSEDES, *VALIDITY_FIELDS})
A_CURATOR_DECIDES = "Everybody reads these words, so a curator decides about another text."


class OutdatedVersionError(Exception):
    """Somebody changed the memory after it was read; `memory` is as it is now."""

    def __init__(self, memory: Memory) -> None:
        super().__init__("Somebody changed this memory meanwhile; nothing was overwritten.")
        self.memory = memory


def edit_memory(
    actor: Actor,
    memory_id: UUID,
    changes: Mapping[str, Any],
    *,
    now: datetime,
    version: int | None = None,
    force: str | None = None,
    words_of: Words | None = None,
) -> Memory | Proposal:
    """Change content, category, importance, tags, metadata, expires_at, valid_from, valid_until,
    shareable, tier or sensitive, and say which older memories it supersedes. An asker who may not
    publish to its readers proposes the change, and gets the queue item; the memory stays as it is.
    When it holds and what it supersedes, everybody proposes who reads it.

    shareable: whether it may be said outside its group. tier: the tier to move it to; it can still
    be found. sensitive: True encrypts the text, False stores it in plain again. version: the one
    that was read; Outdated is raised if it changed since. force: an admin's reason to change a
    protected memory. words_of: whose words the new text gives, if not the asker's.

    Raises NotFoundError, ChangeForbiddenError, OutdatedVersionError, RedLineError, PermissionError,
    ContentTooLongError, InvalidTagError, MissingEncryptionKeyError, EncryptedTextError,
    InvalidValidityError, GateRefusedError for what a gate refuses, and AlreadyExistsError if
    another memory of the same readers has the new text, or for a published one that is not active.
    """
    check_content_size(changes.get("content", ""))
    if "tags" in changes:
        changes = {**changes, "tags": normalise_tags(changes["tags"])}
    words = words_of or words_by(actor)
    row = resolve_row_principal(actor, memory_id)
    principal = row.principal
    if row.as_writer and not set(changes) <= CORRECTABLE_FIELDS:
        raise ChangeForbiddenError(NOT_A_READER)
    with record_refusals(actor, now, target=memory_id), principal.scope():
        wanted = changes.get(SUPERSEDES, ())
        older = load_older_memories(principal, wanted, newer=memory_id)
        memory, is_theirs = _lock(principal, memory_id, set(changes))
        check_still_written(row, memory)
        if version is not None and version != memory.version:
            raise OutdatedVersionError(memory)
        check_supersedes(principal, wanted, older)
        check_changed_validity(memory, changes)
        changed = {
            k: v for k, v in changes.items() if k in EDITABLE_FIELDS and getattr(memory, k) != v
        }
        waiting = supersede_memories(principal, memory, wanted, older, now).waiting
        item = waiting[0] if waiting else None
        if not changed:
            return item or memory
        held = {"content", "expires_at", "importance", "sensitive", *VALIDITY_FIELDS}
        if protected := sorted(held & set(changed)):
            check_red_line(principal, memory, "edit", now, force=force, fields=protected)
        pass_gates(memory, changed, words)
        if not (is_theirs and may_publish(actor, memory)):
            theirs = {k: v for k, v in changed.items() if not _is_own_right(k, v)}
            item = _propose(principal, memory, theirs, now) if theirs else item
            changed = {k: v for k, v in changed.items() if k not in theirs}
        if row.as_writer and "content" in changed:
            enter_own_space(memory, actor.robot_id)
        _apply(principal, memory, changed, words, now, own_space=row.as_writer)
    return item or memory


def _lock(principal: Principal, memory_id: UUID, names: set[str]) -> tuple[Memory, bool]:
    """(the memory, whether it is the asker's to change), locked if it is. What not only they
    propose, everybody proposes who reads it. Raises NotFoundError and ChangeForbiddenError."""
    if names and names <= PROPOSED_BY_READERS:
        memory = get_readable_memory(principal, memory_id)
        if not may_change(principal, memory):
            return memory, False
    return lock_changeable_memory(principal, memory_id), True


def _is_own_right(name: str, value: Any) -> bool:
    """Whether a change is its writer's to make whoever reads the memory: it hides or lowers it."""
    return (name, value) in (("shareable", False), ("tier", Tier.GLACIAL), ("sensitive", True))


def _propose(
    principal: Principal, memory: Memory, changed: Mapping[str, Any], now: datetime
) -> Proposal:
    if "content" in changed:
        _check_no_duplicate(memory, _hashes(memory, changed["content"]))
    return propose_change(principal, memory, MEMORY, changed, now)


def _apply(
    principal: Principal,
    memory: Memory,
    changed: dict[str, Any],
    words: Words,
    now: datetime,
    *,
    own_space: bool = False,
) -> None:
    """Store the changed fields of a locked memory, without checking rights. own_space: whether only
    what the same robot deposited counts as a duplicate."""
    _move_tier(principal, memory, changed.pop("tier", None), now)
    if "sensitive" in changed:
        _set_sensitive(principal, memory, wanted=changed.pop("sensitive"), now=now)
    if not changed:
        return
    beside = _audit_values(memory, changed)
    validity = {name: changed[name] for name in VALIDITY_FIELDS if name in changed}
    for name, value in changed.items():
        if name not in validity:
            setattr(memory, name, value)
    if "content" in changed:
        _update_content_hash(memory, own_space=own_space)
        reword(memory, words)
        # The findings that it holds no more, or is like another, were about the old words.
        mark_current(memory)
        withdraw_found_pairs(memory.organisation_id, memory.id, now)
    assign_validity(memory, validity)
    stamp_version(memory, principal.actor, now)
    fields = {
        *changed,
        "content_hash",
        "deposited_by",
        *SUPERSEDE_FIELDS,
        *REWORDED,
        *VERSION_FIELDS,
    }
    memory.save(update_fields=sorted(fields))
    _refresh_index(memory, changed, now)
    update_derived(memory, changed)
    if "shareable" in changed:
        notify_pattern_worker(memory.organisation_id)
    record_memory_audit(principal, "memory.edited", memory, now, fields=sorted(changed), **beside)


def apply_edit(change: Approval) -> dict[str, Any]:
    """Apply an edit that was approved. Returns what undo needs: the values of before, and the
    version.

    Raises what `edited_memory` raises, and EncryptedTextError for words of a sensitive memory.
    """
    memory, given = change.memory, from_json(change.given)
    if not set(given) <= WITHOUT_WORDS:
        check_not_sensitive(memory)
    before = as_json({name: getattr(memory, name) for name in given if name != "content"})
    outcome: dict[str, Any] = {"rewritten": str(memory.id), "fields": before}
    if "content" in given:
        reworded = (memory.reworded_by_id, memory.reworded_by_robot_id)
        outcome["before"] = memory.content
        outcome["words_of"] = [str(id_) if id_ else None for id_ in reworded]
    edited = edited_memory(
        change.decider, memory.id, given, now=change.now, words_of=change.words_of
    )
    return {**outcome, "version": edited.version}


def edited_memory(
    actor: Actor, memory_id: UUID, changes: Mapping[str, Any], *, now: datetime, **more: Any
) -> Memory:
    """`edit_memory` by somebody who publishes to the memory's readers.

    Raises what it raises, and ChangeForbiddenError for anybody else; call it inside a transaction.
    """
    edited = edit_memory(actor, memory_id, changes, now=now, **more)
    if isinstance(edited, Proposal):
        raise ChangeForbiddenError(A_CURATOR_DECIDES)
    return edited


def _audit_values(memory: Memory, changed: Mapping[str, Any]) -> dict[str, Any]:
    """Of what was changed alone, in numbers: the trail holds no word of a memory, and no tag."""
    if set(changed) == {"importance"}:
        return {"before": memory.importance, "after": changed["importance"]}
    if set(changed) == {"tags"}:
        return {"before": len(memory.tags), "after": len(changed["tags"])}
    return {}


def _refresh_index(memory: Memory, changed: Mapping[str, Any], now: datetime) -> None:
    """Index a memory anew after a change."""
    if "content" in changed:
        # An archived memory is not indexed, but a summary of it may be.
        unindex_with_derived([memory], now)
        if memory.status == Status.ACTIVE:
            search_index.reindex_memory(memory, now)
    elif memory.status == Status.ACTIVE:
        if "expires_at" in changed:
            search_index.refresh_neighbour_context(memory, now)
        if "tags" in changed:
            search_index.refresh_projections(memory, now)


def _move_tier(principal: Principal, memory: Memory, tier: str | None, now: datetime) -> None:
    """Move a memory into the wanted tier; it can still be found."""
    if tier is None or tier == memory.tier:
        return
    before = memory.tier
    move_to_tier(memory, tier, reason=MOVE_REQUESTED, now=now)
    record_memory_audit(principal, "memory.moved", memory, now, before=before, after=tier)


def _set_sensitive(principal: Principal, memory: Memory, *, wanted: bool, now: datetime) -> None:
    """Encrypt or decrypt the text. It stays the same, so there is no new version."""
    if isinstance(memory.content, UndecryptableText):
        raise EncryptedTextError(memory.content)
    memory.sensitive = wanted
    _update_content_hash(memory)
    if wanted:
        encrypt_memory(principal, memory, now)
    else:
        decrypt_memory(principal, memory, now)


def _update_content_hash(memory: Memory, *, own_space: bool = False) -> None:
    theirs = _hashes(memory, memory.content)
    memory.content_hash = theirs[0]
    _check_no_duplicate(memory, theirs, own_space=own_space)


def _hashes(memory: Memory, content: str) -> tuple[bytes, ...]:
    return content_hashes(
        content,
        speaker=memory.speaker,
        subject=memory.member_id,
        organisation_id=memory.organisation_id,
        sensitive=memory.sensitive,
    )


def _check_no_duplicate(
    memory: Memory, theirs: tuple[bytes, ...], *, own_space: bool = False
) -> None:
    space = {"deposited_by": memory.deposited_by} if own_space else {}
    twin = (
        Memory.objects.filter(
            organisation_id=memory.organisation_id,
            audience_id=memory.audience_id,
            content_hash__in=theirs,
            key=memory.key,
            conversation=memory.conversation,
            occurred_at=memory.occurred_at,
            **space,
        )
        .exclude(id=memory.id)
        .values_list("id", "status")
        .first()
    )
    if twin:
        raise AlreadyExistsError(
            "A memory with this text is there already, for the same readers.",
            existing=None if twin[1] == Status.FORGOTTEN else twin[0],
        )


# Bring an older version of a memory back.

RESTORED_FIELDS = ("content", "category", "importance", "tags", "metadata")


def get_version(actor: Actor, memory_id: UUID, number: int) -> tuple[Memory, MemoryVersion]:
    """A memory that the asker may change, and one of its older versions.

    Raises NotFoundError and ChangeForbiddenError.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        found = load_versions(principal, memory, limit=1, before=number + 1).versions
        if not found or found[0].number != number:
            raise NotFoundError("no such version")
    return memory, found[0]


def restore_version(
    actor: Actor, memory_id: UUID, number: int, *, version: int, now: datetime
) -> Memory | Proposal:
    """Make the content of an older version the newest version; the readers stay those of now. An
    asker who may not publish to these proposes it, and gets the queue item.

    version: the newest one that the asker has seen.
    Raises NotFoundError, ChangeForbiddenError, AlreadyExistsError, and OutdatedVersionError when
    somebody changed it since.
    """
    _memory, past = get_version(actor, memory_id, number)
    changes = {name: getattr(past, name) for name in RESTORED_FIELDS}
    # An old version may have tags in an older form.
    changes["tags"], _ = coerce_tags(past.tags)
    return edit_memory(actor, memory_id, changes, now=now, version=version)
