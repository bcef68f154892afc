"""What a model's answer is held to, case by case."""

from datetime import UTC, datetime

import pytest

from memories.policies.pronouns import Turn
from memories.policies.rewording import Nonsense, fault, read_answer, unwrapped

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
    assert fault(TURN, text, ["Where is the folder?"], ["Mina"]) == why


def test_the_shape_of_an_answer() -> None:
    assert unwrapped('```json\n{"turns": []}\n```') == '{"turns": []}'
    assert set(read_answer({"turns": [{"turn": 0}, {"turn": 1}]}, 2)) == {0, 1}
    for wrong in (None, [], {}, {"turns": 1}, {"turns": [1]}, {"turns": [{"turn": True}]},
                  {"turns": [{"turn": 2}]}):  # fmt: skip
        with pytest.raises(Nonsense):
            read_answer(wrong, 2)
