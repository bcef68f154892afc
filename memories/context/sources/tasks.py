"""Open tasks for a context."""

from memories.action_items.tasks import TaskQuery, tasks_of
from memories.context.sources.asked import Asked
from memories.context.sources.pieces import Piece
from memories.language.rendering.model_text import render_name

TASK = "task"
MOST = 10


def tasks(asked: Asked) -> list[Piece]:
    """The pending tasks of the member who asks, or for whom a robot asks, and tasks without an
    assignee.

    Deposits (written by a robot without the member's delegation) are left out: they are listed, but
    not given unasked.
    """
    found = tasks_of(
        asked.principal,
        TaskQuery(limit=MOST),
        include_shared=asked.query.include_shared,
        deposits=False,
        now=asked.now,
    )
    return [
        Piece(
            head=(
                f"for {render_name(one.assignee_name)}" if one.assignee_name else "",
                f"due {one.due_at:%Y-%m-%d %H:%M} UTC" if one.due_at else "",
                f"priority {one.priority}",
            ),
            text=one.title,
            type=TASK,
            id=one.id,
            more={"memory": one.memory, "priority": one.priority, "due_at": one.due_at},
        )
        for one in found
    ]
