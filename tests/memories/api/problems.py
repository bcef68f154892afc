"""What a refusal looks like."""

import json
from typing import Any

from rest_framework.test import APIClient

MEMORIES, BATCH, RECALL = "/api/v1/memories", "/api/v1/memories/batch", "/api/v1/recall"


def assert_problem(
    response: Any, status: int = 400, field: str | None = None, case: object = ""
) -> dict[str, Any]:
    """The body of a problem, checked for its shape."""
    body = response.json()
    assert response.status_code == status, (case, body)
    assert response["Content-Type"] == "application/problem+json"
    members = {"type", "title", "status", "detail", "errors", "request_id"}
    assert set(body) - ({"existing"} if status == 409 else set()) == members
    assert body["status"] == status
    assert body["type"].startswith("urn:commonmind:problem:")
    assert body["detail"], case
    if field is not None:
        assert field in [error["field"].split(".")[0] for error in body["errors"]], (case, body)
    return body


def are_equal_problems(bodies: list[dict[str, Any]]) -> bool:
    """Whether problems are equal but for the request that they answer."""
    return len({json.dumps({**body, "request_id": ""}, sort_keys=True) for body in bodies}) == 1


def post_raw(api: APIClient, path: str, body: bytes | str) -> Any:
    """Post a body as it is."""
    return api.post(path, body, content_type="application/json")
