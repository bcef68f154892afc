"""Jobs over HTTP: what takes longer than a call, and how far it is; one service call a view."""

from typing import Any
from uuid import UUID

from django.http import FileResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers import jobs as s
from memories.browsing import job_pages
from memories.curation.bulk_change import undo_bulk_change
from memories.jobs.job_waits import MAX_WAIT_SECONDS, JobWait, parse_wait
from memories.jobs.models import Job
from memories.snapshots.export_job import enqueue_export, get_file
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.principals import Actor, resolve_principal

PREFER = OpenApiParameter(
    "Prefer",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=f"`wait=10` waits so many seconds for the end of the job, at most "
    f"{MAX_WAIT_SECONDS}, and answers it; `Preference-Applied` says that it was done.",
)
LOCATION = OpenApiParameter(
    "Location",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Where the job is.",
    response=[202],
)


def accept_job(request: Request, job: Job) -> Response:
    """The answer to a call whose work a job does: 202 and where the job is; 200 if it is over."""
    response = answer_job(request, job, status=200 if job.is_over else 202)
    response["Location"] = reverse("job-api", args=[job.id])
    return response


def answer_job(request: Request, job: Job, *, status: int = 200) -> Response:
    """A job. If the caller prefers to wait for its end, the web process does so."""
    response = Response(s.JobSerializer.render(job), status=status)
    if wait := parse_wait(request.headers.get("Prefer", "")):
        if job.is_over:
            response["Preference-Applied"] = f"wait={wait}"
        else:
            response.waits_for = _job_wait(request.user, job, wait)  # type: ignore[attr-defined]
    return response


def _job_wait(actor: Actor, job: Job, seconds: int) -> JobWait:
    caller = f"{actor.organisation_id}:{actor.robot_id or actor.member_id}"
    address = reverse("job-api", args=[job.id])
    return JobWait(job.organisation_id, job.audience_id, job.id, caller, address, seconds)


class JobsView(APIView):
    @extend_schema(
        operation_id="jobs_list",
        parameters=[s.JobFiltersSerializer],
        responses=s.JobSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the caller's own jobs, newest first; for curators and admins also the
        organisation's.

        A robot has what it asked for by any of its keys, but for calls that act for a member.
        """
        filters = validate_data(s.JobFiltersSerializer, query_values(request))
        principal = resolve_principal(request.user)
        with principal.scope():
            found = paginate(
                request,
                job_pages.filter_jobs(job_pages.visible_jobs(principal.actor), filters),
                limit=filters["limit"],
                cursor=filters.get("cursor"),
                render=s.JobSerializer.render,
            )
        return Response(found)


class JobView(APIView):
    @extend_schema(operation_id="jobs_get", parameters=[PREFER], responses=s.JobSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        """One job of the list."""
        return answer_job(request, job_pages.get_job(request.user, job_id))

    @extend_schema(operation_id="jobs_drop", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, job_id: UUID) -> Response:
        """Drop a job that stopped for good (`dead`); what it did stays. 409 for any other, and for
        an erasure, which is not given up."""
        job_pages.drop_failed_job(request.user, job_id)
        return Response(status=204)


class JobFileView(APIView):
    @extend_schema(
        operation_id="jobs_file", responses={(200, "application/jsonl"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, job_id: UUID) -> FileResponse:
        """The file of the caller's own export, a snapshot in JSON lines. 404 before it is done; 410
        `file-gone` after it was deleted, seven days later."""
        path = get_file(request.user, job_id, now=timezone.now())
        return FileResponse(
            path.open("rb"),
            as_attachment=True,
            filename="memories.jsonl",
            content_type="application/jsonl",
        )


class JobCancelView(APIView):
    @extend_schema(operation_id="jobs_cancel", request=None, responses=s.JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Cancel a job: at once if it waits, before its next step if it runs.

        Finished steps stay. Only an admin cancels an erasure. 409 if the job is over.
        """
        return Response(s.JobSerializer.render(job_pages.cancel_visible_job(request.user, job_id)))


class JobResumeView(APIView):
    @extend_schema(operation_id="jobs_resume", request=None, responses=s.JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Resume a cancelled job where it stopped; 409 for any other job."""
        return Response(
            s.JobSerializer.render(job_pages.resume_cancelled_job(request.user, job_id))
        )


class JobRetryView(APIView):
    @extend_schema(operation_id="jobs_retry", request=None, responses=s.JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Try a job that stopped for good (`dead`) again, where it stopped; 409 for any other.

        A robot's job then runs by the key of this call.
        """
        return Response(s.JobSerializer.render(job_pages.retry_failed_job(request.user, job_id)))


class JobUndoView(APIView):
    @extend_schema(
        operation_id="jobs_undo",
        parameters=[PREFER, LOCATION],
        request=None,
        responses={200: s.JobSerializer, 202: s.JobSerializer},
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        """Take a finished change of many memories back, memory by memory; once.

        A few are taken back at once (200), more by a job (202). What somebody changed since, or the
        caller may not change any more, stays: `problems` counts it, `first_problems` says why. 409
        for any other job.
        """
        undone = undo_bulk_change(request.user, job_id, now=timezone.now())
        return accept_job(request, undone.job)


class ExportsView(APIView):
    scopes: dict[str, str] = {"POST": "read"}

    @extend_schema(
        operation_id="exports_create",
        parameters=[PREFER, LOCATION],
        request=s.ExportSerializer,
        responses={200: s.JobSerializer, 202: s.JobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Have a snapshot made of what the caller may read, as a file; a job does it.

        The same export that waits or runs already is answered again; 409 while another one of the
        caller's does. Their last five stay. 403 for a robot that acts for a member.
        """
        validate_data(s.ExportSerializer, request.data)
        given: dict[str, Any] = dict(request.data)
        return accept_job(request, enqueue_export(request.user, given, now=timezone.now()))


class ConsolidationsView(APIView):
    @extend_schema(
        operation_id="consolidations_create",
        parameters=[PREFER, LOCATION],
        request=None,
        responses={200: s.JobSerializer, 202: s.JobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Consolidate now instead of at night; a job does it. For curators and admins.

        One that was asked for by hand and waits or runs already is answered again.
        """
        job = job_pages.enqueue_consolidation(request.user, now=timezone.now())
        return accept_job(request, job)
