"""Sharing with some people: found by name as one types, the ticked ones stay, also without JS."""

import re
from urllib.parse import urlencode
from uuid import UUID

from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from tests.memories.views.test_library import HTMX
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

TICK = re.compile(r'name="people" value="([^"]+)"( checked)?><span>([^<]+)</span>')


def hire(here: Tenant, *names: str) -> dict[str, UUID]:
    with organisation_scope(here.id):
        return {
            name: create_member(
                organisation_id=here.id, name=name, role="member", now=timezone.now()
            )[0].id
            for name in names
        }


def offered(page: str) -> dict[str, bool]:
    """name -> whether it is ticked, in the order of the page."""
    return {name: bool(ticked) for _, ticked, name in TICK.findall(page)}


def test_people_are_found_by_their_names_and_the_ticked_ones_stay(world: World) -> None:
    here = world.here
    hired = hire(here, *(f"Person {n:02}" for n in range(20)), "Zoë van Dam", "Zora Damsgaard")
    hire(world.there, "Zoë of elsewhere")
    note = here.remember(here.person("mina"), "I like tea.", visibility="private").id
    mina, url = make_signed_in_client(here, "mina"), f"/memories/{note}/access/"
    first = response_text(mina.get(url))
    assert len(offered(first)) == 12
    assert "There are more. Type more of the name." in first
    assert "Mina" not in offered(first)
    zoe = str(hired["Zoë van Dam"])

    def typed(**asked: object) -> str:
        return response_text(mina.get(f"{url}?{urlencode(asked, doseq=True)}", headers=HTMX))

    part = typed(find="DAM zo")
    assert part.lstrip().startswith('<div id="people"')
    assert offered(part) == {"Zoë van Dam": False, "Zora Damsgaard": False}
    assert offered(typed(find="zora", people=[zoe])) == {
        "Zoë van Dam": True,
        "Zora Damsgaard": False,
    }
    foreign = [str(world.there.members["bob"].id), "nonsense", zoe]
    assert offered(typed(find="qqq", people=foreign)) == {"Zoë van Dam": True}
    assert "Nobody else here has “qqq” in their name." in typed(find="qqq")
    assert "There are more" in typed(find="person")

    # Without JavaScript the same form looks first and changes nothing.
    looked = mina.post(url, {"audience": "shared", "look": "1", "find": "Bob", "people": [zoe]})
    assert looked.status_code == 200
    assert offered(response_text(looked)) == {"Zoë van Dam": True, "Bob": False}
    assert 'value="shared" checked' in response_text(looked)
    assert len(here.readable(here.person("bob"))) == 0
    both = {"audience": "shared", "people": [zoe, str(here.members["bob"].id)], "find": "Bob"}
    assert mina.post(url, both).status_code == 302
    assert here.readable(here.person("bob")) == {note}
    assert "Zoë van Dam" in response_text(mina.get(f"/memories/{note}/"))


def test_it_costs_no_more_in_a_larger_organisation(world: World) -> None:
    here = world.here
    note = here.remember(here.person("mina"), "I like tea.", visibility="private").id
    mina, url = make_signed_in_client(here, "mina"), f"/memories/{note}/access/?find=person"
    few = count_queries(mina, url)
    hire(here, *(f"Person {n:02}" for n in range(20)))
    assert count_queries(mina, url) == few <= 12
