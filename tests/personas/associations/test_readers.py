"""Who reads what is for a persona, as pages say it, against a count by hand."""

from memories.access.readers import readers_in
from orgs.models.audiences import Audience
from orgs.principals import resolve
from tests.personas.cast import give, robot_of
from tests.world import NOW, World


def sentence(world: World, who: str, kind: str = "persona") -> object:
    here = world.here
    principal = resolve(here.person(who))
    with principal.scope():
        rows = Audience.objects.filter(id__in=principal.audiences, kind=kind)
        wanted = list(rows.exclude(key__startswith="x"))
        known = readers_in(principal, wanted, "Here")
    return {one.label: one for one in known.values()}


def test_the_sentence_counts_people_robots_and_curators(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        give(here, name)
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
        give(here, name)
    from memories.privacy.opt_out import set_sharing

    set_sharing(here.person("bob"), out=True, now=NOW)
    told = sentence(world, "mina")["Real Estate in QSR"]
    assert told.sentence == "1 person of Real Estate in QSR can read this, and 2 who curate."
    assert "Real Estate in QSR" not in sentence(world, "bob")
    assert sentence(world, "mina", "industry")["industry QSR"].people == 3
    assert sentence(world, "mina", "role")["role Real Estate"].people == 3


def test_a_robot_with_a_key_reads_for_its_member(world: World) -> None:
    from personas.associations.personal_robot import make_key

    give(world.here, "mina")
    robot_of(world.here, "mina")
    make_key(world.here.person("mina"), label="mine", now=NOW)
    told = sentence(world, "mina")["Real Estate in QSR"]
    assert (
        told.sentence
        == "1 person and 1 robot of Real Estate in QSR can read this, and 2 who curate."
    )
