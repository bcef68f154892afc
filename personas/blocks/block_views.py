"""Blocks as far as the asker reads them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet

from orgs.cohort_types import EVERY_INDUSTRY
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Member
from orgs.organisations.audience_rows import (
    direct_audience_key,
    ensure_audience,
    ensure_direct_audience,
)
from orgs.principals import Actor, Principal, resolve_principal
from personas.blocks.entries import (
    BlockEntry,
    is_shared_block,
    load_audience_entries,
    load_block_entries,
)
from personas.blocks.layers import (
    LAYER_RULES,
    block_description,
    block_label,
    initial_text,
    name_line,
)
from personas.blocks.render import render_text, select_fitting
from personas.blocks.teachers import with_few_teachers
from personas.blocks.versions import ensure_version_after, load_last_versions
from personas.models.blocks import Block, BlockRobot, Layer

# (kind, key) of the audience of global_experience.
GLOBAL_AUDIENCE = (AudienceType.INDUSTRY, EVERY_INDUSTRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """A block as the asker reads it now.

    text: at most `limit` characters, in a human block after the line with the name. entries: those
    in the text. left_out: how many more there are. audience_id: who reads the entries; None for
    agent_persona. attached: whether a persona's block is attached to the asking robot.
    few_teachers: the asker curates, and too few people taught the persona to tell which lesson is
    the newest: the entries are in the order of the alphabet.
    """

    block: Block
    label: str
    limit: int
    description: str
    text: str
    version: int
    audience_id: UUID | None
    entries: Sequence[BlockEntry] = field(default_factory=tuple)
    left_out: int = 0
    attached: bool = False
    few_teachers: bool = False

    @property
    def handle(self) -> str:
        return self.block.persona.handle if self.block.persona else ""


def fresh_period() -> timedelta:
    """How long an entry counts in full after it was confirmed."""
    return timedelta(days=settings.BLOCK_FRESH_DAYS)


def ensure_agent_block(organisation_id: UUID, now: datetime) -> Block:
    """The organisation's own block; call inside its scope."""
    fresh = Block(organisation_id=organisation_id, layer=Layer.AGENT, created_at=now)
    rows = Block.objects.filter(organisation_id=organisation_id, layer=Layer.AGENT)
    found = rows.first()
    if found is None:
        Block.objects.bulk_create([fresh], ignore_conflicts=True)
        found = rows.get()
    return found


def ensure_global_block(organisation_id: UUID, now: datetime) -> None:
    """The block of what was learned for everybody, and its audience; call inside the organisation's
    scope."""
    kind, key = GLOBAL_AUDIENCE
    ensure_audience(organisation_id, kind, key)
    fresh = Block(organisation_id=organisation_id, layer=Layer.GLOBAL, created_at=now)
    Block.objects.bulk_create([fresh], ignore_conflicts=True)


def find_global_view(principal: Principal, now: datetime) -> BlockView | None:
    """The block of what was learned for everybody, global_experience; None for who opted out. Call
    inside the principal's scope."""
    block = _readable_blocks(principal).filter(layer=Layer.GLOBAL).first()
    return build_view(principal, block, now) if block else None


def _ensure_told_block(actor: Actor, now: datetime) -> None:
    """Make the block of what the member told the asking robot, and the audience of its lines: for a
    robot without delegation that acts for a member who has no account or has told it something."""
    if not actor.told or actor.sees_own or actor.robot_id is None or actor.member_id is None:
        return
    tenant = {"organisation_id": actor.organisation_id}
    key = direct_audience_key(actor.robot_id, actor.member_id)
    with organisation_scope(actor.organisation_id):
        if not Audience.objects.filter(**tenant, kind=AudienceType.EXPLICIT, key=key).exists():
            if Member.objects.filter(**tenant, id=actor.member_id).exclude(user=None).exists():
                return
            ensure_direct_audience(actor.organisation_id, actor.robot_id, actor.member_id)
        whose = {"member_id": actor.member_id, "robot_id": actor.robot_id}
        if not Block.objects.filter(**tenant, **whose).exists():
            fresh = Block(**tenant, **whose, layer=Layer.HUMAN, created_at=now)
            Block.objects.bulk_create([fresh], ignore_conflicts=True)


def list_blocks(actor: Actor, *, now: datetime) -> list[BlockView]:
    """The organisation's blocks, the member's own, and those of their personas; for curators of
    all. A robot without delegation has a block of what the member told it instead of their own."""
    _ensure_told_block(actor, now)
    principal = resolve_principal(actor)
    with principal.scope():
        ensure_agent_block(principal.organisation_id, now)
        return _build_views(principal, list(_readable_blocks(principal)), now)


def get_agent_block_view(actor: Actor, *, now: datetime) -> BlockView:
    """The organisation's own block, agent_persona; made if need be."""
    principal = resolve_principal(actor)
    with principal.scope():
        return build_view(principal, ensure_agent_block(principal.organisation_id, now), now)


def get_block_view(actor: Actor, block_id: UUID, *, now: datetime) -> BlockView:
    """One of `list_blocks`. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return build_view(principal, get_block(principal, block_id), now)


def get_block(principal: Principal, block_id: UUID, *, lock: bool = False) -> Block:
    """A readable block; locked, until the transaction ends. Raises NotFoundError."""
    rows = _readable_blocks(principal).filter(id=block_id)
    block = rows.select_for_update(of=("self",)).first() if lock else rows.first()
    if block is None:
        raise NotFoundError("no such block")
    return block


def list_own_blocks(principal: Principal, now: datetime) -> list[BlockView]:
    """The two blocks that a member shares with their robot; inside the principal's scope."""
    rows = _readable_blocks(principal).filter(
        member_id=principal.actor.member_id,  # type: ignore[misc]
        robot=None,
    )
    return _build_views(principal, list(rows), now)


def build_view(
    principal: Principal, block: Block, now: datetime, *, by: Actor | None = None
) -> BlockView:
    """The block now; call inside the principal's scope. by: who has just changed it, or None."""
    return _build_views(principal, [block], now, by=by)[0]


def _readable_blocks(principal: Principal) -> "QuerySet[Block]":
    own = Q(layer=Layer.AGENT)
    member = principal.actor.member_id
    actor = principal.actor
    if member is not None and actor.is_person:
        own |= Q(member_id=member)
    elif member is not None:
        own |= Q(member_id=member, robot=None) if actor.sees_own else Q()
        own |= Q(member_id=member, robot_id=actor.robot_id) if actor.told else Q()
    own |= Q(persona_id__in=list(readable_persona_audiences(principal)))
    own |= Q(layer=Layer.GLOBAL) if reads_global(principal) else Q()
    order = ("layer", "persona__handle", "id")
    rows = Block.objects.filter(own, organisation_id=principal.organisation_id)
    return rows.select_related("persona", "member", "robot").order_by(*order)


def readable_persona_audiences(principal: Principal) -> dict[UUID, UUID]:
    """The audience of each persona that the asker reads, by persona."""
    return {
        UUID(key): id_
        for (kind, key), id_ in principal.named.items()
        if kind == AudienceType.PERSONA and id_ in principal.audiences
    }


def reads_global(principal: Principal) -> bool:
    """Whether the asker reads what was learned for everybody."""
    return principal.named.get(GLOBAL_AUDIENCE) in principal.audiences


def _shared_audiences(principal: Principal, blocks: Sequence[Block]) -> dict[UUID, UUID]:
    """The audience of each shared block, by block."""
    of_personas = readable_persona_audiences(principal)
    return {
        block.id: of_personas[block.persona_id]
        if block.persona_id
        else principal.named[GLOBAL_AUDIENCE]
        for block in blocks
        if is_shared_block(block)
    }


def _build_views(
    principal: Principal, blocks: Sequence[Block], now: datetime, *, by: Actor | None = None
) -> list[BlockView]:
    tenant, audiences = principal.organisation_id, _shared_audiences(principal, blocks)
    attached = _attached_block_ids(principal, list(audiences))
    few = with_few_teachers(tenant, audiences.values()) if principal.actor.moderates else set()
    entries = load_audience_entries(tenant, audiences.values(), now)
    members = [block for block in blocks if block.member_id]
    own = load_block_entries(tenant, members, now) if members else {}
    last = load_last_versions(tenant, blocks)
    views = []
    for block in blocks:
        audience_id = audiences.get(block.id)
        found = entries.get(audience_id, []) if audience_id else own.get(block.id, [])
        if block.member_id:
            audience_id = principal.named.get(_own_audience_name(block, block.member_id))
        version = ensure_version_after(last.get(block.id), block, found, now, by=by)
        made = _build_view(block, found, audience_id, now, version, few=audience_id in few)
        views.append(replace(made, attached=block.id in attached))
    return views


def _own_audience_name(block: Block, member_id: UUID) -> tuple[str, str]:
    """(kind, key) of the audience of a member's block."""
    if block.robot_id is None:
        return AudienceType.MEMBER, str(member_id)
    return AudienceType.EXPLICIT, direct_audience_key(block.robot_id, member_id)


def _attached_block_ids(principal: Principal, shared: Sequence[UUID]) -> set[UUID]:
    robot_id = principal.actor.robot_id
    if robot_id is None or not shared:
        return set()
    rows = BlockRobot.objects.filter(
        organisation_id=principal.organisation_id,
        robot_id=robot_id,
        block_id__in=shared,
    )
    return set(rows.values_list("block_id", flat=True))


def _build_view(
    block: Block,
    found: Sequence[BlockEntry],
    audience_id: UUID | None,
    now: datetime,
    version: int,
    *,
    few: bool,
) -> BlockView:
    handle = block.persona.handle if block.persona else ""
    rules = LAYER_RULES[Layer(block.layer)]
    kept = select_fitting(found, rules.limit, now=now, fresh_for=fresh_period())
    if few:
        kept.sort(key=lambda one: (one.text.casefold(), one.id))
    text = block.own_text or render_text(kept)
    name = block.member.name if block.member else ""
    if text and block.layer == Layer.HUMAN:
        text = f"{name_line(name)}\n{text}"
    return BlockView(
        block=block,
        label=block_label(block.layer, handle),
        limit=rules.limit,
        description=block_description(block.layer, handle),
        text=text or initial_text(block.layer, handle=handle, name=name),
        version=version,
        audience_id=audience_id,
        entries=kept,
        left_out=len(found) - len(kept),
        few_teachers=few,
    )
