"""A member's own personas, and the two blocks that they share with their personal robot."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orgs.principals import Actor, Principal, resolve_principal
from personas.associations.association_changes import visible_associations
from personas.associations.personal_robot import find_own_robot, list_own_keys
from personas.blocks.block_views import BlockView, list_own_blocks
from personas.browsing.persona_pages import entry_count_subquery
from personas.models.blocks import Layer
from personas.models.personas import Association
from robots.models.keys import Key
from robots.models.robots import Robot

PRIVATE_LAYERS = (Layer.HUMAN, Layer.PROFILE)
NEW_FOR = timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPersona:
    """new: whether somebody else said it lately. entries: their number in its block; None while the
    association is not confirmed or the member does not share."""

    association: Association
    new: bool
    entries: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRobot:
    """A member's personal robot with its keys, the newest first, and the member's own blocks.

    robot: None for who has none yet; then there are no keys and no blocks. known: whether the
    member has a confirmed persona; without one the profile cannot be written.
    """

    robot: Robot | None
    keys: Sequence[Key]
    blocks: Sequence[BlockView]
    known: bool


def list_own_personas(principal: Principal, *, now: datetime) -> list[OwnPersona]:
    """The member's personas, by handle."""
    actor = principal.actor
    with principal.scope():
        rows = visible_associations(actor).filter(member_id=actor.member_id)  # type: ignore[misc]  # a person
        counted = entry_count_subquery("persona_id", actor.organisation_id, now)
        found = list(rows.annotate(entries=counted).order_by("persona__handle"))
    # Curators read every block. Still their own unconfirmed or closed personas count as for others.
    return [
        OwnPersona(
            association=row,
            new=_is_new(row, now),
            entries=(row.entries or 0)
            if row.confirmed_at and not row.member.sharing_off_at
            else None,
        )
        for row in found
    ]


def _is_new(row: Association, now: datetime) -> bool:
    """Whether somebody else said it within the last days and the member has not confirmed it."""
    own = row.told_at is not None or row.confirmed_by_id == row.member_id
    return not own and now - row.discovered_at < NEW_FOR


def get_own_robot(actor: Actor, *, now: datetime) -> OwnRobot:
    """The member's personal robot, if they have one. Raises PermissionError for a viewer."""
    robot = find_own_robot(actor)
    if robot is None:
        return OwnRobot(robot=None, keys=[], blocks=[], known=False)
    principal = resolve_principal(actor)
    with principal.scope():
        shown = {one.block.layer: one for one in list_own_blocks(principal, now)}
        mine = visible_associations(actor).filter(member_id=actor.member_id)  # type: ignore[misc]  # a person
        known = mine.filter(confirmed_at__isnull=False).exists()
    return OwnRobot(
        robot=robot,
        keys=list_own_keys(actor),
        blocks=[shown[layer] for layer in PRIVATE_LAYERS if layer in shown],
        known=known,
    )
