"""The text that prepares a meeting: similar decisions and their dissents."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.context.assembly.fence import format_entry, new_mark, render_fenced_text
from memories.curation.decision_records.attribution import answerer_of, attribution_of_dissent
from memories.curation.decision_records.decision_queries import (
    DEFAULT_SIMILAR_LIMIT,
    DecisionRecord,
    list_similar_decisions_in_scope,
)
from memories.curation.decision_records.models import Dissent, DissentType
from memories.language.rendering.model_text import ModelText, render_entry, render_line, render_name
from memories.store.speakers.attribution import Attribution, attribution_of
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

LONGEST_TOPIC = 300
RISKS, OPEN_DISSENTS, SIMILAR_DECISIONS = "risks", "open_dissents", "decisions"
TITLES = {
    RISKS: "Risk warnings",
    OPEN_DISSENTS: "Dissents that nobody has answered",
    SIMILAR_DECISIONS: "Similar decisions",
}


@dataclass(frozen=True, slots=True)
class PreparationCitation:
    """What a number in the text cites, and whose words these are. dissent: None if it is the
    decision itself."""

    number: int
    section: str
    decision: UUID
    dissent: UUID | None
    said: Attribution


@dataclass(frozen=True, slots=True)
class Preparation:
    """text: empty without a similar decision. similar: the decisions that it was made from."""

    text: str
    citations: list[PreparationCitation]
    similar: list[DecisionRecord]


def prepare_decision(
    actor: Actor,
    topic: str,
    *,
    limit: int = DEFAULT_SIMILAR_LIMIT,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> Preparation:
    """The preparation for deciding a topic, from what the asker reads. Raises NotFoundError and
    MissingScopeError."""
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        return prepare_decision_in_scope(principal, topic, limit=limit, now=now)


def prepare_decision_in_scope(
    principal: Principal, topic: str, *, limit: int = DEFAULT_SIMILAR_LIMIT, now: datetime
) -> Preparation:
    """`prepare` for a known principal; call inside the principal's scope.

    Every warning of a risk comes first, answered or not, and is never cut.
    """
    found = list_similar_decisions_in_scope(principal, topic, limit=limit, now=now)
    risks = [(one, said) for one in found for said in one.risks]
    open_ = [
        (one, said)
        for one in found
        for said in one.open_dissents
        if said.form != DissentType.RISK_WARNING
    ]
    sections: list[tuple[str, list[tuple[DecisionRecord, Dissent | None]]]] = [
        (RISKS, [(one, said) for one, said in risks]),
        (OPEN_DISSENTS, [(one, said) for one, said in open_]),
        (SIMILAR_DECISIONS, [(one, None) for one in found]),
    ]
    citations: list[PreparationCitation] = []
    written: list[tuple[str, list[str]]] = []
    for name, pieces in sections:
        lines = []
        for one, said in pieces:
            number = len(citations) + 1
            citations.append(_citation(number, name, one, said))
            lines.append(
                format_entry(number, _format_dissent(one, said) if said else _format_decision(one))
            )
        written.append((TITLES[name], lines))
    mark = new_mark([line for _, lines in written for line in lines])
    return Preparation(render_fenced_text(mark, written), citations, found)


def _citation(
    number: int, section: str, one: DecisionRecord, said: Dissent | None
) -> PreparationCitation:
    whose = attribution_of_dissent(said) if said else attribution_of(one.memory)
    return PreparationCitation(number, section, one.memory.id, said.id if said else None, whose)


def _format_decision(one: DecisionRecord) -> ModelText:
    votes = f"{one.record.agree} for, {one.record.disagree} against"
    recorded = f"recorded by {attribution_of(one.memory).model_text}"
    over = "superseded" if one.memory.valid_until else ""
    text = f"{_topic(one)}: {one.conclusion}"
    return render_entry((_format_day(one), one.strength, votes, recorded, over), text)


def _format_dissent(one: DecisionRecord, said: Dissent) -> ModelText:
    """Each text on a line of its own, so that none of them can add to what follows."""
    who = attribution_of_dissent(said).model_text
    lines = [f"On {_topic(one)}: {render_line(said.content)}"]
    if said.reasoning:
        lines.append(f"Reason: {render_line(said.reasoning)}")
    if said.rebuttal:
        by = answerer_of(said).model_text
        lines.append(f"Answered by {by}: {render_line(said.rebuttal)}")
    elif said.acknowledged:
        lines.append("Acknowledged.")
    return render_entry((_format_day(one), who, DissentType(said.form).label), "\n".join(lines))


def _topic(one: DecisionRecord) -> str:
    return f'"{render_name(one.memory.topic, longest=LONGEST_TOPIC)}"'


def _format_day(one: DecisionRecord) -> str:
    return one.place.decided_at.date().isoformat()
