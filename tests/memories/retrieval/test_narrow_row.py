"""The narrow row says what the memory's words and vector say, from one statement to the next."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.lifecycle.forget import forget_memory
from memories.privacy.opt_out import set_sharing
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.principals import Actor, resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.search_rows import read_search_vectors
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

DIFFERENT = """
SELECT coalesce(t.memory_id, s.memory_id) FROM memories_text t
FULL JOIN memories_search s USING (organisation_id, memory_id)
WHERE coalesce(t.organisation_id, s.organisation_id) = %s AND NOT coalesce(
    s.words = memories_sparse_words(t.lexemes) AND s.length = t.length AND s.asks = t.asks
    AND s.timed = t.timed AND s.speaker = memories_speaker_place(t.speaker_key)
    AND (s.audience_id, s.kind) = (t.audience_id, t.kind)
    AND s.group_id IS NOT DISTINCT FROM t.group_id, false)
"""
HELD = "SELECT memory_id FROM memories_search WHERE organisation_id = %s"


def different(here: Tenant) -> list[Any]:
    with rolled_back_connection("admin") as admin:
        return admin.execute(DIFFERENT, [here.id]).fetchall()


def held(here: Tenant) -> set[UUID]:
    with rolled_back_connection("admin") as admin:
        return {id_ for (id_,) in admin.execute(HELD, [here.id]).fetchall()}


def found(who: Actor, text: str, **fields: Any) -> list[str]:
    asked = Query(text=text, **{"strategy": "keyword", "limit": 50, **fields})
    return [memory.content for _, memory in recall(who, asked, now=timezone.now()).hits]


def test_the_row_follows_the_words_through_a_life(here: Tenant) -> None:
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    about = {"group": "launch", "member": mina, "speaker": "Mina", "conversation": "c"}
    texts = ("The zebra sleeps.", "Why does it?", "It is tired since Monday.")
    said = [here.remember(aria, text, shareable=True, **about).id for text in texts]
    assert held(here) == set(said)
    assert different(here) == []
    here.embed()
    assert different(here) == []
    with resolve_principal(here.person("mina")).scope():
        assert set(read_search_vectors()) == set(said)
    edit_memory(here.person("mina"), said[2], {"content": "It was awake all night."}, now=NOW)
    assert different(here) == []
    with resolve_principal(here.person("mina")).scope():
        assert said[2] not in read_search_vectors(), "the vector was that of other words"
    set_sharing(here.person("mina"), out=True, withdraw=True, now=NOW)
    assert different(here) == []
    forget_memory(here.person("mina"), said[0], now=NOW)
    assert said[0] not in held(here)
    assert different(here) == []
    assert found(here.person("mina"), "zebra") == []
    here.embed()
    assert different(here) == []


def test_the_fortieth_word_of_a_question_counts(here: Tenant) -> None:
    here.remember(here.robot("bolt"), "Only the ocelot.")
    words = " ".join(f"filler{n}" for n in range(39))
    assert found(here.robot("bolt"), f"{words} ocelot") == ["Only the ocelot."]


def test_a_word_of_ten_thousand_letters_hurts_nobody(here: Tenant) -> None:
    bolt = here.robot("bolt")
    here.remember(bolt, f"{'x' * 10_000} ocelot")
    assert len(found(bolt, f"ocelot {'y' * 10_000}")) == 1


def test_a_row_holds_sixteen_thousand_words_the_own_ones_first(world: World) -> None:
    with resolve_principal(world.here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT memories_sparse_words(string_agg('w' || n || CASE WHEN n <= 4000 THEN ':1D' "
            "ELSE ':1A' END, ' ')::tsvector)::text FROM generate_series(1, 20000) AS n"
        )
        (text,) = cursor.fetchone()
    values = [float(pair.split(":")[1]) for pair in text.strip("{").split("}")[0].split(",")]
    assert len(values) == 16_000
    assert values.count(1) < 50, "words of one place aside, only own ones are left"


@override_settings(MEMORY_MAX_BYTES=100_000)
def test_a_long_text_is_found_by_its_last_word(here: Tenant) -> None:
    bolt = here.robot("bolt")
    here.remember(bolt, " ".join(f"item{n}" for n in range(5_000)) + " ocelot")
    assert len(found(bolt, "ocelot")) == 1


def test_words_of_one_place_touch_the_order_and_open_nothing(here: Tenant) -> None:
    """Two words with one place: who asks for the one may get the other, of what they read."""
    with rolled_back_connection("admin") as admin:
        (pair,) = admin.execute(
            "SELECT array_agg(word) FROM (SELECT 'zq' || n AS word FROM generate_series(1, 150000) "
            "AS n) AS words GROUP BY memories_word_place(word) HAVING count(*) > 1 "
            "ORDER BY min(word) LIMIT 1"
        ).fetchone()
    one, other = pair[:2]
    mine = here.remember(here.robot("bolt"), f"The {one}.", visibility="internal").id
    here.remember(here.robot("aria"), f"The {one} of the launch.", group="launch")
    assert found(here.robot("bolt"), other) == [f"The {one}."]
    assert here.readable(here.robot("bolt")) >= {mine}
    assert found(here.robot("clio"), other) == []


def test_each_label_has_its_number_and_nothing_is_nothing(world: World) -> None:
    with resolve_principal(world.here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT memories_sparse_words('a:1A b:2B c:3C d:4D'::tsvector)::text, "
            "memories_sparse_words(''::tsvector)::text, ARRAY(SELECT memories_word_place(w) "
            "FROM unnest(ARRAY['a', 'b', 'c', 'd']) AS w), memories_speaker_place('')"
        )
        text, empty, places, nobody = cursor.fetchone()
    values = dict(pair.split(":") for pair in text[1 : text.index("}")].split(","))
    assert [values[str(place)] for place in places] == ["4", "3", "2", "1"]
    assert (empty, nobody) == ("{}/536870912", 0)
    assert all(1 <= place <= 536_870_912 for place in places)
