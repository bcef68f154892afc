"""Ask as somebody else: a curator sees only what both they and the other may read."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memories.access.audience_labels import memory_audience_label
from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.language.excerpts import query_stems
from memories.retrieval.answering.confidence import classify_confidence, is_irrelevant
from memories.retrieval.explanation.explain import relative_scores
from memories.retrieval.explanation.match_phrases import match_phrases
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import build_request, load_memories
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Hit, hit_ids
from memories.store.models.memory import Memory
from memories.store.organisation_models import to_organisation_models
from memories.store.text_parts import TextPart
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.personal_robot_actor import actor_of_robot
from robots.models.keys import KeyScope
from robots.models.robots import Robot


@dataclass(frozen=True, slots=True)
class PlaygroundHit:
    """One memory of the answer, with the reasons why it came up. kept_for: labels of audiences that
    have the same, for within a sentence. folded: it does not answer. part: of a long text, the part
    that fits best."""

    shown: ListedMemory
    reasons: list[str]
    score: float
    kept_for: list[str] = field(default_factory=list)
    folded: bool = False
    part: TextPart | None = None


@dataclass(frozen=True, slots=True)
class PlaygroundAnswer:
    """answered: yes, unsure or no, judged by what both may read."""

    answered: str
    memories: list[PlaygroundHit]


def list_impersonable(actor: Actor) -> tuple[list[tuple[UUID, str]], list[tuple[UUID, str]]]:
    """(members, robots) as whom the actor can ask, each as (id, name)."""
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        members = Member.objects.filter(**tenant, removed_at=None).order_by("name")
        robots = Robot.objects.filter(**tenant, builtin=None, retired_at=None).order_by("name")
        return (
            list(members.values_list("id", "name")[:1000]),
            list(robots.values_list("id", "name")[:1000]),
        )


def recall_as(
    actor: Actor,
    text: str,
    *,
    member: UUID | None = None,
    robot: UUID | None = None,
    group: UUID | None = None,
    organisation: str,
    limit: int,
    now: datetime,
) -> PlaygroundAnswer:
    """The answer that the other would get, from what both may read. Counts as no access.

    Recorded in the audit trail, without the question. Nothing in the answer or its computation
    depends on rows that one of the two may not read. group: in which it is asked; the curator must
    know it. Raises NotFoundError (also if the other is not in the group) and PermissionError.
    """
    if not actor.moderates:
        raise PermissionError("Curators and admins ask as somebody else.")
    asking = _get_impersonated(actor, member, robot)
    other = resolve_principal(resolve_actor(asking, group=group) if group else asking)
    both = other.narrowed(resolve_principal(actor).audiences)
    with both.scope():
        question = build_request(both, Query(text=text, limit=limit, explain=True), now)
        served = run_search(question)
        hits = served.hits
        rows = load_memories(both.organisation_id, hit_ids(hits))
        pairs = [(hit, rows[hit.id]) for hit in hits if hit.id in rows]
        audit.record_entry(
            "playground.asked",
            actor=actor,
            now=now,
            target=member or robot,
            target_type="member" if member else "robot",
        )
        kept_for = {
            hit.id: [
                _lower_first(memory_audience_label(rows[id_])) for id_ in hit.merged if id_ in rows
            ]
            for hit in hits
        }
        found = _to_playground_hits(both, actor, pairs, text, organisation)
        tried = [replace(one, kept_for=kept_for[one.shown.memory.id]) for one in found]
        return PlaygroundAnswer(classify_confidence(served.confidence or 0.0), tried)


def _lower_first(label: str) -> str:
    """A label in the form for within a sentence."""
    return label[:1].lower() + label[1:]


def _get_impersonated(actor: Actor, member: UUID | None, robot: UUID | None) -> Actor:
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        if member:
            found = Member.objects.filter(**tenant, id=member, removed_at=None).first()
            if found:
                return actor_of(found)
        elif robot:
            one = Robot.objects.filter(**tenant, id=robot, builtin=None, retired_at=None).first()
            if one:
                return actor_of_robot(one, (KeyScope.READ,))
    raise NotFoundError("nobody to ask as")


def _to_playground_hits(
    both: Principal, curator: Actor, hits: list[tuple[Hit, Memory]], text: str, organisation: str
) -> list[PlaygroundHit]:
    looking = replace(both, actor=curator)
    floor = to_organisation_models(both.encoders).serving.meaning_floor
    shares = relative_scores([hit for hit, _ in hits], floor)
    wanted = query_stems(text)
    shown = to_listed_memories(looking, [row for _, row in hits], organisation)
    return [
        PlaygroundHit(
            one,
            match_phrases(shares[hit.id], row.content, wanted),
            hit.score,
            folded=is_irrelevant(hit),
            part=hit.part,
        )
        for one, (hit, row) in zip(shown, hits, strict=True)
    ]
