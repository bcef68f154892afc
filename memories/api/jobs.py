"""Jobs over HTTP: one service call a view. A robot has none."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers import jobs as s
from memories.browsing import job_pages
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.principals import resolve_principal


class JobsView(APIView):
    @extend_schema(
        operation_id="jobs_list",
        parameters=[s.JobFiltersSerializer],
        responses=s.JobSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the caller's own jobs, newest first; for curators and admins also the
        organisation's.

        A robot has no jobs, so its list is empty.
        """
        filters = validate_data(s.JobFiltersSerializer, query_values(request))
        principal = resolve_principal(request.user)
        with principal.scope():
            found = paginate(
                request,
                job_pages.visible_jobs(principal.actor),
                limit=filters["limit"],
                cursor=filters.get("cursor"),
                render=s.JobSerializer.render,
            )
        return Response(found)


class JobView(APIView):
    @extend_schema(operation_id="jobs_get", responses=s.JobSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        """One job of the list."""
        return Response(s.JobSerializer.render(job_pages.get_job(request.user, job_id)))


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
