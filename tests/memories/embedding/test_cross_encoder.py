"""The cross-encoder: a stand-in for tests, and the real one where it is installed."""

import os
import threading
import time

import pytest

from memories.embedding.cross_encoders import cross_encoder_loading, ms_marco
from memories.embedding.cross_encoders.cross_encoder import (
    CrossEncoder,
    DeadlineExceededError,
    ModelMissingError,
)
from memories.embedding.cross_encoders.cross_encoder_loading import get_cross_encoder
from memories.embedding.cross_encoders.fake_cross_encoder import FakeCrossEncoder
from memories.embedding.cross_encoders.ms_marco import MsMarcoCrossEncoder
from memories.embedding.wheel_models import wheel_catalogue
from memories.embedding.wheel_models.wheel_catalogue import CROSS_ENCODER, WHEEL_MODELS

pytestmark = pytest.mark.conformance("Q07")

QUESTION = "Where does Bob live?"
TEXTS = [
    "Mina: The soup is too salty today.",
    "Where is your flat? Bob: I live in Lisbon, near the river.",
    "Bob: I bought a new bicycle.",
]


def soon() -> float:
    return time.monotonic() + 60


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_encoder_loading, "_loaded", {})


@pytest.fixture
def real() -> MsMarcoCrossEncoder:
    if not WHEEL_MODELS[CROSS_ENCODER].is_taken:
        pytest.skip(f"{CROSS_ENCODER} is not installed (make setup-rerank).")
    return MsMarcoCrossEncoder()


def test_one_for_a_process_by_its_name(settings) -> None:
    assert isinstance(get_cross_encoder(), FakeCrossEncoder)
    assert get_cross_encoder() is get_cross_encoder()
    assert isinstance(get_cross_encoder(), CrossEncoder)
    settings.RERANKER = "something else"
    with pytest.raises(ModelMissingError, match="something else"):
        get_cross_encoder()


def test_what_is_not_installed_says_how_to_have_it(settings, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(wheel_catalogue, "models_folder", lambda: tmp_path)
    settings.RERANKER = CROSS_ENCODER
    with pytest.raises(ModelMissingError, match="make setup-rerank"):
        get_cross_encoder()
    folder = WHEEL_MODELS[CROSS_ENCODER].folder
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"cut")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelMissingError, match="cannot load"):
        get_cross_encoder()


def test_a_child_has_none_of_its_parents() -> None:
    get_cross_encoder()
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.write(writing, b"empty" if not cross_encoder_loading._loaded else b"kept")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"empty"


def test_the_fake_one_counts_words() -> None:
    logits = FakeCrossEncoder().logits("where is Bob", ["bob is where", "none"], deadline=soon())
    assert logits == [10.0, -10.0]
    with pytest.raises(DeadlineExceededError):
        FakeCrossEncoder().logits("q", ["text"], deadline=time.monotonic())


@pytest.mark.model
def test_the_real_one_finds_the_answer(real: MsMarcoCrossEncoder) -> None:
    logits = real.logits(QUESTION, TEXTS, deadline=soon())
    assert max(logits) == logits[1] > 0 > max(logits[0], logits[2])
    assert real.logits(QUESTION, [], deadline=soon()) == []


@pytest.mark.model
def test_a_text_is_judged_alike_alone_and_among_others(real: MsMarcoCrossEncoder) -> None:
    together = real.logits(QUESTION, TEXTS * 3, deadline=soon())
    alone = [real.logits(QUESTION, [text], deadline=soon())[0] for text in TEXTS]
    assert together == alone * 3


@pytest.mark.model
def test_long_texts_cost_no_more_than_their_beginning(real: MsMarcoCrossEncoder) -> None:
    read: list[tuple[str, str]] = []

    def noted(question: str, text: str) -> list[float]:
        read.append((question, text))
        return [0.0]

    real._model.run = noted
    real.logits("q" * 20_000, ["t" * 500_000], deadline=soon())
    assert read == [("q" * ms_marco.MAX_CHARACTERS, "t" * ms_marco.MAX_CHARACTERS)]


@pytest.mark.model
def test_tokens_beyond_the_limit_are_not_read(real: MsMarcoCrossEncoder) -> None:
    long = "word " * 300
    one, other = real.logits(QUESTION, [long, long + "Bob lives in Lisbon."], deadline=soon())
    assert one == other


@pytest.mark.model
def test_the_real_one_ends_when_its_time_is_over(real: MsMarcoCrossEncoder) -> None:
    with pytest.raises(DeadlineExceededError):
        real.logits(QUESTION, TEXTS, deadline=time.monotonic())
    runs: list[str] = []
    ended: list[str] = []
    may_end = threading.Event()

    def slow(question: str, text: str) -> list[float]:
        runs.append(text)
        may_end.wait(60)
        ended.append(text)
        return [0.0]

    real._model.run = slow
    with pytest.raises(DeadlineExceededError):
        real.logits(QUESTION, TEXTS * 20, deadline=time.monotonic() + 0.05)
    assert ended == [], "nobody waits for the run that has begun"
    may_end.set()
    time.sleep(0.5)
    assert len(runs) <= 4, "what had not begun is not read"


@pytest.mark.model
def test_a_failure_ends_the_reading(real: MsMarcoCrossEncoder) -> None:
    runs: list[str] = []

    def broken(question: str, text: str) -> list[float]:
        runs.append(text)
        time.sleep(0.05)
        raise RuntimeError("broken")

    real._model.run = broken
    with pytest.raises(RuntimeError):
        real.logits(QUESTION, TEXTS * 20, deadline=soon())
    time.sleep(0.5)
    assert len(runs) <= 6
