"""Computed ids of nodes, so that the same name always gives the same node. Pure."""

import re
from hashlib import sha1
from uuid import UUID

SPEAKER_TYPE = "speaker"
# Of the UUIDs of nodes that are no rows.
COMPUTED_VERSION = 5
MAX_KEY_CHARACTERS = 200
_PLATFORM_PREFIX = re.compile(r"^[A-Za-z][\w-]{1,30}:(?=\S)")


def compute_node_id(organisation_id: UUID, type_: str, key: str) -> UUID:
    """The id of an entity (type person, concept, ...) or of a speaker without a member.

    A UUID of version 5 in the organisation's namespace, so organisations share no nodes.
    """
    name = f"{type_}:{key}".encode()
    digest = sha1(organisation_id.bytes + name, usedforsecurity=False).digest()
    return UUID(bytes=digest[:16], version=COMPUTED_VERSION)


def strip_platform(reference: str) -> str:
    """The name in a reference: `irc:ann` gives ann."""
    return _PLATFORM_PREFIX.sub("", reference.strip())


def compute_speaker_node_id(organisation_id: UUID, name: str) -> UUID:
    """The id of a speaker without a member, by their name or reference."""
    key = " ".join(strip_platform(name).casefold().split())
    return compute_node_id(organisation_id, SPEAKER_TYPE, key[:MAX_KEY_CHARACTERS])
