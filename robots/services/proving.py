"""A member proves that a name on another platform is theirs: by sending a code from there.

The code is shown to the signed-in member alone and holds for some minutes. The robot that hears it
vouches that it came from that name; nothing is stored.
"""

import base64
import hmac
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from orgs.models import Member
from orgs.principals import Actor

MINUTES = 15
_LETTERS = 8


def code_of(actor: Actor, *, now: datetime) -> str:
    """The code of the asking member, as ABCD-EFGH. Raises PermissionError for a robot."""
    if not actor.is_person or actor.member_id is None:
        raise PermissionError("A person proves who they are, not a robot for them.")
    code = _code(f"{actor.organisation_id}:{actor.member_id}", _span(now))
    return f"{code[:4]}-{code[4:]}"


def proves(member: Member, code: str, *, now: datetime) -> bool:
    """Whether it is the member's code of this quarter of an hour or the one before."""
    given = "".join(c for c in code.upper() if c.isalnum()).encode()
    whose, span = f"{member.organisation_id}:{member.id}", _span(now)
    now_wanted, before_wanted = _code(whose, span).encode(), _code(whose, span - 1).encode()
    return hmac.compare_digest(given, now_wanted) | hmac.compare_digest(given, before_wanted)


def _span(now: datetime) -> int:
    return int(now.timestamp()) // (60 * MINUTES)


def _code(whose: str, span: int) -> str:
    key = f"proof of identity:{settings.SECRET_KEY}".encode()
    digest = hmac.new(key, f"{whose}:{span}".encode(), sha256).digest()
    return base64.b32encode(digest).decode()[:_LETTERS]
