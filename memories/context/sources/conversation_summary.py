"""What was said in a conversation before its latest messages, in a few of its own sentences.

Nothing is stored: the summary is made at each call from messages that the asker reads, so what was
withdrawn is not in it. No language model is asked.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import islice

from memories.context.sources.context_query import format_time
from memories.context.sources.pieces import ContextPiece
from memories.language.propositions import iter_sentences
from memories.language.rendering.model_text import joined, render_head, render_line
from memories.language.terms import extract_terms
from memories.store.speakers.attribution import attribution_of_message
from robots.models.conversations import Message

SUMMARY = "summary"
# Fewer messages are no conversation to sum up.
MIN_MESSAGES = 3
# Of how many characters and sentences of each message is chosen, and what a summary has at most.
READ_CHARACTERS, READ_SENTENCES = 500, 5
MAX_SENTENCES, MAX_SENTENCE_CHARACTERS = 6, 240


@dataclass(slots=True)
class _Sentence:
    turn: int
    text: str
    terms: frozenset[str]


def select_sentences(turns: Sequence[str]) -> list[tuple[int, str]]:
    """The sentences that say most of what several turns speak of, at most one of a turn, as (place
    of the turn, sentence), in the order of the turns. Pure.

    A term weighs as many turns as it is in, and no more once a chosen sentence has it; a sentence
    has the weights of its terms, for the root of their number. Of equal ones the latest is taken.
    """
    sentences = [
        _Sentence(turn, text, frozenset(one.key for one in extract_terms(text)))
        for turn, said in enumerate(turns)
        for text in islice(iter_sentences(said[:READ_CHARACTERS]), READ_SENTENCES)
    ]
    said_in: dict[str, set[int]] = {}
    for one in sentences:
        for term in one.terms:
            said_in.setdefault(term, set()).add(one.turn)
    weights = Counter({term: len(those) for term, those in said_in.items()})
    chosen: list[_Sentence] = []
    while sentences and len(chosen) < MAX_SENTENCES:
        best = max(sentences, key=lambda one: (_worth(one, weights), one.turn))
        if _worth(best, weights) <= 0:
            break
        chosen.append(best)
        for term in best.terms:
            weights[term] = 0
        sentences = [one for one in sentences if one.turn != best.turn]
    return [
        (one.turn, one.text[:MAX_SENTENCE_CHARACTERS])
        for one in sorted(chosen, key=lambda one: one.turn)
    ]


def _worth(sentence: _Sentence, weights: Counter[str]) -> float:
    if not sentence.terms:
        return 0.0
    return float(sum(weights[term] for term in sentence.terms) / len(sentence.terms) ** 0.5)


def build_summary_piece(
    messages: Sequence[Message], place: int, zone: tzinfo
) -> ContextPiece | None:
    """The piece that sums up messages of one conversation, oldest first, each of whose `content`
    may be its beginning alone; None if they are few or say nothing.

    Each of its lines has whose words it gives. It cites the conversation.
    """
    if len(messages) < MIN_MESSAGES:
        return None
    chosen = [(messages[at], text) for at, text in select_sentences([m.content for m in messages])]
    if not chosen:
        return None
    lines = [
        joined(render_head(attribution_of_message(message).head), render_line(text))
        for message, text in chosen
    ]
    first, last = messages[0], messages[-1]
    return ContextPiece(
        head=(
            f"{format_time(first.sent_at, zone)} to {format_time(last.sent_at, zone)}",
            f"{len(messages)} earlier messages in short",
        ),
        text="\n".join(lines),
        type=SUMMARY,
        id=first.conversation_id,
        more={
            "conversation": first.conversation_id,
            "messages": len(messages),
            "quoted": [message.id for message, _ in chosen],
        },
        place=place,
    )
