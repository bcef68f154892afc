"""Memories over HTTP: one service call a view."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.erasure.erasure_views import receipt_url
from memories.api.erasure.serializers import ErasedSerializer, ForgetQuerySerializer
from memories.api.proposals import change_waits
from memories.api.serializers import memories, memory_filters
from memories.api.serializers.force_fields import ForceSerializer, pop_force_reason
from memories.api.serializers.proposals import ChangeWaitsSerializer
from memories.browsing.memory_queries import filter_memories, get_memory, list_facets
from memories.curation.edit_memory import edit_memory
from memories.curation.replace_by_key import remember_or_replace
from memories.curation.share_memory import share_memory
from memories.ingestion.drafts import DraftRefusal, RememberOutcome
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.erase_memory import erase_memory
from memories.review.models import Proposal
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.problems import refused_item
from orgs.api.serializers import query_values, validate_data
from orgs.limits.rate_limits import weigh_items
from orgs.principals import resolve_principal


class MemoriesView(APIView):
    within_groups = ("GET", "POST")

    @extend_schema(
        operation_id="memories_list",
        parameters=[memory_filters.MemoryFiltersSerializer, memory_filters.METADATA_PARAMETER],
        responses=memories.MemorySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the memories that the caller may read, newest first."""
        values, metadata = memory_filters.split_metadata(query_values(request))
        filters = validate_data(memory_filters.MemoryFiltersSerializer, values)
        filters["metadata"] = metadata
        principal = resolve_principal(request.user)
        with principal.scope():
            body = paginate(
                request,
                filter_memories(principal, filters, timezone.now()),
                limit=filters["limit"],
                cursor=filters.get("cursor"),
                render=memories.MemorySerializer.render,
            )
        return Response(body)

    @extend_schema(
        operation_id="memories_remember",
        request=memories.RememberSerializer,
        responses={200: memories.RememberedSerializer, 201: memories.RememberedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Remember one text.

        The same text for the same readers is the same memory: `remember_count` grows, and the
        answer is 201 as well. A text that a gate holds back waits for a review (`status`). 200 if
        it replaced the memory of its key (`on_conflict`). 400 if `valid_until` lies before
        `valid_from`, 404 for a memory in `supersedes` that the caller does not read.
        """
        data = validate_data(memories.RememberSerializer, request.data)
        draft, replacement = memories.build_draft(data), memories.build_replacement(data)
        (outcome,) = remember_or_replace(request.user, [draft], [replacement], now=timezone.now())
        if isinstance(outcome, DraftRefusal):
            raise outcome.error
        return Response(
            memories.RememberedSerializer.render(outcome), status=200 if outcome.replaced else 201
        )


class FacetsView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="memories_facets",
        parameters=[memory_filters.FacetFiltersSerializer, memory_filters.METADATA_PARAMETER],
        responses=memory_filters.FacetsSerializer,
    )
    def get(self, request: Request) -> Response:
        """What the memories that match name most: keywords, people, entities, topics, levels, types
        and categories. Only memories that the caller may read are counted."""
        values, metadata = memory_filters.split_metadata(query_values(request))
        filters = validate_data(memory_filters.FacetFiltersSerializer, values)
        filters["metadata"] = metadata
        found = list_facets(request.user, filters, now=timezone.now())
        return Response(memory_filters.FacetsSerializer.render(found, **dict(found.by_facet)))


class BatchView(APIView):
    within_groups = ("POST",)
    weight = staticmethod(weigh_items)

    @extend_schema(
        operation_id="memories_batch",
        request=memories.BatchRequestSerializer,
        responses=memories.BatchAnswerSerializer,
    )
    def post(self, request: Request) -> Response:
        """Remember up to 1,000 texts.

        Each item has a result of its own; a refused one stops no other.
        """
        items = validate_data(memories.BatchSerializer, request.data)["items"]
        results: list[dict[str, Any]] = [{} for _ in items]
        drafts, replacements, places = [], [], []
        # One serializer for all items: making one costs more than using it.
        one = memories.RememberSerializer()
        for index, item in enumerate(items):
            try:
                data = one.run_validation(item)
                drafts.append(memories.build_draft(data))
                replacements.append(memories.build_replacement(data))
                places.append(index)
            except ValidationError as error:
                results[index] = refused_item(request, index, error)
        outcomes = remember_or_replace(request.user, drafts, replacements, now=timezone.now())
        for index, outcome in zip(places, outcomes, strict=True):
            results[index] = self._result(request, index, outcome)
        return Response({"results": results})

    def _result(self, request: Request, index: int, outcome: RememberOutcome) -> dict[str, Any]:
        if isinstance(outcome, DraftRefusal):
            return refused_item(request, index, outcome.error)
        more = {
            "deduplicated": outcome.deduplicated,
            "replaced": outcome.replaced,
            "superseded": list(outcome.superseded),
            "proposals": list(outcome.waiting),
        }
        told = {name: value for name, value in more.items() if value}
        return {"index": index, "status": outcome.status, "id": outcome.id, **told}


class MemoryView(APIView):
    within_groups = ("GET", "PATCH", "DELETE")
    own_rights = ("DELETE",)

    @extend_schema(operation_id="memories_get", responses=memories.MemorySerializer)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """One memory, with the state of its embedding and its restatement."""
        seen = get_memory(request.user, memory_id)
        return Response(memories.render_memory_details(seen))

    @extend_schema(
        operation_id="memories_patch",
        request=memories.PatchSerializer,
        responses={200: memories.MemorySerializer, 202: ChangeWaitsSerializer},
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Change a memory; fields that are left out stay. Readers change only by sharing.

        A member who may only propose to its readers proposes the change: the answer is 202 with the
        item of the review queue, and the memory stays as it is until somebody decides. So is what
        anybody else who reads it says about `valid_from`, `valid_until` and `supersedes`.

        400 if `valid_until` lies before `valid_from`, or a circle of `supersedes` would arise.

        409 `red-line` if text, importance, `expires_at` or `sensitive` of a protected memory would
        change, 409 `held-back` for what a gate does not let reach the readers, 409 `conflict`
        if these readers have another memory with the new text.
        """
        changes = validate_data(memories.PatchSerializer, request.data)
        force = pop_force_reason(changes)
        edited = edit_memory(request.user, memory_id, changes, now=timezone.now(), force=force)
        if isinstance(edited, Proposal):
            return change_waits(edited)
        return Response(
            memories.MemorySerializer.render(get_memory(request.user, memory_id).memory)
        )

    @extend_schema(
        operation_id="memories_forget",
        parameters=[ForgetQuerySerializer],
        responses={204: OpenApiResponse(None), 200: ErasedSerializer},
    )
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Forget a memory (204), or with `hard` erase it for good (200).

        A forgotten memory is in no answer and can be restored. Nothing restores an erased one.
        """
        given = {
            name: value == "true" if value in ("true", "false") else value
            for name, value in query_values(request).items()
        }
        asked = validate_data(ForgetQuerySerializer, given)
        hard, confirm, force = asked.pop("hard"), asked.pop("confirm", ""), pop_force_reason(asked)
        if not hard:
            forget_memory(request.user, memory_id, now=timezone.now(), force=force)
            return Response(status=204)
        erased = erase_memory(
            request.user, memory_id, confirm=confirm, now=timezone.now(), force=force
        )
        receipt = receipt_url(request, erased.erasure)
        return Response(ErasedSerializer.render(erased, receipt=receipt))


class RestoreView(APIView):
    within_groups = ("POST",)
    own_rights = ("POST",)

    @extend_schema(
        operation_id="memories_restore", request=None, responses=memories.MemorySerializer
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Restore a forgotten or archived memory; 409 for any other.

        A memory that was forgotten by the member whom it is about, or whose words it gives, is
        restored by that member alone.
        """
        return Response(
            memories.MemorySerializer.render(
                restore_memory(request.user, memory_id, now=timezone.now())
            )
        )


class ArchiveView(APIView):
    within_groups = ("POST",)

    @extend_schema(
        operation_id="memories_archive",
        request=ForceSerializer,
        responses=memories.MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Archive a memory: no recall finds it until it is restored. 409 if it is not active."""
        force = pop_force_reason(validate_data(ForceSerializer, request.data))
        row = archive_memory(request.user, memory_id, now=timezone.now(), force=force)
        return Response(memories.MemorySerializer.render(row))


class ShareView(APIView):
    @extend_schema(
        operation_id="memories_share",
        request=memories.ShareSerializer,
        responses=memories.MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Change who may read a memory; the change is recorded in the audit trail.

        409 `held-back` for words that a gate does not let reach the new readers, 409 `conflict` if
        these readers have a memory with this text or key already.
        """
        data = validate_data(memories.ShareSerializer, request.data)
        row = share_memory(
            request.user,
            memory_id,
            visibility=data["visibility"],
            readers={k: tuple(v) for k, v in data.get("readers", {}).items()},
            group=data.get("group"),
            now=timezone.now(),
        )
        return Response(memories.MemorySerializer.render(get_memory(request.user, row.id).memory))
