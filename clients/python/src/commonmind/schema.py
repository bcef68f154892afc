"""What calls take, and the types of their answers, from the OpenAPI description.

Written by `python -m tools.client_types`; a test compares it with the description. All types are
plain dictionaries, so fields that a newer server adds stay in an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from datetime import datetime

    from typing_extensions import NotRequired


AnsweredEnum = Literal["yes", "unsure", "no"]

AudienceEnum = Literal[
    "organisation",
    "group",
    "member",
    "robot",
    "team",
    "persona",
    "industry",
    "role",
    "explicit",
    "review",
]

BlankEnum = Literal[""]

ByEnum = Literal["rules", "model"]

CallerKindEnum = Literal["robot", "member"]

ChangeEnum = Literal["made", "changed", "forgotten", "erased", "gone"]

ChangeWaitsStatusEnum = Literal["pending_review"]

ContradictionPolicy = Literal["ask", "newest_of_own_facts", "newest_of_same_speaker"]

DecisionStatus = Literal["active", "pending_review", "quarantined", "archived", "forgotten"]

DecisionStrength = Literal["unanimous", "strong", "moderate", "weak", "split", "contested"]

DissentKind = Literal[
    "minor_quibble",
    "alternative_approach",
    "fundamental_disagreement",
    "edge_case_concern",
    "risk_warning",
    "abstention",
]

Document = dict[str, Any]

EmbeddingEnum = Literal["pending", "ready", "none"]

EntityType = Literal[
    "person", "company", "project", "date", "topic", "location", "action_item", "concept"
]

FactState = Literal["current", "outdated", "disputed", "superseded", "upcoming"]

FormatEnum = Literal["commonmind-snapshot"]

FoundByEnum = Literal["words", "meaning"]

FusionEnum = Literal["minmax", "rrf", "weighted_rrf"]

HoursEnum = Literal[0, 24]

ImportFormat = Literal[
    "auto", "jsonl", "csv", "telegram", "slack", "discord", "mem0", "chatgpt", "claude"
]

ImportSubscriptionPausedForEnum = Literal[
    "asked", "author", "group", "setting", "folder", "unreadable", "too-many", "files"
]

IngestProfile = Literal["open", "strict"]

JobKindEnum = Literal[
    "change",
    "import",
    "export",
    "consolidate",
    "age",
    "retain",
    "summarise",
    "erase",
    "learn",
    "accounts",
    "project",
    "re-embed",
]

JobStateEnum = Literal["waiting", "running", "done", "dead", "cancelled"]

LayerEnum = Literal[
    "agent_persona", "human", "user_persona_profile", "service_experience", "global_experience"
]

LineResultResultEnum = Literal[
    "kept", "replaced", "written", "repeated", "waiting", "forgotten", "refused"
]

MemberRole = Literal["admin", "curator", "member", "viewer"]

MemoryCategory = Literal[
    "preference",
    "fact",
    "event",
    "decision",
    "sentiment",
    "reminder",
    "relationship",
    "org_fact",
    "org_policy",
    "team_member",
    "project_info",
    "org_decision",
]

MemoryKind = Literal["direct", "group", "user", "interaction", "organisation", "internal"]

MemoryLevel = Literal["individual", "group", "cross_group", "organisation"]

MemoryStatus = Literal["active", "pending_review", "quarantined", "archived", "forgotten"]

MemoryTier = Literal["fast", "medium", "slow", "glacial"]

MemoryType = Literal[
    "conversation", "fact", "preference", "expertise", "announcement", "interaction"
]

NotByModelEnum = Literal["not-showable", "over-limit", "no-answer", "unsupported"]

NotRerankedEnum = Literal["model-missing", "time-limit", "model-failed"]

OfEnum = Literal["member", "robot", "organisation"]

OnConflictEnum = Literal["refuse", "replace"]

OnOverflowEnum = Literal["refuse", "consolidate"]

OnPersonalData = Literal["review", "sanitise"]

OrderEnum = Literal["recent", "important", "balanced", "strength"]

Outcome = Literal["success", "failure"]

PatchTierEnum = Literal["glacial"]

PriorityEnum = Literal["high", "medium", "low"]

ReadersEnum = Literal["private", "organisation", "group"]

ReadsEnum = Literal["yes", "no", "seated"]

RecallProfile = Literal["balanced", "strength", "continuum", "hive"]

RestatementSourceEnum = Literal["rules", "llm"]

ScopesEnum = Literal["read", "write", "act_for", "manage"]

SourceStatus = Literal["ok", "empty", "off", "failed", "timed_out"]

SpeakerScopeEnum = Literal["organisation", "group"]

StrategyEnum = Literal[
    "auto",
    "fulltext",
    "keyword",
    "vector",
    "hybrid",
    "triple_tenant",
    "partitioned",
    "graph",
    "privacy_scoped",
    "multi_level",
]

TierStrategyEnum = Literal["fast_first", "weighted", "comprehensive", "insights", "cross_session"]

VersionEnum = Literal[1]

VisibilitiesEnum = Literal[
    "internal",
    "private",
    "protected",
    "shared",
    "group",
    "public",
    "organisation",
    "team",
    "persona",
    "industry",
    "role",
]


class Activity(TypedDict):
    """How much a robot brought. A memory counts for each robot that brought it."""

    robot: Named
    memories: int
    last_7_days: int
    """Of these, those of the last 7 days."""


class AddedTask(TypedDict):
    """An added task, with the status of its memory."""

    status: DecisionStatus
    memory: str
    task: Task | None
    """Null while the memory waits for a review; until then the task is in no list."""


class AnswerCitation(TypedDict):
    """A memory that the answer rests on, as in a recall, with the sentence that answers."""

    id: str
    key: str | None
    content: str
    score: float
    """0-1."""
    folded: bool
    """True if it does not answer the question by itself. It is served all the same."""
    scores: NotRequired[Scores]
    part: NotRequired[TextPart]
    """Only of a long text: the part of it that is nearest to the question in meaning."""
    consolidated: NotRequired[list[Consolidated]]
    """The memories that say the same, as far as the caller reads them."""
    confidence: NotRequired[float]
    """Only with `consolidated`: the highest confidence of all, 0-1."""
    access_count: NotRequired[int]
    """Only with `consolidated`: the sum of the counts of all."""
    robot: Named | None
    """The robot that wrote it. Null for the personal robot of another member, if the readers are
    the people of a persona, an industry or a role.
    """
    author: Named | None
    """The person who wrote it; null if a robot did."""
    speaker: str
    """Whose words it gives, as a name."""
    speaker_member: Named | None
    """The member who said it; null if `speaker` is only a name."""
    reworded_by: Named | None
    """Who gave it its present words, if that was not the speaker."""
    member: Named | None
    """The member whom it is about."""
    group: Named | None
    """Null also if the caller may not know it."""
    audience: Audience
    kind: MemoryKind
    type: MemoryType
    category: str
    tier: MemoryTier
    importance: float
    tags: list[str]
    metadata: dict[str, Any] | None
    """Null above 16,384 characters; the memory itself has them."""
    source: dict[str, Any] | None
    """Where the text comes from; null above 16,384 characters."""
    occurred_at: str | None
    created_at: str
    valid_from: str | None
    """From when it is true, if that was said."""
    valid_until: str | None
    """Until when it is or was true; null if no end is known."""
    superseded_by: str | None
    """The memory that is true since then, if the caller reads it."""
    state: FactState | None
    """`superseded`: it was said or decided that it is not true any more. `upcoming`: it is true
    from `valid_from` on. `outdated`: a newer memory says otherwise. `disputed`: so does one
    that has less standing, such as one whose speaker is only named, or somebody is to decide
    which of two is true. `current`: it is newer than what it replaces. Null: nothing says
    otherwise.
    """
    outdated_since: str | None
    """If it is outdated: when the newer memory was said."""
    contradicted_by: str | None
    """If it is outdated or disputed: the memory that says otherwise."""
    number: int
    start: int
    """Where the sentence begins in `content`, in characters (code points)."""
    end: int
    """Where it ends: the first character after it."""


class AnswerSentence(TypedDict):
    text: str
    cites: list[int]
    """The numbers of its citations."""


class AnsweredQuestion(TypedDict):
    """An answer and what it rests on."""

    recall_id: str
    """For feedback on the results."""
    answered: AnsweredEnum
    """Whether the results answer the question: `yes` from a `confidence` of 0.6, `no` below
    0.08, else `unsure`. No result is left out because of it.
    """
    confidence: float
    """The confidence that one of the first ten results answers, 0-1."""
    query: str
    """The query that was asked; with the timeframe `auto` without its time."""
    timeframe: list[dict[str, Any]] | None
    """The ranges {from, to} that were searched; null without any."""
    strategy: str
    """The strategy that was used."""
    took_ms: float
    """The time that it took, in milliseconds."""
    reranked: NotRequired[bool]
    """Only with `rerank`."""
    not_reranked: NotRequired[NotRerankedEnum | None]
    """Only with `rerank`: why the results were not reordered; null if they were."""
    text: str
    """The sentences, one a line; “Nothing here answers that.” if nothing answers."""
    by: ByEnum | None
    """Who made the sentences; null if nothing answers."""
    sentences: list[AnswerSentence]
    """By rules at most two."""
    citations: list[AnswerCitation]
    disagrees: list[Hit]
    """Recalled memories that say otherwise than a cited one."""
    not_by_model: NotRequired[NotByModelEnum | None]
    """Only where a language model was to answer: why it did not. `not-showable`: it may not see
    what answers; `over-limit`: the organisation has asked enough for today; `no-answer`: it
    gave none; `unsupported`: no sentence of it had support.
    """


class Asker(TypedDict):
    member: str | None
    robot: str | None


class AskerRequest(TypedDict):
    member: str | None
    robot: str | None


class Audience(TypedDict):
    kind: str
    """Such as organisation, group, member or explicit."""
    label: str
    """Who the readers are, in words."""


class BatchAnswer(TypedDict):
    results: list[BatchResult]


class BatchResult(TypedDict):
    index: int
    """The place of the item, counted from 0."""
    status: str
    """active, pending_review, quarantined or refused."""
    id: NotRequired[str]
    """The memory; missing for `refused`."""
    deduplicated: NotRequired[bool]
    """True if the same memory was there; else missing."""
    replaced: NotRequired[bool]
    """True if the memory of this key was changed; else missing."""
    superseded: NotRequired[list[str]]
    """The memories of `supersedes` that it replaced; missing if there is none."""
    proposals: NotRequired[list[str]]
    """The items of the review queue about those for which somebody decides; missing if there is
    none.
    """
    problem: NotRequired[dict[str, Any]]
    """For `refused` alone: problem details (RFC 9457)."""


class Block(TypedDict):
    id: str
    label: str
    """The name under which robots know it."""
    layer: LayerEnum
    persona: str | None
    """The handle of its persona; null for a block without one."""
    robot: Named | None
    """Of a human block that holds what the member told one robot: that robot."""
    description: str
    """What belongs into the block, and what does not."""
    belongs: str
    """For robots that write it: what belongs there."""
    never: str
    """What must not stand there."""
    examples: list[str]
    """Lines as they should be."""
    write_when: str
    """When to write a line; empty for what robots only read."""
    limit: int
    """The most characters of the text."""
    text: str
    """A line for each entry; an initial text without any."""
    version: int
    """Send it when you write the text."""
    entries: list[BlockEntry]
    """The entries in the text."""
    few_teachers: bool
    """Whether fewer than three people taught the block and you curate: then no entry says when,
    they are in the order of the alphabet, and no version is listed.
    """
    left_out: int
    """How many entries are not in the text, because it is full."""
    attached: bool
    """Whether it is attached to the calling robot. Only blocks of personas can be."""


class BlockEntry(TypedDict):
    id: str
    """The id of its memory."""
    text: str
    source: dict[str, Any]
    robot: str | None
    """The name of the robot that learned it. In the block of a persona or of everybody it is
    null for the personal robot of another member.
    """
    learned_at: str | None
    """When it was first said; in the block of a persona or of everybody the day. Null with
    `few_teachers`.
    """
    confirmed_at: str | None
    """When a robot or person last said or restored it, likewise."""


class BlockEntryWritten(TypedDict):
    id: str
    status: str
    """active, pending_review or quarantined."""
    confirmed: bool
    """Whether the entry was there already and is confirmed."""
    version: int
    """The version of the block after this call."""


class BlockHeld(TypedDict):
    id: str
    status: str
    """pending_review or quarantined."""


class BlockList(TypedDict):
    results: list[Block]


class BlockWritten(TypedDict):
    id: str
    label: str
    """The name under which robots know it."""
    layer: LayerEnum
    persona: str | None
    """The handle of its persona; null for a block without one."""
    robot: Named | None
    """Of a human block that holds what the member told one robot: that robot."""
    description: str
    """What belongs into the block, and what does not."""
    belongs: str
    """For robots that write it: what belongs there."""
    never: str
    """What must not stand there."""
    examples: list[str]
    """Lines as they should be."""
    write_when: str
    """When to write a line; empty for what robots only read."""
    limit: int
    """The most characters of the text."""
    text: str
    """A line for each entry; an initial text without any."""
    version: int
    """Send it when you write the text."""
    entries: list[BlockEntry]
    """The entries in the text."""
    few_teachers: bool
    """Whether fewer than three people taught the block and you curate: then no entry says when,
    they are in the order of the alphabet, and no version is listed.
    """
    left_out: int
    """How many entries are not in the text, because it is full."""
    attached: bool
    """Whether it is attached to the calling robot. Only blocks of personas can be."""
    held: list[BlockHeld]
    """New lines that wait for a review; they are not in the text yet."""


class BulkFiltersRequest(TypedDict):
    """Which memories, as in the list; at least one filter."""

    group: NotRequired[str]
    """By id or external id."""
    member: NotRequired[str]
    """Whom it is about, or who said it."""
    about: NotRequired[str]
    """The same as `member`."""
    key: NotRequired[str]
    robot: NotRequired[str]
    """The id of a robot that brought it."""
    team: NotRequired[str]
    """What its robots wrote, and its notes."""
    kind: NotRequired[MemoryKind]
    type: NotRequired[MemoryType]
    category: NotRequired[MemoryCategory]
    tier: NotRequired[MemoryTier]
    level: NotRequired[MemoryLevel]
    """How far it reaches."""
    keyword: NotRequired[str]
    """As in its `restatement`, in any letter case."""
    person: NotRequired[str]
    """Who is named: the name or a part of it."""
    entity: NotRequired[str]
    """A person, company, project, place or topic, by its name."""
    topic: NotRequired[str]
    """As in its `restatement`, in any letter case."""
    tag: NotRequired[str]
    status: NotRequired[MemoryStatus]
    """Default: active."""
    since: NotRequired[datetime | str]
    """It happened then or later."""
    until: NotRequired[datetime | str]
    """It happened then or earlier."""
    q: NotRequired[str]
    """A part of its text, in any letter case and normal form."""
    metadata: NotRequired[dict[str, str]]
    """Its metadata have these values under these names."""


class BulkPreview(TypedDict):
    """What a change would do now."""

    matches: int
    """How many memories match."""
    changes: int
    """How many of them would change."""
    waiting: int
    """Of how many of these a change would be proposed."""
    skipped: list[Skipped]
    """Why others would stay as they are."""
    first: list[Memory]
    """The first 10 that would change."""


class Caller(TypedDict):
    """Who calls."""

    kind: CallerKindEnum
    id: str
    """As other calls name it."""
    name: str
    role: MemberRole | None
    """Of a member; of a personal robot that of its member; else null."""
    member: Named | None
    """Of a personal robot the member whom it serves; else null."""
    organisation: Named
    scopes: list[str]
    """What the key may: read, write, act_for, manage. Of a member what the role may."""
    groups: list[CallerGroup]
    """The groups in which it is, the oldest first; at most 1,000."""
    more_groups: bool
    """Whether there are more; `GET /groups` has all."""
    only_groups: bool
    """Whether the key is limited to groups: it reads and writes what is in `groups` and nothing
    else.
    """
    limits: Limits


class CallerGroup(TypedDict):
    id: str
    external_id: str
    name: str


class ChainedDecision(TypedDict):
    """A decision with its whole record, as far as the caller reads it.

    `strength` follows from agree / (agree + disagree): 1 is unanimous, above .8 strong, from
    .6 moderate, above .5 weak, .5 or no votes split, below .5 contested.
    """

    id: str
    """Also the id of its memory."""
    status: DecisionStatus
    topic: str
    topic_hash: str
    """SHA-256 of the sorted words of the topic."""
    conclusion: str
    strength: DecisionStrength
    confidence: float
    """0-1."""
    participants: list[Voice]
    agree: int
    disagree: int
    claims: list[Claim]
    dissents: list[Dissent]
    domain: str
    tags: list[str]
    decided_at: str
    audience: Audience
    superseded_by: str | None
    """The memory that is true since then, if the caller reads it."""
    supersedes: list[str]
    """The decisions that it replaced, directly or not, the nearest first, at most 100 steps
    away.
    """
    successors: list[str]
    """The decisions that replaced it, directly or not, the nearest first, at most 100 steps
    away.
    """


class Change(TypedDict):
    """A change."""

    change: ChangeEnum
    """made and changed come with the memory as it is now; forgotten, erased and gone: delete it
    from the copy.
    """
    id: str | None
    """The memory; null if all memories of `audience` are gone."""
    audience: str | None
    """A short name for the readers of the memory, or for those whose memories are gone. Keep it
    beside the copy of the memory.
    """
    memory: Memory | None


class ChangeWaits(TypedDict):
    """A change that was proposed: the memory stays as it is until somebody decides."""

    id: str
    """The memory."""
    status: ChangeWaitsStatusEnum
    proposal: str
    """The item of the review queue."""
    changes: dict[str, Any]
    """What was proposed, by act: `memory` has the new values of fields; `split`, `task`,
    `entity` and `dissent` what was given to these. A newer change of the same act takes the
    place of this one.
    """


class Changes(TypedDict):
    results: list[Change]
    next: str | None
    """The address of the next page; null if this is the last."""
    cursor: str
    """What to ask with later."""


class Citation(TypedDict):
    number: int
    """The number in brackets in the text."""
    section: str
    """The name of the section."""
    type: str
    """What is cited, such as memory or message."""
    id: str
    """The id of what is cited."""
    cut: bool
    """Whether only its beginning is in the text."""
    details: dict[str, Any]
    """Further fields of this type, such as the audience. Of a memory and a message also
    `speaker`, `speaker_member`, `author`, `asserted_by`, `reworded_by` and `deposit_for`:
    whose words it gives and who says so, as in a preparation of decisions. `score` is missing
    where a memory stands beside another as its question or reply; `repeats` are the ids of
    memories that say the same. Of a memory also its `category`, `strength` (0-1), `tags`,
    `metadata` and `source` (null above 16,384 characters), and `state` and `contradicted_by`,
    which say whether it is true now, as in a recall.
    """


class Claim(TypedDict):
    text: str
    by: Voice | None
    """Null if nobody was named."""


class ClaimDraftRequest(TypedDict):
    text: str
    by: NotRequired[str]
    """Whose words these are: a member by id or platform:identifier, a name, or robot:<id or
    name>. Only a caller who may speak for a member can name that member.
    """


class Consolidated(TypedDict):
    """A memory that says the same as a result and is not served itself."""

    id: str
    audience: Audience


class Context(TypedDict):
    text: str
    tokens: int
    """Of the text; at most `max_tokens`."""
    recall_id: str | None
    """For feedback on the memories in the text; null if memories were not searched."""
    answered: AnsweredEnum | None
    """Whether the recalled memories answer the query, as in a recall; null if memories were not
    searched.
    """
    confidence: float | None
    """The confidence that one of them answers, 0-1."""
    reranked: NotRequired[bool]
    """Only with `rerank`."""
    not_reranked: NotRequired[NotRerankedEnum]
    """Why the order is the plain one."""
    citations: list[Citation]
    sections: list[Section]


class Decision(TypedDict):
    """A decision with its whole record, as far as the caller reads it.

    `strength` follows from agree / (agree + disagree): 1 is unanimous, above .8 strong, from
    .6 moderate, above .5 weak, .5 or no votes split, below .5 contested.
    """

    id: str
    """Also the id of its memory."""
    status: DecisionStatus
    topic: str
    topic_hash: str
    """SHA-256 of the sorted words of the topic."""
    conclusion: str
    strength: DecisionStrength
    confidence: float
    """0-1."""
    participants: list[Voice]
    agree: int
    disagree: int
    claims: list[Claim]
    dissents: list[Dissent]
    domain: str
    tags: list[str]
    decided_at: str
    audience: Audience
    superseded_by: str | None
    """The memory that is true since then, if the caller reads it."""


class Dissent(TypedDict):
    id: str
    decision: str
    kind: DissentKind
    content: str
    reasoning: str
    by: Voice
    noted_by: Voice | None
    """Who recorded it; this may be another than `by`."""
    confidence: float
    """0-1."""
    acknowledged: bool
    rebuttal: str
    """What was said against it; empty without one."""
    created_at: str
    answered_at: str | None
    answered_by: Voice | None


class DissentDraftRequest(TypedDict):
    kind: DissentKind
    content: str
    reasoning: NotRequired[str]
    by: NotRequired[str]
    """Whose words these are: a member by id or platform:identifier, a name, or robot:<id or
    name>. Only a caller who may speak for a member can name that member. Left out: the
    caller's own words.
    """
    confidence: NotRequired[float]


class Erased(TypedDict):
    memories: int
    """How many memories were erased, as far as the caller reads them; with what the service made
    from them.
    """
    messages: list[str]
    """Messages from which it was made and which stay; at most 20."""
    made_of_it: list[str]
    """Memories that somebody made from it and that stay; at most 20."""
    erasure: str
    """The id of the erasure, see `/erasures`."""
    receipt: str
    """The address of its receipt. Whoever has it can read the receipt."""


class Evidence(TypedDict):
    """A memory that shows the knowledge."""

    id: str
    content: str
    """The first 500 characters of its text."""
    occurred_at: str | None
    created_at: str


class Expert(TypedDict):
    """Somebody who has shown knowledge of the topic. All figures are over what the caller reads.

    found_by: whether the evidence has the words of the topic, or is only near in meaning.
    """

    member: Named | None
    """Null for a speaker of whom only the name is known."""
    name: str
    weight: float
    """The sum of the weights of the observations."""
    observations: int
    memories: int
    """The number of memories with an observation."""
    last_at: str
    """The time of the latest observation."""
    found_by: FoundByEnum
    evidence: list[Evidence]
    """At most 3 memories, the best first."""


class FiltersRequest(TypedDict):
    """All filters must match; of a list one value is enough.

    `metadata` must contain the given one.
    """

    groups: NotRequired[list[str]]
    """By id or external id."""
    members: NotRequired[list[str]]
    """By id or platform:identifier."""
    robots: NotRequired[list[str]]
    """By id."""
    visibilities: NotRequired[list[VisibilitiesEnum]]
    """Who reads it, such as `private` (the member alone) or `organisation` (everyone)."""
    teams: NotRequired[list[str]]
    """What their robots brought, and their notes."""
    kinds: NotRequired[list[MemoryKind]]
    types: NotRequired[list[MemoryType]]
    categories: NotRequired[list[MemoryCategory]]
    tiers: NotRequired[list[MemoryTier]]
    levels: NotRequired[list[MemoryLevel]]
    tags: NotRequired[list[str]]
    keywords: NotRequired[list[str]]
    """As in the memory's `restatement`, in any letter case."""
    persons: NotRequired[list[str]]
    """Who is named: the name or a part of it."""
    entities: NotRequired[list[str]]
    """A person, company, project, place or topic, by its name."""
    topics: NotRequired[list[str]]
    """As in the memory's `restatement`, in any letter case."""
    metadata: NotRequired[Document]
    min_importance: NotRequired[float]


class Group(TypedDict):
    id: str
    external_id: str
    name: str
    confidential: bool
    profile: IngestProfile
    contradiction_policy: ContradictionPolicy
    """Which of two memories that disagree holds without anybody deciding it: `ask` none;
    `newest_of_own_facts` (the default) the newest that a member said of themselves;
    `newest_of_same_speaker` the newest that the same member said.
    """
    created_at: str


class Head(TypedDict):
    """The head: format, organisation, time, asker and number of memories."""

    format: FormatEnum
    version: VersionEnum
    organisation: str
    made_at: str
    memories: int
    asker: NotRequired[Asker]


class HeadRequest(TypedDict):
    """The head: format, organisation, time, asker and number of memories."""

    format: FormatEnum
    version: VersionEnum
    organisation: str
    made_at: datetime | str
    memories: int
    asker: NotRequired[AskerRequest]


class Hit(TypedDict):
    id: str
    key: str | None
    content: str
    score: float
    """0-1."""
    folded: bool
    """True if it does not answer the question by itself. It is served all the same."""
    scores: NotRequired[Scores]
    part: NotRequired[TextPart]
    """Only of a long text: the part of it that is nearest to the question in meaning."""
    consolidated: NotRequired[list[Consolidated]]
    """The memories that say the same, as far as the caller reads them."""
    confidence: NotRequired[float]
    """Only with `consolidated`: the highest confidence of all, 0-1."""
    access_count: NotRequired[int]
    """Only with `consolidated`: the sum of the counts of all."""
    robot: Named | None
    """The robot that wrote it. Null for the personal robot of another member, if the readers are
    the people of a persona, an industry or a role.
    """
    author: Named | None
    """The person who wrote it; null if a robot did."""
    speaker: str
    """Whose words it gives, as a name."""
    speaker_member: Named | None
    """The member who said it; null if `speaker` is only a name."""
    reworded_by: Named | None
    """Who gave it its present words, if that was not the speaker."""
    member: Named | None
    """The member whom it is about."""
    group: Named | None
    """Null also if the caller may not know it."""
    audience: Audience
    kind: MemoryKind
    type: MemoryType
    category: str
    tier: MemoryTier
    importance: float
    tags: list[str]
    metadata: dict[str, Any] | None
    """Null above 16,384 characters; the memory itself has them."""
    source: dict[str, Any] | None
    """Where the text comes from; null above 16,384 characters."""
    occurred_at: str | None
    created_at: str
    valid_from: str | None
    """From when it is true, if that was said."""
    valid_until: str | None
    """Until when it is or was true; null if no end is known."""
    superseded_by: str | None
    """The memory that is true since then, if the caller reads it."""
    state: FactState | None
    """`superseded`: it was said or decided that it is not true any more. `upcoming`: it is true
    from `valid_from` on. `outdated`: a newer memory says otherwise. `disputed`: so does one
    that has less standing, such as one whose speaker is only named, or somebody is to decide
    which of two is true. `current`: it is newer than what it replaces. Null: nothing says
    otherwise.
    """
    outdated_since: str | None
    """If it is outdated: when the newer memory was said."""
    contradicted_by: str | None
    """If it is outdated or disputed: the memory that says otherwise."""


class ImportCounts(TypedDict):
    """Of all, also of those that the lists leave out."""

    lines: int
    """All that were read but empty ones."""
    new_memories: int
    """At most so many would be written."""
    already: int
    """There already, as far as the caller reads."""
    skipped: int
    """Lines that are refused."""
    readable: int
    """Lines that the caller would read."""
    readable_if_seated: int
    """The same if they join the groups that the import makes."""
    without_reader: int
    """Lines that name neither a reader nor a group."""
    groups: int
    new_groups: int
    people: int
    new_people: int


class ImportPlan(TypedDict):
    """What a file would bring; nothing was written. Each list has its first 100."""

    whole: bool
    """Whether it was read to its end; else this is what its beginning brings."""
    broken: bool
    """Whether it breaks off and cannot be read further."""
    counts: ImportCounts
    groups: list[PlannedGroup]
    people: list[PlannedPerson]
    readers: list[PlannedReaders]
    first_problems: list[RefusedItem]
    """The first 20 lines that are refused, and why."""


class ImportSubscription(TypedDict):
    id: str
    folder: str
    author: str
    """The name of the member or robot whose jobs its runs are."""
    format: ImportFormat
    time_zone: str
    columns: str
    speaker_scope: SpeakerScopeEnum
    readers: ReadersEnum
    group: ImportSubscriptionGroup | None
    """Who reads what names no reader; null where the caller does not know the group."""
    join_groups: bool
    period_minutes: int
    """Minutes between two looks at the folder."""
    created_at: str
    last_run_at: str | None
    next_run_at: str | None
    """Null while it is paused."""
    failures: int
    """Failed runs one after another; the fifth pauses it."""
    paused_for: ImportSubscriptionPausedForEnum | BlankEnum
    """Why it is paused."""
    files_taken: int
    """Files of which an import was queued."""
    files_refused: int
    """Files that were refused and have not changed since."""
    first_problems: list[str]
    """The last of these, each with its path and why."""


class ImportSubscriptionGroup(TypedDict):
    id: str
    name: str


class ImportSubscriptionList(TypedDict):
    results: list[ImportSubscription]


class Job(TypedDict):
    """One job of a member, a robot or the organisation (`of`)."""

    id: str
    kind: JobKindEnum
    of: OfEnum
    state: JobStateEnum
    cancel_asked: bool
    """Whether it stops before its next step."""
    done: int
    """The progress, in the unit of its kind, such as memories."""
    total: int
    """The whole work, in the same unit."""
    counts: dict[str, int]
    """What it did so far: a number for each name."""
    problems: int
    """How many items were refused; at most 1,000 are counted."""
    first_problems: list[RefusedItem]
    """The first 20 of them."""
    file: str | None
    """The address of the file of a finished export; else null."""
    reason: str
    """Why it failed; empty otherwise."""
    period: str | None
    """The day (UTC) of a daily run; null for other jobs."""
    created_at: str
    started_at: str | None
    """When its first turn began; null while it waits for it."""
    finished_at: str | None


class Key(TypedDict):
    """A key without its secret."""

    id: str
    robot: Named
    label: str
    prefix: str
    """A part of its text by which it is recognised."""
    scopes: list[str]
    groups: list[Named] | None
    """The groups to which it is limited, as far as the caller may know them; null without a
    limit.
    """
    networks: list[str] | None
    """The networks from which it opens anything; null without a limit."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """Null before its first use. Of the personal robot of another member only admins see it."""


class Learned(TypedDict):
    """The learned values of the memory after this feedback."""

    surprise: float
    """0-1. A moving mean of how much more useful it was than its score."""
    success_rate: float
    """0-1; 0.5 without any outcome."""
    consolidation: float
    """0-1; it grows with `updates`."""
    updates: int
    """The number of feedback reports."""
    tier: MemoryTier


class Limits(TypedDict):
    """What one call, minute or day may have; null: no limit."""

    reads_per_minute: int | None
    """Of this key or person."""
    writes_per_minute: int | None
    """Of this key or person."""
    organisation_reads_per_minute: int | None
    """Of the organisation's keys and people together."""
    organisation_writes_per_minute: int | None
    """Of the organisation's keys and people together."""
    organisation_bytes_per_day: int | None
    """Of the bodies of all writing calls of the organisation."""
    call_seconds: float
    """Then a call is 503 `out-of-time`."""
    body_bytes: int
    """Of a request's body."""
    answer_text_bytes: int
    """Of the texts in one answer."""
    memory_bytes: int
    """Of a memory's text, in UTF-8."""
    message_bytes: int
    """Of a message's text, in UTF-8."""
    query_characters: int
    """Of the query of a recall."""
    items: int
    """Of a batch, a page and most lists."""
    references: int
    """Of a list of members, robots and the like."""


class LineRequest(TypedDict):
    """One memory. Only what a restore needs is required."""

    id: str
    content: str
    audience: AudienceEnum
    importance: float
    tier: MemoryTier
    key: NotRequired[str | None]
    type: NotRequired[MemoryType]
    category: NotRequired[MemoryCategory | BlankEnum]
    confidence: NotRequired[float]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Document]
    topic: NotRequired[str]
    speaker: NotRequired[str]
    group: NotRequired[str | None]
    sensitive: NotRequired[bool]
    occurred_at: NotRequired[datetime | str | None]
    created_at: NotRequired[datetime | str | None]
    expires_at: NotRequired[datetime | str | None]
    valid_from: NotRequired[datetime | str | None]
    valid_until: NotRequired[datetime | str | None]
    remember_count: NotRequired[int]
    version: NotRequired[int]
    use: NotRequired[UseRequest]


class LineResult(TypedDict):
    """The result of one line.

    kept, replaced: the memory exists. written: it is a new memory. repeated: the same readers
    have this text already. waiting: it waits for a review. forgotten: the memory is and stays
    forgotten. refused: see `problem`.
    """

    index: int
    """The place of the line, counted from 0."""
    result: LineResultResultEnum
    memory: NotRequired[str]
    """The memory that has the text now."""
    problem: NotRequired[dict[str, Any]]
    """For `refused` alone: problem details (RFC 9457)."""


class Member(TypedDict):
    id: str
    name: str
    role: MemberRole
    created_at: str
    email: str | None
    """Of the account; null without one, and for all but admins and keys that manage."""


class Memory(TypedDict):
    """A memory. Only the call for a single memory gives `embedding` and `restatement`."""

    id: str
    key: str | None
    content: str
    status: MemoryStatus
    robot: Named | None
    """The robot that wrote it. Null for the personal robot of another member, if the readers are
    the people of a persona, an industry or a role.
    """
    author: Named | None
    """The person who wrote it; null if a robot did."""
    speaker: str
    """Whose words it gives, as a name."""
    speaker_member: Named | None
    """The member who said it; null if `speaker` is only a name."""
    reworded_by: Named | None
    """Who gave it its present words, if that was not the speaker."""
    member: Named | None
    """The member whom it is about."""
    group: Named | None
    """Null also if the caller may not know it."""
    audience: Audience
    kind: MemoryKind
    level: MemoryLevel
    """individual (about a member, between two, or a robot's own), group, cross_group (what a
    member prefers and knows in every group), organisation (everything else).
    """
    type: MemoryType
    category: str
    tier: MemoryTier
    topic: str
    tags: list[str]
    metadata: dict[str, Any]
    source: dict[str, Any]
    """Without ids of other memories: the lineage has those."""
    conversation: str | None
    importance: float
    """0-1."""
    confidence: float
    """0-1."""
    sensitive: bool
    shareable: bool
    red_line: bool
    red_line_reason: str
    """Why it is protected, or why no longer."""
    access_count: int
    last_accessed_at: str | None
    remember_count: int
    occurred_at: str | None
    created_at: str
    updated_at: str
    expires_at: str | None
    valid_from: str | None
    """From when it is true, if that was said."""
    valid_until: str | None
    """Until when it is or was true; null if no end is known."""
    superseded_by: str | None
    """The memory that is true since then, if the caller reads it."""
    embedding: NotRequired[EmbeddingEnum]
    """none: it is sensitive, so it gets no vector."""
    restatement: NotRequired[Restatement | None]
    writer_reads: NotRequired[bool]
    """Whether `robot` may read it by its id, correct and forget it because it wrote it, without
    being one of its readers. Only in the call for a single memory.
    """


class ModelUsage(TypedDict):
    """What the organisation asked the language model for in answers, in the last 30 days."""

    questions: int
    prompt_tokens: int
    """As the model's server counts them."""
    completion_tokens: int
    price: float
    """By the server's LLM_PRICE_INPUT and _OUTPUT."""


class Moment(TypedDict):
    timestamp: str
    """When it was said, else when it was written."""
    memory: str
    robot: Named | None
    """The robot that wrote it. Null for the personal robot of another member, if the readers are
    the people of a persona, an industry or a role.
    """
    content: str
    speaker: str
    """Whose words it gives, as a name; may be empty."""
    speaker_member: Named | None
    """The member who said it; null if `speaker` is only a name."""


class Named(TypedDict):
    id: str
    name: str


class NewKey(TypedDict):
    """A key without its secret."""

    id: str
    robot: Named
    label: str
    prefix: str
    """A part of its text by which it is recognised."""
    scopes: list[str]
    groups: list[Named] | None
    """The groups to which it is limited, as far as the caller may know them; null without a
    limit.
    """
    networks: list[str] | None
    """The networks from which it opens anything; null without a limit."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """Null before its first use. Of the personal robot of another member only admins see it."""
    key: str
    """Its whole text, which is stored nowhere."""


class PaginatedDecisionList(TypedDict):
    results: list[Decision]
    next: str | None


class PaginatedExpertList(TypedDict):
    results: list[Expert]
    next: str | None


class PaginatedGroupList(TypedDict):
    results: list[Group]
    next: str | None


class PaginatedJobList(TypedDict):
    results: list[Job]
    next: str | None


class PaginatedKeyList(TypedDict):
    results: list[Key]
    next: str | None


class PaginatedMemberList(TypedDict):
    results: list[Member]
    next: str | None


class PaginatedMemoryList(TypedDict):
    results: list[Memory]
    next: str | None


class PaginatedRobotList(TypedDict):
    results: list[Robot]
    next: str | None


class PaginatedTaskList(TypedDict):
    results: list[Task]
    next: str | None


class PaginatedVersionList(TypedDict):
    results: list[Version]
    next: str | None


class PersonFound(TypedDict):
    """Somebody whom readable memories show to know about what was asked."""

    member: Named | None
    """Null for a speaker of whom only the name is known."""
    name: str
    weight: float
    """The sum of their observations, each by the relevance of its memory."""
    evidence: list[str]
    """Up to 3 of these memories, the best first."""


class PlannedGroup(TypedDict):
    name: str
    new: bool
    """Whether the import makes it."""
    lines: int
    """How many lines are of this group."""
    reads: ReadsEnum
    """Whether the caller would read what is for the group; `seated`: if they join it."""


class PlannedPerson(TypedDict):
    name: str
    new: bool
    """Whether the import makes them."""
    can_sign_in: bool


class PlannedReaders(TypedDict):
    """Some lines with the same readers."""

    audience: AudienceEnum
    lines: int
    reads: ReadsEnum
    """Whether the caller would read them."""
    group: str | None
    """The name of the group, if that reads them."""
    names: list[str]
    """The people and groups of a list; the first 100."""
    can_read_now: int | None
    """How many who can sign in would read them; null where the caller may not know who is in a
    group.
    """
    cannot_sign_in: int | None
    """How many of the readers cannot yet."""


class Problem(TypedDict):
    """Problem details (RFC 9457)."""

    type: str
    """`urn:commonmind:problem:<code>`. The code is stable: programs compare it."""
    title: str
    """The kind of problem, in words."""
    status: int
    """The HTTP status code."""
    detail: str
    """What went wrong in this call, in a sentence."""
    errors: list[ProblemError]
    """The invalid fields of a 400 `invalid`, and of a 404 the fields whose reference means
    nothing that the caller may see; empty for other problems.
    """
    existing: NotRequired[str]
    """Of a 409 the id of what exists already, if the caller may see it."""
    etag: NotRequired[str]
    """Of a 412 `changed` the present ETag, if the caller may see it."""
    request_id: str
    """Quote it when you report the problem."""


class ProblemError(TypedDict):
    field: str
    """The path of the field with dots, such as `items.0.content`; `body` for the whole."""
    detail: str


class ReadersRequest(TypedDict):
    members: NotRequired[list[str]]
    """By id or platform:identifier."""
    robots: NotRequired[list[str]]
    """By id."""
    groups: NotRequired[list[str]]
    """By id or external id."""
    teams: NotRequired[list[str]]
    """By id."""


class RecallAnswer(TypedDict):
    recall_id: str
    """For feedback on the results."""
    answered: AnsweredEnum
    """Whether the results answer the question: `yes` from a `confidence` of 0.6, `no` below
    0.08, else `unsure`. No result is left out because of it.
    """
    confidence: float
    """The confidence that one of the first ten results answers, 0-1."""
    results: list[Hit]
    people: NotRequired[list[PersonFound]]
    """Only with the strategy `graph`: who knows about it, the best first, at most 10."""
    query: str
    """The query that was asked; with the timeframe `auto` without its time."""
    timeframe: list[dict[str, Any]] | None
    """The ranges {from, to} that were searched; null without any."""
    strategy: str
    """The strategy that was used."""
    took_ms: float
    """The time that it took, in milliseconds."""
    reranked: NotRequired[bool]
    """Only with `rerank`."""
    not_reranked: NotRequired[NotRerankedEnum | None]
    """Only with `rerank`: why the results were not reordered; null if they were."""


class Recorded(TypedDict):
    """A recorded decision. While it waits for a review, it is in no list."""

    id: str
    status: DecisionStatus
    deduplicated: bool
    """True if it was recorded before. Then nothing of this call is stored but `supersedes`."""


class RefusedItem(TypedDict):
    """An item that was refused: the id of a memory, or the line of a file."""

    id: NotRequired[str]
    line: NotRequired[int]
    reason: str


class RememberRequest(TypedDict):
    """A text to remember.

    `readers` are further readers, with the visibility `shared` or `protected`. `source` is
    where the text comes from; `memories` in it lists the ids of memories from which it was
    made.
    """

    content: str
    visibility: NotRequired[str]
    """Who reads it: one of internal, private, protected, shared, group, organisation, public,
    organization, team:<id>, persona:<handle>, industry:<name>, role:<name>. Left out: the
    `group`; else the `member`, for a person the caller; else everyone in the organisation.
    """
    readers: NotRequired[ReadersRequest]
    group: NotRequired[str]
    """By id or external id."""
    member: NotRequired[str]
    """The member for whom the robot acts, by id or platform:identifier."""
    listeners: NotRequired[list[str]]
    """Members addressed."""
    speaker: NotRequired[str]
    """Whose words it gives: a member by id or platform:identifier, or a name."""
    robot: NotRequired[str]
    """The id of the calling robot; any other is 403. It can be left out."""
    occurred_at: NotRequired[datetime | str]
    """When it was said."""
    key: NotRequired[str]
    """A name of your own for the text, so that the call can be repeated. The same key with
    another text for the same readers is 409 `key-taken`.
    """
    on_conflict: NotRequired[OnConflictEnum]
    """What happens if the key names another text. `refuse` (the default): 409. `replace`: that
    memory is edited, by the rules of a PATCH.
    """
    kind: NotRequired[MemoryKind]
    type: NotRequired[MemoryType]
    """Usual words for a type are understood, and a category as a fact of it."""
    category: NotRequired[MemoryCategory]
    topic: NotRequired[str]
    importance: NotRequired[float]
    confidence: NotRequired[float]
    tier: NotRequired[MemoryTier]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Document]
    conversation: NotRequired[str]
    """Equal for all its turns."""
    source: NotRequired[Document]
    expires_at: NotRequired[datetime | str]
    """No answer uses it then."""
    valid_from: NotRequired[datetime | str]
    """From when it is true, if not since it was said."""
    valid_until: NotRequired[datetime | str]
    """Until when it is true; a date includes its day. Later it is still served, but lower and
    marked.
    """
    supersedes: NotRequired[list[str]]
    """The memories, by id, that are true no more because this one is; one id or a list. What is
    not the caller's to change is proposed.
    """
    sensitive: NotRequired[bool]
    """Its text is stored encrypted and is not indexed, so no recall finds it. It is found by id
    and in lists by tag, category and other filters.
    """
    shareable: NotRequired[bool]
    """Whether it may be said outside its group."""
    red_line: NotRequired[bool]
    """Protect it. Curators, admins and the member whom it is about do so at once; for others
    this is proposed and waits for a review.
    """
    red_line_reason: NotRequired[str]
    """A person who sets `red_line` must give one."""
    on_personal_data: NotRequired[OnPersonalData]
    """What happens if a gate finds personal data. `review` (the default): the text waits for a
    person's decision. `sanitise`: it is stored at once, with the kind of each finding in
    brackets in its place, such as [email].
    """


class Remembered(TypedDict):
    id: str
    status: MemoryStatus
    audience: Audience
    deduplicated: bool
    """Whether the same memory was there already. Always false if the caller cannot read it."""
    remember_count: int
    """How often it has been remembered."""
    embedding: EmbeddingEnum
    """none: it is sensitive, so it gets no vector."""
    replaced: bool
    """Whether the memory of this key has the new text (`on_conflict`)."""
    superseded: list[str]
    """The memories of `supersedes` that it replaced."""
    proposals: list[str]
    """The items of the review queue about those for which somebody decides."""


class Restatement(TypedDict):
    """A memory with pronouns and relative dates resolved, and what it names; null for a
    sensitive memory, and until it was read. `content` keeps its own words.
    """

    text: str
    """Empty if nothing had to be resolved."""
    keywords: list[str]
    persons: list[str]
    entities: list[dict[str, str]]
    """{name, type}. The type is person, company, project, date, topic, location or action_item."""
    location: str
    topic: str
    source: RestatementSourceEnum
    """Whether rules or a language model made it."""
    made_at: str


class Restored(TypedDict):
    results: list[LineResult]
    counts: dict[str, int]
    """The number of lines by result."""


class Robot(TypedDict):
    id: str
    name: str
    purpose: str
    personality: str
    """How the robot speaks and behaves."""
    metadata: dict[str, Any]
    working_memory_tokens: int | None
    """The most tokens of its working memory; null: the default of the server."""
    created_at: str
    last_active_at: str | None
    """Null before its first activity. For the personal robot of another member only admins see
    it.
    """


class RobotCount(TypedDict):
    robot: Named
    count: int
    """How many of these memories it brought."""


class Scores(TypedDict):
    """The parts of a score."""

    relevance: float
    """Words, meaning and cues together, 0-1."""
    vector: float | None
    """By meaning: an inner product, about -0.2 to 1.6."""
    keyword: float | None
    """By words: the sum of their weights; it has no fixed maximum."""
    similarity: float | None
    """The cosine of question and text, -1 to 1."""
    cues: float
    """What length, speaker and time of the text add, about -0.06 to 0.55."""
    strength: float
    """0-1; it falls with the time without use."""
    answers: float
    """The confidence that this one answers, 0-1."""
    rerank: NotRequired[float | None]
    """The cross-encoder's logit, if it read this one."""
    unconfirmed_days: NotRequired[float]
    """For a memory of a persona, an industry or a role: the days since somebody last said it.
    Above the server's BLOCK_FRESH_DAYS (90 by default) its score gets smaller.
    """


class Section(TypedDict):
    """What a source gave. One that is failed or timed_out gave nothing; the others are there."""

    name: str
    status: SourceStatus
    items: int
    """How many are in the text."""
    left_out: int
    """How many were found, but had no room."""
    weak: int
    """How many were found below `min_strength`."""
    tokens: int
    """Of the section in the text."""


class Skipped(TypedDict):
    reason: str
    memories: int


class Snapshot(TypedDict):
    head: Head
    memories: list[SnapshotLine]


class SnapshotLine(TypedDict):
    """One memory of a snapshot."""

    id: str
    key: str | None
    content: str
    type: MemoryType
    category: str
    tier: MemoryTier
    importance: float
    """0-1."""
    confidence: float
    """0-1."""
    tags: list[str]
    metadata: dict[str, Any]
    topic: str
    speaker: str
    """Whose words it gives, as a name."""
    sensitive: bool
    audience: AudienceEnum
    group: str | None
    """The id of its group."""
    occurred_at: str | None
    created_at: str
    expires_at: str | None
    valid_from: str | None
    valid_until: str | None
    remember_count: int
    """A restore ignores it."""
    version: int
    """A restore ignores it."""
    use: Use


class SnapshotPage(TypedDict):
    """One page: a whole snapshot, which can be restored by itself."""

    snapshot: Snapshot
    next: str | None
    """The address of the next page."""


class Stats(TypedDict):
    memories: int
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    robots: int
    """How many robots wrote them."""
    embedding_pending: int
    """Memories that wait for a vector."""
    embedding_failed: int
    activity: list[Activity]
    """The 100 robots that brought most."""
    promotions_last_hour: int
    demotions_last_hour: int
    hit_rate: float
    """The share of your questions that were answered (`answered` is yes), 0-1."""
    avg_surprise: float
    """Of memories with feedback, 0-1; else 0."""
    pressure: float
    """How full the fullest tier of any audience is, 0-1."""
    language_model: ModelUsage | None
    """Only for admins and keys with `manage`; else null."""


class Task(TypedDict):
    """One task."""

    id: str
    memory: str
    """The memory that the task belongs to."""
    title: str
    importance: float
    """The importance of the memory, 0-1."""
    assignee: Named | None
    due_at: str | None
    priority: PriorityEnum | None
    """high: overdue or due in less than 3 days; medium: within 7 days; low: later or without a
    due date. Null if it is done.
    """
    done: bool
    done_at: str | None
    created_at: str


class TextPart(TypedDict):
    index: int
    """From 0 on, in the order of the text."""
    start: int
    """The first character of it in `content`, from 0 on."""
    end: int
    """The character behind its last one."""


class Timeline(TypedDict):
    results: list[Moment]


class ToolCounted(TypedDict):
    """Under which persona and tool the call is counted. Nothing says who reported it."""

    persona: str
    tool: str
    """`other` where it is not counted under its name."""


class Use(TypedDict):
    """The use of a memory. Counts from 0; surprise in 0-1."""

    tier_since: str | None
    access_count: int
    last_accessed_at: str | None
    updates: int
    successes: int
    failures: int
    surprise: float


class UseRequest(TypedDict):
    """The use of a memory. Counts from 0; surprise in 0-1."""

    tier_since: datetime | str | None
    access_count: int
    last_accessed_at: datetime | str | None
    updates: int
    successes: int
    failures: int
    surprise: float


class Version(TypedDict):
    """One version of a memory."""

    version: int
    """Counted from 1."""
    current: bool
    """Whether this is the present version."""
    content: str
    category: str
    importance: float
    tags: list[str]
    metadata: dict[str, Any]
    expires_at: str | None
    audience: Audience
    robot: Named | None
    """The robot that made this version; null where none did or the caller may not know it."""
    member: Named | None
    """The person who made this version; null where a robot did."""
    at: str
    """When this version was made."""


class Voice(TypedDict):
    """A person or robot in the record of a decision. Of a mere name, member and robot are null."""

    name: str
    """The present name."""
    member: Named | None
    robot: Named | None


class WhoSaid(TypedDict):
    results: list[RobotCount]


class AnswerFields(TypedDict):
    """What `answer` takes beside its arguments."""

    limit: NotRequired[int]
    """In how many recalled memories the answer is looked for, by default 10."""
    group: NotRequired[str]
    """The group in which it is asked. It only narrows what may come up."""
    member: NotRequired[str]
    """The member for whom a robot asks, by id or platform:identifier."""
    about: NotRequired[str]
    """Only what is about this member or gives their words; the same as `filters.members` with
    one. `member` says for whom it is asked.
    """
    shareable_with: NotRequired[str]
    """A group: only what every present member of it may read comes up."""
    timeframe: NotRequired[dict[str, Any] | str | list[dict[str, Any] | str]]
    """A time in words ("last week", "since Monday", "from 3 to 5 March"), a range {"from",
    "to"}, or a list of these, of which any may match. "auto" takes the time out of the query;
    "none" is no filter.
    """
    as_of: NotRequired[str | datetime]
    """A day or a time: only what was said up to then and was true then, marked as of then. A day
    means its end, in the time zone of the member who asks, else in UTC.
    """
    strategy: NotRequired[StrategyEnum]
    """How the store is searched. What may be read is the same for all of them."""
    profile: NotRequired[RecallProfile]
    """How the score is made: `balanced` is .85 relevance + .10 strength + .05 tier weight + up
    to .02 more or less by feedback, `strength` is .5 strength + .3 confidence + .2
    importance, `continuum` is relevance x tier weight, `hive` is .5 cosine + .3 Jaccard of
    tags + .1 exp(-age / 168 h) + .1 ln(1 + accesses) / 10.
    """
    tier_strategy: NotRequired[TierStrategyEnum]
    """Which tiers are searched: `fast_first` searches a slower tier only while fewer than
    `limit` were found, `weighted` searches all and multiplies the score by the tier weight,
    `comprehensive` searches all, `insights` the glacial tier, `cross_session` the slow and
    the glacial tier.
    """
    fusion: NotRequired[FusionEnum]
    """How the results by words and by meaning are combined."""
    min_similarity: NotRequired[float]
    """The least cosine. By default none; with a `tier_strategy` .3, with `cross_session` .2."""
    filters: NotRequired[FiltersRequest]
    include_shared: NotRequired[bool]
    """Also memories that everyone in the organisation reads."""
    prefer_personal: NotRequired[bool]
    """If facts of several audiences say the same, only the one of the nearest audience is
    served; the others are named in `consolidated`.
    """
    shared_limit: NotRequired[int]
    """How many memories that everyone in the organisation reads may come up, at most. By default
    there is no such limit; 0 is the same as `include_shared: false`.
    """
    include_direct: NotRequired[bool]
    """Also the member's direct conversations and other groups. A robot needs the member's
    delegation; without one it reads what the member told it in direct conversations, if no
    group and no `shareable_with` is named.
    """
    include_expired: NotRequired[bool]
    """Also memories past their `expires_at`, with strength 0."""
    rerank: NotRequired[bool]
    """Whether a cross-encoder reorders the first 20 results."""
    by: NotRequired[ByEnum]
    """Who makes the sentences: `rules` show those of the memories, `model` lets a language model
    write (409 if none is set up). By default the model, if there is one.
    """


class BlockEntryFields(TypedDict):
    """What `block_entries_create` takes beside its arguments."""

    member: NotRequired[str]
    """The member for whom a robot writes. A personal robot writes for its own by default."""
    on_overflow: NotRequired[OnOverflowEnum]
    """What happens if the text would be longer than `limit`. `refuse`: 422 `over-limit`.
    `consolidate`: the entries with the least weight are replaced by one of them and archived.
    """
    on_personal_data: NotRequired[OnPersonalData]
    """What happens if the gate finds personal data. `review`: a line of a persona's or
    everybody's block waits for a review, and a write to a profile is 422 `personal-data`.
    `sanitise`: the words are replaced by their kind.
    """
    source: NotRequired[Document]
    """Where it comes from. Name nobody here either."""


class BlockTextFields(TypedDict):
    """What `blocks_put` takes beside its arguments."""

    member: NotRequired[str]
    """The member for whom a robot writes. A personal robot writes for its own by default."""
    on_overflow: NotRequired[OnOverflowEnum]
    """What happens if the text would be longer than `limit`. `refuse`: 422 `over-limit`.
    `consolidate`: the entries with the least weight are replaced by one of them and archived.
    """
    on_personal_data: NotRequired[OnPersonalData]
    """What happens if the gate finds personal data. `review`: a line of a persona's or
    everybody's block waits for a review, and a write to a profile is 422 `personal-data`.
    `sanitise`: the words are replaced by their kind.
    """


class ContextFields(TypedDict):
    """What `context` takes beside its arguments."""

    max_tokens: NotRequired[int]
    """The most tokens of the whole text."""
    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks. A personal robot that names neither a member nor a group
    asks for its own member.
    """
    about: NotRequired[str]
    """Only what is about this member or gives their words; the same as `filters.members` with
    one. `member` says for whom it is asked.
    """
    order: NotRequired[OrderEnum]
    """The order of the memories in the text; by default the best answer comes first. With
    `strength` the strongest of those that were found are also taken first.
    """
    max_entities: NotRequired[int]
    """By default none; with `entity_types` 10."""
    max_memories: NotRequired[int]
    """The most entries of the section `memories`; by default as many as fit."""
    min_strength: NotRequired[float]
    """The least strength, 0-1. Weaker memories are left out; preferences are not. By default
    none is left out, and weak ones come last.
    """
    filters: NotRequired[FiltersRequest]
    """Of the recalled memories, as in a recall."""
    timeframe: NotRequired[dict[str, Any] | str | list[dict[str, Any] | str]]
    """Of the recalled memories, as in a recall."""
    as_of: NotRequired[str | datetime]
    """A day or a time: only what was said up to then and was true then, marked as of then. A day
    means its end, in the time zone of the member who asks, else in UTC.
    """
    profile: NotRequired[RecallProfile]
    """How memories are scored, as in a recall."""
    rerank: NotRequired[bool]
    """Whether a cross-encoder reorders the first 20 memories."""
    categories: NotRequired[list[MemoryCategory]]
    entity_types: NotRequired[list[EntityType]]
    include_direct: NotRequired[bool]
    """As in a recall. Left out: what the member told this robot in direct conversations, if no
    group is named; `false`: not even that.
    """
    include_recent: NotRequired[bool]
    """At most 12 messages of the last 7 days that say something, of at most 3 conversations."""
    include_profile: NotRequired[bool]
    """A section `profile`: the facts that hold about the member for whom it is, as in `GET
    /profiles`, in at most a fifth of the budget; not with `as_of`.
    """
    include_shared: NotRequired[bool]
    """Also memories that everyone in the organisation reads."""
    shared_limit: NotRequired[int]
    """How many memories that everyone in the organisation reads may come up, at most."""
    prefer_personal: NotRequired[bool]
    """If facts of several audiences say the same, only that of the nearest is given."""
    accounts: NotRequired[list[str]]
    """Names or ids of calendars and mailboxes; by default all of the member."""


class DecisionFilters(TypedDict):
    """What `decisions_list` takes beside its arguments."""

    domain: NotRequired[str]
    """In any letter case."""
    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks."""
    topic: NotRequired[str]
    """Words that must all be in the topic."""


class DecisionFields(TypedDict):
    """What `decisions_record` takes beside its arguments."""

    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks."""
    confidence: NotRequired[float]
    participants: NotRequired[list[str]]
    """Who took part, named as in `by`. It does not change who reads the decision."""
    agree: NotRequired[int]
    """Votes for it."""
    disagree: NotRequired[int]
    """Votes against it."""
    claims: NotRequired[list[ClaimDraftRequest]]
    dissents: NotRequired[list[DissentDraftRequest]]
    domain: NotRequired[str]
    """The field that it belongs to."""
    tags: NotRequired[list[str]]
    decided_at: NotRequired[datetime | str]
    """By default now."""
    supersedes: NotRequired[str]
    """The older decision that it replaces; both must have the same readers."""
    topic: str
    visibility: NotRequired[str]
    """As for a memory."""
    based_on: NotRequired[list[str]]
    """Memories from which it was made. Those that the caller does not read are skipped."""
    key: NotRequired[str]
    """The same key with the same topic and conclusion is the same decision; with others it is
    409 `key-taken`. By default topic, conclusion and `decided_at` are the key.
    """


class ExpertFilters(TypedDict):
    """What `experts` takes beside its arguments."""

    group: NotRequired[str]
    """A group by id or external id: only its members and those who spoke there."""


class ExportFields(TypedDict):
    """What `exports_create` takes beside its arguments."""

    group: NotRequired[str]
    tier: NotRequired[MemoryTier]
    type: NotRequired[MemoryType]
    since: NotRequired[datetime | str]
    until: NotRequired[datetime | str]


class FeedbackFields(TypedDict):
    """What `feedback` takes beside its arguments."""

    recall_id: NotRequired[str]
    """The recall that served the memory."""
    memory: NotRequired[str]
    """The hit."""
    usefulness: NotRequired[float]
    """0: it was of no use; 1: it was exactly what was needed. 0.5 where it is left out."""
    outcome: NotRequired[Outcome]
    """With `tool` it is needed."""
    tool: NotRequired[str]
    """A robot says: the name of the tool that it called, in place of `recall_id` and `memory`. A
    persona has at most 100 tools in eight weeks; further ones, and those whose name seems to
    name somebody, count as `other`.
    """
    persona: NotRequired[str]
    """With `tool`: the handle of the persona that the call served, one of the member's. Without
    it, the one of which the member's robots are surest.
    """
    member: NotRequired[str]
    """With `tool`: the member for whom the robot acts."""


class GroupFilters(TypedDict):
    """What `groups_list` takes beside its arguments."""

    external_id: NotRequired[str]
    """The group of this one."""


class ImportFolderChanges(TypedDict):
    """What `import_subscriptions_change` takes beside its arguments."""

    paused: NotRequired[bool]
    """true pauses; false looks now, and each period again."""
    period_minutes: NotRequired[int]
    """Minutes between two looks at the folder."""


class ImportFolderFields(TypedDict):
    """What `import_subscriptions_create` takes beside its arguments."""

    format: NotRequired[ImportFormat]
    """What the file is; `auto` recognises it by its content."""
    time_zone: NotRequired[str]
    """Of times in the file that name none, as `Europe/Lisbon`."""
    columns: NotRequired[str]
    """What the columns of a table are: `text=Message,speaker=From`, or `{"Message": "text",
    "From": "speaker", "Mood": null}`; null leaves one out.
    """
    speaker_scope: NotRequired[SpeakerScopeEnum]
    """Whether the same name in two groups is one person."""
    readers: NotRequired[ReadersEnum]
    """Who reads a line that names no reader and no group: whom it is about, else who said it,
    else who imports; or everyone; or a `group`.
    """
    group: NotRequired[str]
    """With `readers` as `group`: which one, by id or external id. Nobody joins it."""
    join_groups: NotRequired[bool]
    """Whether the member who subscribes sits in the groups that imports make. A robot always
    does.
    """
    period_minutes: NotRequired[int]
    """Minutes between two looks at the folder."""


class ImportFields(TypedDict):
    """What `imports_create` takes beside its arguments."""

    format: NotRequired[ImportFormat]
    """What the file is; `auto` recognises it by its content."""
    time_zone: NotRequired[str]
    """Of times in the file that name none, as `Europe/Lisbon`."""
    columns: NotRequired[str]
    """What the columns of a table are: `text=Message,speaker=From`, or `{"Message": "text",
    "From": "speaker", "Mood": null}`; null leaves one out.
    """
    speaker_scope: NotRequired[SpeakerScopeEnum]
    """Whether the same name in two groups is one person."""
    readers: NotRequired[ReadersEnum]
    """Who reads a line that names no reader and no group: whom it is about, else who said it,
    else who imports; or everyone; or a `group`.
    """
    group: NotRequired[str]
    """With `readers` as `group`: which one, by id or external id. Nobody joins it."""
    join_groups: NotRequired[bool]
    """Whether the member who imports sits in the groups that it makes. A robot always does."""


class JobFilters(TypedDict):
    """What `jobs_list` takes beside its arguments."""

    kind: NotRequired[
        Literal[
            "change",
            "import",
            "export",
            "consolidate",
            "age",
            "retain",
            "summarise",
            "erase",
            "learn",
            "accounts",
            "project",
            "re-embed",
        ]
    ]
    since: NotRequired[datetime | str]
    state: NotRequired[Literal["waiting", "running", "done", "dead", "cancelled"]]
    until: NotRequired[datetime | str]


class KeyFields(TypedDict):
    """What `keys_create` takes beside its arguments."""

    scopes: NotRequired[list[ScopesEnum]]
    """What it may; by default read and write."""
    days: NotRequired[int]
    """After how many days it ends; left out, never."""
    groups: NotRequired[list[str]]
    """The groups of the robot to which the key is limited, by id: it reads and writes what is in
    them and nothing else. Left out, no limit. A key with `manage` is not limited so.
    """
    networks: NotRequired[list[str]]
    """The networks from which the key opens anything, as CIDR: 203.0.113.0/24, 2001:db8::/48.
    Left out, from everywhere.
    """


class KeyRenewFields(TypedDict):
    """What `keys_renew` takes beside its arguments."""

    hours: NotRequired[HoursEnum]
    """For how many hours the old key works beside the new one."""


class KeyLimits(TypedDict):
    """What `keys_update` takes beside its arguments."""

    groups: NotRequired[list[str] | None]
    """The groups of the robot to which the key is limited, by id: it reads and writes what is in
    them and nothing else. Null takes the limit away. A key with `manage` is not limited so.
    """
    networks: NotRequired[list[str] | None]
    """The networks from which the key opens anything, as CIDR: 203.0.113.0/24, 2001:db8::/48.
    Null takes the limit away.
    """


class MemberFilters(TypedDict):
    """What `members_list` takes beside its arguments."""

    identity: NotRequired[str]
    """The member of this platform:identifier."""


class MatchChanges(TypedDict):
    """What `memories_bulk` takes beside its arguments."""

    category: NotRequired[MemoryCategory | BlankEnum]
    importance: NotRequired[float]
    add_tags: NotRequired[list[str]]
    remove_tags: NotRequired[list[str]]
    """With the tags below each."""


class ForgetFields(TypedDict):
    """What `memories_forget` takes beside its arguments."""

    confirm: NotRequired[str]
    """With `hard`: the id of the memory again."""
    force: NotRequired[bool]
    """Change a protected memory all the same. For admins alone; it needs `reason`, and both are
    recorded.
    """
    hard: NotRequired[bool]
    """Erase it for good. It needs `confirm`."""
    reason: NotRequired[str]


class MemoryFilters(TypedDict):
    """What `memories_list` takes beside its arguments."""

    about: NotRequired[str]
    """The same as `member`."""
    category: NotRequired[
        Literal[
            "preference",
            "fact",
            "event",
            "decision",
            "sentiment",
            "reminder",
            "relationship",
            "org_fact",
            "org_policy",
            "team_member",
            "project_info",
            "org_decision",
        ]
    ]
    entity: NotRequired[str]
    """A person, company, project, place or topic, by its name."""
    group: NotRequired[str]
    """By id or external id."""
    key: NotRequired[str]
    keyword: NotRequired[str]
    """As in its `restatement`, in any letter case."""
    kind: NotRequired[Literal["direct", "group", "user", "interaction", "organisation", "internal"]]
    level: NotRequired[Literal["individual", "group", "cross_group", "organisation"]]
    """How far it reaches."""
    member: NotRequired[str]
    """Whom it is about, or who said it."""
    metadata: NotRequired[dict[str, str]]
    """`metadata.<name>=<value>` or `metadata[<name>]=<value>`: its metadata has this value under
    this name, as a text, a number, true, false or null.
    """
    person: NotRequired[str]
    """Who is named: the name or a part of it."""
    q: NotRequired[str]
    """A part of its text, in any letter case and normal form."""
    robot: NotRequired[str]
    """The id of a robot that brought it."""
    since: NotRequired[datetime | str]
    """It happened then or later."""
    status: NotRequired[Literal["active", "pending_review", "quarantined", "archived", "forgotten"]]
    """Default: active."""
    tag: NotRequired[str]
    team: NotRequired[str]
    """What its robots wrote, and its notes."""
    tier: NotRequired[Literal["fast", "medium", "slow", "glacial"]]
    topic: NotRequired[str]
    """As in its `restatement`, in any letter case."""
    type: NotRequired[
        Literal["conversation", "fact", "preference", "expertise", "announcement", "interaction"]
    ]
    until: NotRequired[datetime | str]
    """It happened then or earlier."""


class MemoryChanges(TypedDict):
    """What `memories_patch` takes beside its arguments."""

    content: NotRequired[str]
    category: NotRequired[MemoryCategory | BlankEnum]
    importance: NotRequired[float]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Document]
    expires_at: NotRequired[datetime | str | None]
    valid_from: NotRequired[datetime | str | None]
    """From when it is true, if not since it was said."""
    valid_until: NotRequired[datetime | str | None]
    """Until when it is true; a date includes its day. Later it is still served, but lower and
    marked.
    """
    supersedes: NotRequired[list[str]]
    """The memories, by id, that are true no more because this one is; one id or a list. What is
    not the caller's to change is proposed.
    """
    shareable: NotRequired[bool]
    sensitive: NotRequired[bool]
    """true encrypts its text; false stores it in plain again."""
    tier: NotRequired[PatchTierEnum]
    """Move it into the slowest tier; it can still be found, and use moves it back."""
    force: NotRequired[bool]
    """Change a protected memory all the same. For admins alone; it needs `reason`, and both are
    recorded.
    """
    reason: NotRequired[str]


class RememberFields(TypedDict):
    """What `memories_remember` takes beside its arguments."""

    visibility: NotRequired[str]
    """Who reads it: one of internal, private, protected, shared, group, organisation, public,
    organization, team:<id>, persona:<handle>, industry:<name>, role:<name>. Left out: the
    `group`; else the `member`, for a person the caller; else everyone in the organisation.
    """
    readers: NotRequired[ReadersRequest]
    group: NotRequired[str]
    """By id or external id."""
    member: NotRequired[str]
    """The member for whom the robot acts, by id or platform:identifier."""
    listeners: NotRequired[list[str]]
    """Members addressed."""
    speaker: NotRequired[str]
    """Whose words it gives: a member by id or platform:identifier, or a name."""
    robot: NotRequired[str]
    """The id of the calling robot; any other is 403. It can be left out."""
    occurred_at: NotRequired[datetime | str]
    """When it was said."""
    key: NotRequired[str]
    """A name of your own for the text, so that the call can be repeated. The same key with
    another text for the same readers is 409 `key-taken`.
    """
    on_conflict: NotRequired[OnConflictEnum]
    """What happens if the key names another text. `refuse` (the default): 409. `replace`: that
    memory is edited, by the rules of a PATCH.
    """
    kind: NotRequired[MemoryKind]
    type: NotRequired[MemoryType]
    """Usual words for a type are understood, and a category as a fact of it."""
    category: NotRequired[MemoryCategory]
    topic: NotRequired[str]
    importance: NotRequired[float]
    confidence: NotRequired[float]
    tier: NotRequired[MemoryTier]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Document]
    conversation: NotRequired[str]
    """Equal for all its turns."""
    source: NotRequired[Document]
    expires_at: NotRequired[datetime | str]
    """No answer uses it then."""
    valid_from: NotRequired[datetime | str]
    """From when it is true, if not since it was said."""
    valid_until: NotRequired[datetime | str]
    """Until when it is true; a date includes its day. Later it is still served, but lower and
    marked.
    """
    supersedes: NotRequired[list[str]]
    """The memories, by id, that are true no more because this one is; one id or a list. What is
    not the caller's to change is proposed.
    """
    sensitive: NotRequired[bool]
    """Its text is stored encrypted and is not indexed, so no recall finds it. It is found by id
    and in lists by tag, category and other filters.
    """
    shareable: NotRequired[bool]
    """Whether it may be said outside its group."""
    red_line: NotRequired[bool]
    """Protect it. Curators, admins and the member whom it is about do so at once; for others
    this is proposed and waits for a review.
    """
    red_line_reason: NotRequired[str]
    """A person who sets `red_line` must give one."""
    on_personal_data: NotRequired[OnPersonalData]
    """What happens if a gate finds personal data. `review` (the default): the text waits for a
    person's decision. `sanitise`: it is stored at once, with the kind of each finding in
    brackets in its place, such as [email].
    """


class RecallFields(TypedDict):
    """What `recall` takes beside its arguments."""

    limit: NotRequired[int]
    """By default 10; with a `tier_strategy` 5."""
    group: NotRequired[str]
    """The group in which it is asked. It only narrows what may come up."""
    member: NotRequired[str]
    """The member for whom a robot asks, by id or platform:identifier."""
    about: NotRequired[str]
    """Only what is about this member or gives their words; the same as `filters.members` with
    one. `member` says for whom it is asked.
    """
    shareable_with: NotRequired[str]
    """A group: only what every present member of it may read comes up."""
    timeframe: NotRequired[dict[str, Any] | str | list[dict[str, Any] | str]]
    """A time in words ("last week", "since Monday", "from 3 to 5 March"), a range {"from",
    "to"}, or a list of these, of which any may match. "auto" takes the time out of the query;
    "none" is no filter.
    """
    as_of: NotRequired[str | datetime]
    """A day or a time: only what was said up to then and was true then, marked as of then. A day
    means its end, in the time zone of the member who asks, else in UTC.
    """
    strategy: NotRequired[StrategyEnum]
    """How the store is searched. What may be read is the same for all of them."""
    profile: NotRequired[RecallProfile]
    """How the score is made: `balanced` is .85 relevance + .10 strength + .05 tier weight + up
    to .02 more or less by feedback, `strength` is .5 strength + .3 confidence + .2
    importance, `continuum` is relevance x tier weight, `hive` is .5 cosine + .3 Jaccard of
    tags + .1 exp(-age / 168 h) + .1 ln(1 + accesses) / 10.
    """
    tier_strategy: NotRequired[TierStrategyEnum]
    """Which tiers are searched: `fast_first` searches a slower tier only while fewer than
    `limit` were found, `weighted` searches all and multiplies the score by the tier weight,
    `comprehensive` searches all, `insights` the glacial tier, `cross_session` the slow and
    the glacial tier.
    """
    fusion: NotRequired[FusionEnum]
    """How the results by words and by meaning are combined."""
    min_similarity: NotRequired[float]
    """The least cosine. By default none; with a `tier_strategy` .3, with `cross_session` .2."""
    filters: NotRequired[FiltersRequest]
    include_shared: NotRequired[bool]
    """Also memories that everyone in the organisation reads."""
    prefer_personal: NotRequired[bool]
    """If facts of several audiences say the same, only the one of the nearest audience is
    served; the others are named in `consolidated`.
    """
    shared_limit: NotRequired[int]
    """How many memories that everyone in the organisation reads may come up, at most. By default
    there is no such limit; 0 is the same as `include_shared: false`.
    """
    include_direct: NotRequired[bool]
    """Also the member's direct conversations and other groups. A robot needs the member's
    delegation; without one it reads what the member told it in direct conversations, if no
    group and no `shareable_with` is named.
    """
    include_expired: NotRequired[bool]
    """Also memories past their `expires_at`, with strength 0."""
    explain: NotRequired[bool]
    """Whether each result has `scores`."""
    rerank: NotRequired[bool]
    """Whether a cross-encoder reorders the first 20 results."""
    working: NotRequired[bool]
    """Whether every result enters the robot's working memory."""


class RobotFields(TypedDict):
    """What `robots_register` takes beside its arguments."""

    id: NotRequired[str]
    """An id of your own choice; left out, the server makes one."""
    purpose: NotRequired[str]
    personality: NotRequired[str]
    """How the robot speaks and behaves, as a text for its prompt."""
    metadata: NotRequired[Document]


class SnapshotFilters(TypedDict):
    """What `snapshots_read` takes beside its arguments."""

    group: NotRequired[str]
    since: NotRequired[datetime | str]
    tier: NotRequired[Literal["fast", "medium", "slow", "glacial"]]
    type: NotRequired[
        Literal["conversation", "fact", "preference", "expertise", "announcement", "interaction"]
    ]
    until: NotRequired[datetime | str]


class TaskFields(TypedDict):
    """What `tasks_add` takes beside its arguments."""

    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks."""
    assignee: NotRequired[str]
    """A member who reads the task. Left out, it is looked for in the text."""
    due_at: NotRequired[datetime | str]
    """Left out, it is looked for in the text."""
    importance: NotRequired[float]
    visibility: NotRequired[str]
    """As for a memory."""
    key: NotRequired[str]
    """The same key with the same text is the same task; with another text it is 409 `key-taken`."""


class TaskFilters(TypedDict):
    """What `tasks_list` takes beside its arguments."""

    due_before: NotRequired[datetime | str]
    """Only tasks that are due before this time."""
    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks."""
    status: NotRequired[Literal["pending", "done", "all"]]
    whose: NotRequired[Literal["mine", "everyone"]]
    """mine: tasks of the member who asks, or for whom a robot asks, and tasks without an
    assignee. A robot that names no member gets everyone's.
    """


class TaskChanges(TypedDict):
    """What `tasks_patch` takes beside its arguments."""

    group: NotRequired[str]
    """The group in which it is asked."""
    member: NotRequired[str]
    """The member for whom a robot asks."""
    done: NotRequired[bool]
    assignee: NotRequired[str | None]
    """null removes the assignee."""
    due_at: NotRequired[datetime | str | None]
    """null removes the due date."""
