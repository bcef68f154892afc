"""Robots, calls, conversations and imports agree on whom a name means (T23).

All readings that a name can have in a group and in its organisation are made: absent, or of
somebody with or without an account, confirmed or not.
"""

from itertools import product
from uuid import UUID

import orjson
import pytest

from memories.ingestion.file_import.import_lines import InvalidLineError, parse_line
from memories.ingestion.file_import.import_people import ImportPeople
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.invitations import create_member
from orgs.models.memberships import ExternalIdentity
from orgs.organisations.groups import add_to_group
from orgs.organisations.references import get_member
from robots.access.acting_for_members import resolve_actor
from robots.conversations.participants import load_participants
from robots.models.conversations import Conversation
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T23")

# Of whom one reading is, and whether it is confirmed; None: there is none.
Reading = tuple[str, bool] | None
# With and without an account; one pair for the group's own, one for the organisation's.
OF_GROUP: list[Reading] = [None, *product(("bob", "lena"), (False, True))]
OF_ORGANISATION: list[Reading] = [None, *product(("mina", "otto"), (False, True))]
CASES = list(product(OF_GROUP, OF_ORGANISATION))
WITHOUT_ACCOUNT = ("lena", "otto")


@pytest.fixture
def members(world: World) -> dict[str, UUID]:
    """Everybody's id; number n of the cases is the name `import:n`."""
    here = world.here
    launch = here.groups["launch"].id
    with organisation_scope(here.id):
        for name in WITHOUT_ACCOUNT:
            here.members[name], _ = create_member(organisation_id=here.id, name=name, now=NOW)
        ids = {name: member.id for name, member in here.members.items()}
        guests = [ids[name] for name in WITHOUT_ACCOUNT]
        add_to_group(organisation_id=here.id, group_id=launch, member_ids=guests)
        ExternalIdentity.objects.bulk_create(
            ExternalIdentity(
                organisation_id=here.id,
                platform="import",
                identifier=str(number),
                member_id=ids[reading[0]],
                group_id=group,
                confirmed_at=NOW if reading[1] else None,
            )
            for number, case in enumerate(CASES)
            for group, reading in zip((launch, None), case, strict=True)
            if reading
        )
    return ids


def counts(reading: Reading) -> bool:
    return reading is not None and (reading[1] or reading[0] in WITHOUT_ACCOUNT)


def meant(own: Reading, everywhere: Reading) -> str | None:
    """Who is meant by a name where it is decided who reads."""
    for confirmed in (True, False):
        for reading in (own, everywhere):
            if reading and counts(reading) and reading[1] is confirmed:
                return reading[0]
    return None


def found(tenant: Tenant, number: int) -> UUID | None:
    try:
        return get_member(tenant.id, f"import:{number}", tenant.groups["launch"]).id
    except NotFoundError:
        return None


def acted_for(tenant: Tenant, number: int) -> UUID | None:
    try:
        return resolve_actor(
            tenant.robot("aria"), member=f"import:{number}", group="launch"
        ).member_id
    except NotFoundError:
        return None


def test_every_way_to_a_member_takes_the_same_reading(
    world: World, members: dict[str, UUID]
) -> None:
    here = world.here
    chat = Conversation(organisation_id=here.id, group=here.groups["launch"])
    names = [f"import:{number}" for number in range(len(CASES))]
    with organisation_scope(here.id):
        here_now = load_participants(chat, names, None)
        for number, case in enumerate(CASES):
            who = meant(*case)
            wanted = members[who] if who else None
            assert found(here, number) == wanted, case
            speaker = here_now.speaker(names[number])
            assert (speaker and speaker[0]) == wanted, case
    for number, case in enumerate(CASES):
        who = meant(*case)
        assert acted_for(here, number) == (members[who] if who else None), case


def test_an_import_takes_it_too_but_keeps_its_groups_apart(
    world: World, members: dict[str, UUID]
) -> None:
    """An unconfirmed name of the organisation is not taken for somebody of one group, and an
    unconfirmed name of somebody with an account stops the line."""
    here = world.here
    people = ImportPeople(here.organisation, NOW, by_group=True, groups=frozenset(), read=None)
    known = {id_: name for name, id_ in members.items()}
    with organisation_scope(here.id):
        for number, (own, everywhere) in enumerate(CASES):
            candidates = everywhere if everywhere and everywhere[1] else None
            line = parse_line(
                1, orjson.dumps({"text": "x", "group": "launch", "speaker": str(number)})
            )
            if own and not counts(own) and candidates is None:
                with pytest.raises(InvalidLineError, match="no admin has confirmed it"):
                    people.check(line)
                continue
            people.check(line)
            who = known.get(people.member(str(number), "launch"))
            assert who == meant(own, candidates), (own, everywhere)
