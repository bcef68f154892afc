"""Who reads what is for a persona, as pages say it, against a count by hand."""

from memories.access.load_audience_summaries import load_audience_summaries
from orgs.models.audiences import Audience
from orgs.principals import resolve_principal
from tests.personas.persona_helpers import make_association, make_personal_robot
from tests.world import NOW, World


def sentence(world: World, who: str, kind: str = "persona") -> object:
    here = world.here
    principal = resolve_principal(here.person(who))
    with principal.scope():
        rows = Audience.objects.filter(id__in=principal.audiences, kind=kind)
        wanted = list(rows.exclude(key__startswith="x"))
        known = load_audience_summaries(principal, wanted, "Here")
    return {one.label: one for one in known.values()}


def test_the_sentence_counts_people_robots_and_curators(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    told = sentence(world, "mina")["Real Estate in QSR"]
    # Ada and Chidi curate; the personal robots have no key yet.
    assert told.sentence == "2 people of Real Estate in QSR can read this, and 2 who curate."
    assert (told.people, told.robots) == (4, 0)
    # Of the others a member hears the number alone.
    assert told.names == ("You",)
    assert {one.name for one in told.shown if one.what == "person"} == {here.members["mina"].name}
    seen = sentence(world, "ada")["Real Estate in QSR"]
    assert {one.name for one in seen.shown if one.what == "person"} >= {
        here.members[name].name for name in ("mina", "bob", "ada", "chidi")
    }


def test_who_opted_out_is_not_counted(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    from memories.privacy.opt_out import set_sharing

    set_sharing(here.person("bob"), out=True, now=NOW)
    told = sentence(world, "mina")["Real Estate in QSR"]
    assert told.sentence == "1 person of Real Estate in QSR can read this, and 2 who curate."
    assert "Real Estate in QSR" not in sentence(world, "bob")
    assert sentence(world, "mina", "industry")["industry QSR"].people == 3
    assert sentence(world, "mina", "role")["role Real Estate"].people == 3


def test_a_robot_with_a_key_reads_for_its_member(world: World) -> None:
    from personas.associations.personal_robot import create_own_key

    make_association(world.here, "mina")
    make_personal_robot(world.here, "mina")
    create_own_key(world.here.person("mina"), label="mine", now=NOW)
    told = sentence(world, "mina")["Real Estate in QSR"]
    assert (
        told.sentence
        == "1 person and 1 robot of Real Estate in QSR can read this, and 2 who curate."
    )


def test_the_sheet_names_ones_own_part_and_counts_the_rest(world: World) -> None:
    from memories.access.reader_list.reader_list import build_reader_list
    from memories.access.reader_list.reader_query import ReaderPageQuery
    from memories.privacy.opt_out import set_sharing
    from personas.associations.personal_robot import create_own_key

    here = world.here
    for name in ("mina", "bob", "chidi"):
        make_association(here, name)
        make_personal_robot(here, name)
        create_own_key(here.person(name), label=name, now=NOW)
    set_sharing(here.person("chidi"), out=True, now=NOW)

    def sheet(who: str) -> dict[str, tuple[int, int, set[str]]]:
        principal = resolve_principal(here.person(who))
        with principal.scope():
            place = Audience.objects.get(id=persona)
            found = build_reader_list(
                principal, place, organisation="Here", part=ReaderPageQuery(0, 50)
            )
        return {
            one.name: (one.count, one.unnamed, {f"{li.name}: {li.because}" for li in one.lines})
            for one in found.parts
        }

    hers = resolve_principal(here.person("mina"))
    with hers.scope():
        persona = Audience.objects.get(id__in=hers.audiences, kind="persona").id
    seen = sheet("ada")
    # Mina and Bob have it, Chidi opted out; Ada and he curate. Whose the robots are is not told.
    assert seen["people"][:2] == (4, 0)
    assert seen["people"][2] == {
        "Mina: of Real Estate in QSR",
        "Bob: of Real Estate in QSR",
        "You: curate",
        "Chidi: curates",
    }
    assert seen["robots"] == (2, 2, set())
    own = sheet("mina")
    assert own["people"] == (4, 3, {"You: of Real Estate in QSR"})
    assert own["robots"][:2] == (2, 1)
    assert [line.endswith(": your own robot") for line in own["robots"][2]] == [True]
