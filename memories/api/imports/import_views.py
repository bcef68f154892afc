"""Imports of files over HTTP: planned, or done by a job."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.imports import serializers as s
from memories.api.jobs import LOCATION, PREFER, accept_job
from memories.api.serializers.jobs import JobSerializer
from memories.ingestion.file_import.import_job import (
    check_may_import,
    enqueue_import,
    get_reading_group,
)
from memories.ingestion.file_import.plan_import import plan_upload
from orgs.api.base_view import APIView
from orgs.api.form_data import FormParser, form_values
from orgs.api.serializers import validate_data

DRY_RUN_WEIGHT = 10


class ImportsView(APIView):
    scopes: dict[str, str] = {"POST": "manage"}
    parser_classes: ClassVar[tuple[Any, ...]] = (FormParser,)

    @staticmethod
    def weight(body: Mapping[str, Any]) -> int:
        """A dry run reads and parses the beginning of the file at once."""
        return DRY_RUN_WEIGHT if body.get("dry_run") == "true" else 1

    @extend_schema(
        operation_id="imports_create",
        parameters=[PREFER, LOCATION],
        request={"multipart/form-data": s.ImportSerializer},
        responses={200: s.ImportPlanSerializer, 202: JobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Import a file of conversations; a job does it. For admins, and for robots by a key with
        `manage` and `write`.

        With `dry_run` the answer is what the file would bring (200), and nothing is written. With
        `Prefer: wait` a job that is over by then is answered with 200 as well. Importing the same
        file again adds nothing. 403 for a personal robot.
        """
        check_may_import(request.user)
        given = validate_data(s.ImportSerializer, form_values(request))
        file = given["file"]
        chosen = {
            "size": file.size,
            "by_group": given["speaker_scope"] == "group",
            "everyone": given["readers"] == "organisation",
            "group_id": get_reading_group(request.user, given["group"]).id
            if "group" in given
            else None,
            "now": timezone.now(),
        }
        options = {
            "format": given["format"],
            "time_zone": given["time_zone"] or None,
            "columns": given["columns"],
        }
        if given["dry_run"]:
            plan = plan_upload(request.user, file, options=options, **chosen)
            return Response(s.ImportPlanSerializer.render(plan))
        keep = given["join_groups"]
        job = enqueue_import(request.user, file, name=file.name, keep=keep, **chosen, **options)
        return accept_job(request, job)
