"""Calls of SCIM by a key that manages."""

from typing import Any

import orjson
from django.utils import timezone
from rest_framework.test import APIClient

from robots.access.keys import create_key
from tests.world import Tenant

PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group"


def manage_key(tenant: Tenant, robot: str = "bolt", scopes: tuple[str, ...] = ("manage",)) -> str:
    """The text of a key with these scopes."""
    _, secret = create_key(
        organisation_id=tenant.id,
        robot_id=tenant.robots[robot].id,
        now=timezone.now(),
        scopes=list(scopes),
        created_by_id=tenant.members["ada"].id,
    )
    return secret


def call(secret: str, said: str, body: Any = None, **query: str) -> tuple[int, Any]:
    """(status, body) of a call such as `PATCH /Users/1`."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    method, _, path = said.partition(" ")
    content = b"" if body is None else orjson.dumps(body)
    answer = client.generic(
        method, f"/scim/v2{path}", content, "application/scim+json", query_params=query
    )
    return answer.status_code, orjson.loads(answer.content) if answer.content else None


def user(address: str, **more: Any) -> dict[str, Any]:
    return {"schemas": [USER_SCHEMA], "userName": address, **more}


def group(name: str, *members: str) -> dict[str, Any]:
    return {
        "schemas": [GROUP_SCHEMA],
        "displayName": name,
        "members": [{"value": id_} for id_ in members],
    }


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"schemas": [PATCH_SCHEMA], "Operations": list(operations)}
