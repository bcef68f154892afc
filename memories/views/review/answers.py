"""What can be answered to an item: the words on the buttons and the keys.

The key `a` is always the harmless approval of the kind. What forgets, drops, archives, lets through
or brings back has a key and words of its own.
"""

from dataclasses import dataclass

from memories.review.models import Cause, Proposal
from memories.views.review.changed import is_lifting
from orgs.models.audiences import Audience, AudienceKind


@dataclass(frozen=True, slots=True)
class Answer:
    """A button. does: approve, edit or reject. caution: it looks like what takes something away."""

    does: str
    key: str
    label: str
    caution: bool = False


def _usual(approve: str, reject: str = "Reject with a reason") -> tuple[Answer, ...]:
    return (
        Answer("approve", "a", approve),
        Answer("edit", "e", "Edit first"),
        Answer("reject", "r", reject, caution=True),
    )


def _careful(leave: str, act: Answer, edit: str = "") -> tuple[Answer, ...]:
    more = (Answer("edit", "e", edit),) if edit else ()
    return (Answer("reject", "a", leave), *more, act)


FORGET = Answer("approve", "f", "Forget this memory", caution=True)
# The first is the harmless approval.
ANSWERS: dict[Cause, tuple[Answer, ...]] = {
    Cause.PUBLISH: _usual("Approve and share with {whom}"),
    Cause.CORRECTION: _usual("Approve the new text"),
    Cause.REPORT: _careful("Keep it as it is", FORGET, "Correct it"),
    Cause.MENTION: _careful("Leave the name hidden, keep the rest", FORGET, "Correct it"),
    Cause.RETURN: _careful("Leave it forgotten", Answer("approve", "b", "Bring it back")),
    Cause.DUPLICATE: (Answer("reject", "a", "They differ: keep both"),),
    Cause.CONTRADICTION: (Answer("reject", "a", "Both are right: keep both"),),
    Cause.RED_LINE: (
        Answer("approve", "a", "Protect it"),
        Answer("reject", "r", "Leave it unprotected", caution=True),
    ),
    Cause.CAPACITY: _careful(
        "Leave them all", Answer("approve", "u", "Summarise and archive them", caution=True)
    ),
    Cause.PERSONAL_DATA: _usual("Publish without the personal words", "Keep it out"),
    Cause.POISON: _careful(
        "Leave it out", Answer("approve", "p", "Let it through", caution=True), "Edit first"
    ),
}
# Frequent reasons; the key of each is its number in this list.
READY: dict[Cause, tuple[str, ...]] = {
    Cause.REPORT: ("It is right as it stands.", "It may stay here."),
    Cause.PUBLISH: ("It does not concern everyone.", "It is known already.", "It is not right."),
    Cause.CORRECTION: ("What it says now is right.", "The new text leaves something out."),
}


def whom(target: Audience | None) -> str:
    """Whom a proposal is for, in a few words."""
    if target is not None and target.kind == AudienceKind.GROUP and target.group:
        return str(target.group.name or target.group.external_id)
    everyone = target is None or target.kind == AudienceKind.ORGANISATION
    return "everyone" if everyone else "its readers"


# The labels of corrections that leave the text, and of wishes that take a protection off.
_LABELS = {
    "Approve the new text": "Approve the change",
    "Protect it": "Take the protection off",
    "Leave it unprotected": "Leave it protected",
}


def _is_other(item: Proposal) -> bool:
    other = item.cause == Cause.CORRECTION and bool(item.changes) and not item.content
    return other or is_lifting(item)


def buttons(item: Proposal) -> dict[str, Answer]:
    """The answers to an item by what they do."""
    found = {}
    for one in ANSWERS[Cause(item.cause)]:
        label = _LABELS.get(one.label, one.label) if _is_other(item) else one.label
        label = label.replace("{whom}", whom(item.target_audience))
        found[one.does] = Answer(one.does, one.key, label, one.caution)
    return found


def harmless(item: Proposal) -> Answer:
    """The one that has the key `a`."""
    return next(one for one in buttons(item).values() if one.key == "a")
