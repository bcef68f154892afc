"""Everything about a member is forgotten in portions, and all of it or nothing."""

from datetime import timedelta
from typing import Any

import pytest

from memories.indexing.models import Embedding, Pending, Text
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.privacy import forget_all as privacy_forget_all
from memories.privacy.forget_all import forget_all, undo_forget_all
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from robots.models.conversations import Message
from tests.memories.knowledge_graph.test_write_graph import member, said
from tests.sampling import mark_rest_slow
from tests.world import NOW, Tenant, World

MANY = 23


def long_talk(here: Tenant) -> None:
    """Mina and Bob take turns in a chat; beside it there are memories of no conversation."""
    lines = [
        {"content": f"The {who} number {n} is blue", "speaker": member(here, who)}
        for n in range(MANY)
        for who in ("mina", "bob")
    ]
    said(here, *lines)
    drafts = [
        Draft(content=f"Mina likes tea {n}", group="launch", member=member(here, "mina"))
        for n in range(5)
    ]
    remember_many(here.robot("aria"), drafts, now=NOW)


def state(here: Tenant) -> dict[str, Any]:
    with resolve_principal(here.robot("aria")).scope():
        mina = Memory.objects.about(here.members["mina"].id)
        rest = Memory.objects.exclude(id__in=mina.values("id"))
        texts = Text.objects.all()
        return {
            "hers": sorted(set(mina.values_list("status", flat=True))),
            "found": texts.filter(memory_id__in=mina.values("id")).count(),
            "others": rest.filter(status="active").count(),
            "others found": texts.filter(memory_id__in=rest.values("id")).count(),
            "said": Message.objects.filter(
                speaker_member_id=here.members["mina"].id, withdrawn_at=None
            ).count(),
        }


def words(here: Tenant) -> str:
    with resolve_principal(here.robot("aria")).scope():
        return " ".join(Text.objects.values_list("lexemes", flat=True))


@pytest.mark.parametrize("portion", mark_rest_slow([4, 28, 1, 7, 500], 2))
def test_all_of_it_whatever_the_portions(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    here = lasting_world.here
    long_talk(here)
    here.embed()
    before = state(here)
    assert (before["said"], before["others"], before["hers"]) == (MANY, MANY, ["active"])
    assert "'mina'" in words(here)
    monkeypatch.setattr(privacy_forget_all, "BATCH_SIZE", portion)
    assert forget_all(here.person("mina"), now=NOW) == MANY + 5
    after = state(here)
    assert (after["hers"], after["found"], after["said"]) == (["forgotten"], 0, 0)
    assert (after["others"], after["others found"]) == (MANY, MANY), "Bob's stay as they were"
    assert "'mina'" not in words(here), "nor do the turns of others keep her words"
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(action="memories.forgotten")
    assert entry.detail["count"] == MANY + 5
    assert forget_all(here.person("mina"), now=NOW + timedelta(hours=1)) == 0
    later = NOW + timedelta(hours=2)
    assert undo_forget_all(here.person("mina"), forgotten_at=NOW, now=later) == MANY + 5
    assert state(here) == before
    with resolve_principal(here.person("mina")).scope():
        back = Memory.objects.filter(restored_at=later)
        assert back.count() == MANY + 5, "rules of age count from now, as for one that is restored"


def test_one_that_breaks_off_has_forgotten_nothing_and_the_next_forgets_all(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    long_talk(here)
    here.embed()
    before, owed = state(here), _owed(here)
    monkeypatch.setattr(privacy_forget_all, "BATCH_SIZE", 6)
    take_away, count = privacy_forget_all.forget_memories, iter(range(99))

    def broken(*args: Any, **named: Any) -> None:
        if next(count) == 2:
            raise OSError("the server went away")
        take_away(*args, **named)

    monkeypatch.setattr(privacy_forget_all, "forget_memories", broken)
    with pytest.raises(OSError, match="went away"):
        forget_all(here.person("mina"), now=NOW)
    assert (state(here), _owed(here)) == (before, owed), "all or nothing"
    with organisation_scope(here.id):
        assert not AuditEntry.objects.filter(action="memories.forgotten").exists()
    monkeypatch.setattr(privacy_forget_all, "forget_memories", take_away)
    assert forget_all(here.person("mina"), now=NOW) == MANY + 5
    assert state(here)["found"] == 0
    here.embed()
    assert "'mina'" not in words(here)


def _owed(here: Tenant) -> tuple[int, int]:
    with resolve_principal(here.robot("aria")).scope():
        return Pending.objects.count(), Embedding.objects.count()
