"""Documents over HTTP; one service call a view."""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documents import serializers as s
from memories.api.jobs import LOCATION, PREFER, accept_job
from memories.api.serializers.jobs import JobSerializer
from memories.curation.documents.document_list import (
    forget_document,
    get_document,
    list_documents,
)
from memories.curation.documents.import_document import enqueue_document, load_document
from memories.curation.documents.plan_document import DocumentRequest, plan_document
from orgs.api.base_view import APIView
from orgs.api.form_data import FormParser, form_values
from orgs.api.serializers import validate_data

# A document is read while the caller waits.
UPLOAD_WEIGHT = 10


class DocumentsView(APIView):
    parser_classes: ClassVar[tuple[Any, ...]] = (FormParser,)

    @staticmethod
    def weight(body: Mapping[str, Any]) -> int:
        """Reading a document takes a process of its own."""
        return UPLOAD_WEIGHT

    @extend_schema(operation_id="documents_list", responses=s.DocumentListSerializer)
    def get(self, request: Request) -> Response:
        """List the documents of which the caller reads a part."""
        return Response(s.DocumentListSerializer.render(list_documents(request.user)))

    @extend_schema(
        operation_id="documents_create",
        parameters=[PREFER, LOCATION],
        request={"multipart/form-data": s.DocumentUploadSerializer},
        responses={200: s.DocumentPlanSerializer, 202: JobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Import a document: each page or heading becomes memories of the same readers. A job does
        it. With `dry_run` the answer is what it would bring (200), and nothing is written.

        The same document for the same readers again replaces it: parts with the same words stay,
        changed ones are edited, and those that are gone are forgotten. Other readers get a document
        of their own. Who may not publish to them proposes each part.
        """
        given = validate_data(s.DocumentUploadSerializer, form_values(request))
        file, now = given["file"], timezone.now()
        found = load_document(request.user, file, file.size, name=file.name, format=given["format"])
        asked = DocumentRequest(
            given["key"], given.get("visibility", ""), given.get("group"), given.get("member")
        )
        if given["dry_run"]:
            plan = plan_document(request.user, found, asked, now=now)
            return Response(s.DocumentPlanSerializer.render(plan))
        return accept_job(request, enqueue_document(request.user, found, asked, now=now))


class DocumentView(APIView):
    @extend_schema(operation_id="documents_get", responses=s.DocumentDetailSerializer)
    def get(self, request: Request, document_id: UUID) -> Response:
        """Get a document and its parts, as far as the caller reads them."""
        return Response(s.DocumentDetailSerializer.render(get_document(request.user, document_id)))

    @extend_schema(operation_id="documents_forget", responses={200: s.ForgottenDocumentSerializer})
    def delete(self, request: Request, document_id: UUID) -> Response:
        """Forget all parts of a document that the caller may forget. Importing it again brings them
        back."""
        done = forget_document(request.user, document_id, now=timezone.now())
        return Response(s.ForgottenDocumentSerializer.render(done))
