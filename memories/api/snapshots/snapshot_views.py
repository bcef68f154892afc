"""Snapshots over HTTP: read in pages, and restored."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.snapshots import serializers as s
from memories.snapshots.read_snapshot import load_page
from memories.snapshots.restore_snapshot import (
    LineResult,
    RestoreMode,
    count_outcomes,
    restore_snapshot,
)
from memories.snapshots.snapshot_format import parse_organisation_id
from orgs.api.base_view import APIView
from orgs.api.cursors import next_page_url, parse_cursor
from orgs.api.problems import build_problem, describe_exception
from orgs.api.serializers import query_values, validate_data


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
        given = validate_data(s.PageSerializer, query_values(request))
        limit, cursor = given.pop("limit"), given.pop("cursor", None)
        after = parse_cursor(request.user, cursor) if cursor else None
        snapshot, last = load_page(request.user, given, after, limit=limit, now=timezone.now())
        following_url = next_page_url(request, last.hex) if last else None
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
        given = validate_data(s.RestoreSerializer, request.data)
        snapshot = given["snapshot"]
        made_in = parse_organisation_id(snapshot["head"])
        results = restore_snapshot(
            request.user,
            made_in,
            snapshot["memories"],
            RestoreMode(given["mode"]),
            now=timezone.now(),
        )
        rows = [self._row(request, number, one) for number, one in enumerate(results)]
        return Response({"results": rows, "counts": count_outcomes(results)})

    def _row(self, request: Request, number: int, one: LineResult) -> dict[str, Any]:
        row: dict[str, Any] = {"index": number, "result": one.result}
        if one.memory is not None:
            row["memory"] = one.memory
        if one.error is not None:
            found = describe_exception(one.error)
            if found is None:
                raise one.error
            status, code, detail, errors, title = found
            row["problem"] = build_problem(status, code, detail, request.request_id, errors, title)
        return row
