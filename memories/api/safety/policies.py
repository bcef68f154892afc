"""The policies of an organisation over HTTP: the gates, and what is archived by itself."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.lifecycle.ageing_policy import (
    MAX_DAYS,
    MAX_KEEP_MOST,
    get_own_policy,
    update_policy,
)
from memories.safety.gate_policy import get_gate_policy, set_gate_policy
from memories.safety.required_checks import PersonalDataPolicy
from memories.store.models.choices import Type
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    CountField,
    FlagField,
    StrictSerializer,
    validate_data,
)

PERSONAL = [policy.value for policy in PersonalDataPolicy]


class GatePolicySerializer(StrictSerializer):
    """about_somebody: texts of robots are checked where they are about somebody. always: all of
    them."""

    personal = ChoiceField(PERSONAL, help_text="When texts are checked for personal data.")


class MaxAgeSerializer(StrictSerializer):
    """By type, after how many days a memory is archived; a type that is left out has no end."""

    def get_fields(self) -> dict[str, Any]:
        """A field for each type of memory."""
        return {
            name: CountField(min_value=1, max_value=MAX_DAYS, required=False)
            for name in Type.values
        }


class AgeingPolicyPatchSerializer(StrictSerializer):
    evict = FlagField(
        required=False, help_text="What is above a tier's capacity is summarised and archived."
    )
    capacities = ChoiceField(["standard", "large"], required=False)
    merge_duplicates = FlagField(required=False, help_text="Memories with equal words are merged.")
    max_age_days = MaxAgeSerializer(required=False)
    past_half_life = FlagField(
        required=False, help_text="What is older than twice its tier's half-life is archived."
    )
    keep_most = CountField(
        min_value=1,
        max_value=MAX_KEEP_MOST,
        required=False,
        allow_null=True,
        help_text="How many memories stay active; the least important are archived first. Null: "
        "all of them.",
    )


class AgeingPolicySerializer(AnswerSerializer):
    """What workers do by themselves. Nothing here deletes."""

    evict = serializers.BooleanField()
    capacities = ChoiceField(["standard", "large"])
    merge_duplicates = serializers.BooleanField()
    max_age_days = serializers.DictField(child=serializers.IntegerField())
    past_half_life = serializers.BooleanField()
    keep_most = serializers.IntegerField(allow_null=True)


class GatePolicyView(APIView):
    scopes = {"PUT": "manage"}

    @extend_schema(operation_id="gate_policy_get", responses=GatePolicySerializer)
    def get(self, request: Request) -> Response:
        """How strict the gates of the organisation are."""
        return Response({"personal": get_gate_policy(request.user).value})

    @extend_schema(
        operation_id="gate_policy_set",
        request=GatePolicySerializer,
        responses=GatePolicySerializer,
    )
    def put(self, request: Request) -> Response:
        """Set how strict the gates are for new texts; for admins and keys that manage."""
        data = validate_data(GatePolicySerializer, request.data)
        return Response(
            {"personal": set_gate_policy(request.user, data["personal"], now=timezone.now()).value}
        )


class AgeingPolicyView(APIView):
    scopes = {"PATCH": "manage"}

    @extend_schema(operation_id="ageing_policy_get", responses=AgeingPolicySerializer)
    def get(self, request: Request) -> Response:
        """What is archived, summarised and merged without asking anybody."""
        return Response(AgeingPolicySerializer.render(get_own_policy(request.user)))

    @extend_schema(
        operation_id="ageing_policy_patch",
        request=AgeingPolicyPatchSerializer,
        responses=AgeingPolicySerializer,
    )
    def patch(self, request: Request) -> Response:
        """Change parts of the policy; `max_age_days` is replaced as a whole.

        For admins and keys that manage.
        """
        data = validate_data(AgeingPolicyPatchSerializer, request.data)
        if "max_age_days" in data:
            data["max_age_days"] = dict(data["max_age_days"])
        changed = update_policy(request.user, data, now=timezone.now())
        return Response(AgeingPolicySerializer.render(changed))
