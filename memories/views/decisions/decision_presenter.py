"""Decisions in words, for their pages."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from memories.curation.decision_records.decision_queries import DecisionRecord
from memories.curation.decision_records.models import Claim, Dissent, DissentType, Participant
from memories.curation.decision_records.page_context import DecisionPageItem
from memories.store.speakers.attribution import marked_name
from memories.views import memory_presenter
from memories.views.origin_presenter import (
    inline_name,
    memory_time,
    person_name,
    robot_name,
    writer_robot_name,
)
from orgs.languages.page_text import choice_label, format_decimal, format_number, lazy_text
from orgs.models.memberships import Member
from robots.models.robots import Robot

# Strength -> (label, tone of its badge, what it means).
STRENGTHS = {
    "unanimous": (lazy_text("Unanimous"), "good", lazy_text("Nobody voted against it.")),
    "strong": (lazy_text("Strong"), "good", lazy_text("More than four in five were for it.")),
    "moderate": (
        lazy_text("Moderate"),
        "outline",
        lazy_text("At least three in five were for it."),
    ),
    "weak": (lazy_text("Weak"), "warn", lazy_text("A bare majority was for it.")),
    "split": (
        lazy_text("Split"),
        "warn",
        lazy_text("As many were against it as for it, or nobody voted."),
    ),
    "contested": (lazy_text("Contested"), "bad", lazy_text("More were against it than for it.")),
}
SURE_FROM, DOUBTFUL_BELOW = 0.85, 0.55


def strength_badge(one: DecisionRecord) -> dict[str, str]:
    label, tone, meaning = STRENGTHS[one.strength]
    return {"label": label, "tone": tone, "meaning": meaning}


def decision_row(shown: DecisionPageItem) -> dict[str, Any]:
    """One line of the list."""
    one = shown.decision
    return {
        "url": reverse("decision-page", args=[one.memory.id]),
        "topic": one.memory.topic,
        "conclusion": one.conclusion,
        "strength": strength_badge(one),
        "votes": votes_label(one),
        "decided_at": memory_time(one.memory),
        "domain": one.record.domain,
        "open_risks": len(one.open_risks),
        "open_dissents": len(one.open_dissents) - len(one.open_risks),
        "superseded": one.memory.valid_until is not None,
        "similarity": _similarity_label(one.similarity),
        "audience": memory_presenter.audience_badge(shown.readers, one.memory),
    }


def decision_detail(shown: DecisionPageItem, me: object) -> dict[str, Any]:
    """All of one decision."""
    one = shown.decision
    memory = one.memory
    return decision_row(shown) | {
        "status": memory_presenter.status_badge(memory),
        "confidence": confidence_label(memory.confidence),
        "recorded_by": person_name(memory.author, me) or writer_robot_name(memory),
        "memory_url": reverse("memory-page", args=[memory.id]),
        "tags": memory_presenter.tag_links(memory.tags),
        "participants": [attribution(part, me) for part in one.participants],
        "claims": [{"text": claim.text, "by": attribution(claim, me)} for claim in one.claims],
        "dissents": [dissent_detail(said, me) for said in _sort_open_first(one.dissents)],
        "earlier": [decision_link(other) for other in one.earlier],
        "later": [decision_link(other) for other in one.later],
        "add_url": reverse("decision-dissent-add", args=[memory.id]) if shown.open else "",
        "supersede_url": f"{reverse('decision-add')}?supersedes={memory.id}"
        if shown.changeable and memory.superseded_by_id is None
        else "",
        "changeable": shown.changeable,
    }


def votes_label(one: DecisionRecord) -> str:
    """How many were for and against it."""
    agree, disagree = one.record.agree, one.record.disagree
    if not agree and not disagree:
        return gettext("No votes")
    return gettext("%(agree)s for, %(disagree)s against") % {
        "agree": format_number(agree),
        "disagree": format_number(disagree),
    }


def confidence_label(confidence: float) -> str:
    if confidence >= SURE_FROM:
        return gettext("Sure")
    return gettext("Doubtful") if confidence < DOUBTFUL_BELOW else gettext("Fairly sure")


def attribution(said: Participant | Claim | Dissent, me: object) -> dict[str, Any]:
    """Who it is; alone: a name that belongs to no member and no robot."""
    if said.member:
        return {"name": person_name(said.member, me), "alone": False}
    if said.robot:
        told = said.known(said.robot)
        return {"name": robot_name(told) if told else said.called, "alone": False}
    return {"name": marked_name(said.name), "alone": bool(said.name)}


def dissent_detail(said: Dissent, me: object) -> dict[str, Any]:
    state = (gettext("Open"), "warn")
    if said.rebuttal:
        state = (gettext("Answered"), "")
    elif said.acknowledged:
        state = (gettext("Taken note of"), "")
    return {
        "id": said.id,
        "kind": choice_label(DissentType(said.form)),
        "risk": said.form == DissentType.RISK_WARNING,
        "content": said.content,
        "reasoning": said.reasoning,
        "by": attribution(said, me),
        "noted_by": _recorder_name(said, me),
        "sure": confidence_label(said.confidence),
        "at": said.created_at,
        "open": said.is_open,
        "state": {"label": state[0], "tone": state[1]},
        "acknowledged": said.acknowledged,
        "rebuttal": said.rebuttal,
        "answered_by": _attribution_name(said.answered_by, said.known(said.answered_by_robot), me),
        "answer_url": reverse("dissent-answer", args=[said.memory_id, said.id]),
    }


def _recorder_name(said: Dissent, me: object) -> str:
    """Who recorded it, where that is another than who says it."""
    if (said.noted_by_id, said.noted_by_robot_id) == (said.member_id, said.robot_id):
        return ""
    return _attribution_name(said.noted_by, said.known(said.noted_by_robot), me)


def _attribution_name(member: Member | None, robot: Robot | None, me: object) -> str:
    """As they are called within a sentence; empty for nobody."""
    return inline_name(person_name(member, me)) or (robot_name(robot) if robot else "")


def decision_link(one: DecisionRecord) -> dict[str, Any]:
    return {
        "url": reverse("decision-page", args=[one.memory.id]),
        "topic": one.memory.topic,
        "conclusion": one.conclusion,
        "decided_at": memory_time(one.memory),
        "strength": strength_badge(one),
    }


def _sort_open_first(dissents: Any) -> list[Dissent]:
    """Open ones first, risks before the others."""
    return sorted(dissents, key=lambda one: (not one.is_open, one.form != DissentType.RISK_WARNING))


def _similarity_label(similarity: float | None) -> str:
    return (
        ""
        if similarity is None
        else gettext("%(similarity)s %% of the words")
        % {"similarity": format_decimal(100 * similarity, ".0f")}
    )
