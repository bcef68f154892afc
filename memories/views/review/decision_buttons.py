"""What can be answered to an item: the words on the buttons and the keys.

The key `a` is always the harmless approval of the kind. What forgets, drops, archives, lets through
or brings back has a key and words of its own.
"""

from dataclasses import dataclass, replace

from django.utils.translation import gettext

from memories.review.models import Proposal, ProposalCause
from memories.views.review.changed import is_lifting
from orgs.languages.page_text import lazy_text
from orgs.models.audiences import Audience, AudienceType


@dataclass(frozen=True, slots=True)
class DecisionButton:
    """A button. does: approve, edit or reject. caution: it looks like what takes something away.
    quiet: it is no better an answer than the others, so it does not stand out."""

    does: str
    key: str
    label: str
    caution: bool = False
    quiet: bool = False

    @property
    def is_primary(self) -> bool:
        """Whether it stands out: the harmless answer, where there is one that fits as a rule."""
        return self.key == "a" and not self.quiet


def _approve_buttons(
    approve: str, reject: str = lazy_text("Reject with a reason")
) -> tuple[DecisionButton, ...]:
    return (
        DecisionButton("approve", "a", approve),
        DecisionButton("edit", "e", lazy_text("Edit first")),
        DecisionButton("reject", "r", reject, caution=True),
    )


def _reject_and_act_buttons(
    leave: str, act: DecisionButton, edit: str = ""
) -> tuple[DecisionButton, ...]:
    more = (DecisionButton("edit", "e", edit),) if edit else ()
    return (DecisionButton("reject", "a", leave), *more, act)


FORGET_BUTTON = DecisionButton("approve", "f", lazy_text("Forget this memory"), caution=True)
# The first is the harmless approval.
BUTTONS_BY_CAUSE: dict[ProposalCause, tuple[DecisionButton, ...]] = {
    ProposalCause.PUBLISH: _approve_buttons(lazy_text("Approve and share with {whom}")),
    ProposalCause.CORRECTION: _approve_buttons(lazy_text("Approve the new text")),
    ProposalCause.REPORT: _reject_and_act_buttons(
        lazy_text("Keep it as it is"), FORGET_BUTTON, lazy_text("Correct it")
    ),
    ProposalCause.MENTION: _reject_and_act_buttons(
        lazy_text("Leave the name hidden, keep the rest"), FORGET_BUTTON, lazy_text("Correct it")
    ),
    ProposalCause.RETURN: _reject_and_act_buttons(
        lazy_text("Leave it forgotten"), DecisionButton("approve", "b", lazy_text("Bring it back"))
    ),
    ProposalCause.DUPLICATE: (DecisionButton("reject", "a", lazy_text("They differ: keep both")),),
    ProposalCause.CONTRADICTION: (
        DecisionButton("reject", "a", lazy_text("Both are right: keep both"), quiet=True),
    ),
    ProposalCause.RED_LINE: (
        DecisionButton("approve", "a", lazy_text("Protect it")),
        DecisionButton("reject", "r", lazy_text("Leave it unprotected"), caution=True),
    ),
    ProposalCause.CAPACITY: _reject_and_act_buttons(
        lazy_text("Leave them all"),
        DecisionButton("approve", "u", lazy_text("Summarise and archive them"), caution=True),
    ),
    # What is left after a gate took words out may say nothing, or still say who it is.
    ProposalCause.PERSONAL_DATA: (
        DecisionButton("edit", "a", lazy_text("Edit first")),
        DecisionButton("approve", "p", lazy_text("Publish without the personal words")),
        DecisionButton("reject", "r", lazy_text("Keep it out"), caution=True),
    ),
    ProposalCause.POISON: _reject_and_act_buttons(
        lazy_text("Leave it out"),
        DecisionButton("approve", "p", lazy_text("Let it through"), caution=True),
        lazy_text("Edit first"),
    ),
}
# Frequent reasons; the key of each is its number in this list.
READY_REASONS: dict[ProposalCause, tuple[str, ...]] = {
    ProposalCause.REPORT: (
        lazy_text("It is right as it stands."),
        lazy_text("It may stay here."),
        lazy_text("It was corrected since."),
    ),
    ProposalCause.PUBLISH: (
        lazy_text("It does not concern everyone."),
        lazy_text("It is known already."),
        lazy_text("It is not right."),
    ),
    ProposalCause.CORRECTION: (
        lazy_text("What it says now is right."),
        lazy_text("The new text leaves something out."),
    ),
}


def target_label(target: Audience | None) -> str:
    """Whom a proposal is for, in a few words."""
    if target is not None and target.kind == AudienceType.GROUP and target.group:
        return str(target.group.name or target.group.external_id)
    everyone = target is None or target.kind == AudienceType.ORGANISATION
    return gettext("everyone") if everyone else gettext("its readers")


# The labels of corrections that leave the text, and of wishes that take a protection off.
_OTHER_LABELS = {
    (ProposalCause.CORRECTION, "approve"): lazy_text("Approve the change"),
    (ProposalCause.RED_LINE, "approve"): lazy_text("Take the protection off"),
    (ProposalCause.RED_LINE, "reject"): lazy_text("Leave it protected"),
}


def _is_other(item: Proposal) -> bool:
    other = item.cause == ProposalCause.CORRECTION and bool(item.changes) and not item.content
    return other or is_lifting(item)


def buttons_of_item(item: Proposal) -> dict[str, DecisionButton]:
    """The answers to an item by what they do."""
    found = {}
    for one in BUTTONS_BY_CAUSE[ProposalCause(item.cause)]:
        label = one.label
        if _is_other(item):
            label = _OTHER_LABELS.get((ProposalCause(item.cause), one.does), label)
        label = label.replace("{whom}", target_label(item.target_audience))
        found[one.does] = replace(one, label=label)
    return found


def harmless_button(item: Proposal) -> DecisionButton:
    """The one that has the key `a`."""
    return next(one for one in buttons_of_item(item).values() if one.key == "a")
