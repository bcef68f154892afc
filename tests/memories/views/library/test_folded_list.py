"""Facts before chatter: the list of memories has the turns of a chat as one line (W03).

Which line each memory stands in, and how many there are, is worked out here memory by memory.
"""

import html
import re
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from memories.browsing import selection
from memories.browsing.conversation_pages import folded_list
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.views.library.test_lines import KEYS, ORDERS, keep, used, views
from tests.memories.views.memory.test_thread import say
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.sampling import mark_rest_slow
from tests.world import NOW, PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("W03")
HTMX = {"HX-Request": "true"}
CHANGE = "/memories/change/"


def of(here: Tenant, name: str, **only: Any) -> list[Memory]:
    """What a person reads, the last that came first."""
    with resolve_principal(here.person(name)).scope():
        rows = Memory.objects.select_related("audience", "known_use").filter(**only)
        return sorted(rows, key=lambda row: row.id, reverse=True)


def conversation(row: Memory) -> tuple[str, UUID | None] | None:
    """Of a turn that says nothing by itself."""
    said = row.type in ("conversation", "interaction") and row.conversation
    told = row.category or row.importance >= 0.75 or row.red_line
    return (row.conversation, row.group_id) if said and not told else None


def lines(rows: list[Memory]) -> list[UUID]:
    """The memories at which a list in this order has a line."""
    seen, found = set(), []
    for row in rows:
        its = conversation(row)
        if its is None or its not in seen:
            found.append(row.id)
        seen.add(its)
    return found


def shown(page: str) -> list[UUID]:
    """The memories of the lines of a page; of a conversation the turn that it opens at."""
    rows = page.partition("<tbody")[2].partition("</tbody>")[0]
    return [
        UUID(one)
        for one in re.findall(r'class="line-link" href="/memories/([0-9a-f-]+)/(?:thread/)?', rows)
    ]


def told(page: str) -> list[str]:
    """What the lines of conversations say."""
    found = re.findall(r'class="line-figures">([^<]*)</span>([^<]*)<', page)
    return [html.unescape("".join(one)) for one in found]


def chat(here: Tenant) -> list[UUID]:
    """Facts between the turns of three conversations, of which Bob does not read all."""
    aria = here.robot("aria")
    ids = [here.remember(aria, "Paint is blue.", category="org_policy").id]
    for number in range(5):
        ids.append(say(here, "mina" if number % 2 else "bob", f"Turn {number}.", number))
    ids.append(here.remember(aria, "a Launch is near.", group="launch").id)
    ids.append(say(here, "mina", "Design talk.", 6, group="design", conversation="c2"))
    ids.append(say(here, "bob", "We chose May.", 7, category="decision"))
    ids.append(say(here, "bob", "In confidence.", 8, visibility="protected"))
    ids.append(say(here, "jo", "Elsewhere.", 9, conversation="c3"))
    ids.append(here.remember(here.person("mina"), "My own note.", visibility="private").id)
    return ids


def test_each_person_has_the_lines_of_what_they_read_and_the_count_is_true(world: World) -> None:
    here = world.here
    chat(here)
    # Another conversation of the same name, in another group.
    say(here, "mina", "Same name.", 10, group="design")
    world.there.remember(world.there.robot("aria"), "Theirs.")
    for name in PEOPLE:
        rows, client = of(here, name), make_signed_in_client(here, name)
        page = response_text(client.get("/memories/"))
        assert shown(page) == lines(rows), name
        talks = Counter(its for row in rows if (its := conversation(row)))
        some = f", in {len(lines(rows))} lines" if talks else ""
        number = "1 memory" if len(rows) == 1 else f"{len(rows)} memories"
        assert f">{number} that you can read{some}</span>" in page, name
        held = [int(re.match(r"\d+", words)[0]) for words in told(page)]
        assert sorted(held) == sorted(talks.values()), name
        for its, words in zip(
            [its for row in rows if row.id in shown(page) and (its := conversation(row))],
            told(page),
            strict=True,
        ):
            assert words.startswith(f"{talks[its]} "), (name, words)
        assert count_queries(client, "/memories/") <= 12


def test_a_line_says_who_when_and_the_last_turn_that_one_reads(world: World) -> None:
    here = world.here
    for number in range(3):
        say(here, ("mina", "bob", "jo")[number], f"Turn {number}.", number)
    last = say(here, "mina", "Turn 3.", 3)
    only = ReaderReferences(members=(str(here.members["bob"].id),))
    say(here, "kim", "To Bob alone.", 4, visibility="shared", readers=only)
    page = response_text(make_signed_in_client(here, "mina").get("/memories/"))
    assert told(page) == ["4 turns in #launch, 3 people, 2 March: last “Turn 3.”"]
    assert f'href="/memories/{last}/thread/"' in page
    assert "To Bob" not in page
    assert "Several" not in page
    page = response_text(make_signed_in_client(here, "bob").get("/memories/"))
    [line] = told(page)
    assert line.startswith("5 turns")
    assert "4 people, 2 March: last “To Bob alone.”" in line
    assert '<td class="line-readers">Several</td>' in page
    thread = response_text(
        make_signed_in_client(here, "bob").get(re.search(r'href="([^"]+/thread/)"', page)[1])
    )
    assert "To Bob alone." in thread


def test_a_filter_leaves_those_turns_that_fit_and_the_line_says_of_how_many(world: World) -> None:
    here = world.here
    chat(here)
    bob = here.members["bob"]
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/?member={bob.id}"))
    rows = [row for row in of(here, "mina") if bob.id in (row.member_id, row.speaker_member_id)]
    assert shown(page) == lines(rows)
    whole = [row for row in of(here, "mina") if row.conversation == "c1"]
    held = [row for row in rows if conversation(row) == ("c1", here.groups["launch"].id)]
    assert 0 < len(held) < len(whole)
    assert told(page)[0].startswith(f"{len(held)} of {len(whole)} turns in #launch, 2 people, 2 M")
    page = response_text(make_signed_in_client(here, "mina").get("/memories/?category=decision"))
    assert "in 1 line" not in page
    assert "Each message" not in page, "there is nothing folded"


@pytest.mark.parametrize("order", mark_rest_slow(ORDERS, 2))
def test_each_order_has_each_line_once_over_the_pages(
    world: World, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    here = world.here
    ids = chat(here)
    used(here, ids[2], 7, by="mina")
    used(here, ids[6], 3, by="mina")
    monkeypatch.setattr("memories.browsing.memory_pages.PAGE_SIZE", 2)
    monkeypatch.setattr(folded_list, "ROW_WINDOWS", (3, 5, None))
    client, url, found = make_signed_in_client(here, "mina"), f"/memories/?sort={order}", []
    while url:
        answer = client.get(url)
        found += shown(response_text(answer))
        assert count_queries(client, url) <= 12
        url = answer.context["page"]["next_url"]
    rows = of(here, "mina")
    if order:
        key, falling = KEYS[order.removeprefix("-")], order.startswith("-")
        rows.sort(key=key, reverse=falling)
    assert found == lines(rows)


def test_what_a_long_talk_hides_is_found_behind_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    fact = here.remember(here.robot("aria"), "Paint is blue.").id
    turns = [say(here, "mina", f"Turn {number}.", number) for number in range(9)]
    monkeypatch.setattr(folded_list, "ROW_WINDOWS", (2, 4, None))
    mina = make_signed_in_client(here, "mina")
    assert shown(response_text(mina.get("/memories/"))) == [turns[-1], fact]
    assert count_queries(mina, "/memories/") <= 12
    # Behind a turn in the middle of it the conversation has stood already.
    assert shown(response_text(mina.get(f"/memories/?before={turns[4]}"))) == [fact]


def test_each_message_is_a_step_of_back_and_stays_with_filters_and_order(world: World) -> None:
    here = world.here
    ids = chat(here)
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/memories/?sort=age"))
    each = html.unescape(re.search(r'href="([^"]+)"[^>]*>Each message<', page)[1])
    assert each == "/memories/?sort=age&each=1"
    part = mina.get(each, headers=HTMX)
    assert part["HX-Push-Url"] == each
    assert 'name="each" value="1" form="narrow"' in response_text(part)
    answer = mina.get("/memories/?each=1")
    assert shown(response_text(answer)) == [row.id for row in of(here, "mina")]
    assert " lines</span>" not in response_text(answer)
    assert re.search(r'href="/memories/"[^>]*>Fold turns of chats<', response_text(answer))
    assert "sort=text&amp;each=1" in response_text(answer), "a head of the table keeps it"
    keep(mina, "Each", each="1")
    keep(mina, "Talk", type="conversation")
    held = views(response_text(mina.get("/memories/?each=1")))
    talk = of(here, "mina", type="conversation")
    assert held["Talk"] == str(len(talk)) != str(len(lines(talk))), "memories, not lines"
    assert held["Each"] == str(len(of(here, "mina")))
    assert f'href="/memories/{ids[0]}/?each=1"' in response_text(answer), "the way back keeps it"


def test_neither_a_search_nor_what_is_out_of_use_is_folded(world: World) -> None:
    here = world.here
    chat(here)
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/memories/?q=Turn"))
    assert told(page) == []
    assert "Turn" in re.sub("</?mark>", "", page)
    for row in of(here, "mina", conversation="c1")[:3]:
        make_signed_in_client(here, "ada").post(f"/memories/{row.id}/forget/")
    rows = of(here, "ada", status="archived") + of(here, "mina", status="forgotten")
    page = response_text(mina.get("/memories/?status=forgotten"))
    assert told(page) == []
    assert len(shown(page)) == len([r for r in rows if r.status == "forgotten"])


def test_all_that_match_leaves_out_what_is_folded_and_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    chat(here)
    monkeypatch.setattr("memories.browsing.memory_pages.PAGE_SIZE", 2)
    mina = make_signed_in_client(here, "mina")
    rows = of(here, "mina")
    alone = [row for row in rows if not conversation(row)]
    page = response_text(mina.get("/memories/"))
    assert f"All {len(alone)} that match, without the turns of chats<" in page
    assert f"All {len(rows)} that match<" in response_text(mina.get("/memories/?each=1"))
    assert 'name="selected"' not in page.partition("is-folded")[2].partition("</tr>")[0]

    def chosen(query: str) -> set[UUID]:
        tag = "folded" if not query else "each"
        data = {"all": "1", "query": query, "tags": tag, "confirm": "1"}
        mina.post(f"{CHANGE}?action=set", data)
        return {row.id for row in of(here, "mina") if tag in row.tags}

    assert chosen("") <= {row.id for row in alone}
    talk = {row.id for row in rows} - {row.id for row in alone}
    assert chosen("each=1") & talk, "who asked for each message chose them"


def test_more_than_are_counted_are_folded_without_a_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    chat(here)
    monkeypatch.setattr(selection, "MAX_EXACT_COUNT", 3)
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/memories/"))
    assert " lines</span>" not in page
    assert "Turns of chats are folded" in page
    assert "that match" not in page
    assert count_queries(mina, "/memories/") <= 12


def test_the_overview_opens_with_what_says_something(world: World) -> None:
    here = world.here
    fact = here.remember(here.robot("aria"), "Paint is blue.").id
    for number in range(9):
        say(here, "mina", f"Turn {number}.", number)
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/")).partition('id="latest-title"')[2].partition("</section>")[0]
    assert "Turn 8." not in page
    assert page.index("Conversation in #launch") < page.index("9 turns, 1 person, 2 March")
    assert f'href="/memories/{fact}/"' in page
    assert count_queries(mina, "/") <= 12
    assert "Conversation" not in response_text(make_signed_in_client(here, "vera").get("/"))


def test_turns_that_wait_are_not_hidden_behind_one_of_them(world: World) -> None:
    """A conversation shows what is in use; of what it does not show, My memories has each."""
    here = world.here
    ids = [say(here, "mina", f"Turn {number}.", number) for number in range(3)]
    with resolve_principal(here.person("mina")).scope():
        Memory.objects.filter(id__in=ids[:2]).update(expires_at=NOW.replace(year=2025))
    page = response_text(make_signed_in_client(here, "mina").get("/me/")).partition(
        'class="memories"'
    )[2]
    assert "Turn 0." in page
    assert "Turn 1." in page
    assert "1 turn, 1 person" in page
