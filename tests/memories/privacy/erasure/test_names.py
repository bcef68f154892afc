"""Which words name a person, and that nothing else is hidden. Pure."""
# ruff: noqa: RUF001

import re
import time

import pytest

from memories.privacy.erasure.name_terms import REPLACEMENT, NameTerms, build_name_terms


def hidden(
    text: str, *names: str, identifiers: tuple[str, ...] = (), others: tuple[str, ...] = ()
) -> str:
    return build_name_terms(names, identifiers, others).hidden(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ask Mina Okonkwo.", "Ask [removed]."),
        ("Ask mina okonkwo and MINA  OKONKWO.", "Ask [removed] and [removed]."),
        ("Okonkwo's plan, by Mina.", "[removed]'s plan, by [removed]."),
        # A single word in another case may be another word.
        ("The okonkwo and the mina.", "The okonkwo and the mina."),
        (
            "Minae, aMina, Mina_1 and Mina1 are others.",
            "Minae, aMina, Mina_1 and Mina1 are others.",
        ),
        ("(Mina)", "([removed])"),
        ("Мина is not Mina", "Мина is not [removed]"),
        ("Okonkwos Haus, Minas Hund", "[removed] Haus, [removed] Hund"),
        ("nobody", "nobody"),
    ],
)
def test_a_name_is_hidden_and_nothing_else(text: str, said: str) -> None:
    assert hidden(text, "Mina Okonkwo") == said


def test_addresses_and_accounts_are_taken_literally() -> None:
    identifiers = ("m.o+x@example.org", "U47(1)", "budget")
    text = "Mail M.O+X@example.org for the budget, not mao+x@example.org; slack:U47(1)."
    assert hidden(text, "Mina", identifiers=identifiers) == (
        "Mail [removed] for the budget, not mao+x@example.org; slack:[removed]."
    )


def test_a_word_that_names_somebody_else_as_well_stays() -> None:
    assert hidden("Mina Marlow met Bob Marlow.", "Mina Marlow", others=("Bob Marlow",)) == (
        "[removed] met Bob Marlow."
    )


def test_words_of_the_language_name_nobody_alone() -> None:
    assert hidden("Will Bright will go. Will he?", "Will Bright") == ("[removed] will go. Will he?")
    assert not build_name_terms(["Al", "", "The", "bot"], [], [])


def test_a_nickname_counts_where_it_shares_a_word_with_the_name() -> None:
    def told(text: str, *nicknames: str) -> str:
        return build_name_terms(["Mina Okonkwo"], [], ["Bob"], nicknames).hidden(text)

    assert told("mina o. said so", "mina o.") == "[removed] said so"
    assert told("Bob said so, the boss.", "Bob", "the boss") == "Bob said so, the boss."


def test_composed_decomposed_and_unspaced_names() -> None:
    assert hidden("Jose\u0301 Rami\u0301rez came", "José Ramírez") == "[removed] came"
    assert hidden("山田太郎さんは来ます", "山田太郎") == "[removed]さんは来ます"
    assert hidden("it was [removed]", "removed") == "it was [removed]"


# A name, a text with it in another spelling, and the text without it.
SPELLINGS = [
    ("Jürgen Groß", "ask JÜRGEN GROSS and Juergen Gross", "ask [removed] and [removed]"),
    ("Jürgen Groß", "Jurgen Gross knows, Ju\u0308rgen Groß too", "[removed] knows, [removed] too"),
    # One letter composed, the other decomposed.
    ("Zoë Noël", "by Zoe\u0308 Noël", "by [removed]"),
    ("İpek Işık", "ipek işik, İPEK IŞIK, Ipek Isik", "[removed], [removed], [removed]"),
    ("Łukasz Żak", "Lukasz Zak and łukasz żak", "[removed] and [removed]"),
    ("Bjørn Åse", "Bjoern Aase, Bjorn Ase", "[removed], [removed]"),
    ("Алёна Ковалёва", "Алена Ковалева пишет", "[removed] пишет"),
    # A word of a name by itself may be another word without its signs.
    (
        "Anna Bär",
        "In the Bar of Frau Bär and Frau Baer",
        "In the Bar of Frau [removed] and Frau [removed]",
    ),
    ("Mia Groß", "gross, Gross und Groß", "gross, [removed] und [removed]"),
]


@pytest.mark.parametrize(("name", "text", "said"), SPELLINGS)
def test_a_name_is_hidden_however_it_is_spelt(name: str, text: str, said: str) -> None:
    assert hidden(text, name) == said


def test_both_engines_read_the_patterns_alike() -> None:
    """Postgres is asked in the tests of the whole; here only that no sign is an operator."""
    for pattern, _ in build_name_terms(["a.b*c[d]e^f$g|h\\i"], [], []).patterns:
        assert re.fullmatch(r".*" + pattern, "a.b*c[d]e^f$g|h\\i")
        assert not re.search(pattern, "aXbbc")


@pytest.mark.slow
@pytest.mark.timed
def test_a_long_text_is_read_in_linear_time() -> None:
    terms = build_name_terms([f"Name{n:04d} Other{n:04d}" for n in range(100)], [], [])

    def took(times: int) -> float:
        text, began = "Name0001   Name0001 " * times, time.process_time()
        terms.hidden(text)
        return time.process_time() - began

    short, long = min(took(2_000) for _ in range(3)), min(took(8_000) for _ in range(3))
    assert long < 8 * short + 0.05
    assert REPLACEMENT in terms.hidden("Name0001 Other0001")


def test_one_kind_of_words_is_enough_to_look_for() -> None:
    assert NameTerms(whole=("ann",), words=())
    assert NameTerms(whole=(), words=("Ann",))
    assert not NameTerms(whole=(), words=())
