"""The verdict of the gates on a text, for a caller who asks before writing."""

import re
from dataclasses import dataclass
from datetime import datetime

from memories.access.visibility import MemoryRequestError
from memories.ingestion.draft_gates import DraftGates
from memories.ingestion.drafts import Draft
from memories.ingestion.placement import PlacementResolver
from memories.safety.check_text import Gate, GateAction, LoadKnownPeople, audit_detail
from memories.safety.findings import Finding, InjectionType
from memories.safety.names.known_names import load_names_known_to
from memories.safety.required_checks import Submission
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

PERSONA_HANDLE = re.compile(r"[a-z0-9]{1,100}(?:_[a-z0-9]{1,100}){1,20}")
INVALID_HANDLE = "A persona is named <industry>_<role> in small letters and digits."


@dataclass(frozen=True, slots=True)
class GatePreview:
    """findings: those that the asker may know of. The action takes all into account."""

    action: GateAction
    findings: tuple[Finding, ...]


def preview_gate(
    actor: Actor, draft: Draft, *, persona: str | None = None, now: datetime
) -> GatePreview:
    """The verdict on a draft; no memory is written.

    Raises what placing the draft raises, and MemoryRequestError for a persona's handle that is
    none. Names that the asker may not know are left out of the findings; otherwise names could be
    guessed.
    """
    placer = PlacementResolver(actor, now)
    with organisation_scope(actor.organisation_id):
        gates = DraftGates(placer)
        if persona is not None:
            if not PERSONA_HANDLE.fullmatch(persona):
                raise MemoryRequestError(INVALID_HANDLE)
            given = Submission(audience="persona", by_robot=not actor.is_person, strict=True)
            familiar: LoadKnownPeople = tuple
        else:
            given, familiar = gates.given(draft, placer.place(draft))
        verdict = gates.gate.judge(draft.content, given, familiar=familiar, sanitise=draft.sanitise)
        # Poison is found without names: what the asker may know of it is what was found.
        known = Gate(
            actor.organisation_id, policy=placer.gate_policy, names=load_names_known_to(actor)
        )
        shown = known.personal(draft.content, given, familiar)
        poison = [one for one in verdict.findings if isinstance(one.kind, InjectionType)]
        audit.record_seldom(
            "gate.asked", actor=actor, now=now, **audit_detail(verdict, given.audience)
        )
    return GatePreview(verdict.action, tuple(sorted([*shown, *poison])))
