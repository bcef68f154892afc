"""The questions that curators may see, alike ones together; and one that leaves the list.

Nothing here knows who asked: the rows of the askers are theirs alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from memories.questions.alike import group_alike
from memories.questions.models import Question, QuestionReason
from memories.questions.record_question import KEPT_DAYS, purpose_of
from orgs import audit
from orgs.database.rls import Scope, scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Actor, Principal, resolve_principal
from orgs.secret_box import SecretLostError, decrypt_secret

# Of the newest questions so many are looked at.
MAX_QUESTIONS = 300
# Wordings that are shown of alike questions.
MAX_WORDINGS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeQuestions:
    """Questions that stand together, of one group or of none.

    id: of the newest. texts: their distinct wordings, the newest first. times: how many they are,
    down to a power of two. day: of the newest, in UTC. group: where they were asked; empty for the
    whole organisation. rated: whether one was answered and the answer rated badly; unanswered:
    whether nothing answered one.
    """

    id: UUID
    texts: tuple[str, ...]
    times: int
    day: date
    group: str
    rated: bool
    unanswered: bool


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question of the asking member that is kept. seen: whether curators see it."""

    text: str
    asked_on: date
    seen: bool


def list_questions(actor: Actor, *, now: datetime) -> list[AlikeQuestions]:
    """The questions that a curator may see, the newest first. Raises NotFoundError for others."""
    principal = _curator(actor)
    with principal.scope():
        return [_to_alike(one) for one in _load_groups(principal, now)]


def get_question(actor: Actor, question_id: UUID, *, now: datetime) -> AlikeQuestions:
    """The questions that stand with one. Raises NotFoundError."""
    principal = _curator(actor)
    with principal.scope():
        return _to_alike(_get_group(principal, question_id, now))


def close_questions(actor: Actor, question_id: UUID, *, answered: bool, now: datetime) -> None:
    """Delete a question and those that stand with it: it was answered, or is left. Raises
    NotFoundError for what the actor may not see."""
    principal = _curator(actor)
    with principal.scope():
        ids = [row.id for row, _ in _get_group(principal, question_id, now)]
        Question.objects.filter(organisation_id=actor.organisation_id, id__in=ids).delete()
        audit.record_entry(
            "question.answered" if answered else "question.left",
            actor=actor,
            now=now,
            target=question_id,
            target_type="question",
        )


def list_own_questions(actor: Actor) -> list[OwnQuestion]:
    """What is kept of the asking member, whoever asked it for them, the newest first, at
    most MAX_QUESTIONS."""
    principal = resolve_principal(actor)
    organisation_id = actor.organisation_id
    with principal.scope():
        robots = Audience.objects.filter(organisation_id=organisation_id, kind=AudienceType.ROBOT)
        askers = tuple(sorted({principal.own_audience, *robots.values_list("id", flat=True)}))
    with scope(Scope(organisation=organisation_id, audiences=askers)):
        rows = Question.objects.filter(
            organisation_id=organisation_id, asker__member_consent__member_id=actor.member_id
        )
        found = _readable(rows.order_by("-asked_on", "-id")[:MAX_QUESTIONS])
    return [OwnQuestion(text, row.asked_on, bool(row.reason)) for row, text in found]


_Row = tuple[Question, str]


def _curator(actor: Actor) -> Principal:
    if not actor.moderates:
        raise NotFoundError("not the asker's to see")
    return resolve_principal(actor)


def _get_group(principal: Principal, question_id: UUID, now: datetime) -> list[_Row]:
    """The questions that stand with one; in the curator's scope. Raises NotFoundError."""
    for group in _load_groups(principal, now):
        if any(row.id == question_id for row, _ in group):
            return group
    raise NotFoundError("no such question")


def _load_groups(principal: Principal, now: datetime) -> list[list[_Row]]:
    """The newest questions with their words, alike ones together; in the curator's scope."""
    since = now.astimezone(UTC).date() - timedelta(days=KEPT_DAYS)
    rows = Question.objects.filter(organisation_id=principal.organisation_id, asked_on__gt=since)
    rows = rows.exclude(reason=QuestionReason.ANSWERED)
    rows = rows.select_related("context_audience__group").order_by("-asked_on", "-id")
    found = _readable(rows[:MAX_QUESTIONS])
    alike = group_alike([(row.context_audience_id, text) for row, text in found])
    return [[found[index] for index in one] for one in alike]


def _readable(rows: Iterable[Question]) -> list[_Row]:
    """The rows whose words can be decrypted."""
    found = []
    for row in rows:
        try:
            found.append((row, decrypt_secret(row.sealed, purpose=purpose_of(row.id))))
        except SecretLostError:
            continue
    return found


def _to_alike(group: Sequence[_Row]) -> AlikeQuestions:
    newest = group[0][0]
    reasons = {row.reason for row, _ in group}
    place = newest.context_audience.group
    return AlikeQuestions(
        id=newest.id,
        texts=tuple(dict.fromkeys(text for _, text in group))[:MAX_WORDINGS],
        times=1 << (len(group).bit_length() - 1),
        day=newest.asked_on,
        group=place.name if place else "",
        rated=QuestionReason.RATED in reasons,
        unanswered=QuestionReason.UNANSWERED in reasons,
    )
