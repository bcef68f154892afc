"""The forms of webhooks."""

from django import forms

from memories.webhooks.models import SUBSCRIBED_TYPES, DeliveryState, EventType
from orgs.languages.page_text import lazy_text
from orgs.outbound.url_rules import MAX_URL_CHARACTERS
from robots.views.forms import IdempotentForm

EVENT_LABELS: dict[str, str] = {
    EventType.MEMORY_CREATED: lazy_text("You can read a new memory"),
    EventType.MEMORY_CHANGED: lazy_text("A memory was changed"),
    EventType.MEMORY_FORGOTTEN: lazy_text("A memory was forgotten"),
    EventType.MEMORY_ERASED: lazy_text("A memory was erased"),
    EventType.MEMORY_GONE: lazy_text("You can read a memory no longer"),
    EventType.DECISION_RECORDED: lazy_text("A decision was recorded"),
    EventType.JOB_FINISHED: lazy_text("A job of yours ended"),
    EventType.PROPOSAL_OPENED: lazy_text("Something waits in Review"),
    EventType.PROPOSAL_DECIDED: lazy_text("Something in Review was decided"),
    EventType.KEY_EXPIRING: lazy_text("A key ends within a week"),
    EventType.MEMBER_OPTED_OUT: lazy_text("A member opted out of sharing"),
    EventType.TEST: lazy_text("Test"),
}
STATE_LABELS: dict[str, tuple[str, str]] = {
    DeliveryState.WAITING: (lazy_text("Waiting"), "warn"),
    DeliveryState.SENT: (lazy_text("Delivered"), "good"),
    DeliveryState.WITHHELD: (lazy_text("Withheld"), ""),
    DeliveryState.DEAD: (lazy_text("Given up"), "bad"),
}


class EndpointForm(forms.Form):
    """What an endpoint is told, and where."""

    url = forms.CharField(
        max_length=MAX_URL_CHARACTERS,
        label=lazy_text("Address"),
        help_text=lazy_text("https, to a host of the public internet. Redirects are not followed."),
        error_messages={"required": lazy_text("Write the address that is to be called.")},
        widget=forms.URLInput(
            attrs={"placeholder": "https://hooks.example.org/commonmind", "autocomplete": "off"}
        ),
    )
    events = forms.MultipleChoiceField(
        label=lazy_text("Events"),
        choices=[
            (str(one), lazy_text("%(label)s (%(event)s)", label=EVENT_LABELS[one], event=one))
            for one in SUBSCRIBED_TYPES
        ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": lazy_text("Choose at least one event.")},
    )
    with_text = forms.BooleanField(
        required=False,
        label=lazy_text("Send the text of a memory as well"),
        help_text=lazy_text(
            "As you may read it when it is sent; never one that is kept encrypted. Without "
            "it only ids leave."
        ),
    )


class NewEndpointForm(EndpointForm, IdempotentForm):
    """A new one, made once however often the form is sent."""


class DeliveryFilterForm(forms.Form):
    """The filters in the address; what is not understood is ignored."""

    state = forms.ChoiceField(choices=DeliveryState.choices, required=False)
    event = forms.ChoiceField(choices=EventType.choices, required=False)
    before = forms.UUIDField(required=False)


class RotationForm(forms.Form):
    """after: see `rotate_secret`."""

    after = forms.CharField(max_length=40, required=False)
