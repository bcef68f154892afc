"""The language of a text, and how its words are written for the word index."""

import pytest

from memories.language.text_language import (
    MAX_PARTS,
    MAX_PREPARED_CHARACTERS,
    detect_language,
    prepare_text,
    prepare_words,
)

SENTENCES = {
    "de": "Wir treffen uns am Freitag im Büro.", "fr": "Nous partons demain pour Lyon.",
    "es": "Mi hermana vive en Sevilla desde mayo.", "it": "Domani andiamo al mercato con la nonna.",
    "pt": "Amanhã vamos à praia com as crianças.", "nl": "Morgen gaan we met de trein naar zee.",
    "pl": "Wczoraj poszliśmy do kina w Warszawie.", "tr": "Dün gece eve çok geç geldik.",
    "ru": "Вчера мы ходили в театр.", "ja": "昨日は雨が降りました。", "zh": "明天我们去北京开会。",
    "ko": "내일 서울에서 만나요.", "th": "พรุ่งนี้เราจะไปตลาด", "ar": "سافر أحمد إلى القاهرة أمس.",
    "el": "Αύριο πάμε στη θάλασσα.", "hi": "मुझे दिल्ली में घूमना पसंद है।",
    "en": "The deploy failed on pod seven, so we rolled it back.",
}  # fmt: skip


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    assert detect_language(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["", "?!", "😀", "12:30", "Copenhagen", "haha nice", "main.py"])
def test_little_text_tells_no_language(text: str) -> None:
    assert detect_language(text) is None
    assert prepare_text(text).configuration is None


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("see main.py", "main py"),
        ("see v2.3.1", "2.3 2.3.1"),
        ("in 2.3", ""),
        (r"C:\temp\old_plan.txt", "temp old plan txt"),
        ("src/app/views.py", "src app views py"),
        ("call getUserName", "get User Name"),
        ("HTTPServer and HTML", "HTTP Server"),
        ("Done.Next one", "Done Next"),
        ("well-known Anna", ""),
        ("e.g. U.S. a/b", ""),
    ],
)
def test_names_are_found_by_their_parts(text: str, more: str) -> None:
    assert prepare_words(text) == f"{text} {more}".strip()


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        ("雨が降る", " 雨が が降 降る "),
        ("猫", " 猫 "),
        ("東京でiPhoneを", " 東京 京で iPhone を  Phone"),
        ("서울에서", " 서울 울에 에서 "),
        # A sign and the marks on it stay together.
        ("กรุงที่", " กรุ รุง งที่ "),
        # Half-width and full-width signs are the usual ones.
        ("ﾃｽﾄ \uff21\uff22", " テス スト  AB"),
        # Two ways to write one letter; marks that are often left out.
        ("Cafe\u0301", "Café"),
        ("أَحْمَد", "احمد"),
        ("zero\u200bwidth soft\u00adhyphen", "zerowidth softhyphen"),
        ("ёлка", "елка"),
    ],
)
def test_signs_have_one_form_and_scripts_without_blanks_pairs(text: str, prepared: str) -> None:
    assert prepare_words(text) == prepared


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Frau Müller-Lüdenscheidt", "Mueller Luedenscheidt"),
        ("Ärger in Århus, Øst und süß", "Aerger Aarhus Oest sueß"),
        ("Mueller, Goethe and Aaron", "Muller Gothe Aron"),
        ("blue queue", ""),
    ],
)
def test_a_memory_has_the_other_spelling_of_a_name(text: str, other: str) -> None:
    assert prepare_words(text) == f"{text} {other}".strip()
    assert prepare_words(text, is_query=True) == text


def test_a_language_without_a_stemmer_counts_the_beginnings_of_words() -> None:
    found = prepare_text("Wczoraj poszliśmy do kina w Warszawie, w Warszawę.")
    assert found.configuration == "simple"
    assert found.own == "Wczor poszl do kina w Warsz, w Warsz."
    assert found.shared == "Wczoraj poszliśmy do kina w Warszawie, w Warszawę."


@pytest.mark.parametrize(
    "text",
    [
        "日" * 100_000,
        "a" * 100_000,
        "1." * 50_000,
        "v1" + ".1" * 50_000,
        "aB" * 50_000,
        "a." * 50_000,
        "ก" + "\u0e31" * 99_999,
        "e" + "\u0301" * 99_999,
        # Marks that have to be sorted.
        "e" + "\u0301\u0316" * 49_999,
        "ﷺ" * 100_000,
    ],
)
def test_a_text_of_any_signs_has_a_bound(text: str) -> None:
    for prepared in (prepare_text(text).own, prepare_text(text).shared):
        assert len(prepared) <= MAX_PREPARED_CHARACTERS


def test_only_so_many_parts_are_added() -> None:
    text = " ".join(f"f{number}.py" for number in range(2 * MAX_PARTS))
    assert len(prepare_words(text).split()) == 3 * MAX_PARTS
