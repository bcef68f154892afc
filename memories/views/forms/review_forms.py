"""The forms of the review queue."""

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext

from memories.curation.bulk_review.decide_bulk import MAX_ITEMS
from memories.review.models import ProposalCause
from memories.views.forms.memory_forms import MemoryTextField
from orgs.languages.page_text import lazy_text
from orgs.organisations.references import parse_uuid


class QueueForm(forms.Form):
    """What the list of the review queue shows."""

    show = forms.ChoiceField(
        required=False, choices=[(v, v) for v in ("waiting", "mine", "decided")]
    )
    cause = forms.ChoiceField(required=False, choices=ProposalCause.choices)
    assigned = forms.ChoiceField(required=False, choices=[("me", "me"), ("nobody", "nobody")])
    after = forms.UUIDField(required=False)


class ReviewDecisionForm(forms.Form):
    """The version that was read when somebody decided."""

    version = forms.IntegerField(required=False, min_value=1)
    reason = forms.CharField(label=lazy_text("Reason"), required=False, max_length=2000)
    into = forms.UUIDField(required=False)
    into_version = forms.IntegerField(required=False, min_value=1)


class ApproveEditedForm(ReviewDecisionForm):
    content = MemoryTextField(
        label=lazy_text("Content"),
        error_messages={"required": lazy_text("Write what it should say.")},
    )


class RejectForm(ReviewDecisionForm):
    """With a reason for the one who proposed it."""


class MergeForm(ReviewDecisionForm):
    """With `content`, what the memory that stays says from then on; nothing is chosen unasked.

    into: an id, or from a list of several `id:version`.
    """

    into = forms.CharField(error_messages={"required": lazy_text("Choose the memory that stays.")})
    content = MemoryTextField(
        label=lazy_text("Content"),
        error_messages={
            "required": lazy_text(
                "Write what it should say from then on. Empty, one of the two texts would "
                "be lost unseen."
            )
        },
    )

    def clean(self) -> dict[str, Any]:
        """The id of the memory that stays, and the version of it that was on the screen."""
        id_, _, version = self.cleaned_data.get("into", "").partition(":")
        self.cleaned_data["into"] = found = parse_uuid(id_)
        if found is None and not self.has_error("into"):
            self.add_error("into", gettext("Choose the memory that stays."))
        elif found and version.isdecimal() and len(version) < 10:
            self.cleaned_data["into_version"] = int(version)
        return self.cleaned_data


class PairForm(ReviewDecisionForm):
    """A decision about two memories side by side, without another text."""

    into = forms.UUIDField()


class BulkReviewForm(forms.Form):
    """selected: ids; or, to confirm, chosen: `id:version` of what was read."""

    confirm = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """`chosen` is {id: version}; nothing chosen at all is an error."""
        data: Any = self.data
        split = [one.partition(":") for one in data.getlist("chosen")[:MAX_ITEMS]]
        read = {parse_uuid(id_): int(v) for id_, _, v in split if v.isdecimal() and len(v) < 10}
        self.cleaned_data["chosen"] = {id_: v for id_, v in read.items() if id_}
        if not self.ids():
            raise forms.ValidationError(gettext("Choose one or more items first."))
        return self.cleaned_data

    def ids(self) -> list[UUID]:
        """What was chosen, or was to be confirmed."""
        data: Any = self.data
        picked = [parse_uuid(one) for one in data.getlist("selected")[:MAX_ITEMS]]
        return [*(id_ for id_ in picked if id_), *self.cleaned_data["chosen"]]


class AssignForm(forms.Form):
    member = forms.UUIDField(required=False)


class SuggestForm(forms.Form):
    """Another text for a memory that is somebody else's."""

    content = MemoryTextField(
        label=lazy_text("What it should say"),
        widget=forms.Textarea(attrs={"rows": 5, "class": "memory-input"}),
        error_messages={"required": lazy_text("Write what it should say.")},
    )
    reason = forms.CharField(label=lazy_text("Why"), required=False, max_length=2000)


class ReportForm(forms.Form):
    reason = forms.CharField(
        label=lazy_text("What is wrong with it"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": lazy_text("Say in a few words what is wrong.")},
    )
