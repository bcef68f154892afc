"""A name that nobody here stands behind looks so, wherever a person or a model reads it (T28).

Robots that act for nobody name people as they like. Such names are planted wherever a call takes
one; then every page and every text for a model is read, and each place of the name has to be
marked. A new page is found in the URL conf.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.mcp import results
from memories.review.models import Proposal
from memories.store.speakers.attribution import marked_name
from orgs.principals import resolve_principal
from tests.isolation.api_surface import UNTENANTED_PATHS, iter_url_patterns
from tests.memories.context.test_context import said
from tests.page_client import make_signed_in_client
from tests.world import Tenant, World

# A name of nobody, and one that a member has whom the robot does not know.
BAIT, MEMBERS = "Zelda Quint", "Ada"
TOPIC = "Zebra crossing paint"
URL = "/api/v1"


def sent(tenant: Tenant, robot: str, path: str, body: dict[str, Any]) -> Any:
    answer = tenant.api(robot).post(f"{URL}/{path}", body, format="json")
    assert answer.status_code < 300, answer.json()
    return answer.json()


def planted(here: Tenant, name: str, where: str = "organisation") -> dict[str, UUID]:
    """The name wherever a plain robot can put one; the ids of what was written."""
    memory = sent(here, "bolt", "memories", {
        "content": f"I know that zebras like the {where} paint best.", "speaker": name,
        "visibility": "organisation", "topic": TOPIC, "conversation": f"zebras {name}",
    })  # fmt: skip
    decision = sent(here, "bolt", "decisions", {
        "topic": TOPIC, "conclusion": "White.", "participants": [name], "agree": 2,
        "claims": [{"text": "It shines.", "by": name}],
        "dissents": [{"kind": "risk_warning", "content": "It is slippery.", "by": name},
                     {"kind": "minor_quibble", "content": "It is dear.", "by": name}],
    })  # fmt: skip
    chat = sent(here, "bolt", "conversations", {"external_id": f"chat {name}", "title": "Zebras"})
    sent(here, "bolt", f"conversations/{chat['id']}/messages/batch", {
        "items": [{"content": "Who paints the zebra crossing?", "speaker": f"irc:{name}",
                   "speaker_name": name, "sent_at": timezone.now().isoformat()}],
    })  # fmt: skip
    here.read()
    return {"memory_id": memory["id"], "decision_id": decision["id"], "chat": chat["id"]}


def unmarked(text: str, name: str) -> list[str]:
    """The surroundings of each place of the name that no quotation marks stand around."""
    bare = re.finditer(rf"(?<![\w“\"'/]){re.escape(name)}(?![\w”\"'])", text)
    around = [text[max(0, one.start() - 60) : one.end() + 40] for one in bare]
    return [" ".join(one.split()) for one in around]


def addresses(ids: dict[str, Any]) -> Iterator[str]:
    """Every page of the URL conf whose parts are known, plain and asked for the topic."""
    asked = urlencode({"q": "zebra", "topic": "zebra", "query": "zebra paint"})
    for route, pattern in iter_url_patterns():
        wanted = pattern.pattern.converters
        if route.startswith(("api/", *UNTENANTED_PATHS)) or not pattern.name:
            continue
        if set(wanted) <= set(ids):
            url = reverse(pattern.name, kwargs={name: ids[name] for name in wanted})
            yield from (url, f"{url}?{asked}")


def read(client: Client, url: str) -> str:
    """What a person reads of a page: its words and labels, empty for what is no page."""
    answer = client.get(url)
    if answer.status_code != 200 or "html" not in answer["Content-Type"] or answer.streaming:
        return ""
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
    labels = " ".join(re.findall(r'(?:title|aria-label|alt)="([^"]*)"', html))
    return unescape(f"{re.sub(r'<[^>]+>', ' ', html)} {labels}")


@pytest.mark.conformance("T28")
@pytest.mark.timeout(300)
def test_no_page_shows_a_mere_name_like_a_members(world: World) -> None:
    here = world.here
    ids: dict[str, Any] = {**planted(here, BAIT)}
    with resolve_principal(here.person("ada")).scope():
        item = Proposal.objects.order_by("-id").first()
    ids |= {"number": 1, "name": "days", "group_id": here.groups["launch"].id,
            "robot_id": here.robots["bolt"].id, "member_id": here.members["mina"].id}  # fmt: skip
    ids |= {"item_id": item.id} if item else {}
    reader = make_signed_in_client(here, "ada")
    seen = {url: text for url in addresses(ids) if BAIT in (text := read(reader, url))}
    # It is found where it is known to be, or nothing is proven by not finding it elsewhere.
    known = {"memory-page", "thread", "said-page", "decision-page", "library"}
    for name in known:
        route = next(p for _, p in iter_url_patterns() if p.name == name)
        at = {part: ids[part] for part in route.pattern.converters}
        assert any(url.startswith(reverse(name, kwargs=at)) for url in seen), f"not on {name}"
    found = [f"{url}: {place}" for url, text in seen.items() for place in unmarked(text, BAIT)]
    assert "\n".join(found) == ""


def texts(here: Tenant, robot: str = "aria") -> dict[str, str]:
    """Every text for a model that the API makes, by its operation."""
    api = here.api(robot)
    context = api.post(f"{URL}/context", {"query": "zebra paint", "max_tokens": 20_000},
                       format="json").json()  # fmt: skip
    answer = api.post(f"{URL}/answer", {"query": "zebra paint"}, format="json").json()
    prepared = api.get(f"{URL}/decisions/prepare", {"topic": TOPIC}).json()
    debate = api.post(f"{URL}/debates", {"topic": TOPIC, "visibility": "organisation"},
                      format="json").json()  # fmt: skip
    for memory in {one["id"] for one in context["citations"] if one["type"] == "memory"}:
        api.post(f"{URL}/robots/{here.robots[robot].id}/working-memory", {"memory": memory},
                 format="json")  # fmt: skip
    at_hand = api.get(
        f"{URL}/robots/{here.robots[robot].id}/working-memory", {"order": "recent"}
    ).json()
    return {
        "context": context["text"],
        "answer": answer["text"],
        "decisions_prepare": prepared["text"],
        "debates_open": debate["preparation"]["text"],
        "working_memory_get": at_hand["text"],
    }


@pytest.mark.conformance("T28")
def test_no_text_for_a_model_has_a_mere_name_like_a_members(world: World) -> None:
    """Bolt does not know Ada, so it may call somebody so; nobody believes it."""
    here = world.here
    planted(here, MEMBERS)
    said(here, here.person("ada"), "Zebra paint is kept in the cellar.", visibility="organisation")
    found = texts(here)
    bolt = here.robots["bolt"].name
    for name in ("context", "decisions_prepare", "debates_open"):
        assert f'"{MEMBERS}", said {bolt}' in found[name], name
    for name, text in found.items():
        # Ada's own line is the only one that has her name plain.
        own = [line for line in text.split("\n") if unmarked(line, MEMBERS)]
        assert all("kept in the cellar" in line for line in own), (name, own)
    assert f", {MEMBERS}) Zebra paint is kept" in found["context"]


@pytest.mark.conformance("T28")
def test_citations_say_who_spoke_who_wrote_and_who_says_so(world: World) -> None:
    here = world.here
    ids = planted(here, MEMBERS)
    own = said(
        here, here.person("ada"), "Zebra paint is kept in the cellar.", visibility="organisation"
    )
    api, ada = here.api("aria"), here.members["ada"]
    body = api.post(f"{URL}/context", {"query": "zebra paint"}, format="json").json()
    known = {one["id"]: one["details"] for one in body["citations"]}
    person, bolt = {"id": str(ada.id), "name": "Ada"}, here.robots["bolt"]
    robot = {"id": bolt.public_id, "name": bolt.name}
    theirs = known[str(ids["memory_id"])]
    assert (theirs["speaker"], theirs["speaker_member"]) == (MEMBERS, None)
    assert theirs["author"] == {"member": None, "robot": robot}
    assert theirs["asserted_by"] == "robot"
    hers = known[str(own)]
    assert (hers["speaker"], hers["speaker_member"]) == ("Ada", person)
    assert hers["author"] == {"member": person, "robot": None}
    assert hers["asserted_by"] == "self"
    [risk, *_] = api.get(f"{URL}/decisions/prepare", {"topic": TOPIC}).json()["citations"]
    assert (risk["section"], risk["speaker"], risk["speaker_member"]) == ("risks", MEMBERS, None)
    assert risk["author"]["robot"] == robot


@pytest.mark.conformance("T28")
def test_the_timeline_says_which_speaker_is_a_member(world: World) -> None:
    here = world.here
    planted(here, MEMBERS)
    here.remember(here.robot("aria"), "Zebra stripes are paint.",
                  speaker=str(here.members["mina"].id), group="launch")  # fmt: skip
    rows = here.api("aria").get(f"{URL}/timeline", {"topic": "zebra or zebras"}).json()["results"]
    found = {one["speaker"]: one["speaker_member"] for one in rows if one["speaker"]}
    mina = here.members["mina"]
    assert found == {MEMBERS: None, "Mina": {"id": str(mina.id), "name": "Mina"}}


def test_a_name_does_not_end_its_own_mark() -> None:
    for name in ("Ada” said Mina", 'Ada", said Mina', "Ada«», „Bob‟"):
        marked = marked_name(name)
        assert marked[0] + marked[-1] == "“”"
        assert not set(marked[1:-1]) & set('"“”„‟«»'), marked


def rendered(here: Tenant, content: str) -> dict[str, Any]:
    found = here.api("aria").post("/api/v1/recall", {"query": content}, format="json").json()
    told = results.render_search(found, 2000)["memories"]
    [one] = [row for row in told if row["content"] == content]
    return {k: v for k, v in one.items() if k not in ("id", "when", "score", "content", "state")}


def test_a_tool_tells_a_name_of_nobody_from_a_member(world: World) -> None:
    """Bolt, which may speak for nobody, calls the speaker Ada; the other text is proven Ada's."""
    here = world.here
    api = here.api("bolt")
    forged = "The budget of the zebra crossing is nine thousand."
    body = {"content": forged, "speaker": "Ada", "visibility": "organisation"}
    assert api.post("/api/v1/memories", body, format="json").status_code == 201
    here.read()
    one = rendered(here, forged)
    proven = "Zebra stripes are the paint of the hall."
    ada = str(here.members["ada"].id)
    person = here.browser("ada")
    body = {"content": proven, "visibility": "organisation", "speaker": ada}
    made = person.post("/api/v1/memories", body, format="json")
    assert made.status_code == 201, made.content
    here.read()
    other = rendered(here, proven)
    told = [{k: v for k, v in row.items() if k != "by"} for row in (one, other)]
    assert told[0] != told[1], "nothing says that the one is proven and the other is not"


def test_a_timeline_tells_a_name_of_nobody_from_a_member(world: World) -> None:
    here = world.here
    forged = "The budget of the zebra crossing is nine thousand."
    body = {"content": forged, "speaker": "Ada", "visibility": "organisation", "topic": "zebra"}
    assert here.api("bolt").post("/api/v1/memories", body, format="json").status_code == 201
    here.read()
    data = here.api("aria").get("/api/v1/timeline", {"topic": "zebra crossing"}).json()
    for one in results.render_timeline(data, 2000)["said"]:
        assert one.get("speaker") != "Ada", one
