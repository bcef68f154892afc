"""Edit a memory; an edit of an outdated version is refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.lookup import changeable, note
from memories.access.permissions import NotYours, may_publish
from memories.access.red_lines import hold_red_line
from memories.curation.supersede import LINK
from memories.encryption.make_sensitive import make_plain, make_sensitive
from memories.indexing import index
from memories.jobs.hints import hint_patterns
from memories.review.changes import MEMORY, WITHOUT_WORDS, Approval, applies, propose_change
from memories.review.models import Proposal
from memories.safety.refusals import noting_refusals
from memories.safety.stored import pass_gates
from memories.store.dependents import follow
from memories.store.encryption.texts import (
    Encrypted,
    Undecryptable,
    refuse_sensitive,
    row_hashes,
)
from memories.store.models.choices import Status, Tier
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import REWORDED, Words, reword, words_by
from memories.store.tag_names import attached
from memories.store.use import ASKED, put_in_tier
from memories.store.version_stamp import STAMPS, stamp_version
from orgs.errors import AlreadyExists
from orgs.principals import Actor, Principal, resolve

EDITABLE = (
    *("content", "category", "importance", "tags", "metadata", "expires_at", "shareable"),
    *("sensitive", "tier"),
)
A_CURATOR_DECIDES = "Everybody reads these words, so a curator decides about another text."


class Outdated(Exception):
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
    """Change content, category, importance, tags, metadata, expires_at, shareable, tier or
    sensitive. An asker who may not publish to its readers proposes the change, and gets the queue
    item; the memory stays as it is.

    shareable: whether it may be said outside its group. tier: the tier to move it to; it can still
    be found. sensitive: True encrypts the text, False stores it in plain again. version: the one
    that was read; Outdated is raised if it changed since. force: an admin's reason to change a
    protected memory. words_of: whose words the new text gives, if not the asker's.

    Raises NotFound, NotYours, Outdated, RedLine, PermissionError, BadTag, NoEncryptionKey,
    Encrypted, HeldBack for what a gate refuses, and AlreadyExists if another memory of the same
    readers has the new text, or for a published one that is not active.
    """
    if "tags" in changes:
        changes = {**changes, "tags": attached(changes["tags"])}
    words = words_of or words_by(actor)
    principal = resolve(actor)
    with noting_refusals(actor, now, target=memory_id), principal.scope():
        memory = changeable(principal, memory_id)
        if version is not None and version != memory.version:
            raise Outdated(memory)
        changed = {k: v for k, v in changes.items() if k in EDITABLE and getattr(memory, k) != v}
        if not changed:
            return memory
        held = {"content", "expires_at", "importance", "sensitive"}
        if protected := sorted(held & set(changed)):
            hold_red_line(principal, memory, "edit", now, force=force, fields=protected)
        pass_gates(memory, changed, words)
        item = None
        if not may_publish(actor, memory):
            theirs = {k: v for k, v in changed.items() if not _is_own_right(k, v)}
            item = _propose(principal, memory, theirs, now) if theirs else None
            changed = {k: v for k, v in changed.items() if k not in theirs}
        _apply(principal, memory, changed, words, now)
    return item or memory


def _is_own_right(name: str, value: Any) -> bool:
    """Whether a change is its writer's to make whoever reads the memory: it hides or lowers it."""
    return (name, value) in (("shareable", False), ("tier", Tier.GLACIAL), ("sensitive", True))


def _propose(
    principal: Principal, memory: Memory, changed: Mapping[str, Any], now: datetime
) -> Proposal:
    if "content" in changed:
        _refuse_twin(memory, _hashes(memory, changed["content"]))
    return propose_change(principal, memory, MEMORY, changed, now)


def _apply(
    principal: Principal, memory: Memory, changed: dict[str, Any], words: Words, now: datetime
) -> None:
    """Store the changed fields of a locked memory, without checking rights."""
    _archive(principal, memory, changed.pop("tier", None), now)
    if "sensitive" in changed:
        _set_sensitive(principal, memory, wanted=changed.pop("sensitive"), now=now)
    if not changed:
        return
    beside = _from_to(memory, changed)
    for name, value in changed.items():
        setattr(memory, name, value)
    if "content" in changed:
        _hash_anew(memory)
        reword(memory, words)
        # The finding that it holds no more was about the old words.
        memory.superseded_by, memory.valid_until = None, None
    stamp_version(memory, principal.actor, now)
    memory.save(update_fields=[*changed, "content_hash", *LINK, *REWORDED, *STAMPS])
    _index_anew(memory, changed, now)
    follow(memory, changed)
    if "shareable" in changed:
        hint_patterns(memory.organisation_id)
    note(principal, "memory.edited", memory, now, fields=sorted(changed), **beside)


@applies(MEMORY)
def apply_edit(change: Approval) -> dict[str, Any]:
    """Apply an edit that was approved. Returns what undo needs: the values of before, and the
    version.

    Raises what `edited_memory` raises, and Encrypted for words of a sensitive memory.
    """
    memory, given = change.memory, dict(change.given)
    if not set(given) <= WITHOUT_WORDS:
        refuse_sensitive(memory)
    if given.get("expires_at"):
        given["expires_at"] = datetime.fromisoformat(given["expires_at"])
    before = {name: getattr(memory, name) for name in given if name != "content"}
    if ends := before.get("expires_at"):
        before["expires_at"] = ends.isoformat()
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

    Raises what it raises, and NotYours for anybody else; call it inside a transaction.
    """
    edited = edit_memory(actor, memory_id, changes, now=now, **more)
    if isinstance(edited, Proposal):
        raise NotYours(A_CURATOR_DECIDES)
    return edited


def _from_to(memory: Memory, changed: Mapping[str, Any]) -> dict[str, Any]:
    """Of what was changed alone, in numbers: the trail holds no word of a memory, and no tag."""
    if set(changed) == {"importance"}:
        return {"before": memory.importance, "after": changed["importance"]}
    if set(changed) == {"tags"}:
        return {"before": len(memory.tags), "after": len(changed["tags"])}
    return {}


def _index_anew(memory: Memory, changed: Mapping[str, Any], now: datetime) -> None:
    """Index a memory anew after a change."""
    if "content" in changed:
        # An archived memory is not indexed, but a summary of it may be.
        index.unindex([memory], now)
        if memory.status == Status.ACTIVE:
            index.reindex(memory, now)
    elif memory.status == Status.ACTIVE:
        if "expires_at" in changed:
            index.lend_anew(memory, now)
        if "tags" in changed:
            index.note_again(memory, now)


def _archive(principal: Principal, memory: Memory, tier: str | None, now: datetime) -> None:
    """Move a memory into the wanted tier; it can still be found."""
    if tier is None or tier == memory.tier:
        return
    before = memory.tier
    put_in_tier(memory, tier, reason=ASKED, now=now)
    note(principal, "memory.moved", memory, now, before=before, after=tier)


def _set_sensitive(principal: Principal, memory: Memory, *, wanted: bool, now: datetime) -> None:
    """Encrypt or decrypt the text. It stays the same, so there is no new version."""
    if isinstance(memory.content, Undecryptable):
        raise Encrypted(memory.content)
    memory.sensitive = wanted
    _hash_anew(memory)
    if wanted:
        make_sensitive(principal, memory, now)
    else:
        make_plain(principal, memory, now)


def _hash_anew(memory: Memory) -> None:
    theirs = _hashes(memory, memory.content)
    memory.content_hash = theirs[0]
    _refuse_twin(memory, theirs)


def _hashes(memory: Memory, content: str) -> tuple[bytes, ...]:
    return row_hashes(
        content,
        speaker=memory.speaker,
        subject=memory.member_id,
        organisation_id=memory.organisation_id,
        sensitive=memory.sensitive,
    )


def _refuse_twin(memory: Memory, theirs: tuple[bytes, ...]) -> None:
    twin = (
        Memory.objects.filter(
            organisation_id=memory.organisation_id,
            audience_id=memory.audience_id,
            content_hash__in=theirs,
            key=memory.key,
            conversation=memory.conversation,
            occurred_at=memory.occurred_at,
        )
        .exclude(id=memory.id)
        .exists()
    )
    if twin:
        raise AlreadyExists("A memory with this text is there already, for the same readers.")
