"""Blocks over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.conditional import Resource
from orgs.api.serializers import NamedSerializer, query_values, validate_data
from orgs.principals import Actor
from personas.api import serializers as s
from personas.block_writes import block_updates
from personas.block_writes.block_updates import WriteOptions, WriteResult
from personas.blocks import block_views
from personas.blocks.block_views import BlockView
from personas.blocks.entries import BlockEntry
from personas.blocks.layers import LAYER_RULES
from personas.blocks.version_list import list_block_versions
from personas.models.blocks import Layer
from robots.access.personal_robot_actor import resolve_owner_actor

_LOCK_BLOCK = (
    "SELECT 1 FROM personas_block WHERE organisation_id = %(organisation)s AND id = %(id)s "
    "FOR UPDATE"
)
# What has an ETag, by the name of its id in addresses.
BLOCK_RESOURCE = {
    "block_id": Resource(
        fields=("text", "version"),
        locks=(_LOCK_BLOCK,),
    )
}


def serialize_entry(entry: BlockEntry, *, dated: bool = True) -> dict[str, Any]:
    names = ("id", "text", "source", "robot", "learned_at", "confirmed_at")
    body = {name: getattr(entry, name) for name in names}
    return body if dated else body | {"learned_at": None, "confirmed_at": None}


def serialize_block(shown: BlockView) -> dict[str, Any]:
    rules = LAYER_RULES[Layer(shown.block.layer)]
    return {
        "id": shown.block.id,
        "label": shown.label,
        "layer": shown.block.layer,
        "persona": shown.handle or None,
        "robot": NamedSerializer.render(shown.block.robot),
        "description": shown.description,
        "belongs": rules.belongs,
        "never": rules.never,
        "examples": list(rules.examples),
        "write_when": rules.write_when,
        "limit": shown.limit,
        "text": shown.text,
        "version": shown.version,
        "entries": [serialize_entry(one, dated=not shown.few_teachers) for one in shown.entries],
        "few_teachers": shown.few_teachers,
        "left_out": shown.left_out,
        "attached": shown.attached,
    }


def _resolve_actor(request: Request) -> tuple[Actor, dict[str, Any]]:
    asked = validate_data(s.AssociationQuerySerializer, query_values(request))
    return resolve_owner_actor(request.user, asked.get("member")), asked


def _write_options(data: dict[str, Any]) -> WriteOptions:
    return WriteOptions(
        on_overflow=data["on_overflow"],
        on_personal_data=data["on_personal_data"],
        source=data.get("source", {}),
    )


class BlocksView(APIView):
    @extend_schema(
        operation_id="blocks_list",
        parameters=[s.AssociationQuerySerializer],
        responses=s.BlockListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the blocks that the caller reads, without pages.

        These are agent_persona, global_experience, the two of the member, and those of the
        member's personas; for curators and admins those of all personas.
        """
        actor, _ = _resolve_actor(request)
        found = block_views.list_blocks(actor, now=timezone.now())
        return Response({"results": [serialize_block(one) for one in found]})


class BlockDetailView(APIView):
    @extend_schema(
        operation_id="blocks_get",
        parameters=[s.AssociationQuerySerializer],
        responses=s.BlockSerializer,
    )
    def get(self, request: Request, block_id: UUID) -> Response:
        """One block that the caller reads, with its entries."""
        actor, _ = _resolve_actor(request)
        return Response(
            serialize_block(block_views.get_block_view(actor, block_id, now=timezone.now()))
        )

    @extend_schema(
        operation_id="blocks_put",
        request=s.BlockTextSerializer,
        responses=s.BlockWrittenSerializer,
    )
    def put(self, request: Request, block_id: UUID) -> Response:
        """Replace the text of a block; each line is an entry.

        Lines that stay are not touched, new ones are remembered, removed ones are archived. If the
        block changed since `version`, it is 409 `outdated`, with the present text and version in
        `current` and a `diff` by words. 409 `association-first` for a profile before the member has
        a confirmed persona. 403 `read-only` if the caller may not write the block.
        """
        data = validate_data(s.BlockTextSerializer, request.data)
        done = block_updates.update_block_text(
            resolve_owner_actor(request.user, data.get("member")),
            block_id,
            data["text"],
            version=data["version"],
            wanted=_write_options(data),
            now=timezone.now(),
        )
        held = [{"id": one.id, "status": one.status} for one in done.held]
        return Response(serialize_block(done.view) | {"held": held})


class EntriesView(APIView):
    @extend_schema(
        operation_id="block_entries_create",
        request=s.BlockEntryRequestSerializer,
        responses={200: s.BlockEntryWrittenSerializer, 201: s.BlockEntryWrittenSerializer},
    )
    def post(self, request: Request, block_id: UUID) -> Response:
        """Add one entry (201). If the block has an entry with this text, it is confirmed (200).

        The errors are those of writing the whole text, without `outdated`.
        """
        data = validate_data(s.BlockEntryRequestSerializer, request.data)
        done = block_updates.add_entry(
            resolve_owner_actor(request.user, data.get("member")),
            block_id,
            data["text"],
            wanted=_write_options(data),
            now=timezone.now(),
        )
        return _entry_response(done)


class EntryConfirmView(APIView):
    @extend_schema(
        operation_id="block_entries_confirm",
        parameters=[s.AssociationQuerySerializer],
        request=None,
        responses=s.BlockEntryWrittenSerializer,
    )
    def post(self, request: Request, block_id: UUID, entry_id: UUID) -> Response:
        """Confirm that an entry is still true; from now on it counts in full again."""
        actor, _ = _resolve_actor(request)
        return _entry_response(
            block_updates.confirm_entry(actor, block_id, entry_id, now=timezone.now())
        )


class BlockVersionsView(APIView):
    @extend_schema(
        operation_id="block_versions",
        parameters=[s.AssociationQuerySerializer],
        responses=s.BlockVersionListSerializer,
    )
    def get(self, request: Request, block_id: UUID) -> Response:
        """List the last 100 versions of a block, newest first: the ids of the entries, no text.

        Empty for who curates while fewer than three people taught the persona.
        """
        actor, _ = _resolve_actor(request)
        rows = list_block_versions(actor, block_id, now=timezone.now())
        return Response({"results": rows})


def _entry_response(done: WriteResult) -> Response:
    made = done.entry
    assert made is not None  # noqa: S101 - for the type checker
    body = {
        "id": made.id,
        "status": made.status,
        "confirmed": made.deduplicated,
        "version": done.view.version,
    }
    return Response(body, status=200 if made.deduplicated else 201)
