"""Personas, and who has them, over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import query_values, validate_data
from orgs.database.rls import organisation_scope
from personas.api import serializers as s
from personas.associations import association_changes
from personas.models.personas import Association, Persona
from personas.registry import personas
from robots.access.personal_robot_actor import resolve_owner_actor


def serialize_persona(row: Persona) -> dict[str, Any]:
    names = ("handle", "industry", "role", "description", "kpis", "motivations", "queries")
    return {name: getattr(row, name) for name in names} | {"members": getattr(row, "members", 0)}


def serialize_association(row: Association) -> dict[str, Any]:
    return {
        "id": row.id,
        "member": row.member_id,
        "handle": row.persona.handle,
        "confidence": row.confidence,
        "confirmed": row.confirmed_at is not None,
        "discovered_at": row.discovered_at,
        "last_confirmed": row.last_confirmed_at,
    }


class PersonasView(APIView):
    @extend_schema(operation_id="personas_list", responses=s.PersonaListSerializer)
    def get(self, request: Request) -> Response:
        """List all personas of the organisation, by handle, without pages."""
        tenant = request.user.organisation_id
        with organisation_scope(tenant):
            rows = [
                serialize_persona(one)
                for one in personas.personas_with_counts(tenant).order_by("handle")
            ]
        return Response({"results": rows})


class PersonaView(APIView):
    scopes = {"PUT": "manage", "DELETE": "manage"}

    @extend_schema(operation_id="personas_get", responses=s.PersonaSerializer)
    def get(self, request: Request, handle: str) -> Response:
        """One persona, by handle."""
        return Response(serialize_persona(personas.get_persona_with_counts(request.user, handle)))

    @extend_schema(
        operation_id="personas_put",
        request=s.PersonaFieldsSerializer,
        responses={200: s.PersonaSerializer, 201: s.PersonaSerializer},
    )
    def put(self, request: Request, handle: str) -> Response:
        """Create a persona with its block (201), or change its description (200); for admins and
        curators."""
        data = validate_data(s.PersonaFieldsSerializer, request.data)
        row, made = personas.create_or_update_persona(
            request.user, handle, data, now=timezone.now()
        )
        return Response(serialize_persona(row), status=201 if made else 200)

    @extend_schema(operation_id="personas_delete", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, handle: str) -> Response:
        """Remove a persona with its associations and its block; for admins and curators.

        409 while memories are stored for it that are not forgotten.
        """
        personas.delete_persona(request.user, handle, now=timezone.now())
        return Response(status=204)


class AssociationsView(APIView):
    @extend_schema(
        operation_id="associations_list",
        parameters=[s.AssociationQuerySerializer],
        responses=s.AssociationListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List which member has which persona, by handle, without pages.

        A member sees their own, a robot those of the member for whom it acts, curators and admins
        all.
        """
        asked = validate_data(s.AssociationQuerySerializer, query_values(request))
        actor = resolve_owner_actor(request.user, asked.get("member"))
        with organisation_scope(actor.organisation_id):
            rows = association_changes.visible_associations(actor).order_by(
                "persona__handle", "member_id"
            )
            return Response({"results": [serialize_association(row) for row in rows]})

    @extend_schema(
        operation_id="associations_create",
        request=s.AssociationRequestSerializer,
        responses={200: s.AssociationSerializer, 201: s.AssociationSerializer},
    )
    def post(self, request: Request) -> Response:
        """Say that a member has a persona (201); a new handle creates the persona.

        It counts at once if the member, their personal robot, a curator or an admin says it. What
        another robot says waits for one of them. The same call again is the same association (200).
        """
        data = validate_data(s.AssociationRequestSerializer, request.data)
        done = association_changes.ensure_association(
            request.user,
            member=data.get("member"),
            handle=data["handle"],
            confidence=data.get("confidence"),
            now=timezone.now(),
        )
        return Response(serialize_association(done.association), status=201 if done.new else 200)


class AssociationView(APIView):
    own_rights = ("DELETE",)

    @extend_schema(operation_id="associations_delete", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, association_id: UUID) -> Response:
        """Remove an association; the member and their robot read nothing of the persona from now
        on.

        For the member, their personal robot, curators and admins.
        """
        association_changes.delete_association(
            resolve_owner_actor(request.user), association_id, now=timezone.now()
        )
        return Response(status=204)


class AssociationConfirmView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="associations_confirm", request=None, responses=s.AssociationSerializer
    )
    def post(self, request: Request, association_id: UUID) -> Response:
        """Confirm an association that a robot made; for the member, curators and admins."""
        row = association_changes.confirm_association(
            request.user, association_id, now=timezone.now()
        )
        return Response(serialize_association(row))
