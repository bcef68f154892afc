"""Who wrote a memory, who said its words, and who wrote its present wording."""

from typing import Any
from uuid import UUID

from memories.store.models.memory import Memory
from orgs.principals import Actor

REWORDED = ("reworded_by", "reworded_by_robot")
# (member, robot) whose words a text is.
Words = tuple[UUID | None, UUID | None]


def words_by(actor: Actor) -> Words:
    """What the actor writes is theirs; a robot that acts for a member writes itself."""
    return (actor.member_id if actor.is_person else None, actor.robot_id)


def reword(memory: Memory, words: Words) -> None:
    """Record the author of the present wording if it is not the speaker; save with REWORDED."""
    if memory.speaker_member_id or memory.speaker:
        own: Words = (memory.speaker_member_id, None)
    else:
        own = (memory.author_id, None if memory.author_id else memory.robot_id)
    theirs = words not in ((None, None), own)
    memory.reworded_by_id, memory.reworded_by_robot_id = words if theirs else (None, None)


def speaking_member_id(memory: Memory) -> UUID | None:
    """The member whose words a memory holds: its speaker, else its author if nobody is named."""
    return memory.speaker_member_id or (None if memory.speaker else memory.author_id)


def two_facts(memory: Memory) -> dict[str, Any]:
    """{speaker, author or written_by_robot} as ids, where the words are another's than the
    writer's."""
    if memory.speaker_member_id is None or memory.speaker_member_id == memory.author_id:
        return {}
    wrote = (
        {"author": str(memory.author_id)}
        if memory.author_id
        else {"written_by_robot": str(memory.robot_id)}
    )
    return {"speaker": str(memory.speaker_member_id), **wrote}
