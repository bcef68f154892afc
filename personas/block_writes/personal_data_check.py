"""The gate for personal data, for lines of blocks.

If the gate stops a line of a shared block, it waits in review like any memory for a persona. Nobody
who decides reviews reads a profile, so there the write is refused.
"""

from datetime import datetime

from memories.safety.check_text import Gate, GateAction, Verdict, record_verdicts
from memories.safety.names.known_names import load_names_known_to
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.required_checks import Submission
from orgs.models.audiences import AudienceType
from orgs.principals import Principal
from personas.blocks.block_views import BlockView
from personas.blocks.entries import is_shared_block
from personas.errors import PersonalDataError
from personas.models.blocks import Layer

REVIEW, SANITISE = WAYS = ("review", "sanitise")


def require_clean_line(
    principal: Principal, before: BlockView, line: str, on_personal_data: str, now: datetime
) -> str:
    """The line as it may be written. Raises PersonalDataError for a line of a profile that is
    stopped."""
    sanitise = on_personal_data == SANITISE
    if before.block.layer == Layer.PROFILE:
        verdict = _check_text(principal, line, AudienceType.MEMBER, sanitise=sanitise)
        if verdict.action is GateAction.REVIEW:
            known = load_names_known_to(principal.actor)
            shown = _check_text(principal, line, AudienceType.MEMBER, names=known)
            raise PersonalDataError(verdict, shown.kinds)
        _record_verdict(principal, before, verdict, AudienceType.MEMBER, now)
        return verdict.text
    if is_shared_block(before.block) and sanitise:
        verdict = _check_text(principal, line, AudienceType.PERSONA, sanitise=True)
        if verdict.action is GateAction.SANITISE:
            _record_verdict(principal, before, verdict, AudienceType.PERSONA, now)
            return verdict.text
    return line


def record_refusal(
    principal: Principal, before: BlockView, verdict: Verdict, now: datetime
) -> None:
    """Record a refusal in the audit trail, after the write was rolled back."""
    _record_verdict(principal, before, verdict, AudienceType.MEMBER, now)


def _check_text(
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


def _record_verdict(
    principal: Principal, before: BlockView, verdict: Verdict, audience: str, now: datetime
) -> None:
    record_verdicts(
        {before.block.id: (verdict, audience)},
        actor=principal.actor,
        now=now,
        target_type="block",
    )
