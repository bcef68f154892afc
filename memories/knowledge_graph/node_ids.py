"""Computed ids of nodes, so that the same name always gives the same node. Pure."""

import re
from hashlib import sha1
from uuid import UUID

SPEAKER = "speaker"
LONGEST = 200
_PLATFORM = re.compile(r"^[A-Za-z][\w-]{1,30}:(?=\S)")


def node_of(organisation_id: UUID, type_: str, key: str) -> UUID:
    """The id of an entity (type person, concept, ...) or of a speaker without a member.

    A UUID of version 5 in the organisation's namespace, so organisations share no nodes.
    """
    name = f"{type_}:{key}".encode()
    digest = sha1(organisation_id.bytes + name, usedforsecurity=False).digest()
    return UUID(bytes=digest[:16], version=5)


def plain_name(reference: str) -> str:
    """The name in a reference: `irc:ann` gives ann."""
    return _PLATFORM.sub("", reference.strip())


def speaker_node(organisation_id: UUID, name: str) -> UUID:
    """The id of a speaker without a member, by their name or reference."""
    key = " ".join(plain_name(name).casefold().split())
    return node_of(organisation_id, SPEAKER, key[:LONGEST])
