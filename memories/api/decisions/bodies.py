"""Decisions as JSON for answers."""

from typing import Any

from memories.api.rendering import audience, named
from memories.curation.decisions.models import Claim, Dissent, Participant
from memories.curation.decisions.prepare import Preparation
from memories.curation.decisions.read import WholeDecision
from memories.curation.decisions.record import RecordedDecision
from orgs.models.memberships import Member
from robots.models.robots import Robot


def voice(row: Participant | Claim | Dissent) -> dict[str, Any]:
    """The person or robot in the record of a decision, with their present name."""
    nobody = {"name": row.called, "member": None, "robot": None}
    return _known(row.member, row.known(row.robot)) or nobody


def _known(member: Member | None, robot: Robot | None) -> dict[str, Any] | None:
    who = member or robot
    return who and {"name": who.name, "member": named(member), "robot": named(robot)}


def dissent(row: Dissent) -> dict[str, Any]:
    return {
        "id": row.id,
        "decision": row.memory_id,
        "kind": row.form,
        "content": row.content,
        "reasoning": row.reasoning,
        "by": voice(row),
        "noted_by": _known(row.noted_by, row.known(row.noted_by_robot)),
        "confidence": row.confidence,
        "acknowledged": row.acknowledged,
        "rebuttal": row.rebuttal,
        "created_at": row.created_at,
        "answered_at": row.answered_at,
        "answered_by": _known(row.answered_by, row.known(row.answered_by_robot)),
    }


def decision(one: WholeDecision) -> dict[str, Any]:
    memory, record = one.memory, one.record
    return {
        "id": memory.id,
        "status": memory.status,
        "topic": memory.topic,
        "topic_hash": record.topic_hash,
        "conclusion": one.conclusion,
        "strength": one.strength,
        "confidence": memory.confidence,
        "participants": [voice(row) for row in one.participants],
        "agree": record.agree,
        "disagree": record.disagree,
        "claims": [
            {"text": row.text, "by": voice(row) if row.name else None} for row in one.claims
        ],
        "dissents": [dissent(row) for row in one.dissents],
        "domain": record.domain,
        "tags": memory.tags,
        "decided_at": one.place.decided_at,
        "audience": audience(memory),
        "superseded_by": memory.holds_now,
    }


def chained(one: WholeDecision) -> dict[str, Any]:
    """One decision with its chain both ways."""
    return decision(one) | {
        "supersedes": [other.memory.id for other in one.earlier],
        "successors": [other.memory.id for other in one.later],
    }


def alike(one: WholeDecision) -> dict[str, Any]:
    return decision(one) | {"similarity": round(one.similarity or 0.0, 6)}


def recorded(made: RecordedDecision) -> dict[str, Any]:
    return {"id": made.id, "status": made.status, "deduplicated": made.deduplicated}


def preparation(found: Preparation) -> dict[str, Any]:
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
