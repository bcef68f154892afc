"""Keep a question that nothing answered, behind its answer.

Only if everybody whose question it is agreed, and the gates find nothing personal and no order in
it. One that was answered is kept until the end of its day, in case its answer is rated badly; no
curator sees it before. The rows tell the day and no finer time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.jobs.old_rows import delete_old_rows, old_rows_sql
from memories.jobs.organisation_run import ensure_curators_audience
from memories.questions.consent import (
    ALL_AGREED_SQL,
    MEMBER_CONSENT_SQL,
    ROBOT_CONSENT_SQL,
    WHOSE_SQL,
)
from memories.questions.models import Question, QuestionAsker, QuestionReason
from memories.safety.check_text import Gate, GateAction
from memories.safety.required_checks import Submission
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, is_row_gone, organisation_scope, scope, unless_unwritable
from orgs.limits.after_answer import run_after_answer
from orgs.models.base import day_id, day_of
from orgs.principals import Principal
from orgs.secret_box import encrypt_secret

# A longer text is no question that somebody would write an answer to.
MAX_CHARACTERS = 500
# Kept of one asker at once, answered and unanswered ones each; what they ask beyond is not kept.
MAX_KEPT = 200
# Days for which curators see a question; one that was answered is kept for the rest of its day.
KEPT_DAYS = 7
# A text that goes to people who were not there: nothing personal may stand in it.
_SUBMISSION = Submission(audience="organisation", by_robot=True, strict=True)
_LOOK_UP_SQL = f"""
SELECT {MEMBER_CONSENT_SQL}, {ROBOT_CONSENT_SQL},
    (SELECT a.id FROM orgs_audience a WHERE a.organisation_id = %(organisation)s
        AND a.kind = 'group' AND a.key = %(group)s::text)
FROM ({WHOSE_SQL}) w WHERE {ALL_AGREED_SQL}
"""
# In the order of their age. With an asker goes the question.
_OLD = old_rows_sql("memories_questionasker", "asked_on <= %(before)s ORDER BY asked_on")
_NOT_WAITING = old_rows_sql(
    "memories_questionasker",
    """asked_on < %(before)s AND NOT EXISTS (
        SELECT 1 FROM memories_question q WHERE q.organisation_id = %(organisation)s
        AND q.asker_id = memories_questionasker.id AND q.reason <> '') ORDER BY asked_on""",
)

# A part of the statement that stores the rating, in the asker's scope: row-level security shows the
# asker's questions alone. %(badly_answered)s: the recall, or null for another rating.
RATED_CTE = """rated AS (
    UPDATE memories_question SET reason = 'rated'
    WHERE organisation_id = %(organisation)s AND reason = '' AND asker_id IN (
        SELECT a.id FROM memories_questionasker a WHERE a.organisation_id = %(organisation)s
        AND a.recall = %(badly_answered)s::uuid)
)"""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and whether it was answered: yes, unsure or no."""

    text: str
    answered: str

    @property
    def reason(self) -> QuestionReason:
        unanswered = self.answered == "no"
        return QuestionReason.UNANSWERED if unanswered else QuestionReason.ANSWERED


def record_question_later(
    principal: Principal, recall_id: UUID, asked: AskedQuestion, now: datetime
) -> None:
    """Keep the question of somebody who agreed, once its answer is on its way."""
    run_after_answer(partial(record_question, principal, recall_id, asked, now))


def record_question(
    principal: Principal, recall_id: UUID, asked: AskedQuestion, now: datetime
) -> bool:
    """Keep a question; whether it was kept. Outside of the asker's scope."""
    text = " ".join(asked.text.split())
    actor = principal.actor
    # What a key asks that opens some groups is not for those who read others.
    somewhere = actor.key_groups is None or actor.group_id is not None
    if not text or len(text) > MAX_CHARACTERS or not somewhere:
        return False
    values = {
        "organisation": actor.organisation_id,
        "member": actor.member_id,
        "robot": actor.robot_id,
        "group": actor.group_id,
    }
    with organisation_scope(actor.organisation_id):
        found = fetch_all(_LOOK_UP_SQL, values)
        gate = Gate(actor.organisation_id)
        if not found or gate.judge(text, _SUBMISSION).action is not GateAction.PASS:
            return False
    member_consent, robot_consent, group_audience = found[0]
    context = group_audience if actor.group_id else principal.organisation_audience
    if context not in principal.audiences:
        return False
    curators = ensure_curators_audience(actor.organisation_id)
    day = now.astimezone(UTC).date()
    asker = QuestionAsker(
        id=day_id(now),
        organisation_id=actor.organisation_id,
        audience_id=principal.own_audience,
        member_consent_id=member_consent,
        robot_consent_id=robot_consent,
        recall=recall_id,
        asked_on=day,
    )
    kept = Question(
        id=day_id(now),
        organisation_id=actor.organisation_id,
        asker=asker,
        audience_id=curators,
        context_audience_id=context,
        reason=asked.reason,
        asked_on=day,
    )
    # The stored form shows a time in plain.
    kept.sealed = encrypt_secret(text, purpose=purpose_of(kept.id), at=day_of(now))
    opened = Scope(
        organisation=actor.organisation_id,
        audiences=(principal.own_audience, context),
        deposit=(curators,),
    )
    return _save(opened, asker, kept)


def _save(opened: Scope, asker: QuestionAsker, kept: Question) -> bool:
    try:
        with unless_unwritable(), scope(opened), transaction.atomic():
            mine = Question.objects.filter(
                organisation_id=asker.organisation_id,
                # A rating moves an answered one to the rated; that makes no room.
                reason__in=(kept.reason, QuestionReason.RATED),
                asker__audience_id=asker.audience_id,
            )
            if mine[:MAX_KEPT].count() >= MAX_KEPT:
                return False
            QuestionAsker.objects.bulk_create([asker])
            Question.objects.bulk_create([kept])
            return True
    except IntegrityError as error:
        # A consent was withdrawn, or the group deleted, a moment ago.
        if not is_row_gone(error):
            raise
    return False


def purpose_of(question_id: UUID) -> str:
    """What a question is encrypted for: its words open in its own row alone."""
    return f"question {question_id}"


def delete_old_questions(organisation_id: UUID, *, now: datetime) -> int:
    """Delete what was kept for KEPT_DAYS, and answered questions of earlier days; returns how many
    rows went."""
    today = now.astimezone(UTC).date()
    old = delete_old_rows(organisation_id, _OLD, today - timedelta(days=KEPT_DAYS))
    return old + delete_old_rows(organisation_id, _NOT_WAITING, today)
