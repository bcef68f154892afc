"""What the API takes and gives for robots, groups and members."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    MAX_ITEMS,
    ChoiceField,
    CountField,
    DocumentField,
    FlagField,
    ReferenceListField,
    StrictSerializer,
    TextField,
)
from orgs.models.memberships import Role
from orgs.models.organisations import ContradictionPolicy, IngestProfile
from orgs.organisations.references import identity_fault, parse_uuid, reference_fault
from robots.models.robots import MAX_WORKING_MEMORY_TOKENS

# For the OpenAPI description: characters that are certainly visible. `identity_fault` decides,
# and allows other scripts as well.
_VISIBLE = r"!-9;-~\u00a1-\u00ac\u00ae-\u024f\u0391-\u03a1\u03a3-\u03ff\u0400-\u0481\u048a-\u052f"
_VISIBLE += r"\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
IF_EXISTS = FAIL, RETURN = ("fail", "return")
# Most characters of a purpose or a personality.
MAX_TEXT_LENGTH = 5_000
# Shorter than a UUID in any of its forms.
REFERENCE_PATTERN = rf"^[{_VISIBLE}]([ {_VISIBLE}:]{{0,26}}[{_VISIBLE}:])?$"
IDENTITY_PATTERN = rf"^[{_VISIBLE}]{{1,40}}:[{_VISIBLE}:]([ {_VISIBLE}:]{{0,298}}[{_VISIBLE}:])?$"


def require_external_id(value: str) -> str:
    """The value as an external id. Raises ValidationError if it is unreadable or could be an id."""
    return _require_no_fault(value, reference_fault(value))


def require_identity(value: str) -> str:
    """The value as platform:identifier. Raises ValidationError if it could be another or an id."""
    return _require_no_fault(value, identity_fault(value))


def _require_no_fault(value: str, fault: str) -> str:
    if fault:
        raise serializers.ValidationError(fault)
    return value


class RegisterSerializer(StrictSerializer):
    id = TextField(
        max_length=64,
        required=False,
        pattern=REFERENCE_PATTERN,
        help_text="An id of your own choice; left out, the server makes one.",
    )
    name = TextField(max_length=200, required=False)
    purpose = TextField(max_length=MAX_TEXT_LENGTH, required=False, allow_blank=True)
    personality = TextField(
        max_length=MAX_TEXT_LENGTH,
        required=False,
        allow_blank=True,
        help_text="How the robot speaks and behaves, as a text for its prompt.",
    )
    metadata = DocumentField(required=False)

    def validate_id(self, value: str) -> str:
        by_id = parse_uuid(value)
        return value if by_id and value == str(by_id) else require_external_id(value)


class RobotPatchSerializer(StrictSerializer):
    name = TextField(max_length=200, required=False)
    purpose = TextField(max_length=MAX_TEXT_LENGTH, required=False, allow_blank=True)
    personality = TextField(max_length=MAX_TEXT_LENGTH, required=False, allow_blank=True)
    metadata = DocumentField(required=False)
    working_memory_tokens = CountField(
        min_value=1,
        max_value=MAX_WORKING_MEMORY_TOKENS,
        required=False,
        help_text="The most tokens of its working memory.",
    )


class RobotSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    purpose = serializers.CharField()
    personality = serializers.CharField(help_text="How the robot speaks and behaves.")
    metadata = serializers.DictField()
    working_memory_tokens = serializers.IntegerField(
        allow_null=True,
        help_text="The most tokens of its working memory; null: the default of the server.",
    )
    created_at = serializers.DateTimeField()
    last_active_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Null before its first activity. For the personal robot of another member only "
        "admins see it.",
    )


def if_exists_field() -> ChoiceField:
    return ChoiceField(
        IF_EXISTS,
        default=FAIL,
        help_text="What happens if it exists already: `fail` is 409, with its id in "
        "`existing` if the caller may know it; `return` is 200 with the existing one, unchanged.",
    )


def contradiction_policy_field(**options: Any) -> ChoiceField:
    return ChoiceField(
        ContradictionPolicy.choices,
        help_text="Which of two memories that disagree holds without anybody deciding it: `ask` "
        "none; `newest_of_own_facts` (the default) the newest that a member said of themselves; "
        "`newest_of_same_speaker` the newest that the same member said.",
        **options,
    )


class GroupCreateSerializer(StrictSerializer):
    """A new group. `profile` says who reads what is posted in it; by default it is `open`."""

    if_exists = if_exists_field()
    external_id = TextField(
        max_length=200,
        pattern=REFERENCE_PATTERN,
        help_text="An id of your own choice that does not look like a UUID.",
    )
    name = TextField(max_length=200, required=False)
    confidential = FlagField(
        required=False, help_text="If true (the default), curators read it only as members of it."
    )
    profile = ChoiceField(IngestProfile.choices, required=False)
    members = ReferenceListField(
        required=False, item_length=400, help_text="By id or platform:identifier."
    )

    def validate_external_id(self, value: str) -> str:
        return require_external_id(value)


class GroupPatchSerializer(StrictSerializer):
    name = TextField(max_length=200, required=False)
    confidential = FlagField(required=False)
    profile = ChoiceField(IngestProfile.choices, required=False)
    contradiction_policy = contradiction_policy_field(required=False)


class GroupSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    name = serializers.CharField()
    confidential = serializers.BooleanField()
    profile = ChoiceField(IngestProfile.choices)
    contradiction_policy = contradiction_policy_field()
    created_at = serializers.DateTimeField()


class GroupMembersSerializer(StrictSerializer):
    add = ReferenceListField(
        required=False, item_length=400, help_text="Members by id or platform:identifier."
    )
    remove = ReferenceListField(
        required=False, item_length=400, help_text="Members by id or platform:identifier."
    )


class GroupRobotsSerializer(StrictSerializer):
    add = ReferenceListField(required=False, help_text="Robots by id.")
    remove = ReferenceListField(required=False, help_text="Robots by id.")


class MemberCreateSerializer(StrictSerializer):
    if_exists = if_exists_field()
    name = TextField(max_length=200)
    identity = TextField(
        max_length=341, required=False, pattern=IDENTITY_PATTERN, help_text="platform:identifier."
    )

    def validate_identity(self, value: str) -> str:
        return require_identity(value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Only an identity says which member it is: names are not unique."""
        if attrs["if_exists"] != FAIL and "identity" not in attrs:
            raise serializers.ValidationError({"if_exists": ["It needs an `identity`."]})
        return attrs


class MemberPatchSerializer(StrictSerializer):
    role = ChoiceField(Role.choices, required=False)


class MemberSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    role = ChoiceField(Role.choices)
    created_at = serializers.DateTimeField()
    email = serializers.CharField(
        allow_null=True,
        help_text="Of the account; null without one, and for all but admins and keys that manage.",
    )


class PageSerializer(StrictSerializer):
    """Query parameters of a list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class GroupFiltersSerializer(PageSerializer):
    external_id = TextField(max_length=200, required=False, help_text="The group of this one.")


class MemberFiltersSerializer(PageSerializer):
    identity = TextField(
        max_length=341, required=False, help_text="The member of this platform:identifier."
    )
