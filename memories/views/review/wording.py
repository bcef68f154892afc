"""Items of the review queue in words."""

from typing import Any

from django.urls import reverse

from memories.access.reader_sentences import AudienceSentence
from memories.curation.merge import together
from memories.curation.merge_equal import BY_ITSELF
from memories.curation.review_item import Inspected
from memories.language.excerpts import excerpt
from memories.library.word_diff import differences
from memories.restatement.models import Origin
from memories.review.models import HELD, PAIRS, Cause, Proposal, State
from memories.store.models.memory import Memory
from memories.views import origins, presenter
from memories.views.review import answers, changed, held
from robots.registry.who_taught import A_PERSONAL_ROBOT

TONES = {State.OPEN: "warn", State.APPROVED: "good", State.MERGED: "good", State.REJECTED: "bad"}
DONE = {
    (Cause.CORRECTION, State.APPROVED): "Approved. The memory says the new text.",
    (Cause.REPORT, State.APPROVED): "Done. The report is settled.",
    (Cause.MENTION, State.APPROVED): "Done. Nothing of it is left to look at.",
    (Cause.RETURN, State.APPROVED): "It is back.",
    (Cause.PUBLISH, State.REJECTED): "Rejected. Whoever proposed it sees that, with your reason.",
    (Cause.CORRECTION, State.REJECTED): "Rejected. The memory keeps its text.",
    (Cause.REPORT, State.REJECTED): "The memory stays as it is.",
    (Cause.MENTION, State.REJECTED): "The rest stays. The name is gone for good.",
    (Cause.RETURN, State.REJECTED): "It stays forgotten.",
    (Cause.RED_LINE, State.APPROVED): "Protected. It stays as it is.",
    (Cause.RED_LINE, State.REJECTED): "It stays unprotected.",
    (Cause.CAPACITY, State.APPROVED): "Done. The originals are archived and can be brought back.",
    (Cause.CAPACITY, State.REJECTED): "All of them stay. This is asked again when there are more.",
    (Cause.DUPLICATE, State.REJECTED): "Both stay. They are not shown as the same again.",
    (Cause.CONTRADICTION, State.APPROVED): "The newer one holds. The older says until when it did.",
    (Cause.PERSONAL_DATA, State.APPROVED): "Published without what was marked.",
    (Cause.PERSONAL_DATA, State.REJECTED): "Kept out. Its author sees that, with your reason.",
    (Cause.POISON, State.APPROVED): "Let through. Robots are answered from it now.",
    (Cause.POISON, State.REJECTED): "Kept out. No answer uses it.",
    (Cause.CONTRADICTION, State.REJECTED): "Both stay. They are not shown side by side again.",
}
_PAIRED = {
    Cause.DUPLICATE: "These two look like the same",
    Cause.CONTRADICTION: Cause.CONTRADICTION.label,
}
_MENTION = "It named somebody who was erased; the name is hidden"
OTHERWISE = {
    State.MERGED: "Merged. One memory is left.",
    State.REJECTED: "Left as it was.",
    State.APPROVED: "Approved.",
}


def who(item: Proposal, me: object) -> str:
    """Who asks for it."""
    if item.proposed_by_id:
        return "You" if item.proposed_by_id == me else item.proposed_by.name
    if item.robot is None:
        return ""
    if me and item.robot.owner_id == me:
        return "Your robot"
    told = item.memory.told(item.robot)
    return origins.robot_name(told) if told else A_PERSONAL_ROBOT


def why(item: Proposal, me: object, organisation: str) -> str:
    """Why it is here, in one sentence."""
    name = who(item, me)
    says, suggests = ("say", "suggest") if name == "You" else ("says", "suggests")
    match item.cause:
        case Cause.PUBLISH:
            return f"{name or 'Somebody'} {suggests} this for everyone in {organisation}"
        case Cause.CORRECTION:
            what = "another text" if item.content else "a change"
            return f"{name or 'Somebody'} {suggests} {what}"
        case Cause.REPORT:
            return f"{name or 'Somebody'} {says} that this is wrong or should not be here"
        case Cause.RETURN:
            return f"You forgot this, and {name or 'an import'} brings it again"
        case Cause.RED_LINE:
            asks = "ask" if name == "You" else "asks"
            what = "the protection ends" if changed.is_lifting(item) else "this is protected"
            return f"{name or 'Somebody'} {asks} that {what}"
    return _found(item, name)


def _found(item: Proposal, name: str) -> str:
    """What nobody asked for. name: who wrote it."""
    if item.cause in HELD:
        return held.why(item, name)
    if item.cause == Cause.CAPACITY:
        return too_many(item)
    return _MENTION if item.cause == Cause.MENTION else paired(item)


def paired(item: Proposal) -> str:
    """Why two are side by side."""
    said = ", says a language model" if item.details.get("found_by") == Origin.LLM else ""
    return _PAIRED[Cause(item.cause)] + said


def too_many(item: Proposal) -> str:
    """How many there were and how many may be, when it was proposed."""
    told = item.details
    held, most = f"{told['count']:,}", f"{told['capacity']:,}"
    if "label" in told:
        return f"{told['label']} holds {held} of at most {most} characters"
    return f"The {told['tier']} tier holds {held} of at most {most} for these readers"


def would_become(item: Proposal) -> str:
    """What approving would do, in numbers of when it was proposed."""
    chosen, summaries = item.details["chosen"], item.details["summaries"]
    least = "least confirmed" if "label" in item.details else "least important"
    them = f"The {least} one" if chosen == 1 else f"The {chosen:,} {least}"
    if not summaries:
        return f"{them} would be archived and can be brought back."
    into = "one summary" if summaries == 1 else f"{summaries:,} summaries"
    return f"{them} would become {into}; the originals are archived and can be brought back."


def is_by_itself(item: Proposal) -> bool:
    """Whether the organisation's policy merged it, and nobody decided."""
    merged = item.state == State.MERGED and item.decided_by_id is None
    return merged and BY_ITSELF in item.details


def _against(item: Proposal) -> str:
    """Of a pair what the older one says."""
    if item.cause not in PAIRS or not item.other_id:
        return ""
    beside = "Against" if item.cause == Cause.CONTRADICTION else "Beside"
    return f"{beside} “{excerpt(item.other.content, set(), 120)}”"


def state(item: Proposal) -> dict[str, str]:
    label = "Merged by itself" if is_by_itself(item) else State(item.state).label
    return {"label": label, "tone": TONES.get(State(item.state), "")}


def done(item: Proposal) -> str:
    """What has happened, for the toast."""
    if item.state == State.APPROVED and item.cause == Cause.CORRECTION and not item.content:
        return "Approved. The change holds now."
    if changed.is_lifting(item):
        off = item.state == State.APPROVED
        return "It is not protected any more." if off else "It stays protected."
    if (item.cause, item.state) == (Cause.PUBLISH, State.APPROVED):
        return f"Approved. {answers.whom(item.target_audience)} can read it now.".replace(
            "everyone", "Everyone"
        )
    return DONE.get((Cause(item.cause), State(item.state))) or OTHERWISE[State(item.state)]


def line(item: Proposal, me: object, organisation: str, current: object = None) -> dict[str, Any]:
    """One line of the list beside an item. current: the id of that item."""
    return {
        "id": item.id,
        "url": reverse("review-item", args=[item.id]),
        "text": excerpt(item.content or _shown(item), set(), 140),
        "why": _against(item) or why(item, me, organisation),
        "kind": Cause(item.cause).label,
        "assignee": item.assignee.name if item.assignee else "",
        "at": item.created_at,
        "current": item.id == current,
    }


def row(item: Proposal, readers: AudienceSentence, me: object, organisation: str) -> dict[str, Any]:
    """One line of a whole list."""
    return {
        "id": item.id,
        "url": reverse("review-item", args=[item.id]),
        "text": excerpt(item.content or _shown(item), set(), 200),
        "why": _against(item) or why(item, me, organisation),
        "kind": Cause(item.cause).label,
        "at": item.created_at,
        "audience": presenter.audience(readers, item.memory),
        "state": state(item),
        "assignee": item.assignee.name if item.assignee else "",
        "decision": item.decision,
        "decided_by": item.decided_by.name if item.decided_by else "",
        "decided_at": item.decided_at,
        "open": item.state == State.OPEN,
    }


def _shown(item: Proposal) -> str:
    """Its text, with invisible signs made visible if a gate holds it."""
    text: str = item.memory.content
    return held.revealed(text) if item.cause in HELD else text


def beside(memory: Memory, learned: str) -> dict[str, Any]:
    """What it would change or resembles. learned: who said it, where it comes from."""
    return {
        "id": memory.id,
        "choice": f"{memory.id}:{memory.version}",
        "content": excerpt(memory.content, set(), 1200),
        "whole": memory.content,
        "url": reverse("memory-page", args=[memory.id]),
        "version": memory.version,
        "learned": learned,
    }


def corrected(item: Proposal) -> list[dict[str, str]] | None:
    """What a correction changes, word by word; None for everything else."""
    if item.cause != Cause.CORRECTION or not item.content:
        return None
    return differences(item.memory.content, item.content)


def sides(older: str, newer: str) -> dict[str, list[dict[str, str]]] | None:
    """The words of two texts, with those marked that the other does not have; None if they share
    none, for then all of it would be marked."""
    parts = differences(older, newer)
    if not any(part["op"] == "same" for part in parts):
        return None
    return {
        "older": [part for part in parts if part["op"] != "ins"],
        "newer": [part for part in parts if part["op"] != "del"],
    }


def merged(context: dict[str, Any], form: Any, into: str) -> dict[str, str]:
    """What the form of merging shows: what was typed, else the texts of the two to be merged."""
    if form is not None:
        return {"into": form["into"].value() or "", "merged": form["content"].value() or ""}
    pair = context["item"]["is_pair"]
    texts = (one["text"] for one in context["together"] if pair or one["choice"] == into)
    return {"into": into, "merged": next(texts, "")}


def _url(memory: Memory) -> str:
    return reverse("memory-page", args=[memory.id])


def page(found: Inspected, me: object, organisation: str) -> dict[str, Any]:
    """For memories/review/item.html."""
    item, memory = found.item, found.item.memory
    buttons = answers.buttons(item)
    pair = item.cause in PAIRS
    similar = [beside(one, origins.learned(one, me) if pair else "") for one in found.similar]
    return {
        "item": {
            "id": item.id,
            "kind": Cause(item.cause).label,
            "why": why(item, me, organisation),
            "reason": item.reason,
            "at": item.created_at,
            "content": memory.content,
            "diff": corrected(item),
            "changed": changed.parts(item),
            "is_older": item.cause == Cause.CORRECTION and item.seen_version != memory.version,
            "url": reverse("memory-page", args=[memory.id]),
            "version": memory.version,
            "learned": origins.learned(memory, me),
            "category": presenter.category(memory),
            "state": state(item),
            "open": item.state == State.OPEN,
            "held_by": item.locked_by.name if found.held and item.locked_by else "",
            "assignee": item.assignee_id,
            "decision": item.decision,
            "decided_by": item.decided_by.name if item.decided_by else "",
            "decided_at": item.decided_at,
            "is_careful": buttons["reject"].key == "a" and not pair,
            "is_many": item.cause == Cause.CAPACITY,
            "would_become": would_become(item) if item.cause == Cause.CAPACITY else "",
            "is_wish": item.cause == Cause.RED_LINE,
            "is_pair": pair,
            "disagrees": item.cause == Cause.CONTRADICTION,
            "is_proposal": item.cause == Cause.PUBLISH,
            "may_merge": pair or item.cause == Cause.PUBLISH,
            "held": held.about(item, found.original) if item.cause in HELD else None,
        },
        "audience": presenter.audience(found.readers)
        | {"sheet_url": (sheet := reverse("review-readers", args=[item.id])), "url": sheet},
        "similar": similar,
        "like": [one for one in similar if one["id"] not in found.unlike],
        "unlike": [one for one in similar if one["id"] in found.unlike],
        "nothing_like_it": len(found.unlike) == len(similar),
        "sides": sides(found.similar[0].content, memory.content)
        if pair and found.similar
        else None,
        "together": [
            {"choice": f"{other.id}:{other.version}", "text": together(other, memory)}
            for other in found.similar
        ],
        "going": [
            {"text": excerpt(row.content, set(), 200), "url": _url(row)} for row in found.going
        ],
        "going_more": max(0, found.going_count - len(found.going)),
        "suggestion": item.content or memory.content,
        "buttons": buttons,
        "asks_why": item.proposed_by_id not in (None, me),
        "ready": answers.READY.get(Cause(item.cause), ()),
    }
