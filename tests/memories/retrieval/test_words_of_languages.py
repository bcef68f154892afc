"""Words find texts of every language, in an organisation of any language."""
# ruff: noqa: RUF001

from typing import Any

import pytest
from django.db import connection

from memories.indexing import search_index
from memories.indexing.models import Pending, Text
from memories.jobs.leases import WORKER
from memories.language.text_language import prepare_words
from memories.tasks import sweep_words
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from tests.large_scopes import force_index_search
from tests.sampling import mark_rest_slow
from tests.world import Tenant, World

# Facts and what somebody asks, by words that are not written alike.
FACTS = {
    "de": ("Die Schlüssel liegen im Büro von Jürgen Groß.", "Wo liegt der Schluessel?"),
    "fr": ("La réunion a été déplacée à jeudi prochain.", "Quand a lieu la reunion ?"),
    "es": ("Mi hermano vendió los coches en Málaga.", "¿Quién vende el coche en Malaga?"),
    "tr": ("Toplantı notları mavi klasörde duruyor.", "Klasörler nerede duruyor?"),
    "pl": ("Zebraliśmy faktury w niebieskiej szafce.", "Gdzie jest faktura w niebieskich?"),
    "ja": ("会議の資料は青い棚にあります。", "資料はどこですか"),
    "zh": ("会议的资料放在蓝色的柜子里。", "资料在哪里？"),
    "ko": ("회의 자료는 파란 선반에 있습니다.", "자료는 어디에 있습니까?"),
    "th": ("เอกสารการประชุมอยู่ในตู้สีน้ำเงิน", "เอกสารอยู่ที่ไหน"),
    "ar": ("وَضَعَ أحمد الوثائق في الخزانة الزرقاء.", "اين وثائق احمد؟"),
    "en": ("The invoices of main.py are paid by v2.3.1.", "Which invoice has the version 2.3.1?"),
}
OTHERS = (
    "Der Zug nach Hamburg fährt um acht.", "Le chat dort sur le canapé.", "昨日は雨が降りました。",
    "明天我们去北京开会。", "Kawa jest gotowa.", "The cat sleeps on the sofa.", "أحب القهوة.",
    "내일 서울에서 만나요.", "พรุ่งนี้เราจะไปตลาด", "Yarın deniz kıyısına gidiyoruz.",
)  # fmt: skip


def ask(here: Tenant, query: str, **more: Any) -> dict[str, Any]:
    body = {"query": query, "strategy": "keyword", **more}
    answer = here.api("aria").post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def search_texts(here: Tenant, query: str) -> list[str]:
    return [hit["content"] for hit in ask(here, query)["results"]]


def in_language(here: Tenant, language: str) -> None:
    """Another language for the organisation, as an admin sets it."""
    answer = here.browser("ada").patch(
        "/api/v1/organisation", {"language": language}, format="json"
    )
    assert answer.status_code == 200, answer.content


def set_words(here: Tenant, **values: Any) -> None:
    """Rows of the word index as another release would have made them."""
    with organisation_scope(here.id, using=WORKER):
        Text.objects.using(WORKER).filter(organisation_id=here.id).update(**values)
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(indexed_language="")


def indexed_language(here: Tenant) -> str:
    with organisation_scope(here.id):
        return Organisation.objects.get(id=here.id).indexed_language


def fill(here: Tenant) -> None:
    for text in (*OTHERS, *(fact for fact, _ in FACTS.values())):
        here.remember(here.robot("aria"), text)
    here.embed()


@pytest.mark.conformance("X08")
@pytest.mark.parametrize("language", ["english", "german", "simple"])
def test_a_fact_is_found_by_words_of_its_language(lasting_world: World, language: str) -> None:
    here = lasting_world.here
    in_language(here, language)
    fill(here)
    first = {code: search_texts(here, question)[:1] for code, (_, question) in FACTS.items()}
    wanted = {code: [fact] for code, (fact, _) in FACTS.items()}
    assert first == wanted


@pytest.mark.conformance("X08")
@pytest.mark.parametrize("language", mark_rest_slow(["german", "english"], 1))
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Müller kommt später zum Essen.", "Mueller"),
        ("Mueller kommt später zum Essen.", "Müller"),
        ("Aarhus is where Århild lives.", "Århus aarhild"),
        ("Der Weg zur Straße ist weit und steil.", "STRASSE"),
        ("We met Zoë at the café in Łódź.", "zoe cafe lodz"),
        ("We met Zoe\u0308 at the café.", "Zoë"),
        ("Look into config/settings.py for it.", "settings"),
        ("It breaks since v2.3.1 on macOS.", "2.3 macos"),
        ("Call getUserName first.", "user name"),
        ("كتب أَحْمَد الرسالة الطويلة أمس.", "كتب احمد"),
        ("مدرسة کوچک ما در تهران است.", "كوچك"),
        ("Anna Müller (アンナ・ミュラー) leads it.", "ミュラー"),
    ],
)
def test_letters_that_are_written_in_several_ways_are_one(
    lasting_world: World, text: str, question: str, language: str
) -> None:
    here = lasting_world.here
    in_language(here, language)
    fill(here)
    here.remember(here.robot("aria"), text)
    assert search_texts(here, question)[:1] == [text]


def test_a_question_in_another_language_is_as_sure_as_one_in_the_own(lasting_world: World) -> None:
    """The forms of a word by two languages count once, and stop words of both count nothing."""
    here = lasting_world.here
    fill(here)
    german = ask(here, "Wo liegen die Schlüssel von Jürgen Groß im Büro?")
    assert german["results"][0]["content"] == FACTS["de"][0]
    sure = german["confidence"]
    in_language(here, "german")
    sweep_words()
    assert ask(here, "Wo liegen die Schlüssel von Jürgen Groß im Büro?")[
        "confidence"
    ] == pytest.approx(sure, abs=0.02)
    assert german["answered"] == "yes"


def test_another_language_of_the_organisation_changes_the_words_in_the_background(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    # Too little text to tell a language: the organisation's counts.
    here.remember(here.robot("aria"), "Häuser")
    here.remember(here.robot("aria"), "Kawa")
    here.embed()
    assert search_texts(here, "Haus") == []
    in_language(here, "german")
    assert ask(here, "Häuser", strategy="auto")["results"] != [], "its vector serves meanwhile"
    assert sweep_words() == 1, "only what has other words now"
    assert search_texts(here, "Haus") == ["Häuser"]
    with organisation_scope(here.id, using=WORKER):
        waiting = Pending.objects.using(WORKER).filter(organisation_id=here.id).count()
    assert waiting == 1, "its neighbours are given the new words"
    assert indexed_language(here) == "german"
    assert sweep_words() == 0


def test_words_of_an_older_release_are_indexed_anew(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "Look into config/settings.py for it.")
    here.embed()
    assert search_texts(here, "settings") != []
    set_words(here, own="'old':1A", lexemes="'old':1A")
    assert search_texts(here, "settings") == []
    assert sweep_words() == 1
    assert search_texts(here, "settings") != []


def test_a_broken_off_run_is_begun_anew(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    fill(here)
    set_words(here, own="'old':1A")
    monkeypatch.setattr(search_index, "REBUILD_BATCH_SIZE", 2)
    whole = search_index._rebuild_batch
    batches: list[int] = []

    def breaks(*given: Any) -> int:
        batches.append(len(given[1]))
        if len(batches) == 3:
            raise RuntimeError
        return whole(*given)

    monkeypatch.setattr(search_index, "_rebuild_batch", breaks)
    with pytest.raises(RuntimeError):
        sweep_words()
    assert indexed_language(here) == ""
    assert sweep_words() == len(OTHERS) + len(FACTS) - 4, "what was done is not done twice"


def test_a_language_that_changes_meanwhile_is_not_taken_for_done(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    fill(here)
    in_language(here, "german")
    whole = search_index._rebuild_batch

    def meanwhile(*given: Any) -> int:
        in_language(here, "french")
        return whole(*given)

    monkeypatch.setattr(search_index, "_rebuild_batch", meanwhile)
    sweep_words()
    assert indexed_language(here) == "english"
    monkeypatch.undo()
    sweep_words()
    assert indexed_language(here) == "french"


def test_a_large_scope_counts_the_forms_of_a_word_once(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    fill(here)
    question = "Wo liegen die Schlüssel von Jürgen Groß im Büro?"
    small = ask(here, question)
    force_index_search(monkeypatch, here.id, above=5)
    large = ask(here, question)
    assert large["results"][0]["content"] == small["results"][0]["content"] == FACTS["de"][0]
    assert large["confidence"] == pytest.approx(small["confidence"], abs=0.05)


@pytest.mark.parametrize(
    "text",
    [
        "Wir gehen. We go. 行きましょう。",
        "الموعد 12:30 في 3 مايو",
        "😀",
        "日" * 10_000,
        "ก" * 10_000,
        "e\u0301" * 10_000,
        "word\u0301 wórd",
        "ﷺ" * 10_000,
        "v1" + ".1" * 15_000,
        "'; DROP TABLE x; -- \\' :* & | !",
    ],
)
def test_any_text_is_kept_and_asked(lasting_world: World, text: str) -> None:
    here = lasting_world.here
    sent = here.api("aria").post("/api/v1/memories", {"content": text}, format="json")
    assert sent.status_code == 201, sent.json()
    ask(here, text[:2_000])


@pytest.mark.slow
def test_every_letter_can_be_indexed_and_asked(db: None) -> None:
    """Also those whose plain form is a quotation mark, a blank or several letters. Left out are the
    long rows of signs of Asian scripts, and of those that nobody writes."""
    codes = (*range(0x20, 0x3400), *range(0xFB00, 0x10000), *range(0x1D400, 0x1F200))
    letters = [chr(code) for code in codes if chr(code).isprintable()]
    for start in range(0, len(letters), 20_000):
        texts = [
            prepare_words(f"a{letter}b {letter}") for letter in letters[start : start + 20_000]
        ]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(memories_index_words('english', text)), "
                "count(memories_web_query('english', text)), "
                "count(memories_words_query('english', text, '<->')) "
                "FROM unnest(%s::text[]) AS text",
                [texts],
            )
            assert set(cursor.fetchone()) == {len(texts)}
