"""Who is the subject of a memory: whom it is about, and who said it."""

from django.utils import timezone

from memories.access.permissions import is_subject
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.store.models.memory import Memory, subject_q
from orgs.principals import resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.world import World


def test_the_condition_finds_those_of_which_one_is_the_subject(world: World) -> None:
    here, now = world.here, timezone.now()
    mina, aria = here.person("mina"), here.robot("aria")
    for_mina = resolve_actor(aria, group="launch", member=str(mina.member_id))
    remember(for_mina, Draft(content="She likes tea.", visibility="group"), now=now)
    remember(aria, Draft(content="The office has tea.", visibility="organisation"), now=now)
    said = Draft(content="We buy tea.", group="launch", speaker=str(mina.member_id))
    remember(aria, said, now=now)
    with resolve_principal(mina).scope():
        rows = list(Memory.objects.all())
        found = set(Memory.objects.filter(subject_q(mina.member_id)))
        assert found == {row for row in rows if is_subject(mina, row)}
        assert {row.content for row in found} == {"She likes tea.", "We buy tea."}
        assert len(rows) == 3
        assert not Memory.objects.filter(subject_q(None)).exists(), "what has no subject"
