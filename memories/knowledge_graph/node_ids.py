"""The ids of nodes that no table has: computed, so that all who read the same name agree. Pure."""

import re
from hashlib import sha1
from uuid import UUID

SPEAKER = "speaker"
LONGEST = 200
_PLATFORM = re.compile(r"^[A-Za-z][\w-]{1,30}:(?=\S)")


def node_of(organisation_id: UUID, type_: str, key: str) -> UUID:
    """The id of a thing (type person, concept, ...) or of a speaker who is no member.

    A UUID of version 5 in the organisation's own space, so that no other shares it.
    """
    name = f"{type_}:{key}".encode()
    digest = sha1(organisation_id.bytes + name, usedforsecurity=False).digest()
    return UUID(bytes=digest[:16], version=5)


def plain_name(reference: str) -> str:
    """`irc:ann` is called ann."""
    return _PLATFORM.sub("", reference.strip())


def speaker_node(organisation_id: UUID, name: str) -> UUID:
    """The id of a speaker whom only a name or a reference is known of."""
    key = " ".join(plain_name(name).casefold().split())
    return node_of(organisation_id, SPEAKER, key[:LONGEST])
