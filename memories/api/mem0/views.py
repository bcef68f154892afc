"""The addresses of the hosted mem0, as its client 2.2 calls them."""

import ast
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db import transaction
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.mem0 import serializers as s
from memories.api.mem0.add_memories import add_memories, event_time, is_event_of
from memories.api.mem0.base import (
    MAX_DELETED,
    Mem0View,
    page_answer,
    parameters,
    weigh_deletion,
    weigh_memories,
    weigh_turns,
)
from memories.api.mem0.filters import ENTITIES, SOURCE, Filters, parse_filters
from memories.api.mem0.memory_queries import (
    TYPES,
    find_matching,
    list_entities,
    list_memories,
    render_history,
    render_memory,
    search_memories,
)
from memories.api.mem0.reach import get_in_reach, rows_by_id
from memories.browsing.memory_queries import get_memory
from memories.browsing.memory_versions import list_versions
from memories.curation.edit_memory import edit_memory
from memories.lifecycle.forget import forget_memory
from memories.retrieval.feedback import find_last_recall_of, record_feedback
from memories.review.models import Proposal
from orgs.api.problems import ProblemError
from orgs.api.serializers import validate_data
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.limits.rate_limits import weigh_question
from orgs.principals import Actor, resolve_principal

MAX_FILTER_CHARACTERS = 4_000
NO_FILTER = "Deleting all needs a user_id, agent_id, app_id or run_id."
MUST_BE_OBJECT = "The body is a JSON object."
NOT_SEARCHED = "Search for the memory first: feedback is about a hit."
LINKED = "Nothing is linked here; leave delete_linked out."
ONLY_PROPOSED = "You may only propose this change: do so by PATCH /api/v1/memories/{id}."
NO_FIELDS = "A list of names of fields is needed."


def body_of(request: Request) -> dict[str, Any]:
    """The body. Raises ValidationError for what is no object."""
    if not isinstance(request.data, Mapping):
        raise ValidationError({"body": [MUST_BE_OBJECT]})
    return dict(request.data)


def wanted_filters(asked: Mapping[str, Any]) -> Filters:
    """The filters of a validated body, with the ids beside them."""
    return parse_filters(asked.get("filters"), s.given_ids(dict(asked)))


def answer_search(request: Request) -> list[dict[str, Any]]:
    """The results of a search, as `fields` asks for them."""
    body = body_of(request)
    fields = body.pop("fields", None)
    if fields is not None and not (
        isinstance(fields, list) and all(isinstance(one, str) for one in fields)
    ):
        raise ValidationError({"fields": [NO_FIELDS]})
    asked = validate_data(s.SearchSerializer, body)
    found = search_memories(request.user, asked, wanted_filters(asked), now=timezone.now())
    if fields:
        kept = {"id", "memory", "score", *fields}
        found = [{k: v for k, v in one.items() if k in kept} for one in found]
    return found


def delete_matching(actor: Actor, wanted: Filters) -> tuple[int, bool]:
    """Forget what matches, at most MAX_DELETED memories: (how many, whether more remain)."""
    now = timezone.now()
    acting, ids = find_matching(actor, wanted, most=MAX_DELETED + 1, now=now)
    with transaction.atomic():
        for memory_id in ids[:MAX_DELETED]:
            forget_memory(acting, memory_id, now=now)
    return min(len(ids), MAX_DELETED), len(ids) > MAX_DELETED


def deletion_filters(request: Request) -> Filters:
    """The filters in the query of a deletion. Raises ValidationError without any.

    The client writes a dictionary into the query as Python shows it.
    """
    given = parameters(request)
    text = given.pop("filters", "{}")
    if len(text) > MAX_FILTER_CHARACTERS:
        raise ValidationError({"filters": ["Too long."]})
    try:
        inside = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            inside = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise ValidationError({"filters": ["Not an object in JSON."]}) from error
    ids = s.given_ids(validate_data(s.EntitiesSerializer, given))
    if not ids and not inside:
        raise ValidationError({"filters": [NO_FILTER]})
    return parse_filters(inside, ids)


def update_one(actor: Actor, memory_id: UUID, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The memory after a change. Raises ReferenceNotFoundError for one that is not in reach, and
    ProblemError where the caller may only propose it."""
    acting, _ = get_in_reach(actor, memory_id)
    with transaction.atomic():
        edited = edit_memory(acting, memory_id, changes, now=timezone.now())
        if isinstance(edited, Proposal):
            raise ProblemError(409, "conflict", ONLY_PROPOSED)
    return render_memory(get_memory(acting, memory_id).memory)


def delete_one(actor: Actor, memory_id: UUID) -> None:
    """Forget a memory. Raises ReferenceNotFoundError for one that is not in reach."""
    acting, _ = get_in_reach(actor, memory_id)
    forget_memory(acting, memory_id, now=timezone.now())


class PingView(Mem0View):
    def get(self, request: Request) -> Response:
        """Whether the key is good."""
        validate_data(s.EntitiesSerializer, parameters(request))
        organisation, robot = str(request.user.organisation_id), str(request.user.robot_id)
        # The client does not start without the two. It sends them to addresses of projects alone.
        return Response({
            "status": "ok",
            "user_email": None,
            "org_id": organisation,
            "project_id": robot,
        })  # fmt: skip


class AddView(Mem0View):
    weight = staticmethod(weigh_turns)

    def post(self, request: Request) -> Response:
        """Remember the turns of a conversation. They are stored when this answers; `PENDING` is
        what the client waits for."""
        asked = validate_data(s.AddSerializer, body_of(request))
        added = add_memories(request.user, asked, now=timezone.now())
        message = f"{len(added.kept)} memories are stored."
        if added.refused:
            message += f" {added.refused} texts were refused."
        return Response({"message": message, "status": "PENDING", "event_id": str(added.event)})


class EventView(Mem0View):
    def get(self, request: Request, event: UUID) -> Response:
        """What an add has stored."""
        actor = request.user
        if not is_event_of(actor, event):
            raise ReferenceNotFoundError("event", event)
        at = event_time(event)
        principal, rows = rows_by_id(actor)
        with principal.scope():
            # Ids are ordered by time: the range spares reading all memories.
            near = [(at + timedelta(seconds=one)).timestamp() for one in (-5, 60)]
            low, high = (UUID(int=int(one * 1000) << 80) for one in near)
            mine = rows.filter(
                id__gte=low, id__lte=high, source__contains={SOURCE: {"event": str(event)}}
            )
            ids = list(mine.order_by("id").values_list("id", flat=True))
        found = []
        for memory_id in ids:
            try:
                _, memory = get_in_reach(actor, memory_id)
            except NotFoundError:
                continue
            user_id = memory.source[SOURCE].get("user_id")
            data = {"memory": memory.content}
            found.append({"id": str(memory.id), "event": "ADD", "data": data, "user_id": user_id})
        body = {"id": str(event), "event_type": "ADD", "status": "SUCCEEDED", "results": found}
        return Response({**body, "created_at": at, "updated_at": at})


class SearchView(Mem0View):
    scopes = {"POST": "read"}
    only_answers = ("POST",)
    weight = staticmethod(weigh_question)

    def post(self, request: Request) -> Response:
        """The best memories of a user, an agent, an app or a run."""
        return Response({"results": answer_search(request)})


class ListView(Mem0View):
    scopes = {"POST": "read"}
    only_answers = ("POST",)

    def post(self, request: Request) -> Response:
        """One page of the memories that match, the newest first."""
        asked = validate_data(s.ListSerializer, body_of(request))
        return self._page(request, asked, validate_data(s.PageSerializer, parameters(request)))

    def _page(self, request: Request, asked: Mapping[str, Any], at: Mapping[str, Any]) -> Response:
        page, size = at["page"], at["page_size"]
        count, rows = list_memories(
            request.user, asked, wanted_filters(asked), page=page, size=size, now=timezone.now()
        )
        return Response(page_answer(request, rows, count=count, page=page, size=size))


class MemoriesView(ListView):
    scopes = {}
    only_answers = ()

    def weigh(self, request: Request) -> int:
        """An add by what it brings, a deletion by what it may delete."""
        deletes = request.method == "DELETE"
        given = request.data if isinstance(request.data, Mapping) else {}
        return weigh_deletion(given) if deletes else weigh_turns(given)

    def get(self, request: Request) -> Response:
        """The same by query parameters."""
        given = parameters(request)
        names = (*ENTITIES, "start_date", "end_date")
        asked = {name: given.pop(name) for name in names if name in given}
        at = validate_data(s.PageSerializer, given)
        return self._page(request, validate_data(s.ListSerializer, asked), at)

    def post(self, request: Request) -> Response:
        """Remember, answered with what is stored."""
        asked = validate_data(s.AddSerializer, body_of(request))
        added = add_memories(request.user, asked, now=timezone.now())
        return Response({"results": added.rendered()})

    def delete(self, request: Request) -> Response:
        """Forget what matches; refused without a filter."""
        count, more = delete_matching(request.user, deletion_filters(request))
        rest = " More remain: call again." if more else ""
        return Response({"message": f"{count} memories deleted.{rest}"})


class MemoryView(Mem0View):
    def get(self, request: Request, memory: UUID) -> Response:
        """One memory."""
        return Response(render_memory(get_in_reach(request.user, memory)[1]))

    def put(self, request: Request, memory: UUID) -> Response:
        """Change its text, metadata or the day on which it expires."""
        changes = validate_data(s.UpdateSerializer, body_of(request))
        return Response(update_one(request.user, memory, changes))

    def delete(self, request: Request, memory: UUID) -> Response:
        """Forget it."""
        if parameters(request).get("delete_linked", "false").lower() != "false":
            raise ValidationError({"delete_linked": [LINKED]})
        delete_one(request.user, memory)
        return Response({"message": "Memory deleted successfully!"})


class HistoryView(Mem0View):
    def get(self, request: Request, memory: UUID) -> Response:
        """Its last 200 versions, the oldest first."""
        acting, row = get_in_reach(request.user, memory)
        found = list_versions(acting, memory, limit=200)
        return Response(render_history(row, found.versions))


class BatchView(Mem0View):
    weight = staticmethod(weigh_memories)

    def put(self, request: Request) -> Response:
        """Change several memories: all or none."""
        given = validate_data(s.BatchSerializer, body_of(request))["memories"]
        named = [self._named(one) for one in given]
        rest = [{k: v for k, v in one.items() if k != "memory_id"} for one in given]
        changes = [validate_data(s.UpdateSerializer, one) for one in rest]
        with transaction.atomic():
            for memory_id, change in zip(named, changes, strict=True):
                update_one(request.user, memory_id, change)
        return Response({"message": f"Successfully updated {len(named)} memories"})

    def delete(self, request: Request) -> Response:
        """Forget several memories: all or none."""
        given = validate_data(s.BatchSerializer, body_of(request))["memories"]
        named = [validate_data(s.NamedMemorySerializer, one)["memory_id"] for one in given]
        with transaction.atomic():
            for memory_id in dict.fromkeys(named):
                delete_one(request.user, memory_id)
        return Response({"message": f"Successfully deleted {len(named)} memories"})

    @staticmethod
    def _named(one: Any) -> UUID:
        if not isinstance(one, Mapping):
            raise ValidationError({"memories": ["A list of objects is needed."]})
        only = {"memory_id": one["memory_id"]} if "memory_id" in one else {}
        named: UUID = validate_data(s.NamedMemorySerializer, only)["memory_id"]
        return named


class EntitiesView(Mem0View):
    def get(self, request: Request) -> Response:
        """Of whom something is kept, by type and name."""
        at = validate_data(s.PageSerializer, parameters(request))
        rows = list_entities(request.user, tuple(TYPES))
        first = (at["page"] - 1) * at["page_size"]
        part = rows[first : first + at["page_size"]]
        return Response(
            page_answer(request, part, count=len(rows), page=at["page"], size=at["page_size"])
        )


class EntityView(Mem0View):
    weight = staticmethod(weigh_deletion)

    def get(self, request: Request, kind: str, name: str) -> Response:
        """One user, agent, app or run."""
        for one in list_entities(request.user, [self._type(kind, name)]):
            if one["name"] == name:
                return Response(one)
        raise ReferenceNotFoundError("entity", name)

    def delete(self, request: Request, kind: str, name: str) -> Response:
        """Forget all that is kept for it."""
        wanted = parse_filters({TYPES[self._type(kind, name)]: name})
        count, more = delete_matching(request.user, wanted)
        if not count:
            raise ReferenceNotFoundError("entity", name)
        rest = " More remain: call again." if more else ""
        return Response({"message": f"Entity deleted successfully!{rest}"})

    @staticmethod
    def _type(kind: str, name: str) -> str:
        if kind not in TYPES:
            raise ReferenceNotFoundError("entity", name)
        return kind


class FeedbackView(Mem0View):
    def post(self, request: Request) -> Response:
        """How useful a memory was in the last search of it."""
        said = validate_data(s.FeedbackSerializer, body_of(request))
        acting, _ = get_in_reach(request.user, said["memory_id"])
        recall_id = find_last_recall_of(resolve_principal(acting), said["memory_id"])
        if recall_id is None:
            raise ProblemError(409, "conflict", NOT_SEARCHED)
        good = said["feedback"] == "POSITIVE"
        record_feedback(
            acting,
            recall_id=recall_id,
            memory_id=said["memory_id"],
            usefulness=1.0 if good else 0.0,
            outcome="success" if good else "failure",
            now=timezone.now(),
        )
        return Response({"id": str(said["memory_id"]), "feedback": said["feedback"]})
