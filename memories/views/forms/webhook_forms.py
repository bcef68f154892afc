"""The forms of webhooks."""

from django import forms

from memories.webhooks.endpoint_url import MAX_URL_CHARACTERS
from memories.webhooks.models import SUBSCRIBED_TYPES, DeliveryState, EventType
from robots.views.forms import IdempotentForm

EVENT_LABELS: dict[str, str] = {
    EventType.MEMORY_CREATED: "You can read a new memory",
    EventType.MEMORY_CHANGED: "A memory was changed",
    EventType.MEMORY_FORGOTTEN: "A memory was forgotten",
    EventType.MEMORY_ERASED: "A memory was erased",
    EventType.MEMORY_GONE: "You can read a memory no longer",
    EventType.DECISION_RECORDED: "A decision was recorded",
    EventType.JOB_FINISHED: "A job of yours ended",
    EventType.PROPOSAL_OPENED: "Something waits in Review",
    EventType.PROPOSAL_DECIDED: "Something in Review was decided",
    EventType.KEY_EXPIRING: "A key ends within a week",
    EventType.MEMBER_OPTED_OUT: "A member opted out of sharing",
    EventType.TEST: "Test",
}
STATE_LABELS: dict[str, tuple[str, str]] = {
    DeliveryState.WAITING: ("Waiting", "warn"),
    DeliveryState.SENT: ("Delivered", "good"),
    DeliveryState.WITHHELD: ("Withheld", ""),
    DeliveryState.DEAD: ("Given up", "bad"),
}


class EndpointForm(forms.Form):
    """What an endpoint is told, and where."""

    url = forms.CharField(
        max_length=MAX_URL_CHARACTERS,
        label="Address",
        help_text="https, to a host of the public internet. Redirects are not followed.",
        error_messages={"required": "Write the address that is to be called."},
        widget=forms.URLInput(
            attrs={"placeholder": "https://hooks.example.org/commonmind", "autocomplete": "off"}
        ),
    )
    events = forms.MultipleChoiceField(
        label="Events",
        choices=[(str(one), f"{EVENT_LABELS[one]} ({one})") for one in SUBSCRIBED_TYPES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one event."},
    )
    with_text = forms.BooleanField(
        required=False,
        label="Send the text of a memory as well",
        help_text="As you may read it when it is sent; never one that is kept encrypted. Without "
        "it only ids leave.",
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
