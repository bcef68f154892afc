"""The form of the organisation's automatic policy, for admins."""

from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext

from memories.lifecycle.ageing_policy import MAX_DAYS, MAX_KEEP_MOST
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.tiers import TIER_RULES, tier_capacities
from memories.store.models.choices import Type
from orgs.languages.page_text import format_decimal, format_number, lazy_text

TYPE_LABELS = {
    Type.CONVERSATION: lazy_text("Conversations"),
    Type.FACT: lazy_text("Facts"),
    Type.PREFERENCE: lazy_text("Preferences"),
    Type.EXPERTISE: lazy_text("Expertise"),
    Type.ANNOUNCEMENT: lazy_text("Announcements"),
    Type.INTERACTION: lazy_text("Interactions"),
}
TIER_WORDS = {
    "fast": lazy_text("fast"),
    "medium": lazy_text("medium"),
    "slow": lazy_text("slow"),
    "glacial": lazy_text("glacial"),
}
DAYS_FIELDS = {f"days_{type_}": type_ for type_ in TYPE_LABELS}


def capacity_label(profile: str) -> str:
    """The capacities of a profile in words."""
    most = tier_capacities(profile)
    return ", ".join(
        f"{format_number(most[rule.tier])} {TIER_WORDS[rule.tier]}" for rule in TIER_RULES
    )


def half_life_label() -> str:
    """Twice the half-life of each tier: "2 hours fast, 2 days medium"."""
    return ", ".join(
        f"{_hours_label(2 * rule.half_life)} {TIER_WORDS[rule.tier]}" for rule in TIER_RULES
    )


def _hours_label(hours: float) -> str:
    return (
        gettext("%(hours)s hours") % {"hours": format_decimal(hours, "g")}
        if hours < 24
        else gettext("%(hours)s days") % {"hours": format_decimal(hours / 24, "g")}
    )


def _whole_number_field(
    label: str, most: int, unit: str, help_text: str = ""
) -> forms.IntegerField:
    wrong = lazy_text(
        "Write a whole number, 1 to %(most)s, or leave it empty.",
        most=lazy(format_number, str)(most),
    )
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        required=False,
        min_value=1,
        max_value=most,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), wrong),
        widget=forms.NumberInput(attrs={"inputmode": "numeric", "placeholder": unit}),
    )


class AgeingPolicyForm(forms.Form):
    """The whole policy; an empty number is no rule. Days for each type: `days_fact` and so on."""

    past_half_life = forms.BooleanField(
        required=False,
        label=lazy_text("Archive what has faded"),
        help_text=lazy_text(
            "Older in its tier than twice the tier’s half-life: %(half_life_label)s.",
            half_life_label=lazy(half_life_label, str)(),
        ),
    )
    keep_most = _whole_number_field(
        lazy_text("Keep at most"),
        MAX_KEEP_MOST,
        lazy_text("no limit"),
        lazy_text(
            "Memories of the whole organisation. The least important are archived first, then the "
            "oldest."
        ),
    )
    capacities = forms.ChoiceField(
        label=lazy_text("Room in each tier"),
        choices=[
            (name, f"{name.title()}: {capacity_label(name)}") for name in ("standard", "large")
        ],
        widget=forms.RadioSelect,
        help_text=lazy_text("For those who read the same. It decides how full a tier is."),
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), lazy_text("Choose one of the two.")
        ),
    )
    evict = forms.BooleanField(
        required=False,
        label=lazy_text("Summarise what is over the room of a tier"),
        help_text=lazy_text(
            "The least important become one memory for the same readers and are archived. "
            "Otherwise somebody is asked."
        ),
    )
    merge_duplicates = forms.BooleanField(
        required=False,
        label=lazy_text("Merge what says the same words"),
        help_text=lazy_text(
            "Only case, punctuation and spacing may differ. Otherwise somebody is asked."
        ),
    )
    # How many memories the admin has read that the change archives.
    confirmed = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, type_ in DAYS_FIELDS.items():
            self.fields[name] = _whole_number_field(
                TYPE_LABELS[type_], MAX_DAYS, gettext("no limit")
            )

    @property
    def days(self) -> list[forms.BoundField]:
        return [self[name] for name in DAYS_FIELDS]

    def changes(self) -> dict[str, Any]:
        """For `update_policy`; of a valid form."""
        told = self.cleaned_data
        names = ("past_half_life", "keep_most", "capacities", "evict", "merge_duplicates")
        ages = {type_.value: told[name] for name, type_ in DAYS_FIELDS.items() if told[name]}
        return {name: told[name] for name in names} | {"max_age_days": ages}


def initial_values(policy: AgeingPolicy) -> dict[str, Any]:
    """The policy as the form has it."""
    names = ("past_half_life", "keep_most", "capacities", "evict", "merge_duplicates")
    return {name: getattr(policy, name) for name in names} | {
        name: policy.max_age_days.get(type_.value) for name, type_ in DAYS_FIELDS.items()
    }
