"""What belongs to a model: its number, which is never another's, and its thresholds."""

import subprocess
import sys

import pytest

from memories.embedding.model_catalogue import (
    MEANING_FLOOR,
    MODELS,
    UNMEASURED_THRESHOLD,
    get_model,
    hash_to_number,
)


def test_the_known_models_keep_their_numbers() -> None:
    numbers = {name: model.number for name, model in MODELS.items()}
    assert numbers == {"fake": 0, "minilm": 1, "bge-small-en-v1.5": 2, "multilingual-e5-small": 3}
    assert get_model("all-MiniLM-L6-v2") == get_model("minilm")


def test_another_model_has_a_number_of_its_own_that_stays() -> None:
    names = [f"/models/{n}" for n in range(50)]
    numbers = [hash_to_number(name) for name in names]
    assert len(set(numbers)) == 50
    assert all(1_000 <= number <= 32_767 for number in numbers)
    code = (
        "from memories.embedding.model_catalogue import hash_to_number;"
        "print(hash_to_number('BAAI/bge-small-en-v1.5'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == hash_to_number("BAAI/bge-small-en-v1.5") == 7_093


def test_an_unmeasured_model_calls_only_the_surely_near_the_same() -> None:
    other = get_model("some/model")
    assert other.twin == other.disagree == UNMEASURED_THRESHOLD
    assert other.meaning_floor == MEANING_FLOOR == -0.1
    usual = [model for name, model in MODELS.items() if name != "multilingual-e5-small"]
    assert all(model.twin < UNMEASURED_THRESHOLD for model in usual)
    assert get_model("minilm").twin == 0.92


def test_each_measured_model_has_thresholds_of_its_own() -> None:
    bge = get_model("bge-small-en-v1.5")
    assert bge.meaning_floor == 0.9
    assert (bge.twin, bge.related) == (0.95, 0.75)


def test_the_operators_figures_win_for_the_chosen_model_alone(settings) -> None:
    settings.ENCODER = "some/model"
    settings.NEAR_DUPLICATE_SIMILARITY = 0.5
    settings.MEANING_FLOOR = 0.7
    assert (get_model().twin, get_model().meaning_floor) == (0.5, 0.7)
    assert get_model("minilm").twin == 0.92


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_thresholds_lie_where_a_cosine_can_be(name: str) -> None:
    model = get_model(name)
    # A searched vector is the sum of two unit vectors.
    assert -2 < model.meaning_floor < 2
    assert 0 < model.disagree < model.twin <= 1
