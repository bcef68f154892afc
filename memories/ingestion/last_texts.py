"""The last texts of a writer, with which a new text may be an order that neither is alone."""

from uuid import UUID

from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.models.base import new_id
from orgs.principals import Principal

# The most texts of a robot, and of a conversation, that a new one is judged with.
MOST_BEFORE = 5
# Of a robot those of the last hour count, so that the look-up reads few rows.
_MILLISECONDS = 60 * 60 * 1000


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
