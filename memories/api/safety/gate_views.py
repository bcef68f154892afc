"""The gates over HTTP: would a text pass, and the names that they know."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.access.visibility import VISIBILITY_NAMES
from memories.api.serializers.memories import (
    check_content,
    content_field,
    on_personal_data_field,
)
from memories.ingestion.draft_gates import preview_gate
from memories.ingestion.drafts import Draft
from memories.safety.check_text import GateAction
from memories.safety.models import TermType
from memories.safety.names.known_names import (
    MAX_TERM_CHARACTERS,
    add_term,
    list_terms,
    remove_term,
)
from memories.safety.plain_text import LONGEST_ASKED
from memories.safety.required_checks import InjectionType, PersonalDataType
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)

FINDING_TYPES = [one.value for one in (*PersonalDataType, *InjectionType)]


class GateRequestSerializer(StrictSerializer):
    text = content_field(max_length=LONGEST_ASKED, help_text="The text to check.")
    visibility = TextField(
        max_length=200, required=False, help_text=f"One of {', '.join(VISIBILITY_NAMES)}."
    )
    group = TextField(max_length=300, required=False, help_text="As for a memory.")
    member = TextField(max_length=400, required=False, help_text="As for a memory.")
    persona = TextField(
        max_length=300,
        required=False,
        help_text="The handle of a persona: check the text for its shared block. The visibility "
        "then does not count.",
    )
    on_personal_data = on_personal_data_field()

    def validate_text(self, value: str) -> str:
        return check_content(value)


class FindingSerializer(AnswerSerializer):
    kind = ChoiceField(FINDING_TYPES)
    start = serializers.IntegerField(help_text="The first character, counted from 0.")
    end = serializers.IntegerField(help_text="The place after the last character.")


class GateAnswerSerializer(AnswerSerializer):
    """The verdict of the gates.

    pass: the text would be stored as it is. sanitise: it would be stored with the findings
    replaced. review: it would wait for a decision; without a finding because of a name that the
    caller may not know, or a check that failed.
    """

    action = ChoiceField([one.value for one in GateAction])
    findings = FindingSerializer(many=True)


class TermRequestSerializer(StrictSerializer):
    kind = ChoiceField(TermType.choices)
    term = TextField(
        max_length=MAX_TERM_CHARACTERS,
        help_text="2 to 200 characters with at least one letter or digit.",
    )


class TermFiltersSerializer(StrictSerializer):
    """Query parameters."""

    kind = ChoiceField(TermType.choices, required=False)


class TermSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    kind = ChoiceField(TermType.choices)
    term = serializers.CharField()
    added_at = serializers.DateTimeField()


class TermListSerializer(serializers.Serializer[Any]):
    results = TermSerializer(many=True)


class GateView(APIView):
    only_answers = ("POST",)

    @extend_schema(
        operation_id="gate_ask", request=GateRequestSerializer, responses=GateAnswerSerializer
    )
    def post(self, request: Request) -> Response:
        """Check whether a text would pass the gates for its readers. The text is not stored."""
        data = validate_data(GateRequestSerializer, request.data)
        draft = Draft(
            content=data["text"],
            sanitise=data.get("on_personal_data") == "sanitise",
            **{name: data[name] for name in ("visibility", "group", "member") if name in data},
        )
        found = preview_gate(request.user, draft, persona=data.get("persona"), now=timezone.now())
        return Response(GateAnswerSerializer.render(found))


class TermsView(APIView):
    @extend_schema(
        operation_id="gate_terms_list",
        parameters=[TermFiltersSerializer],
        responses=TermListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the names of clients, brands and companies that the gates know; for curators and
        admins."""
        asked = validate_data(TermFiltersSerializer, query_values(request))
        rows = list_terms(request.user, asked.get("kind"))
        return Response({"results": [TermSerializer.render(row) for row in rows]})

    @extend_schema(
        operation_id="gate_terms_add",
        request=TermRequestSerializer,
        responses={201: TermSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add a name to the list of the gates; for curators and admins.

        Existing texts are not checked again. 409 if the list has the name or is full (5,000 names).
        """
        data = validate_data(TermRequestSerializer, request.data)
        return Response(
            TermSerializer.render(add_term(request.user, now=timezone.now(), **data)), status=201
        )


class TermView(APIView):
    @extend_schema(operation_id="gate_terms_remove", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, term_id: UUID) -> Response:
        """Remove a name from the list; for curators and admins."""
        remove_term(request.user, term_id, now=timezone.now())
        return Response(status=204)
