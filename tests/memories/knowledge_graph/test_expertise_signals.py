"""Who knows what, turn by turn: what the rules of knowing conclude."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from memories.knowledge_graph.credited_experts import find_credit
from memories.knowledge_graph.expertise_signals import (
    MAX_CONCEPTS,
    DialogueTurn,
    RecentTurns,
    TurnSignals,
    compute_signals,
    is_help_request,
    is_question,
)
from memories.language.terms import Term, extract_concepts

ANN, BEN, CHO = uuid4(), uuid4(), uuid4()
AUDIENCE = uuid4()
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def turn(
    text: str, speaker: UUID | None = ANN, minutes: float = 0, **fields: object
) -> DialogueTurn:
    return DialogueTurn(
        id=uuid4(),
        audience=AUDIENCE,
        text=text,
        concepts=fields.pop("concepts", tuple(extract_concepts(text))),
        speaker=speaker,
        at=NOON + timedelta(minutes=minutes),
        **fields,
    )


def keys(terms: tuple[Term, ...]) -> list[str]:
    return [term.key for term in terms]


def lent(found: TurnSignals) -> list[str]:
    return [term.key for term, _ in found.lent]


def heard(*turns: DialogueTurn) -> RecentTurns:
    found = RecentTurns()
    for one in turns:
        found.add(one)
    return found


def test_who_states_something_knows_about_it() -> None:
    found = compute_signals(turn("The printer driver needs Samba"), heard(), {})
    assert "samba" in keys(found.own)
    assert (found.answers, found.lent, found.inferred) == ((), (), False)


@pytest.mark.parametrize(
    "said",
    [
        turn("The printer driver needs Samba", speaker=None),
        turn("The printer driver needs Samba", machine=True),
        turn("  !samba printer driver"),
        turn("Does the printer driver need Samba?"),
        turn("My printer driver does not work"),
    ],
)
def test_nobody_programs_commands_and_who_seeks_show_nothing(said: DialogueTurn) -> None:
    assert compute_signals(said, heard(), {}) == TurnSignals()


def test_in_an_answer_what_is_broken_is_explained() -> None:
    said = "The printer driver does not work under Samba"
    assert compute_signals(turn(said), heard(), {}).own == ()
    assert "samba" in keys(compute_signals(turn(said, addressed=(BEN,)), heard(), {}).own)
    assert compute_signals(turn(said + ", any ideas?", addressed=(BEN,)), heard(), {}).own == ()


def test_a_quoted_question_lends_what_it_was_about() -> None:
    question = turn("How do I share a printer over Samba?", speaker=BEN)
    answer = turn("Edit smb.conf", reply_to=question.id)
    found = compute_signals(answer, heard(question), {question.id: question})
    assert (found.answers, found.inferred) == ((question.id,), False)
    assert {"printer", "samba"} <= set(lent(found))
    assert {source for _, source in found.lent} == {question.id}
    assert not set(lent(found)) & set(keys(found.own))
    # What is not there to be read lends nothing; nor does a statement, nor the turn itself.
    assert compute_signals(answer, heard(question), {}).answers == ()
    told = turn("The printer works over Samba", speaker=BEN)
    found = compute_signals(turn("Edit smb.conf", reply_to=told.id), heard(), {told.id: told})
    assert (found.answers, found.lent) == ((told.id,), ())
    own = turn("Edit smb.conf", reply_to=answer.id)
    itself = DialogueTurn(id=answer.id, audience=AUDIENCE, text=own.text, concepts=own.concepts,
                  speaker=ANN, reply_to=answer.id)  # fmt: skip
    assert compute_signals(itself, heard(), {answer.id: answer}).answers == ()


def test_who_is_spoken_to_has_asked_within_a_quarter_of_an_hour() -> None:
    question = turn("How do I share a printer over Samba?", speaker=BEN)

    def answered(
        minutes: float, *between: DialogueTurn, text: str = "Edit smb.conf and restart nmbd"
    ):
        said = turn(text, minutes=minutes, addressed=(ANN, CHO, BEN))
        return compute_signals(said, heard(question, *between), {})

    found = answered(15)
    assert (found.answers, found.inferred) == ((question.id,), True)
    assert {"printer", "samba"} <= set(lent(found))
    assert answered(15.1) == TurnSignals(own=found.own)
    # The last three lines of a question, newest first; only those that seek are answered.
    lines = [turn(f"ok line {n}", speaker=BEN, minutes=1) for n in range(2)]
    assert answered(2, *lines).answers == (question.id,)
    lines.append(turn("ok line 2", speaker=BEN, minutes=1))
    assert answered(2, *lines).answers == ()
    # Without a time nothing is too long ago.
    timeless = DialogueTurn(id=uuid4(), audience=AUDIENCE, text=question.text, speaker=BEN,
                    concepts=question.concepts)  # fmt: skip
    said = turn("Edit smb.conf and restart nmbd", minutes=9_000, addressed=(BEN,))
    assert compute_signals(said, heard(timeless), {}).answers == (timeless.id,)


def test_an_unquoted_answer_has_to_tell_something() -> None:
    question = turn("How do I share a printer over Samba?", speaker=BEN)

    def lends(*terms: Term, quoted: bool = False) -> bool:
        where = {"reply_to": question.id} if quoted else {"addressed": (BEN,)}
        said = turn("edit it", concepts=terms, **where)
        return bool(compute_signals(said, heard(question), {question.id: question}).lent)

    plain = [Term(name=key, key=key, proper=False) for key in ("file", "line")]
    proper = Term(name="Nmbd", key="nmbd", proper=True)
    assert lends(*plain)
    assert lends(proper)
    assert not lends(plain[0]), "one common word says too little"
    assert lends(plain[0], quoted=True)
    assert not lends(quoted=True)


def test_who_has_just_asked_is_still_asking() -> None:
    asked = turn("How do I share a printer over Samba?")
    said = turn("The printer is an old Epson", minutes=5)
    found = compute_signals(said, heard(asked), {})
    assert "printer" not in keys(found.own)
    assert "epson" in keys(found.own)
    later = turn("The printer is an old Epson", minutes=16)
    assert "printer" in keys(compute_signals(later, heard(asked), {}).own)
    others = turn("How do I share a printer over Samba?", speaker=BEN)
    assert "printer" in keys(compute_signals(said, heard(others), {}).own)


def test_at_most_so_many_things_are_known_from_one_turn() -> None:
    terms = tuple(Term(name=f"t{n}", key=f"t{n}", proper=True) for n in range(30))
    found = compute_signals(turn("many", concepts=terms), heard(), {})
    assert len(found.own) == MAX_CONCEPTS == 24


def test_sixty_turns_are_remembered() -> None:
    asked = turn("How do I share a printer over Samba?", speaker=BEN)
    fillers = [turn("ok", speaker=CHO) for _ in range(60)]
    said = turn("Edit smb.conf and restart nmbd", addressed=(BEN,))
    assert compute_signals(said, heard(asked, *fillers[:59]), {}).answers == (asked.id,)
    assert compute_signals(said, heard(asked, *fillers), {}).answers == ()
    kept = heard(*[turn("ok", speaker=CHO) for _ in range(120)])
    assert len(kept.turns) == 120
    kept.add(turn("ok"))
    assert len(kept.turns) == 60


def test_only_the_beginning_of_a_text_is_judged() -> None:
    assert is_question("x" * 1_999 + "?")
    assert not is_question("x" * 2_000 + "?")
    assert is_help_request("x" * 1_980 + " any ideas")
    assert not is_help_request("x" * 2_000 + " any ideas")


def credited(text: str, **fields: object) -> tuple[list[str], list[str]]:
    """(what the speaker shows to know, what the one shows whom the text credits)."""
    said = replace(turn(text), credit=find_credit(text), credited=BEN)
    found = compute_signals(replace(said, **fields), heard(), {})
    return keys(found.own), [term.key for term, _ in found.credits]


@pytest.mark.parametrize(
    "text",
    [
        "Marek knows the Kafka cluster best.", "Ask Marek about the Kafka cluster.",
        "I think Marek is our expert on the Kafka cluster.", "Marek maintains the Kafka cluster",
        "The person to ask about the Kafka cluster is Marek.", "@marek can help with Kafka cluster",
        "Nobody knows the Kafka cluster like Marek.", "Marek has years of experience with Kafka",
        "He knows the Kafka cluster best.", "Marek’s the go-to for the Kafka cluster",
    ],
)  # fmt: skip
def test_who_is_said_to_know_knows_and_not_who_says_so(text: str) -> None:
    own, theirs = credited(text)
    assert own == []
    assert any("kafka" in key for key in theirs)
    assert "marek" not in theirs
    assert credited(text, credited=None) == ([], []), "nobody knows who that is"


@pytest.mark.parametrize(
    "text",
    [
        "I know the Kafka cluster best", "We know Kafka best", "Marek doesn't know Kafka",
        "Marek knows that Kafka is slow", "Samba speaks SMB3", "The broker runs jobs",
        "Everyone knows Kafka", "This is responsible for the Kafka crash",
    ],
)  # fmt: skip
def test_what_credits_nobody_else_is_the_speakers(text: str) -> None:
    assert find_credit(text) is None


def test_of_a_text_with_both_each_has_their_sentences() -> None:
    own, theirs = credited("The Postgres replica needs tuning. Ask Marek about Kafka.")
    assert any("postgre" in key for key in own)
    assert any("kafka" in key for key in theirs)
    assert not {"kafka", "marek"} & {*own}
    assert credited("Does Marek know Kafka?") == ([], [])


def test_the_answer_who_knows_lends_them_the_question() -> None:
    question = turn("Who knows about the Kafka cluster?", speaker=CHO)
    text = "Marek knows it best"
    answer = replace(turn(text, reply_to=question.id), credit=find_credit(text), credited=BEN)
    found = compute_signals(answer, heard(), {question.id: question})
    assert (found.own, found.lent) == ((), ())
    assert ("kafka", question.id) in {(t.key.split()[0], id_) for t, id_ in found.credits}


@pytest.mark.conformance("A09")
@pytest.mark.parametrize(
    "text",
    [
        "I knit socks with five needles",
        "I usually weld the seams of aluminium frames",
        "I've translated three novels from Estonian",
        "I taught statistics in Leiden",
        "I am responsible for the greenhouse pumps",
        "I repair accordions in the evenings",
    ],
)
def test_who_says_what_they_do_knows_about_it(text: str) -> None:
    assert compute_signals(turn(text), heard(), {}).own != ()


@pytest.mark.conformance("A09")
@pytest.mark.parametrize(
    "text",
    [
        "I love accordions and their sound",
        "I bought an accordion in Leiden",
        "I don't repair accordions at all",
        "I never knit socks with five needles",
        "I'd weld the frames if I could",
        "I saw the greenhouse pumps yesterday",
        "I restarted Firefox twice yesterday",
        "I could use a new accordion",
    ],
)
def test_what_somebody_feels_gets_or_did_once_shows_no_knowledge(text: str) -> None:
    assert compute_signals(turn(text), heard(), {}).own == ()
