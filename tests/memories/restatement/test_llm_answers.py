"""What a model's answer is held to, case by case."""

from datetime import UTC, datetime

import pytest

from memories.language.coreference import Turn
from memories.llm.client import strip_code_fence
from memories.restatement.llm_answers import (
    InvalidAnswerError,
    LlmRestatement,
    accept_restatement,
    parse_answer,
    rejection_reason,
)

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
TURN = Turn(text="I won't pay 4.50 for it next Friday, ask Tom Reed", speaker="Mina", at=AT)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Mina won't pay 4.50 for the folder on 2026-03-06; ask Tom Reed.", ""),
        ("Mina will not pay 4.50 for it on 2026-03-06, ask Tom Reed.", ""),
        ("Mina won't pay 4 for it on 2026-03-06, ask Tom Reed", "number"),
        ("Mina won't pay 4.50 for it next week, ask Tom Reed", "number"),
        ("Mina won't pay 4.50 for it on 2026-03-06, ask Mr Reed", "name"),
        ("Mina pays 4.50 for it on 2026-03-06, ask Tom Reed", "negation"),
        ("Mina won't pay 4.50 for 7 of it on 2026-03-06, ask Tom Reed", "invented-number"),
        ("Mina won't pay Petra 4.50 for it on 2026-03-06, ask Tom Reed", "invented-name"),
    ],
)
def test_what_holds(text: str, why: str) -> None:
    assert rejection_reason(TURN, text, ["Where is the folder?"], ["Mina"]) == why


def test_the_shape_of_an_answer() -> None:
    assert strip_code_fence('```json\n{"turns": []}\n```') == '{"turns": []}'
    assert set(parse_answer({"turns": [{"turn": 0}, {"turn": 1}]}, 2)) == {0, 1}
    for wrong in (None, [], {}, {"turns": 1}, {"turns": [1]}, {"turns": [{"turn": True}]},
                  {"turns": [{"turn": 2}]}):  # fmt: skip
        with pytest.raises(InvalidAnswerError):
            parse_answer(wrong, 2)


def answered(**given: object) -> object:
    turn = Turn(text="Call Tom at 5", speaker="Mina", at=AT)
    given = {"restatement": "Mina calls Tom at 5."} | given
    return accept_restatement(given, turn, ["about the pump"], ["Mina"])


def test_what_a_model_says_of_a_turn_has_to_occur_there() -> None:
    found = answered(
        keywords=["Tom", "pump", "pump", "yacht", 7, "x" * 101],
        persons=["Mina", "Zoe"],
        entities=[
            {"name": "Tom", "type": "PERSON"},
            {"name": "Tom", "type": "person"},
            {"name": "pump", "type": "gadget"},
            {"name": "yacht", "type": "topic"},
            {"name": "pump", "type": "topic"},
            "Tom",
            {"name": 3, "type": "person"},
        ],
        location=" Rome ",
        topic="pumps",
    )
    assert found == LlmRestatement(
        text="Mina calls Tom at 5.", keywords=("Tom", "pump"), persons=("Mina",),
        entities=(("Tom", "person"), ("pump", "topic")), location="", topic="pumps",
    )  # fmt: skip
    assert answered(location="pump").location == "pump"
    assert answered(keywords="Tom", persons={"Mina": 1}, entities="Tom") == LlmRestatement(
        text="Mina calls Tom at 5."
    )


def test_a_restatement_that_does_not_hold_is_none() -> None:
    assert answered(restatement="") is None
    assert answered(restatement=None) is None
    assert answered(restatement="Mina calls Tom at 6.") is None
    assert answered(restatement="Mina calls \x00 Tom at 5.") is None
    # Three times as long and 400 more: 3 x 13 + 400.
    start = "Mina calls Tom at 5"
    assert answered(restatement=start + "." * (439 - len(start))) is not None
    assert answered(restatement=start + "." * (440 - len(start))) is None


def test_so_many_words_and_things_at_most() -> None:
    turn = Turn(text=" ".join(f"w{chr(97 + n)}" for n in range(26)), speaker="Mina", at=AT)
    words = turn.text.split()

    def given(**fields: object) -> object:
        return accept_restatement({"restatement": turn.text + ".", **fields}, turn, [], [])

    assert given(keywords=words).keywords == tuple(words[:10])
    assert given(keywords=["no"] * 49 + ["wa"]).keywords == ("wa",)
    assert given(keywords=["no"] * 50 + ["wa"]).keywords == ()
    things = [{"name": word, "type": "concept"} for word in words]
    assert len(given(entities=things).entities) == 20
    assert len(given(entities=[{}] * 99 + things[:1]).entities) == 1
    assert given(entities=[{}] * 100 + things[:1]).entities == ()


def test_dates_that_nobody_could_have_meant_are_invented_numbers() -> None:
    turn = Turn(text="Call Tom soon", speaker="Mina", at=AT)

    def why(day: str) -> str:
        return rejection_reason(turn, f"Call Tom on {day}", [], [])

    assert why("2026-03-06") == ""
    assert why("2036-04-17") == "", "3,699 days on"
    assert why("2036-04-18") == "invented-number"
    assert why("2026-13-06") == "invented-number"
    timeless = Turn(text="Call Tom soon", speaker="Mina")
    assert rejection_reason(timeless, "Call Tom on 2026-03-06", [], []) == "invented-number"


def test_places_and_things_have_200_characters_at_most() -> None:
    turn = Turn(text="go to " + "x" * 201, speaker="Mina", at=AT)

    def given(**fields: object) -> object:
        return accept_restatement({"restatement": turn.text + ".", **fields}, turn, [], [])

    assert given(location="x" * 200).location == "x" * 200
    assert given(location="x" * 201).location == ""
    assert given(topic="x" * 100).topic == "x" * 100
    assert given(topic="x" * 101).topic == ""
    for length, count in ((200, 1), (201, 0)):
        things = [{"name": "x" * length, "type": "topic"}]
        assert len(given(entities=things).entities) == count
