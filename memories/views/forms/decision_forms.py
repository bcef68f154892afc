"""The forms of decisions."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from memories.curation.decision_records.dissents import DissentDraft
from memories.curation.decision_records.models import DissentType
from memories.curation.decision_records.record_decision import ClaimDraft, DecisionDraft
from memories.store.tag_names import InvalidTagError, coerce_tag, normalise_tags
from orgs.languages.page_text import choice_options, lazy_text

MAX_TOPIC_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_ENTRIES, MAX_VOTES = 300, 5000, 100, 1_000_000
CONFIDENCE_CHOICES = (
    ("0.4", lazy_text("Doubtful")),
    ("0.7", lazy_text("Fairly sure")),
    ("1.0", lazy_text("Sure")),
)


class DecisionSearchForm(forms.Form):
    """The filters in the address of the list; similar: decisions on a like topic, the best
    first."""

    topic = forms.CharField(required=False, max_length=MAX_TOPIC_CHARACTERS)
    domain = forms.CharField(required=False, max_length=100)
    similar = forms.BooleanField(required=False)
    after = forms.CharField(required=False, max_length=200)


class DissentForm(forms.Form):
    kind = forms.ChoiceField(
        choices=[("", lazy_text("Choose what it is")), *choice_options(DissentType.choices)],
        label=lazy_text("What it is"),
        error_messages={"required": lazy_text("Choose what it is.")},
    )
    content = forms.CharField(
        label=lazy_text("What you see otherwise"),
        max_length=MAX_TEXT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": lazy_text("Write what you see otherwise.")},
    )
    reasoning = forms.CharField(
        label=lazy_text("Why"),
        required=False,
        max_length=MAX_TEXT_CHARACTERS,
        widget=forms.Textarea({"rows": 2}),
    )
    confidence = forms.ChoiceField(
        choices=CONFIDENCE_CHOICES,
        initial="0.7",
        widget=forms.RadioSelect,
        label=lazy_text("How sure you are"),
    )

    def draft(self) -> DissentDraft:
        """The dissent as the service takes it."""
        data = self.cleaned_data
        return DissentDraft(
            kind=data["kind"],
            content=data["content"],
            reasoning=data["reasoning"],
            confidence=float(data["confidence"]),
        )


class DissentAnswerForm(forms.Form):
    """A reply to a dissent; an empty one acknowledges it."""

    rebuttal = forms.CharField(
        label=lazy_text("What speaks against it"),
        required=False,
        max_length=MAX_TEXT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    acknowledged = forms.BooleanField(required=False, label=lazy_text("We have taken note of it"))

    def clean(self) -> dict[str, Any]:
        if not self.errors and not any(self.cleaned_data.values()):
            raise ValidationError(
                gettext("Tick that it was noted, or write what speaks against it.")
            )
        return self.cleaned_data


class DecisionForm(forms.Form):
    """audiences: those that the writer may choose; members: (id, name) whom they know."""

    topic = forms.CharField(
        label=lazy_text("What it is about"),
        max_length=MAX_TOPIC_CHARACTERS,
        help_text=lazy_text("In a few words. Decisions on the same words are found together."),
        error_messages={"required": lazy_text("Write what was decided on.")},
    )
    conclusion = forms.CharField(
        label=lazy_text("What was decided"),
        max_length=MAX_TEXT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": lazy_text("Write what was decided.")},
    )
    agree = forms.IntegerField(
        label=lazy_text("For it"), min_value=0, max_value=MAX_VOTES, initial=0
    )
    disagree = forms.IntegerField(
        label=lazy_text("Against it"), min_value=0, max_value=MAX_VOTES, initial=0
    )
    confidence = forms.ChoiceField(
        choices=CONFIDENCE_CHOICES,
        initial="1.0",
        widget=forms.RadioSelect,
        label=lazy_text("How sure you were"),
    )
    participants = forms.MultipleChoiceField(
        label=lazy_text("Who took part"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=lazy_text("They read it only if they are among its readers."),
    )
    others = forms.CharField(
        label=lazy_text("Who else took part"),
        required=False,
        max_length=2000,
        help_text=lazy_text("Names with commas between them. They stay names."),
    )
    claims = forms.CharField(
        label=lazy_text("What was said for it"),
        required=False,
        max_length=MAX_TEXT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=lazy_text("One reason a line."),
    )
    domain = forms.CharField(
        label=lazy_text("Domain"),
        required=False,
        max_length=100,
        help_text=lazy_text("Such as finance or hiring."),
    )
    tags = forms.CharField(
        label=lazy_text("Tags"),
        required=False,
        max_length=500,
        help_text=lazy_text("With commas between them: project:apollo."),
    )
    decided_on = forms.DateField(
        label=lazy_text("Decided on"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=lazy_text("Left empty, it is now."),
    )
    supersedes = forms.UUIDField(required=False, widget=forms.HiddenInput)
    audience = forms.ChoiceField(
        error_messages={
            "required": lazy_text("Choose who may read this."),
            "invalid_choice": lazy_text("You cannot choose these readers any more; choose again."),
        }
    )

    def __init__(
        self,
        audiences: Sequence[dict[str, Any]],
        members: Sequence[tuple[UUID, str]],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["audience"].choices = [(a["value"], a["label"]) for a in audiences]
        self.fields["participants"].choices = [(str(id_), name) for id_, name in members]

    def clean_others(self) -> tuple[str, ...]:
        names = [one.strip() for one in self.cleaned_data["others"].split(",")]
        names = [one for one in names if one]
        if any(":" in one for one in names):
            raise ValidationError(gettext("Names have no colon. Members are chosen above."))
        if len(names) > MAX_ENTRIES or any(len(one) > MAX_TOPIC_CHARACTERS for one in names):
            raise ValidationError(
                gettext(
                    "Up to %(max_entries)s names, each of up to %(max_topic_characters)s "
                    "characters."
                )
                % {"max_entries": MAX_ENTRIES, "max_topic_characters": MAX_TOPIC_CHARACTERS}
            )
        return tuple(names)

    def clean_claims(self) -> tuple[ClaimDraft, ...]:
        lines = [one.strip() for one in self.cleaned_data["claims"].splitlines() if one.strip()]
        if len(lines) > MAX_ENTRIES:
            raise ValidationError(
                gettext("Up to %(max_entries)s lines.") % {"max_entries": MAX_ENTRIES}
            )
        return tuple(ClaimDraft(text=one) for one in lines)

    def clean_tags(self) -> tuple[str, ...]:
        written = [tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()]
        try:
            return tuple(normalise_tags(coerce_tag(tag) or tag for tag in written))
        except InvalidTagError as error:
            raise ValidationError(str(error)) from error

    def draft(self) -> DecisionDraft:
        """The decision as the service takes it. A day alone is its noon."""
        data = self.cleaned_data
        kind, _, group = data["audience"].partition(":")
        day: date | None = data["decided_on"]
        return DecisionDraft(
            topic=data["topic"],
            conclusion=data["conclusion"].replace("\r\n", "\n"),
            confidence=float(data["confidence"]),
            participants=(*data["participants"], *data["others"]),
            agree=data["agree"],
            disagree=data["disagree"],
            claims=data["claims"],
            domain=data["domain"],
            tags=data["tags"],
            visibility=kind,
            group=group or None,
            decided_at=datetime.combine(day, time(12), UTC) if day else None,
            supersedes=data["supersedes"],
        )
