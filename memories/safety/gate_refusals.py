"""Changes that a gate refuses: nothing is written, and the audit trail records the attempt."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.safety.check_text import Gate, GateAction, LoadKnownPeople, Verdict, audit_detail
from memories.safety.required_checks import Submission, iter_strings
from memories.store.models.choices import QuarantineGate, Status
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

REFUSAL_MESSAGES = {
    QuarantineGate.PERSONAL_DATA: (
        "Something in these words is personal, and more people would read it. Take it out. Nothing "
        "was changed."
    ),
    QuarantineGate.POISON: (
        "Something in these words would steer a robot that reads them. Take it out. Nothing was "
        "changed."
    ),
}
GATE_BY_STATUS = {
    Status.PENDING_REVIEW: QuarantineGate.PERSONAL_DATA,
    Status.QUARANTINED: QuarantineGate.POISON,
}
# The audience kind for calls without an audience: one that others read.
DEFAULT_AUDIENCE_TYPE = "organisation"


class GateRefusedError(Exception):
    """A gate refuses these words. The message names no kind, because the writer may not know a
    found name; `POST /gate` says what the caller may know."""

    def __init__(self, verdict: Verdict, audience: str) -> None:
        super().__init__(REFUSAL_MESSAGES[verdict.held or QuarantineGate.PERSONAL_DATA])
        self.verdict, self.audience = verdict, audience


@contextmanager
def record_refusals(
    actor: Actor, now: datetime, *, target: UUID | None = None, target_type: str = "memory"
) -> Iterator[None]:
    """Record in the audit trail that a gate refused; use it around the transaction, which is rolled
    back."""
    try:
        yield
    except GateRefusedError as refused:
        with organisation_scope(actor.organisation_id):
            audit.record_entry(
                "gate.refused",
                actor=actor,
                now=now,
                target=target,
                target_type=target_type,
                **audit_detail(refused.verdict, refused.audience),
            )
        raise


def require_passing(
    gate: Gate,
    text: str,
    given: Submission,
    *,
    beside: Iterable[str] = (),
    called: Iterable[str] = (),
    familiar: LoadKnownPeople = tuple,
) -> Verdict:
    """The verdict on words that pass; see `Gate.judge`. Raises GateRefusedError for other words."""
    verdict = gate.judge(text, given, beside=beside, called=called, familiar=familiar)
    if verdict.held:
        raise GateRefusedError(verdict, given.audience)
    return verdict


def check_entity_name(actor: Actor, name: str, now: datetime) -> None:
    """Raise GateRefusedError for a name given by a robot that would steer another robot."""
    if name and not actor.is_person:
        refused = record_refusals(actor, now, target_type="entity")
        with refused, organisation_scope(actor.organisation_id):
            _refuse_names(actor, [name])


def check_opened_conversation(
    actor: Actor, shared: bool, data: Mapping[str, Any], now: datetime
) -> None:
    """Raise GateRefusedError for a title or metadata by a robot that would steer another robot.

    shared: whether more people than one member read the conversation.
    """
    texts = [data.get("title", ""), *iter_strings(data.get("metadata", {}))]
    if shared and not actor.is_person and any(texts):
        refused = record_refusals(actor, now, target_type="conversation")
        with refused, organisation_scope(actor.organisation_id):
            _refuse_names(actor, texts)


def check_not_waiting(actor: Actor, status: str, *, proposed: bool) -> None:
    """Raise GateRefusedError if a gate holds a memory that must be readable at once, because a
    decision or task cannot be written without it.

    proposed: it waits because its writer may only propose; its parts can be written meanwhile.
    """
    held = GATE_BY_STATUS.get(Status(status))
    if held and not (actor.is_person or proposed):
        verdict = Verdict(action=GateAction.REVIEW, text="", held=held)
        raise GateRefusedError(verdict, DEFAULT_AUDIENCE_TYPE)


def _refuse_names(actor: Actor, names: Iterable[str]) -> None:
    """Raise GateRefusedError for names or titles by a robot that would steer another robot. Call
    inside a scope of the organisation."""
    given = Submission(audience=DEFAULT_AUDIENCE_TYPE, by_robot=True)
    require_passing(Gate(actor.organisation_id), "", given, called=names)
