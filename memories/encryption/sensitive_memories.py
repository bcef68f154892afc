"""Encrypt a plain memory and every other place with its words; and back.

Call inside a transaction. Propositions and summaries made from it are taken out of search and
encrypted as well, also those with other readers, without telling anybody. Deleted and overwritten
rows stay on the disk until a vacuum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import Q

from memories.access.permissions import record_memory_audit
from memories.indexing import search_index
from memories.knowledge_graph.action_item_tasks import list_given_action_items
from memories.knowledge_graph.models import Entity, StatedRelation, Task
from memories.lifecycle.llm_checks.stored_answers import ModelAnswer
from memories.restatement.models import PendingRestatement, Restatement
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import withdraw_items_of
from memories.state.transitions import unindex_with_derived
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import is_proposition, is_summary, propositions_of, summaries_of
from memories.store.encryption.keys import check_encryption_key
from memories.store.encryption.texts import EncryptedTextError, encrypt
from memories.store.models.choices import PREFERENCE_METADATA_KEY, Status
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import Scope, scope
from orgs.organisations.audience_rows import list_audience_batches
from orgs.principals import Principal

# The number of audiences that one scope opens.
AUDIENCES_PER_SCOPE = 1_000
# Tables that may hold its words.
_WORD_COPY_MODELS = (Restatement, PendingRestatement, ModelAnswer, Entity, Task, StatedRelation)
# Causes of open items that rest on its words.
_CLOSED_CAUSES = (ProposalCause.CORRECTION, ProposalCause.DUPLICATE, ProposalCause.CONTRADICTION)


def encrypt_memory(principal: Principal, memory: Memory, now: datetime) -> None:
    """Encrypt a locked memory; inside the principal's scope.

    Raises MissingEncryptionKeyError, and EncryptedTextError for the reasons of
    `encryption_refusal`.
    """
    if refusal := encryption_refusal(memory):
        raise EncryptedTextError(refusal)
    also = encrypt_memories([memory], now)
    record_memory_audit(principal, "memory.made_sensitive", memory, now, also=also)


def encryption_refusal(memory: Memory) -> str:
    """Why a memory cannot be encrypted, because its words exist elsewhere by design; empty if it
    can."""
    if source_message_id(memory):
        return "Its words stand in a conversation as well, which is not encrypted."
    if is_proposition(memory) or is_summary(memory):
        return "It was made of other memories. Make those sensitive; it is encrypted with them."
    if Memory.objects.filter(id=memory.id, decision__isnull=False).exists():
        return "It is a decision. Its claims and dissents stand beside it and are not encrypted."
    form = memory.metadata.get(PREFERENCE_METADATA_KEY)
    if isinstance(form, dict) and "kind" in form:
        return "It is a preference. Its details stand beside it and are not encrypted."
    if list_given_action_items(memory):
        return "It holds a task that somebody wrote down. Tasks are not encrypted."
    return ""


def decrypt_memory(principal: Principal, memory: Memory, now: datetime) -> None:
    """Store the words of a locked memory in plain and index them; inside the principal's scope.

    Its older versions stay encrypted, and are read as before.
    """
    memory.sensitive = False
    memory.save(update_fields=["sensitive"])
    if memory.status == Status.ACTIVE:
        search_index.reindex_memory(memory, now)
    record_memory_audit(principal, "memory.made_plain", memory, now)


def encrypt_memories(rows: Sequence[Memory], now: datetime) -> int:
    """Encrypt locked memories of one organisation, which the scope reads. Returns how many derived
    memories were encrypted with them. Raises MissingEncryptionKeyError."""
    check_encryption_key()
    organisation_id = rows[0].organisation_id
    everywhere = _AllAudiences(
        organisation_id, list_audience_batches(organisation_id, AUDIENCES_PER_SCOPE)
    )
    made = everywhere.made_of(rows)
    withdraw_items_of(organisation_id, [row.id for row in rows], now, *_CLOSED_CAUSES)
    # Before they are sensitive: unindexing a sensitive memory would take nothing back.
    unindex_with_derived(rows, now)
    for row in rows:
        row.sensitive = True
        row.save(update_fields=["sensitive"])
    everywhere.encrypt([*rows, *made])
    return len(made)


def _add_derived(rows: Sequence[Memory], more: dict[UUID, Memory]) -> None:
    more.update({row.id: row for row in [*propositions_of(rows), *summaries_of(rows)]})


@dataclass(slots=True)
class _AllAudiences:
    """All audiences of an organisation, in portions, also those that the asker does not read."""

    organisation_id: UUID
    portions: list[list[UUID]]
    audiences: set[UUID] = field(default_factory=set)

    def made_of(self, rows: Sequence[Memory]) -> list[Memory]:
        """The propositions and summaries of memories, and those made from these, at every level."""
        known = {row.id for row in rows}
        found: dict[UUID, Memory] = {}
        level = list(rows)
        while level:
            self.audiences |= {row.audience_id for row in level}
            more: dict[UUID, Memory] = {}

            self._do(partial(_add_derived, level, more))
            level = [row for id_, row in more.items() if id_ not in known]
            known |= set(more)
            found |= {row.id: row for row in level}
        return list(found.values())

    def encrypt(self, rows: Sequence[Memory]) -> None:
        """Encrypt the words of these memories, their versions and items, and delete them from other
        tables."""
        ids = [row.id for row in rows]

        def act() -> None:
            mine = {"organisation_id": self.organisation_id, "memory_id__in": ids}
            for model in _WORD_COPY_MODELS:
                model.objects.filter(**mine).delete()
            here = Memory.objects.filter(organisation_id=self.organisation_id, id__in=ids)
            for row in here.filter(sealed=None).select_for_update(of=("self",)).order_by("id"):
                if row.status == Status.ACTIVE:
                    unindex_with_derived([row], row.updated_at)
                row.sensitive = True
                row.save(update_fields=["sensitive"])
            for past in Version.objects.filter(sealed=None, **mine):
                sealed = encrypt(
                    past.content, organisation_id=self.organisation_id, memory_id=past.memory_id
                )
                Version.objects.filter(id=past.id).update(content="", sealed=sealed)
            self._clear_proposals(ids)

        self._do(act)

    def _clear_proposals(self, ids: Sequence[UUID]) -> None:
        """Clear suggested texts, and the texts that decisions kept for undo."""
        about = Q(memory_id__in=ids) | Q(outcome__rewritten__in=[str(id_) for id_ in ids])
        items = Proposal.objects.filter(about, organisation_id=self.organisation_id)
        for item in items.select_for_update(of=("self",)).order_by("id"):
            item.content = ""
            item.outcome.pop("before", None)
            item.save(update_fields=["content", "outcome"])

    def _do(self, act: Callable[[], object]) -> None:
        for portion in self.portions:
            opened = tuple(sorted({*portion, *self.audiences}))
            with scope(Scope(organisation=self.organisation_id, audiences=opened)):
                act()
