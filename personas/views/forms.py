"""Forms for personas, blocks and one's own robot."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from orgs.languages.page_text import lazy_text
from personas.block_writes.overflow import WAYS as OVERFLOWS
from personas.block_writes.personal_data_check import WAYS as GATED
from personas.models.personas import MAX_HANDLE_LENGTH, MAX_LINE_LENGTH
from personas.registry.handles import HANDLE_FORMAT, InvalidHandleError, parse_handle
from robots.views.forms import LIFETIME_CHOICES, IdempotentForm, KeyForm

MAX_LINES, MAX_TEXT_LENGTH = 50, 100_000


class LinesField(forms.CharField):
    """A line each; gives a list. At most MOST_LINES lines of LONGEST_LINE characters."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": 3}))
        most = MAX_LINES * (MAX_LINE_LENGTH + 2)
        super().__init__(required=False, max_length=most, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """The lines without those that are empty."""
        lines = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        if len(lines) > MAX_LINES:
            raise ValidationError(
                gettext("At most %(max_lines)s lines; these are %(lines)s.")
                % {"max_lines": MAX_LINES, "lines": len(lines)}
            )
        if any(len(line) > MAX_LINE_LENGTH for line in lines):
            raise ValidationError(
                gettext("A line has at most %(max_line_length)s characters.")
                % {"max_line_length": MAX_LINE_LENGTH}
            )
        return lines


class PersonaForm(forms.Form):
    """The description of a persona; its handle does not change."""

    industry = forms.CharField(
        label=lazy_text("Industry"),
        max_length=100,
        help_text=lazy_text("As people write it: QSR, Retail."),
    )
    role = forms.CharField(
        label=lazy_text("Role"),
        max_length=100,
        help_text=lazy_text("As people write it: Real Estate."),
    )
    description = forms.CharField(
        label=lazy_text("Description"),
        max_length=5_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=lazy_text("One sentence: what these people do."),
    )
    kpis = LinesField(
        label=lazy_text("Figures that count for them"), help_text=lazy_text("One a line.")
    )
    motivations = LinesField(
        label=lazy_text("What they want to reach"), help_text=lazy_text("One a line.")
    )
    queries = LinesField(
        label=lazy_text("What they typically ask"), help_text=lazy_text("One a line.")
    )


class NewPersonaForm(PersonaForm):
    handle = forms.CharField(
        label=lazy_text("Handle"), max_length=MAX_HANDLE_LENGTH, help_text=HANDLE_FORMAT
    )
    field_order = ("handle",)

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        try:
            parse_handle(handle)
        except InvalidHandleError as error:
            raise ValidationError(
                gettext("%(error)s qsr_real_estate is one.") % {"error": error}
            ) from error
        return handle


class PersonaPageForm(forms.Form):
    """Where the list goes on."""

    after = forms.CharField(required=False, max_length=MAX_HANDLE_LENGTH)


class SuggestionsForm(forms.Form):
    """Which suggestions, and where the list goes on."""

    show = forms.ChoiceField(required=False, choices=[("decided", "decided")])
    before = forms.UUIDField(required=False)


class BlockForm(forms.Form):
    """The text of a block, the version that was read, and what to do if it is too long or
    stopped."""

    text = forms.CharField(
        label=lazy_text("Text"),
        required=False,
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "true"}),
    )
    version = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)
    on_overflow = forms.ChoiceField(required=False, choices=[(one, one) for one in OVERFLOWS])
    on_personal_data = forms.ChoiceField(required=False, choices=[(one, one) for one in GATED])

    def __init__(self, *args: Any, limit: int, label: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].label = label
        self.fields["text"].widget.attrs["data-count-to"] = limit

    def clean_text(self) -> str:
        # A browser ends each line by two characters.
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n").replace("\r", "\n")


class PersonalRobotKeyForm(IdempotentForm):
    """A key of the member's own robot; its scopes are fixed."""

    name = KeyForm.base_fields["name"]
    expires = forms.ChoiceField(
        label=lazy_text("It ends"), required=False, choices=LIFETIME_CHOICES
    )
    lifetime = KeyForm.lifetime
