"""What is a subject, which turns have substance, and which sentence is shown."""

import pytest

from memories.knowledge_graph.expertise_signals import compute_signals
from memories.knowledge_graph.topic_terms import is_topic_term
from memories.language.terms import Term, extract_terms
from memories.retrieval.experts.evidence_sentences import select_evidence_sentence
from tests.memories.knowledge_graph.test_expertise_signals import BEN, heard, keys, lent, turn


def plain(word: str) -> Term:
    return Term(name=word, key=word, proper=False)


@pytest.mark.parametrize(
    "word", ["finished", "slowly", "randomly", "powerful", "wth", "oops", "250gb", "800x600",
             "disconnect", "freezing", "succeeded", "attention", "thirty"],
)  # fmt: skip
def test_verbs_adverbs_numbers_and_chat_are_no_subjects(word: str) -> None:
    assert not is_topic_term(plain(word))


@pytest.mark.parametrize(
    "word", ["Thursday", "October", "fri", "midday", "Green", "sewn", "woven", "frozen",
             "according", "checking", "writing", "graphical", "functional", "faster", "earlier",
             "biggest", "hmmm", "ohhh", "cheers"],
)  # fmt: skip
def test_days_colours_participles_and_degrees_are_no_subjects(word: str) -> None:
    """However they are written: a capital makes a day no subject."""
    found = extract_terms(f"We said {word} to them")
    assert not any(is_topic_term(term) for term in found if term.name == word)


@pytest.mark.parametrize(
    "word", ["customer", "spring", "strap", "dryer", "opener", "router", "printer", "forest",
             "meeting", "learning", "planning", "pppoeconf", "gown", "town", "oven", "chicken"],
)  # fmt: skip
def test_what_only_ends_like_them_is_a_subject(word: str) -> None:
    assert is_topic_term(plain(word))


@pytest.mark.parametrize(
    "word", ["samba", "debian", "parsing", "backup", "table", "family", "thread",
             "xorg.conf", "数据库", "printer", "sailing"],
)  # fmt: skip
def test_things_with_a_name_are_subjects(word: str) -> None:
    assert is_topic_term(plain(word))


@pytest.mark.parametrize("said", ["Samba!", "hi Samba", "my Samba is so slow today"])
def test_mentions_and_own_trouble_show_nothing(said: str) -> None:
    assert compute_signals(turn(said), heard(), {}).own == ()


def test_what_somebody_does_and_decided_counts() -> None:
    for said in ("I maintain the Samba servers", "We decided on Samba for the office"):
        assert "samba" in keys(compute_signals(turn(said), heard(), {}).own), said


def test_who_replies_to_themselves_answers_nobody() -> None:
    question = turn("How do I share a printer over Samba?", speaker=BEN)
    more = turn("Edit smb.conf", speaker=BEN, reply_to=question.id)
    found = compute_signals(more, heard(question), {question.id: question})
    assert (found.answers, lent(found)) == ((), [])


def test_the_sentence_that_shows_it_is_shown() -> None:
    text = "Good morning all. Samba needs port 445 open. Anything else?"
    assert select_evidence_sentence(text, "samba") == "Samba needs port 445 open."
    assert select_evidence_sentence("ok", "samba") == "ok"
