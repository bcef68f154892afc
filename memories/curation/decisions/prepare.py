"""The text that prepares a meeting: similar decisions and their dissents."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.context.assembly.fence import entry, fenced
from memories.context.sources.memory_lines import plain
from memories.curation.decisions.models import Claim, Dissent, DissentKind, Participant
from memories.curation.decisions.read import SIMILAR, WholeDecision, similar_to
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

_MARK_BYTES = 8
RISKS, OPEN, DECIDED = "risks", "open_dissents", "decisions"
TITLES = {
    RISKS: "Risk warnings",
    OPEN: "Dissents that nobody has answered",
    DECIDED: "Similar decisions",
}


@dataclass(frozen=True, slots=True)
class PreparedCitation:
    """What a number in the text cites. dissent: None if it is the decision itself."""

    number: int
    section: str
    decision: UUID
    dissent: UUID | None


@dataclass(frozen=True, slots=True)
class Preparation:
    """text: empty without a similar decision. similar: the decisions that it was made from."""

    text: str
    citations: list[PreparedCitation]
    similar: list[WholeDecision]


def prepare(
    actor: Actor,
    topic: str,
    *,
    limit: int = SIMILAR,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> Preparation:
    """The preparation for deciding a topic, from what the asker reads. Raises NotFound and
    MissingScope."""
    principal = resolve(act(actor, member=member, group=group))
    with principal.scope():
        return prepared(principal, topic, limit=limit, now=now)


def prepared(
    principal: Principal, topic: str, *, limit: int = SIMILAR, now: datetime
) -> Preparation:
    """`prepare` for a known principal; call inside the principal's scope.

    Every warning of a risk comes first, answered or not, and is never cut.
    """
    found = similar_to(principal, topic, limit=limit, now=now)
    risks = [(one, said) for one in found for said in one.risks]
    open_ = [
        (one, said)
        for one in found
        for said in one.open_dissents
        if said.form != DissentKind.RISK_WARNING
    ]
    sections: list[tuple[str, list[tuple[str, UUID, UUID | None]]]] = [
        (RISKS, [(_dissent(one, said), one.memory.id, said.id) for one, said in risks]),
        (OPEN, [(_dissent(one, said), one.memory.id, said.id) for one, said in open_]),
        (DECIDED, [(_decision(one), one.memory.id, None) for one in found]),
    ]
    citations: list[PreparedCitation] = []
    written: list[tuple[str, list[str]]] = []
    for name, pieces in sections:
        lines = []
        for text, decision, dissent in pieces:
            number = len(citations) + 1
            citations.append(PreparedCitation(number, name, decision, dissent))
            lines.append(entry(number, text))
        written.append((TITLES[name], lines))
    return Preparation(fenced(secrets.token_hex(_MARK_BYTES), written), citations, found)


def _decision(one: WholeDecision) -> str:
    votes = f"{one.record.agree} for, {one.record.disagree} against"
    about = f"{_day(one)}, {one.strength}, {votes}"
    over = " (superseded)" if one.memory.valid_until else ""
    return f"({about}) {plain(one.memory.topic)}: {one.conclusion}{over}"


def _dissent(one: WholeDecision, said: Dissent) -> str:
    kind = DissentKind(said.form).label
    about = ", ".join(part for part in (_day(one), plain(name_of(said)), kind) if part)
    text = f"({about}) On {plain(one.memory.topic)}: {said.content}"
    if said.reasoning:
        text += f"\nReason: {said.reasoning}"
    if said.rebuttal:
        text += f"\nAnswered: {said.rebuttal}"
    elif said.acknowledged:
        text += "\nAcknowledged."
    return text


def name_of(said: Participant | Claim | Dissent) -> str:
    """The present name of somebody in a record."""
    return said.called


def _day(one: WholeDecision) -> str:
    return one.place.decided_at.date().isoformat()
