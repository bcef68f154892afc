"""To which groups and networks a key is limited: what may be said, changed, and is recorded."""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs import audit
from orgs.database.rls import organisation_scope, unless_unwritable
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.organisations import Group
from orgs.principals import MANAGE_SCOPE, Actor
from robots.access.keys import KeyLimits, record_key_event
from robots.access.robot_administration import (
    check_admin,
    check_may_make_keys,
    get_key,
)
from robots.errors import InvalidKeyLimitError
from robots.models.keys import MAX_KEY_GROUPS, MAX_NETWORKS, Key
from robots.models.robots import RobotGroup
from robots.people.directory import find_known_groups, manageable_groups

# Of one robot in a day; whoever found a key may try it all day long.
MOST_REFUSALS = 20
# A network of IPv6 that holds IPv4 addresses has at least this many bits in common.
_MAPPED_BITS = 96


def parse_networks(given: Iterable[str]) -> list[str]:
    """Networks as CIDR in their usual form, each once, at most MAX_NETWORKS; an address alone is
    the network of itself. Raises InvalidKeyLimitError."""
    found: dict[str, None] = {}
    for index, text in enumerate(given):
        if index == MAX_NETWORKS:
            raise InvalidKeyLimitError("networks", f"At most {MAX_NETWORKS}.")
        try:
            found[_parse_network(text.strip())] = None
        except ValueError as error:
            raise InvalidKeyLimitError(f"networks.{index}", str(error)) from error
    return list(found)


def _parse_network(text: str) -> str:
    try:
        interface = ipaddress.ip_interface(text)
    except ValueError:
        raise ValueError("Not a network; write it like 203.0.113.0/24 or 2001:db8::/48.") from None
    network = interface.network
    if "%" in text:
        raise ValueError("A network has no zone; leave out the % and what follows.")
    if interface.ip != network.network_address:
        raise ValueError(
            f"This is an address inside a network. The network is {network}; the address alone is "
            f"{interface.ip}/{interface.max_prefixlen}."
        )
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is not None and network.prefixlen >= _MAPPED_BITS:
        # A call from such an address counts as one from the IPv4 address in it.
        right = ipaddress.ip_network(f"{mapped}/{network.prefixlen - _MAPPED_BITS}")
        raise ValueError(f"Write it as a network of IPv4: {right}.")
    return str(network)


def find_key_limits(
    actor: Actor,
    robot_id: UUID,
    *,
    groups: Sequence[str | UUID] | None,
    networks: Sequence[str] | None,
    scopes: Iterable[str],
) -> KeyLimits:
    """The limits for a key of this robot with these scopes, for who administers.

    groups: references of groups in which the robot sits and that the actor may know; networks: as
    CIDR; each None for no limit. Raises PermissionError, ReferenceNotFoundError for a group, and
    InvalidKeyLimitError.
    """
    check_admin(actor)
    return KeyLimits(
        groups=None if groups is None else _find_groups(actor, robot_id, groups, scopes),
        networks=None if networks is None else parse_networks(networks),
    )


def _find_groups(
    actor: Actor, robot_id: UUID, references: Sequence[str | UUID], scopes: Iterable[str]
) -> list[UUID]:
    if MANAGE_SCOPE in scopes:
        raise InvalidKeyLimitError(
            "groups", "A key with `manage` could seat its robot anywhere; it is not limited so."
        )
    if len(references) > MAX_KEY_GROUPS:
        raise InvalidKeyLimitError("groups", f"At most {MAX_KEY_GROUPS}.")
    with organisation_scope(actor.organisation_id):
        known = find_known_groups(actor, references, manageable_groups)
        seats = {group.id for group in list_limiting_groups(actor, robot_id)}
    for index, reference in enumerate(references):
        if (group := known.get(str(reference))) is None:
            raise ReferenceNotFoundError("group", reference)
        if group.id not in seats:
            raise InvalidKeyLimitError(f"groups.{index}", "The robot does not sit in this group.")
    return sorted({group.id for group in known.values()})


def update_key_limits(
    actor: Actor, *, key_id: UUID, given: Mapping[str, Any], now: datetime
) -> Key:
    """Limit a key to other groups and networks, from its next call on; returns it.

    given: `groups` and `networks` as `find_key_limits` takes them; what is left out stays as it is.
    Raises what that raises, PermissionError for another member's personal robot, NotFoundError, and
    AlreadyExistsError for a key that is over.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        Key.objects.select_for_update().filter(
            organisation_id=actor.organisation_id, id=key_id
        ).first()
        kept = get_key(actor, key_id)
        check_may_make_keys(actor, kept.robot)
        if not kept.is_valid(now):
            raise AlreadyExistsError("This key is over; it opens nothing any more.")
        wanted = find_key_limits(
            actor,
            kept.robot_id,
            groups=given.get("groups"),
            networks=given.get("networks"),
            scopes=kept.scopes,
        )
        limits = KeyLimits(
            groups=wanted.groups if "groups" in given else kept.groups,
            networks=wanted.networks if "networks" in given else kept.networks,
        )
        if limits != KeyLimits(groups=kept.groups, networks=kept.networks):
            kept.groups, kept.networks = limits.groups, limits.networks
            kept.save(update_fields=["groups", "networks"])
            record_key_event("key.limited", actor, kept, now, **limits.counts())
    return kept


@dataclass(frozen=True, slots=True)
class KeyLimitsView:
    """A key with what an admin may choose.

    offered: the groups of its robot that they read; none where the key is limited to a group that
    they do not know, for they would take it away unseen. chosen: ids of those that it has, as text;
    hidden: how many others it has.
    """

    key: Key
    offered: list[Group]
    chosen: list[str]
    hidden: int


def get_key_limits(actor: Actor, key_id: UUID) -> KeyLimitsView:
    """What an admin sees of a key and may choose for it. Raises NotFoundError, and PermissionError
    for who is no admin and for another member's personal robot."""
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        key = get_key(actor, key_id)
        check_may_make_keys(actor, key.robot)
        offered = list_limiting_groups(actor, key.robot_id)
    ids = {group.id for group in offered}
    chosen = [str(id_) for id_ in key.groups or () if id_ in ids]
    hidden = len(key.groups or ()) - len(chosen)
    return KeyLimitsView(key, [] if hidden else offered, chosen, hidden)


def list_limiting_groups(actor: Actor, robot_id: UUID) -> list[Group]:
    """The groups of a robot to which the actor may limit a key of it, by name."""
    with organisation_scope(actor.organisation_id):
        seats = RobotGroup.objects.filter(organisation_id=actor.organisation_id, robot_id=robot_id)
        groups = manageable_groups(actor).filter(id__in=seats.values("group_id"))
        return list(groups.order_by("name", "id"))


def find_key_groups(actor: Actor, keys: Iterable[Key]) -> dict[UUID, list[Group] | None]:
    """By key, the groups to which it is limited, as far as the actor may know them, by name; None
    for a key without such a limit."""
    with organisation_scope(actor.organisation_id):
        kept = list(keys)
        wanted = {group for key in kept for group in key.groups or ()}
        groups = manageable_groups(actor).filter(id__in=wanted) if wanted else []
        known = {group.id: group for group in groups}
    return {
        key.id: None
        if key.groups is None
        else sorted(
            (known[id_] for id_ in key.groups if id_ in known), key=lambda group: group.name
        )
        for key in kept
    }


def record_address_refusal(actor: Actor, *, now: datetime) -> None:
    """Record that a key was presented from where it opens nothing, MOST_REFUSALS times a day."""
    with unless_unwritable(), organisation_scope(actor.organisation_id):
        audit.record_seldom(
            "key.refused",
            actor=actor,
            now=now,
            most=MOST_REFUSALS,
            target=actor.key_id,
            target_type="key",
        )
