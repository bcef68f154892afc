"""What is known about a member, a group or a topic, over HTTP."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.attribution import AttributionSerializer
from memories.profiles.build_profile import (
    DEFAULT_MAX_TOKENS,
    MAX_TOKENS,
    Profile,
    ProfileFact,
    ProfileQuery,
    read_profile,
)
from memories.profiles.fact_rules import ProfileTopic
from memories.retrieval.answer_rows import short_document
from memories.retrieval.search_types import FactState
from memories.store.speakers.attribution import attribution_of
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)
from orgs.models.memberships import Member
from orgs.models.organisations import Group

_SUBJECTS = ("member", "group", "topic")


class ProfileParametersSerializer(StrictSerializer):
    """Query parameters: one of `member`, `group` and `topic`."""

    member = TextField(
        max_length=400, required=False, help_text="Whom it is about, by id or platform:id."
    )
    group = TextField(max_length=300, required=False, help_text="A group by id or external id.")
    topic = TextField(
        max_length=500, required=False, help_text="Words that all are in the memory of a fact."
    )
    asker = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks. A person leaves it out.",
    )
    max_tokens = serializers.IntegerField(
        min_value=1,
        max_value=MAX_TOKENS,
        default=DEFAULT_MAX_TOKENS,
        help_text="The most tokens of all facts, each with its day and who said it.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError unless exactly one subject is given."""
        given = [name for name in _SUBJECTS if name in attrs]
        if len(given) != 1:
            name = given[1] if given else "member"
            raise serializers.ValidationError({name: ["Give one of member, group and topic."]})
        return attrs


class FactSerializer(AttributionSerializer):
    """One fact, in the words of its memory; pronouns and relative dates may be resolved."""

    text = serializers.CharField()
    memory = serializers.UUIDField(source="memory.id", help_text="The memory that says it.")
    said_at = serializers.DateTimeField(help_text="When it was said, else written.")
    source = serializers.DictField(
        allow_null=True, help_text="Of the memory; null above 16,384 characters."
    )
    state = ChoiceField(
        [FactState.CURRENT.value, FactState.DISPUTED.value],
        help_text="`disputed`: something newer may say otherwise.",
    )
    contradicted_by = serializers.UUIDField(
        allow_null=True, help_text="The newer memory that may say otherwise."
    )

    @staticmethod
    def get_source(fact: ProfileFact) -> dict[str, Any] | None:
        return short_document(fact.memory.open_source)


class TopicSerializer(AnswerSerializer):
    topic = ChoiceField([one.value for one in ProfileTopic])
    facts = FactSerializer(many=True, help_text="The newest first.")


class ProfileSubjectSerializer(AnswerSerializer):
    kind = ChoiceField(_SUBJECTS)
    id = serializers.UUIDField(allow_null=True, help_text="Null for a topic.")
    name = serializers.CharField()


class ProfileSerializer(AnswerSerializer):
    about = ProfileSubjectSerializer()
    topics = TopicSerializer(many=True)
    left_out = serializers.IntegerField(help_text="Facts for which `max_tokens` has no room.")
    outdated = serializers.IntegerField(
        help_text="Facts that are left out, because a newer one says otherwise."
    )
    tokens = serializers.IntegerField(help_text="Of all facts; at most `max_tokens`.")


def _render_subject(subject: Member | Group | str) -> dict[str, Any]:
    if isinstance(subject, str):
        return {"kind": "topic", "id": None, "name": subject}
    kind = "member" if isinstance(subject, Member) else "group"
    return {"kind": kind, "id": subject.id, "name": subject.name}


def _render_facts(facts: Sequence[ProfileFact]) -> list[dict[str, Any]]:
    return [FactSerializer.render(fact, **attribution_of(fact.memory).citation) for fact in facts]


def _render_profile(subject: Member | Group | str, found: Profile) -> dict[str, Any]:
    topics = [
        {"topic": topic.value, "facts": _render_facts(list(facts))}
        for topic, facts in groupby(found.facts, key=lambda fact: fact.topic)
    ]
    return ProfileSerializer.render(found, about=_render_subject(subject), topics=topics)


class ProfilesView(APIView):
    @extend_schema(
        operation_id="profiles",
        parameters=[ProfileParametersSerializer],
        responses=ProfileSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the facts that hold now about a member, a group or a topic, by topic.

        Only what the caller reads, made from it at this moment. What a newer fact replaces is left
        out. No model is asked.
        """
        asked = validate_data(ProfileParametersSerializer, query_values(request))
        subject, found = read_profile(request.user, ProfileQuery(**asked), now=timezone.now())
        return Response(_render_profile(subject, found))
