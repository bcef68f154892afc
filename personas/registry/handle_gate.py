"""Refuse handles that name a person, because the whole organisation reads handles."""

from uuid import UUID

from memories.safety.findings import Personal
from memories.safety.gate import Gate
from memories.safety.rules import Submission
from orgs.models.audiences import AudienceKind
from personas.registry.handles import BadHandle, Handle

NAMES = "A handle names an industry and a role, and nobody: no person, client or company."


def refuse_names(organisation_id: UUID, handle: Handle) -> None:
    """Raise BadHandle where the gate finds somebody in the words of a new handle, or breaks.

    Call inside the organisation's scope.
    """
    words = handle.text.replace("_", " ")
    given = Submission(audience=AudienceKind.ORGANISATION, by_robot=True, strict=True)
    gate = Gate(organisation_id)
    verdicts = [gate.judge(text, given) for text in (words, words.title())]
    found = [one for verdict in verdicts for one in verdict.findings]
    # Names of firms do not count: a profession may sound like one ("retail media").
    if any(one.sure or one.kind is Personal.PERSON for one in found) or any(
        verdict.failed for verdict in verdicts
    ):
        raise BadHandle(NAMES)
