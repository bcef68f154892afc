"""Open tasks for a context."""

from memories.action_items.task_queries import TaskQuery, list_tasks_in_scope
from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.pieces import ContextPiece
from memories.language.rendering.model_text import render_name

TASK = "task"
MAX_TASKS = 10


def load_open_tasks(asked: ContextBuildState) -> list[ContextPiece]:
    """The pending tasks of the member who asks, or for whom a robot asks, and tasks without an
    assignee.

    Deposits (written by a robot without the member's delegation) are left out: they are listed, but
    not given unasked.
    """
    found = list_tasks_in_scope(
        asked.principal,
        TaskQuery(limit=MAX_TASKS),
        include_shared=asked.query.include_shared,
        deposits=False,
        now=asked.now,
    )
    return [
        ContextPiece(
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
