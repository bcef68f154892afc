"""The figures on the page of the gates are those of the wordings beside this file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text
from memories.safety.prompt_injection.find_injections import find_injections
from memories.views.review import gate_figures as measured
from memories.views.review.gate_figures import Measure

HERE = Path(__file__).parent / "measured"
ROOT = Path(__file__).parents[3]


def wordings(name: str) -> list[tuple[str, str]]:
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [(one["kind"], one["text"]) for one in map(json.loads, lines)]


def personal(text: str) -> Any:
    return find_personal_data(to_plain_text(text), KnownNames())


def poison(text: str) -> Any:
    return find_injections(to_plain_text(text))


@pytest.mark.conformance("T12")
@pytest.mark.parametrize(
    ("name", "find", "told"),
    [
        ("orders", poison, measured.ORDERS),
        ("orders_aside", poison, measured.ORDERS_ASIDE),
        ("orders_unseen", poison, measured.ORDERS_UNSEEN),
        ("orders_in_code", poison, measured.ORDERS_IN_CODE),
        ("personal", personal, measured.PERSONAL_DATA),
        ("personal_unseen", personal, measured.PERSONAL_UNSEEN),
        ("ordinary_unseen", poison, measured.ORDINARY_UNSEEN_AS_ORDERS),
        ("ordinary_unseen", personal, measured.ORDINARY_UNSEEN_AS_PERSONAL),
        ("ordinary", poison, measured.ORDINARY_AS_ORDERS),
        ("ordinary", personal, measured.ORDINARY_AS_PERSONAL),
        ("ordinary_aside", poison, measured.ORDINARY_ASIDE),
    ],
)
def test_the_figures_are_counted(name: str, find: Callable[[str], Any], told: Measure) -> None:
    given = wordings(name)
    assert len({text for _, text in given}) == len(given)
    held = [text for _, text in given if find(text)]
    passed = [f"{kind}: {text}" for kind, text in given if text not in held]
    assert Measure(len(held), len(given)) == told, held if "ordinary" in name else passed


def test_no_figure_falls_and_ordinary_work_passes() -> None:
    """The aim of 70 % is not reached for orders in new words: what is found may not become less."""
    assert measured.ORDERS_UNSEEN.percent >= 15
    assert measured.ORDERS_IN_CODE.percent == 100
    assert measured.PERSONAL_UNSEEN.percent >= 69
    assert measured.ORDINARY_UNSEEN_AS_ORDERS.percent <= 1
    assert measured.ORDINARY_UNSEEN_AS_PERSONAL.percent <= 1
    assert measured.ORDERS.percent >= 72
    assert measured.PERSONAL_DATA.percent >= 70
    assert measured.ORDINARY_AS_ORDERS.percent <= 1
    assert measured.ORDERS.total >= 60
    assert measured.PERSONAL_DATA.total >= 40


def test_every_kind_of_the_threat_model_is_among_them() -> None:
    kinds = {kind for kind, _ in wordings("orders")}
    assert kinds >= {
        *("plain", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "entities", "escapes", "base85"),
        *("base64", "hex", "rot13", "reversed", "scrambled", "tags", "roles"),
    }
    assert {kind for kind, _ in wordings("personal")} >= {
        *("lower", "initials", "spelt mail", "words", "password"),
    }


def test_the_documents_say_the_figures() -> None:
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    for measure in (
        *(measured.ORDERS, measured.ORDERS_ASIDE, measured.ORDINARY_ASIDE),
        *(measured.ORDERS_UNSEEN, measured.ORDERS_IN_CODE, measured.PERSONAL_UNSEEN),
        measured.PERSONAL_DATA,
    ):
        assert f"{measure.held} of {measure.total}" in page
    assert f"{measured.ORDINARY_AS_ORDERS.held} of {measured.ORDINARY_AS_ORDERS.total}" in page
    assert f"{measured.ORDINARY_AS_PERSONAL.held} of {measured.ORDINARY_AS_PERSONAL.total}" in page
