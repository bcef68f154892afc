"""What of two texts replaces the other, and what only looks so."""

import pytest

from memories.language.comparison.changed_facts import (
    MIN_SHARED_OF_CHANGE,
    MIN_SHARED_RATIO,
    is_replaced_by,
    is_same_matter,
)
from memories.language.comparison.statements import (
    MAX_CHARACTERS,
    MAX_SENTENCES,
    Statement,
    read_statement,
)


def statement(text: str) -> Statement:
    found = read_statement(text)
    assert found is not None, text
    return found


def replaces(older: str, newer: str) -> bool:
    return is_replaced_by(statement(older), statement(newer))


CHANGED = [
    # Another value in the same frame: a name, a place, a number, a time, a colour.
    ("Nuno lives in Faro.", "Nuno lives in Aveiro."),
    ("Greta's desk number is 118.", "Greta's desk number is 204."),
    ("The archive opens at nine.", "The archive opens at eleven."),
    ("The choir meets on Mondays.", "The choir meets on Wednesdays."),
    ("The ladder is in the boathouse.", "The ladder is behind the garage."),
    ("I eat at 12:30.", "I eat at 13:15."),
    ("My favourite colour is teal.", "My favourite colour is amber."),
    ("The staging server is called otter.", "The staging server is called badger."),
    ("We use Basecamp for the tour plan.", "We use Asana for the tour plan."),
    ("The shop has 14 employees.", "The shop has 19 employees."),
    ("The cellar holds 60 crates of cider.", "The cellar holds 75 crates of cider."),
    ("I've got two hens.", "I've got five hens."),
    ("Late parcels carry the label red.", "Late parcels carry the label amber."),
    ("Take door 3, the bell is broken.", "Take door 5, the bell is broken."),
    ("The hotline answers with script 4.", "The hotline answers with script 6."),
    ("Wifi for visitors: blue-heron-9", "Wifi for visitors: red-fox-2"),
    # Another holder of one role.
    ("Selma is the contact for repairs.", "Ivo is the contact for repairs."),
    ("The contact for repairs is Selma.", "The contact for repairs is Ivo."),
    ("For the record, Selma signs the lease.", "For the record, Ivo signs the lease."),
    # A word of change.
    ("Nuno lives in Faro.", "Nuno moved from Faro to Aveiro."),
    ("I am vegan.", "I'm no longer vegan."),
    ("The rehearsal is on Friday at six.", "The rehearsal is cancelled."),
    ("Selma works at Norbit.", "Selma left Norbit and joined Kelda."),
    ("The file server is a Synology.", "The file server is a QNAP, not a Synology."),
    ("The tool is called Heron.", "Heron has been renamed to Kite."),
    ("Swim class is in the small pool.", "There is a new pool for the swim class."),
    ("Nuno swims at the Faro baths.", "Nuno stopped going to the Faro baths, he rows now."),
    ("Barbecue at the weir on Sunday.", "Barbecue's cancelled, it pours."),
    ("I row three days a week.", "I'm back up to six days of rowing a week."),
    ("Anybody may park in the yard.", "Nobody may park in the yard any more."),
    ("Ivo is deputy head of the choir.", "Ivo was promoted from deputy to head of the choir."),
    # Another state of one thing.
    ("Roof report: the tiles half done.", "Roof report: the tiles all done."),
    ("The ticket about the cellar is open.", "The ticket about the cellar is closed."),
    ("The feature flag search2 is off.", "The feature flag search2 is on."),
    # The same act, in another order, at another time.
    ("The ferry to Elba leaves at 7:40.", "At 8:10 the ferry to Elba leaves."),
    # A remark beside it changes nothing.
    ("Our team mascot is the otter. Don't ask.", "Our team mascot is the heron. Don't ask."),
]
STANDS = [
    ("another person", "Nuno lives in Faro.", "Berta lives in Aveiro."),
    ("another thing", "The key for the shed is red.", "The key for the attic is blue."),
    ("another number", "Invoice 12 has been paid.", "Invoice 13 has not been paid."),
    ("another number", "The alarm code of door 7 changes.", "The alarm code of door 11 changes."),
    ("another number", "Bus 6 is on Mill Road.", "Bus 9 is no longer on Mill Road."),
    ("another number", "Room 4 smells damp.", "Room 5 smells damp."),
    ("another number", "Store 4 sells paint.", "Store 7 sells no paint."),
    ("of something narrower", "Nuno's Danish is at level B1.", "Nuno is looking for a job."),
    ("more than a value", "Nuno has reached page 11.", "Nuno has a phone whose number ends in 8."),
    ("what holds since", "Ivo drives his own van.", "Ivo sold the car and now drives his own van."),
    ("what holds since", "Keys hang in Bay 2.", "Keys moved from the .box shelf to Bay 2."),
    ("another meeting", "The barbecue grill is rusty.", "Barbecue's cancelled, it pours."),
    ("another one's", "Nuno takes the boat in June.", "Nuno cancelled the week in Porto."),
    ("a doubt", "Nuno parks in the yard.", "Nuno may stop parking in the yard."),
    ("another place", "The test cluster runs on 1.29.", "The live cluster runs on 1.28."),
    ("a part", "The draft runs to 320 pages.", "The first part of the draft runs to 90 pages."),
    ("an opinion", "I think the logo is great.", "I think the logo is dull."),
    ("a liking", "Karl loves dumplings.", "Karl hates dumplings."),
    ("a doubt", "Nuno lives in Faro.", "Nuno might move to Aveiro."),
    ("a plan", "Nuno lives in Faro.", "Nuno is going to move from Faro to Aveiro."),
    ("hearsay", "The depot belongs to the city.", "Ivo heard the depot was sold by the city."),
    ("a condition", "Our bank is Norda.", "If we grew, our bank would be Kelda."),
    ("an exception", "The office opens at eight.", "On Fridays the office opens at ten."),
    ("for some", "The ticket costs 15 euros.", "The ticket costs 9 euros for students."),
    ("one more", "Selma speaks Basque.", "Selma speaks Welsh."),
    ("one more", "Selma has a dog.", "Selma has a cat."),
    ("something else of it", "The office closes at six.", "The office has two cats."),
    ("one more", "Selma is fluent in Basque.", "Selma is fluent in Welsh."),
    ("two events", "I met Ivo on Monday.", "I met Ivo on Thursday."),
    ("two events", "Ada taught yoga in Lund in May.", "Ada taught yoga in Malmo in June."),
    ("a log", "Pressure on Monday was 130.", "Pressure on Tuesday was 128."),
    ("history", "We use GitHub for builds.", "In 2019 we used Jenkins for builds."),
    ("more of it", "Nuno lives in Faro.", "Nuno lives in Faro, near the harbour."),
    ("the same", "The archive opens at ten.", "The archive opens at ten."),
    ("a question", "The tool is called Heron.", "Is the tool still called Kite?"),
    ("a task", "Todo: ring the plumber", "Todo: ring the electrician"),
    ("thanks", "Thanks for the plan!", "Thanks for the new plan!"),
    ("I and somebody", "I live in Faro.", "Nuno moved from Faro to Aveiro."),
    ("a picture", "[image: a photo of a cat] Look", "[image: a photo of a dog] Look"),
]


@pytest.mark.conformance("X04")
@pytest.mark.parametrize(("older", "newer"), CHANGED, ids=[newer for _, newer in CHANGED])
def test_a_later_text_replaces_an_earlier_one(older: str, newer: str) -> None:
    assert replaces(older, newer)


@pytest.mark.conformance("X04")
@pytest.mark.parametrize(
    ("older", "newer"), [pair[1:] for pair in STANDS], ids=[f"{w}: {n}" for w, _, n in STANDS]
)
def test_what_only_looks_like_a_change_replaces_nothing(older: str, newer: str) -> None:
    assert not replaces(older, newer)


def test_a_change_needs_two_fifths_of_the_words_of_the_shorter_one() -> None:
    assert MIN_SHARED_OF_CHANGE == 0.4
    older = "Nuno keeps bees near old Faro"
    assert replaces(older, "Nuno moved bees, hives, smoker, ladder")
    assert replaces("Nuno repairs old clocks Faro", "Nuno moved clocks")
    assert not replaces(
        "Nuno repairs old grandfather clocks", "Nuno moved hives smoker ladder honey"
    )


def test_one_matter_has_three_fifths_of_the_words_of_the_shorter_one() -> None:
    assert MIN_SHARED_RATIO == 0.6
    five = statement("The crane is in the harbour, boat, winch, rope")
    assert is_same_matter(five, statement("The crane is in the harbour, boat, anchor, buoy"))
    assert not is_same_matter(five, statement("The crane is in the harbour, anchor, buoy, tar"))
    assert not is_same_matter(statement("My crane lifts it"), statement("The crane lifts it"))


@pytest.mark.conformance("X03")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna lives in Faro since May.", "Berta lives in Faro since May."),
        ("The code of door 7 changes weekly.", "The code of door 11 changes weekly."),
        ("We ship the blue crane to Porto.", "We ship the blue crane to Ghent."),
    ],
    ids=["subject", "number", "name"],
)
def test_what_has_a_subject_or_a_number_of_its_own_is_another_matter(one: str, other: str) -> None:
    assert not is_same_matter(statement(one), statement(other))
    assert is_same_matter(statement(one), statement(f"{one} As before"))


def test_of_long_texts_nothing_is_said_and_of_many_sentences_the_first_are_read() -> None:
    assert read_statement("word " * (MAX_CHARACTERS // 5 + 1)) is None
    assert read_statement("...") is None
    text = " ".join(f"Crane number{n}x stands here." for n in range(6))
    assert len(statement(text).sentences) == MAX_SENTENCES == 4
