"""Bring an older version of a memory back."""

from datetime import datetime
from uuid import UUID

from memories.access.lookup import changeable
from memories.curation.edit import edit_memory
from memories.library.history import Past, versions_of
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from memories.store.tag_names import brought
from orgs.errors import NotFound
from orgs.principals import Actor, resolve

RESTORED = ("content", "category", "importance", "tags", "metadata")


def version_of(actor: Actor, memory_id: UUID, number: int) -> tuple[Memory, Past]:
    """A memory that the asker may change, and one of its older versions.

    Raises NotFound and NotYours.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        found = versions_of(principal, memory, limit=1, before=number + 1).versions
        if not found or found[0].number != number:
            raise NotFound("no such version")
    return memory, found[0]


def restore_version(
    actor: Actor, memory_id: UUID, number: int, *, version: int, now: datetime
) -> Memory | Proposal:
    """Make the content of an older version the newest version; the readers stay those of now. An
    asker who may not publish to these proposes it, and gets the queue item.

    version: the newest one that the asker has seen.
    Raises NotFound, NotYours, AlreadyExists, and Outdated when somebody changed it since.
    """
    _memory, past = version_of(actor, memory_id, number)
    changes = {name: getattr(past, name) for name in RESTORED}
    # An old version may have tags in an older form.
    changes["tags"], _ = brought(past.tags)
    return edit_memory(actor, memory_id, changes, now=now, version=version)
