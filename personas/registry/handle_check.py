"""Whether a handle or the name of a tool names a person; others read both."""

from uuid import UUID

from memories.safety.check_text import Gate
from memories.safety.required_checks import PersonalDataType, Submission
from orgs.models.audiences import AudienceType
from personas.registry.handles import Handle, InvalidHandleError

NAMES_SOMEBODY = "A handle names an industry and a role, and nobody: no person, client or company."


def check_names_nobody(organisation_id: UUID, handle: Handle) -> None:
    """Raise InvalidHandleError where `names_somebody`."""
    if names_somebody(organisation_id, handle.text.replace("_", " ")):
        raise InvalidHandleError(NAMES_SOMEBODY)


def names_somebody(organisation_id: UUID, words: str) -> bool:
    """Whether the gate finds somebody in the words of a handle or of a tool's name, or breaks.

    Call inside the organisation's scope.
    """
    given = Submission(audience=AudienceType.ORGANISATION, by_robot=True, strict=True)
    gate = Gate(organisation_id)
    verdicts = [gate.judge(text, given) for text in (words, words.title())]
    found = [one for verdict in verdicts for one in verdict.findings]
    # Names of firms do not count: a profession may sound like one ("retail media").
    return any(one.sure or one.kind is PersonalDataType.PERSON for one in found) or any(
        verdict.failed for verdict in verdicts
    )
