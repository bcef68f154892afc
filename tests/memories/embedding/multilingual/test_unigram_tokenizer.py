"""Text to ids: as `tokenizers` does with the same vocabulary, in ten scripts, whatever comes."""

import time
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from memories.embedding.multilingual.packed_model import PackedModel
from memories.embedding.multilingual.unigram_tokenizer import (
    MAX_CHARACTERS,
    MAX_PIECE,
    VOCABULARY_FILE,
    UnigramTokenizer,
    write_vocabulary,
)
from memories.embedding.wheel_models.wheel_catalogue import (
    MULTILINGUAL_E5,
    PACKED_FILE,
    WHEEL_MODELS,
)
from tests.memories.embedding.multilingual.packed_file import PIECES, SPECIAL, write_packed_file

IDS = {piece: number for number, piece in enumerate([*SPECIAL, *PIECES])}
SENTENCES = {
    "Latin": "Où est la clé de l'entrepôt ? Größe, façade, Łódź, ﬁn — 5 000 €!",
    "Greek": "Πού είναι το κλειδί της αποθήκης; Ρωτήστε τον φύλακα.",
    "Cyrillic": "Где ключ от склада? Спросите у сторожа, он придёт в шесть.",  # noqa: RUF001
    "Hebrew": "מתי נגמר חוזה השכירות של המשרד בחיפה?",
    "Arabic": "مفتاح المستودع عند الحارس أبو خالد بعد الساعة السادسة.",
    "Devanagari": "गोदाम की चाबी किसके पास है? पहरेदार से पूछिए।",
    "Thai": "กุญแจโกดังอยู่ที่ไหน ถามยามได้หลังหกโมง",
    "Hangul": "창고 열쇠는 누가 가지고 있나요? 여섯 시 이후에는 경비원입니다.",
    "Kana": "会議室の鍵は受付の引き出しの中にあります。カタカナも。",
    "Han": "仓库的备用发电机每个季度要试运行一次。",
    "Georgian": "საწყობის გასაღები ვის აქვს?",
}


def made(folder: Path) -> tuple[PackedModel, UnigramTokenizer]:
    packed = PackedModel(write_packed_file(folder / "packed.bin"))
    write_vocabulary(packed.vocabulary, folder / VOCABULARY_FILE)
    return packed, UnigramTokenizer(folder / VOCABULARY_FILE, packed.vocabulary)


def reference(packed: PackedModel) -> Tokenizer:
    words = packed.vocabulary
    return Tokenizer(models.Unigram(list(words.pieces()), words.unknown, False))


def pieces(tokenizer: UnigramTokenizer, text: str, most: int = 64) -> list[str]:
    return [[*SPECIAL, *PIECES][number] for number in tokenizer.encode(text, most)]


def test_the_likeliest_pieces_are_found(tmp_path: Path) -> None:
    packed, tokenizer = made(tmp_path)
    assert pieces(tokenizer, "query: the keys") == [
        "<s>", "▁query", ":", "▁the", "▁key", "s", "</s>",
    ]  # fmt: skip
    for text in ("passage: the keys", "かかかの鍵", "the  key\tkeys", "ékeys"):
        expected = reference(packed).encode(tokenizer.normalise(text)).ids
        assert tokenizer.encode(text, 64)[1:-1] == expected


def test_characters_are_replaced_and_composed(tmp_path: Path) -> None:
    _, tokenizer = made(tmp_path)
    assert tokenizer.normalise(" a\tb\xa0\n c \x01") == "▁a▁b▁c"
    assert tokenizer.normalise("e\u0301") == "▁é"
    assert tokenizer.normalise("\0k\0e") == "▁ke"
    assert tokenizer.normalise("a\ud800b") == "▁a?b"
    assert tokenizer.normalise("") == tokenizer.normalise(" \0 ") == ""


def test_no_text_can_write_what_is_the_models_own(tmp_path: Path) -> None:
    _, tokenizer = made(tmp_path)
    for text in ("<s>", "</s>", "<pad>", "<mask>"):
        inside = tokenizer.encode(text, 64)[1:-1]
        assert not set(inside) & {0, 1, 2, IDS["<mask>"]}


def test_what_is_unknown_and_what_is_empty(tmp_path: Path) -> None:
    _, tokenizer = made(tmp_path)
    assert pieces(tokenizer, "") == ["<s>", "</s>"]
    assert pieces(tokenizer, "😀") == ["<s>", "▁", "<unk>", "</s>"]


def test_only_so_many_tokens_are_read(tmp_path: Path) -> None:
    _, tokenizer = made(tmp_path)
    ids = tokenizer.encode("the key " * 500, 40)
    assert len(ids) == 40
    assert (ids[0], ids[-1]) == (0, 2)
    # A longest text of the longest pieces is not cut before its tokens are.
    assert max(map(len, PIECES)) <= MAX_PIECE
    assert ids == tokenizer.encode("the key " * 20, 40)


def test_what_comes_after_a_great_many_characters_is_not_read(tmp_path: Path) -> None:
    _, tokenizer = made(tmp_path)
    blanks = " " * MAX_CHARACTERS
    assert tokenizer.encode(f"{blanks}the key", 64) == [0, 2]
    assert tokenizer.encode(f"{blanks[7:]}the key", 64) == [0, IDS["▁the"], IDS["▁key"], 2]


@pytest.mark.parametrize("unit", ["か", "e", " ", "\0", "😀", "ﷺ", "\u0301", "\ud800", "e "])
def test_a_long_text_takes_no_longer_than_a_short_one(tmp_path: Path, unit: str) -> None:
    _, tokenizer = made(tmp_path)
    started = time.perf_counter()
    ids = tokenizer.encode(unit * 2_000_000, 256)
    assert time.perf_counter() - started < 2
    assert 2 <= len(ids) <= 256


@pytest.mark.slow
@pytest.mark.model
def test_ten_scripts_are_cut_as_the_reference_cuts_them(tmp_path: Path) -> None:
    model = WHEEL_MODELS[MULTILINGUAL_E5]
    if not model.is_taken:
        pytest.skip(f"{MULTILINGUAL_E5} is not installed (make {model.target}).")
    packed = PackedModel(model.folder / PACKED_FILE)
    write_vocabulary(packed.vocabulary, tmp_path / VOCABULARY_FILE)
    tokenizer = UnigramTokenizer(tmp_path / VOCABULARY_FILE, packed.vocabulary)
    expected = reference(packed)
    assert max(len(piece) for piece, _ in packed.vocabulary.pieces()) == MAX_PIECE
    for script, sentence in SENTENCES.items():
        normal = tokenizer.normalise(f"passage: {sentence}")
        ids = tokenizer.encode(f"passage: {sentence}", 256)
        assert ids[1:-1] == expected.encode(normal).ids, script
        assert packed.vocabulary.unknown not in ids, script
