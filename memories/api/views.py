"""Memories and recall over HTTP: one service call a view."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import recall_serializers, rendering, serializers
from memories.api.reasons import ForceSerializer, forced
from memories.querysets import MemoryQuerySet
from memories.retrieval.answers import answer_rows
from memories.services.counting import stats
from memories.services.drafts import Outcome, Refused
from memories.services.forgetting import archive_memory, forget_memory, restore_memory
from memories.services.managing import edit_memory, get_memory, listed, principal_for
from memories.services.recalling import Answer, Query, recall
from memories.services.remembering import remember, remember_many
from memories.services.sharing import share_memory
from orgs.api.cursors import page
from orgs.api.problems import NotYet, describe, problem
from orgs.api.serializers import checked


class MemoriesView(APIView):
    @extend_schema(
        operation_id="memories_list",
        parameters=[serializers.MemoryFiltersSerializer],
        responses=serializers.MemorySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the memories that the caller may read, newest first."""
        filters = checked(serializers.MemoryFiltersSerializer, request.query_params.dict())
        principal = principal_for(request.user)
        with principal.scope():
            body = page(
                request,
                listed(principal, filters, timezone.now()),
                limit=filters["limit"],
                cursor=filters.get("cursor"),
                render=rendering.memory,
                newest=MemoryQuerySet.newest,
            )
        return Response(body)

    @extend_schema(
        operation_id="memories_remember",
        request=serializers.RememberSerializer,
        responses={201: serializers.RememberedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Remember one thing; saying it again strengthens the same memory."""
        draft = serializers.draft(checked(serializers.RememberSerializer, request.data))
        outcome = remember(request.user, draft, now=timezone.now())
        return Response(rendering.remembered(outcome), status=201)


class BatchView(APIView):
    @extend_schema(
        operation_id="memories_batch",
        request=serializers.BatchRequestSerializer,
        responses=serializers.BatchAnswerSerializer,
    )
    def post(self, request: Request) -> Response:
        """Remember up to 1,000 things; each gets a status of its own."""
        items = checked(serializers.BatchSerializer, request.data)["items"]
        results: list[dict[str, Any]] = [{} for _ in items]
        drafts, places = [], []
        # One serializer for all: to make one costs more than to use it.
        one = serializers.RememberSerializer()
        for index, item in enumerate(items):
            try:
                drafts.append(serializers.draft(one.run_validation(item)))
                places.append(index)
            except ValidationError as error:
                results[index] = self._refused(request, index, error)
        outcomes = remember_many(request.user, drafts, now=timezone.now())
        for index, outcome in zip(places, outcomes, strict=True):
            results[index] = self._result(request, index, outcome)
        return Response({"results": results})

    def _result(self, request: Request, index: int, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, Refused):
            return self._refused(request, index, outcome.error)
        return {"index": index, "status": outcome.status, "id": outcome.id}

    def _refused(self, request: Request, index: int, error: Exception) -> dict[str, Any]:
        found = describe(error)
        if found is None:
            raise error
        status, code, detail, errors, title = found
        body = problem(status, code, detail, request.request_id, errors, title)
        return {"index": index, "status": "refused", "problem": body}


class MemoryView(APIView):
    @extend_schema(operation_id="memories_get", responses=serializers.MemorySerializer)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """One memory."""
        seen = get_memory(request.user, memory_id)
        return Response(rendering.seen(seen))

    @extend_schema(
        operation_id="memories_patch",
        request=serializers.PatchSerializer,
        responses=serializers.MemorySerializer,
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Correct a memory; who may read it changes only by sharing."""
        changes = checked(serializers.PatchSerializer, request.data)
        force = forced(changes)
        edit_memory(request.user, memory_id, changes, now=timezone.now(), force=force)
        return Response(rendering.memory(get_memory(request.user, memory_id).memory))

    @extend_schema(
        operation_id="memories_forget",
        parameters=[ForceSerializer],
        responses={204: OpenApiResponse(None)},
    )
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Forget a memory: out of every answer, restorable."""
        if "hard" in request.query_params:
            raise NotYet("hard", "Forget it; nothing erases for good so far.")
        given = {k: v for k, v in request.query_params.items() if k in ("force", "reason")}
        if given.get("force") in ("true", "false"):
            given["force"] = given["force"] == "true"
        force = forced(checked(ForceSerializer, given))
        forget_memory(request.user, memory_id, now=timezone.now(), force=force)
        return Response(status=204)


class RestoreView(APIView):
    @extend_schema(
        operation_id="memories_restore", request=None, responses=serializers.MemorySerializer
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Bring back what was forgotten or archived."""
        return Response(
            rendering.memory(restore_memory(request.user, memory_id, now=timezone.now()))
        )


class ArchiveView(APIView):
    @extend_schema(
        operation_id="memories_archive",
        request=ForceSerializer,
        responses=serializers.MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Take a memory out of default recall."""
        force = forced(checked(ForceSerializer, request.data))
        row = archive_memory(request.user, memory_id, now=timezone.now(), force=force)
        return Response(rendering.memory(row))


class ShareView(APIView):
    @extend_schema(
        operation_id="memories_share",
        request=serializers.ShareSerializer,
        responses=serializers.MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Change who may read a memory; recorded in the audit trail."""
        data = checked(serializers.ShareSerializer, request.data)
        row = share_memory(
            request.user,
            memory_id,
            visibility=data["visibility"],
            readers={k: tuple(v) for k, v in data.get("readers", {}).items()},
            group=data.get("group"),
            now=timezone.now(),
        )
        return Response(rendering.memory(get_memory(request.user, row.id).memory))


def query_of(data: dict[str, Any]) -> Query:
    """A validated recall as the service takes it."""
    fields = {k: v for k, v in data.items() if k != "profile"}
    ranges = tuple(fields.pop("timeframe", []))
    return Query(text=fields.pop("query"), ranges=ranges, **fields)


class RecallView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="recall",
        request=recall_serializers.RecallSerializer,
        responses=recall_serializers.RecallAnswerSerializer,
    )
    def post(self, request: Request) -> Response:
        """Ask; only what the asker may read comes back, best first."""
        query = query_of(checked(recall_serializers.RecallSerializer, request.data))
        answer = recall(request.user, query, now=timezone.now(), load=answer_rows)
        return Response(self._body(query, answer))

    def _body(self, query: Query, answer: Answer) -> dict[str, Any]:
        return {
            "recall_id": answer.recall_id,
            "results": [rendering.hit(h, m, explain=query.explain) for h, m in answer.hits],
            "query": query.text,
            "timeframe": [{"from": a, "to": b} for a, b in query.ranges] or None,
            "strategy": answer.strategy,
            "took_ms": round(answer.took_ms, 2),
        }


class StatsView(APIView):
    @extend_schema(operation_id="stats", responses=serializers.StatsSerializer)
    def get(self, request: Request) -> Response:
        """Figures over what the caller may read."""
        return Response(stats(request.user, now=timezone.now()))
