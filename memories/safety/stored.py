"""A memory that is there already: on its way to other words or other readers, or held back."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from memories.safety.models import HeldText
from memories.safety.rules import COHORTS, Submission
from memories.store.authorship import Words
from memories.store.conversation_turns import message_of
from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceKind

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from memories.review.models import Proposal


def by_robot(memory: Memory) -> bool:
    """Whether its present words are a robot's; what a member said in a conversation is not."""
    if memory.reworded_by_id:
        return False
    if memory.speaker_member_id and message_of(memory) and not memory.reworded_by_robot_id:
        return False
    return memory.reworded_by_robot_id is not None or memory.author_id is None


def other_words(memory: Memory, words_of: Words) -> Submission:
    """New words for the readers of a memory. words_of: (member, robot) whose they are.

    Of what a gate holds nothing may become readable before somebody has decided.
    """
    if memory.held_for:
        return Submission(audience=memory.audience.kind, by_robot=True, strict=True)
    heard = memory.audience.kind == AudienceKind.GROUP and memory.speaker_member_id is not None
    return Submission(
        audience=memory.audience.kind,
        by_robot=words_of[0] is None,
        about_somebody=bool(memory.member_id or memory.speaker_member_id),
        own_words=heard,
    )


def other_readers(memory: Memory, kind: str, *, by_choice: bool) -> Submission:
    """Its words for readers of another kind. by_choice: a person decides about them, so what is
    personal is theirs to share, but in what all of a profession reads."""
    about = bool(memory.member_id or memory.speaker_member_id)
    return Submission(
        audience=kind,
        by_robot=by_robot(memory),
        about_somebody=about and not by_choice,
        own_words=by_choice,
        strict=kind in COHORTS,
    )


def originals_of(organisation_id: UUID, memories: Iterable[UUID]) -> dict[UUID, str]:
    """The words of held memories as they were written, by the memory's id.

    Call inside the asker's scope: the database shows them to the member alone for whom they were
    written, and to a robot that may read what is private to them.
    """
    ids = list(memories)
    if not ids:
        return {}
    rows = HeldText.objects.filter(organisation_id=organisation_id, memory_id__in=ids)
    return dict(rows.values_list("memory_id", "content"))


def with_originals(items: "QuerySet[Proposal, Proposal]") -> "QuerySet[Any, Any]":
    """The same items, each with its memory's words as `original`, where the asker may read them."""
    texts = HeldText.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("memory_id")
    )
    return items.annotate(original=Subquery(texts.values("content")))
