"""Duties in eight languages: who is to do what, and until when. Said on Monday, 2 March 2026."""
# ruff: noqa: RUF001 - letters of other languages

from datetime import date

import pytest

from memories.knowledge_graph.task_rules import find_assignee, find_due_date
from memories.language.entities import ACTION_ITEM, extract_entities

SAID_ON = date(2026, 3, 2)

# (text, who, the last day); "I" is who speaks.
DUTIES = [
    ("Ich muss den Vertrag bis Freitag prüfen", "I", "2026-03-06"),
    ("Kim muss bis morgen die Rechnung schicken", "Kim", "2026-03-03"),
    ("Kim soll das Büro aufräumen", "Kim", None),
    ("Wir müssen bis zum 3. Mai umziehen", None, "2026-05-03"),
    ("Ich soll vor Freitag anrufen", "I", "2026-03-05"),
    ("Kim wird spätestens am Mittwoch antworten", "Kim", "2026-03-04"),
    ("Man muss bis übermorgen zahlen", None, "2026-03-04"),
    ("Ich muss bis 2027 sparen", "I", None),
    ("Je dois relire le contrat avant vendredi", "I", "2026-03-05"),
    ("Kim doit envoyer la facture d'ici demain", "Kim", "2026-03-03"),
    ("Kim doit ranger le bureau", "Kim", None),
    ("Nous devons déménager avant le 3 mai", None, "2026-05-02"),
    ("Il faut que je paie pour mercredi", "I", "2026-03-04"),
    ("Il faut payer jusqu'à jeudi", None, "2026-03-05"),
    ("On doit finir avant samedi", None, "2026-03-06"),
    ("Kim devra répondre au plus tard le 4 mars", "Kim", "2026-03-04"),
    ("Tengo que revisar el contrato antes del viernes", "I", "2026-03-05"),
    ("Kim tiene que enviar la factura para mañana", "Kim", "2026-03-03"),
    ("Kim debe ordenar la oficina", "Kim", None),
    ("Tenemos que mudarnos antes del 3 de mayo", None, "2026-05-02"),
    ("Hay que pagar antes del miércoles", None, "2026-03-03"),
    ("Debo llamar hasta el jueves", "I", "2026-03-05"),
    ("Yo tengo que terminar para el sábado", "I", "2026-03-07"),
    ("Kim deberá responder hasta el 4 de marzo", "Kim", "2026-03-04"),
    ("Devo controllare il contratto entro venerdì", "I", "2026-03-06"),
    ("Kim deve inviare la fattura entro domani", "Kim", "2026-03-03"),
    ("Kim deve riordinare l'ufficio", "Kim", None),
    ("Dobbiamo traslocare entro il 3 maggio", None, "2026-05-03"),
    ("Bisogna pagare entro mercoledì", None, "2026-03-04"),
    ("Io devo chiamare prima di giovedì", "I", "2026-03-04"),
    ("Dovrò finire entro dopodomani", "I", "2026-03-04"),
    ("Kim dovrà rispondere entro il 4 marzo 2026", "Kim", "2026-03-04"),
    ("Tenho que rever o contrato até sexta-feira", "I", "2026-03-06"),
    ("Kim precisa enviar a fatura até amanhã", "Kim", "2026-03-03"),
    ("Kim deve arrumar o escritório", "Kim", None),
    ("Temos que mudar até 3 de maio", None, "2026-05-03"),
    ("É preciso pagar até quarta-feira", None, "2026-03-04"),
    ("Preciso ligar antes de quinta-feira", "I", "2026-03-04"),
    ("Eu devo terminar até depois de amanhã", "I", "2026-03-04"),
    ("Kim terá que responder até 4 de março", "Kim", "2026-03-04"),
    ("Ik moet het contract voor vrijdag nakijken", "I", "2026-03-05"),
    ("Kim moet uiterlijk morgen de rekening sturen", "Kim", "2026-03-03"),
    ("Kim moet het kantoor opruimen", "Kim", None),
    ("We moeten voor 3 mei verhuizen", None, "2026-05-02"),
    ("Er moet uiterlijk woensdag betaald worden", None, "2026-03-04"),
    ("Ik zal tot donderdag bellen", "I", "2026-03-05"),
    ("Ik ga dat voor zaterdag afmaken", "I", "2026-03-06"),
    ("Kim zal uiterlijk op 4 maart antwoorden", "Kim", "2026-03-04"),
    ("Muszę sprawdzić umowę do piątku", "I", "2026-03-06"),
    ("Kim musi wysłać fakturę do jutra", "Kim", "2026-03-03"),
    ("Kim musi posprzątać biuro", "Kim", None),
    ("Musimy się przeprowadzić do 3 maja", None, "2026-05-03"),
    ("Trzeba zapłacić do środy", None, "2026-03-04"),
    ("Powinnam zadzwonić przed czwartkiem", "I", "2026-03-04"),
    ("Ja muszę skończyć do soboty", "I", "2026-03-07"),
    ("Kim powinien odpowiedzieć najpóźniej w środę", "Kim", "2026-03-04"),
    ("Sözleşmeyi cumaya kadar incelemeliyim", "I", "2026-03-06"),
    ("Kim faturayı yarına kadar göndermeli", "Kim", "2026-03-03"),
    ("Kim ofisi şimdi toplamalı", "Kim", None),
    ("3 Mayıs'a kadar taşınmalıyız", None, "2026-05-03"),
    ("Çarşambaya kadar ödeme yapmam lazım", "I", "2026-03-04"),
    ("Perşembeye kadar aramam gerek", "I", "2026-03-05"),
    ("Cumartesiye kadar bitirmeliyim", "I", "2026-03-07"),
    ("Kim salıya kadar cevap vermeli", "Kim", "2026-03-03"),
]  # fmt: skip

# Questions, negations, what is past, habits: no tasks.
NO_DUTIES = [
    "Muss Kim bis Freitag zahlen?", "Ich muss nicht bis Freitag zahlen.", "Der Bericht ist fertig.",
    "Ich wohne seit Freitag in Ulm.", "Die Muss-Liste ist lang.", "Ich muss schon sagen.",
    "Er kam bis Freitag nicht.", "Das Mus ist bis Freitag haltbar.",
    "Kim doit-elle payer avant vendredi ?", "Je ne dois pas payer avant vendredi.",
    "Le rapport est prêt depuis vendredi.", "Le droit est clair.", "Il est venu avant vendredi.",
    "J'habite à Lille depuis mars.", "Il faut dire que c'est beau.", "Je dois dire que oui.",
    "¿Tiene que pagar Kim antes del viernes?", "No tengo que pagar antes del viernes.",
    "El informe está listo desde el viernes.", "Vino antes del viernes.", "La deuda es grande.",
    "Vivo en León desde marzo.", "Hay que ver.", "Tengo que decir que sí.",
    "Kim deve pagare entro venerdì?", "Non devo pagare entro venerdì.",
    "Il rapporto è pronto da venerdì.", "È venuto prima di venerdì.", "Il dovere è chiaro.",
    "Vivo a Pisa da marzo.", "Bisogna dire che è bello.", "Devo dire di sì.",
    "Kim tem que pagar até sexta-feira?", "Não tenho que pagar até sexta-feira.",
    "O relatório está pronto desde sexta-feira.", "Ele veio antes de sexta-feira.",
    "O dever é claro.", "Moro em Braga desde março.", "É preciso dizer que é belo.",
    "Tenho que dizer que sim.",
    "Moet Kim voor vrijdag betalen?", "Het verslag is sinds vrijdag klaar.",
    "Hij kwam voor vrijdag.", "De moed is groot.", "Ik woon sinds maart in Gent.",
    "Ik moet zeggen dat het mooi is.", "Ik moet niet voor vrijdag betalen.", "We moeten lachen.",
    "Czy Kim musi zapłacić do piątku?", "Nie muszę płacić do piątku.",
    "Raport jest gotowy od piątku.", "Przyszedł przed piątkiem.", "Muszla jest duża.",
    "Mieszkam w Łodzi od marca.", "Trzeba przyznać, że to ładne.", "Muszę powiedzieć, że tak.",
    "Kim cumaya kadar ödemeli mi?", "Rapor cumadan beri hazır.", "Cumadan önce geldi.",
    "Mali durum kötü.", "Marttan beri Bursa'da oturuyorum.", "Onun temeli sağlam.",
    "Cumaya kadar ödemek zorunda değilim.", "Güzel bir masal dinledik.",
]  # fmt: skip


def tasks(text: str) -> list[str]:
    return [found.name for found in extract_entities(text) if found.type == ACTION_ITEM]


@pytest.mark.parametrize(("text", "who", "day"), DUTIES)
def test_who_is_to_do_it_and_until_when(text: str, who: str | None, day: str | None) -> None:
    assert find_assignee(text, ["Kim", "Tom"]) == who
    assert find_due_date(text, SAID_ON) == (date.fromisoformat(day) if day else None)
    # As in English, what one has to do oneself is a task once it has a date.
    assert tasks(text + ".") == ([text] if day or who == "Kim" or "2027" in text else [])


@pytest.mark.parametrize("text", NO_DUTIES)
def test_what_is_no_task(text: str) -> None:
    assert tasks(text) == []


def test_a_sentence_among_others_is_the_task() -> None:
    text = "Hallo zusammen. Kim muss bis zum 3. Mai die Folien prüfen. Danke und bis bald!"
    assert tasks(text) == ["Kim muss bis zum 3. Mai die Folien prüfen"]
    assert find_assignee("Kim muss zahlen", ["Tom"]) is None
    assert find_due_date("Kim muss bis Freitag oder bis Montag zahlen", SAID_ON) is None


@pytest.mark.timed(5)
@pytest.mark.parametrize(
    "text",
    ["ich muss bis Freitag " * 2_500, "Kim doit " * 5_500, "tengo que. " * 4_500, "1." * 25_000,
     "musi " * 10_000, "göndermeliyim " * 3_500],
)  # fmt: skip
def test_hostile_texts_take_no_time(text: str) -> None:
    assert len(extract_entities(text)) <= 20
    assert find_due_date(text, SAID_ON) is None or len(text) > 0
    find_assignee(text, ["Kim"])
