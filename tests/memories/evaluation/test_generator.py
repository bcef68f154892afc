"""The generated groups: the same for the same seed, exactly as many as stated, and asked fairly."""

import re
from collections import Counter, defaultdict

import pytest
from django.db import connection

from memories.evaluation.dataset import phrases
from memories.evaluation.dataset.generator import (
    CONCEPTS_BY_FAMILY,
    MEMBERS_PER_GROUP,
    MESSAGES_BY_KIND,
    MESSAGES_PER_GROUP,
    SyntheticData,
)
from memories.evaluation.dataset.scenarios import (
    FOR_MEMBER,
    FORBIDDEN,
    IN_GROUP,
    OUTSIDE_GROUPS,
    SCENARIOS,
    SHAREABLE,
    build_questions,
    build_user_probes,
    count_readable,
    may_read,
)

# sha256 of the seed 7 with three groups: it changes only with the data or the generator.
KNOWN = "2f8f4e59929be4d133164f74654c5efe86e9b52ee46d3095b2a2ff90e5414eeb"


@pytest.mark.conformance("A31")
def test_the_same_seed_gives_the_same_messages() -> None:
    assert (
        SyntheticData(seed=7, groups=3).digest()
        == SyntheticData(seed=7, groups=3, spare=2).digest()
        == KNOWN
    )
    assert SyntheticData(seed=8, groups=3).digest() != KNOWN


@pytest.mark.conformance("A31")
def test_counts_are_exact() -> None:
    world = SyntheticData(seed=7, groups=4)
    for group in range(4):
        messages = world.messages(group)
        assert len(world.seats[group]) == len(set(world.seats[group])) == MEMBERS_PER_GROUP == 50
        assert Counter(m.kind for m in messages) == MESSAGES_BY_KIND == {
            "group": 100, "user": 300, "interaction": 100,
        }  # fmt: skip
        assert len(messages) == MESSAGES_PER_GROUP == len({m.key for m in messages})
        # Nothing is said twice by one person, or the store would count it instead.
        assert len({(m.speaker, m.text, m.readers) for m in messages}) == MESSAGES_PER_GROUP
        assert {m.speaker for m in messages} <= set(world.seats[group])
        talk = [m for m in messages if m.kind == "interaction"]
        assert all(m.listeners and m.speaker not in m.listeners for m in talk)
        assert sum("@" in m.text for m in talk) == 10
        replies = [m for m in messages if m.reply_to]
        assert len(replies) > 20
        assert all(world.message(m.reply_to or "").speaker in m.listeners for m in replies)
        assert sum(m.type == "announcement" for m in messages) == CONCEPTS_BY_FAMILY["announcement"]
        assert sum(m.readers is not None for m in messages) == 10
    shared = [m for m, groups in enumerate(world.groups_of) if len(groups) > 1]
    assert len(shared) >= 25, "members sit in several groups"


def test_no_paraphrase_shares_a_content_word(db: None) -> None:
    """By the stemmer and the stop words of the index itself, whatever fills the slots."""
    for family in CONCEPTS_BY_FAMILY:
        for concept in phrases.load_concepts(family):
            filled = []
            for text in concept.says:
                slots = set(phrases.SLOT.findall(text)) - {"number"}
                words = " ".join(" ".join(phrases.slot_words(slot)) for slot in slots)
                filled.append(f"{phrases.SLOT.sub(' ', text)} {words}")
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT array_agg(lexeme) FROM (SELECT lexeme FROM unnest(to_tsvector("
                    "'english', %s)) INTERSECT SELECT lexeme FROM unnest(to_tsvector('english', "
                    "%s))) AS both_",
                    [" ".join(filled), concept.other],
                )
                assert cursor.fetchone()[0] is None, concept
            assert re.search(r"[{}]", concept.other) is None


@pytest.mark.conformance("A32")
def test_every_scenario_has_questions_whose_answers_are_right() -> None:
    world = SyntheticData(seed=7, groups=4)
    asked = build_questions(world, each=12)
    assert asked == build_questions(SyntheticData(seed=7, groups=4), each=12)
    assert {one.scenario for one in asked} == {*SCENARIOS, FORBIDDEN}
    for one in asked:
        gold = [world.message(key) for key in one.gold]
        assert all(may_read(world, one.way, one.group, one.member, m) for m in gold)
        assert bool(gold) == (one.scenario != FORBIDDEN)
        assert len({m.concept for m in gold}) <= 1
        for message in gold:
            concept = next(
                c
                for c in phrases.load_concepts(message.concept.split("/")[0])
                if c.name == message.concept
            )
            plain = concept.asks.replace("{name}", world.names[message.speaker])
            assert one.text == (concept.other if one.paraphrased else plain)
    by_scenario = Counter((one.scenario, one.paraphrased) for one in asked)
    assert set(by_scenario.values()) == {6}, "half of them paraphrased"
    topics = [one for one in asked if one.scenario == "topic_aggregation"]
    assert all(len(one.gold) == 4 for one in topics)
    experts = [one for one in asked if one.scenario == "expertise_location"]
    for one in experts:
        assert sorted(one.gains.values()) == [1, 2], "one says it, one shows it"
        [said] = one.gold - one.in_part
        message = world.message(said)
        [concept] = [c for c in phrases.load_concepts("expertise") if c.name == message.concept]
        assert message.text.startswith(concept.says[0].partition("{")[0])
    assert not any(one.in_part for one in asked if one not in experts)
    # Nothing else that the asker reads tells the same, so that what is wanted is the whole answer.
    planted = defaultdict(list)
    for message in world:
        planted[message.concept].append(message)
    for one in asked:
        if one.gold:
            same = planted[world.message(min(one.gold)).concept]
            read = {m.key for m in same if may_read(world, one.way, one.group, one.member, m)}
            assert read == one.gold


def test_who_may_read_what() -> None:
    """The rule that judges leaks, against cases that are plain to see."""
    world = SyntheticData(seed=7, groups=3)
    secret = next(m for m in world.messages(0) if m.readers == (m.speaker,))
    pair = next(m for m in world.messages(0) if m.readers and len(m.readers) == 2)
    told = next(m for m in world.messages(0) if m.readers is None)
    stranger = next(m for m in world.seats[2] if m not in world.seats[0])
    owner, friend = secret.speaker, pair.listeners[0]
    neighbour = next(m for m in world.seats[0] if m not in {owner, *pair.readers})
    for way in (IN_GROUP, FOR_MEMBER, OUTSIDE_GROUPS):
        assert may_read(world, way, 0, owner, secret)
        assert may_read(world, way, 0, friend, pair)
        assert may_read(world, way, 0, neighbour, told)
        assert not may_read(world, way, 0, neighbour, secret)
        assert not may_read(world, way, 0, neighbour, pair)
    assert may_read(world, SHAREABLE, 0, neighbour, told)
    assert not may_read(world, SHAREABLE, 0, owner, secret)
    assert not may_read(world, SHAREABLE, 0, friend, pair)
    assert not may_read(world, OUTSIDE_GROUPS, 2, stranger, told)
    assert not may_read(world, IN_GROUP, 1, neighbour, told), "another group's rows stay out"
    assert count_readable(world, SHAREABLE, 0, owner) == 490
    both = next(m for m, groups in enumerate(world.groups_of) if groups == [0])
    assert count_readable(world, OUTSIDE_GROUPS, 0, both) == sum(
        m.readers is None or both in m.readers for m in world.messages(0)
    )


@pytest.mark.conformance("A40")
def test_every_user_asks_in_the_words_of_something_hidden_from_them() -> None:
    world = SyntheticData(seed=7, groups=3, spare=1)
    probes = build_user_probes(world)
    assert sorted(probe.member for probe in probes) == sorted(
        {member for seats in world.seats[:3] for member in seats}
    )
    readers = defaultdict(list)
    for message in world:
        readers[message.text].append(message)
    for probe in probes:
        assert probe.scenario == FORBIDDEN
        assert probe.member in world.seats[probe.group]
        said = readers[probe.text]
        assert any(
            probe.member not in (world.seats[one.group] if one.readers is None else one.readers)
            for one in said
        )
    assert {probe.way for probe in probes} == {IN_GROUP, OUTSIDE_GROUPS}
