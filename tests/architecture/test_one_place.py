"""A rule that many modules need stands in one of them. Here a machine looks for the second."""

import re
from dataclasses import dataclass, field

import pytest

from tests.architecture.source import is_migration, module_files, relative


@dataclass(frozen=True)
class Rule:
    """written: how the rule looks where somebody writes it again. home: where it stands. others:
    modules with the same words and another rule, with the number of places, and why."""

    written: str
    home: str
    others: dict[str, tuple[int, str]] = field(default_factory=dict)


RULES = {
    "the normal form of a text, in linear time": Rule(
        r"unicodedata\.normalize\(",
        home="orgs/names/unicode_normalisation.py",
        others={
            "memories/privacy/erasure/name_terms.py": (2, "one letter"),
            "memories/safety/personal_data/word_classes.py": (1, "a word of at most 40 letters"),
            "memories/safety/plain_text.py": (2, "a letter of a normalised text"),
            "memories/safety/prompt_injection/concepts/lexicon.py": (1, "a word of our own table"),
            "memories/safety/prompt_injection/disguises/letters.py": (1, "one letter"),
            "memories/store/tag_names.py": (1, "a tag of at most 100 characters"),
            "orgs/names/lookalikes.py": (4, "a name of limited length"),
            "robots/access/writer_identity.py": (1, "a name of at most 300 characters"),
        },
    ),
    "whether a row has expired": Rule(
        r"(?<!invite_)\bexpires_at(?:\s*(?:<=|>=|<|>|IS (?:NOT )?NULL)|\s*=\s*None\b"
        r"|__(?:isnull|gte?|lte?))",
        home="orgs/expiry.py",
        others={
            "memories/review/protect.py": (1, "takes the end away"),
            "memories/store/models/change.py": (1, "indexes what has an end"),
            "memories/store/conversation_turns.py": (3, "compares the ends of two turns"),
            "memories/webhooks/read_acts.py": (1, "looks for ends that are near"),
        },
    ),
    "whether a key is valid": Rule(
        r"(?:\b(?:k|key|old|one|self)|\{key\})\.revoked_at\b(?! is not None)",
        home="robots/models/keys.py",
        others={
            "memories/views/insights/robot_page.py": (1, "shows when it was revoked"),
            "robots/views/support.py": (2, "shows when it was revoked"),
        },
    ),
    "the tier of a memory": Rule(
        r"coalesce\([^;]{0,120}?\bfirst_tier|Coalesce\([^)]*first_tier",
        home="memories/store/known_use.py",
        others={"memories/store/models/memory.py": (1, "the same for querysets")},
    ),
    "the kinds of audiences of a profession": Rule(
        r"['\"]persona['\"],\s*['\"]industry['\"](?!:)|\.PERSONA,\s*\w+\.INDUSTRY(?!:)",
        home="orgs/cohort_types.py",
    ),
    "who has joined and can sign in": Rule(
        r"joined_at(?:\s+IS NOT NULL|__isnull=False)|user__is_active",
        home="orgs/models/memberships.py",
        others={"orgs/members/invitations.py": (1, "who is invited has not joined")},
    ),
    "an answer's {id, name}": Rule(
        r"\{\"id\": (?:str\()?[\w.]+\)?, \"name\": [\w.]+\}",
        home="orgs/api/serializers.py",
        others={
            "memories/insights/statistics.py": (1, "figures that are no answer yet"),
            "robots/views/groups.py": (2, "rows of a page"),
        },
    ),
    "the size of a memory's text": Rule(
        r"> settings.MEMORY_MAX_BYTES",
        home="memories/ingestion/drafts.py",
    ),
    "a time in the zone of a reader": Rule(
        r"\.astimezone\((?!UTC\))|\blocaltime\((?!\))",
        home="orgs/iso_times.py",
        others={
            "memories/retrieval/timeframes/spans.py": (
                1,
                "of a timeframe, which says that no calendar has such a time",
            ),
        },
    ),
    "the share that two sets have in common": Rule(
        r"len\([^()]*(?:\([^()]*\)[^()]*)*&[^\n]*/ len\(",
        home="memories/language/comparison/text_comparison.py",
        others={"memories/evaluation/measures/metrics.py": (1, "a recall")},
    ),
}


def find_places(rule: Rule) -> dict[str, int]:
    """{module: how often the rule is written there}, comments and migrations left out."""
    found = {}
    for path in module_files():
        if not is_migration(path):
            text = re.sub(r"(?m)^\s*#.*$", "", path.read_text(encoding="utf-8"))
            if number := len(re.findall(rule.written, text)):
                found[relative(path)] = number
    return found


@pytest.mark.parametrize("name", RULES)
def test_a_rule_stands_in_one_place(name: str) -> None:
    rule = RULES[name]
    found = find_places(rule)
    assert found.pop(rule.home, 0) > 0, "the rule is not where the test looks for it"
    expected = {module: number for module, (number, _) in rule.others.items()}
    assert found == expected, f"{name} stands in {rule.home}: use it"
