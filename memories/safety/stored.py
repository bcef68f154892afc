"""Gates for stored memories: new words and readers, originals of held ones, last texts."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from memories.safety.models import HeldText
from memories.safety.rules import COHORTS, Submission
from memories.store.authorship import Words
from memories.store.conversation_turns import message_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceKind
from orgs.models.base import new_id
from orgs.principals import Principal

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from memories.review.models import Proposal

# The most texts of a robot, and of a conversation, that a new one is judged with.
MOST_BEFORE = 5
# Of a robot those of the last hour count, so that the look-up reads few rows.
_MILLISECONDS = 60 * 60 * 1000


def by_robot(memory: Memory) -> bool:
    """Whether the present words of a memory are a robot's; False for what a member said in a
    conversation."""
    if memory.reworded_by_id:
        return False
    if memory.speaker_member_id and message_of(memory) and not memory.reworded_by_robot_id:
        return False
    return memory.reworded_by_robot_id is not None or memory.author_id is None


def other_words(memory: Memory, words_of: Words) -> Submission:
    """The submission of new words for the readers of a memory. words_of: (member, robot) whose they
    are.

    Of a held memory nothing may become readable before somebody has decided.
    """
    if memory.held_for:
        return Submission(audience=memory.audience.kind, by_robot=True, strict=True)
    heard = memory.audience.kind == AudienceKind.GROUP and memory.speaker_member_id is not None
    return Submission(
        audience=memory.audience.kind,
        by_robot=words_of[0] is None,
        about_somebody=bool(memory.member_id or memory.speaker_member_id),
        own_words=heard,
        deposit=memory.deposited_by is not None,
    )


def other_readers(memory: Memory, kind: str, *, by_choice: bool) -> Submission:
    """The submission of a memory's words for an audience of another kind. by_choice: a person
    decides it, so they may share personal data, except with a profession."""
    about = bool(memory.member_id or memory.speaker_member_id)
    return Submission(
        audience=kind,
        by_robot=by_robot(memory),
        about_somebody=about and not by_choice,
        own_words=by_choice,
        strict=kind in COHORTS,
    )


def originals_of(organisation_id: UUID, memories: Iterable[UUID]) -> dict[UUID, str]:
    """The original words of held memories, by memory id.

    Call inside the asker's scope: the database shows them only to the member for whom they were
    written, and to robots that may read what is private to them.
    """
    ids = list(memories)
    if not ids:
        return {}
    rows = HeldText.objects.filter(organisation_id=organisation_id, memory_id__in=ids)
    return dict(rows.values_list("memory_id", "content"))


def with_originals(items: "QuerySet[Proposal, Proposal]") -> "QuerySet[Any, Any]":
    """The items annotated with the `original` words of their memory, where the asker may read
    them."""
    texts = HeldText.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("memory_id")
    )
    return items.annotate(original=Subquery(texts.values("content")))


def last_texts(principal: Principal, robot_id: UUID, conversation: str | None) -> list[str]:
    """The contents of the robot's last memories, and of the conversation's, that the writer reads.

    Encrypted ones are left out: no context has them.
    """
    # Ids are ordered by time: the first 48 bits are milliseconds.
    oldest = UUID(int=new_id().int - (_MILLISECONDS << 80))
    with principal.scope():
        rows = Memory.objects.filter(
            organisation_id=principal.organisation_id, sensitive=False
        ).exclude(status=Status.FORGOTTEN)
        found = rows.filter(
            audience_id__in=principal.audiences, robot_id=robot_id, id__gte=oldest
        ).order_by("-id")
        texts = dict(found.values_list("id", "content")[:MOST_BEFORE])
        if conversation:
            turns = rows.filter(conversation=conversation).order_by("-position", "-id")
            texts |= dict(turns.values_list("id", "content")[:MOST_BEFORE])
    return list(texts.values())
