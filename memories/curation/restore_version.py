"""Bring an older version of a memory back."""

from datetime import datetime
from uuid import UUID

from memories.access.memory_access import lock_changeable_memory
from memories.browsing.memory_versions import MemoryVersion, load_versions
from memories.curation.edit_memory import edit_memory
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from memories.store.tag_names import coerce_tags
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal

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
