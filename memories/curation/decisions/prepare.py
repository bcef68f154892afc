"""The text that prepares a meeting: similar decisions and their dissents."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.context.assembly.fence import entry, fenced, new_mark
from memories.curation.decisions.attribution import answerer_of, attribution_of_dissent
from memories.curation.decisions.models import Dissent, DissentKind
from memories.curation.decisions.read import SIMILAR, WholeDecision, similar_to
from memories.language.rendering.model_text import ModelText, render_entry, render_line, render_name
from memories.store.speakers.attribution import Attribution, attribution_of
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

LONGEST_TOPIC = 300
RISKS, OPEN, DECIDED = "risks", "open_dissents", "decisions"
TITLES = {
    RISKS: "Risk warnings",
    OPEN: "Dissents that nobody has answered",
    DECIDED: "Similar decisions",
}


@dataclass(frozen=True, slots=True)
class PreparedCitation:
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
    sections: list[tuple[str, list[tuple[WholeDecision, Dissent | None]]]] = [
        (RISKS, [(one, said) for one, said in risks]),
        (OPEN, [(one, said) for one, said in open_]),
        (DECIDED, [(one, None) for one in found]),
    ]
    citations: list[PreparedCitation] = []
    written: list[tuple[str, list[str]]] = []
    for name, pieces in sections:
        lines = []
        for one, said in pieces:
            number = len(citations) + 1
            citations.append(_citation(number, name, one, said))
            lines.append(entry(number, _dissent(one, said) if said else _decision(one)))
        written.append((TITLES[name], lines))
    mark = new_mark([line for _, lines in written for line in lines])
    return Preparation(fenced(mark, written), citations, found)


def _citation(
    number: int, section: str, one: WholeDecision, said: Dissent | None
) -> PreparedCitation:
    whose = attribution_of_dissent(said) if said else attribution_of(one.memory)
    return PreparedCitation(number, section, one.memory.id, said.id if said else None, whose)


def _decision(one: WholeDecision) -> ModelText:
    votes = f"{one.record.agree} for, {one.record.disagree} against"
    recorded = f"recorded by {attribution_of(one.memory).model_text}"
    over = "superseded" if one.memory.valid_until else ""
    text = f"{_topic(one)}: {one.conclusion}"
    return render_entry((_day(one), one.strength, votes, recorded, over), text)


def _dissent(one: WholeDecision, said: Dissent) -> ModelText:
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
    return render_entry((_day(one), who, DissentKind(said.form).label), "\n".join(lines))


def _topic(one: WholeDecision) -> str:
    return f'"{render_name(one.memory.topic, longest=LONGEST_TOPIC)}"'


def _day(one: WholeDecision) -> str:
    return one.place.decided_at.date().isoformat()
