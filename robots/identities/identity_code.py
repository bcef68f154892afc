"""A member proves that a name on another platform is theirs: by sending a code from there.

The code is shown to the signed-in member alone, is valid for 15 to 30 minutes and proves one name.
The robot that receives it vouches that it came from that name. The code is not stored.
"""

import base64
import hmac
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.conf import settings
from django.db.models import Max

from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity, Member
from orgs.principals import Actor

CODE_MINUTES = 15
_CODE_LENGTH = 8


def compute_member_code(actor: Actor, *, now: datetime) -> str:
    """The code of the asking member, as ABCD-EFGH. Raises PermissionError for a robot."""
    if not actor.is_person or actor.member_id is None:
        raise PermissionError("A person proves who they are, not a robot for them.")
    with organisation_scope(actor.organisation_id):
        code = _compute_code(_code_seed(actor.organisation_id, actor.member_id), _time_slot(now))
    return f"{code[:4]}-{code[4:]}"


def is_valid_code(member: Member, code: str, *, now: datetime) -> bool:
    """Whether it is the member's code of this quarter of an hour or of the one before.

    Blanks, hyphens and case do not matter. Call inside a scope of the organisation, with the member
    locked.
    """
    given = "".join(c for c in code.upper() if c.isalnum()).encode()
    whose, span = _code_seed(member.organisation_id, member.id), _time_slot(now)
    now_wanted, before_wanted = (
        _compute_code(whose, span).encode(),
        _compute_code(whose, span - 1).encode(),
    )
    return hmac.compare_digest(given, now_wanted) | hmac.compare_digest(given, before_wanted)


def _code_seed(organisation_id: UUID, member_id: UUID) -> str:
    """What a code is made from: the member and the last confirmation, so a used code is not valid
    again."""
    confirmed = ExternalIdentity.objects.filter(
        organisation_id=organisation_id, member_id=member_id
    ).aggregate(last=Max("confirmed_at"))
    return f"{organisation_id}:{member_id}:{confirmed['last']}"


def _time_slot(now: datetime) -> int:
    return int(now.timestamp()) // (60 * CODE_MINUTES)


def _compute_code(whose: str, span: int) -> str:
    key = f"proof of identity:{settings.SECRET_KEY}".encode()
    digest = hmac.new(key, f"{whose}:{span}".encode(), sha256).digest()
    return base64.b32encode(digest).decode()[:_CODE_LENGTH]
