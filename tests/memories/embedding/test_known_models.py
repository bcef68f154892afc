"""What belongs to a model: its number, which is never another's, and its thresholds."""

import subprocess
import sys

import pytest

from memories.embedding.known_models import (
    KNOWN,
    MEANING_FLOOR,
    SURELY_NEAR,
    known_model,
    number_of,
)


def test_the_known_models_keep_their_numbers() -> None:
    numbers = {name: model.number for name, model in KNOWN.items()}
    assert numbers == {"fake": 0, "minilm": 1, "bge-small-en-v1.5": 2}
    assert known_model("all-MiniLM-L6-v2") == known_model("minilm")


def test_another_model_has_a_number_of_its_own_that_stays() -> None:
    names = [f"/models/{n}" for n in range(50)]
    numbers = [number_of(name) for name in names]
    assert len(set(numbers)) == 50
    assert all(1_000 <= number <= 32_767 for number in numbers)
    code = (
        "from memories.embedding.known_models import number_of;"
        "print(number_of('BAAI/bge-small-en-v1.5'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == number_of("BAAI/bge-small-en-v1.5") == 7_093


def test_an_unmeasured_model_calls_only_the_surely_near_the_same() -> None:
    other = known_model("some/model")
    assert other.near_duplicate == other.twin == other.disagree == SURELY_NEAR
    assert other.meaning_floor == MEANING_FLOOR == -0.1
    assert all(model.near_duplicate < SURELY_NEAR for model in KNOWN.values())
    assert known_model("minilm").near_duplicate == 0.92


def test_each_measured_model_has_thresholds_of_its_own() -> None:
    bge = known_model("bge-small-en-v1.5")
    assert bge.meaning_floor == 0.9
    assert (bge.near_duplicate, bge.twin, bge.related) == (0.95, 0.95, 0.75)


def test_the_operators_figures_win_for_the_chosen_model_alone(settings) -> None:
    settings.ENCODER = "some/model"
    settings.NEAR_DUPLICATE_SIMILARITY = 0.5
    settings.MEANING_FLOOR = 0.7
    assert (known_model().near_duplicate, known_model().meaning_floor) == (0.5, 0.7)
    assert known_model("minilm").near_duplicate == 0.92


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_the_thresholds_lie_where_a_cosine_can_be(name: str) -> None:
    model = known_model(name)
    assert -1 < model.meaning_floor < model.near_duplicate <= 1
    assert 0 < model.disagree < model.twin <= 1
