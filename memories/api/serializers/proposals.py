"""What the API takes and gives for proposals and reports."""

from typing import Any

from rest_framework import serializers

from memories.api.serializers.force_fields import reason_field
from memories.api.serializers.memories import (
    AudienceSerializer,
    MemorySerializer,
    check_content,
    content_field,
)
from memories.language.excerpts import excerpt
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.state.supersede_wishes import (
    WISHES,
    SupersedeWish,
    SupersedeWishes,
    WishEffect,
)
from memories.store.models.choices import Status
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    NamedSerializer,
    StrictSerializer,
    TextField,
)
from robots.models.robots import Robot

MAX_WISH_CHARACTERS = 1200
ACTIONS = ("approve", "reject", "merge")


class ProposalFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    state = ChoiceField(ProposalState.choices, required=False)
    cause = ChoiceField(ProposalCause.choices, required=False)
    mine = serializers.BooleanField(
        required=False,
        help_text="true: what the caller proposed; false: what the caller may decide.",
    )
    assigned = ChoiceField(["me", "nobody"], required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ReportFiltersSerializer(StrictSerializer):
    state = ChoiceField(ProposalState.choices, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ProposeSerializer(StrictSerializer):
    """A suggested text for a memory."""

    memory = serializers.UUIDField()
    content = content_field()
    reason = reason_field(required=False, allow_blank=True)

    def validate_content(self, value: str) -> str:
        return check_content(value)


class ReportRequestSerializer(StrictSerializer):
    memory = serializers.UUIDField()
    reason = reason_field()


class DecisionSerializer(StrictSerializer):
    action = ChoiceField(ACTIONS)
    content = content_field(required=False, help_text="A text in place of the proposed one.")
    reason = reason_field(
        required=False,
        allow_blank=True,
        help_text="For whoever proposed it. Rejecting what somebody else proposed needs it.",
    )
    version = CountField(
        min_value=1,
        required=False,
        help_text="The version of the memory that was read. Approving and merging need it.",
    )
    into = serializers.UUIDField(
        required=False, help_text="The memory to merge into; of a pair by default `other`."
    )
    into_version = CountField(
        min_value=1,
        required=False,
        help_text="The version of that memory (of a contradiction: of `other`) that was read. "
        "Merging and approving a contradiction need it.",
    )

    def validate_content(self, value: str) -> str:
        return check_content(value)


class LockSerializer(StrictSerializer):
    take_over = serializers.BooleanField(default=False, help_text="Also if somebody else holds it.")


class AssignSerializer(StrictSerializer):
    member = serializers.UUIDField(allow_null=True)


class TwinSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    content = serializers.CharField()
    version = serializers.IntegerField()


class WishSerializer(AnswerSerializer):
    """An older memory that a text would replace."""

    id = serializers.UUIDField(source="memory.id")
    content = serializers.CharField()
    effect = ChoiceField(
        [effect.value for effect in WishEffect],
        help_text="What approving does to it. `superseded`: it is true no more from then on. "
        "`proposed`: it is not its writer's to change, so it stays, and an item of its own asks "
        "about it. `kept`: it stays; it is protected or not active, or not yours to change.",
    )

    @staticmethod
    def get_content(wish: SupersedeWish) -> str:
        """Its beginning."""
        return excerpt(wish.memory.content, set(), MAX_WISH_CHARACTERS)


class ProposalSerializer(AnswerSerializer):
    """An item of the review queue, with its memory as it is now."""

    id = serializers.UUIDField()
    cause = ChoiceField(ProposalCause.choices)
    state = ChoiceField(ProposalState.choices)
    memory = MemorySerializer()
    version = serializers.IntegerField(
        source="memory.version",
        help_text="The present version of the memory; send it with a decision.",
    )
    other = TwinSerializer(allow_null=True, help_text="The second memory of a pair.")
    target = AudienceSerializer(
        source="target_audience",
        allow_null=True,
        help_text="Who would read the memory after an approval.",
    )
    content = serializers.CharField(
        help_text="The suggested text; empty unless it is a correction of the text."
    )
    changes = serializers.DictField(
        help_text="For a correction that changes more than the text, by act what was given to it: "
        "`memory` has the new values of fields; `memory` above has those of now. For red_line "
        "`red_line` is false if the protection is to be taken off."
    )
    seen_version = serializers.IntegerField(
        allow_null=True,
        help_text="The version for which it was proposed; another one than `version` if the memory "
        "was changed since.",
    )
    reason = serializers.CharField(help_text="Why it was proposed or reported; may be empty.")
    details = serializers.DictField(
        help_text="For the cause over_capacity: `tier`, `capacity`, `count`, `chosen` and "
        "`summaries`. For personal_data and poison: `found` (how often each kind), `spans` "
        "([start, end, kind] in the text of the memory), `audience` and `failed`. For a "
        "contradiction that nobody decided `policy`, by which the newer memory held, also after "
        "an undo; for one that somebody proposed `disputes`: whether readers are told meanwhile. "
        "For a new text `red_line`, if its writer asks that it is protected."
    )
    supersedes = WishSerializer(
        many=True,
        allow_null=True,
        help_text="The older memories that the text would replace, of those that you read, while "
        "it waits. Null in a list if there are any: look at the item.",
    )
    supersedes_unread = serializers.IntegerField(
        allow_null=True, help_text="How many more it names that you do not read; they stay."
    )
    proposed_by = NamedSerializer(allow_null=True)
    robot = NamedSerializer(allow_null=True)
    assignee = NamedSerializer(allow_null=True)
    locked_by = NamedSerializer(allow_null=True)
    locked_until = serializers.DateTimeField(allow_null=True)
    decided_by = NamedSerializer(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision = serializers.CharField(help_text="The reason of the decision; may be empty.")
    created_at = serializers.DateTimeField()
    original = serializers.CharField(
        allow_null=True,
        help_text="For the causes personal_data and poison: the text as it was written, before "
        "words were replaced. Only the member for whom it was written and robots with a "
        "delegation of this member get it; null for everybody else.",
    )

    @classmethod
    def render(
        cls,
        row: Proposal,
        /,
        original: str | None = None,
        wishes: SupersedeWishes | None = None,
        **values: Any,
    ) -> Any:
        if wishes is None and WISHES not in row.details:
            wishes = SupersedeWishes()
        return super().render(
            row,
            original=original,
            supersedes=wishes and list(wishes.known),
            supersedes_unread=wishes and wishes.unread,
            **values,
        )

    @staticmethod
    def get_details(item: Proposal) -> dict[str, Any]:
        """Without the older memories that it supersedes: not everybody here reads them."""
        return {name: value for name, value in item.details.items() if name != WISHES}

    @staticmethod
    def get_robot(item: Proposal) -> Robot | None:
        return item.memory.told(item.robot)


class ChangeWaitsSerializer(AnswerSerializer):
    """A change that was proposed: the memory stays as it is until somebody decides."""

    id = serializers.UUIDField(source="memory_id", help_text="The memory.")
    status = ChoiceField([Status.PENDING_REVIEW])
    proposal = serializers.UUIDField(source="id", help_text="The item of the review queue.")
    changes = serializers.DictField(
        help_text="What was proposed, by act: `memory` has the new values of fields; `split`, "
        "`task`, `entity` and `dissent` what was given to these. A newer change of the same act "
        "takes the place of this one."
    )
