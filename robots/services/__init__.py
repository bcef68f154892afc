"""Robots, their keys and whom they act for: one verb per use case."""

from robots.services.acting import act, delegate, revoke_delegation
from robots.services.errors import IdentityClaim, MissingScope
from robots.services.keys import (
    Caller,
    authenticate_key,
    create_key,
    revoke_key,
    rotate_key,
)
from robots.services.registry import (
    IMPORT,
    WEB,
    builtin_robot,
    find_robot,
    join_groups,
    leave_group,
    register_robot,
    stamp_activity,
)

__all__ = [
    "IMPORT",
    "WEB",
    "Caller",
    "IdentityClaim",
    "MissingScope",
    "act",
    "authenticate_key",
    "builtin_robot",
    "create_key",
    "delegate",
    "find_robot",
    "join_groups",
    "leave_group",
    "register_robot",
    "revoke_delegation",
    "revoke_key",
    "rotate_key",
    "stamp_activity",
]
