"""What is said once an item is decided."""

from django.utils.translation import gettext

from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.views.review import changed, decision_buttons
from orgs.languages.page_text import lazy_text

DONE_MESSAGES = {
    (ProposalCause.CORRECTION, ProposalState.APPROVED): lazy_text(
        "Approved. The memory says the new text."
    ),
    (ProposalCause.REPORT, ProposalState.APPROVED): lazy_text("Done. The report is settled."),
    (ProposalCause.MENTION, ProposalState.APPROVED): lazy_text(
        "Done. Nothing of it is left to look at."
    ),
    (ProposalCause.RETURN, ProposalState.APPROVED): lazy_text("It is back."),
    (
        ProposalCause.PUBLISH,
        ProposalState.REJECTED,
    ): lazy_text("Rejected. Whoever proposed it sees that, with your reason."),
    (ProposalCause.CORRECTION, ProposalState.REJECTED): lazy_text(
        "Rejected. The memory keeps its text."
    ),
    (ProposalCause.REPORT, ProposalState.REJECTED): lazy_text("The memory stays as it is."),
    (ProposalCause.MENTION, ProposalState.REJECTED): lazy_text(
        "The rest stays. The name is gone for good."
    ),
    (ProposalCause.RETURN, ProposalState.REJECTED): lazy_text("It stays forgotten."),
    (ProposalCause.RED_LINE, ProposalState.APPROVED): lazy_text("Protected. It stays as it is."),
    (ProposalCause.RED_LINE, ProposalState.REJECTED): lazy_text("It stays unprotected."),
    (
        ProposalCause.CAPACITY,
        ProposalState.APPROVED,
    ): lazy_text("Done. The originals are archived and can be brought back."),
    (
        ProposalCause.CAPACITY,
        ProposalState.REJECTED,
    ): lazy_text("All of them stay. This is asked again when there are more."),
    (
        ProposalCause.DUPLICATE,
        ProposalState.REJECTED,
    ): lazy_text("Both stay. They are not shown as the same again."),
    (
        ProposalCause.CONTRADICTION,
        ProposalState.APPROVED,
    ): lazy_text("The newer one holds. The older says until when it did."),
    (ProposalCause.PERSONAL_DATA, ProposalState.APPROVED): lazy_text(
        "Published without what was marked."
    ),
    (
        ProposalCause.PERSONAL_DATA,
        ProposalState.REJECTED,
    ): lazy_text("Kept out. Its author sees that, with your reason."),
    (ProposalCause.POISON, ProposalState.APPROVED): lazy_text(
        "Let through. Robots are answered from it now."
    ),
    (ProposalCause.POISON, ProposalState.REJECTED): lazy_text("Kept out. No answer uses it."),
    (
        ProposalCause.CONTRADICTION,
        ProposalState.REJECTED,
    ): lazy_text("Both stay. They are not shown side by side again."),
}
DEFAULT_DONE_MESSAGES = {
    ProposalState.MERGED: lazy_text("Merged. One memory is left."),
    ProposalState.REJECTED: lazy_text("Left as it was."),
    ProposalState.APPROVED: lazy_text("Approved."),
}


def done_message(item: Proposal) -> str:
    """What has happened, for the toast."""
    if (
        item.state == ProposalState.APPROVED
        and item.cause == ProposalCause.CORRECTION
        and not item.content
    ):
        return gettext("Approved. The change holds now.")
    if changed.is_lifting(item):
        off = item.state == ProposalState.APPROVED
        return gettext("It is not protected any more.") if off else gettext("It stays protected.")
    if (item.cause, item.state) == (ProposalCause.PUBLISH, ProposalState.APPROVED):
        return (
            gettext("Approved. %(target_audience)s can read it now.")
            % {"target_audience": decision_buttons.target_label(item.target_audience)}
        ).replace("everyone", gettext("Everyone"))
    return (
        DONE_MESSAGES.get((ProposalCause(item.cause), ProposalState(item.state)))
        or DEFAULT_DONE_MESSAGES[ProposalState(item.state)]
    )
