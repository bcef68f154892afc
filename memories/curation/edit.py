"""Edit a memory; an edit of an outdated version is refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.lookup import changeable, note
from memories.access.red_lines import hold_red_line
from memories.curation.supersede import LINK
from memories.encryption.make_sensitive import make_plain, make_sensitive
from memories.indexing import index
from memories.jobs.hints import hint_patterns
from memories.safety.gate import Gate
from memories.safety.names.known_names import names_in_group
from memories.safety.refusals import noting_refusals, refuse
from memories.safety.rules import strings_in
from memories.safety.stored import other_words
from memories.store.authorship import REWORDED, Words, reword, words_by
from memories.store.dependents import follow
from memories.store.encryption.texts import Encrypted, Undecryptable, row_hashes
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.tag_names import attached
from memories.store.use import ASKED, put_in_tier
from memories.store.version_stamp import STAMPS, stamp_version
from orgs.errors import AlreadyExists
from orgs.models.audiences import AudienceKind
from orgs.principals import Actor, Principal, resolve

EDITABLE = (
    *("content", "category", "importance", "tags", "metadata", "expires_at", "shareable"),
    "sensitive",
)


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
) -> Memory:
    """Change content, category, importance, tags, metadata, expires_at, shareable, tier or
    sensitive.

    shareable: whether it may be said outside its group. tier: the tier to move it to; it can still
    be found. sensitive: True encrypts the text, False stores it in plain again. version: the one
    that was read; Outdated is raised if it changed since. force: an admin's reason to change a
    protected memory. words_of: whose words the new text gives, if not the asker's.

    Raises NotFound, NotYours, Outdated, RedLine, PermissionError, BadTag, NoEncryptionKey,
    Encrypted, HeldBack for words that a gate refuses, and AlreadyExists if another memory of the
    same readers has the new text.
    """
    if "tags" in changes:
        changes = {**changes, "tags": attached(changes["tags"])}
    principal = resolve(actor)
    with noting_refusals(actor, now, target=memory_id), principal.scope():
        memory = changeable(principal, memory_id)
        if version is not None and version != memory.version:
            raise Outdated(memory)
        changed = {k: v for k, v in changes.items() if k in EDITABLE and getattr(memory, k) != v}
        _archive(principal, memory, changes.get("tier"), now)
        if not changed:
            return memory
        held = {"content", "expires_at", "importance", "sensitive"}
        if protected := sorted(held & set(changed)):
            hold_red_line(principal, memory, "edit", now, force=force, fields=protected)
        pass_gates(memory, changed, words_of or words_by(actor))
        if "sensitive" in changed:
            _set_sensitive(principal, memory, wanted=changed.pop("sensitive"), now=now)
            if not changed:
                return memory
        beside = _from_to(memory, changed)
        for name, value in changed.items():
            setattr(memory, name, value)
        if "content" in changed:
            _hash_anew(memory)
            reword(memory, words_of or words_by(actor))
            # The finding that it holds no more was about the old words.
            memory.superseded_by, memory.valid_until = None, None
        stamp_version(memory, actor, now)
        memory.save(update_fields=[*changed, "content_hash", *LINK, *REWORDED, *STAMPS])
        _index_anew(memory, changed, now)
        follow(memory, changed)
        if "shareable" in changed:
            hint_patterns(memory.organisation_id)
        note(principal, "memory.edited", memory, now, fields=sorted(changed), **beside)
    return memory


def _from_to(memory: Memory, changed: Mapping[str, Any]) -> dict[str, Any]:
    """Of what was changed alone, in numbers: the trail holds no word of a memory, and no tag."""
    if set(changed) == {"importance"}:
        return {"before": memory.importance, "after": changed["importance"]}
    if set(changed) == {"tags"}:
        return {"before": len(memory.tags), "after": len(changed["tags"])}
    return {}


def pass_gates(memory: Memory, changed: Mapping[str, Any], words: Words) -> None:
    """Raise HeldBack for new words that may not reach the memory's readers. words: whose they
    are."""
    if not {"content", "tags", "metadata"} & set(changed):
        return
    refuse(
        Gate(memory.organisation_id),
        changed.get("content", ""),
        other_words(memory, words),
        beside=[*changed.get("tags", ()), *strings_in(changed.get("metadata"))],
        familiar=lambda: (
            names_in_group(memory.organisation_id, memory.group_id)
            if memory.group_id and memory.audience.kind == AudienceKind.GROUP
            else ()
        ),
    )


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
    theirs = row_hashes(
        memory.content,
        speaker=memory.speaker,
        subject=memory.member_id,
        organisation_id=memory.organisation_id,
        sensitive=memory.sensitive,
    )
    memory.content_hash = theirs[0]
    _refuse_twin(memory, theirs)


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
