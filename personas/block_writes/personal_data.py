"""The gate for personal data, for lines of blocks.

If the gate stops a line of a shared block, it waits in review like any memory for a persona. Nobody
who decides reviews reads a profile, so there the write is refused.
"""

from datetime import datetime

from memories.safety.gate import Action, Gate, Verdict, record_verdicts
from memories.safety.names.known_names import names_known_to
from memories.safety.personal_data.known import KnownNames
from memories.safety.rules import Submission
from orgs.models.audiences import AudienceKind
from orgs.principals import Principal
from personas.blocks.blocks import BlockView
from personas.blocks.entries import is_shared
from personas.errors import PersonalData
from personas.models.blocks import Layer

STOP, SANITISE = WAYS = ("review", "sanitise")


def cleared(
    principal: Principal, before: BlockView, line: str, on_personal_data: str, now: datetime
) -> str:
    """The line as it may be written. Raises PersonalData for a line of a profile that is
    stopped."""
    sanitise = on_personal_data == SANITISE
    if before.block.layer == Layer.PROFILE:
        verdict = _judge(principal, line, AudienceKind.MEMBER, sanitise=sanitise)
        if verdict.action is Action.REVIEW:
            known = names_known_to(principal.actor)
            shown = _judge(principal, line, AudienceKind.MEMBER, names=known)
            raise PersonalData(verdict, shown.kinds)
        _record(principal, before, verdict, AudienceKind.MEMBER, now)
        return verdict.text
    if is_shared(before.block) and sanitise:
        verdict = _judge(principal, line, AudienceKind.PERSONA, sanitise=True)
        if verdict.action is Action.SANITISE:
            _record(principal, before, verdict, AudienceKind.PERSONA, now)
            return verdict.text
    return line


def note_refusal(principal: Principal, before: BlockView, verdict: Verdict, now: datetime) -> None:
    """Record a refusal in the audit trail, after the write was rolled back."""
    _record(principal, before, verdict, AudienceKind.MEMBER, now)


def _judge(
    principal: Principal,
    line: str,
    audience: str,
    *,
    sanitise: bool = False,
    names: KnownNames | None = None,
) -> Verdict:
    given = Submission(
        audience=audience, by_robot=principal.actor.robot_id is not None, strict=True
    )
    return Gate(principal.organisation_id, names=names).judge(line, given, sanitise=sanitise)


def _record(
    principal: Principal, before: BlockView, verdict: Verdict, audience: str, now: datetime
) -> None:
    record_verdicts(
        {before.block.id: (verdict, audience)},
        actor=principal.actor,
        now=now,
        target_type="block",
    )
