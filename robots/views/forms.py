"""Forms for robots, keys, people and groups.

A form for a robot or key carries the signed id of what it makes (`once`), so that a form sent twice
makes one thing.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from orgs.languages.page_text import lazy_text
from orgs.models.base import new_id
from orgs.models.memberships import Role
from orgs.models.organisations import ContradictionPolicy, Group
from orgs.organisations.references import identity_fault
from orgs.outbound.mail import can_send_mail
from robots.access.enrolment import MAX_ROBOTS, NEWCOMER_SCOPES
from robots.access.key_limits import parse_networks
from robots.errors import InvalidKeyLimitError
from robots.models.keys import KeyScope
from robots.models.robots import MAX_WORKING_MEMORY_TOKENS
from robots.registry.robots import PERSONAL_NAME_FIXED

FORM_LIFETIME = 86_400
SCOPE_CHOICES = (
    (KeyScope.READ, lazy_text("Recall what this robot may read")),
    (KeyScope.WRITE, lazy_text("Remember new things")),
    (KeyScope.ACT_FOR, lazy_text("Act for members of its groups")),
    (KeyScope.MANAGE, lazy_text("Do what an admin does: people, groups, robots, keys")),
)
# The same where it is told what a key does.
SCOPE_LABELS = {
    KeyScope.READ: "recall",
    KeyScope.WRITE: "remember",
    KeyScope.ACT_FOR: lazy_text("act for members"),
    KeyScope.MANAGE: "administer",
}
LIFETIME_CHOICES = (
    ("", lazy_text("Never, until it is revoked")),
    ("30", lazy_text("After 30 days")),
    ("90", lazy_text("After 90 days")),
    ("365", lazy_text("After a year")),
)


def describe_scopes(scopes: Iterable[str]) -> list[str]:
    """What a key with these scopes does, always in one order."""
    given = set(scopes)
    return [str(words) for scope, words in SCOPE_LABELS.items() if scope in given]


class IdempotentForm(forms.Form):
    once = forms.CharField(widget=forms.HiddenInput, max_length=200)

    def __init__(self, salt: str, *args: Any, **kwargs: Any) -> None:
        initial = {"once": signing.dumps(new_id().hex, salt=salt), **(kwargs.pop("initial", {}))}
        super().__init__(*args, initial=initial, **kwargs)
        self.salt = salt

    def clean_once(self) -> UUID:
        try:
            given = signing.loads(self.cleaned_data["once"], salt=self.salt, max_age=FORM_LIFETIME)
        except signing.BadSignature as error:
            raise ValidationError(gettext("This page was open too long. Load it again.")) from error
        return UUID(hex=given)


class RobotForm(IdempotentForm):
    name = forms.CharField(
        label=lazy_text("Name"), max_length=200, help_text=lazy_text("What people call it.")
    )
    purpose = forms.CharField(
        label=lazy_text("Purpose"),
        max_length=5000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=lazy_text("One sentence: what it does, and for whom."),
    )
    personality = forms.CharField(
        label=lazy_text("Personality"),
        max_length=5000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=lazy_text("How it speaks and behaves. It reads this for its prompt."),
    )
    groups = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=lazy_text("Groups it sits in"),
        help_text=lazy_text("It reads what these groups may read, and what is open to everyone."),
    )

    def __init__(self, salt: str, groups: list[Group], *args: Any, **kwargs: Any) -> None:
        super().__init__(salt, *args, **kwargs)
        set_group_choices(self, groups)


class DescriptionForm(forms.Form):
    name, purpose, personality = (
        RobotForm.base_fields[one] for one in ("name", "purpose", "personality")
    )

    def __init__(self, *args: Any, personal: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if personal:
            self.fields["name"].widget.attrs["readonly"] = True
            self.fields["name"].help_text = PERSONAL_NAME_FIXED


class KeyRenewalForm(forms.Form):
    """How long the old key works beside the new one."""

    hours = forms.TypedChoiceField(
        coerce=int, choices=((24, lazy_text("In a day")), (0, lazy_text("At once")))
    )

    def overlap(self) -> timedelta:
        return timedelta(hours=self.cleaned_data["hours"])


class RobotGroupsForm(forms.Form):
    groups = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=lazy_text("Groups it sits in"),
        help_text=lazy_text("It reads what these groups may read, and what is open to everyone."),
    )

    def __init__(self, groups: list[Group], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_group_choices(self, groups)


def set_group_choices(form: forms.Form, groups: list[Group]) -> None:
    """Offer these groups; without any there is nothing to choose."""
    form.fields["groups"].choices = [(str(group.id), group.name) for group in groups]
    if not groups:
        del form.fields["groups"]


class NetworksField(forms.CharField):
    """Networks, one a line; a list of CIDR, or None without any."""

    widget = forms.Textarea(attrs={"rows": 2, "placeholder": "203.0.113.0/24"})

    def clean(self, value: Any) -> list[str] | None:
        lines = [one.strip() for one in super().clean(value).splitlines() if one.strip()]
        try:
            return parse_networks(lines) or None
        except InvalidKeyLimitError as error:
            field, detail = error.errors[0]["field"], error.errors[0]["detail"]
            _, _, index = field.partition(".")
            raise ValidationError(f"{lines[int(index)]}: {detail}" if index else detail) from error


class KeyLimitsForm(forms.Form):
    groups = forms.MultipleChoiceField(
        label=lazy_text("Only what is in these groups"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=lazy_text(
            "None ticked: all that its robot reads. Else nothing outside them, not even what "
            "is open to everyone."
        ),
    )
    networks = NetworksField(
        label=lazy_text("Only from these networks"),
        required=False,
        max_length=5_000,
        help_text=lazy_text("One a line. Left empty: from everywhere."),
    )

    def __init__(self, groups: list[Group], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_group_choices(self, groups)

    def limits(self) -> dict[str, list[str] | None]:
        """The fields that the form has, as `find_key_limits` takes them."""
        cleaned = self.cleaned_data
        found = {"networks": cleaned["networks"]}
        return found | {"groups": cleaned["groups"] or None} if "groups" in self.fields else found


class KeyForm(IdempotentForm):
    name = forms.CharField(
        label=lazy_text("What is it for"),
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": lazy_text("Production")}),
    )
    scopes = forms.MultipleChoiceField(
        label=lazy_text("It may"),
        choices=SCOPE_CHOICES,
        initial=[KeyScope.READ.value, KeyScope.WRITE.value],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": lazy_text("A key that may do nothing opens nothing.")},
    )
    expires = forms.ChoiceField(
        label=lazy_text("It ends"), required=False, choices=LIFETIME_CHOICES
    )
    groups = KeyLimitsForm.base_fields["groups"]
    networks = KeyLimitsForm.base_fields["networks"]
    limits = KeyLimitsForm.limits

    def __init__(self, salt: str, groups: list[Group], *args: Any, **kwargs: Any) -> None:
        super().__init__(salt, *args, **kwargs)
        set_group_choices(self, groups)

    def lifetime(self) -> timedelta | None:
        days = self.cleaned_data["expires"]
        return timedelta(days=int(days)) if days else None


class EnrolmentForm(IdempotentForm):
    name = forms.CharField(
        label=lazy_text("What is it for"),
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": lazy_text("Build machines")}),
        help_text=lazy_text("The keys of the robots that come by it are called so."),
    )
    scopes = forms.MultipleChoiceField(
        label=lazy_text("They may"),
        choices=[one for one in SCOPE_CHOICES if one[0] in NEWCOMER_SCOPES],
        initial=[KeyScope.READ.value, KeyScope.WRITE.value],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": lazy_text("A robot that may do nothing is of no use.")},
    )
    groups = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=lazy_text("Groups they sit in"),
        help_text=lazy_text("They read what these groups may read, and what is open to everyone."),
    )
    robots = forms.IntegerField(
        label=lazy_text("How many robots"), min_value=1, max_value=MAX_ROBOTS, initial=10
    )
    days = forms.ChoiceField(label=lazy_text("It ends"), choices=LIFETIME_CHOICES[1:])

    def __init__(self, salt: str, groups: list[Group], *args: Any, **kwargs: Any) -> None:
        super().__init__(salt, *args, **kwargs)
        set_group_choices(self, groups)

    def lifetime(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["days"]))


ROLE_CHOICES = (
    (Role.ADMIN, lazy_text("Admin: also people, robots and keys")),
    (Role.CURATOR, lazy_text("Curator: also reviews what is shared")),
    (Role.MEMBER, lazy_text("Member: reads, writes and proposes")),
    (Role.VIEWER, lazy_text("Viewer: reads")),
)


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        label=lazy_text("What they may do"), choices=ROLE_CHOICES, widget=forms.RadioSelect
    )


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label=lazy_text("E-mail"),
        max_length=254,
        help_text=lazy_text("They sign in with this address."),
    )
    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=200,
        required=False,
        help_text=lazy_text("What colleagues call them."),
    )
    role = forms.ChoiceField(
        label=lazy_text("Role"), choices=ROLE_CHOICES, initial=Role.MEMBER, widget=forms.RadioSelect
    )
    mail = forms.BooleanField(
        label=lazy_text("Send them the link by mail"), initial=True, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offers_mail = can_send_mail()
        self.fields["mail"].initial = self.offers_mail
        self.fields["mail"].disabled = not self.offers_mail


class GroupForm(forms.Form):
    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=200,
        help_text=lazy_text("As people would call it: Launch, Design."),
    )
    confidential = forms.BooleanField(
        label=lazy_text("Confidential"),
        required=False,
        initial=True,
        help_text=lazy_text("Only its people read it. Without this, admins and curators do too."),
    )


# What a group decides by itself, in the words of its page.
CONTRADICTION_POLICIES = (
    (
        ContradictionPolicy.OWN_FACTS,
        lazy_text(
            "What people say of themselves holds as they said it last; somebody decides "
            "about the rest"
        ),
    ),
    (
        ContradictionPolicy.SAME_SPEAKER,
        lazy_text(
            "Whatever somebody says holds as they said it last; between two people somebody decides"
        ),
    ),
    (ContradictionPolicy.ASK, lazy_text("Somebody decides about everything")),
)


class ContradictionPolicyForm(forms.Form):
    policy = forms.ChoiceField(
        label=lazy_text("What holds"), choices=CONTRADICTION_POLICIES, widget=forms.RadioSelect
    )


class MemberIdForm(forms.Form):
    member = forms.UUIDField()


class TeamForm(forms.Form):
    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=200,
        help_text=lazy_text("What people call it: Coding, Support."),
    )
    purpose = forms.CharField(
        label=lazy_text("Purpose"),
        max_length=5000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=lazy_text("One sentence: what these robots do together."),
    )
    working_memory_tokens = forms.IntegerField(
        label=lazy_text("Room for what they have at hand"),
        required=False,
        min_value=1,
        max_value=MAX_WORKING_MEMORY_TOKENS,
        help_text=lazy_text("In tokens, about four characters each. Left empty, the server's own."),
    )


class RobotIdForm(forms.Form):
    robot = forms.UUIDField()


class IdentityForm(forms.Form):
    identity = forms.RegexField(
        r"^[^\s:]{1,40}:.{1,300}$",
        label=lazy_text("Name on another platform"),
        max_length=341,
        error_messages={"invalid": lazy_text("Write the platform, a colon, and the name there.")},
        help_text=lazy_text("The platform, a colon, and the name or number there: telegram:4711."),
    )

    def clean_identity(self) -> str:
        identity: str = self.cleaned_data["identity"]
        if fault := identity_fault(identity):
            raise ValidationError(fault)
        return identity
