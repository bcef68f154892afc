"""Tasks over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.action_items import task_queries
from memories.action_items.add_task import TaskDraft, add_task, update_task
from memories.action_items.priority import PRIORITIES
from memories.api.proposals import change_waits
from memories.api.serializers.proposals import ChangeWaitsSerializer
from memories.review.models import Proposal
from memories.store.models.choices import Status
from orgs.api.base_view import APIView
from orgs.api.cursors import format_position, next_page_url, parse_cursor, parse_position_parts
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    FlagField,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    TimeField,
    UpperTimeField,
    id_and_name,
    query_values,
    validate_data,
)

MAX_CONTENT_CHARACTERS, MAX_LISTED = 2000, 200


class PlaceSerializer(StrictSerializer):
    """`group` says where it is asked, `member` for whom a robot asks."""

    group = TextField(max_length=300, required=False, help_text="The group in which it is asked.")
    member = TextField(
        max_length=400, required=False, help_text="The member for whom a robot asks."
    )


class TaskParametersSerializer(PlaceSerializer):
    """Query parameters."""

    status = ChoiceField(task_queries.STATUSES, default=task_queries.PENDING)
    whose = ChoiceField(
        task_queries.ASSIGNEE_FILTERS,
        default=task_queries.MINE,
        help_text="mine: tasks of the member who asks, or for whom a robot asks, and tasks "
        "without an assignee. A robot that names no member gets everyone's.",
    )
    due_before = UpperTimeField(
        required=False, help_text="Only tasks that are due before this time."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_LISTED, default=50)
    cursor = TextField(max_length=2000, required=False)


class AddTaskSerializer(PlaceSerializer):
    content = TextField(max_length=MAX_CONTENT_CHARACTERS)
    assignee = TextField(
        max_length=400,
        required=False,
        help_text="A member who reads the task. Left out, it is looked for in the text.",
    )
    due_at = TimeField(required=False, help_text="Left out, it is looked for in the text.")
    importance = NumberField(min_value=0, max_value=1, required=False)
    visibility = TextField(max_length=200, required=False, help_text="As for a memory.")
    key = TextField(
        max_length=300,
        required=False,
        help_text="The same key with the same text is the same task; with another text it is 409 "
        "`key-taken`.",
    )


class ChangeTaskSerializer(PlaceSerializer):
    done = FlagField(required=False)
    assignee = TextField(
        max_length=400, required=False, allow_null=True, help_text="null removes the assignee."
    )
    due_at = TimeField(required=False, allow_null=True, help_text="null removes the due date.")


class TaskSerializer(AnswerSerializer):
    """One task."""

    id = serializers.UUIDField()
    memory = serializers.UUIDField(help_text="The memory that the task belongs to.")
    title = serializers.CharField()
    importance = serializers.FloatField(help_text="The importance of the memory, 0-1.")
    assignee = NamedSerializer(allow_null=True)
    due_at = serializers.DateTimeField(allow_null=True)
    priority = ChoiceField(
        PRIORITIES,
        allow_null=True,
        help_text="high: overdue or due in less than 3 days; medium: within 7 days; low: later or "
        "without a due date. Null if it is done.",
    )
    done = serializers.BooleanField()
    done_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()

    @staticmethod
    def get_assignee(row: task_queries.TaskRow) -> dict[str, Any] | None:
        return id_and_name(row.assignee, row.assignee_name)

    @staticmethod
    def get_priority(row: task_queries.TaskRow) -> str | None:
        return row.priority or None

    @staticmethod
    def get_done(row: task_queries.TaskRow) -> bool:
        return row.done_at is not None


class AddedTaskSerializer(AnswerSerializer):
    """An added task, with the status of its memory."""

    status = ChoiceField(Status.values)
    memory = serializers.UUIDField()
    task = TaskSerializer(
        allow_null=True,
        help_text="Null while the memory waits for a review; until then the task is in no list.",
    )


def _parse_cursor(text: str) -> task_queries.TaskCursor:
    """The place that a cursor names. Raises ValueError for the cursor of another list."""
    pending, importance, memory, id_ = parse_position_parts(text)
    return task_queries.TaskCursor(pending == "True", float(importance), UUID(memory), UUID(id_))


class TasksView(APIView):
    within_groups = ("GET", "POST")

    @extend_schema(
        operation_id="tasks_list",
        parameters=[TaskParametersSerializer],
        responses=TaskSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List tasks: pending ones first, then the most important, then the newest."""
        asked = validate_data(TaskParametersSerializer, query_values(request))
        limit, cursor = asked["limit"], asked.pop("cursor", None)
        found = task_queries.list_tasks(
            request.user,
            task_queries.TaskQuery(**{**asked, "limit": limit + 1}),
            after=parse_cursor(request.user, cursor, _parse_cursor) if cursor else None,
            now=timezone.now(),
        )
        last = found[limit - 1].place if len(found) > limit else None
        more = next_page_url(request, format_position(last)) if last else None
        return Response(
            {"results": [TaskSerializer.render(one) for one in found[:limit]], "next": more}
        )

    @extend_schema(
        operation_id="tasks_add", request=AddTaskSerializer, responses={201: AddedTaskSerializer}
    )
    def post(self, request: Request) -> Response:
        """Add a task: a memory with an action item."""
        draft = TaskDraft(**validate_data(AddTaskSerializer, request.data))
        made = add_task(request.user, draft, now=timezone.now())
        return Response(AddedTaskSerializer.render(made), status=201)


class TaskView(APIView):
    within_groups = ("GET", "PATCH")

    @extend_schema(operation_id="tasks_get", parameters=[PlaceSerializer], responses=TaskSerializer)
    def get(self, request: Request, task_id: UUID) -> Response:
        """One task that the caller reads."""
        place = validate_data(PlaceSerializer, query_values(request))
        return Response(
            TaskSerializer.render(
                task_queries.get_task(request.user, task_id, now=timezone.now(), **place)
            )
        )

    @extend_schema(
        operation_id="tasks_patch",
        request=ChangeTaskSerializer,
        responses={200: TaskSerializer, 202: ChangeWaitsSerializer},
    )
    def patch(self, request: Request, task_id: UUID) -> Response:
        """Change whether a task is done, its assignee or its due date; what is left out stays.

        Whoever may change the memory changes all of it; the assignee changes only `done`. A member
        who may only propose to its readers proposes assignee and due date: 202 with the item of the
        review queue. `done` is changed at once.
        """
        changes = validate_data(ChangeTaskSerializer, request.data)
        place = {name: changes.pop(name, None) for name in ("member", "group")}
        row = update_task(request.user, task_id, changes, now=timezone.now(), **place)
        if isinstance(row, Proposal):
            return change_waits(row)
        return Response(TaskSerializer.render(row))
