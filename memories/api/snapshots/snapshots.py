"""Snapshots over HTTP: read in pages, and restored."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.snapshots import serializers as s
from memories.snapshots.form import organisation_of
from memories.snapshots.read import page
from memories.snapshots.restore import LineResult, Mode, counts, restore
from orgs.api.cursors import following, read
from orgs.api.problems import describe, problem
from orgs.api.serializers import checked


class SnapshotsView(APIView):
    @extend_schema(
        operation_id="snapshots_read",
        parameters=[s.PageSerializer],
        responses=s.SnapshotPageSerializer,
    )
    def get(self, request: Request) -> Response:
        """Read the active memories that the caller may read as a snapshot, the oldest first.

        Sensitive memories are left out, and for a person the notes of robots. A page ends earlier
        than `limit` when it has 16 MiB.
        """
        given = checked(s.PageSerializer, request.query_params.dict())
        limit, cursor = given.pop("limit"), given.pop("cursor", None)
        after = read(request.user, cursor) if cursor else None
        snapshot, last = page(request.user, given, after, limit=limit, now=timezone.now())
        following_url = following(request, last.hex) if last else None
        return Response({"snapshot": snapshot, "next": following_url})

    @extend_schema(
        operation_id="snapshots_restore",
        request=s.RestoreSerializer,
        responses=s.RestoredSerializer,
    )
    def post(self, request: Request) -> Response:
        """Restore up to 1,000 memories of a snapshot; each line has a result of its own.

        409 `other-organisation` for a snapshot of another organisation, 400 `bad-snapshot` for
        another format.
        """
        given = checked(s.RestoreSerializer, request.data)
        snapshot = given["snapshot"]
        made_in = organisation_of(snapshot["head"])
        results = restore(
            request.user, made_in, snapshot["memories"], Mode(given["mode"]), now=timezone.now()
        )
        rows = [self._row(request, number, one) for number, one in enumerate(results)]
        return Response({"results": rows, "counts": counts(results)})

    def _row(self, request: Request, number: int, one: LineResult) -> dict[str, Any]:
        row: dict[str, Any] = {"index": number, "result": one.result}
        if one.memory is not None:
            row["memory"] = one.memory
        if one.error is not None:
            found = describe(one.error)
            if found is None:
                raise one.error
            status, code, detail, errors, title = found
            row["problem"] = problem(status, code, detail, request.request_id, errors, title)
        return row
