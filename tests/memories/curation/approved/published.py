"""Published memories of each kind, what their readers get of them, and what waits."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from memories.curation.decision_records.dissents import DissentDraft, add_dissent
from memories.curation.decision_records.models import Dissent
from memories.curation.decision_records.record_decision import DecisionDraft, record_decision
from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.knowledge_graph.models import Entity, Task
from memories.review.models import Proposal, ProposalState
from memories.store.models.memory import Memory
from orgs.members.members import change_role
from orgs.principals import resolve_principal
from tests.personas.persona_helpers import QSR, make_association
from tests.world import NOW, Tenant

TEXT = "The canteen closes at two. Lunch is served at noon in the yellow hall."
COLUMNS = (
    "content", "category", "importance", "tags", "metadata", "expires_at", "topic", "red_line",
    "version", "valid_until", "superseded_by_id", "audience_id", "status",
)  # fmt: skip


def _approved(here: Tenant, id_: UUID) -> UUID:
    """Approve what Mina proposed; returns the published memory."""
    chidi = here.person("chidi")
    with resolve_principal(chidi).scope():
        item = Proposal.objects.get(memory_id=id_, state=ProposalState.OPEN)
        version = Memory.objects.get(id=id_).version
    done = approve_item(chidi, item.id, ReviewDecision(version=version), now=NOW)
    here.read()
    return UUID(done.outcome["made"])


def memory(here: Tenant) -> UUID:
    """Proposed by Mina, approved by Chidi."""
    made = here.remember(here.person("mina"), TEXT, visibility="organisation", tags=("canteen",))
    return _approved(here, made.id)


def decision(here: Tenant) -> UUID:
    draft = DecisionDraft(topic="canteen hours", conclusion=TEXT, visibility="organisation")
    made = _approved(here, record_decision(here.person("mina"), draft, now=NOW).id)
    against = DissentDraft(kind="minor_quibble", content="Too early.")
    add_dissent(here.person("bob"), made, against, now=NOW)
    return made


def task(here: Tenant) -> UUID:
    made = here.remember(
        here.person("mina"), f"TODO: call the canteen. {TEXT}", visibility="organisation"
    )
    return _approved(here, made.id)


def summary(here: Tenant) -> UUID:
    """Of what is about Mina; a worker wrote it."""
    mina = str(here.members["mina"].id)
    made = here.remember(here.robot("aria"), TEXT, member=mina, visibility="organisation").id
    with resolve_principal(here.person("mina")).scope():
        Memory.objects.filter(id=made).update(key=f"summary:{made}", source={"summary_of": 2})
    return made


def block(here: Tenant) -> UUID:
    """A line of what a persona reads, by Mina while she curated."""
    make_association(here, "mina", QSR)
    _role(here, "curator")
    made = here.remember(here.person("mina"), TEXT, visibility=f"persona:{QSR}").id
    _role(here, "member")
    return made


def _role(here: Tenant, role: str) -> None:
    mina = here.members["mina"]
    change_role(here.person("ada"), member_id=mina.id, role=role, now=NOW)
    mina.role = role


KINDS: dict[str, Callable[[Tenant], UUID]] = {
    "memory": memory, "decision": decision, "task": task, "summary": summary, "block": block,
}  # fmt: skip


def as_it_is(here: Tenant, id_: UUID, who: str = "ada") -> dict[str, Any]:
    """What readers get of it: its columns, and how many parts it has."""
    with resolve_principal(here.person(who)).scope():
        row = Memory.objects.get(id=id_)
        made = Memory.objects.filter(source__proposition_of=str(id_)).exclude(status="forgotten")
        return {name: getattr(row, name) for name in COLUMNS} | {
            "tier": row.tier,
            "facts": made.count(),
            "given": Entity.objects.filter(memory_id=id_, source="given").count(),
            "due": [str(one.due_at) for one in Task.objects.filter(memory_id=id_)],
            "answers": [one.rebuttal for one in Dissent.objects.filter(memory_id=id_)],
        }


def waiting(here: Tenant, id_: UUID) -> list[Proposal]:
    with resolve_principal(here.person("ada")).scope():
        rows = Proposal.objects.filter(memory_id=id_, state=ProposalState.OPEN)
        return list(rows.order_by("id"))
