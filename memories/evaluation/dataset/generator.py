"""Seeded groups with 50 members and 500 messages each, and who may read each message. Pure.

Of a group's messages 100 are the group's (announcements, facts, talk), 300 are said by one member
about themselves or to nobody (expertise, preferences, topics, private facts), and 100 go from one
member to another, by mention or as a reply. Every group after the first shares half of its members
with earlier ones, so members of one group belong to others too.

A group depends only on the seed and its number, so groups are generated on demand.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from random import Random

from memories.evaluation.dataset.phrases import (
    Concept,
    chatter_templates,
    fill_template,
    load_concepts,
    slot_words,
)

MEMBERS_PER_GROUP, MESSAGES_PER_GROUP = 50, 500
MESSAGES_BY_KIND = {"group": 100, "user": 300, "interaction": 100}
SHARED_MEMBERS = 25
# Shared members of a new group come from this many of the latest members.
RECENT_MEMBERS = 400
# How many concepts of each family a group gets; a topic is said in four of its five texts.
CONCEPTS_BY_FAMILY = {
    "robot": 8,
    "announcement": 6,
    "member": 8,
    "private": 6,
    "preference": 6,
    "expertise": 4,
    "topic": 3,
}
TOPIC_TEXTS = 4
# How many of the facts between two members are only for these two.
PRIVATE_PAIR_FACTS = 4
MENTION_MESSAGES = 10
# The other talk of a speaker comes from this many texts for each name, in whatever group. So the
# talk of many groups has few distinct texts, and each is encoded once.
POOL_SIZES = {"alone": 48, "to": 16}
FIRST_DAY = datetime(2025, 11, 3, 8, tzinfo=UTC)
DAYS = 365
_KIND_AND_TYPE = {
    "robot": ("group", "fact"),
    "announcement": ("group", "announcement"),
    "member": ("interaction", "interaction"),
    "private": ("user", "fact"),
    "preference": ("user", "preference"),
    "expertise": ("user", "expertise"),
    "topic": ("user", "fact"),
}


@dataclass(frozen=True, slots=True)
class GeneratedMessage:
    """One message. Members are numbers. readers: None for the whole group, else these members
    alone. in_part: it shows what its concept asks for and does not say it."""

    key: str
    group: int
    kind: str
    type: str
    speaker: int
    text: str
    at: datetime
    listeners: tuple[int, ...] = ()
    reply_to: str | None = None
    readers: tuple[int, ...] | None = None
    concept: str = ""
    in_part: bool = False


@dataclass(slots=True)
class _MessageDraft:
    """A message without its key, which depends on its place in the group."""

    kind: str
    type: str
    speaker: int
    text: str
    at: datetime
    listeners: tuple[int, ...] = ()
    readers: tuple[int, ...] | None = None
    concept: str = ""
    in_part: bool = False
    replies: bool = False


class SyntheticData:
    """`groups` groups, and `spare` more for later inserts; the same seed gives the same world."""

    def __init__(self, *, seed: int, groups: int, spare: int = 0) -> None:
        self.seed, self.groups, self.spare = seed, groups, spare
        self.names: list[str] = []
        self.seats: list[tuple[int, ...]] = []
        self.groups_of: list[list[int]] = []
        for group in range(groups + spare):
            self._seat(group)
        self.messages = lru_cache(maxsize=256)(self._messages)

    def _seat(self, group: int) -> None:
        rng = Random(f"{self.seed}/seats/{group}")
        seated: dict[str, int] = {}
        if group:
            recent = range(max(0, len(self.names) - RECENT_MEMBERS), len(self.names))
            for member in rng.sample(recent, min(len(recent), 2 * SHARED_MEMBERS)):
                if len(seated) < SHARED_MEMBERS:
                    seated.setdefault(self.names[member], member)
        free = sorted(set(slot_words("name")) - set(seated))
        for name in rng.sample(free, MEMBERS_PER_GROUP - len(seated)):
            seated[name] = len(self.names)
            self.names.append(name)
            self.groups_of.append([])
        self.seats.append(tuple(sorted(seated.values())))
        for member in self.seats[group]:
            self.groups_of[member].append(group)

    def message(self, key: str) -> GeneratedMessage:
        """The message of this key."""
        group, _, place = key.removeprefix("g").partition("/")
        found: GeneratedMessage = self.messages(int(group))[int(place)]
        return found

    def __iter__(self) -> Iterator[GeneratedMessage]:
        """Every message but those of the spare groups."""
        for group in range(self.groups):
            yield from self._messages(group)

    def digest(self) -> str:
        """sha256 of names, seats and messages, in hex."""
        seats = self.seats[: self.groups]
        names = self.names[: 1 + max(max(members) for members in seats)]
        found = hashlib.sha256(json.dumps([names, seats]).encode())
        for one in self:
            fields = [one.key, one.kind, one.type, one.speaker, one.text, one.at.isoformat()]
            rest = [one.listeners, one.reply_to, one.readers, one.concept]
            found.update(json.dumps([*fields, *rest]).encode())
        return found.hexdigest()

    # --- one group ---

    def _messages(self, group: int) -> tuple[GeneratedMessage, ...]:
        rng = Random(f"{self.seed}/group/{group}")
        said = list(self._planted(group, rng))
        taken = {(one.speaker, one.text) for one in said}
        for kind, most in MESSAGES_BY_KIND.items():
            missing = most - sum(one.kind == kind for one in said)
            said += self._chatter(group, kind, missing, rng, taken)
        rng.shuffle(said)
        found: list[GeneratedMessage] = []
        last: dict[int, str] = {}
        for place, one in enumerate(said):
            key = f"g{group}/{place}"
            answered = last.get(one.listeners[0]) if one.replies and one.listeners else None
            found.append(
                GeneratedMessage(
                    key, group, one.kind, one.type, one.speaker, one.text, one.at,
                    one.listeners, answered, one.readers, one.concept, one.in_part,
                )
            )  # fmt: skip
            if one.readers is None:
                last[one.speaker] = key
        return tuple(found)

    def _planted(self, group: int, rng: Random) -> Iterator[_MessageDraft]:
        for family, many in CONCEPTS_BY_FAMILY.items():
            for number, concept in enumerate(rng.sample(load_concepts(family), many)):
                yield from self._told(group, family, number, concept, rng)

    def _told(
        self, group: int, family: str, number: int, concept: Concept, rng: Random
    ) -> Iterator[_MessageDraft]:
        kind, type_ = _KIND_AND_TYPE[family]
        texts = concept.says
        if family == "topic":
            texts = tuple(rng.sample(texts, TOPIC_TEXTS))
        speaker, *others = rng.sample(self.seats[group], 1 + len(texts))
        for text, other in zip(texts, others, strict=True):
            one = _MessageDraft(
                kind,
                type_,
                speaker,
                fill_template(text, rng),
                random_time(rng),
                concept=concept.name,
            )
            if family == "member":
                one.listeners, one.replies = (other,), number >= PRIVATE_PAIR_FACTS
                one.readers = (
                    tuple(sorted((speaker, other))) if number < PRIVATE_PAIR_FACTS else None
                )
            elif family == "private":
                one.readers = (speaker,)
            elif family == "topic":
                one.speaker = other
            elif family == "expertise":
                one.in_part = text is not texts[0]
            yield one

    def _chatter(
        self, group: int, kind: str, many: int, rng: Random, taken: set[tuple[int, str]]
    ) -> Iterator[_MessageDraft]:
        seats = self.seats[group]
        type_ = "interaction" if kind == "interaction" else "conversation"
        while many:
            speaker, other = rng.sample(seats, 2)
            if kind == "interaction" and many <= MENTION_MESSAGES:
                template = rng.choice(chatter_templates("mention"))
                text, at = fill_template(template, rng, other=self.names[other]), random_time(rng)
            else:
                pool = "to" if kind == "interaction" else "alone"
                number = rng.randrange(POOL_SIZES[pool])
                text, at = pooled_message(self.seed, pool, self.names[speaker], number)
            if (speaker, text) in taken:
                continue
            taken.add((speaker, text))
            listeners = (other,) if kind == "interaction" else ()
            yield _MessageDraft(
                kind, type_, speaker, text, at, listeners, replies=rng.random() < 0.5
            )
            many -= 1


def random_time(rng: Random) -> datetime:
    """A random minute of the year."""
    return FIRST_DAY + timedelta(days=rng.randrange(DAYS), minutes=rng.randrange(10 * 60))


@lru_cache(maxsize=50_000)
def pooled_message(seed: int, pool: str, whose: str, number: int) -> tuple[str, datetime]:
    """(text, time) of one number in the pool of a name."""
    rng = Random(f"{seed}/{pool}/{whose}/{number}")
    return fill_template(rng.choice(chatter_templates(pool)), rng), random_time(rng)
