"""How often something was used or read counts answers, not what was folded beneath them."""

import re
from collections import Counter
from typing import Any

from django.test import Client

from tests.page_client import make_signed_in_client, response_text
from tests.world import World

ASKED = ("Where does the zebra of the zoo sleep?", "zzzqqq", "Where does the zebra sleep?")


def serve(asker: Any) -> tuple[Counter[str], int, Counter[str]]:
    """By memory how often it answered who asks and how often it was folded, and the questions that
    something answered: counted from the bodies of the answers."""
    answered: Counter[str] = Counter()
    folded: Counter[str] = Counter()
    questions = 0
    for query in ASKED:
        body = {"query": query, "strategy": "hybrid"}
        answer = asker.post("/api/v1/recall", body, "application/json").json()
        hits = answer["results"]
        answered.update(hit["id"] for hit in hits if not hit["folded"])
        folded.update(hit["id"] for hit in hits if hit["folded"])
        questions += any(not hit["folded"] for hit in hits)
    assert answered
    assert folded - answered
    return answered, questions, folded


def test_only_what_answered_was_used(lasting_world: World) -> None:
    here = lasting_world.here
    aria = here.robot("aria")
    texts = ["The zebra of the zoo sleeps in the barn."]
    texts += [f"The invoice number {number} of the barn is late." for number in range(3)]
    ids = [here.remember(aria, text).id for text in texts]
    here.embed()
    bolt = Client(headers={"Authorization": f"Bearer {here.keys['bolt']}"})
    answered, questions, folded = serve(bolt)
    for id_ in map(str, ids):
        shown = here.api("bolt").get(f"/api/v1/memories/{id_}").json()
        assert shown["access_count"] == answered[id_], shown["content"]
        if not answered[id_]:
            assert shown["last_accessed_at"] is None
    lines = here.api("bolt").get("/api/v1/operations", {"verb": "recall"}).json()["results"]
    served = Counter(line["memory"] for line in lines)
    assert served == answered + folded, "what was served stays in the log"
    chidi = make_signed_in_client(here, "chidi")
    own, _, _ = serve(chidi)
    rows = {str(row["id"]): row for row in chidi.get("/memories/").context["memories"]}
    titles = re.findall(r"An answer had it (\d+) time", response_text(chidi.get("/memories/")))
    assert {id_: row["used"] for id_, row in rows.items()} == {
        str(id_): own[str(id_)] for id_ in ids
    }, "one's own uses; those of others are told a day later"
    assert sorted(map(int, titles)) == sorted(own.values())
    page = chidi.get(f"/robots/{here.robots['bolt'].id}/").context
    assert {str(row["id"]) for row in page["served"]} == set(answered)
    assert sum(day["value"] for day in page["chart"]["values"]) == questions


def test_read_by_counts_answers(lasting_world: World) -> None:
    here = lasting_world.here
    mina = str(here.members["mina"].id)
    text = "The zebra of the zoo sleeps in the barn."
    ids = [
        here.remember(here.robot("aria"), one, member=mina, visibility="organisation").id
        for one in (text, "The invoice of the barn is late.")
    ]
    here.embed()
    bolt = Client(headers={"Authorization": f"Bearer {here.keys['bolt']}"})
    answered, _, _ = serve(bolt)
    page = response_text(make_signed_in_client(here, "mina").get("/me/?all=1"))
    plain = re.sub(r"<[^>]+>", " ", page)
    words = {1: "once", 2: "2 times", 3: "3 times"}
    said = re.findall(r"Read by bolt (once|\d times), last today", plain)
    assert sorted(said) == sorted(words[answered[str(id_)]] for id_ in ids if answered[str(id_)])
