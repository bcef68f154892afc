"""The forms of memories."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from memories.access.audience_labels import AudienceChoice
from memories.ingestion.drafts import ContentTooLongError, check_content_size
from memories.store.models.choices import Category
from memories.store.tag_names import InvalidTagError, coerce_tag, normalise_tags
from memories.views.memory_presenter import CATEGORY_LABELS
from orgs.languages.page_text import choice_options, format_number, lazy_text
from orgs.models.organisations import Group

# The word that confirms to forget everything.
CONFIRM_FORGET = lazy_text("forget everything")
CONFIRM_ERASURE = "erase"
CONFIRM_ERASE_ME = lazy_text("erase me")
MAX_QUERY_CHARACTERS = 2000
MAX_TAGS = 20
IMPORTANCE_CHOICES = (
    ("0.3", lazy_text("Low")),
    ("0.5", lazy_text("Normal")),
    ("0.8", lazy_text("High")),
)
TOO_LONG_MESSAGE = lazy_text(
    "This is longer than a memory may be ({most} bytes). Keep the part that matters."
)


def _optional_choice(words: Any) -> forms.ChoiceField:
    return forms.ChoiceField(required=False, choices=[("", ""), *choice_options(words.choices)])


def _category_choices() -> list[tuple[str, str]]:
    named = [
        (value, CATEGORY_LABELS.get(value) or label)
        for value, label in choice_options(Category.choices)
    ]
    return [("", gettext("None")), *sorted(named, key=lambda pair: pair[1])]


class MemoryTextField(forms.CharField):
    """The text of a memory, with line ends as they are stored."""

    def clean(self, value: Any) -> str:
        """Raises ValidationError for what is too long."""
        text: str = super().clean(value).replace("\r\n", "\n")
        try:
            check_content_size(text)
        except ContentTooLongError as error:
            most = settings.MEMORY_MAX_BYTES
            raise ValidationError(TOO_LONG_MESSAGE.format(most=format_number(most))) from error
        return text


class MemoryForm(forms.Form):
    content = MemoryTextField(
        label=lazy_text("What is worth knowing"),
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": lazy_text("Write what should be remembered.")},
    )
    category = forms.ChoiceField(
        label=lazy_text("Category"), required=False, choices=_category_choices
    )
    importance = forms.ChoiceField(
        label=lazy_text("Importance"),
        choices=IMPORTANCE_CHOICES,
        initial="0.5",
        widget=forms.RadioSelect,
    )
    sensitive = forms.BooleanField(
        required=False,
        label=lazy_text("Keep it encrypted"),
        help_text=lazy_text(
            "No search and no robot’s question finds its words. Readers find it in lists "
            "and by its tags."
        ),
    )

    def clean_importance(self) -> float:
        return float(self.cleaned_data["importance"])


class AddMemoryForm(MemoryForm):
    """With who may read it; the audiences are those that the writer may choose."""

    audience = forms.ChoiceField(
        error_messages={
            "required": lazy_text("Choose who may read this."),
            "invalid_choice": lazy_text("You cannot choose these readers any more; choose again."),
        }
    )

    def __init__(self, audiences: list[dict[str, Any]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["audience"].choices = [(a["value"], a["label"]) for a in audiences]

    def placed(self) -> dict[str, Any]:
        """The visibility and group of the draft."""
        kind, _, group = self.cleaned_data["audience"].partition(":")
        return {"visibility": kind, "group": group or None}


class EditMemoryForm(MemoryForm):
    """shareable is asked only where it means something (see `presenter.can_be_shareable`)."""

    shareable = forms.BooleanField(
        required=False,
        label=lazy_text("May be said outside its group"),
        help_text=lazy_text(
            "Robots may use it when they answer elsewhere, and what several groups show of "
            "somebody may become known to everyone."
        ),
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, grouped: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not grouped:
            del self.fields["shareable"]


def nearest_importance(value: float) -> str:
    """The choice that is nearest to a stored importance."""
    return min((name for name, _ in IMPORTANCE_CHOICES), key=lambda name: abs(float(name) - value))


def audience_choices(
    places: Sequence[AudienceChoice], *, proposes: bool, chosen: str | None
) -> list[dict[str, Any]]:
    """For components/choice_audience.html: from the narrowest to the widest."""
    found = []
    for place in places:
        readers = place.readers
        sentence = f"{readers.sentence} {readers.note}".strip()
        if proposes and place.value == "organisation":
            sentence = gettext("A curator looks at it first. Then: %(sentence)s") % {
                "sentence": sentence
            }
        found.append(
            {
                "value": place.value,
                "kind": readers.kind,
                "label": readers.label,
                "sentence": sentence,
                "checked": place.value == chosen,
            }
        )
    return found


class BulkChangeForm(forms.Form):
    """One change for several; what is left empty stays."""

    category = forms.ChoiceField(
        label=lazy_text("Category"),
        required=False,
        choices=lambda: [
            ("", gettext("As it is")),
            ("none", gettext("None")),
            *_category_choices()[1:],
        ],
    )
    importance = forms.ChoiceField(
        label=lazy_text("Importance"),
        required=False,
        choices=[("", lazy_text("As it is")), *IMPORTANCE_CHOICES],
    )
    tags = forms.CharField(
        required=False,
        max_length=500,
        label=lazy_text("Tags to add"),
        help_text=lazy_text(
            "With commas between them, and a colon between levels: project:apollo. "
            "“Rent Contract” becomes rent-contract."
        ),
    )

    def clean(self) -> dict[str, Any]:
        if not self.errors and not any(self.cleaned_data.values()):
            raise ValidationError(gettext("Choose what to change."))
        return self.cleaned_data

    def clean_tags(self) -> tuple[str, ...]:
        written = [tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()]
        if len(written) > MAX_TAGS:
            raise ValidationError(
                gettext("Up to %(max_tags)s tags at once.") % {"max_tags": MAX_TAGS}
            )
        try:
            return tuple(normalise_tags(coerce_tag(tag) or tag for tag in written))
        except InvalidTagError as error:
            raise ValidationError(str(error)) from error

    def wanted(self) -> dict[str, Any]:
        """The fields of the change."""
        data = self.cleaned_data
        category = "" if data["category"] == "none" else data["category"] or None
        importance = float(data["importance"]) if data["importance"] else None
        return {"category": category, "importance": importance, "tags": data["tags"]}


class BulkShareForm(forms.Form):
    """Who may read from now on; the audiences are those that the asker may choose."""

    audience = forms.ChoiceField(
        error_messages={"required": lazy_text("Choose who may read them.")}
    )

    def __init__(self, audiences: list[dict[str, Any]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["audience"].choices = [(a["value"], a["label"]) for a in audiences]

    def placed(self) -> dict[str, Any]:
        """The visibility and group of the change."""
        kind, _, group = self.cleaned_data["audience"].partition(":")
        return {"visibility": kind, "group": group or None}


class FindPeopleForm(forms.Form):
    """Part of a name, typed while choosing people."""

    find = forms.CharField(required=False, max_length=100)


class ShareMemoryForm(BulkShareForm):
    """For one memory, also some people by name: those who are ticked, and those found so far."""

    people = forms.MultipleChoiceField(
        required=False,
        label=lazy_text("Which people"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": lazy_text("Somebody whom you ticked is not here any more.")
        },
    )

    def __init__(
        self, audiences: list[dict[str, Any]], people: list[tuple[UUID, str]], *args: Any
    ) -> None:
        super().__init__(audiences, *args)
        self.fields["people"].choices = [(str(id_), name) for id_, name in people]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("audience") == "shared" and not self.cleaned_data.get("people"):
            self.add_error("people", gettext("Tick somebody."))
        return self.cleaned_data

    def placed(self) -> dict[str, Any]:
        """What `share_memory` takes."""
        people = self.cleaned_data.get("people", [])
        some = self.cleaned_data["audience"] == "shared"
        return super().placed() | {"readers": {"members": tuple(people)} if some else {}}


class SaveViewForm(forms.Form):
    name = forms.CharField(label=lazy_text("Name"), max_length=60)
    query = forms.CharField(required=False, max_length=2000)


class PlaygroundForm(forms.Form):
    """A question, and as whom it is asked."""

    as_whom = forms.ChoiceField(
        label=lazy_text("Ask as"), error_messages={"required": lazy_text("Choose somebody.")}
    )
    question = forms.CharField(
        label=lazy_text("Question"),
        max_length=MAX_QUERY_CHARACTERS,
        error_messages={"required": lazy_text("Write a question.")},
    )

    group = forms.ChoiceField(required=False, label=lazy_text("In a group"))

    def __init__(
        self,
        members: list[tuple[UUID, str]],
        robots: list[tuple[UUID, str]],
        groups: list[Group],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["group"].choices = [
            ("", gettext("None in particular")),
            *((str(group.id), group.name) for group in groups),
        ]
        self.fields["as_whom"].choices = [
            (gettext("People"), [(f"member:{id_}", name) for id_, name in members]),
            (gettext("Robots"), [(f"robot:{id_}", name) for id_, name in robots]),
        ]

    def asked_as(self) -> tuple[str, dict[str, UUID]]:
        """The name, and {"member": id} or {"robot": id}."""
        value = self.cleaned_data["as_whom"]
        kind, _, id_ = value.partition(":")
        names = {key: name for _, group in self.fields["as_whom"].choices for key, name in group}
        return names[value], {kind: UUID(id_)}


class ReceiptForm(forms.Form):
    """The signed copy of a receipt; a long one has some thousand characters."""

    copy = forms.CharField(max_length=100_000)
