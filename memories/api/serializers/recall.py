"""What the API takes and gives for a recall: explicit and strict."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import TextChoices
from rest_framework import serializers

from memories.access.audience_labels import audience_type_label
from memories.access.visibility import SEARCHABLE_VISIBILITIES
from memories.api.serializers.memories import AudienceSerializer
from memories.api.serializers.memory_filters import TypeField
from memories.api.serializers.text_parts import PART_HELP, TextPartSerializer, render_part
from memories.api.serializers.timeframes import AsOfField, TimeframeField, validate_timeframe
from memories.retrieval.answer_rows import AnswerRow, mark_undecided
from memories.retrieval.answering.confidence import (
    ANSWERED_VALUES,
    NO_BELOW,
    YES_FROM,
    is_irrelevant,
)
from memories.retrieval.recall import FUSIONS
from memories.retrieval.reranking.rerank import NOT_RERANKED_REASONS
from memories.retrieval.resolve_filters import Query
from memories.retrieval.scoring_profiles import (
    DEFAULT_LIMIT,
    DEFAULT_TIER_LIMIT,
    PROFILES,
    TIER_STRATEGIES,
    default_limit,
)
from memories.retrieval.search_types import Expert, FactState, Hit
from memories.retrieval.strategies.registry import MAX_PEOPLE
from memories.retrieval.strategies.registry import STRATEGY_NAMES as STRATEGIES
from memories.retrieval.timeframes.parse_timeframe import TimeRange
from memories.store.models.choices import Category, Kind, Level, Tier, Type
from orgs.api.serializers import (
    HIDDEN_ROBOT_HELP,
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    DocumentField,
    FlagField,
    NamedSerializer,
    NumberField,
    ReferenceListField,
    StrictSerializer,
    TextField,
    TextListField,
    id_and_name,
)

MAX_QUERY_CHARACTERS = 20_000
NAMES_HELP = "As in the memory's `restatement`, in any letter case."


def choices_field(words: type[TextChoices]) -> serializers.ListField:
    """A list of at most 1,000 of these words."""
    return serializers.ListField(
        child=ChoiceField(words.choices), max_length=MAX_ITEMS, required=False
    )


class FiltersSerializer(StrictSerializer):
    """All filters must match; of a list one value is enough.

    `metadata` must contain the given one.
    """

    groups = ReferenceListField(required=False, help_text="By id or external id.")
    members = ReferenceListField(
        required=False, item_length=400, help_text="By id or platform:identifier."
    )
    robots = ReferenceListField(required=False, help_text="By id.")
    visibilities = serializers.ListField(
        child=ChoiceField(SEARCHABLE_VISIBILITIES),
        max_length=MAX_ITEMS,
        required=False,
        help_text="Who reads it, such as `private` (the member alone) or `organisation` "
        "(everyone).",
    )
    teams = ReferenceListField(
        required=False, help_text="What their robots brought, and their notes."
    )
    kinds = choices_field(Kind)
    types = serializers.ListField(child=TypeField(), max_length=MAX_ITEMS, required=False)
    categories = choices_field(Category)
    tiers = choices_field(Tier)
    levels = choices_field(Level)
    tags = TextListField(required=False)
    keywords = ReferenceListField(required=False, help_text=NAMES_HELP)
    persons = ReferenceListField(
        required=False, help_text="Who is named: the name or a part of it."
    )
    entities = ReferenceListField(
        required=False, help_text="A person, company, project, place or topic, by its name."
    )
    topics = ReferenceListField(required=False, help_text=NAMES_HELP)
    metadata = DocumentField(required=False)
    min_importance = NumberField(min_value=0, max_value=1, required=False)


def about_field() -> TextField:
    return TextField(
        max_length=400,
        required=False,
        help_text="Only what is about this member or gives their words; the same as "
        "`filters.members` with one. `member` says for whom it is asked.",
    )


def with_about(attrs: dict[str, Any]) -> dict[str, Any]:
    """The fields with `about` as a filter. Raises ValidationError beside `filters.members`."""
    if "about" not in attrs:
        return attrs
    filters = attrs.get("filters", {})
    if "members" in filters:
        raise serializers.ValidationError(
            {"about": ["Give `about` or `filters.members`, not both."]}
        )
    others = {name: value for name, value in attrs.items() if name != "about"}
    return {**others, "filters": {**filters, "members": [attrs["about"]]}}


class RecallSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = CountField(
        min_value=1,
        max_value=MAX_ITEMS,
        required=False,
        help_text=f"By default {DEFAULT_LIMIT}; with a `tier_strategy` {DEFAULT_TIER_LIMIT}.",
    )
    group = TextField(
        max_length=300,
        required=False,
        help_text="The group in which it is asked. It only narrows what may come up.",
    )
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks, by id or platform:identifier.",
    )
    about = about_field()
    shareable_with = TextField(
        max_length=300,
        required=False,
        help_text="A group: only what every present member of it may read comes up.",
    )
    timeframe = TimeframeField(
        required=False,
        help_text='A time in words ("last week", "since Monday", "from 3 to 5 March"), a range '
        '{"from", "to"}, or a list of these, of which any may match. "auto" takes the time out of '
        'the query; "none" is no filter.',
    )
    as_of = AsOfField()
    strategy = ChoiceField(
        STRATEGIES,
        default="auto",
        help_text="How the store is searched. What may be read is the same for all of them.",
    )
    profile = ChoiceField(
        PROFILES,
        default="balanced",
        help_text="How the score is made: `balanced` is .85 relevance + .10 strength + .05 tier "
        "weight + up to .02 more or less by feedback, `strength` is .5 strength + .3 confidence + "
        ".2 importance, `continuum` is relevance x tier weight, `hive` is .5 cosine + .3 Jaccard "
        "of tags + .1 exp(-age / 168 h) + .1 ln(1 + accesses) / 10.",
    )
    tier_strategy = ChoiceField(
        tuple(TIER_STRATEGIES),
        required=False,
        help_text="Which tiers are searched: `fast_first` searches a slower tier only while fewer "
        "than `limit` were found, `weighted` searches all and multiplies the score by the tier "
        "weight, `comprehensive` searches all, `insights` the glacial tier, `cross_session` the "
        "slow and the glacial tier.",
    )
    fusion = ChoiceField(
        FUSIONS, default="minmax", help_text="How the results by words and by meaning are combined."
    )
    min_similarity = NumberField(
        min_value=-1,
        max_value=1,
        required=False,
        help_text="The least cosine. By default none; with a `tier_strategy` .3, with "
        "`cross_session` .2.",
    )
    filters = FiltersSerializer(required=False)
    include_shared = FlagField(
        default=True, help_text="Also memories that everyone in the organisation reads."
    )
    prefer_personal = FlagField(
        default=True,
        help_text="If facts of several audiences say the same, only the one of the nearest "
        "audience is served; the others are named in `consolidated`.",
    )
    shared_limit = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text="How many memories that everyone in the organisation reads may come up, at "
        "most. By default there is no such limit; 0 is the same as `include_shared: false`.",
    )
    include_direct = FlagField(
        default=False,
        help_text="Also the member's direct conversations and other groups. A robot needs the "
        "member's delegation; without one it reads what the member told it in direct "
        "conversations, if no group and no `shareable_with` is named.",
    )
    include_expired = FlagField(
        default=False, help_text="Also memories past their `expires_at`, with strength 0."
    )
    explain = FlagField(default=False, help_text="Whether each result has `scores`.")
    rerank = FlagField(
        default=False, help_text="Whether a cross-encoder reorders the first 20 results."
    )
    working = FlagField(
        default=False, help_text="Whether every result enters the robot's working memory."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Add the default limit where none is given, and `about` to the filters."""
        return {"limit": default_limit(attrs.get("tier_strategy")), **with_about(attrs)}

    def validate_timeframe(self, value: Any) -> tuple[str | TimeRange, ...]:
        """The times as a tuple."""
        return validate_timeframe(value)


class ScoresSerializer(AnswerSerializer):
    """The parts of a score."""

    relevance = serializers.FloatField(help_text="Words, meaning and cues together, 0-1.")
    vector = serializers.FloatField(
        allow_null=True, help_text="By meaning: an inner product, about -0.2 to 1.6."
    )
    keyword = serializers.FloatField(
        allow_null=True, help_text="By words: the sum of their weights; it has no fixed maximum."
    )
    similarity = serializers.FloatField(
        allow_null=True, help_text="The cosine of question and text, -1 to 1."
    )
    cues = serializers.FloatField(
        help_text="What length, speaker and time of the text add, about -0.06 to 0.55."
    )
    strength = serializers.FloatField(help_text="0-1; it falls with the time without use.")
    answers = serializers.FloatField(help_text="The confidence that this one answers, 0-1.")
    rerank = serializers.FloatField(
        required=False, allow_null=True, help_text="The cross-encoder's logit, if it read this one."
    )
    unconfirmed_days = serializers.FloatField(
        required=False,
        help_text="For a memory of a persona, an industry or a role: the days since somebody last "
        "said it. Above the server's BLOCK_FRESH_DAYS (90 by default) its score gets smaller.",
    )


def render_scores(found: Hit | None) -> dict[str, Any] | None:
    """The scores of a hit; None for None."""
    if found is None:
        return None
    values = {} if found.rerank is None else {"rerank": found.rerank}
    if found.unconfirmed:
        values["unconfirmed_days"] = found.unconfirmed
    return ScoresSerializer.render(found, **values)


class ConsolidatedSerializer(AnswerSerializer):
    """A memory that says the same as a result and is not served itself."""

    id = serializers.UUIDField()
    audience = AudienceSerializer()


class HitSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    score = serializers.FloatField(help_text="0-1.")
    folded = serializers.BooleanField(
        help_text="True if it does not answer the question by itself. It is served all the same."
    )
    scores = ScoresSerializer(required=False)
    part = TextPartSerializer(required=False, help_text=PART_HELP)
    consolidated = ConsolidatedSerializer(
        many=True,
        required=False,
        help_text="The memories that say the same, as far as the caller reads them.",
    )
    confidence = serializers.FloatField(
        required=False, help_text="Only with `consolidated`: the highest confidence of all, 0-1."
    )
    access_count = serializers.IntegerField(
        required=False, help_text="Only with `consolidated`: the sum of the counts of all."
    )
    robot = NamedSerializer(allow_null=True, help_text=HIDDEN_ROBOT_HELP)
    author = NamedSerializer(
        allow_null=True, help_text="The person who wrote it; null if a robot did."
    )
    speaker = serializers.CharField(help_text="Whose words it gives, as a name.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )
    reworded_by = NamedSerializer(
        allow_null=True, help_text="Who gave it its present words, if that was not the speaker."
    )
    member = NamedSerializer(allow_null=True, help_text="The member whom it is about.")
    group = NamedSerializer(allow_null=True, help_text="Null also if the caller may not know it.")
    audience = AudienceSerializer()
    kind = ChoiceField(Kind.choices)
    type = ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = ChoiceField(Tier.choices)
    importance = serializers.FloatField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField(
        allow_null=True, help_text="Null above 16,384 characters; the memory itself has them."
    )
    source = serializers.DictField(
        allow_null=True, help_text="Where the text comes from; null above 16,384 characters."
    )
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(
        allow_null=True, help_text="From when it is true, if that was said."
    )
    valid_until = serializers.DateTimeField(
        allow_null=True, help_text="Until when it is or was true; null if no end is known."
    )
    superseded_by = serializers.UUIDField(
        allow_null=True, help_text="The memory that is true since then, if the caller reads it."
    )
    state = ChoiceField(
        [*FactState],
        allow_null=True,
        help_text="`superseded`: it was said or decided that it is not true any more. `upcoming`: "
        "it is true from `valid_from` on. `outdated`: a newer memory says otherwise. `disputed`: "
        "so does one that has less standing, such as one whose speaker is only named, or somebody "
        "is to decide which of two is true. `current`: it is newer than what it replaces. Null: "
        "nothing says otherwise.",
    )
    outdated_since = serializers.DateTimeField(
        allow_null=True, help_text="If it is outdated: when the newer memory was said."
    )
    contradicted_by = serializers.UUIDField(
        allow_null=True, help_text="If it is outdated or disputed: the memory that says otherwise."
    )


def render_hit(
    found: Hit, row: AnswerRow, query: Query, merged: Mapping[UUID, AnswerRow] | None = None
) -> dict[str, Any]:
    """One result of a recall. merged: by id, the rows of memories that say the same as a hit."""
    found = mark_undecided(found, row, as_of=query.as_of, shareable_with=query.shareable_with)
    values: dict[str, Any] = {**render_part(found.part, row.content)}
    if others := [merged[id_] for id_ in found.merged if id_ in merged] if merged else []:
        values |= {"confidence": found.confidence, "access_count": found.access_count}
        values["consolidated"] = [
            ConsolidatedSerializer.render(one, audience=_render_audience(one)) for one in others
        ]
    if query.explain:
        values["scores"] = render_scores(found)
    return HitSerializer.render(
        row,
        score=round(found.score, 6),
        folded=is_irrelevant(found),
        state=found.state,
        outdated_since=found.outdated_since,
        contradicted_by=found.contradicted_by,
        robot=id_and_name(row.robot_id, row.robot_name),
        author=id_and_name(row.author_id, row.author_name),
        speaker_member=id_and_name(row.speaker_id, row.speaker_name),
        reworded_by=id_and_name(row.reworded_id, row.reworded_name),
        member=id_and_name(row.member_id, row.member_name),
        group=id_and_name(row.group_id, row.group_name),
        audience=_render_audience(row),
        **values,
    )


def _render_audience(row: AnswerRow) -> dict[str, str]:
    label = audience_type_label(row.audience_kind, row.group_name or "")
    return {"kind": row.audience_kind, "label": label}


class PersonFoundSerializer(AnswerSerializer):
    """Somebody whom readable memories show to know about what was asked."""

    member = NamedSerializer(
        allow_null=True, help_text="Null for a speaker of whom only the name is known."
    )
    name = serializers.CharField()
    weight = serializers.FloatField(
        help_text="The sum of their observations, each by the relevance of its memory."
    )
    evidence = serializers.ListField(
        child=serializers.UUIDField(), help_text="Up to 3 of these memories, the best first."
    )


MAX_EVIDENCE = 3


def render_person(found: Expert) -> dict[str, Any]:
    """Somebody whom the results show to know about what was asked."""
    return PersonFoundSerializer.render(
        found,
        member=id_and_name(found.member, found.name),
        weight=round(found.weight, 6),
        evidence=list(found.evidence[:MAX_EVIDENCE]),
    )


class RecallAnswerSerializer(AnswerSerializer):
    recall_id = serializers.UUIDField(help_text="For feedback on the results.")
    answered = ChoiceField(
        ANSWERED_VALUES,
        help_text="Whether the results answer the question: `yes` from a `confidence` of "
        f"{YES_FROM:g}, `no` below {NO_BELOW:g}, else `unsure`. No result is left out because of "
        f"it.",
    )
    confidence = serializers.FloatField(
        help_text="The confidence that one of the first ten results answers, 0-1."
    )
    results = HitSerializer(many=True)
    people = PersonFoundSerializer(
        many=True,
        required=False,
        help_text="Only with the strategy `graph`: who knows about it, the best first, at most "
        f"{MAX_PEOPLE}.",
    )
    query = serializers.CharField(
        source="query.text",
        help_text="The query that was asked; with the timeframe `auto` without its time.",
    )
    timeframe = serializers.ListField(
        child=serializers.DictField(),
        allow_null=True,
        help_text="The ranges {from, to} that were searched; null without any.",
    )
    strategy = serializers.CharField(help_text="The strategy that was used.")
    took_ms = serializers.FloatField(help_text="The time that it took, in milliseconds.")
    reranked = serializers.BooleanField(required=False, help_text="Only with `rerank`.")
    not_reranked = ChoiceField(
        NOT_RERANKED_REASONS,
        required=False,
        allow_null=True,
        help_text="Only with `rerank`: why the results were not reordered; null if they were.",
    )
