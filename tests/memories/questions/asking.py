"""What tests of kept questions have in common."""

from datetime import datetime
from typing import Any

from memories.questions.consent import set_member_consent, set_robot_consent
from memories.questions.models import Question, QuestionAsker
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from tests.world import NOW, Tenant

# Nothing in these organisations says anything about it.
QUESTION = "When does the canteen open?"


def agree(here: Tenant, *names: str) -> None:
    """These members and robots agree."""
    for name in names:
        if name in here.members:
            set_member_consent(here.person(name), agrees=True, now=NOW)
        else:
            set_robot_consent(here.person("ada"), here.robots[name].id, agrees=True, now=NOW)


def ask(actor: Actor, text: str = QUESTION, *, now: datetime = NOW, **more: Any) -> RecallResult:
    return recall(actor, Query(text=text, **more), now=now)


def kept(here: Tenant) -> list[Question]:
    """Every row, as the worker sees them: all but the words."""
    with organisation_scope(here.id, using="worker"):
        return list(Question.objects.using("worker").defer("sealed").order_by("id"))


def askers(here: Tenant) -> list[QuestionAsker]:
    with organisation_scope(here.id, using="worker"):
        return list(QuestionAsker.objects.using("worker").order_by("id"))
