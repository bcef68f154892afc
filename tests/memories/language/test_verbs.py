"""Forms of verbs, as far as rules tell."""

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from memories.language.coreference import Turn
from memories.language.gazetteers.verb_bases import BASE_VERBS
from memories.language.verbs import find_verb, is_past, third_person
from memories.restatement.rules import restate


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("like", "likes"), ("fix", "fixes"), ("push", "pushes"), ("teach", "teaches"),
        ("buzz", "buzzes"), ("pass", "passes"), ("carry", "carries"), ("play", "plays"),
        ("liked", "liked"), ("can", "can"), ("going", "going"), ("likes", "likes"),
        ("am", "is"), ("have", "has"), ("focus", "focuses"), ("echo", "echoes"),
        ("enjoy", "enjoys"), ("fly", "flies"), ("try", "tries"),
        ("say", "says"), ("bring", "brings"), ("don’t", "doesn't"),
        ("and", "and"), ("Like", "Likes"), ("no", "no"), ("longer", "longer"), ("gladly", "gladly"),
        ("rely", "relies"), ("second", "seconds"), ("half", "half"), ("slowly", "slowly"),
        ("overwrote", "overwrote"), ("learnt", "learnt"), ("couldnt", "couldnt"), ("be", "be"),
        ("went", "went"), ("miss", "misses"), ("need", "needs"), ("buy", "buys"), ("x2", "x2"),
    ],
)  # fmt: skip
def test_the_form_that_goes_with_a_name(verb: str, form: str) -> None:
    assert third_person(verb) == form


@pytest.mark.parametrize(
    ("word", "past"),
    [
        ("walked", True), ("went", True), ("used", True), ("need", False), ("embed", False),
        ("shed", False), ("feed", False), ("ed", False), ("red", False), ("walk", False),
        ("iced", True), ("agreed", True), ("indeed", False), ("speed", False), ("rebuilt", True),
        ("misunderstood", True), ("overcome", False), ("unread", True), ("remove", False),
    ],
)  # fmt: skip
def test_verbs_of_the_past(word: str, past: bool) -> None:
    assert is_past(word) is past


BEFORE_A_VERB = [
    "no longer", "not", "hardly ever", "almost never", "more or less", "kind of", "sort of",
    "at times", "every day", "to this day", "somehow", "thereby", "once again", "all too often",
    "in fact", "for one", "not only", "never again", "these days", "as a rule", "from now on",
    "less and less", "seldom if ever", "of course", "gladly", "increasingly", "still", "so",
    "much", "half", "each morning", "wholeheartedly", "nowadays", "therefore", "slowly but surely",
    "well and truly",
]  # fmt: skip
# Verbs that are also adverbs or nouns of a phrase have cases of their own.
PLAIN_VERBS = ["work", "eat", "drink", "rely", "prefer", "carry", "fix", "own", "enjoy", "bake"]


@pytest.mark.parametrize("before", BEFORE_A_VERB)
@pytest.mark.parametrize("end", [" it", ".", " here, he said"])
def test_what_stands_before_the_verb_keeps_its_form(before: str, end: str) -> None:
    """ "No longer" once became "noes longer"."""
    for verb in PLAIN_VERBS:
        made = restate(Turn(text=f"I {before} {verb}{end}", speaker="Mia"))
        assert made is not None
        assert made.text == f"Mia {before} {third_person(verb)}{end}"


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("last saw it", "saw"), ("second that", "second"), ("better go", "go"), ("back it", "back"),
        ("double check it", "check"), ("double it", "double"), ("long for it", "long"),
        ("blorply like it", "like"), ("allready had it", "had"), ("at work miss it", "miss"),
        ("realize it", "realize"), ("unsubscribe", "unsubscribe"), ("gladly", None), ("", None),
        ("and Bob like it", None), ("who like it", None), ("blorp", None), ("no longer", None),
    ],
)  # fmt: skip
def test_which_word_is_the_verb(said: str, verb: str | None) -> None:
    words = said.lower().split()
    found = find_verb(words)
    assert (None if found is None else words[found]) == verb


@tried(max_examples=500, deadline=None, database=None, derandomize=True)
@given(st.lists(st.text("aeilnorstuy", min_size=1, max_size=9), min_size=1, max_size=9))
def test_a_word_that_is_no_known_verb_keeps_its_form(words: list[str]) -> None:
    found = find_verb(words)
    if found is None:
        text = f"I {' '.join(words)}"
        made = restate(Turn(text=text, speaker="Mia"))
        assert made is None or made.text in ("", f"Mia {' '.join(words)}") or {"i", "is"} & {*words}
    else:
        assert words[found] not in ("no", "longer", "not", "only")


def test_each_known_verb_has_a_form_of_its_own() -> None:
    unchanged = {verb for verb in BASE_VERBS if third_person(verb) == verb}
    # Their past is the same word, or they end in "s" or "ing" as they are.
    assert {
        verb for verb in unchanged if not is_past(verb) and not verb.endswith(("s", "ing"))
    } == set()
