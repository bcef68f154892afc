"""Who is meant, rule by rule: each with a sentence that it decides and one that it does not."""

import pytest

from memories.language.coreference import MAX_PRONOUNS, MAX_TURNS_BACK, Turn
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN
from memories.restatement.rules import restate

DANIEL = ("Kees", "Daniel is in Berlin.")
ALICE = ("Kees", "Alice is in Berlin.")
PAIR = ("Kees", "Alice and Bob went off.")


def said(text: str, *before: tuple[str, str], by: str = "Mina", to: tuple[str, ...] = ()) -> str:
    turn = Turn(text=text, speaker=by, addressed=to)
    found = restate(turn, [Turn(text=words, speaker=who) for who, words in before])
    return (found.text if found else "") or text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is mine, call me", "it is Mina's, call Mina"),
        ("My key is here", "Mina's key is here"),
        ("Im late, ive lost it", "Mina is late, Mina has lost it"),
        ("I've lost it", "Mina has lost it"),
        ("I'll go", "Mina will go"),
        ("I'd go", "Mina would go"),
        ("I'd better go", "Mina had better go"),
        ("I'd been there", "Mina had been there"),
        ("I'd walked there", "Mina had walked there"),
        ("so I'd", "so Mina would"),
        ("so I'd ", "so Mina would "),
        ("I’m late", "Mina is late"),
        ("I go", "Mina goes"),
        ("so I ", "so Mina "),
        ("it is I", "it is Mina"),
        ("I also really like it", "Mina also really likes it"),
        ("I co-own it", "Mina co-own it"),
        ("Do I go?", "Does Mina go?"),
        ("when do I go", "when does Mina go"),
        ("Do I?", "Does Mina?"),
        ("Don’t I know", "Doesn't Mina know"),
        ("when I go", "when Mina goes"),
        ("Bob and I go", "Bob and Mina go"),
        ("Bob or I go", "Bob or Mina go"),
        ("tea and I go", "tea and Mina goes"),
        ("Bob, and I go", "Bob, and Mina goes"),
        ("Ask Bob when I go", "Ask Bob when Mina goes"),
        (" and I see Bob", " and Mina sees Bob"),
        (" I was in the war", " Mina was in the war"),
        ("in part I read", "in part I read"),
        ("War I'm in", "War Mina is in"),
        ("War I was long", "War I was long"),
    ],
)
def test_i_and_its_verb(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    ["i.e. this", "on i386", "use -i here", "list i) and", "see i: this", "set i/o", "take 3i",
     "i. first", "x_i here", "i's place", "my list = [1]"],
)  # fmt: skip
def test_a_letter_that_is_nobody(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is yours", "it is Bob's"),
        ("your key", "Bob's key"),
        ("You like it", "Bob likes it"),
        ("if you like it", "if Bob likes it"),
        ("(you like it)", "(Bob likes it)"),
        ("we call you like him", "we call Bob like him"),
        ("can you see it", "can Bob see it"),
        ("do you like it", "does Bob like it"),
        ("you're late", "Bob is late"),
        ("you've lost it", "Bob has lost it"),
        ("you'll go", "Bob will go"),
        ("you'd go", "Bob would go"),
        ("you", "Bob"),
        ("call you ", "call Bob "),
    ],
)
def test_you_and_its_verb(text: str, expected: str) -> None:
    assert said(text, by="", to=("Bob",)) == expected
    assert said(text, by="", to=("Bob", "Bob")) == expected, "named twice is one"
    assert said(text, by="", to=("Bob", "Vera")) == text
    assert said(text, by="") == text


def test_nobody_speaks_for_nobody() -> None:
    assert said("I like my tea, I'm late", by="") == "I like my tea, I'm late"
    assert said("I am late", ALICE, by="") == "I am late"
    assert said("it is mine", ALICE, by="") == "it is mine"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("he left", "Daniel left"), ("ask him", "ask Daniel"), ("his key", "Daniel's key"),
        ("it is his", "it is Daniel's"), ("he'll go", "Daniel will go"),
        ("he'd go", "Daniel would go"), ("he's sick", "Daniel is sick"),
        ("he's been there", "Daniel has been there"), ("he's got it", "Daniel has got it"),
        ("he's had it", "Daniel has had it"), ("it is he's", "it is Daniel is"),
        ("he's ", "Daniel is "), ("he left/", "Daniel left/"),
        ("he lost a friend", "Daniel lost a friend"),
        ("he left with Bob", "Daniel left with Bob"),
        ("Mina said he left", "Mina said Daniel left"),
        ("Alice said he left", "Alice said Daniel left"), ("he'n left", "he'n left"),
        ("Bob said he left", "Bob said he left"),
        ("`code` Bob said he left", "`code` Bob said he left"),
        ("a man said he left", "a man said he left"), ("(Bob) her key", "(Bob) her key"),
    ],
)  # fmt: skip
def test_he_is_daniel(text: str, expected: str) -> None:
    assert said(text, DANIEL) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she left", "Alice left"), ("it is hers", "it is Alice's"),
        ("ask her book", "ask Alice's book"), ("ask her", "ask Alice"), ("ask her ", "ask Alice "),
        ("ask her about it", "ask Alice about it"), ("ask her, book", "ask Alice, book"),
        ("she's got it", "Alice has got it"), ("he left", "he left"), ("his key", "his key"),
        ("he/she left", "he/she left"), ("(s)he left", "(s)he left"), ("she / he", "she / he"),
        ("(Bob) she left", "(Bob) Alice left"), ("she met (Bob)", "Alice met (Bob)"),
    ],
)  # fmt: skip
def test_she_is_alice(text: str, expected: str) -> None:
    assert said(text, ALICE) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They left", "Alice and Bob left"), ("they've left", "Alice and Bob have left"),
        ("they'll go", "Alice and Bob will go"), ("so they left", "so they left"),
        ("they'd gone", "they'd gone"), ("they's gone", "they's gone"),
    ],
)  # fmt: skip
def test_they_are_the_two_of_the_turn_before(text: str, expected: str) -> None:
    assert said(text, PAIR) == expected
    assert said(text, ("Kees", "It rains."), ("Kees", "It rains."), PAIR) == expected
    assert said(text, PAIR, ("Kees", "It rains.")) == text
    assert said(text) == text
    assert said(text, ("Kees", "Alice and Bob met Daniel.")) == text
    assert said(text, ("Kees", "Alice met Bob.")) == text


def test_both_of_whom_was_spoken() -> None:
    assert said("he met her", ("Kees", "Alice met Daniel.")) == "Daniel met Alice"
    assert said("he met her", DANIEL, ALICE) == "Daniel met Alice"
    assert said("he left", ("Kees", "Daniel met Peter.")) == "he left"


def test_who_speaks_and_who_is_spoken_to_is_not_he() -> None:
    assert said("he left", DANIEL, to=("Daniel",)) == "he left"
    assert said("he left", DANIEL, by="Daniel") == "he left"
    assert said("he left", ("Kees", "Daniel met Peter."), to=("Peter",)) == "Daniel left"
    assert said("Peter, he left", DANIEL, by="Kim", to=("Peter",)) == "Peter, Daniel left"


def test_who_is_called_may_be_meant_as_well() -> None:
    assert said("he left", ("Kees", "Daniel: look")) == "he left"
    assert said("he left", ("Kees", "Sven: ask Daniel about it")) == "he left"
    assert said("he left", ("Kees", "Daniel: look"), DANIEL) == "Daniel left"


def test_who_has_just_spoken_may_be_meant_as_well() -> None:
    assert said("he left", ("Kees", "It rains."), DANIEL) == "Daniel left", "he told of Daniel"
    assert said("he left", ("Sven", "It rains."), DANIEL) == "he left"
    assert said("he left", ("Alice", "It rains."), DANIEL) == "Daniel left", "she is no he"
    assert said("he left", ("Kim", "It rains."), DANIEL, by="Kim") == "Daniel left"
    assert said("he left", ("", "It rains."), DANIEL) == "Daniel left", "nobody spoke"
    assert said("he left", ("Daniel", "It rains."), DANIEL) == "Daniel left"
    assert said("he left", ("Kees", "Daniel left."), ("Sven", "Daniel is here.")) == "he left"


def test_how_far_back_somebody_was_spoken_of() -> None:
    rain = ("Kees", "It rains.")
    assert said("he left", DANIEL, *[rain] * (MAX_TURNS_BACK - 1)) == "Daniel left"
    assert said("he left", DANIEL, *[rain] * MAX_TURNS_BACK) == "he left"
    assert MAX_TURNS_BACK == 6


def test_how_much_of_a_turn_is_looked_through() -> None:
    padding = "x " * ((MAX_CHARACTERS_PER_TURN - len("Daniel")) // 2)
    assert said("he left", ("Kees", f"{padding}Daniel, yes")) == "Daniel left"
    assert said("he left", ("Kees", f"{padding} Daniel, yes")) == "he left"
    assert MAX_CHARACTERS_PER_TURN == 4_000


def test_how_many_pronouns_of_a_turn_are_looked_into() -> None:
    assert said("he " * MAX_PRONOUNS, DANIEL) == "Daniel " * MAX_PRONOUNS
    assert said("he " * (MAX_PRONOUNS + 1), DANIEL) == "Daniel " * MAX_PRONOUNS + "he "
    assert MAX_PRONOUNS == 100


@pytest.mark.parametrize(
    "text",
    ["run ```\nI go\nshe left``` now", "he wrote:\n> I go\n> she left", 'so "I go" and "she left"',
     "see «I go»", "take `I go`", "see https://example.org/I", "write to I@example.org"],
)  # fmt: skip
def test_what_is_quoted_stays(text: str) -> None:
    assert said(text, ALICE) == text


def test_each_kind_of_pronoun_alone_is_enough() -> None:
    assert said("Bob likes me", to=("Bob",)) == "Bob likes Mina"
    assert said("you like it", by="Mina", to=("Bob",)) == "Bob likes it"
    assert said("x = you; call you", by="Mina", to=("Bob",)) == "x = Bob; call Bob"
