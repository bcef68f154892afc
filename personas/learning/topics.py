"""Topics of texts that were said repeatedly, and whether they rise or fall. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from memories.language.terms import extract_concepts, is_quantity
from personas.learning.mann_kendall import FLAT, Trend, mann_kendall

# The least mentions of a topic that is shown, and the most topics that are shown.
MIN_MENTIONS, MAX_TOPICS = 3, 50
# By text: {number of windows ago: how often it was said in that window}.
MentionCounts = Mapping[UUID, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class TopicTrend:
    """counts: of each window, the oldest first."""

    topic: str
    counts: tuple[int, ...]
    found: Trend


def count_topics(texts: Mapping[UUID, str], said: MentionCounts, many: int) -> list[TopicTrend]:
    """The topics of the texts that were named LEAST times at least, with their trends."""
    counts: dict[str, list[int]] = {}
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for id_, text in texts.items():
        for term in extract_concepts(text):
            if is_quantity(term.key):
                continue
            series = counts.setdefault(term.key, [0] * many)
            for ago, times in said[id_].items():
                series[many - 1 - ago] += times
                names[term.key][term.name] += times
    return [
        TopicTrend(_most_frequent_spelling(names[key]), tuple(series), mann_kendall(series))
        for key, series in counts.items()
        if sum(series) >= MIN_MENTIONS
    ]


def _most_frequent_spelling(names: Counter[str]) -> str:
    """The most frequent spelling; of equals the first by the alphabet."""
    return min(names, key=lambda name: (-names[name], name))


def rank_topics(topics: Iterable[TopicTrend]) -> tuple[TopicTrend, ...]:
    """The first MOST: rising and falling ones, the least p first, then those named most."""

    def order(one: TopicTrend) -> tuple[bool, float, int, str]:
        flat = one.found.trend == FLAT
        return flat, 0.0 if flat else one.found.p, -sum(one.counts), one.topic

    return tuple(sorted(topics, key=order)[:MAX_TOPICS])
