"""The life of a fact as a line on its page (X13)."""

from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

from memories.curation.edit_memory import edit_memory
from memories.views.memory.versions import MARK_DISTANCE, fact_life
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, World


def test_a_memory_that_was_said_again_has_a_life(world: World) -> None:
    here = world.here
    text = "The zebra sale begins on 2 May."
    kept = here.remember(here.robot("aria"), text, group="launch")
    client = make_signed_in_client(here, "bob")
    assert "Its life so far" not in response_text(client.get(f"/memories/{kept.id}/"))
    assert here.remember(here.robot("aria"), text, group="launch").id == kept.id
    again = response_text(client.get(f"/memories/{kept.id}/"))
    assert "Its life so far" in again
    assert "Said again, 2 times in all" in again
    edit_memory(here.robot("aria"), kept.id, {"content": text + " Really."}, now=NOW)
    changed = response_text(client.get(f"/memories/{kept.id}/"))
    life = changed[changed.index('class="life"') : changed.index("</figure>")]
    assert life.count("<time") == 3
    assert "Changed" in life


def _fact(**fields: object) -> SimpleNamespace:
    memory = SimpleNamespace(
        occurred_at=None, created_at=NOW, valid_until=None, superseded_by_id=None, holds_now=None
    )
    vars(memory).update(fields)
    return SimpleNamespace(
        shown=SimpleNamespace(memory=memory),
        contributions=[],
        history=SimpleNamespace(versions=[]),
        disputed_by=[],
    )


def test_marks_stand_in_the_order_of_time_and_apart() -> None:
    day = timedelta(days=1)
    newer = uuid4()
    found = _fact(valid_until=NOW + 5 * day, superseded_by_id=newer, holds_now=newer)
    found.disputed_by = [SimpleNamespace(id=newer, created_at=NOW)]
    life = fact_life(found, NOW + 10 * day)
    assert life is not None
    assert [(one["words"].split(":")[0], one["x"]) for one in life["marks"]] == [
        ("Said", 0),
        ("Disputed", MARK_DISTANCE),
        ("Replaced by a newer one", 500),
    ]
    assert fact_life(_fact(), NOW) is None
    later = _fact(valid_until=NOW + 5 * day)
    assert fact_life(later, NOW) is None, "what will end has not ended"
