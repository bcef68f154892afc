"""Decisions in the export of a member: the member's own ones whole, of others only the member's
words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from memories.curation.decision_records.attribution import shown_name
from memories.curation.decision_records.decision_queries import (
    DecisionRecord,
    load_decision_records,
)
from memories.curation.decision_records.models import Claim, Dissent, Participant
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.principals import Principal


def export_records(principal: Principal, rows: Sequence[Memory]) -> dict[UUID, dict[str, Any]]:
    """The records of those memories that are decisions, by id; call in the principal's scope."""
    return {
        one.memory.id: _serialize_record(one)
        for one in load_decision_records(principal, [row.id for row in rows])
    }


def _serialize_record(one: DecisionRecord) -> dict[str, Any]:
    return {
        "topic": one.memory.topic,
        "conclusion": one.conclusion,
        "strength": one.strength,
        "agree": one.record.agree,
        "disagree": one.record.disagree,
        "domain": one.record.domain,
        "participants": [shown_name(who) for who in one.participants],
        "claims": [{"text": said.text, "by": shown_name(said)} for said in one.claims],
        "dissents": [_serialize_dissent(said) for said in one.dissents],
    }


def _serialize_dissent(said: Dissent) -> dict[str, Any]:
    plain = ("content", "reasoning", "confidence", "acknowledged", "rebuttal", "created_at")
    return {"kind": said.form, "by": shown_name(said)} | {
        name: getattr(said, name) for name in plain
    }


def iter_own_parts(principal: Principal) -> Iterator[Mapping[str, Any]]:
    """The member's rows in all records that they read; call in the principal's scope."""
    mine = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.actor.member_id,
    }
    for model, part in ((Participant, "participant"), (Claim, "claim"), (Dissent, "dissent")):
        rows = model._default_manager.filter(**mine).exclude(memory__status=Status.FORGOTTEN)
        for row in rows.select_related(*model.NAMED).order_by("id"):
            said: dict[str, Any] = {}
            if isinstance(row, Claim):
                said = {"text": row.text}
            elif isinstance(row, Dissent):
                said = _serialize_dissent(row)
            yield {"decision": row.memory_id, "part": part, **said}
