"""Decisions as JSON for answers."""

from typing import Any

from memories.api.rendering import render_audience, render_id_name
from memories.curation.decision_records.decision_queries import DecisionRecord
from memories.curation.decision_records.models import Claim, Dissent, Participant
from memories.curation.decision_records.prepare_decision import Preparation
from memories.curation.decision_records.record_decision import RecordDecisionResult
from orgs.models.memberships import Member
from robots.models.robots import Robot


def render_attribution(row: Participant | Claim | Dissent) -> dict[str, Any]:
    """The person or robot in the record of a decision, with their present name."""
    nobody = {"name": row.called, "member": None, "robot": None}
    return _render_visible(row.member, row.known(row.robot)) or nobody


def _render_visible(member: Member | None, robot: Robot | None) -> dict[str, Any] | None:
    who = member or robot
    return who and {
        "name": who.name,
        "member": render_id_name(member),
        "robot": render_id_name(robot),
    }


def render_dissent(row: Dissent) -> dict[str, Any]:
    return {
        "id": row.id,
        "decision": row.memory_id,
        "kind": row.form,
        "content": row.content,
        "reasoning": row.reasoning,
        "by": render_attribution(row),
        "noted_by": _render_visible(row.noted_by, row.known(row.noted_by_robot)),
        "confidence": row.confidence,
        "acknowledged": row.acknowledged,
        "rebuttal": row.rebuttal,
        "created_at": row.created_at,
        "answered_at": row.answered_at,
        "answered_by": _render_visible(row.answered_by, row.known(row.answered_by_robot)),
    }


def render_decision(one: DecisionRecord) -> dict[str, Any]:
    memory, record = one.memory, one.record
    return {
        "id": memory.id,
        "status": memory.status,
        "topic": memory.topic,
        "topic_hash": record.topic_hash,
        "conclusion": one.conclusion,
        "strength": one.strength,
        "confidence": memory.confidence,
        "participants": [render_attribution(row) for row in one.participants],
        "agree": record.agree,
        "disagree": record.disagree,
        "claims": [
            {"text": row.text, "by": render_attribution(row) if row.name else None}
            for row in one.claims
        ],
        "dissents": [render_dissent(row) for row in one.dissents],
        "domain": record.domain,
        "tags": memory.tags,
        "decided_at": one.place.decided_at,
        "audience": render_audience(memory),
        "superseded_by": memory.holds_now,
    }


def render_decision_chain(one: DecisionRecord) -> dict[str, Any]:
    """One decision with its chain both ways."""
    return render_decision(one) | {
        "supersedes": [other.memory.id for other in one.earlier],
        "successors": [other.memory.id for other in one.later],
    }


def render_similar_decision(one: DecisionRecord) -> dict[str, Any]:
    return render_decision(one) | {"similarity": round(one.similarity or 0.0, 6)}


def render_recorded_decision(made: RecordDecisionResult) -> dict[str, Any]:
    return {"id": made.id, "status": made.status, "deduplicated": made.deduplicated}


def render_preparation(found: Preparation) -> dict[str, Any]:
    return {
        "text": found.text,
        "citations": [
            {
                "number": one.number,
                "section": one.section,
                "decision": one.decision,
                "dissent": one.dissent,
                **one.said.citation,
            }
            for one in found.citations
        ],
    }
