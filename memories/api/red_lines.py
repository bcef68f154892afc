"""Red lines over HTTP."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.force_fields import ReasonSerializer
from memories.api.serializers.memories import MemorySerializer
from memories.api.serializers.proposals import ProposalSerializer
from memories.browsing.memory_queries import get_memory
from memories.review.models import Proposal
from memories.review.protect import protect_memory, unprotect_memory
from orgs.api.base_view import APIView
from orgs.api.serializers import validate_data


class RedLineView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="memories_protect",
        request=ReasonSerializer,
        responses={200: MemorySerializer, 202: ProposalSerializer},
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Protect a memory: it is not forgotten, archived, reworded or shared, and does not expire.

        Curators and admins decide that, and the member whom it is about if they may write for its
        readers. For any other reader the protection is proposed: the answer is 202 with the item of
        the review queue. The member whom it is about, or whose words it gives, can forget it all
        the same.
        """
        reason = validate_data(ReasonSerializer, request.data)["reason"]
        made = protect_memory(request.user, memory_id, reason=reason, now=timezone.now())
        if isinstance(made, Proposal):
            return Response(ProposalSerializer.render(made), status=202)
        return Response(MemorySerializer.render(get_memory(request.user, memory_id).memory))


class LiftView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="memories_unprotect",
        request=ReasonSerializer,
        responses={200: MemorySerializer, 202: ProposalSerializer},
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Remove the protection, with a reason; for curators, admins and the member whom it is
        about. If that member may not write for its readers, it is proposed: 202 with the item of
        the review queue.

        409 if the memory is not protected.
        """
        reason = validate_data(ReasonSerializer, request.data)["reason"]
        made = unprotect_memory(request.user, memory_id, reason=reason, now=timezone.now())
        if isinstance(made, Proposal):
            return Response(ProposalSerializer.render(made), status=202)
        return Response(MemorySerializer.render(get_memory(request.user, memory_id).memory))
