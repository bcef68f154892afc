"""Ask as somebody else: a curator sees only what both they and the other may read."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memories.access.audience_labels import audience_label
from memories.language.excerpts import stems
from memories.library.browse import ListedMemory, show
from memories.retrieval.answering.confidence import answered, is_folded
from memories.retrieval.explanation.explain import beside
from memories.retrieval.explanation.reasons import reasons
from memories.retrieval.pipeline import search
from memories.retrieval.recall import Query, prepare, whole_memories
from memories.retrieval.types import Hit, ids_of
from memories.store.models.memory import Memory
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act
from robots.access.own_member import actor_of_robot
from robots.models.keys import KeyScope
from robots.models.robots import Robot


@dataclass(frozen=True, slots=True)
class Tried:
    """One memory of the answer, with the reasons why it came up. kept_for: labels of audiences that
    have the same, for within a sentence. folded: it does not answer."""

    shown: ListedMemory
    reasons: list[str]
    score: float
    kept_for: list[str] = field(default_factory=list)
    folded: bool = False


@dataclass(frozen=True, slots=True)
class TriedAnswer:
    """answered: yes, unsure or no, judged by what both may read."""

    answered: str
    memories: list[Tried]


def others(actor: Actor) -> tuple[list[tuple[UUID, str]], list[tuple[UUID, str]]]:
    """(members, robots) as whom the actor can ask, each as (id, name)."""
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        members = Member.objects.filter(**tenant, removed_at=None).order_by("name")
        robots = Robot.objects.filter(**tenant, builtin=None, retired_at=None).order_by("name")
        return (
            list(members.values_list("id", "name")[:1000]),
            list(robots.values_list("id", "name")[:1000]),
        )


def ask_as(
    actor: Actor,
    text: str,
    *,
    member: UUID | None = None,
    robot: UUID | None = None,
    group: UUID | None = None,
    organisation: str,
    limit: int,
    now: datetime,
) -> TriedAnswer:
    """The answer that the other would get, from what both may read. Counts as no access.

    Recorded in the audit trail, without the question. Nothing in the answer or its computation
    depends on rows that one of the two may not read. group: in which it is asked; the curator must
    know it. Raises NotFound (also if the other is not in the group) and PermissionError.
    """
    if not actor.moderates:
        raise PermissionError("Curators and admins ask as somebody else.")
    asking = _other(actor, member, robot)
    other = resolve(act(asking, group=group) if group else asking)
    both = other.narrowed(resolve(actor).audiences)
    with both.scope():
        question = prepare(both, Query(text=text, limit=limit, explain=True), now)
        served = search(question)
        hits = served.hits
        rows = whole_memories(both.organisation_id, ids_of(hits))
        pairs = [(hit, rows[hit.id]) for hit in hits if hit.id in rows]
        audit.record(
            "playground.asked",
            actor=actor,
            now=now,
            target=member or robot,
            target_type="member" if member else "robot",
        )
        kept_for = {
            hit.id: [_within(audience_label(rows[id_])) for id_ in hit.merged if id_ in rows]
            for hit in hits
        }
        found = _tried(both, actor, pairs, text, organisation)
        tried = [replace(one, kept_for=kept_for[one.shown.memory.id]) for one in found]
        return TriedAnswer(answered(served.confidence or 0.0), tried)


def _within(label: str) -> str:
    """A label in the form for within a sentence."""
    return label[:1].lower() + label[1:]


def _other(actor: Actor, member: UUID | None, robot: UUID | None) -> Actor:
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
    raise NotFound("nobody to ask as")


def _tried(
    both: Principal, curator: Actor, hits: list[tuple[Hit, Memory]], text: str, organisation: str
) -> list[Tried]:
    looking = replace(both, actor=curator)
    shares = beside([hit for hit, _ in hits])
    wanted = stems(text)
    shown = show(looking, [row for _, row in hits], organisation)
    return [
        Tried(
            one,
            reasons(shares[hit.id], row.content, wanted),
            hit.score,
            folded=is_folded(hit),
        )
        for one, (hit, row) in zip(shown, hits, strict=True)
    ]
