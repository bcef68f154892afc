"""A change that a gate refuses: nothing is written, and the audit trail keeps that it was asked."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from memories.knowledge_graph.entities import checks_names
from memories.safety.gate import Action, Familiar, Gate, Verdict, detail_of
from memories.safety.rules import Submission
from memories.store.models.choices import HeldFor, Status
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

WORDS = {
    HeldFor.PERSONAL_DATA: (
        "Something in these words is personal, and more people would read it. Take it out. Nothing "
        "was changed."
    ),
    HeldFor.POISON: (
        "Something in these words would steer a robot that reads them. Take it out. Nothing was "
        "changed."
    ),
}
HELD_AS = {
    Status.PENDING_REVIEW: HeldFor.PERSONAL_DATA,
    Status.QUARANTINED: HeldFor.POISON,
}
# What other calls refuse: the audience is one that others read.
READ_BY_OTHERS = "organisation"


class HeldBack(Exception):
    """A gate does not let these words pass. It names no kind, for the writer may not know why a
    name is one; `POST /gate` says what may be said."""

    def __init__(self, verdict: Verdict, audience: str) -> None:
        super().__init__(WORDS[verdict.held or HeldFor.PERSONAL_DATA])
        self.verdict, self.audience = verdict, audience


@contextmanager
def noting_refusals(
    actor: Actor, now: datetime, *, target: UUID | None = None, target_type: str = "memory"
) -> Iterator[None]:
    """Keep in the audit trail that a gate refused; around the transaction that it rolls back."""
    try:
        yield
    except HeldBack as refused:
        with organisation_scope(actor.organisation_id):
            audit.record(
                "gate.refused",
                actor=actor,
                now=now,
                target=target,
                target_type=target_type,
                **detail_of(refused.verdict, refused.audience),
            )
        raise


def refuse(
    gate: Gate,
    text: str,
    given: Submission,
    *,
    beside: Iterable[str] = (),
    called: Iterable[str] = (),
    familiar: Familiar = tuple,
) -> Verdict:
    """The verdict on words that pass; see `Gate.judge`. Raises HeldBack for the others."""
    verdict = gate.judge(text, given, beside=beside, called=called, familiar=familiar)
    if verdict.held:
        raise HeldBack(verdict, given.audience)
    return verdict


@checks_names
def check_entity_name(actor: Actor, name: str, now: datetime) -> None:
    """Raises HeldBack for a name given by a robot that would steer another one."""
    if name and not actor.is_person:
        refused = noting_refusals(actor, now, target_type="entity")
        with refused, organisation_scope(actor.organisation_id):
            refuse_words(actor, called=[name])


def refuse_held(actor: Actor, status: str) -> None:
    """Raises HeldBack where a memory waits that has to be readable at once: what it was to be part
    of (a decision, a task) cannot be written without it."""
    held = HELD_AS.get(Status(status))
    # What a person proposes waits as well, and they read it meanwhile.
    if held and not actor.is_person:
        verdict = Verdict(action=Action.REVIEW, text="", held=held)
        raise HeldBack(verdict, READ_BY_OTHERS)


def refuse_words(
    actor: Actor,
    texts: Iterable[str] = (),
    *,
    called: Iterable[str] = (),
    audience: str = READ_BY_OTHERS,
) -> None:
    """Raises HeldBack where a robot's words, which others will read, may not reach them.

    texts: what would steer another robot or could be used at once, as a card number, stands in
    none. called: names, in which only the first is looked for. audience: the kind of the readers.
    Call inside a scope of the organisation.
    """
    if not actor.is_person:
        given = Submission(audience=audience, by_robot=True)
        found = Gate(actor.organisation_id).judge("", given, beside=texts, called=called)
        if found.held:
            raise HeldBack(found, given.audience)
